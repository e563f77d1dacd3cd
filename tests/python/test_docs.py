# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The documentation site without Sphinx: links, code blocks, generated files, and its checks."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import click
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from sitegen import check_site, generated, run_blocks, supported_ops  # noqa: E402
from sitegen.errors import SiteError  # noqa: E402
from sitegen.markdown import Block, blocks, outside  # noqa: E402
from sitegen.pages import Links, found_pages  # noqa: E402
from sitegen.run_blocks import Checkout, Page, matches  # noqa: E402
from sitegen.stage import stage  # noqa: E402

from ranvier.cli import main  # noqa: E402
from ranvier.device.simulator import find_simulator  # noqa: E402
from ranvier.errors import ToolError  # noqa: E402

PAGES = list(run_blocks.pages())
README = (ROOT / "README.md").read_text(encoding="utf-8")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


# The pages of this repository


def needs_simulator() -> None:
    """Skip the test where there is no simulated device."""
    try:
        find_simulator()
    except ToolError as error:
        pytest.skip(error.message)


@needs_cc
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_blocks_of_a_page(page: Page, tmp_path: Path) -> None:
    if any("--sim" in block.text for block in page.blocks):
        needs_simulator()
    assert run_blocks.run_page(page, tmp_path) == []


def test_the_pages_have_blocks_that_run() -> None:
    modes = [block.info[1] for page in PAGES for block in page.blocks if len(block.info) > 1]
    assert modes.count("run") >= 8
    assert modes.count("compile") >= 3


@needs_cc
def test_readme_python(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    found = [block for block in blocks(README) if block.language == "python"]
    assert len(found) >= 2
    for block in found:
        checkout.python(block.text)


@needs_cc
def test_readme_c(tmp_path: Path) -> None:
    """The program that needs no Zephyr; test_readme_zephyr.py has the other one."""
    checkout = Checkout(tmp_path)
    command = re.search(r"`(ranvier compile [^`]+--c-array [^`]+)`", README)
    assert command is not None
    checkout.execute("sh", "-eu", "-c", command[1])
    plain = [b.text for b in blocks(README) if b.language == "c" and "zephyr" not in b.text]
    assert len(plain) == 1
    checkout.compile(plain[0])


def readme_pipelines(folder: Path) -> Checkout:
    """A checkout in which the commands of README.md's section on pipelines were executed."""
    checkout = Checkout(folder)
    (block,) = (b for b in blocks(README) if b.language == "sh" and "--post" in b.text)
    checkout.execute("sh", "-eu", "-s", text=block.text)
    return checkout


def overlap(a: list[float], b: list[float]) -> float:
    """Intersection over union of boxes y0, x0, y1, x1."""
    sides = [max(min(a[i + 2], b[i + 2]) - max(a[i], b[i]), 0.0) for i in (0, 1)]
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return sides[0] * sides[1] / (sum(areas) - sides[0] * sides[1])


@needs_cc
def test_readme_pipelines_find_what_is_there(tmp_path: Path) -> None:
    """Boxes are those of the examples' description, words those that are said."""
    checkout = readme_pipelines(tmp_path)
    examples = ROOT / "models" / "shapes" / "examples"
    objects = json.loads((examples / "objects.json").read_text(encoding="utf-8"))
    run = ["ranvier", "run", "build/shapes.rnv", "--json", "--input"]
    found = json.loads(checkout.execute(*run, examples / "camera1.png"))["objects"]
    assert [one["label"] for one in found] == ["triangle", "circle"]
    for one in found:
        (there,) = (o for o in objects["camera1.png"]["objects"] if o["class"] == one["label"])
        assert overlap(one["box"], there["box"]) > 0.7
    assert (checkout.folder / "build" / "boxes.png").exists()

    examples = ROOT / "models" / "keywords" / "examples"
    run = ["ranvier", "run", "build/keywords.rnv", "--json", "--input"]
    rows = [line.split() for line in (examples / "stream.txt").read_text().splitlines()[1:]]
    said = {"stream": [row[2] for row in rows if row[2] != "unknown"]}
    for name, labels in {**said, "down": ["down"], "right": ["right"]}.items():
        heard = json.loads(checkout.execute(*run, examples / f"{name}.wav"))["found"]
        assert [one["label"] for one in heard] == labels, name


@needs_cc
def test_readme_updates(tmp_path: Path) -> None:
    """The commands of README.md's section on updates, and what it says that they print."""
    needs_simulator()
    (block,) = (b for b in blocks(README) if b.language == "sh" and "ota push" in b.text)
    said = Checkout(tmp_path).execute("sh", "-eu", "-s", text=block.text)
    (shown,) = (b for b in blocks(README) if "is on trial" in b.text)
    for line in shown.text.splitlines():
        assert line == "..." or line in said, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path.stem)
