# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Executes the code blocks of the pages as a reader would: at the root of a built checkout.

The word after a block's language says what is done with it:

- ``python run``: executed; what it prints is what the comments behind its ``print()`` say
- ``sh run``: executed by a shell, which ends at the first command that fails
- ``console run``: lines after ``$ `` are executed, and print the lines below them; a line ``...``
  stands for any lines
- ``c compile``: compiled as a file of its own, with warnings as errors
- ``shown``: only shown, since it needs what a reader's machine may not have (a workspace, a board)

Blocks of a page are executed in their order, in one folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sitegen.markdown import Block, blocks
from sitegen.pages import DOCS, INCLUDES, ROOT

MODES = {
    "python": ("run", "shown"),
    "sh": ("run", "shown"),
    "console": ("run", "shown"),
    "c": ("compile", "shown"),
}
"""Languages whose blocks have to say what is done with them."""

TIMEOUT_S = 120
_LENT = ("firmware", "host", "models", "modules", "samples", "zephyr", "scripts")


@dataclass(frozen=True)
class Page:
    """A Markdown file and its blocks."""

    path: Path
    blocks: tuple[Block, ...]

    def where(self, block: Block) -> str:
        """A block's place, for messages."""
        return f"{self.path.relative_to(ROOT)}:{block.line}"


def pages() -> Iterator[Page]:
    """All pages of docs/; files of the repository that are pages too are not among them."""
    for path in sorted(DOCS.rglob("*.md")):
        yield Page(path, tuple(blocks(path.read_text(encoding="utf-8"))))


def unmarked(page: Page) -> list[str]:
    """Blocks of a page that do not say whether they can be executed."""
    return [
        f"{page.where(block)}: ```{' '.join(block.info)} needs one of {', '.join(modes)}"
        for block in page.blocks
        if (modes := MODES.get(block.language)) and (block.info[1:2] or [""])[0] not in modes
    ]


class Checkout:
    """A folder that looks like a built checkout: sources of this one, a command, its own build/."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in _LENT:
            (folder / name).symlink_to(ROOT / name)
        (folder / "build").mkdir()
        self.bin = folder / ".venv" / "bin"
        self.bin.mkdir(parents=True)
        main = "from ranvier.cli import main; main(prog_name='ranvier')"
        self._script("ranvier", f'exec {sys.executable} -c "{main}" "$@"')
        self._script("python", f'exec {sys.executable} "$@"')

    def _script(self, name: str, line: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def execute(self, *command: str | Path, text: str = "") -> str:
        """What a command prints; raises AssertionError where it fails."""
        path = os.pathsep.join([str(self.bin), os.environ.get("PATH", os.defpath)])
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder,
            input=text,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            env={**os.environ, "PATH": path, "NO_COLOR": "1", "COLUMNS": "120"},
            check=False,
        )
        assert done.returncode == 0, f"exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def run(self, block: Block) -> None:
        """Execute a block that is marked so; raises AssertionError with what went wrong."""
        language, mode = (*block.info, "", "")[:2]
        if mode == "compile":
            self.compile(block.text)
        elif mode == "run" and language == "python":
            self.python(block.text)
        elif mode == "run" and language == "sh":
            self.execute("sh", "-eu", "-s", text=block.text)
        elif mode == "run" and language == "console":
            self._console(block.text)

    def python(self, text: str) -> None:
        """Execute Python and compare what it prints with its comments."""
        wanted = re.findall(r"^ *print\(.*\)  # (.*)$", text, re.MULTILINE)
        said = self.execute(self.bin / "python", "-", text=text).splitlines()
        assert said == wanted, f"prints {said}, and the comments say {wanted}"

    def compile(self, text: str) -> None:
        """Compile C as a file of its own."""
        compiler = shutil.which("cc")
        assert compiler is not None, "no C compiler: install gcc"
        folders = [ROOT / name for name in INCLUDES if "zephyr" not in name]
        self.execute(
            *(compiler, "-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-xc"),
            *(f"-I{folder}" for folder in (*folders, self.folder / "build")),
            "-",
            text=text,
        )

    def _console(self, text: str) -> None:
        for part in re.split(r"^(?=\$ )", text, flags=re.MULTILINE):
            command, _, wanted = part.partition("\n")
            if not command.startswith("$ "):
                continue
            while command.endswith("\\"):
                more, _, wanted = wanted.partition("\n")
                command = f"{command[:-1]} {more}"
            said = self.execute("sh", "-eu", "-c", command[2:])
            assert matches(wanted, said), f"{command}\nprints\n{said}\nand the page says\n{wanted}"


def matches(wanted: str, said: str) -> bool:
    """Whether ``said`` is what a page shows; there a line ``...`` stands for any lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + r" *\n"
        for line in wanted.splitlines()
    )
    return re.fullmatch(pattern, said) is not None


def run_page(page: Page, folder: Path) -> list[str]:
    """Execute the blocks of a page in an empty folder; what went wrong, empty if nothing did."""
    wrong = unmarked(page)
    checkout = Checkout(folder)
    for block in page.blocks:
        try:
            checkout.run(block)
        except (AssertionError, subprocess.TimeoutExpired) as error:
            wrong.append(f"{page.where(block)}: {error}")
    return wrong
