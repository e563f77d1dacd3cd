# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""gemmlowp's exponential, logistic function and hyperbolic tangent in fixed point, bit by bit.

A number in Qm.n is an int32 that stands for itself times 2**-n. Source of the algorithms:
gemmlowp's fixed point, which TensorFlow Lite's int8 kernels use: exp(-x) by a polynomial on
[-1/4, 0) and a product of powers, then 1 / (1 + y) or (1 - y) / (1 + y) by Newton-Raphson division.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import INT32_MAX, high_mul, shift_round, wrap32

_ONE_Q0 = INT32_MAX
_ONE_Q2 = 1 << 29
_EXP_EIGHTH = 1895147668  # exp(-1/8) in Q0.31
_THIRD = 715827883  # 1/3 in Q0.31
_48_OVER_17 = 1515870810  # in Q2.29
_32_OVER_17 = 1010580540  # in Q2.29
_EXP_POWERS = {  # k -> exp(-2**k) in Q0.31
    -2: 1672461947,
    -1: 1302514674,
    0: 790015084,
    1: 290630308,
    2: 39332535,
    3: 720401,
    4: 242,
}


def logistic(x: int) -> int:
    """1 / (1 + exp(-x)) in Q0.31 for ``x`` in Q4.27."""
    if x == 0:
        return 1 << 30
    y = _reciprocal(exp_negative(-abs(x), 4))
    positive = _saturating_shift(y, 1)
    return positive if x > 0 else _ONE_Q0 - positive


def tanh(x: int) -> int:
    """The hyperbolic tangent in Q0.31 of ``x`` in Q4.27."""
    if x == 0:
        return 0
    # The same bits in Q5.26 stand for 2x.
    y = _reciprocal(exp_negative(-abs(x), 5))
    positive = _saturating_shift(y - _ONE_Q2, 2)
    return positive if x > 0 else -positive


def exp_negative(x: int, integer_bits: int) -> int:
    """exp(x) in Q0.31 for ``x <= 0`` with up to 5 integer bits."""
    if x == 0:
        return _ONE_Q0
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    part = (x & (quarter - 1)) - quarter
    result = _exp_small(part << integer_bits)
    rest = part - x
    for power, factor in _EXP_POWERS.items():
        if power < integer_bits and rest >> (fraction_bits + power) & 1:
            result = high_mul(result, factor)
    return result


def _exp_small(x: int) -> int:
    """exp(x) in Q0.31 for ``x`` in Q0.31 and [-1/4, 0): Taylor's polynomial around -1/8."""
    x += 1 << 28
    x2 = high_mul(x, x)
    x3 = high_mul(x2, x)
    x4 = high_mul(x2, x2)
    tail = shift_round(high_mul(shift_round(x4, 2) + x3, _THIRD) + x2, 1)
    return _EXP_EIGHTH + high_mul(_EXP_EIGHTH, x + tail)


def _reciprocal(y: int) -> int:
    """2 / (1 + y) in Q2.29 for ``y`` in Q0.31 and (0, 1)."""
    half = (y + _ONE_Q0 + 1) // 2
    x = _48_OVER_17 + high_mul(half, -_32_OVER_17)
    for _ in range(3):
        x = wrap32(x + _saturating_shift(high_mul(x, _ONE_Q2 - high_mul(half, x)), 2))
    return x


def _saturating_shift(x: int, left: int) -> int:
    """``x * 2**left`` in int32, saturating."""
    limit = (1 << (31 - left)) - 1
    if x > limit:
        return INT32_MAX
    return -INT32_MAX - 1 if x < -limit else x << left
