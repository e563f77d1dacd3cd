# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of MEAN."""

from __future__ import annotations

from ranvier.compiler.graph import Quant
from ranvier.testing.cases.draw import Draw, as_float32, constant, show, single_op
from ranvier.testing.cases.registry import Sketch, register


@register("MEAN")
def mean(draw: Draw, op: str) -> Sketch:
    """Any axes from either end in any order; input and output scales equal or not."""
    rank = draw.pick((1, 2, 3, 4, 4, 5))
    shape = draw.shape(rank, largest=10 if rank < 5 else 6)
    picked = [i for i in range(rank) if draw.chance(0.5)] or [draw.integer(0, rank - 1)]
    if rank == 4 and draw.chance(0.3):  # the usual one: over an image
        picked = [1, 2]
    if rank == 5 and draw.chance(0.5):  # three groups of axes that are not neighbours
        picked = [0, 2, 4]
    draw.rng.shuffle(picked)
    axes = [i - rank if draw.chance(0.3) else i for i in picked]
    keep_dims = draw.chance(0.5)
    kept = [(1 if i in picked else n) for i, n in enumerate(shape) if keep_dims or i not in picked]
    x = draw.tensor("input", shape)
    assert x.quant is not None
    y_quant = x.quant
    if draw.chance(0.7):
        ratio = draw.pick((draw.log_uniform(0.3, 3.0), draw.log_uniform(1e-3, 64.0)))
        scale = draw.pick((as_float32(x.quant.scale / ratio), draw.tied_scale(x.quant.scale)))
        y_quant = Quant((scale,), (draw.zero_point(),))
    y = draw.tensor("output", kept, y_quant)
    axis = constant("axes", axes[0] if len(axes) == 1 and draw.chance(0.5) else axes)
    graph = single_op(op, [x, axis], y, {"keep_dims": keep_dims}, version=2)
    text = f"{op} {shape} over {axes} keep_dims {keep_dims}"
    return Sketch(graph, f"{text}, {show(x.quant)} to {show(y.quant)}")
