# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""NOR flash in memory that counts what is done to it, for the core's store in this process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ranvier.native.binding import ffi

_ERASED = 0xFF
_EIO = -5


@dataclass(frozen=True)
class Geometry:
    """What a flash is made of."""

    title: str
    sector_bytes: int
    unit_bytes: int


@dataclass
class Counts:
    """Calls since they were last taken; registry and slots apart."""

    erases: Counter[int] = field(default_factory=Counter)
    """Of each sector."""
    programs: list[tuple[int, int]] = field(default_factory=list)
    """Offset and bytes of each program call."""
    reads: list[tuple[int, int]] = field(default_factory=list)
    """Offset and bytes of each read call."""


class CountedFlash:
    """A flash; `seam` is what a store takes. Refuses to program what is not erased."""

    def __init__(self, geometry: Geometry, sectors: int) -> None:
        self.geometry = geometry
        self.counts = Counts()
        size = sectors * geometry.sector_bytes
        owner = ffi.new("uint8_t[]", size + 16)
        self._cells = owner + (-int(ffi.cast("uintptr_t", owner))) % 16
        self._erased = bytearray(b"\1" * (size // geometry.unit_bytes))
        ffi.memmove(self._cells, bytes([_ERASED]) * size, size)
        calls = {
            "read": ffi.callback("int(void *, uint32_t, void *, uint32_t)", self._read),
            "program": ffi.callback("int(void *, uint32_t, const void *, uint32_t)", self._program),
            "erase": ffi.callback("int(void *, uint32_t)", self._erase),
            "map": ffi.callback("const void *(void *, uint32_t, uint32_t)", self._map),
        }
        shape = {
            "bytes": size,
            "sector_bytes": geometry.sector_bytes,
            "unit_bytes": geometry.unit_bytes,
            "erased": _ERASED,
        }
        self.seam = ffi.new("struct rnv_flash *", {"geometry": shape, **calls})
        self._alive = [owner, calls]

    def take(self) -> Counts:
        """The counts; from now on they are new."""
        counts, self.counts = self.counts, Counts()
        return counts

    def _read(self, _: Any, offset: int, to: Any, count: int) -> int:
        self.counts.reads.append((offset, count))
        ffi.memmove(to, self._cells + offset, count)
        return 0

    def _program(self, _: Any, offset: int, data: Any, count: int) -> int:
        self.counts.programs.append((offset, count))
        unit = self.geometry.unit_bytes
        first, end = offset // unit, (offset + count) // unit
        if not all(self._erased[first:end]):
            return _EIO
        self._erased[first:end] = bytes(end - first)
        ffi.memmove(self._cells + offset, data, count)
        return 0

    def _erase(self, _: Any, offset: int) -> int:
        size, unit = self.geometry.sector_bytes, self.geometry.unit_bytes
        self.counts.erases[offset // size] += 1
        ffi.memmove(self._cells + offset, bytes([_ERASED]) * size, size)
        self._erased[offset // unit : (offset + size) // unit] = b"\1" * (size // unit)
        return 0

    def _map(self, _: Any, offset: int, __: int) -> Any:
        return self._cells + offset
