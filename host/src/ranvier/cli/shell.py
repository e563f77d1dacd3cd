# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier shell``."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from ranvier.cli.device import Console, Target, address_of, device_options
from ranvier.cli.output import Exit, Output, common_options, printable, report
from ranvier.errors import ToolError
from ranvier.files import read_bytes

if TYPE_CHECKING:
    from ranvier.device.shell import Shell


@click.command()
@click.option(
    "--command", "-c", "commands", multiple=True, metavar="CMD", help="Run it; repeatable."
)
@click.option(
    "--script",
    type=click.Path(dir_okay=False),
    help="Lines of `send TEXT`, `expect REGEX`, `run CMD`, `timeout SECONDS`.",
)
@click.option(
    "--timeout",
    metavar="S",
    type=click.FloatRange(0, min_open=True),
    default=10.0,
    show_default=True,
    help="Seconds for a command to end, or text to come.",
)
@click.option("--prompt", metavar="REGEX", help="The shell's prompt.  [default: NAME:~$]")
@device_options
@common_options("shell")
def shell(
    output: Output,
    commands: tuple[str, ...],
    script: str | None,
    timeout: float,
    prompt: str | None,
    target: Target,
) -> None:
    """Type commands to a device, or run them.

    Without --command and --script the terminal is the device's until Ctrl-]; where there is no
    terminal, every line of standard input is a command. It stops at the first command whose code,
    as the shell's `retval` tells it, is not 0: that is the exit code then. The exit code is 1 where
    a script waited in vain.
    """
    from ranvier.device.shell import DEFAULT_PROMPT, Shell, read_script
    from ranvier.device.transport import open_link

    if commands and script is not None:
        raise click.UsageError("give --command or --script, not both")
    steps = None if script is None else read_script(_text(script), script)
    interactive = not commands and steps is None and sys.stdin.isatty()
    if interactive and output.as_json:
        raise click.UsageError("--json is for --command and --script")

    def show(text: str) -> None:
        if not output.as_json and not output.quiet:
            click.echo(printable(text), nl=False)

    with (
        address_of(target, Console(output), "shell") as address,
        closing(open_link(address, target.baud)) as link,
    ):
        if interactive:
            _terminal(link)
            return
        session = Shell(link, prompt or DEFAULT_PROMPT, show)
        session.wake(timeout)
        if steps is not None:
            code = _script(output, session, steps, timeout, script or "")
        else:
            lines = commands or tuple(line for raw in sys.stdin if (line := raw.strip()))
            code = _commands(output, session, lines, timeout)
    sys.exit(code)


def _text(path: str) -> str:
    return read_bytes(path).decode("utf-8", "replace")


def _terminal(link: object) -> None:
    try:
        from ranvier.device import terminal
    except ImportError:
        raise ToolError(
            "a terminal of this system cannot be joined to a device",
            remedy="use --command, or another terminal program",
        ) from None
    click.echo("Ctrl-] leaves", err=True)
    terminal.join(link, sys.stdin.fileno(), sys.stdout.fileno())  # type: ignore[arg-type]


def _commands(output: Output, session: Shell, lines: tuple[str, ...], timeout: float) -> int:
    from ranvier.device.shell import exit_code

    results = []
    for line in lines:
        results.append(session.run(line, timeout))
        if results[-1].code:
            break
    output.json({"commands": [asdict(result) for result in results]})
    if any(result.code is None for result in results) and not output.quiet:
        click.echo("the device's shell has no `retval`: codes are not known", err=True)
    return exit_code(results[-1].code) if results else Exit.OK


def _script(output: Output, session: Shell, steps: list, timeout: float, source: str) -> int:  # type: ignore[type-arg]
    from ranvier.device.shell import ScriptError, play

    try:
        play(session, steps, timeout, source)
    except ScriptError as error:
        report(output, error)
        return error.code
    output.json({"script": source, "steps": len(steps)})
    return Exit.OK
