# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Notes about options that were given."""

from __future__ import annotations

import click

from ranvier.cli.output import Output


def note_optimize(output: Output, isa: str) -> None:
    """Say on standard error that an --optimize that was given has no effect, where it has none."""
    context = click.get_current_context()
    given = context.get_parameter_source("optimize") == click.core.ParameterSource.COMMANDLINE
    if given and isa == "generic" and not output.quiet:
        click.echo("note: --optimize has no effect for --isa generic", err=True)
