# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Real models on a Cortex-M: every output byte equals the reference's and the host's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.native.session import NativePackage
from ranvier.package.records import IoMode
from ranvier.testing.cortexm import Firmware, run_package
from ranvier.testing.oracle import TfliteMicroOracle

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared" / "models"


@dataclass(frozen=True)
class Model:
    """A model file; ``sets`` inputs are run on each CPU, fewer the longer one takes."""

    path: Path
    sets: int


MODELS = {
    "digits": Model(ROOT / "models/digits/digits.tflite", 20),
    "ad": Model(SHARED / "mlperf_ad01_int8.tflite", 100),
    "kws": Model(SHARED / "mlperf_kws_dscnn_int8.tflite", 10),
    "vww": Model(SHARED / "mlperf_vww_mnv1_int8.tflite", 3),
    "ic": Model(SHARED / "mlperf_ic_resnet8_int8.tflite", 3),
}


@dataclass(frozen=True)
class Expected:
    """A package, input sets, and what the independent reference makes of them."""

    package: bytes
    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]


@cache
def expected(name: str, mode: IoMode) -> Expected:
    """Compile a model and run the reference on extreme and seeded random inputs."""
    model = MODELS[name]
    data = model.path.read_bytes()
    result = compile_model(data, model.path.name, CompileOptions(input_mode=mode))
    (tensor,) = (result.content.tensors[n] for n in result.content.entries[0].inputs)
    random = np.random.default_rng(20260101)
    arrays = [np.full(tensor.shape, value, np.int8) for value in (-128, 127)]
    while len(arrays) < model.sets:
        arrays.append(random.integers(-128, 128, tensor.shape, np.int8))
    oracle = TfliteMicroOracle(data)
    outputs = tuple(b"".join(out.tobytes() for out in oracle.run([x])) for x in arrays)
    return Expected(result.package, tuple(x.tobytes() for x in arrays), outputs)


@pytest.mark.parametrize("mode", list(IoMode), ids=lambda mode: mode.name.lower())
@pytest.mark.parametrize("name", list(MODELS))
def test_outputs_equal_reference_and_host(
    firmware: Firmware, name: str, mode: IoMode, tmp_path: Path
) -> None:
    if not MODELS[name].path.exists():
        pytest.skip(f"{MODELS[name].path} is not there")
    want = expected(name, mode)
    host = NativePackage(want.package)
    run = run_package(firmware, want.package, b"".join(want.inputs), tmp_path)
    assert run.outputs == b"".join(want.outputs)
    assert run.outputs == b"".join(b"".join(host.run([x])) for x in want.inputs)
    assert run.sizes["selftest"] == 0
