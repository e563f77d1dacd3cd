# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Integer multipliers for real scales, exactly as TensorFlow Lite forms and applies them.

Source of the definitions: TensorFlow Lite's ``QuantizeMultiplier`` and gemmlowp's fixed point. The
same arithmetic runs on the device (``kernels/fixed_point.h``); here it makes tables.
"""

from __future__ import annotations

import math

INT32_MAX = (1 << 31) - 1


def round_away(x: float) -> int:
    """Round to nearest, ties away from zero (C's ``round``)."""
    return math.floor(x + 0.5) if x >= 0 else math.ceil(x - 0.5)


def quantize_multiplier(real: float) -> tuple[int, int]:
    """``(multiplier, shift)`` with ``real ~ multiplier * 2**(shift - 31)``, multiplier in Q31.

    ``real`` is a non-negative finite double. Values below 2**-32 become ``(0, 0)``.
    """
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    multiplier = round_away(fraction * (1 << 31))
    if multiplier == 1 << 31:
        multiplier //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    return multiplier, shift


def wrap32(x: int) -> int:
    """The int32 with the low 32 bits of ``x``."""
    return ((x + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def high_mul(a: int, b: int) -> int:
    """High 32 bits of ``2ab`` rounded (SaturatingRoundingDoublingHighMul)."""
    return min((a * b + (1 << 30)) >> 31, INT32_MAX)


def shift_round(x: int, right: int) -> int:
    """``x / 2**right`` rounded to nearest, ties away from zero (RoundingDivideByPOT)."""
    mask = (1 << right) - 1
    return (x >> right) + (1 if (x & mask) > (mask >> 1) + (1 if x < 0 else 0) else 0)


def requantize(x: int, multiplier: int, shift: int) -> int:
    """``x * multiplier * 2**(shift - 31)`` (MultiplyByQuantizedMultiplier)."""
    return shift_round(high_mul(wrap32(x << max(shift, 0)), multiplier), max(-shift, 0))
