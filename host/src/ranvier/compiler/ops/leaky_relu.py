# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""LEAKY_RELU of an int8 tensor, as a table.

Source of the arithmetic: TensorFlow Lite Micro's int8 LEAKY_RELU.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import quantize_multiplier, requantize
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import Lowered, OpSpec, operand, quant_of, scale_ratio
from ranvier.compiler.ops.tables import Table, lower_table, make_table, ratio_reasons, unary_reasons


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    return unary_reasons(op) or ratio_reasons(scale_ratio(op)) + ratio_reasons(_negative_ratio(op))


def table(op: Op) -> Table:
    """The output byte for every input byte."""
    zero_in, zero_out = quant_of(operand(op, 0)).zero_point, quant_of(op.outputs[0]).zero_point
    slope = _negative_ratio(op)
    positive, negative = quantize_multiplier(scale_ratio(op)), quantize_multiplier(abs(slope))

    def value(q: int) -> int:
        x = q - zero_in
        if x >= 0:
            return zero_out + requantize(x, *positive)
        y = requantize(x, *negative)
        return zero_out + (y if slope >= 0 else -y)

    return make_table(op, value)


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    return lower_table(op, table(op))


def _negative_ratio(op: Op) -> float:
    """Output steps per step of a negative input, in double as the reference computes them."""
    x, y = quant_of(operand(op, 0)), quant_of(op.outputs[0])
    return x.scale * float(op.attrs.get("alpha", 0.0)) / y.scale


OPS = (OpSpec("LEAKY_RELU", 2, check, lower),)
