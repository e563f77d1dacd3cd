# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The models that are measured, compiled for every input mode, with inputs and expected outputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.files import read_bytes
from ranvier.model import Package, TensorInfo
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.testing.oracle import TfliteMicroOracle

Array = NDArray[Any]

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


@dataclass(frozen=True)
class Subject:
    """A model with its packages, its input sets, and what the reference makes of each of them."""

    name: str
    model: bytes
    compiled: Mapping[IoMode, CompileResult]
    inputs: tuple[tuple[Array, ...], ...]
    expected: tuple[bytes, ...]

    @property
    def macs(self) -> int:
        """Multiply-accumulates of one inference."""
        return self.compiled[IoMode.KEPT].report.macs

    @property
    def ops(self) -> tuple[str, ...]:
        """Names of the device ops that the packages use."""
        used = {op.code for op in self.compiled[IoMode.KEPT].content.ops}
        return tuple(name for name, code in op_codes().items() if code in used)

    def package(self, mode: IoMode) -> bytes:
        """The package for an input mode."""
        return self.compiled[mode].package


def model_paths(root: Path) -> dict[str, Path]:
    """The models that are there, by name; the MLPerf Tiny four lie beside the repository."""
    paths = {name: root / path for name, path in OWN.items()}
    paths |= {name: root.parent / "shared" / "models" / path for name, path in MLPERF.items()}
    return {name: path for name, path in paths.items() if path.exists()}


def load(name: str, path: Path, count: int) -> Subject:
    """Compile a model and run the reference on ``count`` input sets: lowest, highest, random."""
    model = read_bytes(path)
    compiled = {
        mode: compile_model(model, path.name, CompileOptions(input_mode=mode)) for mode in IoMode
    }
    infos = Package(compiled[IoMode.KEPT].package, path.name).inputs
    rng = np.random.default_rng(SEED)
    sets = [
        tuple(_filled(info, np.iinfo(info.dtype).min) for info in infos),
        tuple(_filled(info, np.iinfo(info.dtype).max) for info in infos),
    ]
    while len(sets) < count:
        sets.append(tuple(_random(rng, info) for info in infos))
    oracle = TfliteMicroOracle(model)
    expected = tuple(b"".join(out.tobytes() for out in oracle.run(values)) for values in sets)
    return Subject(name, model, compiled, tuple(sets), expected)


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
