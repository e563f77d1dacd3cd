# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier analyze`` and ``ranvier view`` do first: compile a model, or read a package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any

import click

from ranvier.cli.advice import given_options, note_optimize
from ranvier.cli.fit import BYTES
from ranvier.cli.labels import check_labels, labels_option, read_labels
from ranvier.cli.models import (
    is_package,
    isa_option,
    keep_channels_option,
    max_step_macs_option,
    optimize_option,
    pipeline_option,
    post_option,
    pre_option,
    read_stages,
)
from ranvier.cli.output import Exit, Output
from ranvier.compiler.check import UnsupportedOp, remedy_for
from ranvier.compiler.driver import CompileOptions, check_model, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.compiler.report import Report, analyze_package
from ranvier.errors import UnsupportedError
from ranvier.model import Package
from ranvier.package.records import IoMode
from ranvier.report.analyze_page import Analysis
from ranvier.report.fit import Budget, fit_of

_MODEL_OPTIONS = (
    click.option(
        "--input",
        "input_mode",
        type=click.Choice([mode.name.lower() for mode in IoMode]),
        default="kept",
        show_default=True,
        help="Input mode to plan a .tflite model for.",
    ),
    isa_option,
    optimize_option,
    keep_channels_option,
    max_step_macs_option,
    labels_option,
    pre_option,
    post_option,
    pipeline_option,
)
_BUDGET_OPTIONS = (
    click.option("--ram", type=BYTES, help="Does it fit into so many bytes of RAM? 96K is 98,304."),
    click.option("--flash", type=BYTES, help="Does it fit into so many bytes of flash?"),
)


def analysis_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options of a command that takes a file to :func:`analysis_of`, which takes their values."""
    for option in reversed((*_MODEL_OPTIONS, *_BUDGET_OPTIONS)):
        command = option(command)
    return command


@dataclass(frozen=True)
class Found:
    """What a file costs, and its package; ``is_model`` where that was compiled from it."""

    package: bytes
    analysis: Analysis
    is_model: bool


def analysis_of(
    output: Output, file: str, data: bytes, *, ram: int | None, flash: int | None, **chosen: Any
) -> Found:
    """Compile a model, or read a package, and judge whether it fits."""
    budget = None if ram is None and flash is None else Budget(ram, flash)
    name = PurePath(file).name
    if is_package(data):
        wrong = given_options(chosen)
        if wrong:
            raise click.UsageError(f"{file} is a package; for models only: {', '.join(wrong)}")
        content = Package(data, file).content
        report = analyze_package(content, len(data))
        fit = None if budget is None else fit_of(budget, report, None)
        return Found(data, Analysis(name, content, report, fit=fit), is_model=False)
    options = _compile_options(**chosen)
    note_optimize(output, options.isa)
    _require_supported(output, data, file)
    result = compile_model(data, file, options)
    check_labels(chosen["labels"], options.pipeline, result.content)
    fit = None if budget is None else fit_of(budget, result.report, (data, file, options))
    trade = _trade_of(data, file, options, result.report)
    analysis = Analysis(name, result.content, result.report, options.optimize, trade, fit)
    return Found(result.package, analysis, is_model=True)


def _compile_options(
    *,
    input_mode: str,
    isa: str,
    optimize: str,
    keep_constant_channels: bool,
    max_step_macs: int | None,
    labels: str | None,
    pre: tuple[str, ...],
    post: tuple[str, ...],
    pipeline: str | None,
) -> CompileOptions:
    return CompileOptions(
        isa=isa,
        optimize=optimize,
        input_mode=IoMode[input_mode.upper()],
        drop_constant_channels=not keep_constant_channels,
        max_step_macs=max_step_macs,
        labels=read_labels(labels),
        pipeline=read_stages(pre, post, pipeline),
    )


def _require_supported(output: Output, data: bytes, file: str) -> None:
    """End the command with the table of ops that cannot be executed, if there are any."""
    try:
        unsupported = check_model(data, file)
    except UnsupportedError as error:  # tensors that the graph cannot even be built with
        output.text(str(error))
        output.json({"file": file, "supported": False, "message": str(error)})
        sys.exit(Exit.NO)
    if unsupported:
        _print_unsupported(output, file, unsupported)
        sys.exit(Exit.NO)


def _trade_of(
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


def _print_unsupported(output: Output, file: str, ops: tuple[UnsupportedOp, ...]) -> None:
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
