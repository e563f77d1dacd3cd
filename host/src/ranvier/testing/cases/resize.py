# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of RESIZE_NEAREST_NEIGHBOR and RESIZE_BILINEAR."""

from __future__ import annotations

from ranvier.testing.cases.draw import Draw, constant, single_op
from ranvier.testing.cases.registry import Sketch, register


@register("RESIZE_NEAREST_NEIGHBOR")
def resize_nearest_neighbor(draw: Draw, op: str) -> Sketch:
    """Up and down by any ratio, with each rule for the sample positions."""
    batch, height, width, channels = draw.batch(), *draw.shape(2, largest=12), draw.channels()
    size = [draw.integer(1, 24), draw.integer(1, 24)]
    if draw.chance(0.4):
        factor = draw.integer(2, 3)
        size = [height * factor, width * factor]
    x = draw.tensor("input", (batch, height, width, channels))
    y = draw.tensor("output", (batch, *size, channels), x.quant)
    rule = draw.pick(("", "align_corners", "half_pixel_centers"))
    attrs = {key: key == rule for key in ("align_corners", "half_pixel_centers")}
    graph = single_op(op, [x, constant("size", size)], y, attrs, version=3)
    return Sketch(graph, f"{op} {x.shape} to {size} {rule}")


@register("RESIZE_BILINEAR")
def resize_bilinear(draw: Draw, op: str) -> Sketch:
    """As RESIZE_NEAREST_NEIGHBOR."""
    return resize_nearest_neighbor(draw, op)
