# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the float32 ops share: operands, numbers in parameter words, the range of the output.

A module ``f32_*`` describes how kinds of op that also work on int8 are treated where their first
input is float32: a tuple ``F32_OPS``, and the device ops in ``DEVICE_OPS``.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op, Tensor
from ranvier.compiler.ops.activation import REAL_RANGE
from ranvier.compiler.ops.base import operand_reasons, tensor_reasons

RANGE_PARAMS = ("act_min", "act_max")
"""Parameter words of the range to which an output is clamped."""


def is_f32(op: Op) -> bool:
    """True for an op whose first input is float32."""
    return bool(op.inputs) and op.inputs[0] is not None and op.inputs[0].dtype is DType.FLOAT32


def f32_reasons(tensor: Tensor | None, what: str) -> list[str]:
    """Why ``tensor`` is not float32."""
    return tensor_reasons(tensor, what, (DType.FLOAT32,), quantised=False)


def image_reasons(op: Op) -> list[str]:
    """Why ``op`` does not have one float32 input and one float32 output."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    return f32_reasons(op.inputs[0], "input") + f32_reasons(op.outputs[0], "output")


def activation_reasons(op: Op) -> list[str]:
    """Why the fused activation of an op cannot be executed."""
    function = op.attrs.get("fused_activation_function", "NONE")
    return [] if function in REAL_RANGE else [f"fused activation {function} is not supported"]


def bits(value: float) -> int:
    """A number, rounded to float32, as the parameter word with its bits."""
    with np.errstate(over="ignore"):
        return int(np.float32(value).view(np.int32))


def range_words(function: str) -> tuple[int, int]:
    """The words that ``RANGE_PARAMS`` names, for an activation, fused or an op of its own."""
    low, high = REAL_RANGE[function]
    return bits(low), bits(high)


def fused_range(op: Op) -> tuple[int, int]:
    """The words that ``RANGE_PARAMS`` names, for an op with a fused activation."""
    return range_words(op.attrs.get("fused_activation_function", "NONE"))
