# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""MUL of two int8 tensors.

Source of the arithmetic: TensorFlow Lite Micro's int8 MUL.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.activation import activation_range
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, quant_of
from ranvier.compiler.ops.binary import binary_reasons, broadcast_box, inplace_inputs

_LARGEST_RATIO = 2.0**30


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = binary_reasons(op)
    if not reasons and not _ratio(op) < _LARGEST_RATIO:
        return ["output scale is below 2**-30 of the product of the input scales"]
    return reasons


def lower(op: Op) -> Lowered:
    """The op with its scales as a multiplier and its shapes as a box."""
    x, y, out = operand(op, 0), operand(op, 1), op.outputs[0]
    box = broadcast_box(op)
    zero_points = tuple(quant_of(t).zero_point for t in (x, y, out))
    params = zero_points + activation_range(op) + quantize_multiplier(_ratio(op)) + box.words
    return Lowered("MUL_S8", params, (x, y), (out,), inplace=inplace_inputs(op, box))


def _ratio(op: Op) -> float:
    """Factor from the product of the input values to the output."""
    tensors = (operand(op, 0), operand(op, 1), op.outputs[0])
    first, second, out = (quant_of(t).scale for t in tensors)
    return first * second / out


OPS = (OpSpec("MUL", 7, check, lower),)
DEVICE_OPS = (
    DeviceOp(
        "MUL_S8",
        (
            "zero_point_0",
            "zero_point_1",
            "zero_point_out",
            "act_min",
            "act_max",
            "multiplier",
            "shift",
        ),
    ),
)
