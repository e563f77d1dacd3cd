# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of RESHAPE, SQUEEZE and EXPAND_DIMS."""

from __future__ import annotations

from typing import Any

from ranvier.testing.cases.draw import Draw, constant, single_op
from ranvier.testing.cases.registry import Sketch, register


def _regrouped(draw: Draw, shape: tuple[int, ...]) -> list[int]:
    """Another shape of as many elements: neighbours joined, ones put in, or the order changed."""
    dims = list(shape)
    if draw.chance(0.5):
        draw.rng.shuffle(dims)
    while len(dims) > 1 and draw.chance(0.5):
        at = draw.integer(0, len(dims) - 2)
        dims[at : at + 2] = [dims[at] * dims[at + 1]]
    while len(dims) < 4 and draw.chance(0.3):
        dims.insert(draw.integer(0, len(dims)), 1)
    return dims


@register("RESHAPE")
def reshape(draw: Draw, op: str) -> Sketch:
    """The new shape as an attribute, as an input, as both, or only as the output's; -1 at times."""
    shape = draw.shape(draw.integer(1, 4))
    new = _regrouped(draw, shape)
    x = draw.tensor("input", shape)
    y = draw.tensor("output", new, x.quant)
    asked = list(new)
    if draw.chance(0.4):
        asked[draw.integer(0, len(asked) - 1)] = -1
    style = draw.pick(("attribute", "input", "both", "neither"))
    inputs = [x] if style in ("attribute", "neither") else [x, constant("shape", asked)]
    attrs: dict[str, Any] = {"new_shape": asked} if style in ("attribute", "both") else {}
    description = f"{op} {shape} to {asked} given as {style}"
    return Sketch(single_op(op, inputs, y, attrs), description)


@register("SQUEEZE")
def squeeze(draw: Draw, op: str) -> Sketch:
    """Some or all dimensions of 1, named from either end; none named means all."""
    rank = draw.integer(1, 4)
    shape = tuple(1 if draw.chance(0.5) else draw.integer(2, 8) for _ in range(rank))
    ones = [i for i, n in enumerate(shape) if n == 1]
    named = [i for i in ones if draw.chance(0.6)]
    removed = named or ones
    new = [n for i, n in enumerate(shape) if i not in removed]
    x = draw.tensor("input", shape)
    y = draw.tensor("output", new, x.quant)
    dims = [i - rank if draw.chance(0.3) else i for i in named]
    description = f"{op} {shape} dims {dims}"
    return Sketch(single_op(op, [x], y, {"squeeze_dims": dims}), description)


@register("EXPAND_DIMS")
def expand_dims(draw: Draw, op: str) -> Sketch:
    """A dimension of 1 put in anywhere."""
    shape = draw.shape(draw.integer(1, 3))
    axis = draw.integer(-len(shape) - 1, len(shape))
    at = axis if axis >= 0 else axis + len(shape) + 1
    x = draw.tensor("input", shape)
    y = draw.tensor("output", (*shape[:at], 1, *shape[at:]), x.quant)
    axis_tensor = constant("axis", draw.pick((axis, [axis])))
    return Sketch(single_op(op, [x, axis_tensor], y), f"{op} {shape} axis {axis}")
