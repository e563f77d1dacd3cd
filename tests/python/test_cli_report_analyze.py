# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze`` as a page, as CSV and as a graph."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

import stateful
from cli_tools import DIGITS, ROOT, names, put, ranvier, rich_files, unsupported_model
from packages import deep_model, rich, rich_model
from page_rules import boxes, numbers, page_of, table, words
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.report import analyze_package
from ranvier.package.records import Alias, IoMode, PackageContent, Storage
from ranvier.package.writer import write_package
from ranvier.report.memory import Place, arena_use, blocks

HOSTILE = "</title><script>alert('x')</script>&\"\\\n\x1b[31m\u202e=1+1"
SHOWN = HOSTILE.replace("\x1b", "\ufffd").replace("\u202e", "\ufffd")
LAYERS = "Every layer; bytes where nothing else is said"


def digits(mode: IoMode = IoMode.KEPT, isa: str = "generic", goal: str = "memory") -> bytes:
    data = (DIGITS / "digits.tflite").read_bytes()
    options = CompileOptions(isa=isa, optimize=goal, input_mode=mode)
    return compile_model(data, "digits.tflite", options).package


def hostile() -> bytes:
    """The rich package with names as nobody wants them."""
    content = rich().content
    tensors = tuple(replace(t, name=f"{HOSTILE}{i}") for i, t in enumerate(content.tensors))
    return write_package(replace(content, tensors=tensors))


def contents() -> list[PackageContent]:
    """Packages of all kinds: modes, in place, by rows, with state and several entry points."""
    found = [rich(mode).content for mode in IoMode]
    data = (DIGITS / "digits.tflite").read_bytes()
    for mode in IoMode:
        options = CompileOptions(isa="dsp", optimize="memory", input_mode=mode)
        found.append(compile_model(data, "digits.tflite", options).content)
        found.append(compile_model(deep_model(), "deep", CompileOptions(input_mode=mode)).content)
    found += [stateful.content(in_place=False), stateful.content(IoMode.RESIDENT)]
    return found


@pytest.mark.parametrize("number", range(len(contents())))
def test_pages_of_all_kinds_of_packages(number: int, tmp_path: Path) -> None:
    content = contents()[number]
    file = put(tmp_path, "p.rnv", write_package(content))
    answer = ranvier("analyze", file, "--html", tmp_path / "p.html", "--json")
    assert answer.code == 0, answer.both
    value = answer.json
    root = page_of((tmp_path / "p.html").read_text(encoding="utf-8"))
    top = numbers(root)
    assert top["RAM, bytes"] == f"{value['ram_bytes']:,}"
    assert top["Flash, bytes"] == f"{value['flash_bytes']:,}"
    assert top["Multiply-accumulates"] == f"{value['macs']:,}"
    rows = table(root, LAYERS)
    assert len(rows) == len(value["layers"])
    for row, layer in zip(rows, value["layers"], strict=True):
        assert layer["op"] in row[0]
        assert "x".join(map(str, layer["shape"])) in row[1]
        assert f"{layer['macs']:,}" == row[2].replace("-", "0")
        assert ("peak" in row[-1]) == (layer["step"] == value["peak_step"])
    if len(content.entries) > 1:
        told = table(root, "What can be run")
        assert [row[0] for row in told] == [entry.name for entry in content.entries]


@pytest.mark.parametrize("number", range(len(contents())))
def test_the_arena_of_every_step_is_what_the_report_says(number: int) -> None:
    content = contents()[number]
    report = analyze_package(content, 1)
    uses = arena_use(blocks(content, report), len(content.steps))
    for layer in report.layers:
        steps = [i for i, step in enumerate(content.steps) if step.op == layer.step]
        assert max(uses[i].activations for i in steps) == layer.activation_bytes
        assert {uses[i].scratch for i in steps} == {layer.scratch_bytes}
    assert max(use.bytes for use in uses) == report.lower_bound


def arena_boxes(root: object, content: PackageContent) -> list[tuple[int, int, float, float]]:
    """First and last byte of the arena by the tooltip, and from where to where it is drawn."""
    found = []
    for title, x, _, width, _ in boxes(root, "place"):  # type: ignore[arg-type]
        match = re.search(r"arena, bytes ([\d,]+) to ([\d,]+)", title)
        if match:
            low, high = (int(text.replace(",", "")) for text in match.groups())
            found.append((low, high, x, x + width))
    return found


