# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Images of a second core: what the tool writes is what the core starts, and nothing else is."""

from __future__ import annotations

import io
import random
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from intelhex import IntelHex

from cli_tools import names, put, ranvier
from ranvier.errors import InputError
from ranvier.native.binding import ffi, library
from ranvier.package.remote_image import Built, make_remote_image, read_built, remote_image_hex

PLACE = 0x10A000
ROOM = 1024
RAM = 0x20050000
RAM_BYTES = 0x10000


def image_of(count: int = 3000, *, place: int = PLACE, room: bytes = bytes(ROOM)) -> bytes:
    """An image as Zephyr links it: room, vector table, code."""
    code = random.Random(count).randbytes(count - 8)
    return room + struct.pack("<II", RAM + RAM_BYTES, place + ROOM + 0x41) + code


def hex_of(data: bytes, place: int = PLACE) -> bytes:
    out = IntelHex()
    out.puts(place, data)
    text = io.StringIO()
    out.write_hex_file(text)
    return text.getvalue().encode()


def core_says(content: bytes, place: int = PLACE) -> int:
    """What the core's own check says of the flash with these bytes in it."""

    @ffi.callback("int(void *, uint32_t, void *, uint32_t)")
    def read(_context: Any, offset: int, to: Any, count: int) -> int:
        ffi.memmove(to, content[offset : offset + count].ljust(count, b"\xff"), count)
        return 0

    memory = ffi.new(
        "struct rnv_remote_memory *",
        {
            "code": place,
            "code_bytes": 65536,
            "ram": RAM,
            "ram_bytes": RAM_BYTES,
            "read": read,
        },
    )
    return int(library().rnv_remote_image_check(memory, ffi.NULL))


def test_the_header_byte_by_byte() -> None:
    data = image_of()
    image = make_remote_image(Built("it", data, PLACE), build=0x12345678)
    header = bytes.fromhex("52564349 0100 0004") + struct.pack("<I", 3000)
    header += struct.pack("<III", zlib.crc32(data[ROOM:]), PLACE + ROOM, 0x12345678) + bytes(4)
    assert image.content[:28] == header
    assert image.content[28:32] == struct.pack("<I", zlib.crc32(header))
    assert image.content[32:] == data[32:]
    assert (image.place, image.address) == (PLACE, PLACE + ROOM)
    assert core_says(image.content) == 0


