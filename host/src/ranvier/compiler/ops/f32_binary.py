# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""ADD and MUL of two float32 tensors."""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, operand_reasons
from ranvier.compiler.ops.binary import broadcast_box, broadcast_reasons, inplace_inputs
from ranvier.compiler.ops.f32 import RANGE_PARAMS, activation_reasons, f32_reasons, fused_range

_KINDS = {"ADD": 5, "MUL": 7}


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    for i, tensor in enumerate(op.inputs):
        reasons += f32_reasons(tensor, f"input {i}")
    reasons += f32_reasons(op.outputs[0], "output")
    return reasons or broadcast_reasons(op) + activation_reasons(op)


def lower(op: Op) -> Lowered:
    """The op with its output's range and its shapes as a box."""
    inputs = (operand(op, 0), operand(op, 1))
    box = broadcast_box(op)
    params = (*fused_range(op), *box.words)
    inplace = inplace_inputs(op, box)
    return Lowered(f"{op.kind}_F32", params, inputs, (op.outputs[0],), inplace=inplace)


F32_OPS = tuple(OpSpec(kind, version, check, lower) for kind, version in _KINDS.items())
DEVICE_OPS = tuple(DeviceOp(f"{kind}_F32", RANGE_PARAMS) for kind in _KINDS)
