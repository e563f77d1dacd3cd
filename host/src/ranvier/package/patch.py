# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages made small for a slow link: compressed, and told by their difference to another one.

The stream is that of SPEC.md 4.6; what a device has to have to decode it is its ``base``, if any.
`patch_plan` decides what is said how, this file writes it down.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ranvier.errors import PackageError
from ranvier.package import format as fmt
from ranvier.package.patch_plan import Kind, Run, plan

HEADER = struct.Struct("<4sHHIII")
"""Magic, format, bytes of this header; bytes of the package, bytes and CRC-32 of the base."""
MAGIC = b"RNVP"
FORMAT = 1

_EVEN = 1024
_TOP = 1 << 24
_LAST = 0xFFFFFFFF
_KIND = 0
_LENGTH = _KIND + 4 * 4
_DISTANCE = _LENGTH + 4 * 32
_SHIFT = _DISTANCE + 32
_LITERAL = _SHIFT + 32
_DIFFERENCE = _LITERAL + 256
_CHANCES = _DIFFERENCE + 2 * 256


def base_facts(base: bytes | None) -> tuple[int, int]:
    """The base as a stream names it: its bytes and the CRC-32 of its trailer; zeros without one."""
    if base is None:
        return 0, 0
    return len(base), int.from_bytes(base[-4:], "little")


def make_patch(package: bytes, base: bytes | None = None) -> bytes:
    """The stream that makes ``package``, for a device that has ``base``.

    Both are whole packages, without anything behind their trailer. Without a base the package is
    only compressed.
    """
    for data in (package,) if base is None else (package, base):
        if len(data) < fmt.HEADER.size or fmt.HEADER.unpack_from(data)[3] != len(data):
            raise PackageError(
                "an update can be made of whole packages only",
                remedy="name a file that ranvier compile made",
            )
    return encode(package, base)


def encode(data: bytes, base: bytes | None = None) -> bytes:
    """The stream of any bytes: as make_patch(), of what need not be packages."""
    header = HEADER.pack(MAGIC, FORMAT, HEADER.size, len(data), *base_facts(base))
    return header + encode_runs(data, base, plan(data, base or b""))


def encode_runs(data: bytes, base: bytes | None, runs: Sequence[Run]) -> bytes:
    """What follows the header for the given runs, which have to make up ``data``."""
    coder = _Coder()
    last = Kind.LITERALS
    at = distance = shift = 0
    changed = 0
    for run in runs:
        coder.symbol(_KIND + 4 * last, run.kind, 2)
        coder.number(_LENGTH + 32 * run.kind, run.length - 1)
        piece = data[at : at + run.length]
        if run.kind == Kind.LITERALS:
            coder.symbols(piece)
        elif run.kind == Kind.MATCH:
            coder.number(_DISTANCE, 0 if run.place == distance else run.place)
            distance = run.place
        else:
            turn = run.place - shift
            coder.number(_SHIFT, 2 * turn if turn >= 0 else -2 * turn - 1)
            shift = run.place
        if run.kind == Kind.DIFFERENCES and base is not None:
            start = at + shift
            changed = coder.differences(piece, base[start : start + run.length], changed)
        at += run.length
        last = run.kind
    return coder.end()


class _Coder:
    """A binary adaptive range encoder as LZMA's, without the first byte, which is always 0."""

    def __init__(self) -> None:
        self._low = 0
        self._range = _LAST
        self._out = bytearray()
        self._chances = [_EVEN] * _CHANCES

    def _shift(self, low: int) -> int:
        """Write the highest byte down, with what it carries over."""
        out = self._out
        if low > _LAST:
            at = len(out) - 1
            while out[at] == 255:
                out[at] = 0
                at -= 1
            out[at] += 1
        out.append(low >> 24 & 255)
        return low << 8 & _LAST

    def symbol(self, tree: int, value: int, bits: int) -> None:
        """One symbol of a tree."""
        chances, low, span = self._chances, self._low, self._range
        node = 1
        for level in range(bits - 1, -1, -1):
            at = tree + node
            chance = chances[at]
            bound = (span >> 11) * chance
            if value >> level & 1:
                low += bound
                span -= bound
                chances[at] = chance - (chance >> 5)
                node += node + 1
            else:
                span = bound
                chances[at] = chance + (2048 - chance >> 5)
                node += node
            if span < _TOP:
                span <<= 8
                low = self._shift(low)
        self._low, self._range = low, span

    def symbols(self, values: bytes) -> None:
        """Literals."""
        for value in values:
            self.symbol(_LITERAL, value, 8)

    def differences(self, new: bytes, old: bytes, changed: int) -> int:
        """What is new, less what is old."""
        for a, b in zip(new, old, strict=True):
            self.symbol(_DIFFERENCE + 256 * changed, a - b & 255, 8)
            changed = int(a != b)
        return changed

    def number(self, tree: int, value: int) -> None:
        """A number: how many bits it has, then those below the highest one."""
        bits = value.bit_length()
        self.symbol(tree, bits, 5)
        for level in range(bits - 2, -1, -1):
            bound = (self._range >> 11) * _EVEN
            if value >> level & 1:
                self._low += bound
                self._range -= bound
            else:
                self._range = bound
            if self._range < _TOP:
                self._range <<= 8
                self._low = self._shift(self._low)

    def end(self) -> bytes:
        """All of it, with what makes the decoder's code 0 at its end."""
        for _ in range(4):
            self._low = self._shift(self._low)
        return bytes(self._out)
