# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Who may include and import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "firmware" / "core"
SOURCES = CORE / "src"
MGMT = ROOT / "firmware" / "mgmt"
HOST = ROOT / "host" / "src" / "ranvier"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = {"stdint.h", "stddef.h", "stdbool.h", "stdatomic.h", "limits.h", "string.h"}

#: base <- {mem, ipc, prof, dsp} <- model <- kernels <- exec <- sched, base <- store <- ota, and
#: {ipc, sched} <- service.
LAYERS = {
    "base": set(),
    "mem": {"base"},
    "ipc": {"base"},
    "prof": {"base"},
    "dsp": {"base"},
    "model": {"base", "mem", "ipc", "prof"},
    "kernels": {"base", "mem", "ipc", "prof", "dsp", "model"},
    "exec": {"base", "mem", "ipc", "prof", "model", "kernels"},
    "sched": {"base", "mem", "ipc", "prof", "model", "kernels", "exec"},
    "service": {"base", "ipc", "sched"},
    "store": {"base"},
    "ota": {"base", "store"},
}
#: The verifier asks every kernel's check(), by this interface alone.
SEAM = ("model", "kernels/kernel.h")

#: The same between the folders of kernels; the portable ones in s8 use what a build has of dsp.
KERNEL_FOLDERS = {
    "planes": set(),
    "base": {"planes"},
    "dsp": {"planes"},
    "s8": {"planes", "dsp"},
    "signal": {"s8"},
    "f32": {"s8"},
    "vision": {"s8"},
    "mve": {"s8"},
    "host": {"s8"},
}

#: Kernels for an instruction set: they test for it, others include what they choose.
TARGETS = ("dsp", "base", "mve")
#: Conditions of their headers: whether a build has the assembly.
ASSEMBLY = {"RNV_DSP_ASM", "RNV_BASE_ASM"}
TARGET_MACRO = r"__ARM_FEATURE_\w+|__ARM_ARCH_PROFILE|__thumb2__|__ASSEMBLER__"

#: Python: each folder or module, and those that it may import.
COMMON = {"errors", "files", "_version"}
HOST_LAYERS = {
    "errors": set(),
    "_version": set(),
    "files": {"errors"},
    "results": {"errors"},
    "pixels": {"errors"},
    "package": COMMON,
    "native": COMMON,
    "model": COMMON | {"package", "native"},
    "stages": COMMON | {"package", "native", "model"},
    "audio": COMMON | {"package", "native", "model", "results", "stages"},
    "jobs": COMMON | {"package", "native", "model"},
    "schedule": COMMON | {"package"},
    "compiler": COMMON | {"package", "native"},
    "profile": COMMON | {"package", "native", "model", "compiler"},
    "testing": COMMON | {"package", "native", "model", "compiler"},
    "device": COMMON | {"package", "native"},
    "report": COMMON | {"package", "native", "model", "compiler", "profile"},
    "view": COMMON
    | {"package", "native", "model", "compiler", "profile", "testing", "report"}
    | {"audio", "pixels", "results", "stages"},
    "cli": COMMON
    | {"package", "native", "model", "compiler", "schedule", "profile", "testing", "report"}
    | {"audio", "pixels", "results", "stages", "view", "device"},
    "__init__": COMMON | {"model", "compiler"},
}


def c_files(*folders: Path) -> list[Path]:
    files = [path for folder in folders for path in sorted(folder.rglob("*"))]
    return [path for path in files if path.suffix in (".c", ".h")]


def includes(path: Path) -> list[tuple[str, str]]:
    """``(kind, name)`` of every include: kind is ``<`` or ``"``."""
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", " ", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def test_the_core_is_where_it_is_looked_for() -> None:
    assert len(c_files(CORE)) > 40
    assert {p.name for p in SOURCES.iterdir()} <= set(LAYERS)


@pytest.mark.parametrize("path", c_files(SOURCES), ids=lambda p: str(p.relative_to(SOURCES)))
def test_core_sources_include_only_what_lies_below(path: Path) -> None:
    layer = path.relative_to(SOURCES).parts[0]
    for kind, name in includes(path):
        if kind == "<":
            special = {"f32": "math.h", "mve": "arm_mve.h"}.get(path.parent.name)
            assert name in STANDARD or name == special, name
        elif name.startswith("ranvier/"):
            assert (CORE / "include" / name).is_file(), name
        elif (path.parent / name).is_file():
            assert path.parent.is_relative_to(SOURCES / layer)
        else:
            assert (SOURCES / name).is_file(), name
            other = name.split("/")[0]
            assert other == layer or other in LAYERS[layer] or (layer, name) == SEAM, name


def test_kernels_include_only_what_lies_below() -> None:
    """Files beside the folders, which all of them may include, include each other only."""
    kernels = SOURCES / "kernels"
    assert {path.name for path in kernels.iterdir() if path.is_dir()} == set(KERNEL_FOLDERS)
    for path in (*c_files(kernels), *sorted(kernels.rglob("*.S"))):
        folder = path.relative_to(kernels).parts[0] if path.parent != kernels else ""
        below = {folder} | KERNEL_FOLDERS.get(folder, set())
        others = [name.split("/")[1:-1] for kind, name in includes(path) if kind == '"']
        for other in (parts[0] for parts in others if parts):
            assert other in below, f"{path}: {other}"


@pytest.mark.parametrize(
    "path", c_files(CORE / "include"), ids=lambda p: str(p.relative_to(CORE / "include"))
)
def test_public_headers_include_only_each_other(path: Path) -> None:
    for kind, name in includes(path):
        if kind == "<":
            assert name in STANDARD, name
        else:
            assert name.startswith("ranvier/")
            assert (CORE / "include" / name).is_file(), name


