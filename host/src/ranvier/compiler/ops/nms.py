# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""NMS: of entries of a list whose boxes overlap, only the best one stays.

An op that only stages make. Inputs and outputs are lists (``ranvier.compiler.ops.entries``), the
input's sorted. Attributes: ``iou``, Q15, the part of their union from which on two boxes have too
much in common, and ``per_class``, whether only those of one class count.
"""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.entries import SCORE_ONE, counts_reasons, list_reasons, word_reasons


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = counts_reasons(op, range(2, 3), 2)
    if reasons:
        return reasons
    for tensors in (op.inputs, op.outputs):
        entries = tensors[1]
        assert entries is not None
        reasons += list_reasons(tensors, entries.shape[0] if entries.shape else 0)
    return reasons + word_reasons(op, iou=(0, SCORE_ONE), per_class=(0, 1))


def lower(op: Op) -> Lowered:
    """The op as the device does it."""
    sizes = (operand(op, 1).shape[0], op.outputs[1].shape[0])
    params = (*sizes, op.attrs["iou"], int(op.attrs["per_class"]))
    return Lowered("NMS", params, (operand(op, 0), operand(op, 1)), tuple(op.outputs))


OPS = (OpSpec("NMS", 1, check, lower),)
DEVICE_OPS = (DeviceOp("NMS", ("candidates", "capacity", "iou", "per_class")),)