@pytest.mark.parametrize("mode", list(IoMode))
def test_the_map_shows_where_every_tensor_lies(mode: IoMode, tmp_path: Path) -> None:
    package = put(tmp_path, "p.rnv", digits(mode, "dsp"))
    assert ranvier("analyze", package, "--html", tmp_path / "p.html").code == 0
    root = page_of((tmp_path / "p.html").read_text(encoding="utf-8"))
    content = compile_model(
        (DIGITS / "digits.tflite").read_bytes(),
        "digits.tflite",
        CompileOptions(isa="dsp", optimize="memory", input_mode=mode),
    ).content
    drawn = arena_boxes(root, content)
    tensors = [t for t in content.tensors if t.storage is Storage.ARENA]
    for tensor in tensors:
        assert tensor.offset in [low for low, *_ in drawn]
    assert max(high for _, high, *_ in drawn) <= content.arena_bytes
    # What overlaps in place and in time has to be there by permission: at most one such pair for
    # each alias. The pictures' sizes are in proportion.
    aliases = sum(tensor.alias is not Alias.NONE for tensor in tensors)
    overlaps = sum(
        a[0] < b[1] and b[0] < a[1] and a[2] < b[3] - 0.1 and b[2] < a[3] - 0.1
        for i, a in enumerate(drawn)
        for b in drawn[i + 1 :]
    )
    assert overlaps <= aliases
    heights = {
        round((high - low) / height, 1)
        for title, _, _, _, height in boxes(root, "place")
        if (match := re.search(r"arena, bytes ([\d,]+) to ([\d,]+)", title))
        for low, high in [[int(text.replace(",", "")) for text in match.groups()]]
        if height > 20
    }
    assert max(heights) / min(heights) < 1.01


def test_steps_are_in_order_and_as_wide_as_they_are_many(tmp_path: Path) -> None:
    package = put(tmp_path, "p.rnv", digits(isa="dsp"))
    assert ranvier("analyze", package, "--html", tmp_path / "p.html").code == 0
    root = page_of((tmp_path / "p.html").read_text(encoding="utf-8"))
    (picture,) = (s for s in root.iter("svg") if s.findtext("title", "").startswith("Arena"))
    hits = [rect for rect in picture.iter("rect") if rect.get("class") == "hit"]
    content = compile_model(
        (DIGITS / "digits.tflite").read_bytes(),
        "d",
        CompileOptions(isa="dsp", optimize="memory"),
    ).content
    assert len(hits) == len(content.steps)
    at = float(hits[0].get("x") or 0)
    for number, (hit, step) in enumerate(zip(hits, content.steps, strict=True)):
        assert float(hit.get("x") or 0) == pytest.approx(at, abs=0.05)
        at = float(hit.get("x") or 0) + float(hit.get("width") or 0)
        text = hit.findtext("title") or ""
        assert text.startswith(f"step {number}, layer {step.op} ")
        assert (f"rows {step.row0} to" in text) == (step.rows is not None)
    assert at == pytest.approx(960 - 14, abs=0.5)


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    file = put(tmp_path, "h.rnv", hostile())
    out = [tmp_path / name for name in ("h.html", "h.csv", "h.dot")]
    answer = ranvier("analyze", file, "--html", out[0], "--csv", out[1], "--dot", out[2])
    assert answer.code == 0, answer.both
    text = out[0].read_text(encoding="utf-8")
    root = page_of(text)
    assert "<script" not in text
    assert SHOWN in words(root)
    nodes, _ = parsed_dot(out[2].read_text(encoding="utf-8"))
    assert any("<script>alert('x')</script>" in label for label in nodes.values())


def test_spreadsheets_are_not_given_formulas(tmp_path: Path) -> None:
    content = rich().content
    start = ["=", "+", "-", "@"]
    tensors = [replace(t, name=f"{start[i % 4]}cmd") for i, t in enumerate(content.tensors)]
    file = put(tmp_path, "f.rnv", write_package(replace(content, tensors=tuple(tensors))))
    assert ranvier("analyze", file, "--csv", tmp_path / "f.csv").code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "f.csv").read_text(encoding="utf-8"))))
    assert {row["output"][:1] for row in rows} == {"'"}


