# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A terminal of this machine joined to a device's shell, until Ctrl-]."""

from __future__ import annotations

import os
import select
import termios
import threading
import tty

from ranvier.device.transport import Link

LEAVE = b"\x1d"
_WRITE_S = 5.0
_READ_S = 0.2


def join(link: Link, terminal: int, out: int) -> None:
    """Pass keys to the device and what it prints to ``out``; returns when Ctrl-] is typed.

    ``terminal`` is raw meanwhile. Raises :class:`ranvier.device.errors.LinkError` where the link
    breaks.
    """
    before = termios.tcgetattr(terminal)
    stop = threading.Event()
    broken: list[Exception] = []
    wake_read, wake_write = os.pipe()

    def receive() -> None:
        try:
            while not stop.is_set():
                os.write(out, link.read(_READ_S))
        except Exception as error:  # it is raised in the other thread
            broken.append(error)
            os.write(wake_write, b"x")

    receiver = threading.Thread(target=receive, daemon=True)
    try:
        tty.setraw(terminal)
        receiver.start()
        _send_keys(link, terminal, wake_read)
    finally:
        stop.set()
        receiver.join()
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
        os.close(wake_read)
        os.close(wake_write)
    if broken:
        raise broken[0]


def _send_keys(link: Link, terminal: int, wake: int) -> None:
    while True:
        ready, _, _ = select.select([terminal, wake], [], [])
        if wake in ready:
            return
        keys = os.read(terminal, 1024)
        before, leave, _ = keys.partition(LEAVE)
        link.write(before, _WRITE_S)
        if leave or not keys:
            return
