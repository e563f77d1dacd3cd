# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Two decoders of patches: the core's, and one written after SPEC.md 4.6 alone."""

from __future__ import annotations

import struct

from ranvier.native.binding import ffi, library

OK, END = 0, 1


def by_the_core(
    stream: bytes, length: int, base: bytes = b"", *, piece: int = 1000, room: int = 500
) -> tuple[int, bytes]:
    """The last status, and what the core's decoder made of a stream."""
    lib = library()
    out = bytearray()

    def reader(data: bytes | bytearray):  # type: ignore[no-untyped-def]
        @ffi.callback("int(void *, uint32_t, void *, uint32_t)")
        def read(_context: object, offset: int, to: object, count: int) -> int:
            if offset + count > len(data):
                return -14
            ffi.memmove(to, bytes(data[offset : offset + count]), count)
            return OK

        return read

    crc = int.from_bytes(base[-4:], "little")
    functions = reader(out), reader(base)
    source = ffi.new("struct rnv_patch_source *", [*functions, ffi.NULL, length, len(base), crc])
    patch = ffi.new("struct rnv_patch *")
    buffer = ffi.new("uint8_t[]", room)
    used, given = ffi.new("uint32_t *"), ffi.new("uint32_t *")
    lib.rnv_patch_init(patch, source)
    at, status = 0, OK
    while status == OK:
        data = stream[at : at + piece]
        status = lib.rnv_patch_decode(patch, data, len(data), used, buffer, room, given)
        out += ffi.buffer(buffer, given[0])
        at += used[0]
        if not data and given[0] < room:
            break
    return status, bytes(out)


class _Bits:
    """The range decoder."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.range = 0xFFFFFFFF
        self.code = int.from_bytes(data[:4], "big")
        self.at = 4
        self.chances = [1024] * 976

    def normalise(self) -> None:
        if self.range < 1 << 24:
            self.range *= 256
            self.code = self.code * 256 + self.data[self.at]
            self.at += 1

    def bit(self, chance: int) -> int:
        self.normalise()
        bound = (self.range >> 11) * chance
        if self.code < bound:
            self.range = bound
            return 0
        self.code -= bound
        self.range -= bound
        return 1

    def symbol(self, first: int, bits: int) -> int:
        node = 1
        for _ in range(bits):
            chance = self.chances[first + node]
            bit = self.bit(chance)
            change = -(chance >> 5) if bit else (2048 - chance) >> 5
            self.chances[first + node] = chance + change
            node = 2 * node + bit
        return node - (1 << bits)

    def number(self, first: int) -> int:
        bits = self.symbol(first, 5)
        value = min(bits, 1)
        for _ in range(bits - 1):
            value = 2 * value + self.bit(1024)
        return value


def by_the_spec(stream: bytes, base: bytes = b"") -> bytes:
    """What SPEC.md 4.6 says that a stream stands for."""
    magic, form, header, length, base_bytes, crc = struct.unpack("<IHHIII", stream[:20])
    assert (magic, form, header) == (0x50564E52, 1, 20)
    assert (base_bytes, crc) == (len(base), int.from_bytes(base[-4:], "little"))
    bits = _Bits(stream[20:])
    out = bytearray()
    kind = distance = shift = differs = 0
    while len(out) < length:
        kind = bits.symbol(4 * kind, 2)
        count = bits.number(16 + 32 * kind) + 1
        assert count <= length - len(out)
        if kind == 0:
            out += bytes(bits.symbol(208, 8) for _ in range(count))
        elif kind == 1:
            distance = bits.number(144) or distance
            assert 1 <= distance <= len(out)
            for _ in range(count):
                out.append(out[-distance])
        else:
            change = bits.number(176)
            shift += -(change + 1) // 2 if change % 2 else change // 2
            start = len(out) + shift
            assert start >= 0
            assert start + count <= len(base)
            for old in base[start : start + count]:
                new = bits.symbol(464 + 256 * differs, 8) if kind == 3 else 0
                differs = int(new != 0) if kind == 3 else differs
                out.append((old + new) % 256)
    bits.normalise()
    assert bits.code == 0
    assert bits.at == len(bits.data)
    return bytes(out)
