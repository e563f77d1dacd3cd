# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs with channels that never change, as training leaves them, and inputs at the extremes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from random_models import Array, Maker
from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.ops.convolution import CHANNEL_AXIS

WAYS = ("zero", "shift", "above", "below", "nothing")
"""How a filter can be dead: no weights, a scale of nothing, saturated, or at the zero point."""


def extreme_inputs(graph: Graph, seed: int, count: int) -> Iterator[list[Array]]:
    """Random inputs, and those at both ends of int8."""
    rng = np.random.default_rng(seed)
    for low, high in [(-128, -128), (127, 127), (-128, 127)] + [(None, None)] * count:
        if low is None:
            yield [rng.integers(-128, 128, t.shape).astype(np.int8) for t in graph.inputs]
        else:
            yield [
                np.where(rng.random(t.shape) < 0.5, low, high).astype(np.int8) for t in graph.inputs
            ]


def constant_channels(graph: Graph, seed: int, share: float = 0.5) -> None:
    """Make a share of all filters of the graph's convolutions dead, in different ways."""
    rng = random.Random(seed)
    for op in graph.ops:
        if op.kind in CHANNEL_AXIS:
            for channel in range(op.outputs[0].shape[-1]):
                if rng.random() < share:
                    kill(op, channel, rng.choice(WAYS))


def kill(op: Op, channel: int, way: str) -> None:
    """Make one filter of an op dead."""
    weights, bias = op.inputs[1], op.inputs[2]
    assert weights is not None
    assert weights.data is not None
    index: list[Any] = [slice(None)] * 4
    index[CHANNEL_AXIS[op.kind]] = channel
    part = tuple(index[: weights.data.ndim])
    if way in ("zero", "nothing"):
        weights.data[part] = 0
    if way == "shift":
        _rescale(weights, channel, 1e-9)
    elif bias is not None and bias.data is not None:
        if way in ("above", "below"):
            bias.data[channel] = (1 << 24) * (1 if way == "above" else -1)
        elif way == "nothing":
            bias.data[channel] = 0


def _rescale(weights: Tensor, channel: int, factor: float) -> None:
    assert weights.quant is not None
    scales = list(weights.quant.scales)
    scales[channel] = float(np.float32(scales[channel] * factor))
    weights.quant = replace(weights.quant, scales=tuple(scales))


def chain(seed: int) -> Graph:
    """Convolutions of every sort after each other, some filters dead, perhaps with a branch."""
    make = Maker(seed)
    rng = make.rng
    x = make.conv(make.input((1, 8, 7, 3)), rng.randint(2, 8), stride=rng.choice([1, 2]))
    outputs = []
    for _ in range(rng.randint(1, 4)):
        x = _link(make, x)
        if rng.random() < 0.1:
            outputs.append(x)
        if rng.random() < 0.2:  # a second reader
            outputs.append(make.conv(x, 3, rng.choice([1, 3])))
    if rng.random() < 0.7:
        x = average_pool(make, x, rng.choice([(1, 1), x.shape[1:3]]))
        flat = make.reshape(x, (1, x.elements))
        x = make.fully_connected(flat, 5)
        if rng.random() < 0.5:
            x = make.fully_connected(x, 4)
    else:
        x = make.conv(x, 4, 1)
    graph = make.graph(x, *outputs)
    constant_channels(graph, seed, rng.choice([0.2, 0.5, 0.9, 1.0]))
    for op in graph.ops:
        if op.kind in CHANNEL_AXIS and op.kind != "FULLY_CONNECTED" and rng.random() < 0.15:
            del op.inputs[2]  # TensorFlow Lite Micro ends on a DEPTHWISE_CONV_2D with None
    return graph


def average_pool(make: Maker, x: Tensor, size: tuple[int, ...]) -> Tensor:
    attrs = {
        "padding": "VALID",
        "stride_h": 1,
        "stride_w": 1,
        "filter_height": size[0],
        "filter_width": size[1],
        "fused_activation_function": "NONE",
    }
    batch, height, width, depth = x.shape
    shape = (batch, height - size[0] + 1, width - size[1] + 1, depth)
    return make.op("AVERAGE_POOL_2D", [x], make.tensor(shape, x.quant), attrs, 2)


def _link(make: Maker, x: Tensor) -> Tensor:
    rng = make.rng
    activation = rng.choice(["NONE", "RELU", "RELU6"])
    match rng.randint(0, 8):
        case 0 | 1:
            return make.conv(x, rng.randint(1, 8), 1, activation=activation)
        case 2 | 3:
            return make.depthwise(x, 3, activation=activation)
        case 4:
            kernel = min(2, *x.shape[1:3])
            return make.conv(x, rng.randint(1, 6), kernel, "VALID", activation)
        case 5:
            return make.conv(x, rng.randint(1, 6), 3, activation=activation)
        case 6:
            return make.unary(rng.choice(["LOGISTIC", "LEAKY_RELU", "RELU"]), x)
        case 7:
            padded = make.pad(x, [[0, 0], [1, 0], [0, 1], [0, 0]])
            return make.conv(padded, 3, rng.choice([1, 2]), "VALID")
        case _:
            return make.binary("ADD", x, x) if rng.random() < 0.3 else make.max_pool(x)
