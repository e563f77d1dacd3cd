# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Chains of layers, packed for a core without extensions, against TensorFlow Lite Micro.

From the model file to the outputs: layouts, streams, and the portable twins of the kernels, which
decode the same streams (tests/cortexm/kernels_base compares them with the assembly).
"""

from __future__ import annotations

import numpy as np
import pytest

from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import Graph, Quant, Tensor
from ranvier.model import Model
from ranvier.native.session import op_codes
from ranvier.package.records import Isa
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

pytest.importorskip("tflite_micro")

CHAINS = 60
GOALS = ("speed", "balanced", "memory")
KERNELS = {
    "POINTWISE_BASE_S8",
    "CONV_PLANES_BASE_S8",
    "CONV_PIXELS_BASE_S8",
    "FULLY_CONNECTED_BASE_S8",
}


def requantised(make: Maker, x: Tensor, low: float, high: float) -> Tensor:
    """Give the output of the last op a scale with which it does not saturate everywhere."""
    scale = float(np.float32(make.rng.uniform(low, high)))
    x.quant = Quant((scale,), (make.rng.choice([-128, make.rng.randint(-60, 60)]),))
    return x


def convolution(make: Maker, x: Tensor, kernel: int, stride: int) -> Tensor:
    """Mostly few channels, of any number modulo 4."""
    rng = make.rng
    channels = rng.randint(1, 19) if rng.random() < 0.8 else rng.randint(20, 65)
    activation = rng.choice(["NONE", "RELU", "RELU6"])
    padding = rng.choice(["SAME", "VALID"])
    y = make.conv(x, channels, kernel, padding, activation, stride)
    return requantised(make, y, 0.05, 0.6)


def chain(seed: int) -> Graph:
    """A first convolution, one to three more, a fully connected layer."""
    make = Maker(seed)
    rng = make.rng
    x = make.input((1, rng.randint(9, 14), rng.randint(9, 14), rng.randint(1, 5)))
    x = convolution(make, x, rng.randint(1, 3), rng.randint(1, 2))
    for _ in range(rng.randint(1, 3)):
        wide = min(x.shape[1:3]) >= 3
        x = convolution(make, x, rng.choice([1, 1, 2, 3]) if wide else 1, 1)
    x = make.reshape(x, (1, x.elements))
    return make.graph(requantised(make, make.fully_connected(x, rng.randint(1, 19)), 0.5, 2.0))


def test_chains_equal_the_reference() -> None:
    names = {code: name for name, code in op_codes().items()}
    used: set[str] = set()
    for seed in range(CHAINS):
        graph = chain(seed)
        data = build_tflite(graph)
        options = CompileOptions(isa="base", optimize=GOALS[seed % len(GOALS)])
        result = compile_model(data, f"chain-{seed}.tflite", options)
        assert result.content.isa == Isa.BASE
        used |= {names[op.code] for op in result.content.ops}
        model, oracle = Model(result.package), TfliteMicroOracle(data)
        rng = np.random.default_rng(seed)
        for _ in range(3):
            image = rng.integers(-128, 128, graph.inputs[0].shape).astype(np.int8)
            (got,), (want,) = model.run(image), oracle.run([image])
            assert (got == want).all(), seed
    assert used >= KERNELS
