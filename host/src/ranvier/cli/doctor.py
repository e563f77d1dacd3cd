# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier doctor``."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from ranvier.cli.checks import BASIC, Check, Machine, State, program_checks, python_checks
from ranvier.cli.checks_zephyr import zephyr_checks
from ranvier.cli.output import Exit, Output, common_options


@click.command()
@common_options("doctor")
def doctor(output: Output) -> None:
    """Look whether everything is there, and say what to do where it is not.

    Basic use is compiling, analysing and running models on this computer. The rest is for parts:
    the reference to validate with, emulators, Zephyr, boards. Changes nothing and asks no network.
    Exit code 0 where basic use works, else 1.
    """
    machine = Machine(os.environ)
    checks = [*python_checks(), *program_checks(machine), *zephyr_checks(machine)]
    works = not any(check.needed and check.state is State.MISSING for check in checks)
    print_checks(output, checks, works)
    output.json(
        {
            "basic_use": works,
            "checks": [
                {
                    "group": check.group,
                    "name": check.name,
                    "state": check.state.value,
                    "needed": check.needed,
                    "found": check.found,
                    "remedy": check.remedy or None,
                }
                for check in checks
            ],
        }
    )
    if not works:
        sys.exit(Exit.NO)


def print_checks(output: Output, checks: Sequence[Check], works: bool) -> None:
    """A line for each check by group, then what follows from them."""
    width = max(len(check.name) for check in checks)
    for group in dict.fromkeys(check.group for check in checks):
        output.text(group)
        for check in (check for check in checks if check.group == group):
            output.text(f"  {check.state.value:<7}  {check.name:<{width}}  {check.found}")
            if check.remedy and check.state is State.MISSING:
                output.text(f"           {'':<{width}}  try: {check.remedy}")
    missing = [check for check in checks if check.state is State.MISSING]
    output.text()
    if not works:
        output.text("basic use does not work")
    elif missing:
        parts = dict.fromkeys(check.group for check in missing if check.group != BASIC)
        output.text(f"basic use works; something is missing for: {', '.join(parts)}")
    else:
        output.text("everything is there")
