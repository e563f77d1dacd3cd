# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The models that are measured, their inputs and expected outputs, and packages made of them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from variants import Variant

from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.errors import RanvierError, ToolError
from ranvier.files import read_bytes
from ranvier.model import Package, TensorInfo
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.testing.oracle import TfliteMicroOracle

Array = NDArray[Any]

#: Mode of everything that is measured in one mode only.
MODE = IoMode.RESIDENT
#: Seed of every model's random inputs.
SEED = 20260101
#: Largest side of the blocks of equal values in a random input, as a power of two.
_BLOCK_BITS = 6

#: Model files below the repository, then below the folder of the MLPerf Tiny models.
OWN: Mapping[str, str] = {"digits": "models/digits/digits.tflite"}
MLPERF: Mapping[str, str] = {
    "kws": "mlperf_kws_dscnn_int8.tflite",
    "vww": "mlperf_vww_mnv1_int8.tflite",
    "ic": "mlperf_ic_resnet8_int8.tflite",
    "ad": "mlperf_ad01_int8.tflite",
}
NAMES = (*OWN, *MLPERF)


@dataclass(frozen=True)
class Model:
    """A model file with input sets and what the reference makes of each of them.

    ``has_constants``: the compiler leaves channels out, because they never change.
    """

    name: str
    filename: str
    data: bytes
    has_constants: bool
    inputs: tuple[tuple[Array, ...], ...]
    expected: tuple[bytes, ...]


@dataclass(frozen=True)
class Subject:
    """A model compiled in one way, for one input mode or all of them."""

    model: Model
    variant: Variant
    all_channels: bool
    compiled: Mapping[IoMode, CompileResult]

    @property
    def title(self) -> str:
        """The model's name, and whether channels that never change were left in."""
        return f"{self.model.name}, all channels" if self.all_channels else self.model.name

    @property
    def key(self) -> str:
        """Name in the budget, without the CPU."""
        channels = "-all" if self.all_channels else ""
        return f"{self.model.name}{channels}/{self.variant.key}"

    @property
    def result(self) -> CompileResult:
        """The package of the mode that is measured most."""
        return self.compiled[MODE]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one inference that are left in the package."""
        return self.result.report.macs

    @property
    def nominal_macs(self) -> int:
        """Multiply-accumulates of the model as it was trained."""
        return self.result.report.macs_before

    @property
    def ops(self) -> tuple[str, ...]:
        """Names of the device ops that the packages use."""
        used = {op.code for result in self.compiled.values() for op in result.content.ops}
        return tuple(name for name, code in op_codes().items() if code in used)


def model_paths(root: Path) -> dict[str, Path]:
    """The models that are there, by name; the MLPerf Tiny four lie beside the repository."""
    paths = {name: root / path for name, path in OWN.items()}
    paths |= {name: root.parent / "shared" / "models" / path for name, path in MLPERF.items()}
    return {name: path for name, path in paths.items() if path.exists()}


def load(name: str, path: Path, count: int) -> Model:
    """Make ``count`` input sets (lowest, highest, random) and run the reference on them."""
    data = read_bytes(path)
    plain = compile_model(data, path.name, CompileOptions())
    infos = Package(plain.package, path.name).inputs
    rng = np.random.default_rng(SEED)
    sets = [
        tuple(_filled(info, np.iinfo(info.dtype).min) for info in infos),
        tuple(_filled(info, np.iinfo(info.dtype).max) for info in infos),
    ]
    while len(sets) < count:
        sets.append(tuple(_random(rng, info) for info in infos))
    oracle = TfliteMicroOracle(data)
    expected = tuple(b"".join(out.tobytes() for out in oracle.run(values)) for values in sets)
    has_constants = plain.report.removed_channels > 0
    return Model(name, path.name, data, has_constants, tuple(sets), expected)


def subjects_of(
    models: Sequence[Model], variants: Sequence[Variant], modes: Sequence[IoMode]
) -> list[Subject]:
    """Compile models in every variant, in processes; twice where channels can be left out."""
    jobs = [
        (model, variant, all_channels)
        for model in models
        for variant in variants
        for all_channels in ((False, True) if model.has_constants else (False,))
    ]
    spawn = multiprocessing.get_context("spawn")  # threads of the reference survive no fork
    with ProcessPoolExecutor(mp_context=spawn) as pool:
        running = [
            {mode: pool.submit(_compiled, model, variant, mode, all_channels) for mode in modes}
            for model, variant, all_channels in jobs
        ]
        return [
            Subject(*job, {mode: result.result() for mode, result in results.items()})
            for job, results in zip(jobs, running, strict=True)
        ]


def compiled(
    model: Model, variant: Variant, modes: Sequence[IoMode], *, all_channels: bool
) -> Subject:
    """Compile a model in one variant."""
    results = {mode: _compiled(model, variant, mode, all_channels) for mode in modes}
    return Subject(model, variant, all_channels, results)


def _compiled(model: Model, variant: Variant, mode: IoMode, all_channels: bool) -> CompileResult:
    try:
        return compile_model(model.data, model.filename, variant.options(mode, all_channels))
    except RanvierError as error:
        what = f"{model.name}, {variant.key}, {mode.name.lower()}"
        raise ToolError(f"{what}: {error.message}") from error


def _filled(info: TensorInfo, value: int) -> Array:
    return np.full(info.shape, value, info.dtype)


def _random(rng: np.random.Generator, info: TensorInfo) -> Array:
    """Random values of a random range, in blocks of a random size.

    Independent values over the whole range all look alike to a network that averages: its output
    would hardly depend on the input.
    """
    limits = np.iinfo(info.dtype)
    low, high = sorted(rng.integers(limits.min, limits.max, 2, endpoint=True))
    side = 1 << int(rng.integers(0, _BLOCK_BITS))
    values = rng.integers(low, high, info.shape, info.dtype, endpoint=True)
    for axis in range(1, min(3, values.ndim)):  # not the channels of an image
        values = values.take(np.arange(values.shape[axis]) // side, axis)
    return np.ascontiguousarray(values)
