# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SOFTMAX over the last dimension, int8 to int8.

Source of the definitions: TensorFlow Lite's int8 softmax (``PreprocessSoftmaxScaling``,
``CalculateInputRadius``).
"""

from __future__ import annotations

import math
from math import prod

import numpy as np

from ranvier.compiler.fixed_point import INT32_MAX, high_mul, quantize_multiplier, wrap32
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    fixed_output_reasons,
    operand,
    quant_of,
)
from ranvier.compiler.ops.gemmlowp import exp_negative
from ranvier.compiler.ops.tables import unary_reasons

_DEPTH_MAX = 4095  # so many ones stay below 2^12, the range of the kernel's sum
_INTEGER_BITS = 5  # the scaled difference is Q5.26
_FRACTION_BITS = 31 - _INTEGER_BITS


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = unary_reasons(op)
    if reasons:
        return reasons
    source, result = operand(op, 0), op.outputs[0]
    reasons += fixed_output_reasons(op, 1 / 256, -128)
    if not source.shape or source.shape != result.shape or source.elements < 1:
        reasons.append(f"input {source.shape} and output {result.shape} do not fit")
    elif source.shape[-1] > _DEPTH_MAX:
        reasons.append(f"{source.shape[-1]} values in a row, limit {_DEPTH_MAX}")
    factor = _factor(op)
    if not (math.isfinite(factor) and factor > 1):
        reasons.append(f"beta {_beta(op)} is not supported with the input's scale")
    return reasons


def _beta(op: Op) -> float:
    return float(op.attrs.get("beta", 0.0))


def _factor(op: Op) -> float:
    """What a difference of two inputs is multiplied with to be Q5.26."""
    factor = _beta(op) * quant_of(operand(op, 0)).scale * (1 << _FRACTION_BITS)
    return min(factor, float(INT32_MAX))


def _table(op: Op) -> list[int]:
    """exp(-beta * scale * difference) in Q0.31 for every difference 0..255."""
    multiplier, shift = quantize_multiplier(_factor(op))
    radius = ((1 << _INTEGER_BITS) - 1) * (1 << _FRACTION_BITS) >> shift
    return [
        exp_negative(high_mul(wrap32(-difference << shift), multiplier), _INTEGER_BITS)
        if difference <= radius
        else 0
        for difference in range(256)
    ]


def lower(op: Op) -> Lowered:
    """The op with its exponential as a table."""
    source = operand(op, 0)
    return Lowered(
        device="SOFTMAX_S8",
        params=(prod(source.shape[:-1]), source.shape[-1]),
        inputs=(source,),
        outputs=(op.outputs[0],),
        weights=np.array(_table(op), dtype="<i4").tobytes(),
        inplace=(0,),
    )


OPS = (OpSpec("SOFTMAX", 3, check, lower),)
DEVICE_OPS = (DeviceOp("SOFTMAX_S8", ("rows", "depth")),)
