# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze``."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace

import click

from ranvier.cli.advice import note_optimize
from ranvier.cli.models import (
    is_package,
    isa_option,
    keep_channels_option,
    max_step_macs_option,
    optimize_option,
    print_layers,
    print_step_limit,
    print_totals,
)
from ranvier.cli.output import Exit, Output, common_options, size
from ranvier.cli.tasks import print_tasks
from ranvier.compiler.check import UnsupportedOp, remedy_for
from ranvier.compiler.driver import CompileOptions, check_model, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.compiler.report import Report, analyze_package
from ranvier.errors import UnsupportedError
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.package.records import IoMode


@click.command()
@click.argument("file", type=click.Path(dir_okay=False), required=False)
@click.option(
    "--tasks",
    metavar="TASKS.toml",
    type=click.Path(dir_okay=False),
    help="Instead of FILE: can these jobs meet their deadlines?",
)
@click.option(
    "--input",
    "input_mode",
    type=click.Choice([mode.name.lower() for mode in IoMode]),
    default="kept",
    show_default=True,
    help="Input mode to plan a .tflite model for.",
)
@isa_option
@optimize_option
@keep_channels_option
@max_step_macs_option
@common_options("analyze")
def analyze(
    output: Output,
    file: str | None,
    tasks: str | None,
    input_mode: str,
    isa: str,
    optimize: str,
    keep_constant_channels: bool,
    max_step_macs: int | None,
) -> None:
    """Show what FILE (.tflite or .rnv) costs, layer by layer and in all.

    For a model and an instruction set, also what it would cost if optimised for something else. A
    model with ops that cannot be executed gets a table of these instead, and exit code 1. A layer
    "(added)" is none of the model's: the compiler put it there.

    With --tasks, the longest response time of each task of a TOML file (TASKS.md in
    ranvier/schedule says what it holds), and exit code 1 where a deadline can be missed.
    """
    if tasks is not None and file is None:
        if not print_tasks(output, tasks):
            sys.exit(Exit.NO)
        return
    if file is None or tasks is not None:
        raise click.UsageError("give a FILE, or --tasks TASKS.toml")
    data = read_bytes(file)
    trade: list[tuple[str, Report]] = []
    if is_package(data):
        if (isa, optimize, max_step_macs) != ("generic", Goal.BALANCED.value, None):
            raise click.UsageError(
                f"{file} is a package: --isa, --optimize and --max-step-macs are for models"
            )
        package = Package(data, file)
        report = analyze_package(package.content, len(data))
    else:
        note_optimize(output, isa)
        require_supported(output, data, file)
        options = CompileOptions(
            isa=isa,
            optimize=optimize,
            input_mode=IoMode[input_mode.upper()],
            drop_constant_channels=not keep_constant_channels,
            max_step_macs=max_step_macs,
        )
        report = compile_model(data, file, options).report
        trade = trade_of(data, file, options, report)
    print_layers(output, report)
    output.text()
    print_totals(output, report)
    print_step_limit(output, report)
    print_trade(output, trade, optimize)
    columns = ("predicted", "ram_bytes", "arena_bytes", "flash_bytes")
    output.json(
        {
            "file": file,
            "supported": True,
            **report.to_dict(),
            "trade": {goal: {c: getattr(other, c) for c in columns} for goal, other in trade},
        }
    )


def require_supported(output: Output, data: bytes, file: str) -> None:
    """End the command with the table of ops that cannot be executed, if there are any."""
    try:
        unsupported = check_model(data, file)
    except UnsupportedError as error:  # tensors that the graph cannot even be built with
        output.text(str(error))
        output.json({"file": file, "supported": False, "message": str(error)})
        sys.exit(Exit.NO)
    if unsupported:
        print_unsupported(output, file, unsupported)
        sys.exit(Exit.NO)


def trade_of(
    data: bytes, file: str, options: CompileOptions, report: Report
) -> list[tuple[str, Report]]:
    """What each goal of optimisation would cost; ``report`` is what ``options`` give."""
    if options.isa == "generic":
        return []
    return [
        (goal.value, report)
        if goal.value == options.optimize
        else (goal.value, compile_model(data, file, replace(options, optimize=goal.value)).report)
        for goal in Goal
    ]


def print_trade(output: Output, trade: list[tuple[str, Report]], chosen: str) -> None:
    """What each goal of optimisation costs."""
    if not trade:
        return
    output.text()
    output.table(
        ["--optimize", "instructions", "RAM", "flash", ""],
        [
            [
                goal,
                size(report.predicted) if report.predicted else "-",
                size(report.ram_bytes),
                size(report.flash_bytes),
                "<- this one" if goal == chosen else "",
            ]
            for goal, report in trade
        ],
    )
    output.text(
        "balanced, the default, takes a faster kernel only where it costs little RAM and saves\n"
        "64 instructions for each byte of flash; memory takes the least RAM, whatever the flash."
    )


def print_unsupported(output: Output, file: str, ops: tuple[UnsupportedOp, ...]) -> None:
    """List every op that cannot be executed."""
    output.text(f"{file}: {len(ops)} ops cannot be executed")
    output.table(
        ["op", "kind", "version", "reason", "inputs"],
        [
            [
                str(op.index) if i == 0 else "",
                op.kind if i == 0 else "",
                str(op.version) if i == 0 else "",
                reason,
                ", ".join(op.inputs) if i == 0 else "",
            ]
            for op in ops
            for i, reason in enumerate(op.reasons)
        ],
    )
    remedy = remedy_for(ops)
    output.text(f"  try: {remedy}")
    output.json(
        {
            "file": file,
            "supported": False,
            "unsupported": [asdict(op) for op in ops],
            "remedy": remedy,
        }
    )
