# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Float32 on a Cortex-M, with a floating-point unit and without, gives the host's bytes."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from f32_models import float_twin
from ranvier.compiler.driver import compile_model
from ranvier.model import Package
from ranvier.native.session import NativePackage, op_codes
from ranvier.testing.cases import generate
from ranvier.testing.cortexm import Firmware, build, missing_tool, run_package
from ranvier.testing.validate import random_inputs

ROOT = Path(__file__).resolve().parents[3]
DIGITS = ROOT / "models/digits/digits.tflite"
FUNCTIONS = ("SOFTMAX_F32", "LOGISTIC_F32", "TANH_F32", "HARD_SWISH_F32", "LEAKY_RELU_F32")
SUMS = ("CONV_2D_F32", "DEPTHWISE_CONV_2D_F32", "MEAN_F32", "AVERAGE_POOL_2D_F32", "MUL_F32")


@cache
def digits() -> bytes:
    return compile_model(float_twin(DIGITS.read_bytes()), "digits_f32.tflite").package


def test_a_network_gives_the_hosts_bytes(firmware: Firmware, tmp_path: Path) -> None:
    package = Package(digits(), "digits")
    sets = [inputs[0].tobytes() for inputs in random_inputs(package, 3, 5)]
    host = NativePackage(digits())
    run = run_package(firmware, digits(), b"".join(sets), tmp_path)
    assert run.outputs == b"".join(host.run([data])[0] for data in sets)
    assert run.sizes["selftest"] == 0


@pytest.mark.parametrize("op", [*FUNCTIONS, *SUMS])
def test_an_op_gives_the_hosts_bytes(firmware: Firmware, op: str, tmp_path: Path) -> None:
    """Large, tiny and whole numbers, and zeros of both signs."""
    for seed in range(3):
        case = generate(seed, op)
        data = compile_model(case.model, "op.tflite").package
        sets = [b"".join(x.tobytes() for x in inputs) for inputs in case.inputs]
        host = NativePackage(data)
        expected = [host.run([x.tobytes() for x in inputs])[0] for inputs in case.inputs]
        run = run_package(firmware, data, b"".join(sets), tmp_path)
        assert run.outputs == b"".join(expected), case.description
        assert run.sizes["selftest"] == 0


def op_names(data: bytes) -> tuple[str, ...]:
    codes = {op.code for op in Package(data, "digits").content.ops}
    return tuple(name for name, code in op_codes().items() if code in codes)


def symbols(elf: Path) -> set[str]:
    done = subprocess.run(["arm-none-eabi-nm", elf], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()}


@pytest.mark.skipif(missing_tool() is not None, reason="the tools for Cortex-M are not installed")
def test_what_is_linked() -> None:
    """Of a build for one network: in int8 nothing for floats, in float32 no mathematics library."""
    int8 = compile_model(DIGITS.read_bytes(), "digits.tflite").package
    for data, is_f32 in ((int8, False), (digits(), True)):
        found = symbols(build(ROOT, "m33-nodsp", ops=op_names(data)).elf("runner"))
        floats = {name for name in found if re.search(r"_f32|__aeabi_f|__addsf3|__mulsf3", name)}
        assert bool(floats) == is_f32, floats
        assert not {"expf", "exp", "tanhf", "fmaf", "powf", "roundf", "__aeabi_dadd"} & found


def test_the_functions_are_not_trivial() -> None:
    """The cases above reach both sides of every branch of the functions."""
    values = np.concatenate([x[0].ravel() for x in generate(0, "TANH_F32").inputs])
    assert (np.abs(values) > 0.2).any()
    assert ((np.abs(values) < 0.17) & (values != 0)).any()
    assert (values < 0).any()
