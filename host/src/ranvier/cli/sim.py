# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier sim``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

import click

from ranvier.cli.device import SIM_FLASH
from ranvier.cli.output import Exit, Output, common_options
from ranvier.errors import ToolError

_FILE = click.Path(dir_okay=False)
_PASSED_ON = ("baud", "buffer", "arena", "isa", "trial-boots", "cut", "seed", "keys")


@click.command()
@click.option(
    "--flash", type=_FILE, default=SIM_FLASH, show_default=True, help="The flash's content."
)
@click.option(
    "--layout",
    metavar="FILE",
    default="default",
    show_default=True,
    help="Models and the sizes of their slots, the flash's sectors and units.",
)
@click.option("--pty", "link", flag_value="pty", help="Pseudo terminals.  [default]")
@click.option("--tcp", metavar="PORT", type=click.IntRange(0, 65535), help="A TCP port; 0: any.")
@click.option("--stdio", "link", flag_value="stdio", help="Standard input and output.")
@click.option("--baud", type=click.IntRange(1), help="Pace the link as a serial line would.")
@click.option("--buffer", metavar="BYTES", type=click.IntRange(1), help="Longest SMP message.")
@click.option("--arena", metavar="A[,B,C]", help="Arenas of the lanes, in bytes.")
@click.option("--isa", metavar="LIST", help="Packings that are fast: generic, dsp, base.")
@click.option(
    "--trial-boots",
    metavar="N",
    type=click.IntRange(1),
    help="Starts until a trial that is not confirmed is over.",
)
@click.option("--cut", metavar="N", type=click.IntRange(1), help="Cut the power in operation N.")
@click.option("--seed", metavar="S", type=click.IntRange(0), help="Of what a cut leaves behind.")
@click.option(
    "--fault",
    metavar="N:KIND:TEAR[:UNIT]",
    multiple=True,
    help="In operation N: cut, fail or lie; what is left: old, new, bits, bad, unstable, mixed, "
    "weak.",
)
@click.option("--allow-unsigned", is_flag=True, help="Take unsigned packages.")
@click.option("--keys", type=_FILE, help="Public keys that packages may be signed with.")
@common_options("sim")
def sim(
    output: Output,
    flash: str,
    layout: str,
    link: str | None,
    tcp: int | None,
    allow_unsigned: bool,
    fault: tuple[str, ...],
    **others: str | int | None,
) -> None:
    """Be a device: models in a flash file, updates and a shell, until Ctrl-C.

    It prints where it is: `smp: pty PATH` for --port of the other commands, `shell: pty PATH` for
    that of `ranvier shell`; with --json one document that says so, once.
    """
    if link is not None and tcp is not None:
        raise click.UsageError(f"give one of --{link} and --tcp")
    if link == "stdio" and output.as_json:
        raise click.UsageError("give one of --stdio and --json")
    from ranvier.device.simulator import check_flash, find_simulator

    check_flash(flash)
    program = find_simulator()
    options = ["--flash", flash, "--layout", layout]
    options += ["--tcp", str(tcp)] if tcp is not None else [f"--{link or 'pty'}"]
    for name in _PASSED_ON:
        value = others[name.replace("-", "_")]
        options += [] if value is None else [f"--{name}", str(value)]
    for one in fault:
        options += ["--fault", one]
    options += ["--allow-unsigned"] if allow_unsigned else []
    sys.stdout.flush()
    if output.as_json:
        sys.exit(_supervise(output, options))
    try:
        os.execv(program, [str(program), *options])
    except OSError as error:
        raise ToolError(
            f"{program}: does not start: {error.strerror}", remedy="install ranvier again"
        ) from None


def _supervise(output: Output, options: Sequence[str]) -> int:
    """Run the program beside this one, which tells its addresses or its error in JSON."""
    from ranvier.device.simulator import Simulator

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(Exit.OK))
    with Simulator(options) as simulator:
        output.json({of: simulator.address(of) for of in ("smp", "shell")})
        sys.stdout.flush()
        return simulator.wait()
