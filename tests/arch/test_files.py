# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Every source file: a licence of two lines, at most 600 lines, short functions."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("benchmarks", "docs", "firmware", "host", "models", "samples", "scripts", "tests")
SUFFIXES = {".c", ".h", ".py", ".sh", ".cmake", ".yaml", ".toml"}
NAMES = {"CMakeLists.txt", "Makefile", "Kconfig"}
MOST_LINES = 600
MOST_FUNCTION_LINES = 60

SPDX = ("SPDX-FileCopyrightText: 2026 The Ranvier authors", "SPDX-License-Identifier: Apache-2.0")
UNFINISHED = re.compile("|".join(rf"\b{a}{b}\b" for a, b in (("TO", "DO"), ("FIX", "ME"))))


def sources() -> list[Path]:
    found = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        found += (ROOT / folder).rglob("*")
    return sorted(
        path
        for path in found
        if path.is_file()
        and (path.suffix in SUFFIXES or path.name in NAMES)
        and "__pycache__" not in path.parts
    )


def test_sources_are_found() -> None:
    assert len(sources()) > 150


def test_every_source_has_its_licence() -> None:
    for path in sources():
        head = path.read_text(encoding="utf-8").splitlines()[:6]
        lines = [line.strip("#/* ") for line in head]
        at = next((i for i, line in enumerate(lines) if line == SPDX[0]), None)
        assert at is not None, path
        assert lines[at + 1] == SPDX[1], path


def test_files_are_short() -> None:
    for path in sources():
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MOST_LINES, f"{path}: {lines} lines"


def test_nothing_is_left_for_later() -> None:
    for path in sources():
        assert not UNFINISHED.search(path.read_text(encoding="utf-8")), path


@pytest.mark.parametrize("folder", ["host", "benchmarks", "models", "samples"])
def test_python_functions_are_short(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno is not None
                lines = node.end_lineno - node.lineno + 1
                assert lines <= MOST_FUNCTION_LINES, f"{path}: {node.name}, {lines} lines"


@pytest.mark.parametrize("folder", ["firmware", "host"])
def test_c_functions_are_short(folder: str) -> None:
    for path in sorted((ROOT / folder).rglob("*.c")):
        begin = None
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if line == "{":
                begin = number
            elif line == "}" and begin is not None:
                assert number - begin <= MOST_FUNCTION_LINES, f"{path}:{begin}"
                begin = None