@pytest.mark.parametrize("count", [10, 11, 127, 128, 129, 4096, 60000])
@pytest.mark.parametrize("room", [bytes(ROOM), b"\xff" * ROOM])
def test_the_core_starts_what_is_written(count: int, room: bytes) -> None:
    data = room + struct.pack("<II", RAM + 64, PLACE + ROOM + 9) + bytes(count - 8)
    image = make_remote_image(Built("it", data, PLACE))
    assert core_says(image.content) == 0
    assert core_says(image.content[:-1]) != 0
    assert core_says(image.content, PLACE + ROOM) != 0
    damaged = bytearray(image.content)
    damaged[ROOM + count // 2] ^= 4
    assert core_says(bytes(damaged)) != 0


def test_command_from_hex(tmp_path: Path) -> None:
    data = image_of()
    built = put(tmp_path, "zephyr.hex", hex_of(data))
    out = tmp_path / "remote.hex"
    answer = ranvier("remote-image", built, "-o", out, "--build", 7)
    assert answer.code == 0
    assert "vector table at 0x0010a400, 3,000 bytes" in answer.out
    again = IntelHex(str(out))
    assert (again.minaddr(), again.maxaddr()) == (PLACE, PLACE + len(data) - 1)
    assert core_says(again.tobinstr()) == 0
    assert again.tobinstr() == make_remote_image(Built("it", data, PLACE), build=7).content


def test_command_from_bytes_to_bytes(tmp_path: Path) -> None:
    built = put(tmp_path, "zephyr.bin", image_of(place=0x1000_0000))
    out = tmp_path / "remote.bin"
    answer = ranvier("remote-image", built, "-o", out, "--bin", "--address", "0x10000000", "--json")
    assert answer.code == 0
    assert answer.json["address"] == 0x1000_0400
    assert answer.json["image_bytes"] == 3000
    assert answer.json["schema"] == "ranvier.remote-image/1"
    assert core_says(out.read_bytes(), 0x1000_0000) == 0
    assert ranvier("remote-image", built, "-o", out, "--bin", "-q").code == 3


def test_the_second_core_may_see_it_elsewhere(tmp_path: Path) -> None:
    """The programmer's address is the file's, the header's is the core's."""
    built = put(tmp_path, "zephyr.hex", hex_of(image_of(place=0x400), PLACE))
    out = tmp_path / "remote.hex"
    assert ranvier("remote-image", built, "-o", out).code == 3
    assert ranvier("remote-image", built, "-o", out, "--address", "0x400").code == 0
    again = IntelHex(str(out))
    assert again.minaddr() == PLACE
    assert core_says(again.tobinstr(), 0x400) == 0


def test_gaps_are_erased_flash(tmp_path: Path) -> None:
    data = image_of()
    lines = hex_of(data).splitlines(keepends=True)
    removed = lines.pop(len(lines) // 2)
    built = read_built(put(tmp_path, "gap.hex", b"".join(lines)))
    assert len(built.content) == len(data)
    differs = [i for i, (a, b) in enumerate(zip(data, built.content, strict=True)) if a != b]
    count = int(removed[1:3], 16)
    assert len(differs) <= count
    assert {built.content[i] for i in differs} == {0xFF}
    assert core_says(make_remote_image(built).content) == 0


def test_every_cut_is_refused(tmp_path: Path) -> None:
    """A file that was written partly, at any place, is not taken for a whole one."""
    whole = hex_of(image_of(72)).rstrip()
    for length in range(len(whole)):
        path = put(tmp_path, "cut.hex", whole[:length])
        with pytest.raises(InputError):
            make_remote_image(read_built(path))
    make_remote_image(read_built(put(tmp_path, "whole.hex", whole)))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf" + hex_of(image_of()), "is not Intel HEX: it does not begin with ':'"),
        (hex_of(image_of()) + hex_of(bytes(64), PLACE + 8192), "goes on behind its end"),
        (hex_of(image_of()) + b"rest", "goes on behind its end"),
    ],
)
def test_what_is_no_whole_hex_file(tmp_path: Path, data: bytes, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        read_built(put(tmp_path, "built.hex", data))


def test_pieces_far_apart_are_no_image(tmp_path: Path) -> None:
    out = IntelHex()
    out.puts(PLACE, image_of())
    out.puts(PLACE + (8 << 20), b"page")
    text = io.StringIO()
    out.write_hex_file(text)
    with pytest.raises(InputError, match="spans 0x10a000 to 0x90a003, more than 8 MiB"):
        read_built(put(tmp_path, "built.hex", text.getvalue().encode()))


def test_odd_files_are_refused(tmp_path: Path) -> None:
    whole = hex_of(image_of(72))
    far = whole.replace(b":00000001FF", b":02000004FFFFFC\n:01000000AA55\n:00000001FF")
    cases = {
        b"": "is empty",
        b":": "not Intel HEX",
        b":00000001FF\n": "has no bytes",
        b"\xff" * 5000: "not Intel HEX",
        b"1" * 500: "not Intel HEX",
        whole.replace(b"\n:1", b"\n:2", 1): "not Intel HEX",
        whole[:40] + "\N{SNOWMAN}".encode() + whole[40:]: "not Intel HEX",
        far: "spans",
        whole[:9] + b"\x00" + whole[10:]: "not Intel HEX",
    }
    for number, (data, reason) in enumerate(cases.items()):
        path = put(tmp_path, f"{number}.hex", data)
        with pytest.raises(InputError, match=reason) as found:
            make_remote_image(read_built(path), address=PLACE)
        assert found.value.remedy
        answer = ranvier("remote-image", path, "-o", tmp_path / "out", "--address", PLACE)
        assert answer.code == 3
        assert reason in answer.both
    with pytest.raises(InputError, match="cannot be read"):
        read_built(tmp_path / "none.hex")
    assert "out" not in names(tmp_path)


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b"", PLACE, "no image has less than"),
        (b"\xff" * 5000, PLACE, "no stack pointer"),
        (bytes(5000), PLACE, "no stack pointer"),
        (image_of()[ROOM:], PLACE, "no room"),
        (image_of(room=b"\xff" * (ROOM - 1) + b"\x00"), PLACE, "no room"),
        (image_of(room=bytes(512)), PLACE, "no room"),
        (make_remote_image(Built("it", image_of(), PLACE)).content, PLACE, "a header already"),
        (image_of(9), PLACE, "no image has less"),
        (image_of(), PLACE + 512, "no vector table can be"),
        (image_of(), 0xFFFF_FC00, "does not fit"),
        (image_of(), PLACE + ROOM, "no Thumb code"),
        (image_of(0x40), PLACE, "no Thumb code"),
        (bytes(ROOM) + struct.pack("<IIQ", RAM + 4, PLACE + ROOM + 9, 0), PLACE, "stack pointer"),
        (bytes(ROOM) + struct.pack("<IIQ", RAM, PLACE + ROOM + 8, 0), PLACE, "no Thumb code"),
        (bytes(ROOM) + struct.pack("<IIQ", RAM, PLACE + ROOM + 7, 0), PLACE, "no Thumb code"),
        (bytes(ROOM) + struct.pack("<IIQ", RAM, PLACE + ROOM + 17, 0), PLACE, "no Thumb code"),
        (image_of(), None, "does not say where"),
    ],
)
def test_what_is_no_image(data: bytes, place: int | None, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as found:
        make_remote_image(Built("it", data, place))
    assert found.value.remedy


def test_addresses_at_their_limits() -> None:
    top = (1 << 32) - ROOM - 64
    top -= top % ROOM
    for place in (0, top):
        data = bytes(ROOM) + struct.pack("<II", RAM + 8, place + ROOM + 9) + bytes(56)
        image = make_remote_image(Built("it", data, place))
        assert IntelHex(io.StringIO(remote_image_hex(image).decode())).minaddr() == place
        made = make_remote_image(Built("it", data, None), address=place)
        assert made.content == image.content


def test_wrong_usage(tmp_path: Path) -> None:
    built = put(tmp_path, "zephyr.hex", hex_of(image_of()))
    for arguments in (
        ("-o", built),
        ("-o", tmp_path / "x", "--address", "here"),
        ("-o", tmp_path / "x", "--address", "0x100000000"),
        ("-o", tmp_path / "x", "--build", "-1"),
        (),
    ):
        assert ranvier("remote-image", built, *arguments).code == 2
    assert names(tmp_path) == ["zephyr.hex"]
    assert ranvier("remote-image", built, "-o", tmp_path / "no" / "x").code == 3
