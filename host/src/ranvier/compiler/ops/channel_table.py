# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""CHANNEL_TABLE: a function of each channel, the last dimension, of an 8-bit tensor.

An op that only stages make. Its attribute ``tables`` has 256 raw bytes for each channel, by the
input's raw byte.
"""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import BYTE_TYPES, DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.tables import unary_reasons

_ENTRIES = 256
_CHANNELS_MAX = 0xFFFF


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = unary_reasons(op, BYTE_TYPES, BYTE_TYPES)
    if reasons:
        return reasons
    shape = operand(op, 0).shape
    if not shape or not 1 <= shape[-1] <= _CHANNELS_MAX or shape != op.outputs[0].shape:
        return [f"input {list(shape)} and output {list(op.outputs[0].shape)} do not fit"]
    if len(op.attrs.get("tables", b"")) != _ENTRIES * shape[-1]:
        return [f"has no table of {_ENTRIES} bytes for each of {shape[-1]} channels"]
    return []


def lower(op: Op) -> Lowered:
    """The op as the device's table look-ups."""
    x, y = operand(op, 0), op.outputs[0]
    channels = x.shape[-1]
    return Lowered(
        "CHANNEL_TABLE",
        (x.elements // channels, channels),
        (x,),
        (y,),
        weights=op.attrs["tables"],
        inplace=(0,),
    )


OPS = (OpSpec("CHANNEL_TABLE", 1, check, lower),)
DEVICE_OPS = (DeviceOp("CHANNEL_TABLE", ("pixels", "channels")),)
