# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SMP over UDP, by smpclient's transport."""

from __future__ import annotations

import asyncio
import logging

from smpclient.transport.udp import SMPUDPTransport

from ranvier.device.errors import LinkError
from ranvier.device.transport import DEFAULT_UDP_PORT, host_port

_CONNECT_S = 5.0
# Its warnings would go to standard error where nobody asks for them: a link tells in its errors.
logging.getLogger("smpclient").addHandler(logging.NullHandler())


class UdpLink:
    """One message a datagram; no framing, no console."""

    framed = False

    def __init__(self, address: str) -> None:
        self.address = address
        host, port = host_port(address, "udp", DEFAULT_UDP_PORT)
        self._loop = asyncio.new_event_loop()
        self._transport = SMPUDPTransport()
        self.most_bytes: int | None = self._transport.max_unencoded_size
        try:
            self._loop.run_until_complete(self._transport.connect(host, _CONNECT_S, port))
        except (OSError, asyncio.TimeoutError) as error:
            self._loop.close()
            raise LinkError(
                f"{address}: no such host: {error}", remedy="give udp:HOST or udp:HOST:PORT"
            ) from None

    def write(self, data: bytes, timeout_s: float) -> bool:
        """Send a message."""
        self._loop.run_until_complete(self._transport.send(data))
        return True

    def read(self, timeout_s: float) -> bytes:
        """One whole message; nothing after the time."""
        receive = asyncio.wait_for(self._transport.receive(), max(timeout_s, 1e-3))
        try:
            return bytes(self._loop.run_until_complete(receive))
        except Exception:  # a time-out, or a datagram that is no message
            return b""

    def seconds(self, count: int) -> float:
        """How long bytes are on the way, at least."""
        return 0.0

    def close(self) -> None:
        """Close it; does not fail."""
        if not self._loop.is_closed():
            self._loop.run_until_complete(self._transport.disconnect())
            self._loop.close()
