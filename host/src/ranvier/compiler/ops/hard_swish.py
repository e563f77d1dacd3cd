# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""HARD_SWISH of an int8 tensor, as a table: x * min(max(x + 3, 0), 6) / 6.

Source of the arithmetic, 16-bit fixed point: TensorFlow Lite Micro's int8 HARD_SWISH.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import Lowered, OpSpec, operand, quant_of
from ranvier.compiler.ops.tables import Table, lower_table, make_table, unary_reasons

_INT16_MAX = (1 << 15) - 1
_LARGEST_EXPONENT = 31
_THREE = 3.0 / 32768.0
"""The scale at which 3.0 is 2**15."""


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = unary_reasons(op)
    if reasons:
        return reasons
    output, gate = _ratios(op)
    if not output <= 1.0 or quantize_multiplier(output)[1] > 0:
        reasons.append("output scale is below 1/128 of the input's")
    if not gate < 2.0**_LARGEST_EXPONENT:
        reasons.append(f"input scale {quant_of(operand(op, 0)).scale:g} is out of range")
    return reasons


def table(op: Op) -> Table:
    """The output byte for every input byte."""
    zero_in, zero_out = quant_of(operand(op, 0)).zero_point, quant_of(op.outputs[0]).zero_point
    output, gate = _ratios(op)
    output_multiplier, output_shift = _multiplier_16(output)
    gate_multiplier, gate_shift = _multiplier_16(gate)

    def value(q: int) -> int:
        x = (q - zero_in) << 7
        y = _high_mul(x, output_multiplier)
        g = x
        if gate_shift > 0:
            g = _saturate(g << (gate_shift - 1))
        g = _high_mul(g, gate_multiplier)
        if gate_shift > 0:
            g = _saturate(g << 1)
        g = _shift_round(g, max(-gate_shift, 0))
        g = (g + (1 << 15)) >> 1  # from [-1, 1] to [0, 1]
        product = g * y
        scaled = abs(product) >> 15
        return _shift_round(scaled if product >= 0 else -scaled, -output_shift) + zero_out

    return make_table(op, value)


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    return lower_table(op, table(op))


def _ratios(op: Op) -> tuple[float, float]:
    """Steps of the output, and of the gate (x + 3) / 6, per 1/128 step of the input."""
    x, y = quant_of(operand(op, 0)), quant_of(op.outputs[0])
    fine = x.scale / 128.0
    return fine / y.scale, fine / _THREE


def _multiplier_16(real: float) -> tuple[int, int]:
    """A multiplier in Q15 and its exponent."""
    multiplier, shift = quantize_multiplier(real)
    return min((multiplier + (1 << 15)) >> 16, _INT16_MAX), shift


def _saturate(x: int) -> int:
    return min(max(x, -_INT16_MAX - 1), _INT16_MAX)


def _high_mul(a: int, b: int) -> int:
    """High 16 bits of ``2ab`` rounded, for ``b`` that is not negative."""
    return (a * b + (1 << 14)) >> 15


def _shift_round(x: int, right: int) -> int:
    """``x / 2**right`` rounded to nearest, ties away from zero, in int16.

    The reference keeps its mask in int16 too, so that beyond 15 bits every bit is a remainder and
    results are 1 for ``x >= 0`` and -1 below.
    """
    if right > 15:
        return 1 if x >= 0 else -1
    mask = (1 << right) - 1
    return (x >> right) + (1 if (x & mask) > (mask >> 1) + (1 if x < 0 else 0) else 0)


OPS = (OpSpec("HARD_SWISH", 1, check, lower),)
