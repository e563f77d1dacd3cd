# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A small device for tests of the host: SMP group 82; ``fake_link`` puts it on a line.

It shares no code with ``ranvier.device``. Its store is trivial: two slots a model, bytes in memory;
what a reset forgets and what it keeps is as SPEC.md says: an upload goes on at its last whole
sector.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import cbor2

GROUP = 82
ENOENT, EIO, EAGAIN, EACCES, EBUSY, EINVAL, ENOSPC, EBADMSG = 2, 5, 11, 13, 16, 22, 28, 74
ESTATE, EFORMAT, ENOTSUP = 77, 84, 95
IDLE, RECEIVING, VERIFYING, TESTING, READY, ERASING, DONE, FAILED = range(8)
EMPTY, FILLING, GOOD, BAD, REJECTED = range(5)


class Refused(Exception):
    """A request is answered with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


@dataclass
class FakeSlot:
    """A slot: its state and bytes; ``proven``: what is in it was confirmed once."""

    state: int = EMPTY
    fills: int = 0
    data: bytes = b""
    proven: bool = False


@dataclass
class FakeModel:
    """A place of the store. What is here survives a reset."""

    name: str
    slot_bytes: int = 1 << 20
    floor: int = 0
    confirmed: int = 3
    trial: int = 0
    trial_slot: int = 3
    tries: int = 0
    sha: bytes = b""
    file_bytes: int = 0
    filling: bytearray = field(default_factory=bytearray)
    slots: list[FakeSlot] = field(default_factory=lambda: [FakeSlot(), FakeSlot()])

    @property
    def target(self) -> int:
        """The slot that is not confirmed."""
        return 1 if self.confirmed == 0 else 0

    def confirm(self, slot: int) -> None:
        """That slot is in use from now on."""
        self.confirmed, self.trial, self.trial_slot = slot, 0, 3
        self.slots[slot].proven = True


@dataclass
class Session:
    """An update under way. A reset forgets it."""

    phase: int = IDLE
    model: FakeModel | None = None
    length: int = 0
    sha: bytes = b""
    error: int = 0
    why: int = 0
    done: int = 0
    polls: int = 0
    then: Callable[[], None] | None = None


class FakeDevice:
    """Requests in, replies out; no link."""

    def __init__(
        self,
        *models: FakeModel,
        buffer: int = 4096,
        sector: int = 4096,
        verify_polls: int = 3,
        **info: Any,
    ) -> None:
        self.models = list(models) or [FakeModel("digits")]
        self.buffer = buffer
        self.sector = sector
        self.verify_polls = verify_polls
        self.session = Session()
        self.resets = 0
        self.executed: list[tuple[bool, int]] = []
        #: Called before a request is executed; True: the device is dead to it.
        self.before: Callable[[bool, int, dict[str, Any]], bool | None] = lambda *_: False
        #: The same, after it: the reply is lost.
        self.after: Callable[[bool, int, dict[str, Any]], bool | None] = lambda *_: False
        self.run: Callable[[str, int, bytes], bytes] = lambda name, entry, data: data[::-1]
        self.job: dict[str, Any] = {"state": 0, "data": b"", "number": 0, "status": 0, "crc": 0}
        self.job["id"] = 0
        self.ran: list[int] = []
        self.dump = b""
        self.profiling = False
        self.testing, self.tested, self.busy = 0, 0, 0
        #: Framing 4, SMP header 8, map 1, and the four keys with their values.
        self.info = {
            "firmware": "fake 1",
            "board": "fake",
            "abi": 1,
            "format": 1,
            "isa": [0, 1],
            "ops": b"\xff" * 32,
            "models": len(self.models),
            "chunk": buffer - 4 - 8 - 37,
            "read_only": False,
            "unsigned": True,
            "keys": [],
            "revoked": [],
            "io": 65536,
            "later": {"of": "another release"},
            **info,
        }
        self.chunk = self.info["chunk"]

    def reset(self) -> None:
        """Lose what is in RAM; uploads keep whole sectors."""
        self.resets += 1
        self.session = Session()
        for model in self.models:
            del model.filling[len(model.filling) // self.sector * self.sector :]
            if model.trial == 1:
                model.trial, model.tries = 2, 1

    # --- SMP -----------------------------------------------------------------------------------

    def handle(self, message: bytes) -> bytes | None:
        """The reply to a message; None for what is no request."""
        if len(message) < 8:
            return None
        flags, _, length, group, sequence, command = struct.unpack(">BBHHBB", message[:8])
        if length != len(message) - 8 or flags & 7 not in (0, 2):
            return None
        write = flags & 7 == 2
        body = cbor2.loads(message[8:])
        if self.before(write, command, body):
            return None
        reply = self._answer(write, group, command, body)
        if self.after(write, command, body):
            return None
        data = cbor2.dumps(reply)
        head = struct.pack(">BBHH", (flags & 0x18) | (3 if write else 1), 0, len(data), group)
        return head + bytes((sequence, command)) + data

    def _answer(self, write: bool, group: int, command: int, body: dict[str, Any]) -> Any:
        if group == 0 and command == 5 and write:
            self.reset()
            return {}
        if group != GROUP:
            return {"rc": 8}
        if write and self.info["read_only"] and command not in (9, 12):
            return {"err": {"group": GROUP, "rc": ENOTSUP}}
        self.executed.append((write, command))
        handler = self._HANDLERS.get((write, command))
        if handler is None:
            return {"rc": 8}
        try:
            return handler(self, body)
        except Refused as error:
            return {"err": {"group": GROUP, "rc": error.code}, "more": "of a later release"}

    def _get_info(self, body: dict[str, Any]) -> dict[str, Any]:
        return self.info

    def _get_model(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["i"] >= len(self.models):
            raise Refused(ENOENT)
        model = self.models[body["i"]]
        return {
            "n": model.name,
            "slot_bytes": model.slot_bytes,
            "floor": model.floor,
            "confirmed": model.confirmed,
            "trial": model.trial,
            "trial_slot": model.trial_slot,
            "tries": model.tries,
            "written": len(model.filling) // self.sector * self.sector,
            "sha": model.sha[:8],
            "slots": [_slot_map(slot) for slot in model.slots],
            "running": model.trial_slot if model.trial == 2 else model.confirmed,
            "jobs": 0,
            "completed": 0,
            "failed": 0,
            "lanes": 7,
        }

    def _upload(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["off"] == 0 and "m" in body:
            self._begin(body)
        session = self.session
        if session.phase != RECEIVING:
            if session.phase in (VERIFYING, TESTING, READY) and "m" in body:
                return {"off": session.length}
            raise Refused(ESTATE)
        model = session.model
        assert model is not None
        data = body["data"]
        if len(data) > self.chunk:
            raise Refused(EINVAL)
        if body.get("sha", b"") != session.sha[: len(body.get("sha", b""))]:
            raise Refused(ESTATE)
        if data:
            if zlib.crc32(data) != body["crc"]:
                raise Refused(EBADMSG)
            if body["off"] == len(model.filling):
                model.filling += data
        if len(model.filling) > session.length:
            raise Refused(ENOSPC)
        if len(model.filling) == session.length:
            session.phase, session.polls = VERIFYING, 0
        return {"off": len(model.filling)}

    def _begin(self, body: dict[str, Any]) -> None:
        session = self.session
        if session.phase in (VERIFYING, TESTING, READY) and session.sha == body["sha"]:
            return
        model = self._named(body)
        if body["hdr"][:4] != b"RNVM" or body["hdr"][80:112].rstrip(b"\0").decode() != model.name:
            raise Refused(EFORMAT)
        if body["len"] > model.slot_bytes:
            raise Refused(ENOSPC)
        if int.from_bytes(body["hdr"][20:24], "little") < model.floor:
            raise Refused(EACCES)
        if (
            int.from_bytes(body["hdr"][14:16], "little") not in self.info["isa"]
            and not body["slow"]
        ):
            raise Refused(ENOTSUP)
        if model.trial:
            raise Refused(ESTATE)
        slot = model.slots[model.target]
        if model.sha != body["sha"] or slot.state != FILLING:
            model.sha, model.filling = body["sha"], bytearray()
            slot.fills += 1
        slot.state, slot.data, slot.proven = FILLING, b"", False
        self.session = Session(RECEIVING, model, body["len"], body["sha"])

    def _get_update(self, body: dict[str, Any]) -> dict[str, Any]:
        session = self.session
        self._work()
        model = session.model
        return {
            "phase": session.phase,
            "m": model.name if model else "",
            "slot": model.target if model else 3,
            "off": len(model.filling) if model else 0,
            "len": session.length,
            "done": session.done,
            "total": session.length,
            "error": -session.error,
            "why": session.why,
            "sha": session.sha,
        }

    def _work(self) -> None:
        """A piece of verification at every look."""
        session = self.session
        if session.phase not in (VERIFYING, TESTING, ERASING):
            return
        session.polls += 1
        session.done = session.length * min(session.polls, self.verify_polls) // self.verify_polls
        if session.polls < self.verify_polls:
            return
        session.polls = 0
        if session.then is not None:
            session.then()
            session.then, session.phase = None, DONE
        elif session.phase == VERIFYING:
            self._verified()
        else:
            session.phase = READY

    def _verified(self) -> None:
        session = self.session
        model = session.model
        assert model is not None
        slot = model.slots[model.target]
        data = bytes(model.filling)
        model.filling = bytearray()
        if hashlib.sha256(data).digest() != session.sha or data[-4:] != _crc(data[:-4]):
            session.phase, session.error, session.why = FAILED, EBADMSG, 3
            slot.state = EMPTY
            return
        slot.state, slot.data, model.sha = GOOD, data, b""
        session.phase = TESTING

    def _activate(self, body: dict[str, Any]) -> dict[str, Any]:
        model = self._named(body)
        slot = model.target
        if model.slots[slot].state != GOOD:
            raise Refused(ENOENT)

        def then() -> None:
            if body["permanent"]:
                model.confirm(slot)
            else:
                model.trial, model.trial_slot, model.tries = 1, slot, 0

        if self.session.phase == READY:
            then()
            self.session.phase = DONE
            return {"done": True}
        self._start(model, VERIFYING, then)
        return {"done": False}

    def _confirm(self, body: dict[str, Any]) -> dict[str, Any]:
        model = self._named(body)
        if not model.trial:
            raise Refused(ESTATE)
        model.confirm(model.trial_slot)
        model.floor = int.from_bytes(model.slots[model.confirmed].data[20:24], "little")
        return {}

    def _rollback(self, body: dict[str, Any]) -> dict[str, Any]:
        model = self._named(body)
        if model.trial:
            model.slots[model.trial_slot].state = REJECTED
            model.trial, model.trial_slot = 0, 3
            return {"done": True}
        slot = model.slots[model.target]
        if slot.state != GOOD or not slot.proven:
            raise Refused(ENOENT)
        self._start(model, VERIFYING, lambda: model.confirm(model.target))
        return {"done": False}

    def _erase(self, body: dict[str, Any]) -> dict[str, Any]:
        model = self._named(body)
        if body["slot"] in (model.confirmed, model.trial_slot):
            raise Refused(ESTATE)
        slot = model.slots[body["slot"]]
        slot.state, slot.data, slot.proven, model.filling = EMPTY, b"", False, bytearray()
        slot.fills += 1
        self._start(model, ERASING, lambda: None)
        return {"done": False}

    def _abort(self, body: dict[str, Any]) -> dict[str, Any]:
        model = self.session.model
        if model is not None and self.session.phase == RECEIVING:
            model.slots[model.target].state, model.filling, model.sha = EMPTY, bytearray(), b""
        self.session = Session()
        return {}

    def _start(self, model: FakeModel, phase: int, then: Callable[[], None]) -> None:
        if self.session.phase in (VERIFYING, TESTING, ERASING):
            raise Refused(EBUSY)
        self.session = Session(phase, model, 1000, then=then)

    def _named(self, body: dict[str, Any]) -> FakeModel:
        for model in self.models:
            if model.name == body["m"]:
                return model
        raise Refused(ENOENT)

    # --- jobs and profile ----------------------------------------------------------------------

    def _run_write(self, body: dict[str, Any]) -> dict[str, Any]:
        self._named(body)
        job = self.job
        if body["off"] == 0 and body["id"] != job["id"]:
            if job["state"] == 2:
                raise Refused(EBUSY)
            if body["id"] in self.ran:
                raise Refused(ESTATE)
            job.update(state=1, data=b"", id=body["id"])
        if job["state"] in (2, 3) and body["id"] == job["id"]:
            return {"off": len(job["data"]), "job": job["number"]}
        if job["state"] != 1 or body["id"] != job["id"]:
            raise Refused(ESTATE)
        if body["off"] == len(job["data"]):
            job["data"] += body["data"]
        reply = {"off": len(job["data"])}
        if len(job["data"]) == body["len"]:
            job["output"] = self.run(body["m"], body["entry"], job["data"])
            job.update(state=2, number=job["number"] + 1)
            self.ran.append(body["id"])
            reply["job"] = job["number"]
        return reply

    def _run_read(self, body: dict[str, Any]) -> dict[str, Any]:
        job = self.job
        if job["state"] and body["id"] != job["id"]:
            raise Refused(ESTATE)
        if job["state"] == 2:
            job["state"] = 3
            return {"state": 2, "job": job["number"]}
        if job["state"] != 3:
            return {"state": job["state"]}
        output = job["output"]
        data = output[body["off"] : body["off"] + self.chunk - 64]
        reply = {"state": 3, "status": job["status"], "us": 1234, "len": len(output)}
        reply |= {
            "job": job["number"],
            "off": body["off"],
            "data": data,
            "package": [1, 2, 3],
            "crc": job["crc"],
        }
        return reply

    def _profile_read(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.profiling:
            raise Refused(ESTATE)
        data = self.dump[body["off"] : body["off"] + self.chunk - 64]
        return {"len": len(self.dump), "off": body["off"], "data": data}

    def _profile_write(self, body: dict[str, Any]) -> dict[str, Any]:
        self.profiling = body["on"]
        return {}

    def _lane(self, body: dict[str, Any]) -> dict[str, Any]:
        if body["i"] >= 2:
            raise Refused(ENOENT)
        return {"lanes": 2, "n": ("realtime", "normal")[body["i"]], "completed": 7000 + body["i"]}

    def _selftest_write(self, body: dict[str, Any]) -> dict[str, Any]:
        self._named(body)
        if self.busy:
            self.busy -= 1
            raise Refused(EBUSY)
        self.testing = 2
        return {}

    def _selftest_read(self, body: dict[str, Any]) -> dict[str, Any]:
        self.testing -= self.testing > 0
        return {"state": 2} if self.testing else {"state": 3, "status": self.tested}

    def _revoke(self, body: dict[str, Any]) -> dict[str, Any]:
        left = [key for key in self.info["keys"] if key not in self.info["revoked"]]
        if left == [body["key"]]:
            raise Refused(EACCES)
        if len(self.info["revoked"]) == 8:
            raise Refused(ENOSPC)
        self.info["revoked"] = [*self.info["revoked"], body["key"]]
        return {}

    _HANDLERS: ClassVar[dict[tuple[bool, int], Callable[..., Any]]] = {
        (False, 0): _get_info,
        (False, 1): _get_model,
        (True, 2): _upload,
        (False, 3): _get_update,
        (True, 4): _activate,
        (True, 5): _confirm,
        (True, 6): _rollback,
        (True, 7): _erase,
        (True, 8): _abort,
        (True, 9): _run_write,
        (False, 9): _run_read,
        (False, 10): _lane,
        (False, 11): _profile_read,
        (True, 11): _profile_write,
        (True, 12): _selftest_write,
        (False, 12): _selftest_read,
        (True, 13): _revoke,
    }


def _crc(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(4, "little")


def _slot_map(slot: FakeSlot) -> dict[str, Any]:
    value: dict[str, Any] = {"state": slot.state, "fills": slot.fills}
    if slot.data:
        head = slot.data
        value["bytes"] = len(head)
        value["version"] = list(struct.unpack_from("<HHH", head, 40))
        value["sv"] = int.from_bytes(head[20:24], "little")
        value["crc"] = int.from_bytes(head[-4:], "little")
        value["key"] = 0
    return value
