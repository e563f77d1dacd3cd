# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of CONV_2D and DEPTHWISE_CONV_2D."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.testing.cases.draw import ACTIVATIONS, Draw, single_op
from ranvier.testing.cases.registry import Sketch, register
from ranvier.testing.cases.weights import draw_weights
from ranvier.testing.cases.window import Window, draw_window, draw_window_input

_MACS_LIMIT = 1_000_000


@dataclass(frozen=True)
class _Geometry:
    window: Window
    input: tuple[int, int, int, int]
    output_size: tuple[int, int]


def _geometry(draw: Draw, channels: int) -> _Geometry:
    if draw.chance(0.15):  # pointwise with a stride must not take a pointwise fast path
        window = Window((1, 1), (2, 2), (1, 1), draw.pick(("SAME", "VALID")))
    else:
        window = draw_window(draw, largest=5, dilated=True)
    height, width = draw_window_input(draw, window, largest=12)
    shape = (draw.batch(), height, width, channels)
    return _Geometry(window, shape, window.output((height, width)))


@register("CONV_2D")
def conv_2d(draw: Draw, op: str) -> Sketch:
    """A convolution, now and then in groups; without bias the third input is left out or absent."""
    groups = draw.pick((2, 3, 5)) if draw.chance(0.15) else 1
    input_channels, output_channels = draw.channels() * groups, draw.channels()
    geometry = _geometry(draw, input_channels)
    batch, rows, columns = geometry.input[0], *geometry.output_size
    kernel = geometry.window.kernel
    macs = batch * rows * columns * kernel[0] * kernel[1] * input_channels
    output_channels = max(1, min(output_channels, _MACS_LIMIT // macs)) * groups
    x = draw.tensor("input", geometry.input)
    y = draw.tensor("output", (batch, rows, columns, output_channels))
    assert x.quant is not None
    assert y.quant is not None
    shape = (output_channels, *kernel, input_channels // groups)
    weights = draw_weights(draw, shape, 0, x.quant, y.quant, draw.chance(0.8))
    activation = draw.pick(ACTIVATIONS)
    attrs = geometry.window.convolution_attrs() | {"fused_activation_function": activation}
    inputs = [x, weights.filter, weights.bias]
    if weights.bias is None and draw.chance(0.5):
        inputs.pop()
    description = (
        f"{op} input {x.shape} filter {shape} {geometry.window}, {activation}, {weights.summary}"
    )
    return Sketch(single_op(op, inputs, y, attrs, version=3), description)


@register("DEPTHWISE_CONV_2D")
def depthwise_conv_2d(draw: Draw, op: str) -> Sketch:
    """A depthwise convolution with any depth multiplier."""
    input_channels = draw.channels()
    multiplier = draw.pick((1, 1, 1, 2, 3, 8)) if input_channels < 20 else 1
    output_channels = input_channels * multiplier
    geometry = _geometry(draw, input_channels)
    x = draw.tensor("input", geometry.input)
    y = draw.tensor("output", (geometry.input[0], *geometry.output_size, output_channels))
    assert x.quant is not None
    assert y.quant is not None
    shape = (1, *geometry.window.kernel, output_channels)
    weights = draw_weights(draw, shape, 3, x.quant, y.quant, draw.chance(0.8))
    activation = draw.pick(ACTIVATIONS)
    attrs = geometry.window.convolution_attrs() | {
        "fused_activation_function": activation,
        "depth_multiplier": multiplier,
    }
    inputs = [x, weights.filter] if weights.bias is None else [x, weights.filter, weights.bias]
    description = (
        f"{op} input {x.shape} filter {shape} x{multiplier} {geometry.window}, {activation}, "
        f"{weights.summary}"
    )
    return Sketch(single_op(op, inputs, y, attrs, version=3), description)
