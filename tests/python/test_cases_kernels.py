# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Failures of kernels that users of such systems have reported, each a small model of its own.

The numbers are those of the list of reported failures that the project keeps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.errors import ModelError, UnsupportedError
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

Array = NDArray[Any]
NONE = {"fused_activation_function": "NONE"}


def f32(value: float) -> float:
    return float(np.float32(value))


def int8(name: str, shape: Sequence[int], scale: float = 0.05, zero_point: int = 0) -> Tensor:
    return Tensor(name, DType.INT8, tuple(shape), Quant((f32(scale),), (zero_point,)))


def constant(
    name: str, data: Array, dtype: DType, scales: Sequence[float], axis: int = 0
) -> Tensor:
    quant = Quant(tuple(f32(s) for s in scales), (0,) * len(scales), axis)
    return Tensor(name, dtype, data.shape, quant, data.astype(dtype.numpy))


def graph(kind: str, inputs: Sequence[Tensor], y: Tensor, attrs: Any, version: int = 1) -> bytes:
    fed = [t for t in inputs if t.data is None]
    op = Op(kind, list(inputs), [y], attrs, version, 0)
    return build_tflite(Graph("case", [op], list(dict.fromkeys(fed)), [y]))


def random_int8(shape: Sequence[int], seed: int) -> Array:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def assert_equals_reference(model: bytes, inputs: Sequence[Sequence[Array]]) -> list[Array]:
    """All input modes give the reference's bytes; returns the last outputs."""
    oracle = TfliteMicroOracle(model)
    outputs: list[Array] = []
    for mode in IoMode:
        runner = Model(compile_model(model, "case.tflite", CompileOptions(input_mode=mode)).package)
        for values in inputs:
            outputs = runner.run(*values)
            expected = oracle.run(values)
            assert [a.tobytes() for a in outputs] == [a.tobytes() for a in expected]
    return outputs


def window(padding: str, stride: tuple[int, int] = (1, 1), **more: Any) -> dict[str, Any]:
    return {"padding": padding, "stride_h": stride[0], "stride_w": stride[1]} | NONE | more


