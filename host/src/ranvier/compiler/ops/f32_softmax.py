# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SOFTMAX over the last dimension in float32."""

from __future__ import annotations

from math import prod

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.f32 import bits, image_reasons


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = image_reasons(op)
    if reasons:
        return reasons
    source, result = operand(op, 0), op.outputs[0]
    if not source.shape or source.shape != result.shape or source.elements < 1:
        reasons.append(f"input {source.shape} and output {result.shape} do not fit")
    return reasons


def lower(op: Op) -> Lowered:
    """The op as rows."""
    source = operand(op, 0)
    rows, depth = prod(source.shape[:-1]), source.shape[-1]
    params = (rows, depth, bits(op.attrs.get("beta", 0.0)))
    return Lowered("SOFTMAX_F32", params, (source,), (op.outputs[0],), inplace=(0,))


F32_OPS = (OpSpec("SOFTMAX", 3, check, lower),)
DEVICE_OPS = (DeviceOp("SOFTMAX_F32", ("rows", "depth", "beta")),)
