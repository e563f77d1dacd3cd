# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A job through the application's shell, as a person would type it; run by twister."""

import re
import time

from twister_harness import Shell

PATIENCE_S = 60
"""Until the job has ended: an emulator on a busy machine is slow, a failure is not quick."""


def answer(shell: Shell, command: str, expected: str) -> str | None:
    """Type `command`; the first line of the answer that begins like `expected`, if there is one."""
    lines = shell.exec_command(command)
    return next((line for line in lines if re.match(expected, line)), None)


def ask(shell: Shell, command: str, expected: str) -> None:
    assert answer(shell, command, expected) is not None, f"{command}: no line like {expected!r}"


def test_shell(shell: Shell) -> None:
    ask(shell, "ranvier version", r"Ranvier \d+\.\d+")
    ask(shell, "ranvier model list", "0 digits: lanes realtime,normal,best-effort; jobs 0")
    ask(shell, "ranvier prof on", "on")
    ask(shell, "ranvier job submit digits --seed 1", r"job \d+ of digits in lane best effort")
    ask(shell, "ranvier stack", "ranvier_0")
    # The shell has the higher priority: it may ask while the job is running.
    end = time.monotonic() + PATIENCE_S
    while answer(shell, "ranvier job list", r"  outputs crc 0x[0-9a-f]{8}; top-1 8") is None:
        assert time.monotonic() < end, "the job has not ended"
        time.sleep(0.05)
    ask(shell, "ranvier prof off", "off")
    ask(shell, "ranvier prof dump", "RNVT")
