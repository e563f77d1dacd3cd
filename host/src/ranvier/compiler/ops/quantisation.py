# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of the quantisation that int8 ops need."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import DType, Tensor
from ranvier.compiler.ops.base import tensor_reasons

MAX_SHIFT = 30
"""Largest shift to the left that a device applies."""


def int8_reasons(tensor: Tensor | None, what: str) -> list[str]:
    """Why ``tensor`` is not int8 with one usable scale and zero point."""
    reasons = tensor_reasons(tensor, what, [DType.INT8])
    if reasons or tensor is None or tensor.quant is None:
        return reasons
    if not (math.isfinite(tensor.quant.scale) and tensor.quant.scale > 0):
        reasons.append(f"{what} {tensor.name!r} has the scale {tensor.quant.scale}")
    if not -128 <= tensor.quant.zero_point <= 127:
        reasons.append(f"{what} {tensor.name!r} has the zero point {tensor.quant.zero_point}")
    return reasons


def scale_of(tensor: Tensor | None) -> float:
    """Scale of a tensor that has been checked, 0.0 without quantisation."""
    return 0.0 if tensor is None or tensor.quant is None else tensor.quant.scale


def zero_point_of(tensor: Tensor | None) -> int:
    """Zero point of a tensor that has been checked, 0 without quantisation."""
    return 0 if tensor is None or tensor.quant is None else tensor.quant.zero_point


def multiplier_reasons(reals: Iterable[float]) -> list[str]:
    """Why the output multipliers ``reals`` cannot be applied in 32 bits."""
    for real in reals:
        if not (math.isfinite(real) and real >= 0):
            return [f"the scales give the output multiplier {real}"]
        if quantize_multiplier(real)[1] > MAX_SHIFT:
            return [f"the scales give the output multiplier {real}, which exceeds 2**{MAX_SHIFT}"]
    return []
