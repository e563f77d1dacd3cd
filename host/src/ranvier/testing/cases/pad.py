# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of PAD and PADV2."""

from __future__ import annotations

from ranvier.testing.cases.draw import Draw, constant, show, single_op
from ranvier.testing.cases.registry import Sketch, register


@register("PAD", "PADV2")
def pad(draw: Draw, op: str) -> Sketch:
    """Rank 1 to 5, any paddings; PADV2 pads with a value of its own."""
    rank = draw.integer(1, 5)
    shape = draw.shape(rank, largest=6 if rank < 5 else 4)
    paddings = [(draw.pick((0, 0, 1, 2, 3)), draw.pick((0, 0, 1, 2, 5))) for _ in range(rank)]
    if rank == 4 and draw.chance(0.6):  # the usual one: around an image
        paddings[0] = paddings[3] = (0, 0)
    x = draw.tensor("input", shape)
    y = draw.tensor("output", [n + sum(p) for n, p in zip(shape, paddings, strict=True)], x.quant)
    inputs = [x, constant("paddings", paddings)]
    if op == "PADV2":
        value = draw.tensor("value", draw.pick(((), (1,))), x.quant)
        value.data = draw.values(value.shape)
        inputs.append(value)
    description = f"{op} input {shape} paddings {paddings}, {show(x.quant)}"
    return Sketch(single_op(op, inputs, y, version=2), description)
