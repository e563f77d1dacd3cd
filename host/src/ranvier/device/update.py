# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Bringing a package to a device, and what is done with it there.

The device tells which byte it wants next; the host follows. So a chunk that is lost, doubled or
late does no harm, and an upload goes on where it was after a restart of either side.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ranvier.device import wire
from ranvier.device.client import Client
from ranvier.device.errors import DeviceError, NoAnswerError, ReplyError, code_name
from ranvier.device.offer import Offer, admit, find, holder, refused, require_updates
from ranvier.device.parcel import Encoding, Parcel, parcels
from ranvier.device.wire import Begin, Command, ModelState, Phase, Request, Trial, Update

_STALL_S = 120.0
_MOST_IDLE = 10
"""Exchanges, or sessions, in a row that bring an upload no further."""
_FAILURES = {
    "EBADMSG": "its self-test failed",
    "EFORMAT": "it is not a package that is whole",
    "EIO": "the device's flash failed",
    "ENOMEM": "it needs more memory than the device has for it",
    "ENOTSUP": "it uses what the device's firmware lacks",
}
"""Of a verification that tells no reason."""
_OLDER = (
    "{what!r}: the other version is older than the device accepts, by its security version, or its "
    "key was revoked",
    "push a version that is not older",
)
_REFUSALS = {
    (Command.ACTIVATE, "ENOENT"): (
        "{what!r} has no good version beside the one in use",
        "ranvier ota push PACKAGE brings one",
    ),
    (Command.ACTIVATE, "EACCES"): _OLDER,
    (Command.ROLLBACK, "ENOENT"): (
        "{what!r} has no version to go back to: none beside the one in use was ever confirmed",
        "ranvier ota activate takes another good version, ranvier ota push brings one",
    ),
    (Command.ROLLBACK, "EACCES"): _OLDER,
    (Command.CONFIRM, "EACCES"): (
        "{what!r}: the version on trial is older than the device accepts, by its security version, "
        "or its key was revoked",
        "ranvier ota rollback {what}",
    ),
    (Command.REVOKE, "EACCES"): (
        "{what} is the last key of the device: without it no update could follow",
        "flash a firmware that has another key, then revoke this one",
    ),
    (Command.REVOKE, "ENOSPC"): (
        "the device has revoked as many keys as it can remember",
        "flash a firmware without the key",
    ),
}
"""What a code means as the answer to a command, and what to do."""
_BUSY = ("EAGAIN", "EBUSY")
_NO_PATCH = ("ESTALE", "EFORMAT", "EINVAL", "EIO")
"""What a device answers that makes nothing of a patch: the package itself may do."""
_BUSY_S = 30.0
_LOAD_S = 10.0
_UPLOADS = (Phase.RECEIVING, Phase.READY, Phase.FAILED)
"""Phases in which the update's SHA-256 is that of the upload: others may be of an activation."""
_AT_WORK = (Phase.VERIFYING, Phase.TESTING, Phase.ERASING)
_PHASES = {Phase.VERIFYING: "verify", Phase.TESTING: "test", Phase.ERASING: "erase"}


