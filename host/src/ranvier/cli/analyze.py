# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze``."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click

from ranvier.cli.models import is_package, keep_channels_option, print_layers, print_totals
from ranvier.cli.output import Exit, Output, common_options
from ranvier.compiler.check import UnsupportedOp
from ranvier.compiler.driver import CompileOptions, check_model, compile_model
from ranvier.compiler.report import analyze_package
from ranvier.errors import UnsupportedError
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.package.records import IoMode


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--input",
    "input_mode",
    type=click.Choice([mode.name.lower() for mode in IoMode]),
    default="kept",
    show_default=True,
    help="Input mode to plan a .tflite model for.",
)
@keep_channels_option
@common_options("analyze")
def analyze(output: Output, file: str, input_mode: str, keep_constant_channels: bool) -> None:
    """Show what FILE (.tflite or .rnv) costs, layer by layer and in all.

    A model with ops that cannot be executed gets a table of these instead, and exit code 1.
    """
    data = read_bytes(file)
    if is_package(data):
        package = Package(data, file)
        report = analyze_package(package.content, len(data))
    else:
        try:
            unsupported = check_model(data, file)
        except UnsupportedError as error:  # tensors that the graph cannot even be built with
            output.text(str(error))
            output.json({"file": file, "supported": False, "message": str(error)})
            sys.exit(Exit.NO)
        if unsupported:
            print_unsupported(output, file, unsupported)
            sys.exit(Exit.NO)
        options = CompileOptions(
            input_mode=IoMode[input_mode.upper()],
            drop_constant_channels=not keep_constant_channels,
        )
        report = compile_model(data, file, options).report
    print_layers(output, report)
    output.text()
    print_totals(output, report)
    output.json({"file": file, "supported": True, **report.to_dict()})


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
    output.json({"file": file, "supported": False, "unsupported": [asdict(op) for op in ops]})
