# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""MCUmgr's serial framing: messages among console text, in lines of at most 127 bytes."""

from __future__ import annotations

import binascii
import struct
from collections.abc import Generator

from smp import packet
from smp.exceptions import SMPDecodeError

#: What smp's encoder is to be told to make lines of at most 127 bytes.
_LINE = 128
_STARTS = (packet.START_DELIMITER, packet.CONTINUE_DELIMITER)
_MOST_LINE = 1024


def encode(message: bytes) -> bytes:
    """The message as lines."""
    return b"".join(packet.encode(message, line_length=_LINE))


class FrameReader:
    """Takes bytes as they come, and tells messages from console text.

    A message that is damaged is dropped, and counted in ``damaged``: whoever waits for it asks
    again. Nothing that comes makes this fail, or keeps more than a line and a message.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self._line = bytearray()
        self._inside = False
        self._decoder: Generator[None, bytes, bytes] | None = None
        self._text = bytearray()
        self._messages: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """Take bytes; the messages that are complete now."""
        self._line += data
        while self._take_line() if self._inside else self._find_start():
            pass
        found, self._messages = self._messages, []
        return found

    def text(self) -> bytes:
        """The console text that came since the last call."""
        found, self._text = bytes(self._text), bytearray()
        return found

    def _find_start(self) -> bool:
        """Move text to where text belongs; True where a line of a message begins."""
        places = [at for start in _STARTS if (at := self._line.find(start)) >= 0]
        if places:
            at = min(places)
        else:
            half = self._line[-1:] in (_STARTS[0][:1], _STARTS[1][:1])
            at = len(self._line) - half
        self._text += self._line[:at]
        del self._line[:at]
        self._inside = bool(places)
        return self._inside

    def _take_line(self) -> bool:
        """Decode the line at the beginning; False where its end is not there yet."""
        end = self._line.find(b"\n")
        if end < 0 and len(self._line) <= _MOST_LINE:
            return False
        self._inside = False
        if end < 0 or end > _MOST_LINE:
            self._drop()
            self._text += self._line[:2]
            del self._line[:2]
            return True
        line = bytes(self._line[:end]).rstrip(b"\r")
        del self._line[: end + 1]
        # A line that broke off is followed by another one on the same line.
        last = max(line.rfind(start) for start in _STARTS)
        if last > 0:
            self._drop()
            line = line[last:]
        self._decode(line + packet.END_DELIMITER)
        return True

    def _decode(self, line: bytes) -> None:
        if line.startswith(packet.START_DELIMITER):
            if self._decoder is not None:
                self._drop()
            decoder = packet.decode()
            next(decoder)
            self._decoder = decoder
        if self._decoder is None:
            self.damaged += 1
            return
        try:
            self._decoder.send(line)
        except StopIteration as done:
            self._decoder = None
            self._messages.append(bytes(done.value))
        except (SMPDecodeError, binascii.Error, struct.error, ValueError):
            self._drop()

    def _drop(self) -> None:
        self.damaged += 1
        self._decoder = None
