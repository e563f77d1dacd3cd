# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import click

from ranvier.cli.advice import given_options
from ranvier.cli.analysis import analysis_of, analysis_options
from ranvier.cli.compile import check_paths
from ranvier.cli.fit import print_fit
from ranvier.cli.models import print_layers, print_step_limit, print_totals
from ranvier.cli.output import Exit, Output, common_options, size
from ranvier.cli.tasks import print_tasks
from ranvier.files import read_bytes, write_files
from ranvier.package.reader import read_trailer
from ranvier.report.analyze_page import Analysis, analyze_html
from ranvier.report.dot import graph_dot
from ranvier.report.tables import layers_csv


@click.command()
@click.argument("file", type=click.Path(dir_okay=False), required=False)
@click.option(
    "--tasks",
    metavar="TASKS.toml",
    type=click.Path(dir_okay=False),
    help="Instead of FILE: can these jobs meet their deadlines?",
)
@analysis_options
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
    files = Files(html, csv_file, dot)
    if tasks is not None and file is None and not any(files) and not given_options(chosen):
        if not print_tasks(output, tasks):
            sys.exit(Exit.NO)
        return
    if file is None or tasks is not None:
        raise click.UsageError("give a FILE, or --tasks TASKS.toml alone")
    check_paths(file, *files, None)
    data = read_bytes(file)
    found = analysis_of(output, file, data, **chosen)
    analysis, report, fit = found.analysis, found.analysis.report, found.analysis.fit
    write_files(files.contents(analysis))
    print_layers(output, report)
    output.text()
    print_totals(output, report)
    print_step_limit(output, report)
    trailer = read_trailer(found.package, file)
    key_id = f"{trailer.key_id:08x}" if trailer.signed else None
    print_security(output, key_id, analysis.content.security_version)
    print_trade(output, analysis)
    if fit is not None:
        print_fit(output, fit, report, is_model=found.is_model)
    output.json({**_value(file, analysis), "key_id": key_id})
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


def _value(file: str, analysis: Analysis) -> dict[str, Any]:
    """All of it as JSON values."""
    columns = ("predicted", "ram_bytes", "arena_bytes", "flash_bytes")
    value = {
        "file": file,
        "supported": True,
        **analysis.report.to_dict(),
        "security_version": analysis.content.security_version,
        "trade": {goal: {c: getattr(other, c) for c in columns} for goal, other in analysis.trade},
    }
    return value if analysis.fit is None else {**value, "fit": analysis.fit.to_dict()}


def print_security(output: Output, key_id: str | None, security_version: int) -> None:
    """Who signed the package, and its security version, where it has any."""
    if key_id is not None or security_version != 0:
        signed = "not signed" if key_id is None else f"signed with the key {key_id}"
        output.text(f"{signed}, security version {security_version}")


def print_trade(output: Output, analysis: Analysis) -> None:
    """What each goal of optimisation costs."""
    if not analysis.trade:
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
                "<- this one" if goal == analysis.goal else "",
            ]
            for goal, report in analysis.trade
        ],
    )
    output.text(
        "balanced, the default, takes a faster kernel only where it costs little RAM and saves\n"
        "64 instructions for each byte of flash; memory takes the least RAM, whatever the flash."
    )
