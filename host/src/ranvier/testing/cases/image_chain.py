# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Small networks of image ops, for what lies between ops: layouts, rings, slices, in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ranvier.compiler.graph import Graph, Op, Quant, Tensor
from ranvier.testing.cases.draw import ACTIVATIONS, Draw, as_float32, constant
from ranvier.testing.cases.registry import Sketch, register
from ranvier.testing.cases.weights import draw_weights
from ranvier.testing.cases.window import Window

_MACS_LIMIT = 300_000
_LARGEST_IMAGE = 4096
_FIXED_OUTPUT = {"LOGISTIC": Quant((1 / 256,), (-128,)), "TANH": Quant((1 / 128,), (0,))}
_ONE = (1, 1)


@register("IMAGE_CHAIN")
def image_chain(draw: Draw, op: str) -> Sketch:
    """3 to 8 ops over images, now and then with a classifier at the end or a second output."""
    return _Chain(draw).sketch()


class _Chain:
    """A graph that grows op by op.

    A large one is what gains from being run by rows: higher images, and mostly convolutions.
    """

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._ops: list[Op] = []
        self._words: list[str] = []
        self._outputs: list[Tensor] = []
        self._large = draw.chance(0.4)
        shape = (
            2 if draw.chance(0.03) else 1,
            draw.integer(9, 24) if self._large else draw.integer(1, 14),
            draw.pick((draw.integer(1, 14), draw.pick((5, 7, 9, 11, 17)))),
            draw.integer(1, 3) if draw.chance(0.5) else draw.integer(1, 12),
        )
        self._inputs = [draw.tensor("input", shape, self._quant())]
        if draw.chance(0.1):
            self._inputs.append(draw.tensor("other", shape, self._quant()))
        self._images = list(self._inputs)

    def sketch(self) -> Sketch:
        """The whole network and how it is described."""
        draw = self._draw
        kinds: list[Callable[[Tensor], Tensor]] = [
            *[self._pointwise] * 4,
            *[self._conv] * 3,
            *[self._depthwise] * 4,
            *[self._add] * 3,
        ]
        if not self._large:
            kinds += [self._pool, self._pool, self._activation, self._concatenation]
        for _ in range(draw.integer(3, 8)):
            image = self._images[-1]
            if not self._large and draw.chance(0.1):
                image = draw.pick(self._images)
            self._images.append(draw.pick(kinds)(image))
        if draw.chance(0.4):
            self._classifier(self._images[-1])
        return self._finish()

    def _finish(self) -> Sketch:
        read = {id(tensor) for op in self._ops for tensor in op.inputs}
        made = [op.outputs[0] for op in self._ops]
        outputs = [t for t in made if id(t) not in read or self._draw.chance(0.04)]
        fed = [tensor for tensor in self._inputs if id(tensor) in read]
        shape = self._inputs[0].shape
        description = f"IMAGE_CHAIN {shape}: " + ", ".join(self._words)
        return Sketch(Graph("image_chain", self._ops, fed, outputs), description)

    def _add_op(
        self,
        kind: str,
        inputs: Sequence[Tensor | None],
        output: Tensor,
        attrs: dict[str, Any],
        version: int,
        words: str = "",
    ) -> Tensor:
        self._ops.append(Op(kind, list(inputs), [output], attrs, version, len(self._ops)))
        self._words.append(f"{kind} {words}{output.shape}")
        return output

    def _quant(self) -> Quant:
        return Quant((as_float32(self._draw.log_uniform(1e-3, 0.5)),), (self._draw.zero_point(),))

    def _tensor(self, shape: Sequence[int], quant: Quant | None = None) -> Tensor:
        return self._draw.tensor(f"t{len(self._ops)}", shape, quant or self._quant())

    def _clamped(self) -> tuple[str, Quant]:
        """An activation and an output quantisation that suits it, or sometimes hardly does."""
        draw = self._draw
        activation = draw.pick((*ACTIVATIONS, "RELU", "RELU"))
        quant = self._quant()
        if draw.chance(0.15):
            return activation, quant
        scale, zero = quant.scale, draw.integer(-60, 60)
        if activation in ("RELU6", "RELU_N1_TO_1"):  # from most of the range to a few values
            most = 6 if activation == "RELU6" else 1
            scale = as_float32(draw.log_uniform(0.7, 20.0) * most / 255)
        if activation in ("RELU", "RELU6"):
            zero = draw.pick((-128, -128, draw.integer(-128, -60)))
        return activation, Quant((scale,), (zero,))

    def _pointwise(self, x: Tensor) -> Tensor:
        return self._convolve(x, Window(_ONE, _ONE, _ONE, "SAME"))

    def _conv(self, x: Tensor) -> Tensor:
        draw = self._draw
        kernel = draw.pick(((3, 3), (3, 3), (draw.integer(1, 5), draw.integer(1, 4))))
        stride = draw.pick((_ONE, _ONE, (2, 2), (draw.integer(1, 3), draw.integer(1, 3))))
        if self._large and draw.chance(0.5):
            stride = _ONE
        dilation = (draw.integer(1, 2), draw.integer(1, 2)) if draw.chance(0.1) else _ONE
        return self._convolve(x, self._fitting(x, kernel, stride, dilation))

    def _fitting(
        self,
        x: Tensor,
        kernel: tuple[int, int],
        stride: tuple[int, int],
        dilation: tuple[int, int] = _ONE,
    ) -> Window:
        """A window, padded where it is larger than the image."""
        valid = Window(kernel, stride, dilation, "VALID")
        fits = all(valid.reach(axis) <= x.shape[1 + axis] for axis in (0, 1))
        if fits and self._draw.chance(0.3):
            return valid
        return Window(kernel, stride, dilation, "SAME")

    def _convolve(self, x: Tensor, window: Window) -> Tensor:
        draw = self._draw
        batch, height, width, depth = x.shape
        size = window.output((height, width))
        pixels = batch * size[0] * size[1]
        channels = draw.pick((draw.integer(1, 3), draw.integer(1, 20), depth, depth))
        if self._large and draw.chance(0.5):
            channels = draw.integer(4, 12)
        channels = min(channels, _MACS_LIMIT // (pixels * depth * int(np.prod(window.kernel))))
        channels = max(1, min(channels, _LARGEST_IMAGE // pixels))
        shape = (channels, *window.kernel, depth)
        attrs = window.convolution_attrs()
        return self._weighted("CONV_2D", x, (batch, *size, channels), shape, 0, attrs, window)

    def _depthwise(self, x: Tensor) -> Tensor:
        draw = self._draw
        batch, height, width, depth = x.shape
        usual = draw.chance(0.7)
        kernel = (3, 3) if usual else (draw.integer(1, 5), draw.integer(1, 5))
        stride = draw.pick((_ONE, _ONE, (2, 2)))
        if self._large and draw.chance(0.5):
            stride = _ONE
        dilation = (draw.integer(1, 3), draw.integer(1, 3)) if draw.chance(0.15) else _ONE
        if not usual and draw.chance(0.3):
            stride = (draw.integer(1, 3), draw.integer(1, 3))
        window = self._fitting(x, kernel, stride, dilation)
        multiplier = draw.integer(2, 3) if depth <= 6 and draw.chance(0.2) else 1
        channels = depth * multiplier
        attrs = window.convolution_attrs() | {"depth_multiplier": multiplier}
        output = (batch, *window.output((height, width)), channels)
        shape = (1, *kernel, channels)
        return self._weighted("DEPTHWISE_CONV_2D", x, output, shape, 3, attrs, window)

    def _weighted(
        self,
        kind: str,
        x: Tensor,
        output: Sequence[int],
        shape: Sequence[int],
        axis: int,
        attrs: dict[str, Any],
        window: Window | None,
    ) -> Tensor:
        """An op with weights, of which some channels may be constant."""
        draw = self._draw
        activation, quant = self._clamped()
        y = self._tensor(output, quant)
        assert x.quant is not None
        per_channel = kind != "FULLY_CONNECTED" and draw.chance(0.8)
        weights = draw_weights(draw, shape, axis, x.quant, quant, per_channel)
        for _ in range(2):  # what is far out, in every layer, leaves nothing to see at the end
            if "tiny" in weights.summary or "large" in weights.summary:
                weights = draw_weights(draw, shape, axis, x.quant, quant, per_channel)
        if "usual multiplier" in weights.summary:
            self._amplify(weights.filter, weights.bias)
        assert weights.filter.data is not None
        note = ""
        if draw.chance(0.25):
            zeros = draw.rng.random(shape[axis]) < 0.4
            np.moveaxis(weights.filter.data, axis, 0)[zeros] = 0
            note = ", constant channels"
        for tensor in (weights.filter, weights.bias):
            if tensor is not None:
                tensor.name += str(len(self._ops))
        inputs = [x, weights.filter, *([weights.bias] if weights.bias is not None else [])]
        words = f"{weights.filter.shape} {window or ''} {activation} {weights.summary}{note} to "
        attrs = attrs | {"fused_activation_function": activation}
        version = 5 if kind == "FULLY_CONNECTED" else 3
        return self._add_op(kind, inputs, y, attrs, version, words)

    def _amplify(self, *constants: Tensor | None) -> None:
        """Larger scales, as inputs that were clamped before vary less than random ones."""
        gain = self._draw.pick((1, 2, 3, 5, 8))
        for tensor in constants:
            if tensor is not None and tensor.quant is not None:
                scales = tuple(as_float32(scale * gain) for scale in tensor.quant.scales)
                tensor.quant = replace(tensor.quant, scales=scales)

    def _add(self, x: Tensor) -> Tensor:
        draw = self._draw
        others = [t for t in self._images if t.shape == x.shape and t is not x]
        if others and draw.chance(0.8):
            other = draw.pick(others)
        elif draw.chance(0.1):
            other = x
        elif draw.chance(0.5):
            other = self._same_shape(x)
        else:
            x, other = self._same_shape(x), x
        assert x.quant is not None
        assert other.quant is not None
        scale = as_float32((x.quant.scale + other.quant.scale) * draw.log_uniform(0.2, 1.5))
        zero = draw.zero_point() if draw.chance(0.3) else draw.integer(-60, 60)
        y = self._tensor(x.shape, Quant((scale,), (zero,)))
        attrs = {"fused_activation_function": draw.pick(("NONE", "NONE", *ACTIVATIONS))}
        return self._add_op("ADD", [x, other], y, attrs, 2)

    def _same_shape(self, x: Tensor) -> Tensor:
        depth = x.shape[3]
        if self._draw.chance(0.5):
            window = Window(self._draw.pick((_ONE, (3, 3))), _ONE, _ONE, "SAME")
            shape = (depth, *window.kernel, depth)
            attrs = window.convolution_attrs()
            return self._weighted("CONV_2D", x, x.shape, shape, 0, attrs, window)
        window = Window((3, 3), _ONE, _ONE, "SAME")
        attrs = window.convolution_attrs() | {"depth_multiplier": 1}
        return self._weighted("DEPTHWISE_CONV_2D", x, x.shape, (1, 3, 3, depth), 3, attrs, window)

    def _pool(self, x: Tensor) -> Tensor:
        draw = self._draw
        batch, height, width, depth = x.shape
        kernel = (height, width) if draw.chance(0.3) else (draw.integer(1, 3), draw.integer(1, 3))
        stride = draw.pick((_ONE, (2, 2), (draw.integer(1, 3), draw.integer(1, 3))))
        window = self._fitting(x, kernel, stride)
        y = self._tensor((batch, *window.output((height, width)), depth), x.quant)
        activation = draw.pick(("NONE", "NONE", "NONE", *ACTIVATIONS))
        attrs = window.pool_attrs() | {"fused_activation_function": activation}
        kind = draw.pick(("AVERAGE_POOL_2D", "MAX_POOL_2D"))
        return self._add_op(kind, [x], y, attrs, 2, f"{kernel} {window} to ")

    def _activation(self, x: Tensor) -> Tensor:
        kind = self._draw.pick(("LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "RELU", "RELU6"))
        assert x.quant is not None
        quant = x.quant if kind == "RELU6" else _FIXED_OUTPUT.get(kind)
        if kind == "HARD_SWISH":  # the reference takes only some ratios
            scale = as_float32(x.quant.scale / self._draw.log_uniform(0.1, 32.0))
            quant = Quant((scale,), (self._draw.zero_point(),))
        attrs = {"alpha": as_float32(0.3)} if kind == "LEAKY_RELU" else {}
        version = 1 if kind == "HARD_SWISH" else 2
        return self._add_op(kind, [x], self._tensor(x.shape, quant), attrs, version)

    def _concatenation(self, x: Tensor) -> Tensor:
        """Along the channels, sometimes another dimension; the parts are quantised alike."""
        assert x.quant is not None
        parts = [x, self._same_quant(x)]
        axis = 3 if self._draw.chance(0.7) else self._draw.integer(1, 2)
        if self._draw.chance(0.3):
            parts.reverse()
        shape = list(x.shape)
        shape[axis] *= 2
        if int(np.prod(shape)) > _LARGEST_IMAGE:
            return parts[1]
        attrs = {"axis": axis, "fused_activation_function": "NONE"}
        return self._add_op("CONCATENATION", parts, self._tensor(shape, x.quant), attrs, 2)

    def _same_quant(self, x: Tensor) -> Tensor:
        if self._draw.chance(0.3):
            attrs: dict[str, Any] = {}
            return self._add_op("RELU", [x], self._tensor(x.shape, x.quant), attrs, 2)
        window = Window((3, 3), _ONE, _ONE, "SAME")
        attrs = window.pool_attrs() | {"fused_activation_function": "NONE"}
        return self._add_op("MAX_POOL_2D", [x], self._tensor(x.shape, x.quant), attrs, 2)

    def _classifier(self, x: Tensor) -> None:
        """Flat, fully connected, and softmax."""
        draw = self._draw
        rows, depth = x.shape[0], int(np.prod(x.shape[1:]))
        flat = self._tensor((rows, depth), x.quant)
        shape = constant(f"shape{len(self._ops)}", flat.shape)
        self._add_op("RESHAPE", [x, shape], flat, {"new_shape": flat.shape}, 1)
        units = draw.integer(1, 17)
        attrs: dict[str, Any] = {}
        y = self._weighted("FULLY_CONNECTED", flat, (rows, units), (units, depth), 0, attrs, None)
        if draw.chance(0.7):
            out = self._tensor(y.shape, Quant((1 / 256,), (-128,)))
            self._add_op("SOFTMAX", [y], out, {"beta": 1.0}, 2)
