# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Public headers are plain declarations that any parser can read."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "firmware" / "core"
HEADERS = sorted((CORE / "include" / "ranvier").glob("*.h"))
FORBIDDEN = re.compile(
    r"\b(inline|static|__attribute__|_Atomic|_Static_assert|static_assert|_Alignas|_Alignof"
    r"|_Generic|__asm__|asm|__packed|typedef\s+void)\b"
)
PROTOTYPE = re.compile(r"^(?:const )?\w[\w ]*?[ *]+(\w+)\(([^)]*)\);", re.MULTILINE)

per_header = pytest.mark.parametrize("path", HEADERS, ids=lambda p: p.name)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def code_of(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", text_of(path), flags=re.DOTALL)


@per_header
def test_only_declarations(path: Path) -> None:
    code = code_of(path)
    assert not FORBIDDEN.findall(code)
    assert "//" not in code
    assert not re.search(r"\)\s*\{", code), "a function body"


@per_header
def test_macros_are_literals(path: Path) -> None:
    defines = re.findall(r"^#define (\S+)(.*)$", code_of(path), re.MULTILINE)
    assert defines
    for name, value in defines:
        if name.endswith("_H_"):
            assert value.strip() == ""
        else:
            assert re.fullmatch(r"RNV_[A-Z0-9_]+", name)
            assert re.fullmatch(r" +(0x)?[0-9A-Fa-f]+ *", value), name


@per_header
def test_names_have_the_prefix(path: Path) -> None:
    code = code_of(path)
    functions = [name for name, _ in PROTOTYPE.findall(code)]
    tags = re.findall(r"^(?:struct|enum) (\w+) \{", code, re.MULTILINE)
    constants = re.findall(r"^\t(\w+)(?: = [^,]+)?,", code, re.MULTILINE)
    assert functions or tags
    assert all(name.startswith("rnv_") for name in (*functions, *tags))
    assert all(name.startswith("RNV_") for name in constants)


@per_header
def test_every_function_is_documented(path: Path) -> None:
    text = text_of(path)
    for name, _ in PROTOTYPE.findall(code_of(path)):
        assert re.search(rf"\*/\n(?:const )?\w[^;{{}}]*\b{name}\(", text), name


@per_header
def test_linkage_from_cplusplus(path: Path) -> None:
    code = code_of(path)
    if PROTOTYPE.findall(code):
        assert code.count('extern "C" {') == 1


@per_header
@pytest.mark.parametrize("language", ["c", "c++"])
def test_a_header_stands_alone(path: Path, language: str, tmp_path: Path) -> None:
    source = tmp_path / f"alone.{'c' if language == 'c' else 'cpp'}"
    source.write_text(f'#include "ranvier/{path.name}"\n#include "ranvier/{path.name}"\n')
    standard = "c11" if language == "c" else "c++11"
    clang = shutil.which("clang") if language == "c++" else None
    command = [
        clang or "cc",  # Debian's clang speaks C++ without a package of its own
        "-x",
        language,
        f"-std={standard}",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
    ]
    command += ["-fsyntax-only", f"-I{CORE / 'include'}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if language == "c++" and "cc1plus" in done.stderr:
        pytest.skip("no C++ compiler")
    assert done.returncode == 0, done.stderr
