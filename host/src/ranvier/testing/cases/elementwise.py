# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ADD and MUL."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import Quant, Tensor
from ranvier.testing.cases.draw import ACTIVATIONS, Draw, as_float32, show, single_op
from ranvier.testing.cases.registry import Sketch, register

_MAX_RANK = 4
# The reference demands 2 * max(input scales) / (2^20 * output scale) < 1 of ADD.
_ADD_LARGEST_RATIO = 2.0**18


def _shapes(draw: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast, of any two ranks up to 4; half of the time the same one twice."""
    full = draw.shape(_MAX_RANK, largest=6)
    if draw.chance(0.3):
        shape = full[_MAX_RANK - draw.integer(1, _MAX_RANK) :]
        return shape, shape
    first, second = (
        tuple(1 if draw.chance(0.3) else n for n in full[_MAX_RANK - draw.integer(0, _MAX_RANK) :])
        for _ in range(2)
    )
    return first, second


def _operands(draw: Draw) -> tuple[Tensor, Tensor]:
    """Two inputs; now and then one of them is constant, or both are the same tensor."""
    first, second = (draw.tensor(f"input{i}", shape) for i, shape in enumerate(_shapes(draw)))
    style = draw.integer(0, 9)
    if style == 0 and first.shape == second.shape:
        return first, first
    if style in (1, 2):
        second.data = draw.values(second.shape)
    elif style == 3:
        first.data = draw.values(first.shape)
    return first, second


def _output_scale(draw: Draw, op: str, first: float, second: float) -> float:
    """A scale at which results span the range, or are crushed, or saturate."""
    gain = draw.pick((1.0, 1.0, 1.0, draw.log_uniform(1e-3, 1.0), draw.log_uniform(1.0, 16.0)))
    if op == "ADD":
        scale = (first + second) * draw.log_uniform(0.3, 1.5) / gain
        return max(scale, 2 * max(first, second) / _ADD_LARGEST_RATIO)
    if draw.chance(0.3):
        return draw.tied_scale(first * second, draw.integer(1, 255))
    return first * second * draw.log_uniform(60.0, 300.0) / gain


@register("ADD", "MUL")
def elementwise(draw: Draw, op: str) -> Sketch:
    """Two operands of any scales, broadcast against each other."""
    first, second = _operands(draw)
    assert first.quant is not None
    assert second.quant is not None
    scale = as_float32(_output_scale(draw, op, first.quant.scale, second.quant.scale))
    shape = np.broadcast_shapes(first.shape, second.shape)
    y = draw.tensor("output", shape, Quant((scale,), (draw.zero_point(),)))
    activation = draw.pick(ACTIVATIONS)
    graph = single_op(op, [first, second], y, {"fused_activation_function": activation}, version=2)
    names = " and ".join(
        f"{t.shape}{' constant' if t.is_const else ''} {show(t.quant)}" for t in (first, second)
    )
    return Sketch(graph, f"{op} {names} to {show(y.quant)}, {activation}")
