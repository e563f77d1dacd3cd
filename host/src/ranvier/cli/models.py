# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finding out what a file is, and the report table that several commands print."""

from __future__ import annotations

import click

from ranvier.cli.output import Output, size
from ranvier.compiler.report import Report
from ranvier.errors import InputError
from ranvier.package.format import MAGIC

keep_channels_option = click.option(
    "--keep-constant-channels",
    is_flag=True,
    help="Compute channels that have one value for every input too.",
)


def is_package(data: bytes) -> bool:
    """True for the bytes of a ``.rnv`` package."""
    return data[:4] == MAGIC.to_bytes(4, "little")


def is_tflite(data: bytes) -> bool:
    """True for the bytes of a ``.tflite`` model."""
    return data[4:8] == b"TFL3"


def require_package(data: bytes, path: str) -> None:
    """Raise :class:`InputError` where ``data`` is a model that has yet to be compiled."""
    if is_tflite(data):
        raise InputError(
            f"{path}: is a TensorFlow Lite model, not a package",
            remedy=f"compile it first: ranvier compile {path} -o model.rnv",
        )


def print_layers(output: Output, report: Report) -> None:
    """Print the per-layer table."""
    output.table(
        ["step", "layer", "kernel", "output", "MACs", "parameters", "activations", "scratch", ""],
        [
            [
                str(layer.step),
                layer.kind or "-",
                layer.op,
                f"{layer.dtype}[{'x'.join(map(str, layer.shape))}]",
                size(layer.macs),
                "-" if layer.parameters is None else size(layer.parameters),
                size(layer.activation_bytes),
                size(layer.scratch_bytes),
                " ".join(
                    word
                    for word, holds in (
                        ("in-place", layer.in_place),
                        ("<- peak", layer.step == report.peak_step),
                    )
                    if holds
                ),
            ]
            for layer in report.layers
        ],
    )


def print_totals(output: Output, report: Report) -> None:
    """Print what the model needs in all."""
    peak = report.layers[report.peak_step]
    parameters = "-" if report.parameters is None else size(report.parameters)
    output.text(f"MACs        {size(report.macs)}")
    if report.removed_channels > 0:
        output.text(
            f"channels    {size(report.removed_channels)} that never change are left out; with "
            f"them {size(report.macs_before)} MACs"
        )
    output.text(f"parameters  {parameters}")
    output.text(
        f"RAM         {size(report.ram_bytes)} bytes ({report.input_mode} inputs): arena "
        f"{size(report.arena_bytes)} + inputs {size(report.input_bytes)} + outputs "
        f"{size(report.output_bytes)} + state {size(report.state_bytes)} + view "
        f"{size(report.view_bytes)}"
    )
    output.text(
        f"arena       peak at step {report.peak_step} ({peak.kind or peak.op}); lower bound "
        f"{size(report.lower_bound)}, gap {size(report.gap)}"
    )
    output.text(
        f"flash       {size(report.flash_bytes)} bytes, of these weight streams "
        f"{size(report.weight_bytes)}"
    )
