# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The range to which an op clamps its int8 output: fused activation and fused clamp in one.

Source of the definition: TensorFlow Lite's ``CalculateActivationRangeQuantized``.
"""

from __future__ import annotations

import math

import numpy as np

from ranvier.compiler.fixed_point import INT32_MAX, round_away
from ranvier.compiler.graph import Op, Quant
from ranvier.compiler.ops.base import quant_of

INT8_MIN, INT8_MAX = -128, 127

CLAMPABLE: frozenset[str] = frozenset(
    {
        "ADD",
        "AVERAGE_POOL_2D",
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "FULLY_CONNECTED",
        "MAX_POOL_2D",
        "MUL",
    }
)
"""Kinds of op whose output range may be narrowed by the attribute ``_clamp``."""

REAL_RANGE: dict[str, tuple[float, float]] = {
    "NONE": (-math.inf, math.inf),
    "RELU": (0.0, math.inf),
    "RELU6": (0.0, 6.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}
"""Bounds of every activation, fused or an op of its own."""


def activation_reasons(op: Op) -> list[str]:
    """Why the fused activation of an op cannot be executed.

    Output 0 must have a per-tensor quantisation (check it first).
    """
    function = op.attrs.get("fused_activation_function", "NONE")
    if function not in REAL_RANGE:
        return [f"fused activation {function} is not supported"]
    if exceeds_32_bits(function, quant_of(op.outputs[0])):
        return [f"fused activation {function} exceeds 32 bits at the output's scale"]
    return []


def activation_range(op: Op) -> tuple[int, int]:
    """Lowest and highest int8 value of output 0.

    The fused activation's range, then clamped to the attribute ``_clamp`` where a pass has set it:
    ``(low, high)``, both in int8. The result is the range of the two clamps applied in turn, also
    where they do not overlap.
    """
    function = op.attrs.get("fused_activation_function", "NONE")
    low, high = quantised_range(function, quant_of(op.outputs[0]))
    clamp_low, clamp_high = op.attrs.get("_clamp", (INT8_MIN, INT8_MAX))
    return min(max(low, clamp_low), clamp_high), min(max(high, clamp_low), clamp_high)


def exceeds_32_bits(function: str, quant: Quant) -> bool:
    """True where a bound of an activation is too many steps of ``quant`` for 32 bits."""
    bounds = (real for real in REAL_RANGE[function] if math.isfinite(real))
    return any(abs(_steps(real, quant.scale)) > INT32_MAX for real in bounds)


def quantised_range(function: str, quant: Quant) -> tuple[int, int]:
    """Lowest and highest int8 value of an activation whose output is quantised by ``quant``."""
    low, high = (_quantised(real, quant) for real in REAL_RANGE[function])
    return low, high


def _steps(real: float, scale: float) -> int:
    """``real`` in steps of ``scale``, divided in float32 as the source does."""
    with np.errstate(all="ignore"):
        steps = float(np.float32(real) / np.float32(scale))
    return round_away(steps) if math.isfinite(steps) else INT32_MAX + 1


def _quantised(real: float, quant: Quant) -> int:
    if math.isinf(real):
        return INT8_MIN if real < 0 else INT8_MAX
    return min(max(quant.zero_point + _steps(real, quant.scale), INT8_MIN), INT8_MAX)
