# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A FlatBuffers reader for untrusted files.

Every position is checked against the file before it is read, and every error is a
:class:`~ranvier.errors.ModelError` that names the file and the field. Offsets in a FlatBuffer only
point forward, so that there are no cycles; but many offsets may point to the same bytes. The reader
therefore counts the bytes it has handed out and refuses a file that makes it read itself over and
over: time and memory stay proportional to the size of the file.

Format: a table begins with a signed offset back to its vtable; the vtable holds its own size, the
table's size, and for each field (slot) its offset within the table, 0 where the field is absent.
Strings, vectors and subtables are stored as an unsigned offset to where they begin.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from ranvier.errors import ModelError

Fields = Mapping[str, int]
"""Field name -> slot of a table of the schema."""

_SIZE = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4}
_PASSES = 4  # how often the bytes of a file may be handed out; a normal file needs about one
_TABLE_BYTES = 16  # what opening a table counts for


class FlatBuffer:
    """The bytes of one file, read with bounds checks; ``name`` is used in messages."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self._budget = _PASSES * len(data)

    def error(self, path: str, what: str) -> ModelError:
        """Make the error to raise about the field ``path``."""
        return ModelError(
            f"{self.name}: {path}: {what}",
            "the file is cut short or damaged: copy it or convert the model again",
        )

    def root(self, path: str, fields: Fields) -> Table:
        """Open the root table."""
        return Table(self, self.follow(0, path), path, fields)

    def spend(self, path: str, count: int) -> None:
        """Take ``count`` bytes from what may still be read."""
        self._budget -= count
        if self._budget < 0:
            raise self.error(path, "too many fields refer to the same bytes of the file")

    def span(self, path: str, start: int, count: int) -> memoryview:
        """Return ``count`` bytes from ``start``, not copied."""
        if start < 0 or count < 0 or start + count > len(self.data):
            raise self.error(
                path, f"{count} bytes at {start} lie outside of the file of {len(self.data)} bytes"
            )
        self.spend(path, count)
        return memoryview(self.data)[start : start + count]

    def integer(self, path: str, pos: int, form: str) -> int:
        """Read the integer at ``pos``; ``form`` is its struct code."""
        if pos < 0 or pos + _SIZE[form] > len(self.data):
            raise self.error(
                path, f"offset {pos} lies outside of the file of {len(self.data)} bytes"
            )
        value: int = struct.unpack_from("<" + form, self.data, pos)[0]
        return value

    def follow(self, pos: int, path: str) -> int:
        """Return the position to which the offset stored at ``pos`` points."""
        return pos + self.integer(path, pos, "I")


class Table:
    """One table; fields are read by name, an absent field gives its default."""

    __slots__ = ("_bytes", "_fields", "_file", "_pos", "_vtable", "_vtable_bytes", "path")

    def __init__(self, file: FlatBuffer, pos: int, path: str, fields: Fields) -> None:
        file.spend(path, _TABLE_BYTES)
        self._file = file
        self._pos = pos
        self._fields = fields
        self.path = path
        self._vtable = pos - file.integer(path, pos, "i")
        self._vtable_bytes = file.integer(path, self._vtable, "H")
        self._bytes = file.integer(path, self._vtable + 2, "H")
        if self._vtable_bytes < 4 or self._vtable + self._vtable_bytes > len(file.data):
            raise file.error(path, f"its vtable has the impossible size {self._vtable_bytes}")
        if self._bytes < 4 or pos + self._bytes > len(file.data):
            raise file.error(path, f"the table has the impossible size {self._bytes}")

    def path_of(self, name: str) -> str:
        """Return how messages name the field ``name`` of this table."""
        return f"{self.path}.{name}"

    def integer(self, name: str, form: str = "i", default: int = 0) -> int:
        """Read an integer field; ``form`` is its struct code."""
        pos = self._find(name, _SIZE[form])
        return default if pos is None else self._file.integer(self.path_of(name), pos, form)

    def boolean(self, name: str, default: bool = False) -> bool:
        """Read a bool field."""
        return self.integer(name, "B", int(default)) != 0

    def real(self, name: str, default: float = 0.0) -> float:
        """Read a float32 field."""
        pos = self._find(name, 4)
        if pos is None:
            return default
        value: float = struct.unpack_from("<f", self._file.data, pos)[0]
        return value

    def text(self, name: str) -> str:
        """Read a string ("" if absent); what cannot be printed becomes a question mark."""
        text = str(self.blob(name), "utf-8", "replace")
        return "".join(c if c.isprintable() else "?" for c in text)

    def blob(self, name: str) -> memoryview:
        """Return the bytes of a vector of bytes or a string (empty if absent), not copied."""
        return self._elements(name, 1)

    def integers(self, name: str, form: str = "i") -> tuple[int, ...]:
        """Read a vector of integers (empty if absent); ``form`` is their struct code."""
        raw = self._elements(name, _SIZE[form])
        return struct.unpack(f"<{len(raw) // _SIZE[form]}{form}", raw)

    def reals(self, name: str) -> tuple[float, ...]:
        """Read a vector of float32 (empty if absent)."""
        raw = self._elements(name, 4)
        return struct.unpack(f"<{len(raw) // 4}f", raw)

    def table(self, name: str, fields: Fields) -> Table | None:
        """Open a subtable; None if absent."""
        pos = self._find(name, 4)
        if pos is None:
            return None
        path = self.path_of(name)
        return Table(self._file, self._file.follow(pos, path), path, fields)

    def tables(self, name: str, fields: Fields) -> Tables:
        """Find a vector of tables (empty if absent), each opened when it is asked for."""
        start, count = self._vector(name, 4)
        return Tables(self._file, start, count, self.path_of(name), fields)

    def _find(self, name: str, size: int) -> int | None:
        """Return where the field of ``size`` bytes, all in the file, lies; None if absent."""
        entry = 4 + 2 * self._fields[name]
        if entry + 2 > self._vtable_bytes:
            return None
        offset = self._file.integer(self.path_of(name), self._vtable + entry, "H")
        if offset == 0:
            return None
        if offset < 4 or offset + size > self._bytes:
            raise self._file.error(
                self.path_of(name), f"offset {offset} lies outside of its table of {self._bytes}"
            )
        return self._pos + offset

    def _vector(self, name: str, stride: int) -> tuple[int, int]:
        """Return where the first element lies, and how many there are; all are in the file."""
        pos = self._find(name, 4)
        if pos is None:
            return 0, 0
        path = self.path_of(name)
        start = self._file.follow(pos, path)
        count = self._file.integer(path, start, "I")
        start += 4
        left = len(self._file.data) - start
        if count * stride > left:
            raise self._file.error(
                path, f"{count} elements of {stride} bytes do not fit into the last {left} bytes"
            )
        return start, count

    def _elements(self, name: str, stride: int) -> memoryview:
        start, count = self._vector(name, stride)
        return self._file.span(self.path_of(name), start, count * stride)


class Tables:
    """A vector of tables."""

    def __init__(self, file: FlatBuffer, start: int, count: int, path: str, fields: Fields) -> None:
        self._file = file
        self._start = start
        self._count = count
        self._path = path
        self._fields = fields

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Table:
        if not 0 <= index < self._count:
            raise IndexError(index)
        path = f"{self._path}[{index}]"
        pos = self._file.follow(self._start + 4 * index, path)
        return Table(self._file, pos, path, self._fields)

    def __iter__(self) -> Iterator[Table]:
        return (self[i] for i in range(self._count))
