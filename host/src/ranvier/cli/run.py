# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier run``."""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ranvier.cli.advice import given_options
from ranvier.cli.device import Target, device_option
from ranvier.cli.device_run import print_device_time, run_once
from ranvier.cli.inputs import Pixels, load_inputs
from ranvier.cli.models import layer_kind, require_package
from ranvier.cli.output import Output, common_options
from ranvier.cli.pictures import draw_boxes, load_picture
from ranvier.cli.streams import run_stream
from ranvier.compiler.report import analyze_package
from ranvier.files import read_bytes, write_bytes
from ranvier.model import Model, Package, StepTime, TensorInfo
from ranvier.results import Detection, counted_label, listed
from ranvier.stages import picture_format, takes_stream

_SHOWN = 8


@click.command()
@click.argument("package", type=click.Path(dir_okay=False))
@click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    required=True,
    type=click.Path(dir_okay=False),
    help="Input file: .npy, .png, .wav, or raw bytes of the input's type. Once for each input.",
)
@click.option("--output", "out", type=click.Path(dir_okay=False), help="Save outputs as .npz.")
@click.option("--pixel-scale", type=float, default=1 / 255, help="PNG: factor.  [default: 1/255]")
@click.option("--pixel-offset", type=float, default=0.0, help="PNG: added.  [default: 0]")
@click.option(
    "--top", type=click.IntRange(1), default=5, show_default=True, help="Best ones shown."
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Sound: hops from one inference to the next.",
)
@click.option(
    "--draw",
    metavar="FILE.png",
    type=click.Path(dir_okay=False),
    help="Objects: the picture with their boxes.",
)
@device_option
@common_options("run")
def run(
    output: Output,
    package: str,
    inputs: tuple[str, ...],
    out: str | None,
    pixel_scale: float,
    pixel_offset: float,
    top: int,
    every: int,
    draw: str | None,
    device: Target | None,
) -> None:
    """Run PACKAGE (.rnv) on this machine with the core that runs on the device, or on a device.

    Float inputs are quantised by the package's scale and zero point; the pixels of a PNG become
    real numbers first (by default 0 to 1), or the frame that the package's stage image takes.
    Times are this machine's, unless --device names a device that has the package.

    A package with the stage audio is given a WAV file, hop by hop, with an inference every so many
    hops; its state is zero at first.
    """
    check_names(out, draw)
    data = read_bytes(package)
    require_package(data, package)
    opened = Package(data, package)
    check_options(opened)
    if takes_stream(opened):
        if device is not None:
            raise click.UsageError(f"{package} takes sound: --device is for others")
        run_stream(output, opened, inputs, every)
        return
    values = values_of(inputs, opened, Pixels(pixel_scale, pixel_offset))
    device_us: int | None = None
    times: list[StepTime] = []
    if device is None:
        results, times = Model(opened).profile(*values)
    else:
        results, device_us = run_once(output, device, opened, values)
    if out is not None:
        save(out, opened.outputs, results)
    objects = listed(results, opened.labels)
    if draw is not None:
        draw_objects(draw, inputs[0], objects)
    if objects is not None:
        print_objects(output, objects)
    else:
        for info, result in zip(opened.outputs, results, strict=True):
            print_output(output, info, result, opened.labels, top)
    if device_us is None:
        print_times(output, opened, times)
    else:
        print_device_time(output, device_us)
    document = {"package": package, "device_us": device_us}
    output.json({**document, **results_value(opened, results, objects, times)})


def results_value(
    package: Package,
    results: list[NDArray[Any]],
    objects: list[Detection] | None,
    times: list[StepTime],
) -> dict[str, Any]:
    """Outputs and times as JSON values."""
    return {
        **({} if objects is None else {"objects": [asdict(each) for each in objects]}),
        "outputs": [
            output_value(info, result, package.labels)
            for info, result in zip(package.outputs, results, strict=True)
        ],
        "steps": [
            {
                "step": t.step,
                "layer": package.content.steps[t.step].op,
                "host_seconds": t.seconds,
            }
            for t in times
        ],
    }


def check_names(out: str | None, draw: str | None) -> None:
    """Wrong usage of file names that would say something else than the file is."""
    for option, path, ending in (("--output", out, ".npz"), ("--draw", draw, ".png")):
        if path is not None and Path(path).suffix.lower() != ending:
            raise click.UsageError(f"{option} writes {ending[1:].upper()}: name {path} {ending}")


