# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier flash``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from ranvier.cli.output import Output, common_options
from ranvier.testing import zephyr

_PACK = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("flash")
@click.argument(
    "build_dir", type=click.Path(file_okay=False, path_type=Path), default=Path("build")
)
@click.option("--runner", metavar="R", help="west's runner: linkserver, jlink, pyocd, ...")
@click.option("--pack", metavar="FILE", type=_PACK, help="CMSIS pack of the chip, for pyocd.")
@common_options("flash")
def flash(output: Output, build_dir: Path, runner: str | None, pack: Path | None) -> None:
    """Write BUILD_DIR (default: build), as `west build` made it, to the board connected.

    Wraps `west flash` and builds nothing. The runner is the board's own unless one is named; --pack
    alone means pyocd.
    """
    if pack is not None and runner not in (None, "pyocd"):
        raise click.UsageError("--pack is for --runner pyocd")

    def show(text: str) -> None:
        if not output.as_json and not output.quiet:
            click.echo(text, nl=False, err=True)

    request = zephyr.Flash(build_dir.absolute(), runner, None if pack is None else pack.absolute())
    zephyr.flash(request, show, os.environ)
    output.text(f"{build_dir} is on the board")
    output.json({"build": str(build_dir), "runner": runner})
