# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finding out what a file is, and the report table that several commands print."""

from __future__ import annotations

from typing import Any

import click

from ranvier.cli.output import Output, size
from ranvier.compiler.driver import CPUS, PACKINGS
from ranvier.compiler.optimize import Goal
from ranvier.compiler.pipeline.options import Pipeline, pipeline_of, read_pipeline
from ranvier.compiler.report import EntryReport, Layer, Report
from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.package.format import MAGIC


class _IsaChoice(click.Choice):  # type: ignore[type-arg]
    """A choice of packings; whoever names something else is told which processor wants which."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click does, with more words."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            raise click.BadParameter(f"{error.message} {CPUS}", ctx, param) from None


isa_option = click.option(
    "--isa",
    type=_IsaChoice(list(PACKINGS)),
    default="generic",
    show_default=True,
    help="Instruction set to pack weights for. dsp: Cortex-M4, M7, M33 (DSP extension). base: "
    "Cortex-M33 without it. generic: every device; the fastest on Cortex-M55 with MVE.",
)
optimize_option = click.option(
    "--optimize",
    type=click.Choice([goal.value for goal in Goal]),
    default=Goal.BALANCED.value,
    show_default=True,
    help="What packed programs (--isa dsp, base) are made for. speed: the fewest instructions, "
    "whatever RAM and flash they cost. memory: the least RAM; flash may grow. balanced: faster "
    "kernels where they cost little RAM and save 64 instructions for each byte of flash.",
)
keep_channels_option = click.option(
    "--keep-constant-channels",
    is_flag=True,
    help="Compute channels that have one value for every input too.",
)

max_step_macs_option = click.option(
    "--max-step-macs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Split steps of more multiply-accumulates, by rows: a more urgent job waits for at most "
    "one step.",
)

pre_option = click.option(
    "--pre",
    multiple=True,
    metavar="STAGE[:OPTION=VALUE,...]",
    help="Add a stage before the network, in order: image, normalize, audio.",
)
post_option = click.option(
    "--post",
    multiple=True,
    metavar="STAGE[:OPTION=VALUE,...]",
    help="Add a stage after the network, in order: softmax, top_k, detect, nms, smooth, ...",
)
pipeline_option = click.option(
    "--pipeline",
    type=click.Path(dir_okay=False),
    help="TOML file of stages before and after the network (PIPELINES.md), instead of --pre and "
    "--post.",
)


def read_stages(pre: tuple[str, ...], post: tuple[str, ...], path: str | None) -> Pipeline | None:
    """The pipeline that options name; None where they name none."""
    if path is not None and (pre or post):
        raise click.UsageError("give --pipeline, or --pre and --post")
    if path is not None:
        return read_pipeline(read_bytes(path), path)
    return pipeline_of(pre, post) if pre or post else None


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


def require_model(data: bytes, path: str, command: str) -> None:
    """Raise :class:`InputError` where ``data`` is a package instead of a model."""
    if is_package(data):
        raise InputError(
            f"{path}: is a package, not a TensorFlow Lite model",
            remedy=f"name the model first: {command}",
        )


def layer_kind(layer: Layer) -> str:
    """The op of the model that a layer is, or what else it is."""
    if layer.kind is None:
        return "-"
    return layer.kind if layer.sources else "(added)"


def print_layers(output: Output, report: Report) -> None:
    """Print the per-layer table, with predicted instructions where they are known."""
    known = any(layer.predicted for layer in report.layers)
    instructions = ["instructions"] if known else []
    output.table(
        [
            *("step", "layer", "kernel", "output", "MACs", *instructions, "parameters"),
            *("activations", "scratch", ""),
        ],
        [
            [
                str(layer.step),
                layer_kind(layer),
                layer.op,
                f"{layer.dtype}[{'x'.join(map(str, layer.shape))}]",
                size(layer.macs),
                *([size(layer.predicted) if layer.predicted else "-"] if known else []),
                "-" if layer.parameters is None else size(layer.parameters),
                size(layer.activation_bytes),
                size(layer.scratch_bytes),
                _marks(layer, layer.step == report.peak_step),
            ]
            for layer in report.layers
        ],
    )


def _marks(layer: Layer, peak: bool) -> str:
    marks = ["in-place"] if layer.in_place else []
    if layer.slices > 1:
        marks.append(f"{layer.slices} slices")
    if layer.npu_steps:
        marks.append("npu")
    if peak:
        marks.append("<- peak")
    return " ".join(marks)


def print_totals(output: Output, report: Report) -> None:
    """Print what the model needs in all."""
    peak = report.layers[report.peak_step]
    peak_kind = peak.kind if peak.kind and peak.sources else peak.op
    parameters = "-" if report.parameters is None else size(report.parameters)
    if len(report.entries) > 1:
        output.text(f"entries     {', '.join(map(_described, report.entries))}")
    output.text(f"MACs        {size(report.macs)}")
    if report.predicted:
        output.text(
            f"predicted   {size(report.predicted)} instructions an inference ({report.isa} kernels)"
        )
    elif report.isa == "generic" and report.macs:
        output.text(
            "packing     generic, for every device; faster where it fits: --isa dsp (Cortex-M4, "
            "M7, M33), base (M33 without DSP)"
        )
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
        f"arena       peak at step {report.peak_step} ({peak_kind}); lower bound "
        f"{size(report.lower_bound)}, gap {size(report.gap)}"
    )
    output.text(
        f"flash       {size(report.flash_bytes)} bytes, of these weight streams "
        f"{size(report.weight_bytes)}"
    )


def _described(entry: EntryReport) -> str:
    """An entry point with the layers that it runs."""
    first, last = entry.layers[0], entry.layers[-1]
    return f"{entry.name} ({first})" if first == last else f"{entry.name} ({first} to {last})"


def print_step_limit(output: Output, report: Report) -> None:
    """Print the largest step, and what a limit of steps led to, if there is one."""
    largest = report.layers[report.largest_step]
    steps = sum(layer.slices for layer in report.layers)
    output.text(
        f"steps       {size(steps)}, the largest {size(largest.step_macs)} MACs "
        f"(layer {largest.step} {largest.op})"
    )
    limit = report.step_limit
    if limit is None:
        return
    unit = "MACs" if limit.unit == "macs" else "us"
    extra = report.arena_bytes - limit.whole_arena_bytes
    slower = sum(layer.predicted for layer in report.layers) - limit.whole_predicted
    predicted = f", {slower:+,} instructions predicted" if limit.whole_predicted else ""
    output.text(
        f"limit       {limit.most:,.10g} {unit} a step: {size(steps - limit.whole_steps)} steps "
        f"more, arena {extra:+,} bytes{predicted}"
    )
    for number, cost in limit.over:
        layer = report.layers[number]
        output.text(
            f"warning     layer {number} {layer.op} has a step of {cost:,.10g} {unit}, which "
            "cannot be split any further"
        )
