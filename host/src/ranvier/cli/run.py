# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier run``."""

from __future__ import annotations

import io
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ranvier.cli.inputs import Pixels, load_inputs
from ranvier.cli.models import layer_kind, require_package
from ranvier.cli.output import Output, common_options
from ranvier.compiler.report import analyze_package
from ranvier.files import read_bytes, write_bytes
from ranvier.model import Model, Package, StepTime, TensorInfo

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
    help="Input file: .npy, .png, or raw bytes of the input's type. Once for each input.",
)
@click.option("--output", "out", type=click.Path(dir_okay=False), help="Save outputs as .npz.")
@click.option("--pixel-scale", type=float, default=1 / 255, help="PNG: factor.  [default: 1/255]")
@click.option("--pixel-offset", type=float, default=0.0, help="PNG: added.  [default: 0]")
@click.option(
    "--top", type=click.IntRange(1), default=5, show_default=True, help="Best ones shown."
)
@common_options("run")
def run(
    output: Output,
    package: str,
    inputs: tuple[str, ...],
    out: str | None,
    pixel_scale: float,
    pixel_offset: float,
    top: int,
) -> None:
    """Run PACKAGE (.rnv) on this machine with the core that runs on the device.

    Float inputs are quantised by the package's scale and zero point; the pixels of a PNG become
    real numbers first (by default 0 to 1). Times are this machine's, not a device's.
    """
    data = read_bytes(package)
    require_package(data, package)
    opened = Package(data, package)
    values = load_inputs(inputs, opened.inputs, Pixels(pixel_scale, pixel_offset))
    results, times = Model(opened).profile(*values)
    if out is not None:
        save(out, opened.outputs, results)
    for info, result in zip(opened.outputs, results, strict=True):
        print_output(output, info, result, opened.labels, top)
    print_times(output, opened, times)
    output.json(
        {
            "package": package,
            "outputs": [
                output_value(info, result, opened.labels)
                for info, result in zip(opened.outputs, results, strict=True)
            ],
            "steps": [
                {"step": t.step, "layer": step.op, "host_seconds": t.seconds}
                for t, step in zip(times, opened.content.steps, strict=True)
            ],
        }
    )


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
        output.text(f"  {shown}{', ...' if real.size > _SHOWN else ''}")
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
    for step, time in zip(package.content.steps, times, strict=True):
        seconds[step.op] += time.seconds
    output.table(
        ["step", "layer", "host us", "share"],
        [
            [
                str(layer.step),
                layer_kind(layer),
                f"{spent * 1e6:.1f}",
                f"{100 * spent / total:.1f} %" if total else "-",
            ]
            for layer, spent in zip(layers, seconds, strict=True)
        ],
    )
    output.text(f"total on this host: {total * 1e6:.1f} us (not a device's time)")
