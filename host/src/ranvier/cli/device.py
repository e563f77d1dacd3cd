# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What commands that talk to a device have in common: which one, and how."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ranvier.cli.output import Output, printable
from ranvier.device.errors import LinkError
from ranvier.errors import InputError, RanvierError

if TYPE_CHECKING:
    from ranvier.device.client import Client
    from ranvier.device.wire import ModelState

F = TypeVar("F", bound=Callable[..., Any])

SIM_FLASH = "ranvier-sim.flash"
_SIM_OPTIONS = "--allow-unsigned"
_WAIT_S = 30.0
_MOST_LINE = 400
_MOST_TEXT = 1 << 18
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Target:
    """Which device: an address, or the simulated one on a flash file."""

    port: str | None
    sim: str | None
    baud: int
    wait_s: float
    sim_options: str = ""

    @property
    def name(self) -> str:
        """For messages."""
        return self.port or f"simulated device on {self.sim}"


def device_options(function: F) -> F:
    """Add --port, --sim, --baud, --wait and --sim-options; the command gets a ``target``."""

    @functools.wraps(function)
    def wrapper(
        port: str | None, sim: str | None, baud: int, wait: float, sim_options: str, **rest: Any
    ) -> Any:
        return function(target=_target(port, sim, baud, wait, sim_options), **rest)

    options = (
        click.option(
            "--port",
            "-p",
            metavar="P",
            envvar="RANVIER_PORT",
            show_envvar=True,
            help="Serial port, tcp:HOST:PORT, udp:HOST[:PORT], or sim[:FLASH].",
        ),
        click.option(
            "--sim",
            metavar="FLASH",
            is_flag=False,
            flag_value=SIM_FLASH,
            help="The simulated device, its flash in this file; started for this command.  "
            f"[alone: {SIM_FLASH}]",
        ),
        click.option("--baud", type=click.IntRange(1), default=115200, show_default=True),
        click.option(
            "--wait",
            metavar="S",
            type=click.FloatRange(0),
            default=_WAIT_S,
            show_default=True,
            help="Seconds to wait for a port that is gone to come back.",
        ),
        _sim_options(),
    )
    wrapped: Any = wrapper
    for option in reversed(options):
        wrapped = option(wrapped)
    return wrapped  # type: ignore[no-any-return]


def _sim_options() -> Callable[[F], F]:
    return click.option(
        "--sim-options",
        metavar="TEXT",
        default=_SIM_OPTIONS,
        envvar="RANVIER_SIM_OPTIONS",
        show_envvar=True,
        show_default=True,
        help="Further options of the simulated device: ranvier sim --help.",
    )


def _target(port: str | None, sim: str | None, baud: int, wait: float, options: str) -> Target:
    if sim is not None:
        context = click.get_current_context()
        source = context.get_parameter_source("port")
        if port is not None and source is not click.core.ParameterSource.ENVIRONMENT:
            raise click.UsageError("give --port or --sim, not both")
        return Target(None, sim, baud, wait, options)
    if port is None:
        raise click.UsageError(f"which device? give --port or --sim{_found()}")
    return _of_address(port, baud, wait, options)


def _of_address(address: str, baud: int, wait: float, options: str) -> Target:
    """``sim`` and ``sim:FLASH`` are the simulated device, others a way to a real one."""
    kind, _, flash = address.partition(":")
    if kind == "sim":
        return Target(None, flash or SIM_FLASH, baud, wait, options)
    return Target(address, None, baud, wait)


def device_option(function: F) -> F:
    """Add --device, which says where to run, --baud and --sim-options.

    The command gets a ``device``, a Target or None.
    """

    @functools.wraps(function)
    def wrapper(device: str | None, baud: int, sim_options: str, **rest: Any) -> Any:
        target = None if device is None else _of_address(device, baud, _WAIT_S, sim_options)
        return function(device=target, **rest)

    baud = click.option(
        "--baud", type=click.IntRange(1), default=115200, show_default=True, help="With --device."
    )
    device = click.option(
        "--device",
        metavar="P",
        help="On a device: its serial port, tcp:HOST:PORT, udp:HOST[:PORT], or sim[:FLASH].",
    )
    wrapped: Any = device(baud(_sim_options()(wrapper)))
    return wrapped  # type: ignore[no-any-return]


