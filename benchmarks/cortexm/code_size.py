# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of code: each object by ``size``, and a program that has the whole public interface.

The program has every function of ``package.h`` and ``exec.h`` as a root; the linker drops what none
of them reaches and adds what the core needs of the C library. Start-up code is not part of it.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing.cortexm import Firmware

_PREFIX = "arm-none-eabi-"
_HEADERS = ("package.h", "exec.h")
_PROTOTYPE = re.compile(r"^[a-z].*?\b(rnv_\w+)\(", re.MULTILINE)
_MEMBER = re.compile(r"libranvier_core\.a[()]+(\w+\.c)\.obj")
_LIBRARY_MEMBER = re.compile(r"/lib(?:c|gcc)\.a[()]+(?:lib\w*_a-)?(\w+)\.o")
_CACHE_ENTRY = re.compile(r"^(\w+):\w+=(.*)$", re.MULTILINE)
#: Folders of the core whose objects are the reader, the verifier and the executor.
_CORE_FOLDERS = ("base", "model", "exec")
#: Found in the folder of kernels, but used by the verifier too.
_CORE_SOURCES = ("kernel.c",)


@dataclass(frozen=True)
class Object:
    """An object file: bytes of text and read-only data, and of writable data."""

    source: str
    folder: str
    text: int
    writable: int

    @property
    def is_core(self) -> bool:
        """True for reader, verifier and executor."""
        return self.folder in _CORE_FOLDERS or self.source in _CORE_SOURCES


@dataclass(frozen=True)
class Code:
    """The code of one set of ops: objects that are linked, the program, what it has of libc."""

    objects: tuple[Object, ...]
    linked: int
    library: tuple[str, ...]
    flags: str

    @property
    def core(self) -> int:
        """Bytes of reader, verifier and executor: whole objects."""
        return sum(item.text for item in self.objects if item.is_core)

    @property
    def total(self) -> int:
        """Bytes of all objects, whole."""
        return sum(item.text for item in self.objects)

    @property
    def writable(self) -> int:
        """Bytes of static RAM of all objects."""
        return sum(item.writable for item in self.objects)


def measure(firmware: Firmware) -> Code:
    """Link the core that ``firmware`` was built with, and measure it."""
    library = _library(firmware.directory)
    flags = _flags(firmware.directory)
    with tempfile.TemporaryDirectory(prefix="ranvier-bench-") as scratch:
        elf = Path(scratch) / "core.elf"
        roots = [f"-Wl,-u,{name}" for name in _roots(firmware.root)]
        link = ["-nostartfiles", "-Wl,--gc-sections", "-Wl,-t,-t", "-Wl,-e,rnv_exec_run", *roots]
        trace = _output([_PREFIX + "gcc", *flags, *link, str(library), "-o", str(elf)])
        ((linked, writable, _),) = _sizes(elf)
    if writable:
        raise ToolError(f"the core has {writable} bytes of writable data; it must have none")
    members = set(_MEMBER.findall(trace))
    folders = {path.name: path.parent.name for path in _sources(firmware.root)}
    objects = tuple(
        Object(name, folders.get(name, "generated"), text, data)
        for text, data, name in _sizes(library)
        if name in members
    )
    if not objects:
        raise ToolError(f"the linker named no object of {library.name}:\n{trace}")
    return Code(objects, linked, tuple(_LIBRARY_MEMBER.findall(trace)), " ".join(flags))


def version(tool: str) -> str:
    """First line of what a tool says of its version."""
    return _output([tool, "--version"]).splitlines()[0]


def _flags(directory: Path) -> list[str]:
    """The compiler's flags in a configured build folder."""
    cache = dict(_CACHE_ENTRY.findall((directory / "CMakeCache.txt").read_text()))
    build_type = cache["CMAKE_BUILD_TYPE"].upper()
    return f"{cache['CMAKE_C_FLAGS']} {cache[f'CMAKE_C_FLAGS_{build_type}']}".split()


def _library(directory: Path) -> Path:
    """The core in a build folder; an older layout may have left another one there."""
    found = sorted(directory.rglob("libranvier_core.a"), key=lambda path: path.stat().st_mtime_ns)
    if not found:
        raise ToolError(f"{directory} has no libranvier_core.a")
    return found[-1]


def _roots(root: Path) -> list[str]:
    include = root / "firmware/core/include/ranvier"
    return sorted({n for h in _HEADERS for n in _PROTOTYPE.findall((include / h).read_text())})


def _sources(root: Path) -> list[Path]:
    return sorted((root / "firmware/core/src").rglob("*.c"))


def _sizes(path: Path) -> list[tuple[int, int, str]]:
    """``(text, data + bss, source)`` of an ELF file or of each member of an archive."""
    rows = []
    for line in _output([_PREFIX + "size", str(path)]).splitlines()[1:]:
        text, data, bss, _, _, name = line.split(maxsplit=5)
        rows.append((int(text), int(data) + int(bss), name.split(" ")[0].removesuffix(".obj")))
    return rows


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolError(f"{command[0]} failed:\n{done.stderr.strip()}")
    return done.stdout + done.stderr
