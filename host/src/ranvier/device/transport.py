# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Ways to a device: a serial port, TCP with the same framing, UDP.

A link carries bytes; it knows nothing of requests. Whatever goes wrong is a
:class:`ranvier.device.errors.LinkError` of one line, after which the link is closed and another one
can be opened.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import time
from dataclasses import dataclass
from typing import Protocol

import serial
from serial.tools import list_ports

from ranvier.device.errors import LinkError

DEFAULT_BAUD = 115200
DEFAULT_UDP_PORT = 1337
_CONNECT_S = 5.0
_BITS = 10
"""Bits of a byte on a serial line: one start, eight data, one stop."""


class Link(Protocol):
    """An open way to a device."""

    #: For messages: what was given to :func:`open_link`.
    address: str
    #: True where messages are lines among console text; False where each is a datagram.
    framed: bool
    #: Longest message that it carries; None where only the device limits it.
    most_bytes: int | None

    def write(self, data: bytes, timeout_s: float) -> bool:
        """Send all of it; False where the partner does not take it in time."""

    def read(self, timeout_s: float) -> bytes:
        """What has come, at least one byte; nothing after the time."""

    def seconds(self, count: int) -> float:
        """How long bytes are on the way, at least."""

    def close(self) -> None:
        """Close it; does not fail."""


class SerialLink:
    """A serial port or pseudo terminal, locked against others."""

    framed = True
    most_bytes: int | None = None

    def __init__(self, address: str, baud: int = DEFAULT_BAUD) -> None:
        self.address = address
        self._baud = baud
        try:
            self._port = serial.Serial(
                address, baud, timeout=0, write_timeout=0, exclusive=_has_locks()
            )
            _refuse_others(self._port)
            self._port.reset_input_buffer()
        except (OSError, ValueError) as error:  # serial.SerialException is an OSError
            raise _open_error(address, error) from None

    def write(self, data: bytes, timeout_s: float) -> bool:
        """Send all of it; False where the partner does not take it in time."""
        try:
            self._port.write_timeout = timeout_s
            self._port.write(data)
        except serial.SerialTimeoutException:
            return False
        except (OSError, TypeError) as error:  # TypeError: closed by another thread
            raise self._gone(error) from None
        return True

    def read(self, timeout_s: float) -> bytes:
        """What has come, at least one byte; nothing after the time."""
        try:
            self._port.timeout = timeout_s
            first = self._port.read(1)
            return bytes(first + self._port.read(self._port.in_waiting)) if first else b""
        except (OSError, TypeError) as error:
            raise self._gone(error) from None

    def seconds(self, count: int) -> float:
        """How long bytes are on the way, at least."""
        return count * _BITS / self._baud

    def close(self) -> None:
        """Close it; does not fail."""
        with contextlib.suppress(OSError, TypeError):
            self._port.close()

    def _gone(self, error: Exception) -> LinkError:
        self.close()
        shared = "multiple access" in str(error)  # or unplugged: pyserial cannot tell
        if shared and os.path.exists(self.address):
            return LinkError(
                f"{self.address}: another program reads from the port, or the device was unplugged",
                remedy="close the other program",
            )
        reason = "unplugged" if shared else getattr(error, "strerror", None) or error
        return LinkError(
            f"{self.address}: the port is gone: {reason}", remedy="plug the device in again"
        )


