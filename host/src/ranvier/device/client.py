# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""One device: a request out, its reply in, and what to do when that fails.

A reply belongs to a request where number, group, command and operation are the same; all others are
late ones, and passed over. A request without a reply is sent again, with the same number, so that a
late reply still counts. When the link breaks, :class:`Client` waits for it to come back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ranvier.device import wire
from ranvier.device.errors import (
    DeviceError,
    LinkError,
    NoAnswerError,
    ReplyError,
    code_name,
)
from ranvier.device.framing import FrameReader, encode
from ranvier.device.transport import DEFAULT_BAUD, Link, open_link, reopen
from ranvier.device.wire import Command, Message, Request

_LONGEST_S = 10.0
_RESET_S = 1.0
"""From the reply to a reset until it has happened: some devices wait for the reply to leave."""
_REMEDIES = {
    "EACCES": "sign the package with a key of the device, or raise its security version",
    "EBUSY": "wait until the device is done, or end what it does: ranvier ota abort",
    "ENOMEM": "give the device's lanes more arena, or compile with --optimize memory",
    "ENOSPC": "make the model smaller, or the slots of the device's layout larger",
    "ENOTSUP": "ranvier ota list tells what the device can do",
    "ESTATE": "ranvier ota list tells what state the device is in",
}


@dataclass(frozen=True)
class Patience:
    """How long to wait and how often to try.

    ``reply_s`` is the time for a device's answer beyond the time that the bytes take on the line;
    it doubles with each attempt. ``link_s`` is how long to wait for a link that broke.
    """

    reply_s: float = 2.0
    attempts: int = 5
    link_s: float = 30.0


@dataclass
class Counts:
    """What went wrong on the link."""

    retries: int = 0
    stale: int = 0
    damaged: int = 0
    reconnects: int = 0


