# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases in float32: those of the same op in int8, with every quantised tensor made real.

How far a result may be from the reference's depends on the op: not at all where values are only
moved or compared; by 1e-6 for functions; else by 1e-5 of what the sum of the magnitudes of its
products is. That sum the reference itself computes: from the same model without activation whose
constants, and inputs, are magnitudes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.testing.cases.activation import (
    hard_swish,
    leaky_relu,
    relu,
    relu6,
    relu_n1_to_1,
    sigmoid,
)
from ranvier.testing.cases.concatenation import concatenation
from ranvier.testing.cases.convolution import conv_2d, depthwise_conv_2d
from ranvier.testing.cases.draw import Array, Draw
from ranvier.testing.cases.elementwise import elementwise
from ranvier.testing.cases.fully_connected import fully_connected
from ranvier.testing.cases.image_chain import image_chain
from ranvier.testing.cases.mean import mean
from ranvier.testing.cases.pad import pad
from ranvier.testing.cases.pool import pool
from ranvier.testing.cases.registry import Generator, Sketch, Tolerance, register
from ranvier.testing.cases.reshape import expand_dims, reshape, squeeze
from ranvier.testing.cases.resize import resize_nearest_neighbor
from ranvier.testing.cases.softmax import softmax

_SUFFIX = "_F32"
_EXACT: dict[str, Generator] = {
    "CONCATENATION": concatenation,
    "EXPAND_DIMS": expand_dims,
    "MAX_POOL_2D": pool,
    "PAD": pad,
    "PADV2": pad,
    "RELU": relu,
    "RELU6": relu6,
    "RESHAPE": reshape,
    "RESIZE_NEAREST_NEIGHBOR": resize_nearest_neighbor,
    "SQUEEZE": squeeze,
}
_FUNCTIONS: dict[str, Generator] = {"LOGISTIC": sigmoid, "SOFTMAX": softmax, "TANH": sigmoid}
_PRODUCTS: dict[str, Generator] = {
    "ADD": elementwise,
    "AVERAGE_POOL_2D": pool,
    "CONV_2D": conv_2d,
    "DEPTHWISE_CONV_2D": depthwise_conv_2d,
    "FULLY_CONNECTED": fully_connected,
    "MEAN": mean,
    "MUL": elementwise,
}
_SCALED: dict[str, Generator] = {"HARD_SWISH": hard_swish, "LEAKY_RELU": leaky_relu}


def _names(table: dict[str, Generator]) -> list[str]:
    return [name + _SUFFIX for name in table]


@register(*_names(_EXACT))
def exact(draw: Draw, op: str) -> Sketch:
    """Values that are moved or compared."""
    return _made_real(draw, op, _EXACT, Tolerance.EXACT)


@register("RELU_N1_TO_1" + _SUFFIX, reference="litert")
def clamp(draw: Draw, op: str) -> Sketch:
    """TensorFlow Lite Micro lacks this op."""
    return _made_real(draw, op, {"RELU_N1_TO_1": relu_n1_to_1}, Tolerance.EXACT)


@register(*_names(_FUNCTIONS))
def function(draw: Draw, op: str) -> Sketch:
    """Results in -1 .. 1."""
    return _made_real(draw, op, _FUNCTIONS, Tolerance.ABSOLUTE)


@register(*_names(_SCALED))
def scaled(draw: Draw, op: str) -> Sketch:
    """One product, which is the result."""
    return _made_real(draw, op, _SCALED, Tolerance.PRODUCTS)


@register(*_names(_PRODUCTS))
def products(draw: Draw, op: str) -> Sketch:
    """Sums of products; ADD and means are those with ones."""
    sketch = _made_real(draw, op, _PRODUCTS, Tolerance.PRODUCTS)
    return replace(sketch, magnitudes=_magnitudes(sketch.graph))


@register("IMAGE_CHAIN" + _SUFFIX)
def chain(draw: Draw, op: str) -> Sketch:
    """Several ops; every layer is compared, within a part of its largest value."""
    return _made_real(draw, op, {"IMAGE_CHAIN": image_chain}, Tolerance.LAYERS)


