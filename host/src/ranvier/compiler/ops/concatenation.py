# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""CONCATENATION of tensors of any type.

The inputs of 8-bit types must be quantised as the output is, which TensorFlow Lite Micro demands.
"""

from __future__ import annotations

from math import prod

from ranvier.compiler.graph import DType, Op, Tensor
from ranvier.compiler.ops.base import BYTE_TYPES, DeviceOp, Lowered, OpSpec, operand_reasons

MAX_INPUTS = 32
"""Inputs of one CONCATENATION."""


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    if len(op.inputs) > MAX_INPUTS:
        return [f"has {len(op.inputs)} inputs, the limit is {MAX_INPUTS}"]
    reasons = operand_reasons(op, range(1, MAX_INPUTS + 1))
    if reasons:
        return reasons
    y = op.outputs[0]
    rank, axis = len(y.shape), op.attrs.get("axis", 0)
    if not -rank <= axis < rank:
        return [f"axis {axis} of a tensor of rank {rank}"]
    activation = op.attrs.get("fused_activation_function", "NONE")
    if activation != "NONE":
        reasons.append(f"fused activation {activation} is not supported")
    for i, x in enumerate(op.inputs):
        reasons += _input_reasons(x, f"input {i}", y, axis % rank)
    length = sum(x.shape[axis] for x in op.inputs if x is not None and len(x.shape) == rank)
    if not reasons and length != y.shape[axis]:
        reasons.append(f"output has {y.shape[axis]} along axis {axis}, the inputs {length}")
    return reasons


def lower(op: Op) -> Lowered:
    """The op as runs of bytes."""
    y = op.outputs[0]
    inputs = tuple(x for x in op.inputs if x is not None)
    outer = prod(y.shape[: op.attrs.get("axis", 0) % len(y.shape)])
    return Lowered("CONCATENATION", (outer, *(x.bytes // outer for x in inputs)), inputs, (y,))


def _input_reasons(x: Tensor | None, what: str, y: Tensor, axis: int) -> list[str]:
    if x is None:
        return [f"{what} is absent"]
    if x.dtype != y.dtype:
        return [f"{what} is {x.dtype.name.lower()}, output is {y.dtype.name.lower()}"]
    if x.shape[:axis] + x.shape[axis + 1 :] != y.shape[:axis] + y.shape[axis + 1 :]:
        return [f"{what} has shape {list(x.shape)}, output has {list(y.shape)}"]
    if x.dtype in BYTE_TYPES and x.quant != y.quant:
        return [f"{what} is not quantised as the output is"]
    if x.dtype is DType.INT16 and any(_zero_points(x) + _zero_points(y)):
        return [f"{what} or output is int16 with a zero point other than 0"]
    return []


def _zero_points(tensor: Tensor) -> tuple[int, ...]:
    return () if tensor.quant is None else tensor.quant.zero_points


OPS = (OpSpec("CONCATENATION", 7, check, lower),)
DEVICE_OPS = (DeviceOp("CONCATENATION", ("outer",)),)
