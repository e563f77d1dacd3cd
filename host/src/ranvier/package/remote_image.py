# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The header in front of a second core's image (SPEC.md 7), which is checked before it starts.

The linker leaves room for it in front of the vector table: in Zephyr CONFIG_ROM_START_OFFSET.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from intelhex import IntelHex, IntelHexError

from ranvier.errors import InputError
from ranvier.files import read_bytes

MAGIC = 0x49435652
VERSION = 1
#: From the header to the vector table.
HEADER_BYTES = 1024

#: magic, version, header_bytes, image_bytes, image_crc32, address, build, reserved
HEADER = struct.Struct("<IHHIIIII")
#: Initial stack pointer and reset vector.
VECTORS = struct.Struct("<II")
_STACK_ALIGN = 8
_LEAST_BYTES = HEADER_BYTES + VECTORS.size + 2
_ERASED = 0xFF
_END_RECORD = ":00000001FF"
#: Longer than any core's image: two pieces far apart, which a build does not make.
_MOST_BYTES = 8 << 20
_END_OF_ADDRESSES = 1 << 32
_ROOM = f"build it with CONFIG_ROM_START_OFFSET={HEADER_BYTES:#x}, and give what the build made"


@dataclass(frozen=True)
class Built:
    """What a build made: its bytes without a gap, and where they go if the file says so."""

    name: str
    content: bytes
    address: int | None


@dataclass(frozen=True)
class RemoteImage:
    """An image with its header: ``content`` is all of it, from ``place`` on.

    ``place`` is where the programmer writes it, ``address`` where the second core sees the vector
    table.
    """

    content: bytes
    place: int
    address: int
    build: int
    image_bytes: int
    image_crc32: int


def read_built(path: str | Path) -> Built:
    """An image as it was built: Intel HEX, or plain bytes.

    Raises :class:`InputError` where it cannot be read, is damaged or cut off.
    """
    data = read_bytes(path)
    if not data:
        _refuse(path, "is empty", "give the file that the build made")
    if data[:1] != b":":
        if Path(path).suffix.lower() == ".hex":
            _refuse(path, "is not Intel HEX: it does not begin with ':'", "build the image again")
        return Built(str(path), data, None)
    try:
        text = data.decode("ascii")
        records = IntelHex(io.StringIO(text))
    except (UnicodeDecodeError, IntelHexError) as error:
        _refuse(path, f"is not Intel HEX: {error}", "build the image again")
    _, end, behind = text.upper().partition(_END_RECORD)
    if not end:
        _refuse(path, "is cut off: its last record is missing", "build the image again")
    if behind.strip():
        _refuse(path, "goes on behind its end", "give the image of one core alone")
    first, last = records.minaddr(), records.maxaddr()
    if first is None or last is None:
        _refuse(path, "has no bytes in it", "give the file that the build made")
    if last - first >= _MOST_BYTES:
        _refuse(
            path,
            f"spans {first:#x} to {last:#x}, more than {_MOST_BYTES >> 20} MiB",
            "give the image of one core alone",
        )
    records.padding = _ERASED
    return Built(str(path), bytes(records.tobinstr(start=first, end=last)), first)


def make_remote_image(built: Built, *, address: int | None = None, build: int = 0) -> RemoteImage:
    """The image with its header.

    ``address`` is where the second core sees the begin of the place, the header; by default where
    the file has it. ``build`` is any number that tells images apart. Raises :class:`InputError`
    where the second core would refuse the image.
    """
    start = built.address if address is None else address
    if start is None:
        _refuse(
            built.name,
            "does not say where it goes",
            "name the place with --address, or give the .hex file of the build",
        )
    if start % HEADER_BYTES:
        _refuse(
            built.name,
            f"goes to {start:#x}, where no vector table can be {HEADER_BYTES} bytes behind",
            f"use a place at a multiple of {HEADER_BYTES:#x}",
        )
    if start + len(built.content) > _END_OF_ADDRESSES:
        _refuse(built.name, f"does not fit at {start:#x} in 32 bits", "use a lower address")
    _check_room(built)
    image = built.content[HEADER_BYTES:]
    _check_vectors(built.name, image, start + HEADER_BYTES)
    crc = zlib.crc32(image)
    header = HEADER.pack(
        MAGIC, VERSION, HEADER_BYTES, len(image), crc, start + HEADER_BYTES, build, 0
    )
    header += struct.pack("<I", zlib.crc32(header))
    return RemoteImage(
        content=header + built.content[len(header) :],
        place=start if built.address is None else built.address,
        address=start + HEADER_BYTES,
        build=build,
        image_bytes=len(image),
        image_crc32=crc,
    )


def remote_image_hex(image: RemoteImage) -> bytes:
    """The image as Intel HEX."""
    out = IntelHex()
    out.puts(image.place, image.content)
    text = io.StringIO()
    out.write_hex_file(text)
    return text.getvalue().encode("ascii")


def _check_room(built: Built) -> None:
    if len(built.content) < _LEAST_BYTES:
        _refuse(
            built.name,
            f"has {len(built.content)} bytes, and no image has less than {_LEAST_BYTES}",
            _ROOM,
        )
    room = built.content[:HEADER_BYTES]
    if int.from_bytes(room[:4], "little") == MAGIC:
        _refuse(built.name, "has a header already", "give the file that the build made")
    if room not in (bytes(HEADER_BYTES), b"\xff" * HEADER_BYTES):
        _refuse(built.name, f"has no room of {HEADER_BYTES} bytes in front for the header", _ROOM)


def _check_vectors(name: str, image: bytes, address: int) -> None:
    stack, reset = VECTORS.unpack_from(image)
    if stack == 0 or stack % _STACK_ALIGN:
        _refuse(
            name,
            f"has no vector table behind the room: {stack:#010x} is no stack pointer",
            _ROOM,
        )
    if not reset & 1 or not VECTORS.size <= reset - 1 - address <= len(image) - 2:
        _refuse(
            name,
            f"starts at {reset:#010x}, which is no Thumb code of the image at {address:#010x}",
            "let --address be where the second core sees the place that the image is linked for",
        )


def _refuse(name: str | Path, reason: str, remedy: str) -> NoReturn:
    raise InputError(f"{name}: {reason}", remedy=remedy)
