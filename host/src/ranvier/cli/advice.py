# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Notes about options that were given."""

from __future__ import annotations

from collections.abc import Collection

import click

from ranvier.cli.output import Output


def given_options(names: Collection[str]) -> list[str]:
    """Of the running command's options with these names, those on the command line: ``--isa``."""
    context = click.get_current_context()
    return [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name in names
        and context.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE
    ]


def note_optimize(output: Output, isa: str) -> None:
    """Say on standard error that an --optimize that was given has no effect, where it has none."""
    if given_options(["optimize"]) and isa == "generic" and not output.quiet:
        click.echo("note: --optimize has no effect for --isa generic", err=True)