def _found() -> str:
    from ranvier.device.transport import ports

    found = ", ".join(f"{port.device} ({port.description})" for port in ports())
    return f"; this machine has {found}" if found else ""


class Console:
    """Shows what a device prints, line by line, on standard error: not without limit.

    ``say`` prints a line there; by default click does.
    """

    def __init__(self, output: Output, say: Callable[[str], None] | None = None) -> None:
        self._silent = output.as_json or output.quiet
        self._say = say or (lambda line: click.echo(line, err=True))
        self._pending = ""
        self._left = _MOST_TEXT

    def text(self, data: bytes) -> None:
        """Bytes as they come."""
        *lines, pending = (self._pending + data.decode("utf-8", "replace")).split("\n")
        self._pending = pending[: _MOST_LINE + 1]
        for line in lines:
            self.line(line)

    def line(self, line: str) -> None:
        """A whole line; empty ones and prompts alone are passed over."""
        shown = printable(_ESCAPES.sub("", line.replace("\r", ""))).strip()
        if not shown or self._silent or shown.endswith(":~$") or self._left <= 0:
            return
        if len(shown) > _MOST_LINE:
            shown = f"{shown[:_MOST_LINE]}..."
        self._left -= len("device: ") + len(shown)
        shown = shown if self._left > 0 else "what it prints further is not shown"
        self._say(click.style(f"device: {shown}", dim=True))

    def note(self, line: str) -> None:
        """A message about the link."""
        if not self._silent:
            self._say(printable(line))


def _words(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError as error:
        raise click.UsageError(f"--sim-options {options!r}: {error}") from None


@contextmanager
def address_of(target: Target, console: Console, of: str = "smp") -> Iterator[str]:
    """Where the device is; starts the simulated one, and stops it at the end."""
    if target.port is not None:
        yield target.port
        return
    from ranvier.device.simulator import Simulator, check_flash

    assert target.sim is not None
    check_flash(target.sim)
    options = ["--flash", target.sim, "--pty", *_words(target.sim_options)]
    with Simulator(options, console.line) as simulator:
        try:
            yield simulator.address(of)
        except LinkError:
            if (ended := simulator.ended()) is not None:
                raise ended from None
            raise


@contextmanager
def connected(
    output: Output, target: Target, say: Callable[[str], None] | None = None
) -> Iterator[Client]:
    """A client of the device; ``say`` prints messages about it, one line each."""
    from ranvier.device.client import Client, Patience

    console = Console(output, say)
    with ExitStack() as stack:
        address = stack.enter_context(address_of(target, console))
        # A simulated device that is gone does not come back by itself.
        patience = Patience(link_s=target.wait_s if target.port is not None else 0.0)
        client = Client(address, target.baud, patience, console.text, console.note)
        yield stack.enter_context(client)


def one_model(client: Client, name: str | None) -> ModelState:
    """The place of a name; without one the only place, or the only one that holds something."""
    from ranvier.device.offer import find
    from ranvier.device.wire import SlotState

    models: Sequence[ModelState] = client.models()
    if name is not None:
        return find(models, name)
    full = [m for m in models if any(slot.state != SlotState.EMPTY for slot in m.slots)]
    for candidates in (models, full):
        if len(candidates) == 1:
            return candidates[0]
    if not models:
        raise RanvierError("the device has no places for models", "change the device's layout")
    names = ", ".join(model.name for model in full or models)
    raise InputError(f"the device has {len(models)} places", remedy=f"name one of {names}")