def test_csv_has_the_figures_of_json(tmp_path: Path) -> None:
    package = put(tmp_path, "p.rnv", digits(isa="dsp"))
    value = ranvier("analyze", package, "--csv", tmp_path / "p.csv", "--json").json
    data = (tmp_path / "p.csv").read_bytes()
    assert data.count(b"\r\n") == len(value["layers"]) + 1
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    same = ("kind", "output", "macs", "weight_bytes", "activation_bytes", "scratch_bytes", "slices")
    for row, layer in zip(rows, value["layers"], strict=True):
        assert [row[name] for name in same] == [str(layer[name]) for name in same]
        assert (row["kernel"], row["layer"]) == (layer["op"], str(layer["step"]))
        assert row["instructions"] == (str(layer["predicted"]) if layer["predicted"] else "")
        assert int(row["arena_bytes"]) == layer["activation_bytes"] + layer["scratch_bytes"]
        assert row["entries"] == "infer"
        assert (row["peak"] == "1") == (layer["step"] == value["peak_step"])


TOKEN = re.compile(r'\s+|->|[{}\[\];=,]|[A-Za-z_][A-Za-z0-9_]*|[0-9.]+|"((?:[^"\\]|\\.)*)"', re.S)


def parsed_dot(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Nodes with their labels, and edges, of a graph in Graphviz' grammar; asserts that it is."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, text[at : at + 40]
        at = match.end()
        if not match[0].isspace():
            tokens.append(match[0])
    assert tokens[0] == "digraph"
    assert tokens[2] == "{"
    nodes: dict[str, str] = {}
    edges: list[tuple[str, str]] = []
    at, depth = 3, 1
    while depth:
        token, ahead = tokens[at], tokens[at + 1] if at + 1 < len(tokens) else ""
        if token == "}":
            depth, at = depth - 1, at + 1
        elif token == "subgraph":
            assert tokens[at + 2] == "{"
            depth, at = depth + 1, at + 3
        elif ahead == "=":
            assert tokens[at + 3] == ";"
            at += 4
        elif ahead == "->":
            edges.append((token, tokens[at + 2]))
            at = skip_attributes(tokens, at + 3)[1]
        else:
            values, at = skip_attributes(tokens, at + 1)
            if token not in ("node", "edge", "graph"):
                assert token not in nodes
                nodes[token] = values["label"][1:-1].replace('\\"', '"')
    assert at == len(tokens)
    return nodes, edges


def skip_attributes(tokens: list[str], at: int) -> tuple[dict[str, str], int]:
    """Attributes in brackets, if there are any, and where what follows the semicolon begins."""
    values: dict[str, str] = {}
    if tokens[at] == "[":
        at += 1
        while tokens[at] != "]":
            assert tokens[at + 1] == "="
            values[tokens[at]] = tokens[at + 2]
            at += 3
            at += tokens[at] == ","
        at += 1
    assert tokens[at] == ";"
    return values, at + 1


@pytest.mark.parametrize("number", range(len(contents())))
def test_the_graph_has_every_layer_and_every_dependence(number: int, tmp_path: Path) -> None:
    content = contents()[number]
    file = put(tmp_path, "p.rnv", write_package(content))
    assert ranvier("analyze", file, "--dot", tmp_path / "p.dot").code == 0
    nodes, edges = parsed_dot((tmp_path / "p.dot").read_text(encoding="utf-8"))
    assert {f"op{i}" for i in range(len(content.ops))} <= set(nodes)
    assert {node for edge in edges for node in edge} <= set(nodes)
    kept = (Storage.STATE, Storage.CONST)
    for entry in content.entries:
        ops = {s.op for s in content.steps[entry.step_first : entry.step_first + entry.step_count]}
        for reader in ops:
            for tensor in content.ops[reader].inputs:
                if content.tensors[tensor].storage in kept:
                    assert (f"t{tensor}", f"op{reader}") in edges
                    continue
                writers = [w for w in ops if w < reader and tensor in content.ops[w].outputs]
                assert not writers or (f"op{writers[-1]}", f"op{reader}") in edges
                assert writers or any(a.startswith("in") and b == f"op{reader}" for a, b in edges)
    layout = next((t.layout.name for t in content.tensors if t.layout), None)
    if layout is not None:
        assert layout.lower().replace("_", " ") in (tmp_path / "p.dot").read_text(encoding="utf-8")


def test_the_page_of_a_model_has_the_goals(tmp_path: Path) -> None:
    model = DIGITS / "digits.tflite"
    page = tmp_path / "m.html"
    answer = ranvier("analyze", model, "--isa", "dsp", "--html", page, "--json")
    root = page_of(page.read_text(encoding="utf-8"))
    rows = table(root, "Instructions, and bytes of RAM and flash")
    expected = [
        [f"{goal}this page" if goal == "balanced" else goal, *(f"{trade[c]:,}" for c in columns)]
        for goal, trade in answer.json["trade"].items()
        for columns in [("predicted", "ram_bytes", "flash_bytes")]
    ]
    assert rows == expected


def test_nothing_is_written_where_the_answer_is_no(tmp_path: Path) -> None:
    model = put(tmp_path, "u.tflite", unsupported_model())
    assert ranvier("analyze", model, "--html", tmp_path / "u.html").code == 1
    missing = tmp_path / "no" / "u.csv"
    package = rich_files(tmp_path)[1]
    answer = ranvier("analyze", package, "--html", tmp_path / "u.html", "--csv", missing)
    assert answer.code == 3
    assert "u.html" not in names(tmp_path)


def test_wrong_usage(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    for arguments in (
        ["--tasks", "t.toml", "--html", tmp_path / "t.html"],
        ["--tasks", "t.toml", "--ram", "1K"],
        [package, "--html", tmp_path / "." / ".." / tmp_path.name / "rich.rnv"],
        [package, "--html", tmp_path / "same", "--csv", tmp_path / "same"],
        [package, "--post", "softmax"],
        [model, "--ram", "many"],
        [model, "--flash", "-1"],
    ):
        assert ranvier("analyze", *arguments).code == 2, arguments
    assert package.read_bytes() == rich().package
    assert model.read_bytes() == rich_model()


def test_labels_are_those_of_the_stages(tmp_path: Path) -> None:
    """A pipeline that names classes is analysed as it is compiled."""
    folder = ROOT / "models" / "keywords"
    stages = ROOT / "samples" / "keyword_spotting" / "keywords.toml"
    options = [folder / "keywords.tflite", "--pipeline", stages]
    answer = ranvier("analyze", *options)
    assert answer.code == 3
    assert "labels are not known" in answer.both
    options += ["--labels", folder / "labels.txt"]
    analysed = ranvier("analyze", *options, "--json").json
    compiled = ranvier("compile", *options, "-o", tmp_path / "k.rnv", "--json").json
    assert analysed["flash_bytes"] == compiled["flash_bytes"]
    few = put(tmp_path, "few.txt", b"a\nb\n")
    answer = ranvier("analyze", DIGITS / "digits.tflite", "--labels", few)
    assert answer.code == 3
    assert "has 2 labels" in answer.both


def test_without_names_pages_are_whole_too(tmp_path: Path) -> None:
    options = CompileOptions(strip_names=True, input_mode="resident")
    data = compile_model(rich_model(), "rich.tflite", options).package
    file = put(tmp_path, "s.rnv", data)
    out = tmp_path / "s.html"
    assert ranvier("analyze", file, "--html", out, "--dot", tmp_path / "s.dot").code == 0
    page_of(out.read_text(encoding="utf-8"))
    nodes, _ = parsed_dot((tmp_path / "s.dot").read_text(encoding="utf-8"))
    assert {"in0_0", "in0_1", "out0_0", "out0_1"} <= set(nodes)


def test_blocks_are_where_records_say() -> None:
    content = stateful.content(in_place=False)
    found = blocks(content, analyze_package(content, 1))
    places = {b.name: (b.place, b.offset) for b in found}
    assert places["state"] == (Place.STATE, 0)
    assert places["sum"] == (Place.ARENA, 32)
    assert places["x"] == (Place.CALLER, 0)
    assert "zeros" not in places
