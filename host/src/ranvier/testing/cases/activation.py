# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the element-wise non-linear functions of one tensor."""

from __future__ import annotations

from typing import Any

from ranvier.compiler.graph import Quant
from ranvier.testing.cases.draw import Draw, as_float32, show, single_op
from ranvier.testing.cases.registry import Sketch, register

_FIXED_OUTPUT = {"LOGISTIC": Quant((1 / 256,), (-128,)), "TANH": Quant((1 / 128,), (0,))}


def _sketch(
    draw: Draw,
    op: str,
    input_quant: Quant,
    output_quant: Quant,
    attrs: dict[str, Any] | None = None,
    version: int = 2,
) -> Sketch:
    """The op over one tensor that is large enough for every input value to occur."""
    shape = (*draw.shape(draw.integer(0, 3), largest=3), 256)
    x = draw.tensor("input", shape, input_quant)
    y = draw.tensor("output", shape, output_quant)
    text = f"{op} {shape} {show(input_quant)} to {show(output_quant)}"
    return Sketch(single_op(op, [x], y, attrs, version), f"{text} {attrs}" if attrs else text)


def _rescaled(draw: Draw, quant: Quant, low: float, high: float) -> Quant:
    """Another quantisation whose scale is ``quant``'s divided by a number in [low, high]."""
    return Quant((as_float32(quant.scale / draw.log_uniform(low, high)),), (draw.zero_point(),))


def _tied(draw: Draw, unit: float) -> Quant:
    return Quant((draw.tied_scale(unit),), (draw.zero_point(),))


@register("LOGISTIC", "TANH")
def sigmoid(draw: Draw, op: str) -> Sketch:
    """The output's quantisation is fixed by the op."""
    scale = as_float32(draw.log_uniform(1e-4, 2.0))
    return _sketch(draw, op, Quant((scale,), (draw.zero_point(),)), _FIXED_OUTPUT[op])


@register("RELU")
def relu(draw: Draw, op: str) -> Sketch:
    """Input and output quantised alike or not."""
    quant = draw.quant()
    output = draw.pick((quant, _rescaled(draw, quant, 0.01, 20.0), _tied(draw, quant.scale)))
    return _sketch(draw, op, quant, output)


@register("RELU6")
def relu6(draw: Draw, op: str) -> Sketch:
    """Input and output quantised alike: the reference does not look at the output's."""
    quant = draw.quant()
    return _sketch(draw, op, quant, quant)


@register("RELU_N1_TO_1", reference="litert")
def relu_n1_to_1(draw: Draw, op: str) -> Sketch:
    """TensorFlow Lite Micro lacks this op."""
    quant = draw.quant()
    output = quant if draw.chance(0.5) else _rescaled(draw, quant, 0.1, 4.0)
    return _sketch(draw, op, quant, output, version=1)


@register("LEAKY_RELU")
def leaky_relu(draw: Draw, op: str) -> Sketch:
    """Slopes from 0 to beyond 1, now and then negative."""
    quant = draw.quant()
    alpha = draw.pick((0.0, 0.01, 0.2, draw.rng.uniform(0, 1), draw.rng.uniform(1, 4)))
    if draw.chance(0.1):
        alpha = -alpha
    tied = _tied(draw, quant.scale * (abs(alpha) if alpha and draw.chance(0.5) else 1.0))
    output = draw.pick((quant, _rescaled(draw, quant, 0.1, 8.0), tied))
    return _sketch(draw, op, quant, output, {"alpha": as_float32(alpha)})


@register("HARD_SWISH")
def hard_swish(draw: Draw, op: str) -> Sketch:
    """Scales within what the reference's 16-bit arithmetic takes."""
    quant = Quant((as_float32(draw.log_uniform(1e-3, 1.0)),), (draw.zero_point(),))
    return _sketch(draw, op, quant, _rescaled(draw, quant, 0.1, 32.0), version=1)
