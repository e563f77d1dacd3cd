# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Shows how far an upload is: a bar on a terminal, else plain lines."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from ranvier.cli.output import Output, size

if TYPE_CHECKING:
    from ranvier.device.update import Progress

_WIDTH = 30
_EVERY_S = 0.1
_LINE_EVERY = 10
"""Percent from one plain line to the next."""


class Display:
    """What :class:`ranvier.device.update.Updater` tells, on standard error."""

    def __init__(self, output: Output) -> None:
        self._silent = output.as_json or output.quiet
        self._bar = sys.stderr.isatty() and not self._silent
        self._phase = ""
        self._next = 0.0
        self._open = False

    def progress(self, progress: Progress) -> None:
        """Show it, not more often than anyone can look."""
        if self._silent:
            return
        whole = progress.done >= progress.total
        changed = progress.phase != self._phase
        if changed:
            self.finish()
            self._phase, self._next = progress.phase, 0.0
        if self._bar:
            self._draw(progress, whole or changed)
        else:
            self._line(progress)

    def say(self, line: str) -> None:
        """Print a message of one line, not in the bar."""
        self.finish()
        if not self._silent:
            click.echo(line, err=True)

    def finish(self) -> None:
        """End the bar's line."""
        if self._open:
            click.echo(err=True)
            self._open = False

    def _draw(self, progress: Progress, now: bool) -> None:
        at = time.monotonic()
        if not now and at < self._next:
            return
        self._next = at + _EVERY_S
        filled = _WIDTH * progress.done // max(progress.total, 1)
        bar = "#" * filled + "-" * (_WIDTH - filled)
        click.echo(f"\r{progress.phase:<6} [{bar}] {_numbers(progress)}\x1b[K", nl=False, err=True)
        self._open = True

    def _line(self, progress: Progress) -> None:
        percent = 100 * progress.done // max(progress.total, 1)
        if percent >= self._next:
            click.echo(f"{progress.phase} {_numbers(progress)}".rstrip(), err=True)
            self._next = percent // _LINE_EVERY * _LINE_EVERY + _LINE_EVERY


def _numbers(progress: Progress) -> str:
    if not progress.total:
        return ""
    percent = 100 * progress.done // max(progress.total, 1)
    text = f"{percent:3d} %  {size(progress.done)} of {size(progress.total)} bytes"
    if progress.phase == "write" and progress.rate:
        text += f"  {rate(progress.rate)}"
    if progress.left_s is not None and progress.done < progress.total:
        text += f"  {seconds(progress.left_s)} left"
    return text


def rate(bytes_per_second: float) -> str:
    """A rate for people."""
    return f"{bytes_per_second / 1024:.1f} KiB/s"


def seconds(value: float) -> str:
    """A time for people: 0:07, 2:31."""
    whole = int(value + 0.5)
    return f"{whole // 60}:{whole % 60:02d}"
