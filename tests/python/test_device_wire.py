# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Requests as they are sent, and replies as they are read: of this release, of others, of none."""

from __future__ import annotations

import contextlib
import random
import struct
from typing import Any

import cbor2
import pytest

from fake_smp_device import FakeDevice
from ranvier.device import wire
from ranvier.device.errors import ReplyError
from ranvier.device.wire import Begin, Command, Info, JobResult, ModelState, Piece, Request, Update

MODEL: dict[str, Any] = {
    "n": "digits",
    "slot_bytes": 65536,
    "floor": 2,
    "confirmed": 1,
    "trial": 2,
    "trial_slot": 0,
    "tries": 1,
    "written": 4096,
    "sha": bytes(8),
    "slots": [
        {"state": 2, "fills": 3, "bytes": 500, "version": [1, 0, 9], "sv": 3, "crc": 7, "key": 1},
        {"state": 0, "fills": 0},
    ],
    "running": 0,
    "jobs": 1,
    "completed": 2,
    "failed": 3,
    "lanes": 5,
}
UPDATE: dict[str, Any] = {
    "phase": 7,
    "m": "digits",
    "slot": 1,
    "off": 10,
    "len": 20,
    "done": 5,
    "total": 20,
    "error": -74,
    "why": 3,
    "sha": bytes(32),
}
JOB: dict[str, Any] = {
    "state": 3,
    "job": 3,
    "status": -5,
    "us": 12,
    "len": 4,
    "off": 0,
    "data": b"abcd",
    "package": [1, 2, 3],
    "crc": 9,
}
READERS: list[tuple[Any, dict[str, Any]]] = [
    (Info, FakeDevice().info),
    (ModelState, MODEL),
    (Update, UPDATE),
    (JobResult, JOB),
    (Piece, {"len": 4, "off": 0, "data": b"abcd"}),
]


def test_a_request_is_as_the_protocol_says() -> None:
    """Read by the fields of SMP's header, not by the code that wrote it."""
    data = wire.chunk(984, b"\1\2\3", bytes(range(32))).encode(200)
    first, flags, length, group, sequence, command = struct.unpack(">BBHHBB", data[:8])
    assert (first & 7, first >> 3 & 3, flags) == (2, 1, 0)
    assert (length, group, sequence, command) == (len(data) - 8, 82, 200, 2)
    assert cbor2.loads(data[8:]) == {
        "off": 984,
        "data": b"\1\2\3",
        "crc": 0x55BC801D,
        "sha": b"\0\1\2\3",
    }


def test_a_chunk_costs_37_bytes_at_most_beside_its_data_and_header() -> None:
    """What a device takes off its buffer to say how large chunks may be."""
    assert len(wire.chunk(0xFFFFFFFF, bytes(4047), bytes(32)).encode(0)) <= 4047 + 8 + 37
    assert wire.CHUNK_COST == 8 + 37


def test_the_first_request_of_an_upload() -> None:
    body = Begin("digits", 5, bytes(32), bytes(128), slow=True).request().body
    assert set(body) == {"off", "data", "crc", "m", "len", "sha", "hdr", "enc", "slow"}
    assert (body["off"], body["data"], body["enc"], body["slow"]) == (0, b"", 0, True)


@pytest.mark.parametrize(("reader", "body"), READERS)
def test_keys_of_later_releases_are_passed_over(reader: Any, body: dict[str, Any]) -> None:
    more = {**body, "new": {"a": [1]}, "newer": None}
    assert reader.read(more) == reader.read(body)


@pytest.mark.parametrize(("reader", "body"), READERS)
def test_a_value_of_another_type_is_named(reader: Any, body: dict[str, Any]) -> None:
    known = set(body) - {"later"}
    wrong = [None, "text", b"bytes", 1.5, -70000, True, [None], {}]
    for key in known:
        refused = 0
        for value in wrong:
            refused += refusal(reader, {**body, key: value}, key)
        assert refused >= len(wrong) - 2, key


def refusal(reader: Any, body: dict[str, Any], key: str) -> bool:
    """Whether it is refused; if so, with the key's name."""
    try:
        reader.read(body)
    except ReplyError as error:
        return repr(key) in error.message
    return False


def test_a_model_is_read_whole() -> None:
    model = ModelState.read(MODEL, 4)
    assert (model.place, model.name, model.floor, model.tries) == (4, "digits", 2, 1)
    assert model.trial is wire.Trial.TRYING
    assert (model.confirmed, model.trial_slot, model.running) == (1, 0, 0)
    full, empty = model.slots
    assert (full.state, full.bytes, full.version) == (wire.SlotState.GOOD, 500, (1, 0, 9))
    assert (full.security_version, full.crc, full.key, full.fills) == (3, 7, 1, 3)
    assert (empty.state, empty.bytes, empty.crc) == (wire.SlotState.EMPTY, None, None)


def test_a_state_of_a_later_release_is_a_number() -> None:
    update = Update.read({**UPDATE, "phase": 99})
    assert update.phase == 99
    assert wire.number_name(update.phase) == "99"
    assert wire.number_name(Update.read(UPDATE).phase) == "failed"


@pytest.mark.parametrize("key", ["models", "chunk"])
def test_what_cannot_be_left_out(key: str) -> None:
    body = {k: v for k, v in FakeDevice().info.items() if k != key}
    with pytest.raises(ReplyError, match=f"'{key}' is missing"):
        Info.read(body)


@pytest.mark.parametrize("size", [0, 1 << 16])
def test_a_chunk_that_cannot_be(size: int) -> None:
    with pytest.raises(ReplyError, match="chunk"):
        Info.read({**FakeDevice().info, "chunk": size})


def reply_to(request: Request, sequence: int, body: Any) -> bytes:
    data = cbor2.dumps(body)
    operation = 0x08 | (3 if request.write else 1)
    head = struct.pack(">BBHHBB", operation, 0, len(data), request.group, sequence, request.command)
    return head + data


def test_a_reply_belongs_to_one_request() -> None:
    request = Request(Command.UPLOAD, write=True)
    message = wire.decode(reply_to(request, 7, {"off": 1}))
    assert message is not None
    assert message.answers(request, 7)
    assert not message.answers(request, 8)
    assert not message.answers(Request(Command.UPLOAD), 7)
    assert not message.answers(Request(Command.ABORT, write=True), 7)
    assert not message.answers(Request(Command.UPLOAD, write=True, group=0), 7)


def test_what_is_no_reply_is_none() -> None:
    """Replies with changed, missing and further bytes: None or a map, no other error."""
    for seed in range(500):
        draw = random.Random(seed)
        good = bytearray(reply_to(Request(Command.MODEL), seed % 256, MODEL))
        for _ in range(draw.randrange(1, 5)):
            good[draw.randrange(len(good))] = draw.randrange(256)
        for data in (bytes(good), bytes(good[: draw.randrange(len(good))]), draw.randbytes(40)):
            message = wire.decode(data)
            if message is not None:
                assert isinstance(message.body, dict)
                with contextlib.suppress(ReplyError):
                    ModelState.read(message.body)


def test_an_echo_of_the_request_is_no_reply() -> None:
    assert wire.decode(Request(Command.INFO).encode(3)) is None
