# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The bounds of every channel: TensorFlow Lite Micro stays within them, and reaches them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from constant_channels import constant_channels, extreme_inputs, kill
from random_models import Maker, random_graph
from ranvier.compiler.driver import PASSES
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.compiler.intervals import Interval, intervals, reaches_outside
from ranvier.compiler.passes import fuse_tables, make_tables
from ranvier.compiler.tflite import read_tflite
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite


def bounds_by_index(model: bytes) -> dict[int, Interval]:
    """Bounds after the passes, by the tensors' numbers in the file."""
    graph = read_tflite(model, "model.tflite")
    for change in PASSES:
        change(graph)
    found = intervals(graph)
    written = {tensor for op in graph.ops for tensor in op.outputs}
    return {t.index: interval for t, interval in found.items() if t in written and t.index >= 0}


@pytest.mark.parametrize("seed", range(60))
def test_values_lie_within_the_bounds(seed: int) -> None:
    graph = random_graph(seed)
    constant_channels(graph, seed)
    model = build_tflite(graph)
    bounds = bounds_by_index(model)
    oracle = TfliteMicroOracle(model)
    for inputs in extreme_inputs(graph, seed, 4):
        for index, values in oracle.tensors(inputs).items():
            if index in bounds:
                within = bounds[index].spread(values.size)
                flat = values.reshape(-1)
                assert (within.low <= flat).all(), (seed, index)
                assert (flat <= within.high).all(), (seed, index)


def test_random_graphs_have_bounds_that_say_something() -> None:
    """Of tensors written by each kind of op with a rule, some have bounds tighter than int8."""
    tight: set[str] = set()
    for seed in range(60):
        graph = random_graph(seed)
        constant_channels(graph, seed)
        make_tables.run(graph)
        fuse_tables.run(graph)
        for tensor, interval in intervals(graph).items():
            producer = graph.producer(tensor)
            if producer is not None and (interval.high - interval.low < 255).any():
                tight.add(producer.kind)
    assert {"CONV_2D", "DEPTHWISE_CONV_2D", "LUT", "MAX_POOL_2D", "RESHAPE"} <= tight