def _made_real(draw: Draw, op: str, table: dict[str, Generator], tolerance: Tolerance) -> Sketch:
    kind = op.removesuffix(_SUFFIX)
    sketch = table[kind](draw, kind)
    tensors: dict[int, Tensor] = {}

    def real(tensor: Tensor, fan_in: int) -> Tensor:
        if id(tensor) not in tensors:
            tensors[id(tensor)] = _real(draw, tensor, fan_in)
        return tensors[id(tensor)]

    def parameter(op: Op, index: int, tensor: Tensor) -> Tensor:
        weighted = tensor.is_const and index > 0 and len(op.inputs) > 1
        is_real = tensor.quant is not None or tensor.dtype is not DType.INT32
        return real(tensor, _fan_in(op) if weighted else 1) if is_real else tensor

    graph = _mapped(sketch.graph, parameter)
    return Sketch(graph, f"{sketch.description}, float32", _inputs(draw, graph.inputs), tolerance)


def _fan_in(op: Op) -> int:
    """Inputs of one output of an op with weights."""
    weights = op.inputs[1]
    assert weights is not None
    channels = weights.shape[3 if op.kind == "DEPTHWISE_CONV_2D" else 0] if weights.shape else 1
    return max(weights.elements // channels, 1)


def _real(draw: Draw, tensor: Tensor, fan_in: int) -> Tensor:
    """The tensor in float32; constants are drawn anew, of magnitudes that keep those of inputs."""
    data = None
    if tensor.data is not None:
        values = draw.rng.standard_normal(tensor.shape) / np.sqrt(fan_in)
        data = np.asarray(values * draw.log_uniform(0.3, 3.0)).astype(np.float32)
    return replace(tensor, dtype=DType.FLOAT32, quant=None, data=data)


def _mapped(graph: Graph, change: Callable[[Op, int, Tensor], Tensor]) -> Graph:
    """A copy of the graph with other tensors; ``change`` gets an op and the position in it."""
    new: dict[int, Tensor] = {}

    def of(op: Op, index: int, tensor: Tensor | None) -> Tensor | None:
        if tensor is None:
            return None
        if id(tensor) not in new:
            new[id(tensor)] = change(op, index, tensor)
        return new[id(tensor)]

    ops = []
    for op in graph.ops:
        inputs = [of(op, i, tensor) for i, tensor in enumerate(op.inputs)]
        outputs = [of(op, 0, tensor) for tensor in op.outputs]
        ops.append(replace(op, inputs=inputs, outputs=[t for t in outputs if t is not None]))
    renew = [[new[id(t)] for t in tensors] for tensors in (graph.inputs, graph.outputs)]
    return Graph(graph.name, ops, *renew)


def _magnitudes(graph: Graph) -> Graph:
    """The model that sums up magnitudes."""

    def magnitude(op: Op, index: int, tensor: Tensor) -> Tensor:
        if tensor.data is None or tensor.dtype is not DType.FLOAT32:
            return replace(tensor)
        return replace(tensor, data=np.abs(tensor.data))

    made = _mapped(graph, magnitude)
    for op in made.ops:
        if "fused_activation_function" in op.attrs:
            op.attrs = {**op.attrs, "fused_activation_function": "NONE"}
    return made


def _inputs(draw: Draw, tensors: list[Tensor]) -> tuple[tuple[Array, ...], ...]:
    """Usual numbers, large ones, tiny ones, few, whole ones, and zeros of both signs."""
    sets: list[tuple[Array, ...]] = []
    for style in (_usual, _large, _tiny, _sparse, _whole, _zeros):
        sets.append(tuple(style(draw.rng, t.shape).astype(np.float32) for t in tensors))
    return tuple(sets)


def _usual(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.standard_normal(shape))


def _large(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.standard_normal(shape) * 10.0 ** rng.uniform(0, 4))


def _tiny(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.standard_normal(shape) * 10.0 ** rng.uniform(-42, -3))


def _sparse(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.where(rng.random(shape) < 0.2, rng.standard_normal(shape) * 8, 0.0)


def _whole(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.asarray(rng.integers(-8, 8, shape, endpoint=True))


def _zeros(rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    return np.where(rng.random(shape) < 0.5, 0.0, -0.0)
