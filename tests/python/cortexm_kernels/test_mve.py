# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The MVE kernels on a Cortex-M55: assembly on random operands, and random models of one op."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from kernel_programs import ROOT, build, run

from ranvier.compiler.driver import CompileOptions
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.package.records import IoMode
from ranvier.testing import cortexm
from ranvier.testing.cases import Case, convolution, draw, generate
from ranvier.testing.cases.window import Window
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from sliced_ops import WINDOWED, in_slices

CPU = "m55"
LEAST_CASES = 3000
FIRST_SEED = 40_000
#: Models of each op.
CASES = {
    "CONV_2D": 30,
    "DEPTHWISE_CONV_2D": 30,
    "FULLY_CONNECTED": 20,
    "ADD": 20,
    "MUL": 10,
    "MEAN": 15,
    "SOFTMAX": 10,
    "AVERAGE_POOL_2D": 15,
    "MAX_POOL_2D": 10,
}


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    """Skip everything where a tool is missing."""
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)


@pytest.fixture(scope="module")
def firmware() -> cortexm.Firmware:
    """The runner with every op."""
    return cortexm.build(ROOT, CPU)


def test_assembly() -> None:
    stdout = run(build("kernels_mve", CPU, CPU) / "mve_test.elf", CPU)
    counts = dict(line.rsplit(" ", 1) for line in stdout.splitlines())
    assert int(counts["cases"]) >= LEAST_CASES
    assert int(counts["failures"]) == 0


def test_the_runner_has_the_kernels(firmware: cortexm.Firmware) -> None:
    symbols = subprocess.run(
        ["arm-none-eabi-nm", str(firmware.elf("runner"))],
        capture_output=True,
        text=True,
        check=True,
    )
    assert " rnv_mve_tile_3\n" in symbols.stdout


def assert_equals_reference(
    firmware: cortexm.Firmware, case: Case, scratch: Path, part: float = 1.0
) -> None:
    """Of a case, with every op in slices of at most this part of its rows."""
    pytest.importorskip("tflite_micro")
    oracle = TfliteMicroOracle(case.model)
    expected = b"".join(out.tobytes() for x in case.inputs for out in oracle.run(x))
    inputs = b"".join(array.tobytes() for x in case.inputs for array in x)
    options = CompileOptions(input_mode=IoMode.RESIDENT, drop_constant_channels=False)
    package = in_slices(case.model, part, options).package
    got = cortexm.run_package(firmware, package, inputs, scratch).outputs
    assert got == expected, f"seed {case.seed}: {case.description}"


@pytest.mark.parametrize("op", list(CASES))
def test_random_models(firmware: cortexm.Firmware, op: str, tmp_path: Path) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + CASES[op]):
        assert_equals_reference(firmware, generate(seed, op), tmp_path)


@pytest.mark.parametrize("op", WINDOWED)
def test_slices(firmware: cortexm.Firmware, op: str, tmp_path: Path) -> None:
    """Single rows, and a few: tiles and pairs of rows then begin elsewhere."""
    for seed in range(FIRST_SEED, FIRST_SEED + 30):
        for part in (0.0, 0.4):
            assert_equals_reference(firmware, generate(seed, op), tmp_path, part)


@pytest.mark.parametrize("part", [1.0, 0.4, 0.0])
@pytest.mark.parametrize("op", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_windows_of_whole_vectors(
    firmware: cortexm.Firmware,
    op: str,
    part: float,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Channels and windows that real networks have: 3x3, and 16 channels or a few more."""

    def channels(self: draw.Draw) -> int:
        return self.pick((4, 8, 16, 17, 31, 32, 33, 48, 64, 70))

    def draw_window(self: draw.Draw, largest: int, dilated: bool) -> Window:
        side = self.pick((3, 3, 3, 1, 2, 5))
        stride = self.pick((1, 1, 2))
        dilation = self.pick((1, 1, 1, 2))
        padding = self.pick(("SAME", "SAME", "VALID"))
        return Window((side, 3), (stride, stride), (dilation, dilation), padding)

    monkeypatch.setattr(draw.Draw, "channels", channels)
    monkeypatch.setattr(convolution, "draw_window", draw_window)
    for seed in range(FIRST_SEED, FIRST_SEED + 30):
        assert_equals_reference(firmware, generate(seed, op), tmp_path, part)


@pytest.mark.parametrize("depth", [15, 16, 17, 40])
def test_mean_of_more_values_than_a_vector_has(
    firmware: cortexm.Firmware, depth: int, tmp_path: Path
) -> None:
    """Three groups of axes, of which the last one are neighbours in memory."""
    x = Tensor("x", DType.INT8, (2, 3, 2, 2, depth), Quant((0.5,), (3,)))
    axes = Tensor("axes", DType.INT32, (3,), data=np.array([0, 2, 4], np.int32))
    y = Tensor("y", DType.INT8, (3, 2), Quant((0.05,), (-7,)))
    op = Op("MEAN", [x, axes], [y], {"keep_dims": False}, 2, 0)
    data = np.random.default_rng(depth).integers(-128, 128, x.shape).astype(np.int8)
    model = build_tflite(Graph("mean", [op], [x], [y]))
    case = Case(depth, "MEAN", "three groups", model, ((data,),), TfliteMicroOracle.name)
    assert_equals_reference(firmware, case, tmp_path)
