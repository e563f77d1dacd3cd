# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random quantities that the generators share: shapes, quantisation, weights, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor

Array: TypeAlias = NDArray[Any]
T = TypeVar("T")

ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")
"""Fused activations that the int8 kernels know."""


def as_float32(value: float) -> float:
    """``value`` rounded to float32, as a file stores it."""
    return float(np.float32(value))


def limits(dtype: DType) -> tuple[int, int]:
    """Smallest and largest value of an integer type."""
    info = np.iinfo(dtype.numpy)
    return int(info.min), int(info.max)


def show(quant: Quant | None) -> str:
    """A per-tensor quantisation in a description: scale and zero point."""
    return "float" if quant is None else f"{quant.scale:.9g}{quant.zero_point:+d}"


def single_op(
    kind: str,
    inputs: Sequence[Tensor | None],
    output: Tensor,
    attrs: dict[str, Any] | None = None,
    version: int = 1,
) -> Graph:
    """A graph of one op; its inputs are the op's distinct inputs that are not constant."""
    fed = dict.fromkeys(t for t in inputs if t is not None and not t.is_const)
    op = Op(kind, list(inputs), [output], attrs or {}, version, 0)
    return Graph(kind.lower(), [op], list(fed), [output])


def constant(name: str, values: Any, dtype: DType = DType.INT32) -> Tensor:
    """A constant without quantisation: axes, shapes, paddings."""
    data = np.asarray(values, dtype=dtype.numpy)
    return Tensor(name, dtype, data.shape, None, data)


class Draw:
    """A random generator that knows what quantised models look like."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def integer(self, low: int, high: int) -> int:
        """A uniform integer, both ends included."""
        return int(self.rng.integers(low, high, endpoint=True))

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return bool(self.rng.random() < probability)

    def pick(self, items: Sequence[T]) -> T:
        """One of ``items``."""
        return items[self.integer(0, len(items) - 1)]

    def log_uniform(self, low: float, high: float) -> float:
        """A positive number whose logarithm is uniform."""
        return float(np.exp(self.rng.uniform(np.log(low), np.log(high))))

    def batch(self) -> int:
        """A batch size, mostly 1."""
        return self.pick((1, 1, 1, 2, 3))

    def channels(self) -> int:
        """A channel count, now and then just past a multiple of 16."""
        return 65 if self.chance(0.05) else self.integer(1, 20)

    def shape(self, rank: int, largest: int = 8) -> tuple[int, ...]:
        """A shape of the given rank."""
        return tuple(self.integer(1, largest) for _ in range(rank))

    def scale(self) -> float:
        """A tensor's scale: mostly usual, sometimes far out."""
        low, high = (1e-5, 10.0) if self.chance(0.15) else (1e-3, 0.5)
        return as_float32(self.log_uniform(low, high))

    def tied_scale(self, unit: float, steps: int = 1) -> float:
        """An output scale at which some integer input lies halfway between two outputs.

        ``unit`` is the real value of the input's 1. Whether the multiplier was formed in float32
        or in double, and how it was rounded, then shows in the output.
        """
        value = self.integer(1, 127) * steps
        scale = np.float32(unit * value / (self.integer(0, 63) + 0.5))
        towards = self.pick((scale, np.float32(np.inf), np.float32(0)))
        return float(np.nextafter(scale, towards))

    def zero_point(self, dtype: DType = DType.INT8) -> int:
        """A zero point anywhere in the type's range, its ends more often than chance."""
        low, high = limits(dtype)
        if self.chance(0.3):
            return self.pick((low, high, 0))
        return self.integer(low, high)

    def quant(self, dtype: DType = DType.INT8) -> Quant:
        """A per-tensor quantisation."""
        return Quant((self.scale(),), (self.zero_point(dtype),))

    def tensor(
        self, name: str, shape: Sequence[int], quant: Quant | None = None, dtype: DType = DType.INT8
    ) -> Tensor:
        """A quantised tensor without data; with a quantisation of its own where none is given."""
        return Tensor(name, dtype, tuple(shape), quant or self.quant(dtype))

    def values(self, shape: Sequence[int], dtype: DType = DType.INT8) -> Array:
        """Random data of an integer type: dense, extreme, narrow or sparse."""
        low, high = limits(dtype)
        style = self.integer(0, 5)
        if style == 0:
            data = self.rng.choice([low, high], shape)
        elif style == 1:
            data = np.clip(np.rint(self.rng.normal(0, high / 4, shape)), low, high)
        elif style == 2:
            data = self.rng.integers(low, high, shape, endpoint=True)
            data = np.where(self.rng.random(shape) < 0.7, 0, data)
        else:
            data = self.rng.integers(low, high, shape, endpoint=True)
        return np.asarray(data).astype(dtype.numpy)

    def input_sets(self, tensors: Sequence[Tensor]) -> tuple[tuple[Array, ...], ...]:
        """Inputs for integer tensors: random, each extreme, the zero points, and mixtures."""
        sets: list[tuple[Array, ...]] = []
        for style in ("random", "min", "max", "zero point", "extremes", "ramp"):
            sets.append(tuple(self._input(t, style) for t in tensors))
        return tuple(sets)

    def _input(self, tensor: Tensor, style: str) -> Array:
        low, high = limits(tensor.dtype)
        zero = 0 if tensor.quant is None else tensor.quant.zero_point
        if style == "random":
            data = self.rng.integers(low, high, tensor.shape, endpoint=True)
        elif style == "extremes":
            data = self.rng.choice([low, high, zero], tensor.shape)
        elif style == "ramp":
            ramp = np.arange(tensor.elements) + self.integer(0, 255)
            data = (ramp % 256 + max(low, -128)).reshape(tensor.shape)
        else:
            value = {"min": low, "max": high, "zero point": zero}[style]
            data = np.full(tensor.shape, value)
        return np.asarray(data).astype(tensor.dtype.numpy)
