# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of QUANTIZE and DEQUANTIZE."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.testing.cases.draw import Array, Draw, as_float32, limits, show, single_op
from ranvier.testing.cases.registry import Sketch, register

_PAIRS = (
    (DType.FLOAT32, DType.INT8),
    (DType.INT8, DType.INT8),
    (DType.UINT8, DType.INT8),
    (DType.INT8, DType.UINT8),
)
_ELEMENTS = 256


@register("QUANTIZE")
def quantize(draw: Draw, op: str) -> Sketch:
    """From float, or between two 8-bit types, also with equal scales."""
    source, target = draw.pick(_PAIRS)
    shape = (*draw.shape(draw.integer(0, 3), largest=2), _ELEMENTS)
    if source is DType.FLOAT32:
        output = draw.quant(target)
        x, y = Tensor("input", source, shape), draw.tensor("output", shape, output, target)
        sets = tuple((data,) for data in _float_inputs(draw, shape, output, target))
        text = f"{op} float32 {shape} to {target.name} {show(output)}"
        return Sketch(single_op(op, [x], y), text, sets)
    x = draw.tensor("input", shape, draw.quant(source), source)
    assert x.quant is not None
    y = draw.tensor("output", shape, _requantised(draw, x.quant, source, target), target)
    text = f"{op} {source.name} {shape} {show(x.quant)} to {target.name} {show(y.quant)}"
    return Sketch(single_op(op, [x], y, version=2), text)


def _requantised(draw: Draw, quant: Quant, source: DType, target: DType) -> Quant:
    """An output quantisation: any, or the input's, moved between signed and unsigned."""
    if draw.chance(0.3):
        low, high = limits(target)
        zero_point = quant.zero_point + low - limits(source)[0]
        return Quant(quant.scales, (min(max(zero_point, low), high),))
    ratio = draw.log_uniform(0.05, 16.0)
    zero_point = draw.zero_point(target)
    if draw.chance(0.3):
        return Quant((draw.tied_scale(quant.scale),), (zero_point,))
    return Quant((as_float32(quant.scale / ratio),), (zero_point,))


def _float_inputs(draw: Draw, shape: tuple[int, ...], quant: Quant, target: DType) -> list[Array]:
    """Values inside and outside of the range, and halfway between two quantised ones."""
    low, high = limits(target)
    steps = draw.rng.uniform(low - quant.zero_point - 40, high - quant.zero_point + 40, shape)
    sets = [steps, np.rint(steps), np.floor(steps) + 0.5, steps * 1000.0, np.zeros(shape)]
    return [(s * quant.scale).astype(np.float32) for s in sets]


@register("DEQUANTIZE")
def dequantize(draw: Draw, op: str) -> Sketch:
    """To float from each 8-bit type."""
    source = draw.pick((DType.INT8, DType.INT8, DType.UINT8))
    shape = (*draw.shape(draw.integer(0, 3), largest=2), _ELEMENTS)
    x = draw.tensor("input", shape, draw.quant(source), source)
    y = Tensor("output", DType.FLOAT32, shape)
    return Sketch(single_op(op, [x], y, version=2), f"{op} {source.name} {shape} {show(x.quant)}")