@dataclass(frozen=True)
class Progress:
    """How far a phase (write, verify, test, erase) is, in bytes.

    ``rate`` is in bytes a second and ``left_s`` in seconds; 0 and None where they are not known.
    """

    phase: str
    done: int
    total: int
    rate: float = 0.0
    left_s: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a push did.

    ``begun_at`` is the byte at which the device wanted to begin, ``sent`` the bytes that were sent
    and ``seconds`` how long that took. ``what`` is "stored", "on trial", "confirmed"; ``present``
    says that the device had the package already. ``encoding`` is how it was sent: "plain",
    "compressed" or "delta"; ``length`` the package's bytes.
    """

    model: str
    slot: int
    what: str
    present: bool
    begun_at: int
    sent: int
    seconds: float
    sessions: int
    encoding: str
    length: int


@dataclass
class _Meter:
    """Tells progress, with the rate of the present phase."""

    report: Callable[[Progress], None]
    phase: str = ""
    first: int = 0
    since: float = 0.0

    def show(self, phase: str, done: int, total: int) -> None:
        now = time.monotonic()
        if phase != self.phase:
            self.phase, self.first, self.since = phase, done, now
        moved, took = done - self.first, now - self.since
        rate = moved / took if took > 0 and moved > 0 else 0.0
        left = (total - done) / rate if rate else None
        self.report(Progress(phase, done, total, rate, left))


@dataclass
class _Sent:
    """What became of an upload so far."""

    begun_at: int | None = None
    sent: int = 0
    furthest: int = 0
    sessions: int = 0
    seconds: float = 0.0
    kind: Encoding = Encoding.PLAIN


class Updater:
    """Updates of one device over a client; ``progress`` is called often."""

    def __init__(self, client: Client, progress: Callable[[Progress], None] | None = None) -> None:
        self.client = client
        self._meter = _Meter(progress or (lambda _: None))

    def push(
        self,
        offer: Offer,
        *,
        permanent: bool | None,
        slow: bool = False,
        resume: bool = False,
        encoding: Encoding = Encoding.PLAIN,
        base: Offer | None = None,
    ) -> Outcome:
        """Bring a package to the device, and activate it.

        ``permanent``: False on trial, True for good, None not at all. ``slow`` takes packages of an
        instruction set that the device does not have. ``resume`` demands that a part of the file is
        there already. ``encoding`` is how it is sent, ``base`` what the device runs, for a delta.
        A patch that the device makes nothing of is followed by the package itself.
        """
        info = self.client.info()
        model = find(self.client.models(info), offer.name)
        admit(offer, info, model)
        sent = _Sent()
        slot = holder(offer, model)
        present = slot is not None
        if slot is None:
            if model.trial != Trial.NONE and not resume:
                raise _on_trial(model)
            choice = parcels(offer, info, model, encoding, base)
            begun = self._begun(choice, model)
            if resume and begun is None:
                raise _not_begun(offer)
            slot = self._deliver(offer, begun or choice[0], info, model, slow, sent)
        what = self._settle(model, slot, permanent)
        return Outcome(
            model.name,
            slot,
            what,
            present,
            sent.begun_at or 0,
            sent.sent,
            sent.seconds,
            sent.sessions,
            sent.kind.value,
            len(offer.data),
        )

    def activate(self, model: ModelState, permanent: bool) -> None:
        """Activate the good slot that is not current, on trial or for good; waits for it."""
        request = _write(Command.ACTIVATE, m=model.name, permanent=permanent)
        self._decide(model, request)

    def confirm(self, model: ModelState) -> None:
        """End a trial with success."""
        if model.trial == Trial.NONE:
            require_updates(self.client.info())
            raise DeviceError(
                f"{model.name!r} is not on trial: there is nothing to confirm",
                "ESTATE",
                remedy="ranvier ota push PACKAGE brings a new version on trial",
            )
        self._decide(model, _write(Command.CONFIRM, m=model.name))

    def rollback(self, model: ModelState) -> None:
        """End a trial without success, or go back to the slot before; waits for it."""
        self._decide(model, _write(Command.ROLLBACK, m=model.name))

    def erase(self, model: ModelState, slot: int) -> None:
        """Erase a slot that is neither current nor on trial; waits for it."""

        def happened() -> bool:
            state = self.client.model(model.place).slots
            busy = self.client.update().phase == Phase.ERASING
            return busy or state[slot].state == wire.SlotState.EMPTY

        request = _write(Command.ERASE, m=model.name, slot=slot)
        try:
            body = self.client.call_once(request, happened)
        except DeviceError as error:
            raise (_in_use(model, slot) if error.code == "ESTATE" else error) from None
        if body is None or not wire.Fields(body, "erase").flag("done", True):
            self._wait()

    def abort(self) -> Update:
        """Drop the upload under way; what was received is forgotten. What was before."""
        before = self.client.update()
        try:
            self.client.call(_write(Command.ABORT))
        except DeviceError as error:
            if error.code != "EAGAIN":  # it ends its self-test before
                raise
            end = time.monotonic() + _STALL_S
            while self.client.update().phase in _AT_WORK and time.monotonic() < end:
                time.sleep(0.05)
        return before

    def revoke(self, key: int) -> wire.Info:
        """Have the device refuse a key of its own for ever; what the device is then."""
        info = self.client.info()
        if key in info.revoked:
            return info
        if key not in info.keys:
            known = ", ".join(f"{one:08x}" for one in info.keys) or "none"
            raise DeviceError(
                f"the device has no key {key:08x}", "ENOENT", remedy=f"its keys are {known}"
            )
        request = _write(Command.REVOKE, key=key)
        try:
            self.client.call(request)
        except DeviceError as error:
            raise _explained(error, request, f"{key:08x}") from None
        return self.client.info()

    def _begun(self, choice: Sequence[Parcel], model: ModelState) -> Parcel | None:
        """What of these the device has a part of already."""
        update = self.client.update()
        for parcel in choice:
            under_way = update.sha == parcel.sha256 and update.phase in (Phase.RECEIVING, *_AT_WORK)
            if under_way or (model.written and model.sha == parcel.sha256[: len(model.sha)]):
                return parcel
        return None

    # --- the upload --------------------------------------------------------------------------

    def _deliver(
        self,
        offer: Offer,
        parcel: Parcel,
        info: wire.Info,
        model: ModelState,
        slow: bool,
        sent: _Sent,
    ) -> int:
        """Send the parcel, or, where the device makes nothing of a patch, the package itself."""
        sent.kind = parcel.kind
        try:
            return self._transfer(offer, parcel, info, model, slow, sent)
        except DeviceError as error:
            if parcel.kind == Encoding.PLAIN or error.code not in _NO_PATCH:
                raise
        sent.kind, sent.begun_at, sent.furthest = Encoding.PLAIN, None, 0
        plain = Parcel(Encoding.PLAIN, offer.data)
        return self._transfer(offer, plain, info, model, slow, sent)

    def _transfer(
        self,
        offer: Offer,
        parcel: Parcel,
        info: wire.Info,
        model: ModelState,
        slow: bool,
        sent: _Sent,
    ) -> int:
        """Send the parcel until the device has verified the package; the slot that has it."""
        begin = Begin(
            offer.name,
            len(parcel.data),
            parcel.sha256,
            offer.header,
            parcel.encoding,
            parcel.base,
            slow,
        )
        barren = 0
        while barren <= _MOST_IDLE:
            sent.sessions += 1
            before = sent.furthest
            offset = self._begin(begin, offer, info, model)
            if sent.begun_at is None:
                sent.begun_at = offset
            started = time.monotonic()
            try:
                whole = self._send(parcel, offset, info.chunk, sent)
            finally:
                sent.seconds += time.monotonic() - started
            if whole:
                update = self._wait(parcel)
                if update.phase == Phase.READY:
                    return update.slot
            barren = 0 if sent.furthest > before else barren + 1
        raise NoAnswerError(
            "the device loses the upload again and again",
            remedy="look at its console: it restarts, or another program updates it",
        )

    def _begin(self, begin: Begin, offer: Offer, info: wire.Info, model: ModelState) -> int:
        """Announce the file; the byte that the device wants first."""
        end = time.monotonic() + _BUSY_S
        while True:
            try:
                body = self.client.call(begin.request())
                return _within(wire.offset_of(body, "upload"), begin.length)
            except DeviceError as error:
                if error.code not in _BUSY or time.monotonic() > end:
                    raise refused(error, offer, info, model) from None
                time.sleep(0.1)

    def _send(self, parcel: Parcel, offset: int, chunk: int, sent: _Sent) -> bool:
        """Send chunks as they are wanted; False where the device has lost the upload."""
        total = len(parcel.data)
        idle = 0
        self._meter.show("write", offset, total)
        while offset < total:
            data = parcel.data[offset : offset + chunk]
            wanted = self._chunk(offset, data, parcel.sha256)
            sent.sent += len(data)
            if wanted is None:
                self._check_ours(parcel, self.client.update())
                return False
            if wanted != offset + len(data):
                self._check_ours(parcel, self.client.update())
            idle = 0 if wanted > offset else idle + 1
            offset = _within(wanted, total)
            sent.furthest = max(sent.furthest, offset)
            if idle > _MOST_IDLE:
                raise NoAnswerError(
                    f"the upload does not get beyond byte {offset}: the device refuses the chunk "
                    "again and again",
                    remedy="check the cable, or try a lower baud rate",
                )
            self._meter.show("write", offset, total)
        return True

    def _chunk(self, offset: int, data: bytes, sha256: bytes) -> int | None:
        """Send one chunk; the byte that is wanted next, or None where there is no such upload."""
        request = wire.chunk(offset, data, sha256)
        end = time.monotonic() + _BUSY_S
        pause = 0.01
        while True:
            try:
                return wire.offset_of(self.client.call(request), "upload")
            except DeviceError as error:
                if error.code == "EBADMSG":
                    return offset
                if error.code == "ESTATE":
                    return None
                if error.code not in _BUSY or time.monotonic() > end:
                    raise
            time.sleep(pause)
            pause = min(pause * 2, 0.5)

    def _check_ours(self, parcel: Parcel, update: Update) -> None:
        """Raise where the upload under way is not this one, or failed."""
        if update.phase in _UPLOADS and update.sha != parcel.sha256:
            raise DeviceError(
                "another program has begun another upload to this device",
                "EBUSY",
                remedy="wait for it to end, then push again",
            )
        if update.phase == Phase.FAILED:
            raise _failed(update)

    def _wait(self, parcel: Parcel | None = None) -> Update:
        """Wait until the device has done what it is at; raises where that failed.

        With a parcel that is what becomes of its upload; another one's is an error.
        """
        last: tuple[Any, ...] = ()
        since = time.monotonic()
        pause = 0.02
        while True:
            update = self.client.update()
            if parcel is not None:
                self._check_ours(parcel, update)
            elif update.phase == Phase.FAILED:
                raise _failed(update)
            complete = update.phase == Phase.RECEIVING and update.offset == update.length
            if update.phase not in _AT_WORK and not complete:
                return update
            if update.phase in _PHASES:
                self._meter.show(_PHASES[Phase(update.phase)], update.done, update.total)
            state = (update.phase, update.done)
            if state != last:
                last, since = state, time.monotonic()
            if time.monotonic() - since > _STALL_S:
                raise NoAnswerError(
                    f"the device does not get on with {wire.number_name(update.phase)}",
                    remedy="its jobs may leave no time for it: lower their rate, or reset it",
                )
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)

    # --- what becomes real -------------------------------------------------------------------

    def _settle(self, before: ModelState, slot: int, permanent: bool | None) -> str:
        """Activate the slot as wished, if that is not done; what it is now."""
        model = self.client.model(before.place)
        if model.confirmed == slot:
            return "confirmed"
        tried = model.trial != Trial.NONE and model.trial_slot == slot
        if permanent is None or (tried and not permanent):
            return "on trial" if tried else "stored"
        self.activate(model, permanent)
        return "confirmed" if permanent else "on trial"

    def _decide(self, before: ModelState, request: Request) -> None:
        """Send a request that changes which slot is current, once, and wait for its effect."""

        def state(model: ModelState) -> tuple[int, ...]:
            return (model.confirmed, model.trial, model.trial_slot)

        def happened() -> bool:
            busy = self.client.update().phase in _AT_WORK
            return busy or state(self.client.model(before.place)) != state(before)

        try:
            body = self.client.call_once(request, happened)
        except DeviceError as error:
            raise _explained(error, request, before.name) from None
        if body is None or not wire.Fields(body, "activate").flag("done", True):
            self._wait()
        self._loaded(before)

    def _loaded(self, model: ModelState) -> None:
        """Wait until the device runs what is current now; not for ever: jobs may hold it up."""
        end = time.monotonic() + _LOAD_S
        while self.client.model(model.place).changing and time.monotonic() < end:
            time.sleep(0.05)


def _write(command: Command, **body: Any) -> Request:
    return Request(command, body, write=True)


def _within(offset: int, total: int) -> int:
    if offset > total:
        raise ReplyError(
            f"the device wants byte {offset} of {total}",
            remedy="another program may be updating it: wait for it to end, then push again",
        )
    return offset


def _failed(update: Update) -> DeviceError:
    code = code_name(update.error)
    where = f"slot {update.slot} of {update.model!r}"
    why = wire.WHY.get(update.why)
    if why is None:
        why = f"{_FAILURES[code]} ({code})" if code in _FAILURES else code
    return DeviceError(
        f"the device refuses what is in {where}: {why}",
        code,
        remedy="the model that was confirmed before still runs; push another package",
    )


def _not_begun(offer: Offer) -> DeviceError:
    return DeviceError(
        f"the device has no part of this upload of {offer.name!r}",
        "ENOENT",
        remedy="ranvier ota push begins a new one",
    )


def _on_trial(model: ModelState) -> DeviceError:
    return DeviceError(
        f"{model.name!r} is on trial in slot {model.trial_slot}: a new upload has to wait",
        "ESTATE",
        remedy=f"ranvier ota confirm {model.name}, or ranvier ota rollback {model.name}",
    )


def _in_use(model: ModelState, slot: int) -> DeviceError:
    """Why a slot is not erased."""
    which = f"slot {slot} of {model.name!r} is"
    if model.trial == Trial.NONE:
        what = "confirmed" if model.confirmed == slot else "running"
        message = f"{which} {what}: only the other slot can be erased"
        remedy = "ranvier ota list shows both"
    elif model.trial_slot == slot:
        message = f"{which} on trial: it cannot be erased before the trial is over"
        remedy = f"ranvier ota rollback {model.name}"
    else:
        message = f"{which} confirmed, the other one is on trial: neither can be erased now"
        remedy = f"ranvier ota confirm {model.name}, or ranvier ota rollback {model.name}"
    return DeviceError(message, "ESTATE", remedy)


def _explained(error: DeviceError, request: Request, what: str) -> DeviceError:
    """What a refusal means that is not told by its code alone; ``what``: the model, or the key."""
    known = _REFUSALS.get((Command(request.command), error.code))
    if known is None:
        return error
    message, remedy = (text.format(what=what) for text in known)
    return DeviceError(message, error.code, remedy)
