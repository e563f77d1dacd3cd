# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Serial framing against an implementation of its own, and against noise."""

from __future__ import annotations

import random

import pytest

from fake_link import Reassembler, frame
from ranvier.device.framing import FrameReader, encode

SIZES = [1, 2, 3, 88, 89, 90, 91, 92, 93, 94, 183, 184, 185, 500, 1020, 4092]


@pytest.mark.parametrize("size", SIZES)
def test_a_message_is_lines_of_at_most_127_bytes(size: int) -> None:
    message = random.Random(size).randbytes(size)
    lines = encode(message).splitlines(keepends=True)
    assert max(map(len, lines)) <= 127
    assert Reassembler(size + 4).feed(b"".join(lines)) == [message]


@pytest.mark.parametrize("size", SIZES)
def test_a_full_message_wastes_no_line(size: int) -> None:
    """As many bytes a line as the limit allows: 93 of them."""
    count = len(encode(bytes(size)).splitlines())
    assert count == -(-(size + 4) // 93)


@pytest.mark.parametrize("seed", range(20))
def test_messages_come_out_of_text_however_they_are_split(seed: int) -> None:
    draw = random.Random(seed)
    messages = [draw.randbytes(draw.choice(SIZES)) for _ in range(6)]
    text = [b"", b"boot\r\n", b"uart:~$ ", b"\x06", b"\x04 a\n", b"one line\r\nand more"]
    stream, told = b"", b""
    for message in messages:
        said = draw.choice(text)
        told += said
        stream += said + b"".join(frame(message))
    reader, found, heard = FrameReader(), [], b""
    while stream:
        count = draw.randrange(1, 300)
        found += reader.feed(stream[:count])
        heard += reader.text()
        stream = stream[count:]
    assert found == messages
    assert heard == told
    assert reader.damaged == 0


def test_carriage_returns_are_passed_over() -> None:
    data = b"".join(frame(bytes(200))).replace(b"\n", b"\r\n")
    assert FrameReader().feed(data) == [bytes(200)]


def test_a_wrong_bit_loses_one_message_and_not_the_next() -> None:
    for seed in range(200):
        draw = random.Random(seed)
        first, second = draw.randbytes(300), draw.randbytes(300)
        data = bytearray(b"".join(frame(first)))
        at = draw.randrange(8 * len(data))
        data[at // 8] ^= 1 << at % 8
        reader = FrameReader()
        found = reader.feed(bytes(data) + b"".join(frame(second)))
        # A bit that turns a line's end into something else takes the next line with it.
        assert found in ([second], []) or found == [first, second]
        assert reader.feed(b"".join(frame(second)))[-1:] == [second]


def test_a_line_that_broke_off_is_followed_by_a_message() -> None:
    message = bytes(range(200))
    whole = b"".join(frame(message))
    for cut in range(1, len(whole)):
        reader = FrameReader()
        assert reader.feed(whole[:cut] + whole) == [message], cut


def test_noise_does_no_harm() -> None:
    """Bytes as they come in frames, at random: nothing fails, nothing grows."""
    for seed in range(300):
        draw = random.Random(seed)
        pieces = [b"\x06\x09", b"\x04\x14", b"\n", b"\x06", b"\x04", b"AAAA", b"//8=", b"=", b"~"]
        reader = FrameReader()
        for _ in range(400):
            piece = draw.choice([*pieces, draw.randbytes(draw.randrange(1, 40))])
            reader.feed(piece)
            reader.text()
            assert len(reader._line) <= 1200
        message = draw.randbytes(100)
        assert reader.feed(b"\n" + b"".join(frame(message)))[-1:] == [message]


def test_a_line_without_an_end_becomes_text() -> None:
    reader = FrameReader()
    assert reader.feed(b"\x06\x09" + b"A" * 5000) == []
    assert len(reader.text()) > 4900
    assert reader.damaged == 1