def check_options(package: Package) -> None:
    """Wrong usage of options that have no effect for what the package takes."""
    takes = "no sound"
    wrong = given_options(["every"])
    if takes_stream(package):
        takes = "sound"
        wrong = given_options(["out", "draw", "top", "pixel_scale", "pixel_offset"])
    elif picture_format(package) is not None and len(package.inputs) == 1:
        takes = "a camera's picture"
        wrong += given_options(["pixel_scale", "pixel_offset"])
    if wrong:
        raise click.UsageError(f"{package.source} takes {takes}: leave {', '.join(wrong)} out")


def values_of(paths: tuple[str, ...], package: Package, pixels: Pixels) -> list[NDArray[Any]]:
    """One file per input; the first one may be a picture for the package's stage image."""
    pixel_format = picture_format(package)
    if pixel_format is None or not paths:
        return load_inputs(paths, package.inputs, pixels)
    rest = load_inputs(paths[1:], package.inputs[1:], pixels)
    return [load_picture(paths[0], package, pixel_format), *rest]


def draw_objects(target: str, source: str, objects: list[Detection] | None) -> None:
    """Write the picture with boxes; wrong usage where there are none to draw, or no picture."""
    if objects is None:
        raise click.UsageError("--draw is for packages that put out a list of objects")
    if Path(source).suffix.lower() != ".png":
        raise click.UsageError("--draw needs a PNG picture as input")
    draw_boxes(source, target, objects)


def print_objects(output: Output, objects: list[Detection]) -> None:
    """Print a list of objects or classes, the best first."""
    output.text(f"{len(objects)} found")
    if not objects:
        return
    output.table(
        ["label", "score", "box: y0, x0, y1, x1"],
        [
            [o.label, f"{o.score:.4f}", "" if o.box is None else ", ".join(map(str, o.box))]
            for o in objects
        ],
    )
    output.text()


def save(path: str, infos: tuple[TensorInfo, ...], results: list[NDArray[Any]]) -> None:
    """Write outputs as an .npz: ``output_0`` is the first output as the model gives it."""
    buffer = io.BytesIO()
    np.savez(buffer, **{f"output_{i}": result for i, result in enumerate(results)})  # type: ignore[arg-type]
    write_bytes(path, buffer.getvalue())


def classes(result: NDArray[Any], labels: tuple[str, ...]) -> bool:
    """True where the output is one score per label."""
    return bool(labels) and result.size == len(labels)


def output_value(info: TensorInfo, result: NDArray[Any], labels: tuple[str, ...]) -> dict[str, Any]:
    """One output as JSON values."""
    real = info.dequantise(result).ravel()
    value: dict[str, Any] = {
        "name": info.name,
        "dtype": str(info.dtype),
        "shape": list(info.shape),
        "values": real.tolist(),
    }
    if info.quantised:
        value["quantised"] = result.ravel().tolist()
    if classes(result, labels):
        value["label"] = labels[int(np.argmax(real))]
    elif (label := counted_label(result, labels)) is not None:
        value["label"] = label
    return value


def print_output(
    output: Output, info: TensorInfo, result: NDArray[Any], labels: tuple[str, ...], top: int
) -> None:
    """Print the best classes, or the beginning of the values."""
    real = info.dequantise(result).ravel()
    shape = "x".join(map(str, info.shape))
    output.text(f"{info.name}  {info.dtype}[{shape}]")
    if classes(result, labels):
        best = np.argsort(-real, kind="stable")[:top]
        output.table(
            ["label", "score", "raw"],
            [[labels[i], f"{real[i]:.4f}", str(result.ravel()[i])] for i in best],
        )
    else:
        shown = ", ".join(f"{number:.5g}" for number in real[:_SHOWN])
        label = counted_label(result, labels)
        more = f": {label}" if label is not None else ", ..." if real.size > _SHOWN else ""
        output.text(f"  {shown}{more}")
        if real.size == max(info.shape, default=1) > 1:  # a vector: perhaps scores without labels
            best = np.argsort(-real, kind="stable")[:top]
            output.table(
                ["index", "value", "raw"],
                [[str(i), f"{real[i]:.5g}", str(result.ravel()[i])] for i in best],
            )
    output.text()


def print_times(output: Output, package: Package, times: list[StepTime]) -> None:
    """Print the time of each layer on this machine."""
    layers = analyze_package(package.content, len(package.data)).layers
    total = sum(time.seconds for time in times)
    seconds = [0.0] * len(layers)
    for time in times:
        seconds[package.content.steps[time.step].op] += time.seconds
    output.table(
        ["step", "layer", "kernel", "host us", "share"],
        [
            [
                str(layer.step),
                layer_kind(layer),
                layer.op,
                f"{spent * 1e6:.1f}",
                f"{100 * spent / total:.1f} %" if total else "-",
            ]
            for layer, spent in zip(layers, seconds, strict=True)
        ],
    )
    output.text(f"total on this host: {total * 1e6:.1f} us (not a device's time)")