def conditions(code: str) -> list[str]:
    """What the preprocessor is asked, without comments."""
    found = re.findall(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b(.*)", code, re.MULTILINE)
    return [condition.strip() for condition in found]


def is_for_a_target(path: Path) -> bool:
    """True for a kernel that is written for an instruction set."""
    return path.parent.parent == SOURCES / "kernels" and path.parent.name in TARGETS


@pytest.mark.parametrize("path", c_files(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_the_core_knows_no_platform(path: Path) -> None:
    """And no instruction set, but for the headers of kernels that are written for one."""
    code = without_comments(path.read_text(encoding="utf-8"))
    asked = [condition for condition in conditions(code) if condition != "__cplusplus"]
    if is_for_a_target(path) and path.suffix == ".h":
        code = re.sub(TARGET_MACRO, "", code).replace("defined(__linux__)", "")
        guards = [c for c in asked if "defined(" not in c and c not in ASSEMBLY]
    else:
        guards = asked
    assert not re.search(r"\bCONFIG_|__ZEPHYR__|__linux__|__unix__|_WIN32|__arm__|__ARM_", code)
    if path.suffix == ".h":
        assert len(guards) == 1
        assert re.fullmatch(r"(RNV|RANVIER)_\w+_H_", guards[0])
    else:
        assert guards == []


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.S")), ids=lambda p: p.name)
def test_assembly_is_only_for_an_instruction_set(path: Path) -> None:
    assert is_for_a_target(path)
    code = without_comments(path.read_text(encoding="utf-8"))
    assert not re.search(r"\bCONFIG_|__ZEPHYR__|__unix__|_WIN32|__arm__", code)
    if path.parent.name == "mve":  # a build lists this folder only for a machine that has it
        assert conditions(code) == []
    else:
        assert conditions(code)[0] == f"RNV_{path.parent.name.upper()}_ASM"


@pytest.mark.parametrize("path", c_files(CORE), ids=lambda p: str(p.relative_to(CORE)))
def test_the_core_has_no_floats_outside_of_f32_and_no_heap(path: Path) -> None:
    code = without_comments(path.read_text(encoding="utf-8"))
    if "f32" not in path.parts:
        assert not re.search(r"\b(float|double)\b", code)
    assert not re.search(r"\b(malloc|calloc|realloc|free|printf|puts|abort|time|clock)\s*\(", code)


@pytest.mark.parametrize("folder", ["cortexm", "fuzz", "unit"])
def test_tests_include_what_they_may(folder: str) -> None:
    """Tests of units and of kernels on devices may look into the core, all others may not."""
    for path in c_files(ROOT / "tests" / folder):
        inside = path.relative_to(ROOT / "tests").parts
        kernels = folder == "cortexm" and inside[1].startswith(("kernels", "sched"))
        for kind, name in includes(path):
            if kind == '"' and name.split("/")[0] in LAYERS:
                assert folder == "unit" or kernels, f"{path}: {name}"
                assert not kernels or name.startswith("kernels/"), f"{path}: {name}"


def test_ports_include_public_headers_only() -> None:
    for path in c_files(ROOT / "firmware" / "port", ROOT / "host" / "native"):
        for kind, name in includes(path):
            assert kind == "<" or name.split("/")[0] not in LAYERS, f"{path}: {name}"


def test_management_knows_the_core_by_public_headers_only() -> None:
    """And no platform; CBOR is for the handlers of SMP, not for the server."""
    for path in c_files(MGMT):
        smp = path.name.startswith("smp")
        for kind, name in includes(path):
            if kind == "<":
                assert name in STANDARD or (smp and name.startswith("zcbor")), f"{path}: {name}"
            else:
                inside = (path.parent / name).is_file() or (MGMT / "include" / name).is_file()
                public = name.startswith("ranvier/") and (CORE / "include" / name).is_file()
                assert inside or public, f"{path}: {name}"
        code = without_comments(path.read_text(encoding="utf-8"))
        assert not re.search(r"\bCONFIG_|__ZEPHYR__|__linux__|__unix__|_WIN32|__arm__", code), path
        assert not re.search(r"\b(malloc|calloc|realloc|free|printf)\s*\(", code), path


# Python


def imported(path: Path) -> set[str]:
    """Folders and modules of the package that a file imports, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module is not None
            if node.module == "ranvier":
                found |= {f"ranvier.{alias.name}" for alias in node.names}
            found.add(node.module)
    return {name.split(".")[1] for name in found if name.startswith("ranvier.")}


@pytest.mark.parametrize("path", sorted(HOST.rglob("*.py")), ids=lambda p: str(p.relative_to(HOST)))
def test_python_imports_only_what_lies_below(path: Path) -> None:
    parts = path.relative_to(HOST).with_suffix("").parts
    assert parts[0] in HOST_LAYERS
    assert imported(path) <= HOST_LAYERS[parts[0]] | {parts[0]}


def test_nothing_imports_the_command() -> None:
    """But the command itself, and tests of it."""
    for folder in ("host", "benchmarks", "models", "scripts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.is_relative_to(HOST / "cli"):
                assert "cli" not in imported(path), path


def test_the_compiler_needs_no_tensorflow() -> None:
    for path in sorted((HOST / "compiler").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"^\s*(import|from)\s+(tflite|flatbuffers|tensorflow)\b", text, re.M)