def out_size(size: int, kernel: int, stride: int, padding: str) -> int:
    return -(-size // stride) if padding == "SAME" else (size - kernel) // stride + 1


def convolution(
    batch: int, size: tuple[int, int], kernel: int, stride: tuple[int, int], padding: str, kind: str
) -> bytes:
    """A per-channel convolution of 5 channels to 6 (depthwise: to 10)."""
    depthwise = kind == "DEPTHWISE_CONV_2D"
    shape = (1, kernel, kernel, 10) if depthwise else (6, kernel, kernel, 5)
    axis = 3 if depthwise else 0
    scales = [0.002 * (i + 1) for i in range(shape[axis])]
    x = int8("x", (batch, *size, 5), 0.02, 7)
    w = constant("w", random_int8(shape, 1), DType.INT8, scales, axis)
    data = np.random.default_rng(2).integers(-3000, 3000, shape[axis])
    b = constant("b", data, DType.INT32, [0.02 * s for s in scales])
    rows, columns = (out_size(size[i], kernel, stride[i], padding) for i in (0, 1))
    y = int8("y", (batch, rows, columns, shape[axis]), 0.06, -11)
    attrs = window(padding, stride) | ({"depth_multiplier": 2} if depthwise else {})
    return graph(kind, [x, w, b], y, attrs, 3)


# 6, 7: fully connected


def fully_connected_model(
    weights: Array, scales: Sequence[float], zero_point: int = 0, rows: int = 1, bias: Any = None
) -> bytes:
    count, depth = weights.shape
    x, y = int8("x", (rows, depth), 0.05, 3), int8("y", (rows, count), 0.4, -5)
    w = constant("w", weights, DType.INT8, scales)
    w.quant = Quant(tuple(map(f32, scales)), (zero_point,) * len(scales))
    data = np.zeros(count) if bias is None else np.asarray(bias)
    b = constant("b", data, DType.INT32, [0.05 * s for s in scales])
    return graph("FULLY_CONNECTED", [x, w, b], y, NONE, 12 if len(scales) > 1 else 4)


@pytest.mark.parametrize(("zero_point", "extreme"), [(-10, 127), (10, -128)])
def test_6_fully_connected_with_a_filter_zero_point(zero_point: int, extreme: int) -> None:
    """Right where all differences fit int8, else refused when compiled."""
    weights = np.random.default_rng(6).integers(-100, 101, (7, 20)).astype(np.int8)
    weights[0, 0] = extreme + zero_point
    model = fully_connected_model(weights, [0.01], zero_point)
    x = random_int8((1, 20), 7)
    (y,) = Model(compile_model(model, "fc.tflite").package).run(x)
    real = (x.astype(int) - 3) @ (weights.astype(int) - zero_point).T * (0.05 * 0.01 / 0.4)
    exact = np.clip(np.rint(real - 5), -128, 127)
    assert np.abs(y - exact).max() <= 1
    assert np.count_nonzero(y != exact) <= 1
    weights[0, 0] = extreme
    model = fully_connected_model(weights, [0.01], zero_point)
    with pytest.raises(UnsupportedError, match="FULLY_CONNECTED") as raised:
        compile_model(model, "fc.tflite")
    assert raised.value.remedy


def test_7_fully_connected_with_scales_for_each_channel() -> None:
    scales = [0.001 * 1.7**i for i in range(9)]
    model = fully_connected_model(random_int8((9, 33), 8), scales, bias=range(-400, 500, 100))
    inputs = [[random_int8((1, 33), seed)] for seed in range(8)]
    assert_equals_reference(model, inputs)


def test_7_fully_connected_of_another_number_of_scales_is_refused() -> None:
    model = fully_connected_model(random_int8((9, 33), 8), [0.01] * 4)
    with pytest.raises(ModelError, match=r"\[9, 33\] INT8 has 4 scales along its dimension 0"):
        compile_model(model, "fc.tflite")


# 11: batches


@pytest.mark.parametrize("batch", [2, 3])
@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_11_batches_of_convolutions(kind: str, batch: int) -> None:
    for kernel, stride, padding in ((1, (1, 1), "SAME"), (3, (2, 1), "SAME"), (2, (1, 2), "VALID")):
        model = convolution(batch, (5, 6), kernel, stride, padding, kind)
        inputs = [[random_int8((batch, 5, 6, 5), seed)] for seed in range(3)]
        assert_equals_reference(model, inputs)


def test_11_batches_of_fully_connected() -> None:
    model = fully_connected_model(random_int8((4, 10), 9), [0.02], rows=3)
    assert_equals_reference(model, [[random_int8((3, 10), seed)] for seed in range(3)])


@pytest.mark.parametrize("kind", ["AVERAGE_POOL_2D", "MAX_POOL_2D"])
def test_11_batches_of_pools(kind: str) -> None:
    x, y = int8("x", (2, 5, 6, 3)), int8("y", (2, 3, 3, 3))
    attrs = window("SAME", (2, 2), filter_height=3, filter_width=2)
    model = graph(kind, [x], y, attrs, 2)
    assert_equals_reference(model, [[random_int8((2, 5, 6, 3), seed)] for seed in range(3)])


def test_11_each_image_of_a_batch_is_as_it_is_alone() -> None:
    both = Model(
        compile_model(convolution(2, (5, 6), 3, (1, 1), "SAME", "CONV_2D"), "b2.tflite").package
    )
    one = Model(
        compile_model(convolution(1, (5, 6), 3, (1, 1), "SAME", "CONV_2D"), "b1.tflite").package
    )
    images = random_int8((2, 5, 6, 5), 10)
    (together,) = both.run(images)
    alone = [one.run(images[i : i + 1])[0] for i in range(2)]
    assert together.tobytes() == np.concatenate(alone).tobytes()


# 12: broadcasting


SHAPES = [(3,), (1,), (2, 3), (2, 1), (1, 3), (4, 2, 3), (4, 1, 1), (1, 2, 1), (2, 4, 2, 3)]
SHAPES += [(2, 1, 2, 1), (1, 1, 1, 3), (1, 4, 1, 1)]


@pytest.mark.parametrize("kind", ["ADD", "MUL"])
@pytest.mark.parametrize("first", SHAPES, ids=str)
def test_12_broadcasting_of_every_pair_of_ranks(kind: str, first: tuple[int, ...]) -> None:
    for second in SHAPES:
        x, z = int8("x", first, 0.05, 4), int8("z", second, 0.03, -9)
        y = int8("y", np.broadcast_shapes(first, second), 0.07 if kind == "ADD" else 0.2, 6)
        model = graph(kind, [x, z], y, NONE, 2)
        assert_equals_reference(model, [[random_int8(first, 1), random_int8(second, 2)]])


@pytest.mark.parametrize("kind", ["ADD", "MUL"])
@pytest.mark.parametrize("constant_first", [True, False])
def test_12_a_vector_of_13_against_its_like_of_rank_3(kind: str, constant_first: bool) -> None:
    x, y = int8("x", (1, 1, 13), 0.05, 4), int8("y", (1, 1, 13), 0.1, 6)
    c = constant("c", random_int8((13,), 3), DType.INT8, [0.04])
    operands = [c, x] if constant_first else [x, c]
    model = graph(kind, operands, y, NONE, 2)
    assert_equals_reference(model, [[random_int8((1, 1, 13), seed)] for seed in range(4)])


# 18: pointwise convolution with a stride


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [(2, 2), (1, 2), (2, 1), (3, 2)])
@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_18_pointwise_with_a_stride(kind: str, stride: tuple[int, int], padding: str) -> None:
    for size in ((6, 6), (5, 7), (1, 4)):
        model = convolution(1, size, 1, stride, padding, kind)
        assert_equals_reference(model, [[random_int8((1, *size, 5), 4)]])