def test_commands_and_options_exist(page: Page) -> None:
    """Also in blocks that are only shown, and in the text."""
    text = page.path.read_text(encoding="utf-8")
    lines = [line for block in page.blocks for line in block.text.replace("\\\n", " ").split("\n")]
    for call in [*re.findall(r"`([^`\n]+)`", text), *lines]:
        found = re.search(r"(?:^|\$ |&& |bin/)ranvier ([a-z]+)(.*)", call)
        if found is None:
            continue
        assert found[1] in main.commands, call
        command, rest = main.commands[found[1]], found[2].partition("|")[0]
        if isinstance(command, click.Group) and (word := re.match(r" ([a-z]+)", rest)):
            assert word[1] in command.commands, call
            command = command.commands[word[1]]
        known = {name for p in command.params for name in p.opts}
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", re.sub(r'"[^"]*"', "", rest)):
            assert option in known | {"--help"}, call


def test_links_lead_somewhere(tmp_path: Path) -> None:
    """Also those of files that are pages as they are: README.md, SPEC.md and so on."""
    stage(tmp_path)
    made = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")}
    assert {"index.md", "overview.md", "reference/spec.md", "reference/c/ranvier-sched.md"} <= made
    assert len(made) > 40


def test_supported_ops_is_up_to_date() -> None:
    text = supported_ops.PATH.read_text(encoding="utf-8")
    assert text == supported_ops.document(), "run .venv/bin/python docs/build.py ops"


def test_supported_ops_has_every_op() -> None:
    """The table of the core and the table that CMake links from are the same file."""
    text = supported_ops.PATH.read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \| `(\w+)`", text, re.MULTILINE)
    rows = (ROOT / "firmware/core/ops.txt").read_text(encoding="utf-8").splitlines()
    known = [tuple(row.split()[:2]) for row in rows if row[:1].isdigit()]
    assert sorted(listed) == sorted(known)


# Generated parts


def test_every_stage_has_its_options() -> None:
    text = generated.part("stages")
    assert re.search(r"^#### image\n.*?^\| `format` \|", text, re.MULTILINE | re.DOTALL)


def test_codes_of_the_core() -> None:
    assert "| `RNV_ESTALE` | -116 |" in generated.part("status-codes")
    refusals = generated.part("refusals")
    assert "| 14 | `RNV_WHAT_OP_CODE` | op that this build lacks | value: code |" in refusals
    assert "| 30 | `RNV_WHAT_RESERVED` | reserved field |" in refusals


def test_unknown_part() -> None:
    with pytest.raises(SiteError, match="nothing: no such part; there are "):
        generated.part("nothing")


# Markdown and links


def test_fences_are_told_from_text() -> None:
    text = "a\n```c compile\nb\n````\nc\n```x\n````\n:::{note}\nd\n:::\n~~~\ne\n~~~\n"
    found = blocks(text)
    assert [block.info for block in found] == [("c", "compile"), ("x",), ()]
    assert [block.text for block in found] == ["b\n", "", "e\n"]
    assert [block.line for block in found] == [2, 6, 11]
    assert outside(text, str.upper) == (
        "A\n```c compile\nb\n````\nC\n```x\n````\n:::{NOTE}\nD\n:::\n~~~\ne\n~~~\n"
    )


def test_links_are_rewritten(tmp_path: Path) -> None:
    links = Links()
    source = "firmware/port/PORTING.md"
    text = "[`port.h`](../core/include/ranvier/port.h) [m](../../README.md#measured) [z](zephyr)"
    assert links.rewrite(text, source) == (
        "[`port.h`](/reference/c/ranvier-port.md) [m](/overview.md#measured) z"
    )
    assert links.rewrite("[b](#x) [c](https://a.b/c) [k](zephyr/Kconfig)", source) == (
        "[b](#x) [c](https://a.b/c) [k](/_files/firmware/port/zephyr/Kconfig)"
    )
    assert links.files == {"firmware/port/zephyr/Kconfig"}
    assert links.wrong == []
    links.rewrite("[x](gone.md#a)", source)
    assert links.wrong == [f"{source}: links to gone.md#a, which is not there"]


def test_every_readme_is_a_page() -> None:
    pages = found_pages()
    for path in (*ROOT.glob("samples/*/README.md"), *ROOT.glob("models/*/README.md")):
        assert path.relative_to(ROOT).as_posix() in pages
    assert len(set(pages.values())) == len(pages)


# Running blocks


@needs_cc
@pytest.mark.parametrize(
    ("info", "text", "reason"),
    [
        ("python run", "print(1 + 1)  # 3\n", r"prints \['2'\], and the comments say \['3'\]"),
        ("python run", "raise ValueError('no')\n", "ValueError: no"),
        ("sh run", "false\ntrue\n", "exit code 1"),
        ("console run", "$ echo a\nb\n", "prints\na\n\nand the page says\nb"),
        ("console run", "$ false\n", "exit code 1"),
        ("c compile", "int f(void) { return x; }\n", "undeclared"),
        ("python", "pass\n", "needs one of run, shown"),
        ("c run", "int x;\n", "needs one of compile, shown"),
    ],
)
def test_a_block_that_is_wrong(info: str, text: str, reason: str, tmp_path: Path) -> None:
    page = Page(ROOT / "docs" / "page.md", (Block(tuple(info.split()), text, 5),))
    (wrong,) = run_blocks.run_page(page, tmp_path)
    assert wrong.startswith("docs/page.md:5: ")
    assert re.search(reason, wrong), wrong


def test_blocks_share_a_folder(tmp_path: Path) -> None:
    first = Block(("sh", "run"), "echo 7 >build/x\n", 1)
    second = Block(("console", "run"), "$ cat \\\n  build/x\n7\n$ echo done\ndone\n", 2)
    page = Page(ROOT / "docs" / "page.md", (first, second))
    assert run_blocks.run_page(page, tmp_path) == []


@pytest.mark.parametrize(
    ("wanted", "said", "same"),
    [
        ("a\n", "a\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n...\n", "a\nb\nc\n", True),
        ("...\nc\n", "a\nb\nc\n", True),
        ("...\nc\n", "a\nc\nb\n", False),
        ("a.\n", "ab\n", False),
        ("", "", True),
    ],
)
def test_shown_output(wanted: str, said: str, same: bool) -> None:
    assert matches(wanted, said) is same


# The check of a built site

HEAD = '<html><head><link rel="stylesheet" href="s.css"></head><body>'


def site(folder: Path, body: str, head: str = HEAD) -> Path:
    """A site of two pages and a style sheet."""
    (folder / "s.css").write_text("")
    (folder / "b.html").write_text('<h1 id="there">b</h1>')
    (folder / "index.html").write_text(f"{head}{body}")
    return folder


def test_a_site_that_is_right(tmp_path: Path) -> None:
    body = '<a href="b.html#there"></a><a href="#x" id="x"></a><a href="https://a.b/">out</a>'
    assert check_site.wrong_links(site(tmp_path, body)) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<a href="c.html"></a>', "index.html: links to c.html, which is not there"),
        ('<a href="b.html#a"></a>', "links to b.html#a, and that page has no such anchor"),
        ('<a href="#a"></a>', "links to #a, and that page has no such anchor"),
        ('<img src="x.png">', "loads x.png, which is not there"),
        ('<script src="https://a.b/c.js"></script>', "loads https://a.b/c.js from another host"),
        ('<script src="//a.b/c.js"></script>', "loads //a.b/c.js from another host"),
        ('<link rel="preconnect" href="https://a.b">', "loads https://a.b from another host"),
    ],
)
def test_a_site_that_is_wrong(body: str, reason: str, tmp_path: Path) -> None:
    (wrong,) = check_site.wrong_links(site(tmp_path, body))
    assert reason in wrong
