# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze``."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import Any, NamedTuple

import click

from ranvier.cli.advice import note_optimize
from ranvier.cli.compile import check_paths
from ranvier.cli.fit import BYTES, print_fit
from ranvier.cli.models import (
    is_package,
    isa_option,
    keep_channels_option,
    max_step_macs_option,
    optimize_option,
    pipeline_option,
    post_option,
    pre_option,
    print_layers,
    print_step_limit,
    print_totals,
    read_stages,
)
from ranvier.cli.output import Exit, Output, common_options, size
from ranvier.cli.tasks import print_tasks
from ranvier.compiler.check import UnsupportedOp, remedy_for
from ranvier.compiler.driver import CompileOptions, check_model, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.compiler.report import Report, analyze_package
from ranvier.errors import UnsupportedError
from ranvier.files import read_bytes, write_files
from ranvier.model import Package
from ranvier.package.records import IoMode, PackageContent
from ranvier.report.analyze_page import Analysis, analyze_html
from ranvier.report.dot import graph_dot
from ranvier.report.fit import Budget, fit_of
from ranvier.report.tables import layers_csv


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
@pre_option
@post_option
@pipeline_option
@click.option("--ram", type=BYTES, help="Does it fit into so many bytes of RAM? 96K is 98,304.")
@click.option("--flash", type=BYTES, help="Does it fit into so many bytes of flash?")
@click.option(
    "--html",
    type=click.Path(dir_okay=False),
    help="Write a page: memory over time, every buffer's place, layers with bars. One file.",
)
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False), help="Write the layers as CSV.")
@click.option(
    "--dot", type=click.Path(dir_okay=False), help="Write the graph for Graphviz (dot -Tsvg)."
)
@common_options("analyze")
def analyze(
    output: Output,
    file: str | None,
    tasks: str | None,
    ram: int | None,
    flash: int | None,
    html: str | None,
    csv_file: str | None,
    dot: str | None,
    **chosen: Any,
) -> None:
    """Show what FILE (.tflite or .rnv) costs, layer by layer and in all.

    For a model and an instruction set, also what it would cost if optimised for something else. A
    model with ops that cannot be executed gets a table of these instead, and exit code 1. A layer
    "(added)" is none of the model's: the compiler put it there.

    With --ram or --flash, whether it fits: if not, which layer needs the most and which options
    would help, measured by compiling with each, and exit code 1.

    With --tasks, the longest response time of each task of a TOML file (TASKS.md in
    ranvier/schedule says what it holds), and exit code 1 where a deadline can be missed.
    """
    budget = None if ram is None and flash is None else Budget(ram, flash)
    files = Files(html, csv_file, dot)
    if tasks is not None and file is None and budget is None and not any(files):
        if not print_tasks(output, tasks):
            sys.exit(Exit.NO)
        return
    if file is None or tasks is not None:
        raise click.UsageError("give a FILE, or --tasks TASKS.toml alone")
    check_paths(file, *files, None)
    data = read_bytes(file)
    found = analysis_of(output, file, data, **chosen)
    options = found.options
    fit = None
    if budget is not None:
        model = None if options is None else (data, file, options)
        fit = fit_of(budget, found.report, model)
    analysis = Analysis(
        PurePath(file).name,
        found.content,
        found.report,
        None if options is None else options.optimize,
        found.trade,
        fit,
    )
    write_files(files.contents(analysis))
    print_layers(output, found.report)
    output.text()
    print_totals(output, found.report)
    print_step_limit(output, found.report)
    print_trade(output, found.trade, chosen["optimize"])
    if fit is not None:
        print_fit(output, fit, found.report, is_model=options is not None)
    output.json(_value(file, analysis))
    if fit is not None and not fit.fits:
        sys.exit(Exit.NO)


class Files(NamedTuple):
    """What to write beside the text."""

    html: str | None
    csv: str | None
    dot: str | None

    def contents(self, analysis: Analysis) -> dict[str | Path, bytes]:
        """The files' bytes, of those that are wanted."""
        found: dict[str | Path, bytes] = {}
        if self.html is not None:
            found[self.html] = analyze_html(analysis).encode()
        if self.csv is not None:
            found[self.csv] = layers_csv(analysis.report).encode()
        if self.dot is not None:
            found[self.dot] = graph_dot(analysis.content, analysis.report).encode()
        return found


@dataclass(frozen=True)
class Found:
    """What a file costs; ``options`` are those that a model was compiled with."""

    package: bytes
    content: PackageContent
    report: Report
    options: CompileOptions | None
    trade: list[tuple[str, Report]]


def analysis_of(
    output: Output,
    file: str,
    data: bytes,
    *,
    input_mode: str,
    isa: str,
    optimize: str,
    keep_constant_channels: bool,
    max_step_macs: int | None,
    pre: tuple[str, ...],
    post: tuple[str, ...],
    pipeline: str | None,
) -> Found:
    """Compile a model, or read a package."""
    stages = read_stages(pre, post, pipeline)
    if is_package(data):
        if (isa, optimize, max_step_macs, stages) != ("generic", Goal.BALANCED.value, None, None):
            raise click.UsageError(
                f"{file} is a package: --isa, --optimize, --max-step-macs and stages are for models"
            )
        package = Package(data, file)
        report = analyze_package(package.content, len(data))
        return Found(data, package.content, report, None, [])
    note_optimize(output, isa)
    require_supported(output, data, file)
    options = CompileOptions(
        isa=isa,
        optimize=optimize,
        input_mode=IoMode[input_mode.upper()],
        drop_constant_channels=not keep_constant_channels,
        max_step_macs=max_step_macs,
        pipeline=stages,
    )
    result = compile_model(data, file, options)
    trade = trade_of(data, file, options, result.report)
    return Found(result.package, result.content, result.report, options, trade)


def _value(file: str, analysis: Analysis) -> dict[str, Any]:
    """All of it as JSON values."""
    columns = ("predicted", "ram_bytes", "arena_bytes", "flash_bytes")
    value = {
        "file": file,
        "supported": True,
        **analysis.report.to_dict(),
        "trade": {goal: {c: getattr(other, c) for c in columns} for goal, other in analysis.trade},
    }
    return value if analysis.fit is None else {**value, "fit": analysis.fit.to_dict()}


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