class Client:
    """Talks to one device; a context manager.

    ``text`` receives what the device prints on the same line, ``note`` one-line messages about the
    link. Not thread-safe.
    """

    def __init__(
        self,
        address: str,
        baud: int = DEFAULT_BAUD,
        patience: Patience = Patience(),
        text: Callable[[bytes], None] = lambda text: None,
        note: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.address = address
        self.patience = patience
        self.counts = Counts()
        self._baud = baud
        self._text = text
        self._note = note
        self._link: Link | None = open_link(address, baud)
        self._reader = FrameReader()
        self._sequence = os.urandom(1)[0]

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the link; the next request opens it again."""
        if self._link is not None:
            self._link.close()
            self._link = None

    def call(self, request: Request) -> Mapping[str, Any]:
        """The reply's map of a request that may arrive twice; sent again until it is answered.

        Raises :class:`DeviceError` where the device refuses, :class:`NoAnswerError` where it is
        silent, :class:`LinkError` where the link is gone and does not come back.
        """
        for _ in range(self.patience.attempts):
            try:
                return self._result(request, self._exchange(request, self.patience.attempts))
            except NoAnswerError:
                raise
            except LinkError as error:
                self._reconnect(error)
        raise self._silent()

    def call_once(self, request: Request, happened: Callable[[], bool]) -> Mapping[str, Any] | None:
        """As :meth:`call`, for a request that must not be executed twice.

        Where the reply is missing ``happened`` tells, by other requests, whether the device has
        executed it: if so None is returned, else it is sent again.
        """
        for _ in range(self.patience.attempts):
            try:
                return self._result(request, self._exchange(request, 1))
            except NoAnswerError:
                pass
            except LinkError as error:
                self._reconnect(error)
            if happened():
                return None
        raise self._silent()

    def info(self) -> wire.Info:
        """What the device is; ``chunk`` is no more than fits into a message of the link."""
        info = wire.Info.read(self.call(Request(Command.INFO)))
        most = self._open().most_bytes
        if most is None:
            return info
        return replace(info, chunk=min(info.chunk, most - wire.CHUNK_COST))

    def model(self, place: int) -> wire.ModelState:
        """A place of the store."""
        return wire.ModelState.read(self.call(Request(Command.MODEL, {"i": place})), place)

    def models(self, info: wire.Info | None = None) -> list[wire.ModelState]:
        """All places of the store; ``info`` where it is known."""
        return [self.model(place) for place in range((info or self.info()).models)]

    def update(self) -> wire.Update:
        """Where the update engine is."""
        return wire.Update.read(self.call(Request(Command.UPDATE)))

    def reset(self) -> None:
        """Restart the device; it answers before."""
        request = Request(5, group=wire.OS_GROUP, write=True)
        self.call_once(request, lambda: True)

    def restart(self) -> wire.Info:
        """Restart the device and wait until it answers again."""
        self.reset()
        time.sleep(_RESET_S)
        return self.info()

    def _exchange(self, request: Request, attempts: int) -> Message:
        """Send a request and wait for its reply, several times."""
        self._sequence = (self._sequence + 1) % 256
        data = request.encode(self._sequence)
        wait = self.patience.reply_s
        before = self._heard
        for attempt in range(attempts):
            self.counts.retries += attempt > 0
            reply = self._attempt(request, data, wait, again=attempt > 0)
            if reply is not None:
                return reply
            wait = min(wait * 2, _LONGEST_S)
        raise self._silent(self._heard - before)

    def _attempt(self, request: Request, data: bytes, wait: float, again: bool) -> Message | None:
        link = self._open()
        wire_bytes = encode(data) if link.framed else data
        if again and link.framed:
            wire_bytes = b"\n" + wire_bytes  # ends a line that broke off
        travel = 2 * link.seconds(len(wire_bytes))
        end = time.monotonic() + wait + travel
        if not link.write(wire_bytes, wait + travel):
            return None
        while (left := end - time.monotonic()) > 0:
            for message in self._receive(link, left):
                reply = wire.decode(message)
                if reply is not None and reply.answers(request, self._sequence):
                    return reply
                self.counts.stale += 1
        return None

    def _receive(self, link: Link, wait: float) -> list[bytes]:
        data = link.read(wait)
        if not link.framed:
            return [data] if data else []
        messages = self._reader.feed(data)
        self.counts.damaged = self._reader.damaged
        if text := self._reader.text():
            self._text(text)
        return messages

    def _open(self) -> Link:
        if self._link is None:
            self._link = open_link(self.address, self._baud)
        return self._link

    def _reconnect(self, error: LinkError) -> None:
        self.close()
        if not self.patience.link_s:
            raise error
        self._note(f"{error.message}; waiting for it to come back")
        self._link = reopen(self.address, self._baud, self.patience.link_s)
        self._reader = FrameReader()
        self.counts.reconnects += 1
        self._note(f"{self.address}: is back")

    @property
    def _heard(self) -> int:
        return self.counts.stale + self.counts.damaged

    def _silent(self, heard: int = 0) -> NoAnswerError:
        if heard:
            return NoAnswerError(
                f"{self.address}: the device does not answer; {heard} messages that came were "
                "damaged or late",
                remedy="check the baud rate and the cable; close other programs on the port",
            )
        rate = "" if self.address.startswith("udp:") else ", at this baud rate"
        return NoAnswerError(
            f"{self.address}: the device does not answer",
            remedy=f"check that it runs Ranvier with SMP on this port{rate}",
        )

    def _result(self, request: Request, reply: Message) -> Mapping[str, Any]:
        body = reply.body
        error = body.get("err")
        if isinstance(error, dict):
            fields = wire.Fields(error, "err")
            raise _refusal(request, fields.uint("group"), fields.number("rc"))
        if isinstance(body.get("rc"), int) and body["rc"]:
            raise _smp_refusal(request, body["rc"])
        return body


def _refusal(request: Request, group: int, number: int) -> DeviceError | ReplyError:
    if group != wire.GROUP:
        return _smp_refusal(request, number)
    code = code_name(number)
    what = _what(request)
    if code == "ENOTSUP" and request.command == Command.PROFILE:
        return DeviceError(
            "the device has no profiler, or is read-only (ENOTSUP)",
            code,
            remedy="use a firmware that was built with it: CONFIG_RANVIER_PROFILER=y",
        )
    if code == "ENOTSUP" and request.write and request.command != Command.UPLOAD:
        return DeviceError(
            f"the device refuses {what}: it is read-only (ENOTSUP)",
            code,
            remedy="use a firmware that was not built read-only",
        )
    return DeviceError(f"the device refuses {what}: {code}", code, _REMEDIES.get(code))


def _smp_refusal(request: Request, number: int) -> DeviceError | ReplyError:
    """An error of SMP's own: 8 is a group or command that the device does not have."""
    if number == 8 and request.group == wire.GROUP and request.command == Command.INFO:
        return ReplyError(
            "the device speaks SMP, but has no Ranvier (group 82)",
            remedy="flash a firmware with Ranvier's model store, as firmware/app",
        )
    return DeviceError(f"the device refuses {_what(request)}: SMP error {number}", "", None)


def _what(request: Request) -> str:
    if request.group != wire.GROUP:
        return f"command {request.command} of group {request.group}"
    return repr(Command(request.command).name.lower())