# 20, 53: softmax


def softmax(shape: Sequence[int], scale: float = 0.1, beta: float = 1.0) -> bytes:
    x, y = int8("x", shape, scale, 5), int8("y", shape, 1 / 256, -128)
    return graph("SOFTMAX", [x], y, {"beta": beta}, 2)


def test_20_softmax_normalises_each_row() -> None:
    data = random_int8((4, 10), 20)
    (y,) = assert_equals_reference(softmax((4, 10)), [[data]])
    sums = (y.astype(int) + 128).sum(axis=1)
    assert np.abs(sums - 256).max() <= 10
    single = Model(compile_model(softmax((1, 10)), "one.tflite").package)
    assert all(single.run(data[i : i + 1])[0].tobytes() == y[i].tobytes() for i in range(4))


@pytest.mark.parametrize("depth", [1, 2, 255, 256, 257, 1024, 4095])
def test_53_softmax_of_any_length(depth: int) -> None:
    """The last elements differ from the rest, so that what is left unwritten shows."""
    data = np.full((2, depth), -128, np.int8)
    data[0, -1], data[1, 0] = 127, 127
    (y,) = assert_equals_reference(softmax((2, depth), 0.2), [[data]])
    assert y[0, -1] == y[1, 0] == y.max()


def test_53_softmax_of_more_is_refused_when_compiled() -> None:
    with pytest.raises(UnsupportedError, match="4096 values in a row, limit 4095"):
        compile_model(softmax((2, 4096), 0.2), "softmax.tflite")


# 24: average pool


@pytest.mark.parametrize("value", [-128, 127, -1, 0, 1])
@pytest.mark.parametrize("size", [1, 2, 17])
def test_24_average_of_equal_values_is_that_value(size: int, value: int) -> None:
    x, y = int8("x", (1, 17, 17, 2)), int8("y", (1, 17, 17, 2))
    attrs = window("SAME", filter_height=size, filter_width=size)
    model = graph("AVERAGE_POOL_2D", [x], y, attrs, 2)
    (out,) = assert_equals_reference(model, [[np.full((1, 17, 17, 2), value, np.int8)]])
    assert set(out.ravel().tolist()) == {value}


def test_24_average_rounds_halves_away_from_zero() -> None:
    x, y = int8("x", (1, 1, 2, 4)), int8("y", (1, 1, 1, 4))
    attrs = window("VALID", (2, 2), filter_height=1, filter_width=2)
    model = graph("AVERAGE_POOL_2D", [x], y, attrs, 2)
    data = np.array([[1, -1, 127, -128], [2, -2, 126, -127]], np.int8).reshape(1, 1, 2, 4)
    (out,) = assert_equals_reference(model, [[data]])
    assert out.ravel().tolist() == [2, -2, 127, -128]


def test_24_large_windows_of_extremes() -> None:
    x, y = int8("x", (1, 34, 34, 1)), int8("y", (1, 2, 2, 1))
    attrs = window("VALID", (17, 17), filter_height=17, filter_width=17)
    model = graph("AVERAGE_POOL_2D", [x], y, attrs, 2)
    rng = np.random.default_rng(24)
    inputs = [[rng.choice([-128, 127], (1, 34, 34, 1)).astype(np.int8)] for _ in range(20)]
    assert_equals_reference(model, inputs)


