# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""LOGISTIC of an int8 tensor, as a table.

Source of the arithmetic: TensorFlow Lite Micro's int8 LOGISTIC.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import requantize, shift_round
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import Lowered, OpSpec
from ranvier.compiler.ops.gemmlowp import logistic
from ranvier.compiler.ops.tables import (
    Table,
    fixed_output_reasons,
    input_in_q4,
    lower_table,
    make_table,
    operand,
    quant_of,
    unary_reasons,
)

_SCALE, _ZERO_POINT = 1 / 256, -128


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    return unary_reasons(op) or fixed_output_reasons(op, _SCALE, _ZERO_POINT)


def table(op: Op) -> Table:
    """The output byte for every input byte."""
    zero_point = quant_of(operand(op, 0)).zero_point
    multiplier, shift, radius = input_in_q4(op)

    def value(q: int) -> int:
        x = q - zero_point
        if abs(x) >= radius:
            return 127 if x > 0 else -128
        y = logistic(requantize(x, multiplier, shift))
        return shift_round(y, 23) + _ZERO_POINT

    return make_table(op, value)


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    return lower_table(op, table(op))


OPS = (OpSpec("LOGISTIC", 3, check, lower),)
