# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The ``ranvier`` command."""

from __future__ import annotations

import click

from ranvier._version import __version__
from ranvier.cli.analyze import analyze
from ranvier.cli.compile import compile_command
from ranvier.cli.completion import completion
from ranvier.cli.diff import diff
from ranvier.cli.doctor import doctor
from ranvier.cli.flash import flash
from ranvier.cli.frames import frames
from ranvier.cli.group import JsonErrors
from ranvier.cli.image import image
from ranvier.cli.keys import keys, sign, verify
from ranvier.cli.ops import ops
from ranvier.cli.ota import ota
from ranvier.cli.output import EXIT_CODES, colour
from ranvier.cli.profile import profile
from ranvier.cli.remote_image import remote_image
from ranvier.cli.run import run
from ranvier.cli.shell import shell
from ranvier.cli.sim import sim
from ranvier.cli.test import test
from ranvier.cli.validate import validate
from ranvier.cli.view import view


@click.group(
    cls=JsonErrors, epilog=EXIT_CODES, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="ranvier")
@click.pass_context
def main(context: click.Context) -> None:
    """Compile neural networks for microcontrollers, and look into what they need and do."""
    context.color = colour()


_COMMANDS = (
    *(compile_command, analyze, view, run, profile, validate, diff, ops, frames),
    *(keys, sign, verify, image, remote_image),
    *(ota, shell, sim),
    *(test, flash, doctor, completion),
)

for _command in _COMMANDS:
    main.add_command(_command)
