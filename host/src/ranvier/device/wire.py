# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Requests and replies of SMP group 82 (SPEC.md, Management), and the few others that are needed.

Readers pass over keys that they do not know; a known key with a value of another type, and one that
is missing and has no default, is a :class:`ranvier.device.errors.ReplyError`.
"""

from __future__ import annotations

import enum
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import cbor2
from smp.header import OP, Flag, Header, Version

from ranvier.device.errors import ReplyError

GROUP = 82
OS_GROUP = 0
NO_SLOT = 3
CHUNK_COST = 45
"""Most bytes of an upload's request beside its data: SMP's header, keys, offset, CRC, SHA-256."""
_SHA_BYTES = 4
"""Of an upload's SHA-256, to tell it from another."""


class Command(enum.IntEnum):
    """Commands of the group."""

    INFO = 0
    MODEL = 1
    UPLOAD = 2
    UPDATE = 3
    ACTIVATE = 4
    CONFIRM = 5
    ROLLBACK = 6
    ERASE = 7
    ABORT = 8
    RUN = 9
    LANE = 10
    PROFILE = 11
    SELFTEST = 12
    REVOKE = 13
    STEPS = 14


class Phase(enum.IntEnum):
    """Where the device's update engine is: ``enum rnv_ota_phase``."""

    IDLE = 0
    RECEIVING = 1
    VERIFYING = 2
    TESTING = 3
    READY = 4
    ERASING = 5
    DONE = 6
    FAILED = 7


class SlotState(enum.IntEnum):
    """What is known of a slot: ``enum rnv_slot_state``."""

    EMPTY = 0
    FILLING = 1
    GOOD = 2
    BAD = 3
    REJECTED = 4


class Trial(enum.IntEnum):
    """Where a model's trial is: ``enum rnv_trial``."""

    NONE = 0
    PENDING = 1
    TRYING = 2


class JobState(enum.IntEnum):
    """Where a job that was sent is."""

    NONE = 0
    FILLING = 1
    RUNNING = 2
    DONE = 3


_T = TypeVar("_T")
_E = TypeVar("_E", bound=enum.IntEnum)

#: ``enum rnv_store_why``, in words.
WHY = {
    1: "a unit of its flash cannot be read",
    2: "what is in the slot is not a package, is longer than the slot, or has another name",
    3: "the content differs from its SHA-256 or CRC-32",
    4: "it is not signed",
    5: "it is signed with a key that the device does not have",
    6: "it is signed with a key that was revoked",
    7: "the signature is wrong",
    8: "its security version is below the lowest that the device accepts",
}


@dataclass(frozen=True)
class Request:
    """A request before it has a number."""

    command: int
    body: Mapping[str, Any] = field(default_factory=dict)
    write: bool = False
    group: int = GROUP

    def encode(self, sequence: int) -> bytes:
        """The SMP message."""
        data = cbor2.dumps(dict(self.body))
        operation = OP.WRITE if self.write else OP.READ
        header = Header(
            operation, Version.V2, Flag(0), len(data), self.group, sequence, self.command
        )
        return bytes(header) + data


@dataclass(frozen=True)
class Message:
    """A reply's header and map."""

    write: bool
    group: int
    sequence: int
    command: int
    body: Mapping[str, Any]

    def answers(self, request: Request, sequence: int) -> bool:
        """True for the reply to that request."""
        return (self.write, self.group, self.command, self.sequence) == (
            request.write,
            request.group,
            request.command,
            sequence,
        )


def decode(data: bytes) -> Message | None:
    """A reply; None for what is none: a damaged one, or a request that came back as an echo."""
    try:
        header = Header.loads(data[: Header.SIZE])
        body = cbor2.loads(data[Header.SIZE :])
    except (ValueError, AssertionError, EOFError, RecursionError, MemoryError, cbor2.CBORError):
        return None
    if header.op not in (OP.READ_RSP, OP.WRITE_RSP) or not isinstance(body, dict):
        return None
    if header.length != len(data) - Header.SIZE:
        return None
    write = header.op == OP.WRITE_RSP
    return Message(write, int(header.group_id), header.sequence, int(header.command_id), body)


