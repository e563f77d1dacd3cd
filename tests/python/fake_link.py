# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A fake device on a line: real framing, faults by script, the pace of a baud rate.

It shares no code with ``ranvier.device``.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import os
import select
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from fake_smp_device import FakeDevice

# --- framing, after Zephyr's serial_util.c -----------------------------------------------------


def frame(message: bytes) -> list[bytes]:
    """A message as lines of at most 127 bytes."""
    crc = struct.pack(">H", binascii.crc_hqx(message, 0))
    text = base64.b64encode(struct.pack(">H", len(message) + 2) + message + crc)
    parts = [text[at : at + 124] for at in range(0, len(text), 124)]
    return [(b"\x04\x14" if n else b"\x06\x09") + part + b"\n" for n, part in enumerate(parts)]


class Reassembler:
    """Lines in, messages out; a line that is no fragment goes to ``text``."""

    def __init__(self, buffer: int, text: Callable[[bytes], None] = lambda line: None) -> None:
        self.buffer = buffer
        self.text = text
        self.pending = bytearray()
        self.whole: bytearray | None = None
        self.length = 0
        self.dropped = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes; the messages that are complete."""
        self.pending += data
        *lines, rest = self.pending.split(b"\n")
        self.pending = bytearray(rest)
        return [m for line in lines if (m := self._line(bytes(line))) is not None]

    def _line(self, line: bytes) -> bytes | None:
        if line[:2] not in (b"\x06\x09", b"\x04\x14"):
            self.text(line)
            return None
        first = line[:2] == b"\x06\x09"
        try:
            part = base64.b64decode(line[2:], validate=True)
        except binascii.Error:
            return self._drop()
        if len(line) > 126:
            return self._drop()
        if first:
            if len(part) < 2:
                return self._drop()
            self.length, self.whole = int.from_bytes(part[:2], "big"), bytearray(part[2:])
        elif self.whole is None:
            return self._drop()
        else:
            self.whole += part
        if len(self.whole) + 2 > self.buffer:
            return self._drop()
        if len(self.whole) < self.length:
            return None
        message = bytes(self.whole)
        self.whole = None
        if len(message) != self.length or binascii.crc_hqx(message, 0):
            return self._drop()
        return message[:-2]

    def _drop(self) -> None:
        self.dropped += 1
        self.whole = None


# --- the link ----------------------------------------------------------------------------------

#: A fault: (direction "in" or "out", number of the message in it, its wire bytes) -> what arrives.
#: Requests ("in") are counted as they are framed by the host; replies ("out") as they are sent.
Fault = Callable[[str, int, bytes], "list[bytes]"]


class FakeLink:
    """Serves a device on a file descriptor, with faults and a pace.

    ``fault`` maps each message's bytes on the wire to those that arrive: none, the same twice, ...
    ``baud`` paces both directions. ``console`` is printed before each reply.
    """

    def __init__(
        self,
        device: FakeDevice,
        fault: Fault | None = None,
        baud: int = 0,
        console: bytes = b"",
    ) -> None:
        self.device = device
        self.fault = fault
        self.baud = baud
        self.console = console
        self.counts = {"in": 0, "out": 0}
        self.lines: list[bytes] = []
        self.stop = threading.Event()
        self._reassembler = Reassembler(device.buffer, self.lines.append)
        self._raw = bytearray()
        self._clock = 0.0
        #: Nothing was on the line when the last bytes came.
        self.idle = True

    def serve(self, read: Callable[[], bytes], write: Callable[[bytes], None]) -> None:
        """Until ``read`` returns nothing."""
        while not self.stop.is_set() and (data := read()):
            self._travel(len(data), self.idle)
            for arrived in self._arrive(data):
                for message in self._reassembler.feed(arrived):
                    reply = self.device.handle(message)
                    if reply is not None:
                        self._reply(reply, write)

    def _arrive(self, data: bytes) -> list[bytes]:
        """Requests as the fault lets them through; a request ends with a short or last line."""
        if self.fault is None:
            return [data]
        self._raw += data
        found = []
        while (end := _end_of_message(self._raw)) is not None:
            message, self._raw = bytes(self._raw[:end]), self._raw[end:]
            found += self.fault("in", self.counts["in"], message)
            self.counts["in"] += 1
        return found

    def _reply(self, reply: bytes, write: Callable[[bytes], None]) -> None:
        data = self.console + b"".join(frame(reply))
        parts = [data] if self.fault is None else self.fault("out", self.counts["out"], data)
        self.counts["out"] += 1
        for part in parts:
            self._travel(len(part), True)
            write(part)

    def _travel(self, count: int, idle: bool) -> None:
        """Wait as long as the bytes take. A line that is busy goes on while this process sleeps."""
        if not self.baud:
            return
        now = time.monotonic()
        self._clock = (now if idle else self._clock) + count * 10 / self.baud
        if self._clock > now:
            time.sleep(self._clock - now)


def _end_of_message(raw: bytearray) -> int | None:
    """Where the first message of a stream ends: by the length that its first line tells."""
    start = raw.find(b"\x06\x09")
    if start < 0 or len(raw) < start + 6:
        return None
    try:
        length = int.from_bytes(base64.b64decode(raw[start + 2 : start + 6])[:2], "big") + 2
    except binascii.Error:
        return None
    characters = -(-length // 3) * 4
    end = start + characters + 3 * -(-characters // 124)
    return end if len(raw) >= end else None


class PtyDevice:
    """A device on a pseudo terminal: ``address`` is a port to open. A context manager."""

    def __init__(self, device: FakeDevice, **link: Any) -> None:
        import pty
        import tty

        self.link = FakeLink(device, **link)
        self._master, slave = pty.openpty()
        tty.setraw(slave)
        self.address = os.ttyname(slave)
        self._slave = slave  # kept open: a host that closes its end does not end the device
        self._unplugged = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> PtyDevice:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.link.stop.set()
        if not self._unplugged:
            os.write(self._slave, b"\n")
        self._thread.join(5)
        self._close()

    def unplug(self) -> None:
        """From the device's own thread: the port is gone for the host."""
        self._unplugged = True
        self.link.stop.set()
        self._close()

    def _close(self) -> None:
        for descriptor in (self._slave, self._master):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _serve(self) -> None:
        """A paced device takes bytes as they arrive: for some milliseconds at a time."""
        most = max(16, self.link.baud // 10 // 200) if self.link.baud else 4096

        def read() -> bytes:
            self.link.idle = not select.select([self._master], [], [], 0)[0]
            return os.read(self._master, most)

        self.link.serve(read, lambda data: _write_all(self._master, data))


class TcpDevice:
    """A device behind a TCP port, one connection after the other. A context manager."""

    def __init__(self, device: FakeDevice, **link: Any) -> None:
        self.device = device
        self.options = link
        self.connections = 0
        self.hang_up = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.address = f"tcp:127.0.0.1:{self.port}"
        self._stop = False
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> TcpDevice:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        self._listener.close()
        with socket.socket() as knock:
            knock.connect_ex(("127.0.0.1", self.port))
        self._thread.join(5)

    def _accept(self) -> None:
        while not self._stop:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._serve(connection)

    def _serve(self, connection: socket.socket) -> None:
        def read() -> bytes:
            if self.hang_up.is_set():
                self.hang_up.clear()
                return b""
            try:
                return connection.recv(4096)
            except OSError:
                return b""

        def write(data: bytes) -> None:
            if not self.hang_up.is_set():
                connection.sendall(data)

        FakeLink(self.device, **self.options).serve(read, write)


class Proxy:
    """Faults between a host and a real device: ``address`` leads to a TCP port, by a fault.

    Messages are counted as :class:`FakeLink` counts them. One connection. A context manager.
    """

    def __init__(self, port: int, fault: Fault) -> None:
        self.counts = {"in": 0, "out": 0}
        self._fault = fault
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp:127.0.0.1:{self._listener.getsockname()[1]}"
        self._device = socket.create_connection(("127.0.0.1", port))
        self._host: socket.socket | None = None
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def __enter__(self) -> Proxy:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._listener, self._device, self._host):
            if one is not None:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
        for thread in self._threads:
            thread.join(5)

    def _accept(self) -> None:
        try:
            self._host, _ = self._listener.accept()
        except OSError:
            return
        self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=self._pass, args=("out", self._device, self._host))
        self._threads.append(back)
        back.start()
        self._pass("in", self._host, self._device)

    def _pass(self, way: str, source: socket.socket, to: socket.socket) -> None:
        raw = bytearray()
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                raw += data
                while (end := _end_of_message(raw)) is not None:
                    message, raw = bytes(raw[:end]), raw[end:]
                    number = self.counts[way]
                    self.counts[way] += 1
                    for part in self._fault(way, number, message):
                        to.sendall(part)


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
