# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs of several ops for tests of the compiler as a whole: made by hand or at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor

Array = NDArray[Any]


class Maker:
    """Grows a graph: every method adds an op and returns its output."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.ops: list[Op] = []
        self.inputs: list[Tensor] = []
        self._names = 0

    def graph(self, *outputs: Tensor) -> Graph:
        return Graph("model", self.ops, self.inputs, list(outputs))

    def quant(self) -> Quant:
        return Quant(
            (float(np.float32(self.rng.uniform(0.01, 0.1))),), (self.rng.randint(-60, 60),)
        )

    def tensor(
        self, shape: Sequence[int], quant: Quant | None = None, dtype: DType = DType.INT8
    ) -> Tensor:
        self._names += 1
        if quant is None and dtype == DType.INT8:
            quant = self.quant()
        return Tensor(f"t{self._names}", dtype, tuple(shape), quant)

    def input(self, shape: Sequence[int], dtype: DType = DType.INT8) -> Tensor:
        self.inputs.append(self.tensor(shape, dtype=dtype))
        return self.inputs[-1]

    def constant(
        self, values: Any, dtype: DType = DType.INT32, quant: Quant | None = None
    ) -> Tensor:
        data = np.asarray(values, dtype.numpy)
        tensor = self.tensor(data.shape, quant, dtype)
        tensor.data = data
        return tensor

    def int8_constant(self, shape: Sequence[int]) -> Tensor:
        return self.constant(self.data.integers(-128, 128, shape), DType.INT8)

    def op(
        self,
        kind: str,
        inputs: Sequence[Tensor | None],
        output: Tensor,
        attrs: dict[str, Any] | None = None,
        version: int = 1,
    ) -> Tensor:
        self.ops.append(Op(kind, list(inputs), [output], attrs or {}, version, len(self.ops)))
        return output

    def weights(self, shape: Sequence[int], x: Tensor, axis: int) -> tuple[Tensor, Tensor]:
        channels = shape[axis]
        scales = tuple(float(np.float32(self.rng.uniform(0.002, 0.01))) for _ in range(channels))
        data = self.data.integers(-127, 128, shape)
        filters = self.constant(data, DType.INT8, Quant(scales, (0,) * channels, axis))
        assert x.quant is not None
        bias_scales = tuple(float(np.float32(x.quant.scale * scale)) for scale in scales)
        bias = self.constant(self.data.integers(-2000, 2000, channels))
        bias.quant = Quant(bias_scales, (0,) * channels, 0)
        return filters, bias

    def conv(
        self,
        x: Tensor,
        channels: int = 4,
        kernel: int = 3,
        padding: str = "SAME",
        activation: str = "NONE",
        stride: int = 1,
    ) -> Tensor:
        batch, height, width, depth = x.shape
        filters, bias = self.weights((channels, kernel, kernel, depth), x, 0)
        size = [_out_size(n, kernel, stride, padding) for n in (height, width)]
        attrs = _window(padding, activation, stride)
        return self.op(
            "CONV_2D", [x, filters, bias], self.tensor((batch, *size, channels)), attrs, 3
        )

    def depthwise(
        self, x: Tensor, kernel: int = 3, padding: str = "SAME", activation: str = "NONE"
    ) -> Tensor:
        batch, height, width, depth = x.shape
        filters, bias = self.weights((1, kernel, kernel, depth), x, 3)
        size = [_out_size(n, kernel, 1, padding) for n in (height, width)]
        attrs = _window(padding, activation, 1) | {"depth_multiplier": 1}
        output = self.tensor((batch, *size, depth))
        return self.op("DEPTHWISE_CONV_2D", [x, filters, bias], output, attrs, 3)

    def fully_connected(self, x: Tensor, units: int) -> Tensor:
        rows, depth = x.shape
        filters, bias = self.weights((units, depth), x, 0)
        attrs = {"fused_activation_function": "NONE"}
        return self.op("FULLY_CONNECTED", [x, filters, bias], self.tensor((rows, units)), attrs, 5)

    def pad(self, x: Tensor, amounts: Sequence[Sequence[int]]) -> Tensor:
        shape = [size + sum(amount) for size, amount in zip(x.shape, amounts, strict=True)]
        return self.op("PAD", [x, self.constant(amounts)], self.tensor(shape, x.quant), version=2)

    def unary(self, kind: str, x: Tensor) -> Tensor:
        fixed = {
            "LOGISTIC": Quant((1 / 256,), (-128,)),
            "TANH": Quant((1 / 128,), (0,)),
            "SOFTMAX": Quant((1 / 256,), (-128,)),
        }
        attrs = {"LEAKY_RELU": {"alpha": 0.3}, "SOFTMAX": {"beta": 1.0}}.get(kind)
        version = 1 if kind in ("HARD_SWISH", "QUANTIZE") else 2
        return self.op(kind, [x], self.tensor(x.shape, fixed.get(kind)), attrs, version)

    def clamp(self, kind: str, x: Tensor) -> Tensor:
        """An activation that keeps scale and zero point."""
        return self.op(kind, [x], self.tensor(x.shape, x.quant), version=2)

    def pair(self, x: Tensor) -> Tensor:
        real = self.op("DEQUANTIZE", [x], self.tensor(x.shape, dtype=DType.FLOAT32), version=2)
        return self.op("QUANTIZE", [real], self.tensor(x.shape))

    def binary(self, kind: str, x: Tensor, y: Tensor) -> Tensor:
        shape = np.broadcast_shapes(x.shape, y.shape)
        attrs = {"fused_activation_function": "NONE"}
        return self.op(kind, [x, y], self.tensor(shape), attrs, 2)

    def concatenation(self, parts: Sequence[Tensor]) -> Tensor:
        shape = (*parts[0].shape[:-1], sum(part.shape[-1] for part in parts))
        attrs = {"axis": len(shape) - 1, "fused_activation_function": "NONE"}
        return self.op("CONCATENATION", parts, self.tensor(shape, parts[0].quant), attrs, 2)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        return self.op("RESHAPE", [x, self.constant(shape)], self.tensor(shape, x.quant))

    def max_pool(self, x: Tensor) -> Tensor:
        batch, height, width, depth = x.shape
        size = [_out_size(n, 2, 2, "SAME") for n in (height, width)]
        attrs = _window("SAME", "NONE", 2) | {"filter_height": 2, "filter_width": 2}
        output = self.tensor((batch, *size, depth), x.quant)
        return self.op("MAX_POOL_2D", [x], output, attrs, 2)


def _window(padding: str, activation: str, stride: int) -> dict[str, Any]:
    return {
        "padding": padding,
        "stride_h": stride,
        "stride_w": stride,
        "fused_activation_function": activation,
    }


def _out_size(size: int, kernel: int, stride: int, padding: str) -> int:
    return -(-size // stride) if padding == "SAME" else (size - kernel) // stride + 1


def random_graph(seed: int) -> Graph:
    """A graph with branches, reshapes, pads, tables, constants and dead ends."""
    make = Maker(seed)
    rng = make.rng
    known = [make.input((1, 6, 5, 4))]
    if rng.random() < 0.3:
        known.append(make.input((1, 6, 5, 4)))
    for _ in range(rng.randint(2, 10)):
        known.append(_grow(make, rng.choice(known[-4:]), known))
    read = {tensor for op in make.ops for tensor in op.inputs}
    ends = [tensor for tensor in known if tensor not in read and tensor not in make.inputs]
    outputs = ends[-1:] + [t for t in ends[:-1] if rng.random() < 0.7]
    more = [t for t in known if t in read and t not in make.inputs]
    outputs += [t for t in more if rng.random() < 0.1]
    return make.graph(*outputs)


def _grow(make: Maker, x: Tensor, known: Sequence[Tensor]) -> Tensor:
    rng = make.rng
    match rng.randint(0, 13):
        case 0:
            return make.conv(
                x, rng.choice([3, 4, x.shape[-1]]), activation=rng.choice(["NONE", "RELU"])
            )
        case 1:
            return make.depthwise(x, activation=rng.choice(["NONE", "RELU6"]))
        case 2:
            padded = make.pad(x, [[0, 0], [1, 0], [rng.randint(0, 2), 1], [0, 0]])
            padding = rng.choice(["SAME", "VALID"])
            if rng.random() < 0.5:
                return make.conv(padded, kernel=2, padding=padding)
            return make.depthwise(padded, kernel=2, padding=padding)
        case 3 | 4:
            kinds = ["LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "QUANTIZE", "RELU"]
            return make.unary(rng.choice(kinds), x)
        case 5:
            return make.clamp(rng.choice(["RELU", "RELU6"]), x)
        case 6:
            return make.pair(x)
        case 7 | 8:
            others = [t for t in known if t.shape == x.shape]
            return make.binary(rng.choice(["ADD", "MUL"]), x, rng.choice(others))
        case 9:
            constant = make.int8_constant((1, 1, 1, x.shape[-1]))
            return make.binary(rng.choice(["ADD", "MUL"]), x, constant)
        case 10:
            constant = make.unary("LOGISTIC", make.int8_constant(x.shape))
            return make.binary("MUL", x, constant)
        case 11:
            flat = make.reshape(x, (1, x.elements))
            return make.reshape(flat, x.shape)
        case 12:
            return make.concatenation([x, make.clamp("RELU", x)])
        case _:
            return make.max_pool(x)
