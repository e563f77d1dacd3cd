# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Real models on a Cortex-M: every output byte equals the reference's and the host's.

Packages of portable weights run on every CPU, packed ones on those that they are packed for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.native.session import NativePackage
from ranvier.package.records import IoMode
from ranvier.testing import qemu
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
class Packing:
    """How to compile, and the CPUs and input modes to try it on."""

    isa: str
    optimize: str
    cpus: tuple[str, ...]
    modes: tuple[IoMode, ...]


DSP_CPUS = ("m4", "m7", "m33")
ANY = tuple(IoMode)
RESIDENT = (IoMode.RESIDENT,)
PACKINGS = (
    Packing("generic", "balanced", tuple(qemu.MACHINES), ANY),
    Packing("dsp", "balanced", DSP_CPUS, ANY),
    Packing("dsp", "speed", DSP_CPUS, RESIDENT),
    Packing("dsp", "memory", DSP_CPUS, RESIDENT),
    Packing("base", "balanced", ("m33-nodsp",), ANY),
)
CASES = [
    pytest.param(cpu, how, mode, id=f"{cpu}-{how.isa}-{how.optimize}-{mode.name.lower()}")
    for how in PACKINGS
    for cpu in how.cpus
    for mode in how.modes
]


@dataclass(frozen=True)
class Expected:
    """Input sets, and what the independent reference makes of them."""

    inputs: tuple[bytes, ...]
    outputs: tuple[bytes, ...]


@cache
def expected(name: str) -> Expected:
    """Run the reference on extreme and seeded random inputs."""
    model = MODELS[name]
    data = model.path.read_bytes()
    content = compile_model(data, model.path.name).content
    (tensor,) = (content.tensors[n] for n in content.entries[0].inputs)
    random = np.random.default_rng(20260101)
    arrays = [np.full(tensor.shape, value, np.int8) for value in (-128, 127)]
    while len(arrays) < model.sets:
        arrays.append(random.integers(-128, 128, tensor.shape, np.int8))
    oracle = TfliteMicroOracle(data)
    outputs = tuple(b"".join(out.tobytes() for out in oracle.run([x])) for x in arrays)
    return Expected(tuple(x.tobytes() for x in arrays), outputs)


@cache
def package(name: str, packing: Packing, mode: IoMode) -> bytes:
    """Compile a model."""
    path = MODELS[name].path
    options = CompileOptions(isa=packing.isa, optimize=packing.optimize, input_mode=mode)
    return compile_model(path.read_bytes(), path.name, options).package


@pytest.mark.parametrize(("firmware", "packing", "mode"), CASES, indirect=["firmware"])
@pytest.mark.parametrize("name", list(MODELS))
def test_outputs_equal_reference_and_host(
    firmware: Firmware, name: str, packing: Packing, mode: IoMode, tmp_path: Path
) -> None:
    if not MODELS[name].path.exists():
        pytest.skip(f"{MODELS[name].path} is not there")
    want = expected(name)
    data = package(name, packing, mode)
    host = NativePackage(data)
    run = run_package(firmware, data, b"".join(want.inputs), tmp_path)
    assert run.outputs == b"".join(want.outputs)
    assert run.outputs == b"".join(b"".join(host.run([x])) for x in want.inputs)
    assert run.sizes["selftest"] == 0
