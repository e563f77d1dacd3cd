# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A reader of FlexBuffers that are maps of numbers: the options of custom operators.

The bytes are untrusted: every position is checked before it is read, and what is malformed, or no
map of numbers, is a ``ValueError`` that says why. Time and memory are bounded by ``_MOST_ENTRIES``
and ``_LONGEST_KEY``.

Format: the last byte is the width of the root, the one before it its packed type (2 bits of width,
6 of type). A map is a vector of values followed by their packed types; before it lie its length,
and before that the width and the position of the vector of its keys. Positions count backwards.
"""

from __future__ import annotations

import struct

_INT, _UINT, _FLOAT = 1, 2, 3
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_MAP, _BOOL = 9, 26
_FORMS = {_INT: "bhiq", _UINT: "BHIQ", _BOOL: "BHIQ", _FLOAT: "\0efd"}
_MOST_ENTRIES = 64
_LONGEST_KEY = 128

Number = int | float | bool


def read_map(data: bytes) -> dict[str, Number]:
    """Keys and values of the map that is the root of ``data``; raises ValueError."""
    if len(data) < 3:
        raise ValueError(f"{len(data)} bytes are too few")
    width = _width(data[-1])
    packed = data[-2]
    if packed >> 2 != _MAP:
        raise ValueError(f"the root is of type {packed >> 2}, not a map")
    root = len(data) - 2 - width
    values = _follow(data, root, width)
    return _entries(data, values, 1 << (packed & 3))


def _entries(data: bytes, values: int, width: int) -> dict[str, Number]:
    count = _length(data, values, width)
    keys = _follow(data, values - 3 * width, width)
    key_width = _width(_unsigned(data, values - 2 * width, width))
    if _length(data, keys, key_width) != count:
        raise ValueError("it has not as many keys as values")
    types = values + count * width
    entries: dict[str, Number] = {}
    for i in range(count):
        key = _key(data, _follow(data, keys + i * key_width, key_width))
        if key in entries:
            raise ValueError(f"the key {key!r} occurs twice")
        packed = _unsigned(data, types + i, 1)
        entries[key] = _value(data, key, values + i * width, width, packed)
    return entries


def _value(data: bytes, key: str, pos: int, width: int, packed: int) -> Number:
    kind = packed >> 2
    if kind in _INDIRECT:
        pos, width, kind = _follow(data, pos, width), 1 << (packed & 3), _INDIRECT[kind]
    form = _FORMS.get(kind, "\0\0\0\0")[width.bit_length() - 1]
    if form == "\0":
        raise ValueError(f"{key!r} is no number")
    value: Number = struct.unpack_from("<" + form, _span(data, pos, width))[0]
    return value != 0 if kind == _BOOL else value


def _key(data: bytes, pos: int) -> str:
    end = data.find(0, pos, pos + _LONGEST_KEY)
    if end < 0:
        raise ValueError("a key has no end")
    return data[pos:end].decode("utf-8", "replace")


def _length(data: bytes, vector: int, width: int) -> int:
    count = _unsigned(data, vector - width, width)
    if count > _MOST_ENTRIES:
        raise ValueError(f"{count} entries, the limit is {_MOST_ENTRIES}")
    return count


def _follow(data: bytes, pos: int, width: int) -> int:
    """The position, inside of the data, to which the offset at ``pos`` points."""
    target = pos - _unsigned(data, pos, width)
    if not 0 <= target < len(data):
        raise ValueError(f"position {target} lies outside of its {len(data)} bytes")
    return target


def _unsigned(data: bytes, pos: int, width: int) -> int:
    return int.from_bytes(_span(data, pos, width), "little")


def _span(data: bytes, pos: int, count: int) -> bytes:
    if pos < 0 or pos + count > len(data):
        raise ValueError(f"position {pos} lies outside of its {len(data)} bytes")
    return data[pos : pos + count]


def _width(width: int) -> int:
    if width not in (1, 2, 4, 8):
        raise ValueError(f"{width} bytes are no width")
    return width
