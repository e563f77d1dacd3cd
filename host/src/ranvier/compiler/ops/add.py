# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""ADD of two int8 tensors.

Source of the arithmetic: TensorFlow Lite Micro's int8 ADD.
"""

from __future__ import annotations

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import Op
from ranvier.compiler.ops.activation import activation_range
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, quant_of
from ranvier.compiler.ops.binary import binary_reasons, broadcast_box, inplace_inputs

_INPUT_BITS = 20
"""Bits by which the inputs are finer than the common scale."""


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = binary_reasons(op)
    if reasons:
        return reasons
    ratio = _ratios(op)[2]
    if ratio >= 1.0 or quantize_multiplier(ratio)[1] > 0:
        return [f"output scale is below 2**-{_INPUT_BITS - 1} of the larger input scale"]
    return []


def lower(op: Op) -> Lowered:
    """The op with its scales as multipliers and its shapes as a box."""
    x, y, out = operand(op, 0), operand(op, 1), op.outputs[0]
    multipliers, shifts = zip(*map(quantize_multiplier, _ratios(op)), strict=True)
    box = broadcast_box(op)
    zero_points = tuple(quant_of(t).zero_point for t in (x, y, out))
    params = zero_points + activation_range(op) + multipliers + shifts + box.words
    return Lowered("ADD_S8", params, (x, y), (out,), inplace=inplace_inputs(op, box))


def _ratios(op: Op) -> tuple[float, float, float]:
    """Factors from each input to the common scale, and from there to the output."""
    tensors = (operand(op, 0), operand(op, 1), op.outputs[0])
    first, second, out = (quant_of(t).scale for t in tensors)
    common = 2.0 * max(first, second)
    return first / common, second / common, common / (2.0**_INPUT_BITS * out)


OPS = (OpSpec("ADD", 5, check, lower),)
DEVICE_OPS = (
    DeviceOp(
        "ADD_S8",
        (
            "zero_point_0",
            "zero_point_1",
            "zero_point_out",
            "act_min",
            "act_max",
            "multiplier_0",
            "multiplier_1",
            "multiplier_out",
            "shift_0",
            "shift_1",
            "shift_out",
        ),
    ),
)