class Fields:
    """Typed access to a reply's map."""

    def __init__(self, body: Mapping[str, Any], what: str) -> None:
        self._body = body
        self._what = what

    def fail(self, key: str, reason: str) -> ReplyError:
        """The error to raise for a key."""
        return ReplyError(
            f"the device's reply to {self._what!r} is not understood: {key!r} {reason}",
            remedy="use the release of ranvier that the device's firmware was built from",
        )

    def uint(self, key: str, default: int | None = None) -> int:
        """A number, not negative."""
        value = self.number(key, default)
        if value < 0:
            raise self.fail(key, f"is {value}")
        return value

    def number(self, key: str, default: int | None = None) -> int:
        """A number."""
        value = self._body.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail(key, self._wrong(key, "number"))
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """Text."""
        return self._typed(key, str, "text", default)

    def blob(self, key: str, default: bytes | None = None) -> bytes:
        """A byte string."""
        return self._typed(key, bytes, "byte string", default)

    def flag(self, key: str, default: bool | None = None) -> bool:
        """True or false."""
        return self._typed(key, bool, "boolean", default)

    def uints(self, key: str) -> tuple[int, ...]:
        """An array of numbers; empty where it is missing."""
        value = self._typed(key, list, "array", [])
        if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in value):
            raise self.fail(key, "is not an array of numbers")
        return tuple(value)

    def maps(self, key: str) -> tuple[Mapping[str, Any], ...]:
        """An array of maps; empty where it is missing."""
        value = self._typed(key, list, "array", [])
        if not all(isinstance(item, dict) for item in value):
            raise self.fail(key, "is not an array of maps")
        return tuple(value)

    def _typed(self, key: str, kind: type[_T], name: str, default: _T | None) -> _T:
        value = self._body.get(key, default)
        if not isinstance(value, kind):
            raise self.fail(key, self._wrong(key, name))
        return value

    def _wrong(self, key: str, name: str) -> str:
        return f"is not a {name}" if key in self._body else "is missing"


def _known(kind: type[_E], number: int) -> _E | int:
    """The member of an enum; the number itself for one that a later release has."""
    try:
        return kind(number)
    except ValueError:
        return number


def number_name(number: int) -> str:
    """An enum's value for people: "good", or its number where it has no name here."""
    return number.name.lower() if isinstance(number, enum.Enum) else str(number)


@dataclass(frozen=True)
class Info:
    """What a device is. ``chunk`` is the most bytes of an upload's ``data``.

    ``patches``: it takes compressed packages and deltas. ``erases``: of each registry sector;
    empty where the device does not tell.
    """

    version: str
    board: str
    abi: int
    format: int
    isa: tuple[int, ...]
    ops: bytes
    models: int
    chunk: int
    read_only: bool
    unsigned: bool
    keys: tuple[int, ...]
    revoked: tuple[int, ...]
    io: int
    patches: bool
    erases: tuple[int, ...] = ()

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Info:
        """From the reply's map."""
        fields = Fields(body, "info")
        info = cls(
            fields.text("firmware", ""),
            fields.text("board", ""),
            fields.uint("abi", 0),
            fields.uint("format", 0),
            fields.uints("isa"),
            fields.blob("ops", b""),
            fields.uint("models"),
            fields.uint("chunk"),
            fields.flag("read_only", False),
            fields.flag("unsigned", False),
            fields.uints("keys"),
            fields.uints("revoked"),
            fields.uint("io", 0),
            fields.flag("patch", False),
            fields.uints("erases"),
        )
        if not 0 < info.chunk <= 0xFFFF:
            raise fields.fail("chunk", f"is {info.chunk}")
        return info


@dataclass(frozen=True)
class Slot:
    """A slot of a model; the last five only where it holds a package."""

    state: int
    fills: int
    bytes: int | None = None
    version: tuple[int, ...] = ()
    security_version: int | None = None
    crc: int | None = None
    key: int | None = None

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Slot:
        """From a map of the reply."""
        fields = Fields(body, "model")
        state = _known(SlotState, fields.uint("state"))
        if "bytes" not in body:
            return cls(state, fields.uint("fills", 0))
        return cls(
            state,
            fields.uint("fills", 0),
            fields.uint("bytes"),
            fields.uints("version"),
            fields.uint("sv", 0),
            fields.uint("crc", 0),
            fields.uint("key", 0),
        )


