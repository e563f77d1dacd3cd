# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of ARG_MAX."""

from __future__ import annotations

from ranvier.compiler.graph import DType, Tensor
from ranvier.testing.cases.draw import Draw, constant, single_op
from ranvier.testing.cases.registry import Sketch, register


@register("ARG_MAX")
def arg_max(draw: Draw, op: str) -> Sketch:
    """Along any dimension, counted from either end; ties in most inputs."""
    rank = draw.integer(2, 4)
    shape = draw.shape(rank, largest=12)
    at = draw.integer(0, rank - 1)
    axis = at - rank if draw.chance(0.5) else at
    x = draw.tensor("input", shape)
    y = Tensor("output", DType.INT32, (*shape[:at], *shape[at + 1 :]))
    axis_tensor = constant("axis", draw.pick((axis, [axis])))
    graph = single_op(op, [x, axis_tensor], y, {"output_type": "INT32"}, version=2)
    return Sketch(graph, f"{op} {shape} axis {axis}")
