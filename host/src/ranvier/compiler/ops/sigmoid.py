# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""LOGISTIC and TANH of an int8 tensor, as tables.

Source of the arithmetic: TensorFlow Lite Micro's int8 LOGISTIC and TANH.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ranvier.compiler.fixed_point import requantize, round_away, shift_round
from ranvier.compiler.graph import Op
from ranvier.compiler.ops import gemmlowp
from ranvier.compiler.ops.base import Lowered, OpSpec, fixed_output_reasons, operand, quant_of
from ranvier.compiler.ops.tables import Table, lower_table, make_table, unary_reasons


@dataclass(frozen=True)
class _Curve:
    """A function from Q4.27 to Q0.31, and the only quantisation of its output: a power of two."""

    function: Callable[[int], int]
    scale_bits: int
    zero_point: int


_CURVES = {
    "LOGISTIC": _Curve(gemmlowp.logistic, scale_bits=8, zero_point=-128),
    "TANH": _Curve(gemmlowp.tanh, scale_bits=7, zero_point=0),
}


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    curve = _CURVES[op.kind]
    return unary_reasons(op) or fixed_output_reasons(op, 2.0**-curve.scale_bits, curve.zero_point)


def table(op: Op) -> Table:
    """The output byte for every input byte."""
    curve = _CURVES[op.kind]
    zero_point = quant_of(operand(op, 0)).zero_point
    multiplier, shift, radius = _input_in_q4(op)

    def value(q: int) -> int:
        x = q - zero_point
        if abs(x) >= radius:
            return 127 if x > 0 else -128
        y = curve.function(requantize(x, multiplier, shift))
        return shift_round(y, 31 - curve.scale_bits) + curve.zero_point

    return make_table(op, value)


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    return lower_table(op, table(op))


def _input_in_q4(op: Op) -> tuple[int, int, int]:
    """How an input becomes Q4.27: ``(multiplier, shift, radius)``.

    Values at least ``radius`` away from the zero point are beyond the range of Q4.27.
    """
    fraction, shift = math.frexp(quant_of(operand(op, 0)).scale * 2.0**27)
    return round_away(fraction * 2.0**31), shift, math.floor(15 * 2.0 ** (27 - shift))


OPS = tuple(OpSpec(kind, 3, check, lower) for kind in _CURVES)
