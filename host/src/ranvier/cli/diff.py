# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier diff``."""

from __future__ import annotations

import sys
from dataclasses import replace

import click

from ranvier.cli.advice import given_options
from ranvier.cli.models import is_package, isa_option, optimize_option
from ranvier.cli.output import Exit, Output, common_options, size
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.report import analyze_package
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.package.records import IoMode
from ranvier.report.compare import Comparison, Figure, Side, compare

_MOST_LABELS = 8


@click.command()
@click.argument("a", type=click.Path(dir_okay=False))
@click.argument("b", type=click.Path(dir_okay=False))
@isa_option
@optimize_option
@click.option(
    "--input",
    "input_mode",
    type=click.Choice([mode.name.lower() for mode in IoMode]),
    help="Input mode to compile models for.  [default: the package's, else kept]",
)
@common_options("diff")
def diff(output: Output, a: str, b: str, isa: str, optimize: str, input_mode: str | None) -> None:
    """Show what differs between A and B, packages (.rnv) or models (.tflite).

    Layers, shapes, quantisation, how many bytes of weights; RAM, flash, instructions; what callers
    depend on, and what a hot swap would do with persistent state. A model is compiled first, beside
    a package as that was: for its instruction set and its input mode, with its labels. Names and
    versions are compared of packages only. Exit code 0 where both are the same, else 1.
    """
    data = [read_bytes(path) for path in (a, b)]
    packages = [
        Package(content, path) if is_package(content) else None
        for content, path in zip(data, (a, b), strict=True)
    ]
    given = given_options(("isa", "optimize", "input_mode"))
    options = CompileOptions(isa=isa, optimize=optimize, input_mode=input_mode or "kept")
    if None not in packages and given:
        raise click.UsageError(f"both are packages; for models only: {', '.join(given)}")
    for package in filter(None, packages):
        options = _beside(package, options, "--isa" not in given)
        if input_mode is None:
            options = replace(options, input_mode=package.content.io_mode)
    sides = [
        _side(package, content, path, options)
        for package, content, path in zip(packages, data, (a, b), strict=True)
    ]
    found = compare(*sides)
    _print(output, found, (a, b))
    output.json({"a": a, "b": b, **found.to_dict()})
    if not found.same:
        sys.exit(Exit.NO)


def _beside(package: Package, options: CompileOptions, own_isa: bool) -> CompileOptions:
    """The options with what a package says of how it was compiled."""
    content = package.content
    return replace(
        options,
        isa=content.isa.name.lower() if own_isa else options.isa,
        version=content.version,
        labels=content.labels,
        strip_names=not any(op.name for op in content.ops),
    )


def _side(package: Package | None, data: bytes, path: str, options: CompileOptions) -> Side:
    if package is not None:
        content = package.content
        return Side(content, analyze_package(content, len(data)), named=True)
    result = compile_model(data, path, replace(options, name="model"))
    return Side(result.content, result.report, named=False)


def _print(output: Output, found: Comparison, paths: tuple[str, str]) -> None:
    if found.same:
        output.text(f"{paths[0]} and {paths[1]} are the same: {found.same_layers} layers")
        return
    output.text(f"A  {paths[0]}")
    output.text(f"B  {paths[1]}")
    output.text()
    output.table(["", "A", "B", "difference"], [_figure(figure) for figure in found.figures])
    output.text()
    total = found.same_layers + len(found.layers)
    weights = f"; {size(found.weights_changed)} bytes of weights differ" * bool(
        found.weights_changed
    )
    output.text(f"layers: {found.same_layers} of {total} are the same{weights}")
    if found.layers:
        output.table(
            ["A", "B", "layer", "what differs"],
            [
                [_number(one.a), _number(one.b), one.name, "; ".join(one.changes)]
                for one in found.layers
            ],
        )
    output.text()
    if found.interface_same:
        output.text("entry points: the same; callers of A can call B")
    if found.input_mode_differs:
        output.text("input mode: another one; callers of A have to give inputs to B another way")
    for entry in found.entries:
        output.text(f"entry point {entry.name}: {'; '.join(entry.changes)}")
    for change in found.labels[:_MOST_LABELS]:
        output.text(change)
    if len(found.labels) > _MOST_LABELS:
        output.text(f"and {len(found.labels) - _MOST_LABELS} labels more")
    output.text(f"state: {found.state}")


def _figure(figure: Figure) -> list[str]:
    a, b = figure.a, figure.b
    if isinstance(a, int) and isinstance(b, int):
        return [figure.what, size(a), size(b), f"{b - a:+,}" if a != b else ""]
    cells = [
        "-" if value is None else size(value) if isinstance(value, int) else value
        for value in (a, b)
    ]
    return [figure.what, *cells, "" if figure.same else "differs"]


def _number(layer: int | None) -> str:
    return "-" if layer is None else str(layer)
