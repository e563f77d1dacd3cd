# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of SOFTMAX."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import Quant
from ranvier.testing.cases.draw import Array, Draw, as_float32, single_op
from ranvier.testing.cases.registry import Sketch, register

_OUTPUT = Quant((1 / 256,), (-128,))
# Where the exponentials of a row (relative to its largest) add up to 512, the reference aborts.
_LARGEST_FLAT_ROW = 511


@register("SOFTMAX")
def softmax(draw: Draw, op: str) -> Sketch:
    """Rank 1 to 4, up to 1000 elements a row, flat to peaked; long rows always peaked."""
    rank = draw.integer(1, 4)
    depth = draw.pick((draw.integer(1, 12), draw.integer(2, 100), draw.integer(100, 1000)))
    shape = (*draw.shape(rank - 1, largest=4), depth)
    if draw.chance(0.1):
        shape = (4, 10)
    flat = shape[-1] <= _LARGEST_FLAT_ROW
    beta = draw.pick((1.0, as_float32(draw.log_uniform(0.1, 10.0))))
    scale = as_float32(draw.log_uniform(1e-4 if flat else 0.05 / min(beta, 1.0), 2.0))
    x = draw.tensor("input", shape, Quant((scale,), (draw.zero_point(),)))
    y = draw.tensor("output", shape, _OUTPUT)
    graph = single_op(op, [x], y, {"beta": beta}, version=2)
    inputs = None if flat else _peaked(draw, shape)
    return Sketch(graph, f"{op} {shape} beta {beta} scale {scale}", inputs)


def _peaked(draw: Draw, shape: tuple[int, ...]) -> tuple[tuple[Array, ...], ...]:
    """Inputs whose rows have few elements near their largest."""
    dense = draw.rng.integers(-128, 127, shape, endpoint=True)
    bell = np.clip(np.rint(draw.rng.normal(0, 30, shape)), -128, 127)
    bell[..., 0] = 127
    single = np.full(shape, -128)
    single[..., draw.integer(0, shape[-1] - 1)] = 127
    return tuple((np.asarray(data).astype(np.int8),) for data in (dense, bell, single))
