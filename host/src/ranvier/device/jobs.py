# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a device's models, reads its profiler, starts its self-test."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from ranvier.device import wire
from ranvier.device.client import Client
from ranvier.device.errors import DeviceError, NoAnswerError, ReplyError, code_name
from ranvier.device.offer import KEY_NEEDED
from ranvier.device.wire import (
    Command,
    Info,
    JobResult,
    JobState,
    Lane,
    Piece,
    Request,
    SlotState,
)
from ranvier.errors import InputError

_STALL_S = 60.0
_REQUEST_BYTES = 96
"""Of a message beside the data of a job: what it has more than an upload's."""
_MOST_IDLE = 10


@dataclass(frozen=True)
class Ran:
    """What a job put out: all outputs, one after the other, and how long it took on the device.

    ``crc`` is that of the package that ran, its ``version`` that of the model.
    """

    data: bytes
    us: int
    version: tuple[int, ...]
    crc: int


def run(
    client: Client, info: Info, model: str, entry: int, data: bytes, stateful: bool = False
) -> Ran:
    """Run an entry point with all inputs, one after the other.

    ``stateful`` says that the model has state, which is made zero first.
    """
    if info.io and len(data) > info.io:
        raise InputError(
            f"{len(data)} bytes of input, the device takes {info.io}",
            remedy="build its firmware with a larger buffer for jobs over SMP",
        )
    own = secrets.randbits(32) or 1  # tells this run from those of other clients
    job = _submit(client, own, _piece_bytes(info), model, entry, data, stateful)
    return _result(client, own, job)


def _piece_bytes(info: Info) -> int:
    return max(info.chunk - _REQUEST_BYTES, min(info.chunk, 32))


def _submit(
    client: Client, own: int, piece: int, model: str, entry: int, data: bytes, stateful: bool
) -> int:
    """Send the inputs; the last piece starts the job, whose number is returned."""

    def request(offset: int, size: int) -> Request:
        body = {"m": model, "entry": entry, "off": offset, "len": len(data), "id": own}
        body |= {"reset": True} if stateful else {}
        return Request(Command.RUN, {**body, "data": data[offset : offset + size]}, write=True)

    offset, idle = 0, 0
    end = time.monotonic() + _STALL_S
    while True:
        try:
            body = client.call(request(offset, piece))
        except DeviceError as error:
            if error.code == "ESTATE":
                raise _lost() from None
            # EBUSY: another client's job still runs. EAGAIN: no room.
            if error.code not in ("EBUSY", "EAGAIN") or time.monotonic() > end:
                raise
            time.sleep(0.02)
            continue
        if "job" in body:
            return wire.Fields(body, "run").uint("job")
        wanted = wire.offset_of(body, "run")
        idle = 0 if wanted > offset else idle + 1
        if wanted > len(data) or idle > _MOST_IDLE:
            raise ReplyError(f"the device wants byte {wanted} of {len(data)} of the inputs")
        offset = wanted


def _lost() -> DeviceError:
    return DeviceError(
        "the device has forgotten the job: it was reset, or another program sent one",
        "ESTATE",
        remedy="run it again",
    )


def _read(client: Client, own: int, job: int, offset: int) -> JobResult:
    """Where the job is; raises where what the device has is not this one."""
    try:
        body = client.call(Request(Command.RUN, {"off": offset, "id": own}))
    except DeviceError as error:
        raise (_lost() if error.code == "ESTATE" else error) from None
    result = JobResult.read(body)
    if result.state not in (JobState.RUNNING, JobState.DONE) or result.job != job:
        raise _lost()
    return result


def _result(client: Client, own: int, job: int) -> Ran:
    """Wait for the job and fetch its outputs."""
    end = time.monotonic() + _STALL_S
    pause = 0.002
    result = _read(client, own, job, 0)
    while result.state != JobState.DONE:
        if time.monotonic() > end:
            raise NoAnswerError(
                f"the job does not end: waited {_STALL_S:g} s",
                remedy="the device's other jobs may leave no time for it",
            )
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)
        result = _read(client, own, job, 0)
    if result.status:
        code = code_name(result.status)
        raise DeviceError(
            f"the job failed on the device: {code}", code, "ranvier ota list shows its models"
        )
    data = bytearray(result.data)
    while len(data) < result.length:
        piece = _read(client, own, job, len(data))
        if piece.state != JobState.DONE or piece.offset != len(data) or not piece.data:
            raise ReplyError("the device does not give all of the outputs", "run it again")
        data += piece.data
    return Ran(bytes(data[: result.length]), result.us, result.version, result.crc)


def profiling(client: Client, on: bool) -> None:
    """Switch the device's profiler."""
    client.call(Request(Command.PROFILE, {"on": on}, write=True))


def read_dump(client: Client) -> bytes:
    """The profiler's dump (SPEC.md, Trace); one that runs is stopped for it."""
    try:
        return _read_dump(client)
    except DeviceError as error:
        if error.code != "ESTATE":
            raise
    profiling(client, False)
    try:
        return _read_dump(client)
    finally:
        profiling(client, True)


def _read_dump(client: Client) -> bytes:
    data = bytearray()
    while True:
        piece = Piece.read(client.call(Request(Command.PROFILE, {"off": len(data)})))
        if piece.offset != len(data) or (not piece.data and len(data) < piece.length):
            raise ReplyError("the device does not give all of its profile", "read it again")
        data += piece.data
        if len(data) >= piece.length:
            return bytes(data)


def lanes(client: Client) -> list[Lane]:
    """The counters of all lanes."""
    found: list[Lane] = []
    while not found or len(found) < found[0].count:
        found.append(Lane.read(client.call(Request(Command.LANE, {"i": len(found)}))))
    return found


def selftest(client: Client, model: str) -> int:
    """Run a model's golden self-test on the device; 0 where it passes, else the core's code."""
    end = time.monotonic() + _STALL_S
    while not _begun(client, model):
        if time.monotonic() > end:
            raise NoAnswerError(
                "the device has no room for the self-test: it keeps a job or another test",
                remedy="wait until other programs are done with it",
            )
        time.sleep(0.05)
    while True:
        fields = wire.Fields(client.call(Request(Command.SELFTEST)), "selftest")
        if fields.uint("state") == JobState.DONE:
            break
        if time.monotonic() > end:
            raise NoAnswerError("the self-test does not end", "reset the device")
        time.sleep(0.05)
    return fields.number("status")


def _begun(client: Client, model: str) -> bool:
    """Ask for a self-test; False where it has to wait, as for a job's outputs to be dropped."""
    try:
        client.call(Request(Command.SELFTEST, {"m": model}, write=True))
    except DeviceError as error:
        if error.code == "ENOENT":
            message = f"the device runs no model named {model!r}"
            raise DeviceError(message, error.code, how_to_run(client, model)) from None
        if error.code not in ("EBUSY", "EAGAIN"):
            raise
        return False
    return True


def how_to_run(client: Client, model: str, package: str = "PACKAGE") -> str:
    """What to try where the device runs no version of a model: its key may be missing there."""
    info = client.info()
    for place in client.models(info):
        for number, slot in enumerate(place.slots):
            is_good = place.name == model and slot.state == SlotState.GOOD
            if is_good and slot.key and slot.key not in info.keys:
                return (
                    f"slot {number} has a version of it, signed with key {slot.key:08x}, which the "
                    f"device does not have: {KEY_NEEDED}"
                )
    return f"ranvier ota push {package}"
