# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier validate``."""

from __future__ import annotations

import math
import sys

import click

from ranvier.cli.device import Target, device_option
from ranvier.cli.device_run import OnDevice, compare_on_device, print_comparison
from ranvier.cli.inputs import Pixels, load_inputs
from ranvier.cli.models import require_model, require_package
from ranvier.cli.output import Exit, Output, common_options, size
from ranvier.compiler.driver import compile_model
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.testing.oracle import LitertOracle, TfliteMicroOracle
from ranvier.testing.validate import LayerError, Validation, random_inputs
from ranvier.testing.validate import validate as run_validation

_ORACLES = {oracle.name: oracle for oracle in (TfliteMicroOracle, LitertOracle)}
_NAME = 48


@click.command()
@click.argument("model", type=click.Path(dir_okay=False))
@click.argument("package", type=click.Path(dir_okay=False), required=False)
@click.option(
    "--reference",
    type=click.Choice(list(_ORACLES)),
    default=TfliteMicroOracle.name,
    show_default=True,
    help="Interpreter to compare with.",
)
@click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Input file (.npy, .png, raw), once for each input; else random inputs.",
)
@click.option("--count", type=click.IntRange(1), default=10, show_default=True, help="Random sets.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option(
    "--threshold", type=click.FloatRange(0), default=0.0, show_default=True, help="Largest error."
)
@device_option
@common_options("validate")
def validate(
    output: Output,
    model: str,
    package: str | None,
    reference: str,
    inputs: tuple[str, ...],
    count: int,
    seed: int,
    threshold: float,
    device: Target | None,
) -> None:
    """Compare Ranvier with an independent interpreter on MODEL (.tflite), layer by layer.

    PACKAGE is what was compiled from MODEL; without it, MODEL is compiled in memory (for every
    device: to validate --isa or --optimize, compile to a file first and name it). Errors are in LSB
    (floats: units of the value). Exit code 1 where a layer exceeds the threshold and, in a network
    that computes in float32, 1e-5 of its largest value and 1e-6. Layers whose
    tensors MODEL does not have, or whose rows are overwritten as they run, are not compared by
    themselves; those with fewer channels than in MODEL are if PACKAGE was compiled with
    --keep-constant-channels. "step" is the layer's number, as analyze and run have it.

    With --device the same inputs go through PACKAGE on the device too, and its outputs are to be
    those of this machine's core, to the bit.
    """
    if math.isnan(threshold):
        raise click.BadParameter("is not a number", param_hint="--threshold")
    data = read_bytes(model)
    require_model(data, model, f"ranvier validate {package or 'MODEL.tflite'} {model}")
    if package is None:
        opened = Package(compile_model(data, model).package, model)
    else:
        compiled = read_bytes(package)
        require_package(compiled, package)
        opened = Package(compiled, package)
    if inputs:
        sets = [load_inputs(inputs, opened.inputs, Pixels())]
    else:
        sets = random_inputs(opened, count, seed)
    result = run_validation(
        data, opened, _ORACLES[reference](data), sets, filename=model, threshold=threshold
    )
    found = None if device is None else compare_on_device(output, device, opened, sets)
    print_validation(output, result, None if inputs else seed, found)
    if not result.passed or (found is not None and found.differing):
        sys.exit(Exit.NO)


def print_validation(
    output: Output, result: Validation, seed: int | None, found: OnDevice | None = None
) -> None:
    """Print the table and the verdict."""
    output.table(
        ["step", "tensor", "elements", "differing", "max", "mean", "SQNR dB"],
        [_row(layer) for layer in result.layers],
    )
    output.text()
    origin = "given" if seed is None else f"random (seed {seed})"
    first = result.first_divergent
    differing = sum(layer.differing for layer in result.layers if layer.output)
    verdict = (
        "equal" if not differing and first is None else f"{size(differing)} output values differ"
    )
    if differing and first is None and any(layer.tolerance for layer in result.layers):
        verdict += ", within the tolerance of float32"
    output.text(f"{result.inputs} {origin} inputs against {result.reference}: {verdict}")
    others = result.package_layers - result.compared
    rest = f"; the other {others} have no tensor that model and package both have whole"
    output.text(
        f"{result.compared} of {result.package_layers} layers compared{rest if others else ''}"
    )
    if first is not None:
        output.text(f"first divergent layer: step {first.step}, {first.tensor}")
    if found is not None:
        print_comparison(output, found)
    on_device = None if found is None else found.to_dict()
    output.json({**result.to_dict(), "seed": seed, "device": on_device})


def _row(layer: LayerError) -> list[str]:
    name = layer.tensor if len(layer.tensor) <= _NAME else "..." + layer.tensor[3 - _NAME :]
    return [
        str(layer.step),
        name + (" (output)" if layer.output else ""),
        size(layer.elements),
        size(layer.differing),
        f"{layer.max_error:g}",
        f"{layer.mean_error:.3g}",
        f"{layer.sqnr_db:.1f}",
    ]
