# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""RELU, RELU6 and RELU_N1_TO_1 of an int8 tensor, as tables.

Source of the arithmetic: TensorFlow Lite's quantised RELU, which its RELU6 and RELU_N1_TO_1 follow
in LiteRT's reference kernels. TensorFlow Lite Micro lacks RELU_N1_TO_1, and its RELU6 clamps in the
input's quantisation and ignores the output's: equal where both are the same, wrong elsewhere.
Scales are divided as the reference of each op does: by Micro in double, by LiteRT in float32.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.fixed_point import quantize_multiplier, requantize
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.activation import exceeds_32_bits, quantised_range
from ranvier.compiler.ops.base import Lowered, OpSpec, operand, quant_of, scale_ratio
from ranvier.compiler.ops.tables import Table, lower_table, make_table, ratio_reasons, unary_reasons


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = unary_reasons(op)
    if reasons:
        return reasons
    if exceeds_32_bits(op.kind, quant_of(op.outputs[0])):
        reasons.append(f"output scale {quant_of(op.outputs[0]).scale:g} is out of range")
    return reasons + ratio_reasons(_ratio(op))


def table(op: Op) -> Table:
    """The output byte for every input byte."""
    zero_in, zero_out = quant_of(operand(op, 0)).zero_point, quant_of(op.outputs[0]).zero_point
    multiplier, shift = quantize_multiplier(_ratio(op))
    low, high = quantised_range(op.kind, quant_of(op.outputs[0]))

    def value(q: int) -> int:
        y = zero_out + requantize(q - zero_in, multiplier, shift)
        return min(max(y, low), high)

    return make_table(op, value)


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    return lower_table(op, table(op))


def _ratio(op: Op) -> float:
    """The input's scale divided by the output's."""
    if op.kind == "RELU":
        return scale_ratio(op)
    x, y = quant_of(operand(op, 0)), quant_of(op.outputs[0])
    with np.errstate(over="ignore", under="ignore"):
        return float(np.float32(x.scale) / np.float32(y.scale))


OPS = (
    OpSpec("RELU", 3, check, lower),
    OpSpec("RELU6", 3, check, lower),
    OpSpec("RELU_N1_TO_1", 1, check, lower),
)
