# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""MEAN over any constant set of axes in float32."""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, operand_reasons
from ranvier.compiler.ops.f32 import f32_reasons
from ranvier.compiler.ops.mean import GROUPS, axis_reasons, groups_of


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    reasons += f32_reasons(op.inputs[0], "input") + f32_reasons(op.outputs[0], "output")
    return reasons or axis_reasons(op)


def lower(op: Op) -> Lowered:
    """The op with its axes merged into three kept and three reduced groups."""
    return Lowered("MEAN_F32", groups_of(op), (operand(op, 0),), (op.outputs[0],))


F32_OPS = (OpSpec("MEAN", 3, check, lower),)
DEVICE_OPS = (DeviceOp("MEAN_F32", GROUPS),)
