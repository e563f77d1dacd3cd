# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""RESIZE_NEAREST_NEIGHBOR of an image of any type.

Source of the positions, computed in float32: TensorFlow Lite's reference kernel.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, operand_reasons

_MAX_SIDE = 1 << 16
"""Rows or columns of an input whose positions fit in uint16."""


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    x, size, y = *op.inputs, op.outputs[0]
    if x is None or len(x.shape) != 4 or len(y.shape) != 4:
        return ["input or output does not have four dimensions"]
    if x.dtype != y.dtype:
        reasons.append(f"output is {y.dtype.name.lower()}, input is {x.dtype.name.lower()}")
    side = max(*x.shape[1:3], *y.shape[1:3])
    if side > _MAX_SIDE:
        reasons.append(f"input or output has a side of {side}, the limit is {_MAX_SIDE}")
    if size is None or size.data is None or size.dtype != DType.INT32 or size.shape != (2,):
        return [*reasons, "the size is not a constant of two int32"]
    wanted = (x.shape[0], *size.data.tolist(), x.shape[3])
    if y.shape != wanted:
        reasons.append(f"output shape {list(y.shape)} is not {list(wanted)}")
    return reasons


def lower(op: Op) -> Lowered:
    """The op with the positions as two tables."""
    x, y = operand(op, 0), op.outputs[0]
    batches, in_h, in_w, channels = x.shape
    _, out_h, out_w, _ = y.shape
    tables = [positions(op, in_h, out_h), positions(op, in_w, out_w)]
    return Lowered(
        "RESIZE_NEAREST",
        (in_h, in_w, batches, channels * x.dtype.bytes, out_h, out_w),
        (x,),
        (y,),
        weights=np.concatenate(tables).astype("<u2").tobytes(),
    )


def positions(op: Op, size: int, out_size: int) -> NDArray[np.float64]:
    """The input row or column of every output row or column."""
    align_corners = op.attrs.get("align_corners", False)
    half_pixel_centers = op.attrs.get("half_pixel_centers", False)
    if align_corners and out_size > 1:
        scale = np.float32(size - 1) / np.float32(out_size - 1)
    else:
        scale = np.float32(size) / np.float32(out_size)
    offset = np.float32(0.5 if half_pixel_centers else 0.0)
    exact = ((np.arange(out_size).astype(np.float32) + offset) * scale).astype(np.float64)
    positions: NDArray[np.float64] = np.floor(exact + 0.5 if align_corners else exact)
    return np.minimum(positions, size - 1)


OPS = (OpSpec("RESIZE_NEAREST_NEIGHBOR", 4, check, lower),)
DEVICE_OPS = (
    DeviceOp(
        "RESIZE_NEAREST",
        ("in_h", "in_w", "batches", "pixel_bytes", "out_h", "out_w"),
    ),
)