class TcpLink:
    """A TCP connection with serial framing: a simulator, or QEMU's serial port."""

    framed = True
    most_bytes: int | None = None

    def __init__(self, address: str, baud: int = DEFAULT_BAUD) -> None:
        self.address = address
        self._baud = baud  # of a serial line that may be behind it
        host, port = host_port(address, "tcp")
        try:
            self._socket = socket.create_connection((host, port), timeout=_CONNECT_S)
        except OSError as error:
            raise LinkError(
                f"{address}: no connection: {error.strerror or error}",
                remedy="start the device first, as ranvier sim --tcp PORT",
            ) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def write(self, data: bytes, timeout_s: float) -> bool:
        """Send all of it; False where the partner does not take it in time."""
        self._socket.settimeout(max(timeout_s, 1e-3))
        try:
            self._socket.sendall(data)
        except TimeoutError:
            return False
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from None
        return True

    def read(self, timeout_s: float) -> bytes:
        """What has come, at least one byte; nothing after the time."""
        self._socket.settimeout(max(timeout_s, 1e-3))
        try:
            data = self._socket.recv(65536)
        except TimeoutError:
            return b""
        except OSError as error:
            raise self._gone(error.strerror or str(error)) from None
        if not data:
            raise self._gone("closed by the other side")
        return data

    def seconds(self, count: int) -> float:
        """How long bytes are on the way, at least."""
        return count * _BITS / self._baud

    def close(self) -> None:
        """Close it; does not fail."""
        with contextlib.suppress(OSError):
            self._socket.close()

    def _gone(self, reason: str) -> LinkError:
        self.close()
        return LinkError(
            f"{self.address}: the connection is gone: {reason}", remedy="start the device again"
        )


@dataclass(frozen=True)
class Port:
    """A serial port of this machine."""

    device: str
    description: str


def ports() -> list[Port]:
    """The serial ports that something is plugged in to."""
    return [
        Port(port.device, port.description or "")
        for port in sorted(list_ports.comports())
        if port.vid is not None
    ]


def open_link(address: str, baud: int = DEFAULT_BAUD) -> Link:
    """Open a way to a device: a port's name, ``tcp:HOST:PORT`` or ``udp:HOST[:PORT]``."""
    if address.startswith("tcp:"):
        return TcpLink(address, baud)
    if address.startswith("udp:"):
        from ranvier.device.udp import UdpLink

        return UdpLink(address)
    return SerialLink(address, baud)


def reopen(address: str, baud: int, wait_s: float) -> Link:
    """Open a link that is to come back; the last reason where it does not in time."""
    end = time.monotonic() + wait_s
    while True:
        try:
            return open_link(address, baud)
        except LinkError:
            if time.monotonic() >= end:
                raise
            time.sleep(0.2)


def host_port(address: str, scheme: str, default: int | None = None) -> tuple[str, int]:
    """Host and port of ``scheme:HOST:PORT``."""
    host, _, number = address[len(scheme) + 1 :].rpartition(":")
    if default is not None and not host:
        host, number = number, str(default)
    if not host or not number.isdigit() or not 0 < int(number) < 65536:
        raise LinkError(
            f"{address}: is not an address", remedy=f"give {scheme}:HOST:PORT, PORT a number"
        )
    return host.strip("[]"), int(number)


def _has_locks() -> bool | None:
    return True if os.name == "posix" else None


def _refuse_others(port: serial.Serial) -> None:
    """Also programs that ask for no lock get an error when they open the port (POSIX).

    Not for a pseudo terminal: it would remain locked if this process were killed.
    """
    if os.name == "posix" and not os.path.realpath(port.port).startswith("/dev/pts/"):
        import fcntl
        import termios

        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)


def _open_error(address: str, error: Exception) -> LinkError:
    number = getattr(error, "errno", None)
    text = str(error)
    if number in (errno.EWOULDBLOCK, errno.EBUSY) or "exclusively lock" in text:
        return LinkError(
            f"{address}: the port is in use by another program",
            remedy="close the terminal program or the other ranvier that has it open",
        )
    if number in (errno.EACCES, errno.EPERM):
        return LinkError(
            f"{address}: the port may not be opened by you",
            remedy="join the group that owns it (ls -l tells; often dialout), then log in again",
        )
    if number == errno.ENOENT:
        return LinkError(f"{address}: there is no such port", remedy=_port_advice())
    if number == errno.ENOTTY or "Could not configure port" in text:
        return LinkError(f"{address}: is not a serial port", remedy=_port_advice())
    reason = os.strerror(number) if number else text
    return LinkError(f"{address}: the port cannot be opened: {reason}", remedy=_port_advice())


def _port_advice() -> str:
    found = ports()
    if not found:
        return "connect a device; this machine has no USB serial port now"
    return "one of " + ", ".join(port.device for port in found)