def layer(make: Maker, kind: str, x: Tensor) -> Tensor:
    if kind == "FULLY_CONNECTED":
        return make.fully_connected(make.reshape(x, (1, x.elements)), 6)
    if kind == "DEPTHWISE_CONV_2D":
        return make.depthwise(x, 3, "VALID")
    y = make.conv(x, 6, 3, "VALID")
    if kind == "grouped":
        op = make.ops[-1]
        filters = op.inputs[1]
        assert filters is not None
        assert filters.data is not None
        filters.data = np.ascontiguousarray(filters.data[..., :2])
        filters.shape = filters.data.shape
    return y


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("end", ["low", "high"])
@pytest.mark.parametrize("kind", ["CONV_2D", "grouped", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_are_reached(seed: int, kind: str, end: str, bias: bool) -> None:
    """One window of inputs between the bounds of a table: the worst inputs give the bounds."""
    make = Maker(seed)
    x = make.input((1, 3, 3, 4))
    squeezed = make.clamp("RELU", x)
    y = layer(make, kind, squeezed)
    filters = make.ops[-1].inputs[1]
    assert filters is not None
    if not bias:
        del make.ops[-1].inputs[2]
    y.quant = Quant((float(np.float32(0.4)),), (7,))
    graph = make.graph(y)
    model = build_tflite(graph)
    make_tables.run(graph)
    found = intervals(graph)
    assert x.quant is not None
    low, high = x.quant.zero_point, 127
    assert found[squeezed].low.tolist() == [low]
    assert found[squeezed].high.tolist() == [high]
    assert filters.data is not None
    for channel in range(y.shape[-1]):
        ends = (low, high) if end == "low" else (high, low)
        picked = worst_input(kind, filters.data, channel, ends)
        (got,) = TfliteMicroOracle(model).run([picked.reshape(1, 3, 3, 4)])
        assert got.reshape(-1)[channel] == getattr(found[y], end)[channel]
    assert (found[y].high - found[y].low < 255).any(), "clamped everywhere: nothing is tested"


def worst_input(kind: str, weights: Any, channel: int, ends: tuple[int, int]) -> Any:
    """Where the weight is positive the first, else the second; for grouped, of its group."""
    positive, negative = ends
    values = np.full((3, 3, 4), 50, np.int8)
    if kind == "DEPTHWISE_CONV_2D":
        values[..., channel] = np.where(weights[0, ..., channel] > 0, positive, negative)
    elif kind == "grouped":
        first = channel // 3 * 2
        values[..., first : first + 2] = np.where(weights[channel] > 0, positive, negative)
    else:
        values = np.where(weights[channel].reshape(3, 3, 4) > 0, positive, negative)
    return values.astype(np.int8)


def one_weight(weight: int, bias: int, real: float, zero_point: int = 0) -> tuple[Graph, Tensor]:
    """A 1x1 convolution of one channel whose multiplier is ``real``."""
    make = Maker()
    x = make.input((1, 1, 1, 1))
    x.quant = Quant((1.0,), (0,))
    y = make.conv(x, 1, 1)
    y.quant = Quant((1.0,), (zero_point,))
    _, filters, biases = make.ops[-1].inputs
    assert filters is not None
    assert biases is not None
    filters.data = np.full((1, 1, 1, 1), weight, np.int8)
    filters.quant = Quant((real,), (0,))
    biases.data = np.array([bias], np.int32)
    return make.graph(y), y


@pytest.mark.parametrize(
    ("weight", "bias", "real", "expected"),
    [
        (1, 2**31 - 1 - 127, 2.0**-10, (127, 127)),
        (1, 2**31 - 127, 2.0**-10, (-128, 127)),  # the sum wraps
        (1, -(2**31) + 128, 2.0**-10, (-128, -128)),
        (1, -(2**31) + 127, 2.0**-10, (-128, 127)),
        (0, 2**20, 2.0**9, (127, 127)),
        (0, 2**20, 2.0**10, (-128, 127)),  # 2**20 << 11, which wraps
        (0, -(2**20), 2.0**10, (-128, -128)),
        (2, 5, 0.25, (-63, 65)),  # (-256 + 5) / 4 and (254 + 5) / 4, rounded
        (-2, 5, 0.25, (-62, 66)),  # 261 / 4, rounded twice
    ],
)
def test_sums_that_wrap_have_no_bounds(
    weight: int, bias: int, real: float, expected: tuple[int, int]
) -> None:
    graph, y = one_weight(weight, bias, real)
    bounds = intervals(graph)[y]
    assert (bounds.low.tolist(), bounds.high.tolist()) == ([expected[0]], [expected[1]])


@pytest.mark.parametrize(("zero_point", "lowest"), [(1, 127), (100, -128)])
def test_zero_points_that_make_outputs_wrap_leave_no_bounds(zero_point: int, lowest: int) -> None:
    """The multiplier is 1 - 2**-31: the sum stays 2**31 - 2."""
    graph, y = one_weight(0, 2**31 - 1, 1 - 362 * 2.0**-24, zero_point)
    x = graph.inputs[0]
    x.quant = Quant((1 + 181 * 2.0**-23,), (0,))
    bounds = intervals(graph)[y]
    assert (bounds.low.tolist(), bounds.high.tolist()) == ([lowest], [127])


@pytest.mark.parametrize(
    ("kernel", "padding", "stride", "dilation", "outside"),
    [
        (1, "SAME", 1, 1, False),
        (3, "VALID", 1, 1, False),
        (3, "SAME", 1, 1, True),
        (3, "SAME", 2, 1, True),
        (2, "SAME", 2, 1, False),
        (2, "SAME", 1, 1, True),  # only at the bottom and on the right
        (1, "SAME", 1, 4, False),
        (2, "SAME", 1, 2, True),
    ],
)
def test_windows_that_reach_outside(
    kernel: int, padding: str, stride: int, dilation: int, outside: bool
) -> None:
    make = Maker()
    make.conv(make.input((1, 6, 6, 2)), 2, kernel, padding, stride=stride)
    op = make.ops[-1]
    op.attrs |= {"dilation_h_factor": dilation, "dilation_w_factor": dilation}
    assert reaches_outside(op) == outside


@pytest.mark.parametrize(
    ("strides", "dilations", "outside"),
    [
        ((2, 2), (1, 1), False),
        ((1, 2), (1, 1), True),
        ((2, 1), (1, 1), True),
        ((2, 2), (2, 1), True),
        ((2, 2), (1, 2), True),
    ],
)
def test_windows_that_reach_outside_on_one_side(
    strides: tuple[int, int], dilations: tuple[int, int], outside: bool
) -> None:
    """Of two taps the last one, below or on the right."""
    make = Maker()
    make.conv(make.input((1, 6, 6, 2)), 2, 2, "SAME")
    op = make.ops[-1]
    op.attrs |= {"stride_h": strides[0], "stride_w": strides[1]}
    op.attrs |= {"dilation_h_factor": dilations[0], "dilation_w_factor": dilations[1]}
    assert reaches_outside(op) == outside


@pytest.mark.parametrize("sides", [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)])
def test_a_fused_pad_lies_outside(sides: tuple[int, ...]) -> None:
    make = Maker()
    make.conv(make.input((1, 6, 6, 2)), 2, 1, "VALID")
    make.ops[-1].attrs["_pad"] = sides
    assert reaches_outside(make.ops[-1])


def test_the_zero_point_outside_widens_the_bounds() -> None:
    """A constant input other than the zero point gives a sum that differs at the border."""
    for padding, constant in (("SAME", False), ("VALID", True)):
        make = Maker(1)
        x = make.conv(make.input((1, 5, 5, 2)), 1, 1)
        _, filters, biases = make.ops[-1].inputs
        assert filters is not None
        assert biases is not None
        filters.data = np.zeros((1, 1, 1, 2), np.int8)
        biases.data = np.array([2000], np.int32)
        y = make.conv(x, 1, 3, padding)
        bounds = intervals(make.graph(y))
        assert bounds[x].low == bounds[x].high
        assert (bounds[y].low == bounds[y].high) == constant


def test_pools_clamp() -> None:
    make = Maker(4)
    x = make.input((1, 2, 2, 3))
    y = make.max_pool(x)
    make.ops[-1].attrs["fused_activation_function"] = "RELU"
    bounds = intervals(make.graph(y))[y]
    assert x.quant is not None
    assert bounds.low.tolist() == [x.quant.zero_point] * 3
    assert bounds.high.tolist() == [127] * 3


def test_each_group_has_the_bounds_of_its_inputs() -> None:
    make = Maker(3)
    x = make.conv(make.input((1, 2, 2, 3)), 4, 1)
    for channel in (0, 1):
        kill(make.ops[-1], channel, "above")
    y = make.conv(x, 6, 1)
    filters = make.ops[-1].inputs[1]
    assert filters is not None
    assert filters.data is not None
    filters.data = np.ascontiguousarray(filters.data[..., :2])
    filters.shape = filters.data.shape
    y.quant = Quant((0.3,), (0,))
    bounds = intervals(make.graph(y))[y]
    assert (bounds.low == bounds.high).tolist() == [True] * 3 + [False] * 3


def test_rows_of_another_length() -> None:
    bounds = Interval(np.array([1, 2, 3, 4]), np.array([5, 7, 6, 8]))
    assert bounds.spread(8).low.tolist() == [1, 2, 3, 4, 1, 2, 3, 4]
    assert bounds.spread(2).low.tolist() == [1, 2]
    assert bounds.spread(2).high.tolist() == [6, 8]
    assert bounds.spread(3).low.tolist() == [1, 1, 1]
    assert bounds.spread(3).high.tolist() == [8, 8, 8]


def test_ops_without_a_rule_have_no_bounds() -> None:
    make = Maker()
    x = make.input((1, 2, 2, 4))
    y = make.binary("ADD", x, make.unary("LOGISTIC", x))
    graph = make.graph(make.unary("SOFTMAX", y))
    graph.ops.append(Op("DEQUANTIZE", [y], [make.tensor(y.shape, dtype=DType.FLOAT32)]))
    bounds = intervals(graph)
    assert all((b.low.tolist(), b.high.tolist()) == ([-128], [127]) for b in bounds.values())
    assert graph.ops[-1].outputs[0] not in bounds
