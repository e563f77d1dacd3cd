# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CONCATENATION."""

from __future__ import annotations

from ranvier.testing.cases.draw import Draw, single_op
from ranvier.testing.cases.registry import Sketch, register


@register("CONCATENATION")
def concatenation(draw: Draw, op: str) -> Sketch:
    """2 to 5 inputs of one quantisation along any axis; one may be constant, or come twice."""
    rank = draw.integer(1, 4)
    axis = draw.integer(-rank, rank - 1)
    at = axis % rank
    shape = draw.shape(rank, largest=6)
    quant = draw.quant()
    inputs = [
        draw.tensor(f"input{i}", (*shape[:at], draw.integer(1, 9), *shape[at + 1 :]), quant)
        for i in range(draw.integer(2, 5))
    ]
    if draw.chance(0.2):
        inputs[-1].data = draw.values(inputs[-1].shape)
    elif draw.chance(0.1):
        inputs.append(inputs[0])
    length = sum(t.shape[at] for t in inputs)
    y = draw.tensor("output", (*shape[:at], length, *shape[at + 1 :]), quant)
    attrs = {"axis": axis, "fused_activation_function": "NONE"}
    description = f"{op} axis {axis} of {[t.shape for t in inputs]}"
    return Sketch(single_op(op, inputs, y, attrs, version=2), description)
