# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What commands print: text for people, JSON for programs, and the exit codes."""

from __future__ import annotations

import enum
import functools
import inspect
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from ranvier.errors import RanvierError, ToolError

F = TypeVar("F", bound=Callable[..., Any])

EXIT_CODES = """\b
Exit codes:
  0  success
  1  the answer is no: validate or diff found a difference, analyze what cannot run or does not
     fit, verify another signature, test or ota selftest a failure,
     doctor that basic use does not work
  2  wrong usage of the command line
  3  a file or input cannot be used; the message says which, why and what to try
  4  a tool that the command needs is missing or failed"""


class Exit(enum.IntEnum):
    """Exit codes, as documented in every command's help."""

    OK = 0
    NO = 1
    USAGE = 2
    BAD_INPUT = 3
    NO_TOOL = 4


@dataclass(frozen=True)
class Output:
    """Where a command's results go: people's text, or one JSON document with a schema version."""

    command: str
    as_json: bool
    quiet: bool

    def text(self, line: str = "") -> None:
        """Print a line for people."""
        if not self.as_json and not self.quiet:
            click.echo(printable(line))

    def table(self, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Print a table for people; the first column is left-aligned, as are all but numbers."""
        if not self.as_json and not self.quiet:
            cells = [[printable(cell) for cell in row] for row in rows]
            for line in table_lines(header, cells):
                click.echo(line)

    def json(self, value: dict[str, Any]) -> None:
        """Print the command's one JSON document; numbers that JSON lacks become null."""
        if self.as_json:
            document = {"schema": f"ranvier.{self.command}/1", **value}
            click.echo(json.dumps(_finite(document), indent=2, allow_nan=False))


def printable(text: str) -> str:
    """``text`` without control characters: names and labels of a file must not steer a terminal."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def _finite(value: Any) -> Any:
    """``value`` with None for every float that is not finite."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell, numbers to the right, the header in bold."""
    widths = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header))]
    numeric = [
        bool(rows) and all(row[i] in ("", "-") or row[i][0] in "0123456789-" for row in rows)
        for i in range(len(header))
    ]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, numeric, strict=True)
        ]
        return "  ".join(padded).rstrip()

    return [click.style(line(header), bold=True), *(line(row) for row in rows)]


def size(count: int) -> str:
    """A number of bytes with thousands separated."""
    return f"{count:,}"


def common_options(command: str) -> Callable[[F], F]:
    """Add --json and --quiet to a command; it receives an :class:`Output` as its first argument."""

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def wrapper(as_json: bool, quiet: bool, **arguments: Any) -> Any:
            output = Output(command, as_json, quiet)
            try:
                return function(output, **arguments)
            except RanvierError as error:
                report(output, error)
                sys.exit(Exit.NO_TOOL if isinstance(error, ToolError) else Exit.BAD_INPUT)

        wrapper = click.option("--quiet", "-q", is_flag=True, help="Print no text.")(wrapper)
        wrapper = click.option(
            "--json", "as_json", is_flag=True, help="Print one JSON document instead of text."
        )(wrapper)
        wrapper.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{EXIT_CODES}"
        return wrapper  # type: ignore[return-value]

    return decorate


def print_json_error(kind: str, message: str, remedy: str | None) -> None:
    """Print an error as the JSON document."""
    value = {"type": kind, "message": message, "remedy": remedy}
    click.echo(json.dumps({"schema": "ranvier.error/1", "error": value}, indent=2))


def report(output: Output, error: RanvierError) -> None:
    """Print an error: to standard error, or as the JSON document."""
    if output.as_json:
        print_json_error(type(error).__name__, error.message, error.remedy)
        return
    click.echo(f"{click.style('error:', fg='red', bold=True)} {printable(error.message)}", err=True)
    if error.remedy:
        click.echo(f"{click.style('  try:', bold=True)} {printable(error.remedy)}", err=True)


def colour() -> bool | None:
    """Whether to print colours: False where NO_COLOR is set, else None (only to a terminal)."""
    return False if os.environ.get("NO_COLOR") else None