# 25, 51: requantisation


def accumulators_model(values: Sequence[int], scales: tuple[float, float, float]) -> bytes:
    """One output for each accumulator: the input is at its zero point, the bias is the sum."""
    count = len(values)
    x, y = int8("x", (1, 1), scales[0], 3), int8("y", (1, count), scales[2], 0)
    w = constant("w", np.ones((count, 1)), DType.INT8, [scales[1]])
    b = constant("b", np.array(values), DType.INT32, [scales[0] * scales[1]])
    return graph("FULLY_CONNECTED", [x, w, b], y, NONE, 4)


AT_ZERO_POINT = [[np.array([[3]], np.int8)]]


def test_25_accumulator_585() -> None:
    """585 x .05296 x .02409 / .11484 = 6.4990, which the stated double rounding makes 7.

    The first rounding gives 416, in units of 1/64: 6.5, which the second rounds away from zero.
    """
    scales = (0.05296, 0.02409, 0.11484)
    (y,) = assert_equals_reference(accumulators_model([585, -585], scales), AT_ZERO_POINT)
    multiplier = f32(scales[0]) * f32(scales[1]) / f32(scales[2])
    assert round(585 * multiplier * 64) == 416
    assert round(585 * multiplier, 3) == 6.499
    assert y.tolist() == [[7, -7]]


def doubly_rounded(accumulator: int, multiplier: float) -> int:
    """Nearest (ties up) in Q31 first, then nearest (ties away from zero), as SPEC.md says."""
    fraction, exponent = math.frexp(multiplier)
    factor = int(fraction * 2**31 + 0.5)
    shifted = accumulator * 2 ** max(exponent, 0)
    high = (shifted * factor + 2**30) // 2**31
    step = 2 ** max(-exponent, 0)
    return (abs(high) + step // 2) // step * (1 if high >= 0 else -1)


@pytest.mark.parametrize("output_scale", [0.11484, 0.5, 1.0, 3.0, 0.0009, 700.0])
def test_51_negative_products_are_rounded_as_positive_ones(output_scale: float) -> None:
    """Small sums of both signs, ties, and extremes, against the formula and the reference."""
    unit = f32(0.5) * f32(0.25)
    ties = [round((k + 0.5) * output_scale / unit) for k in range(-40, 40)]
    ends = [2**20, -(2**20), 2**15 - 1, -(2**15) - 1]
    values = sorted({*range(-70, 71), *ties, *ends})
    model = accumulators_model(values, (0.5, 0.25, output_scale))
    (y,) = assert_equals_reference(model, AT_ZERO_POINT)
    multiplier = unit / f32(output_scale)
    expected = [max(-128, min(127, doubly_rounded(v, multiplier))) for v in values]
    assert y.ravel().tolist() == expected


# 52: tables come from the tensor's own quantisation


@pytest.mark.parametrize(("scale", "zero_point"), [(0.1, 0), (0.02, 40), (0.5, -128), (1.3, 127)])
@pytest.mark.parametrize("kind", ["LOGISTIC", "TANH"])
def test_52_tables_follow_scale_and_zero_point(kind: str, scale: float, zero_point: int) -> None:
    x = int8("x", (1, 256), scale, zero_point)
    y = int8("y", (1, 256), 1 / 256 if kind == "LOGISTIC" else 1 / 128, 0)
    assert y.quant is not None
    y.quant = Quant(y.quant.scales, (-128 if kind == "LOGISTIC" else 0,))
    data = np.arange(-128, 128).astype(np.int8).reshape(1, 256)
    (out,) = assert_equals_reference(graph(kind, [x], y, {}, 2), [[data]])
    middle = int(out[0, zero_point + 128])
    assert middle == 0  # logistic(0) = 0.5 is stored as 0, tanh(0) as 0
    real = (data.astype(float) - zero_point) * f32(scale)
    exact = 1 / (1 + np.exp(-real)) if kind == "LOGISTIC" else np.tanh(real)
    got = (out.astype(float) - y.quant.zero_point) * y.quant.scale
    assert np.abs(got - exact).max() < 1.6 / (256 if kind == "LOGISTIC" else 128)
