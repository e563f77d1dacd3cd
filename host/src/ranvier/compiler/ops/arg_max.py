# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""ARG_MAX of int8 along any constant dimension, to int32; the first of equal values."""

from __future__ import annotations

from math import prod

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    data_of,
    operand,
    operand_reasons,
    tensor_reasons,
)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    x, axis, y = *op.inputs, op.outputs[0]
    reasons += tensor_reasons(x, "input", (DType.INT8,), quantised=False)
    reasons += tensor_reasons(y, "output", (DType.INT32,), quantised=False)
    reasons += tensor_reasons(axis, "axis", (DType.INT32, DType.INT64), quantised=False)
    if reasons or x is None or axis is None:
        return reasons
    if axis.data is None or axis.elements != 1:
        return [f"axis {axis.name!r} is not one constant"]
    rank = len(x.shape)
    number = int(axis.data.reshape(-1)[0])
    if not -rank <= number < rank or x.elements < 1:
        return [f"axis {number} is outside of the input's {rank} dimensions"]
    number %= rank
    wanted = (*x.shape[:number], *x.shape[number + 1 :])
    if y.elements != prod(wanted):
        return [f"output shape {list(y.shape)} is not {list(wanted)}"]
    return []


def lower(op: Op) -> Lowered:
    """The op with the dimensions before and behind the axis joined."""
    x, y = operand(op, 0), op.outputs[0]
    axis = int(data_of(operand(op, 1)).reshape(-1)[0]) % len(x.shape)
    sizes = (prod(x.shape[:axis]), x.shape[axis], prod(x.shape[axis + 1 :]))
    return Lowered("ARG_MAX_S8", sizes, (x,), (y,))


OPS = (OpSpec("ARG_MAX", 2, check, lower),)
DEVICE_OPS = (DeviceOp("ARG_MAX_S8", ("outer", "size", "inner")),)
