# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""RESHAPE, SQUEEZE and EXPAND_DIMS: the same bytes in the same order under another shape.

The output tensor's own shape counts; the shape, axes or dimension that the op also carries say the
same in other words and are not read. The device op COPY remains only where no reader of the output
can read the input instead.
"""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    elements_reasons,
    operand,
    operand_reasons,
)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 3))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    if x is None:
        return ["input is absent"]
    if x.dtype != y.dtype:
        reasons.append(f"output is {y.dtype.name.lower()}, input is {x.dtype.name.lower()}")
    return reasons + elements_reasons(x, y)


def lower(op: Op) -> Lowered:
    """The op as a copy of all bytes."""
    x, y = operand(op, 0), op.outputs[0]
    return Lowered("COPY", (x.bytes,), (x,), (y,), inplace=(0,))


OPS = (
    OpSpec("RESHAPE", 1, check, lower),
    OpSpec("SQUEEZE", 1, check, lower),
    OpSpec("EXPAND_DIMS", 1, check, lower),
)
DEVICE_OPS = (DeviceOp("COPY", ("bytes",)),)
