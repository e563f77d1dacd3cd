# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of AVERAGE_POOL_2D and MAX_POOL_2D."""

from __future__ import annotations

from ranvier.testing.cases.draw import ACTIVATIONS, Draw, show, single_op
from ranvier.testing.cases.registry import Sketch, register
from ranvier.testing.cases.window import draw_window, draw_window_input


@register("AVERAGE_POOL_2D", "MAX_POOL_2D")
def pool(draw: Draw, op: str) -> Sketch:
    """Windows up to 17x17; input and output share their quantisation."""
    window = draw_window(draw, draw.pick((3, 3, 7, 17)), dilated=False)
    size = draw_window_input(draw, window, largest=12)
    batch, channels = draw.batch(), draw.channels()
    x = draw.tensor("input", (batch, *size, channels))
    y = draw.tensor("output", (batch, *window.output(size), channels), x.quant)
    activation = draw.pick(ACTIVATIONS)
    attrs = window.pool_attrs() | {"fused_activation_function": activation}
    kernel = "{}x{}".format(*window.kernel)
    description = f"{op} input {x.shape} window {kernel} {window}, {activation}, {show(x.quant)}"
    return Sketch(single_op(op, [x], y, attrs, version=2), description)
