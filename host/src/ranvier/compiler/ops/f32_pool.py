# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""AVERAGE_POOL_2D and MAX_POOL_2D in float32."""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.f32 import RANGE_PARAMS, activation_reasons, fused_range, image_reasons
from ranvier.compiler.ops.pool_2d import filter_of
from ranvier.compiler.ops.window import WINDOW_PARAMS, window_of, window_reasons

_PARAMS = (*WINDOW_PARAMS, *RANGE_PARAMS)
_KINDS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = image_reasons(op)
    if reasons:
        return reasons
    shape = operand(op, 0).shape
    return activation_reasons(op) + window_reasons(op, *filter_of(op), shape[-1] if shape else 0)


def lower(op: Op) -> Lowered:
    """The op with its window and its output's range as words."""
    return Lowered(
        device=f"{op.kind}_F32",
        params=(*window_of(op, *filter_of(op)).words, *fused_range(op)),
        inputs=(operand(op, 0),),
        outputs=(op.outputs[0],),
    )


F32_OPS = tuple(OpSpec(kind, 3, check, lower) for kind in _KINDS)
DEVICE_OPS = tuple(DeviceOp(f"{kind}_F32", _PARAMS) for kind in _KINDS)
