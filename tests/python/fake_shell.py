# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A shell as Zephyr's looks on the line: echo, colours, prompt, ``retval``. For tests."""

from __future__ import annotations

import contextlib
import os
import pty
import threading
import tty

PROMPT = b"\x1b[1;32muart:~$ \x1b[m"


class FakeShell:
    """On a pseudo terminal; ``answers`` are each command's output and code. A context manager."""

    def __init__(
        self, answers: dict[str, tuple[str, int]], retval: bool = True, noise: bytes = b""
    ) -> None:
        self.answers = answers
        self.retval = retval
        self.noise = noise
        self.commands: list[str] = []
        self.silent = False
        self._code = 0
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        self.address = os.ttyname(self._slave)
        self._stop = False
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> FakeShell:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop = True
        os.write(self._slave, b"\n")
        self._thread.join(5)
        for descriptor in (self._slave, self._master):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def say(self, data: bytes) -> None:
        """Print."""
        os.write(self._master, data)

    def _serve(self) -> None:
        pending = b""
        while not self._stop:
            data = os.read(self._master, 256)
            if self.silent:
                continue
            self.say(data.replace(b"\n", b"\r\n"))
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                self._execute(line.decode().strip())

    def _execute(self, command: str) -> None:
        if command:
            self.commands.append(command)
        if command == "retval" and self.retval:
            self.say(f"{self._code}\r\n".encode())
        elif command in self.answers:
            text, self._code = self.answers[command]
            text += "" if not text or text.endswith("\n") else "\n"  # as Zephyr's shell does
            self.say(text.replace("\n", "\r\n").encode())
        elif command:
            self._code = 8
            self.say(f"\x1b[1;31m{command}: command not found\x1b[m\r\n".encode())
        self.say(self.noise + PROMPT)