@dataclass(frozen=True)
class ModelState:
    """A place of the store. ``confirmed``, ``trial_slot``, ``running`` are slots or NO_SLOT.

    ``changing`` says that another slot is about to run, ``error`` why the last one was not loaded.
    """

    place: int
    name: str
    slot_bytes: int
    floor: int
    confirmed: int
    trial: int
    trial_slot: int
    tries: int
    written: int
    sha: bytes
    slots: tuple[Slot, ...]
    running: int
    jobs: int
    completed: int
    failed: int
    lanes: int
    changing: bool = False
    error: int = 0

    @classmethod
    def read(cls, body: Mapping[str, Any], place: int = 0) -> ModelState:
        """From the reply's map."""
        fields = Fields(body, "model")
        return cls(
            place,
            fields.text("n"),
            fields.uint("slot_bytes"),
            fields.uint("floor", 0),
            fields.uint("confirmed", NO_SLOT),
            _known(Trial, fields.uint("trial", 0)),
            fields.uint("trial_slot", NO_SLOT),
            fields.uint("tries", 0),
            fields.uint("written", 0),
            fields.blob("sha", b""),
            tuple(Slot.read(slot) for slot in fields.maps("slots")),
            fields.uint("running", NO_SLOT),
            fields.uint("jobs", 0),
            fields.uint("completed", 0),
            fields.uint("failed", 0),
            fields.uint("lanes", 0),
            fields.flag("changing", False),
            fields.number("error", 0),
        )


@dataclass(frozen=True)
class Update:
    """Where the update engine is."""

    phase: int
    model: str
    slot: int
    offset: int
    length: int
    done: int
    total: int
    error: int
    why: int
    sha: bytes

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Update:
        """From the reply's map."""
        fields = Fields(body, "update")
        return cls(
            _known(Phase, fields.uint("phase")),
            fields.text("m", ""),
            fields.uint("slot", NO_SLOT),
            fields.uint("off", 0),
            fields.uint("len", 0),
            fields.uint("done", 0),
            fields.uint("total", 0),
            fields.number("error", 0),
            fields.uint("why", 0),
            fields.blob("sha", b""),
        )


@dataclass(frozen=True)
class JobResult:
    """A job that was sent: ``job`` since it was submitted, what follows only when it is done."""

    state: int
    job: int | None = None
    status: int = 0
    us: int = 0
    length: int = 0
    offset: int = 0
    data: bytes = b""
    version: tuple[int, ...] = ()
    crc: int = 0

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> JobResult:
        """From the reply's map."""
        fields = Fields(body, "run")
        state = _known(JobState, fields.uint("state"))
        if state not in (JobState.RUNNING, JobState.DONE):
            return cls(state)
        job = fields.uint("job")
        if state != JobState.DONE:
            return cls(state, job)
        return cls(
            state,
            job,
            fields.number("status"),
            fields.uint("us", 0),
            fields.uint("len", 0),
            fields.uint("off", 0),
            fields.blob("data", b""),
            fields.uints("package"),
            fields.uint("crc", 0),
        )


@dataclass(frozen=True)
class Lane:
    """A lane's counters, by the names of ``struct rnv_lane_stats``; ``count`` lanes there are."""

    name: str
    count: int
    counters: Mapping[str, int]

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Lane:
        """From the reply's map."""
        fields = Fields(body, "lane")
        names = [key for key, value in body.items() if key != "lanes" and isinstance(value, int)]
        counters = {name: fields.uint(name) for name in names}
        return cls(fields.text("n"), fields.uint("lanes"), counters)


@dataclass(frozen=True)
class Piece:
    """A piece of the profiler's dump."""

    length: int
    offset: int
    data: bytes

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> Piece:
        """From the reply's map."""
        fields = Fields(body, "profile")
        return cls(fields.uint("len"), fields.uint("off", 0), fields.blob("data"))


@dataclass(frozen=True)
class Begin:
    """How an upload is announced."""

    model: str
    length: int
    sha256: bytes
    header: bytes
    encoding: int = 0
    base: int = 0
    slow: bool = False

    def request(self) -> Request:
        """The first request of an upload, without data."""
        body = {"off": 0, "data": b"", "crc": 0, "m": self.model, "len": self.length}
        body |= {"sha": self.sha256, "hdr": self.header, "enc": self.encoding, "slow": self.slow}
        if self.base:
            body["base"] = self.base
        return Request(Command.UPLOAD, body, write=True)


def chunk(offset: int, data: bytes, sha256: bytes) -> Request:
    """A further request of the upload of the file with that SHA-256."""
    body = {"off": offset, "data": data, "crc": zlib.crc32(data), "sha": sha256[:_SHA_BYTES]}
    return Request(Command.UPLOAD, body, write=True)


def offset_of(body: Mapping[str, Any], what: str) -> int:
    """The offset that a reply asks for."""
    return Fields(body, what).uint("off")
