# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Bytes of code: each object by ``size``, and a program that has the whole public interface.

The program has every function of ``package.h`` and ``exec.h`` as a root; the linker drops what none
of them reaches and adds what the core needs of the C library. Start-up code is not part of it. The
linker's map says what is left of each object.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing import link_map
from ranvier.testing.cortexm import Firmware

_PREFIX = "arm-none-eabi-"
_HEADERS = ("package.h", "exec.h")
_PROTOTYPE = re.compile(r"^[a-z].*?\b(rnv_\w+)\(", re.MULTILINE)
_LIBRARY_MEMBER = re.compile(r"/lib(?:c|gcc|c_nano)\.a\((?:lib\w*_a-)?(\w+)\.o\)")
_LIBRARY_INPUT = re.compile(r"^    (\S+\.obj)$", re.MULTILINE)
_CACHE_ENTRY = re.compile(r"^(\w+):\w+=(.*)$", re.MULTILINE)
#: Folders of the core whose objects are the reader, the verifier and the executor.
_CORE_FOLDERS = ("base", "model", "exec")
#: What the verifier uses of the folder of kernels.
_CORE_KERNELS = "kernels/kernel.c"
#: Where CMake puts the objects of the core's sources, below the library's folder.
_SOURCES = "core/src/"


@dataclass(frozen=True)
class Object:
    """An object file: bytes of text and read-only data, whole and as linked; of writable data.

    ``folder`` is that of its source below ``src``.
    """

    source: str
    folder: str
    text: int
    linked: int
    writable: int

    @property
    def name(self) -> str:
        """The source with its folder."""
        return f"{self.folder}/{self.source}"

    @property
    def is_core(self) -> bool:
        """True for reader, verifier and executor."""
        return self.folder in _CORE_FOLDERS or self.name == _CORE_KERNELS


@dataclass(frozen=True)
class Code:
    """The code of one set of ops: objects that are linked, the program, what it has of libc."""

    objects: tuple[Object, ...]
    linked: int
    library: tuple[str, ...]
    flags: str
    assembler_flags: str

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
    paths = _objects(firmware.directory)
    flags = _flags(firmware.directory, "C")
    with tempfile.TemporaryDirectory(prefix="ranvier-bench-") as scratch:
        elf, map_file = Path(scratch) / "core.elf", Path(scratch) / "core.map"
        roots = [f"-Wl,-u,{name}" for name in _roots(firmware.root)]
        link = ["-nostartfiles", "-Wl,--gc-sections", "-Wl,-e,rnv_exec_run", *roots]
        link += [f"-Wl,-Map={map_file}", *map(str, paths), "-o", str(elf)]
        _output([_PREFIX + "gcc", *flags, *link])
        ((linked, _),) = _sizes([elf])  # the default linker script pads its empty .bss
        kept = link_map.kept(map_file)
    objects = tuple(
        _object(path, text, data, kept[str(path)])
        for path, (text, data) in zip(paths, _sizes(paths), strict=True)
        if kept.get(str(path))
    )
    if not objects:
        raise ToolError(f"the linker's map names no object of {firmware.directory}")
    writable = sum(item.writable for item in objects)
    if writable:
        raise ToolError(f"the core has {writable} bytes of writable data; it must have none")
    library = sorted(set(_LIBRARY_MEMBER.findall(" ".join(kept))))
    assembler = " ".join(_flags(firmware.directory, "ASM"))
    return Code(objects, linked, tuple(library), " ".join(flags), assembler)


def version(tool: str) -> str:
    """First line of what a tool says of its version."""
    return _output([tool, "--version"]).splitlines()[0]


def _flags(directory: Path, language: str) -> list[str]:
    """The compiler's flags for a language in a configured build folder."""
    cache = dict(_CACHE_ENTRY.findall((directory / "CMakeCache.txt").read_text()))
    variable = f"CMAKE_{language}_FLAGS"
    return f"{cache[variable]} {cache[variable + '_' + cache['CMAKE_BUILD_TYPE'].upper()]}".split()


def _objects(directory: Path) -> list[Path]:
    """The objects that the core's library is made of."""
    said = _output(["ninja", "-C", str(directory), "-t", "query", "firmware/libranvier_core.a"])
    return [directory / name for name in _LIBRARY_INPUT.findall(said)]


def _object(path: Path, text: int, writable: int, linked: int) -> Object:
    source = path.name.removesuffix(".obj")
    _, found, inner = path.parent.as_posix().partition(f"ranvier_core.dir/{_SOURCES}")
    folder = inner if found else "generated"
    return Object(source, folder, text, linked, writable)


def _roots(root: Path) -> list[str]:
    include = root / "firmware/core/include/ranvier"
    return sorted({n for h in _HEADERS for n in _PROTOTYPE.findall((include / h).read_text())})


def _sizes(paths: Sequence[Path]) -> list[tuple[int, int]]:
    """``(text, data + bss)`` of ELF files."""
    rows = []
    for line in _output([_PREFIX + "size", *map(str, paths)]).splitlines()[1:]:
        text, data, bss, _ = line.split(maxsplit=3)
        rows.append((int(text), int(data) + int(bss)))
    return rows


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolError(f"{command[0]} failed:\n{done.stderr.strip()}")
    return done.stdout + done.stderr
