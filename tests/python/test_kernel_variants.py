# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The kernels for computers and the portable ones: both equal the reference, byte for byte.

The native library has the kernels for computers (firmware/core/src/kernels/host). The portable ones
are built here as a second library; they also run in the unit tests and under QEMU.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ranvier.native
from ranvier.compiler.driver import compile_model
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.model import Model
from ranvier.testing import sweep
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

ROOT = Path(__file__).resolve().parents[2]
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
CMAKE = shutil.which("cmake", path=PATH)

#: The ops that have kernels for computers.
OPS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
CASES, FIRST_SEED = 150, 70_000
#: Of every op what varies with the seed, then each row by itself.
TARGETS: tuple[list[str], ...] = ([], ["--isa", "generic", "--max-step-macs", "1"])
#: A symbol of the kernels for computers alone.
MARK = "rnv_wide_dot_columns"

pytest.importorskip("tflite_micro")

Array = NDArray[Any]


def build_portable(folder: Path) -> Path:
    """The native library with the portable kernels, its headers beside it."""
    env = {key: value for key, value in os.environ.items() if key != "CMAKE_GENERATOR"}
    commands: list[list[str | Path]] = [
        ["-S", ROOT / "host" / "native", "-B", folder, "-DRANVIER_KERNELS=s8"],
        ["--build", folder, "--parallel", "2"],
    ]
    for arguments in commands:
        command = [str(CMAKE), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, env={**env, "PATH": PATH})
        assert result.returncode == 0, result.stdout + result.stderr
    for headers in ("core/include/ranvier", "port/posix/include/posix"):
        source = ROOT / "firmware" / headers
        shutil.copytree(source, folder / "include" / source.name)
    return folder / "libranvier.so"


@pytest.mark.skipif(CMAKE is None, reason="no cmake")
def test_portable_kernels_equal_the_reference(tmp_path: Path) -> None:
    path = build_portable(tmp_path)
    assert not hasattr(ctypes.CDLL(str(path)), MARK)
    for op, target in itertools.product(OPS, TARGETS):
        arguments = ["--jobs", "1", "--cases", str(CASES), "--first-seed", str(FIRST_SEED)]
        result = subprocess.run(
            [sys.executable, "-m", "ranvier.testing.sweep", *arguments, "--op", op, *target],
            capture_output=True,
            text=True,
            env={**os.environ, "RANVIER_LIBRARY": str(path)},
        )
        assert result.returncode == 0, result.stdout + result.stderr
        assert "skipped" not in result.stdout
        last = result.stdout.splitlines()[-1].split()
        assert (last[0], last[1], last[-1]) == ("all", str(CASES), "0")


def test_the_native_library_has_the_kernels_for_computers() -> None:
    beside = [Path(folder) / "libranvier.so" for folder in ranvier.native.__path__]
    path = os.environ.get("RANVIER_LIBRARY") or next(p for p in beside if p.exists())
    assert hasattr(ctypes.CDLL(str(path)), MARK)


@pytest.mark.parametrize("op", OPS)
def test_kernels_for_computers_equal_the_reference(op: str) -> None:
    for target in (sweep.VARYING, sweep.Target("generic", None, 1)):
        outcomes = sweep.sweep(range(FIRST_SEED, FIRST_SEED + CASES), op, 1, target)
        assert [outcome.failure for outcome in outcomes if outcome.failure] == []
        assert all(outcome.compared > 0 for outcome in outcomes)


# Depths about the limits of the block on the stack, and about whole vectors


def constants(weights: Array, in_scale: float) -> tuple[Tensor, Tensor]:
    """Filter and bias with a scale for every output channel."""
    count = weights.shape[0]
    scales = [float(np.float32(0.001 * (i + 1))) for i in range(count)]
    quant = Quant(tuple(scales), (0,) * count, 0)
    products = tuple(float(np.float32(in_scale) * np.float32(s)) for s in scales)
    bias = np.arange(count, dtype=np.int32) * 77 - 150
    return (
        Tensor("w", DType.INT8, weights.shape, quant, weights),
        Tensor("b", DType.INT32, (count,), Quant(products, (0,) * count, 0), bias),
    )


def model(kind: str, shape: Sequence[int], weights: Array, out: Sequence[int]) -> bytes:
    """One op without padding whose outputs are spread over all values."""
    in_scale = float(np.float32(0.02))
    depth = int(np.prod(weights.shape[1:]))
    spread = float(np.float32(in_scale * 0.002 * 75 * 75 * depth**0.5 / 60))
    x = Tensor("x", DType.INT8, tuple(shape), Quant((in_scale,), (5,)))
    y = Tensor("y", DType.INT8, tuple(out), Quant((spread,), (-3,)))
    attrs: dict[str, object] = {"fused_activation_function": "NONE"}
    if kind == "CONV_2D":
        attrs |= {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    op = Op(kind, [x, *constants(weights, in_scale)], [y], attrs, 3 if kind == "CONV_2D" else 12, 0)
    return build_tflite(Graph("depths", [op], [x], [y]))


def assert_equals_reference(data: bytes, shape: Sequence[int], rng: np.random.Generator) -> None:
    """On random values and on the lowest, which give the largest products."""
    runner = Model(compile_model(data, "depths.tflite").package)
    oracle = TfliteMicroOracle(data)
    values = rng.integers(-128, 128, shape, np.int8)
    for x in (values, np.full(shape, -128, np.int8)):
        (got,), (want,) = runner.run(x), oracle.run([x])
        assert got.tobytes() == want.tobytes()
    assert len(np.unique(runner.run(values)[0])) > 1


@pytest.mark.parametrize("outputs", [2, 5, 65])
@pytest.mark.parametrize("depth", [1, 15, 16, 17, 2033, 2047, 2048, 2049, 4100])
def test_depths_of_convolutions(depth: int, outputs: int) -> None:
    """5 pixels: a tile of four and one that is left."""
    rng = np.random.default_rng(depth)
    weights = rng.integers(-128, 128, (outputs, 1, 1, depth), np.int8)
    shape = (1, 1, 5, depth)
    data = model("CONV_2D", shape, weights, (1, 1, 5, outputs))
    assert_equals_reference(data, shape, rng)


@pytest.mark.parametrize(("channels", "groups"), [(227, 1), (228, 1), (456, 2), (6, 3)])
def test_depths_of_windows(channels: int, groups: int) -> None:
    """9 x 227 is the last depth of 3x3 windows that fits in the block."""
    rng = np.random.default_rng(channels)
    weights = rng.integers(-128, 128, (3 * groups, 3, 3, channels // groups), np.int8)
    shape = (1, 4, 5, channels)
    data = model("CONV_2D", shape, weights, (1, 2, 3, 3 * groups))
    assert_equals_reference(data, shape, rng)


@pytest.mark.parametrize("outputs", [2, 4, 7])
@pytest.mark.parametrize("depth", [1, 17, 8191, 8192, 8193])
def test_depths_of_fully_connected(depth: int, outputs: int) -> None:
    rng = np.random.default_rng(depth)
    weights = rng.integers(-128, 128, (outputs, depth), np.int8)
    data = model("FULLY_CONNECTED", (3, depth), weights, (3, outputs))
    assert_equals_reference(data, (3, depth), rng)
