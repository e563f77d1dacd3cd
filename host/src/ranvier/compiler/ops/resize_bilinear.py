# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""RESIZE_BILINEAR of int8 images.

Source of the positions, computed in integers: TensorFlow Lite's reference kernel for int8. Where
its rounding leads beyond the last row or column, which it then reads, the last one is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    operand,
    operand_reasons,
    tensor_reasons,
)

SIDE_MAX = 0xFFFF
"""Most rows or columns: positions have 16 bits."""

_ONE = 1 << 10
"""Parts of a pixel."""


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    x, size, y = *op.inputs, op.outputs[0]
    reasons += tensor_reasons(x, "input", (DType.INT8,))
    reasons += tensor_reasons(y, "output", (DType.INT8,))
    if reasons or x is None:
        return reasons
    if len(x.shape) != 4 or len(y.shape) != 4:
        return ["input or output does not have four dimensions"]
    side = max(*x.shape[1:3], *y.shape[1:3])
    if side > SIDE_MAX or x.elements < 1:
        reasons.append(f"input or output has a side of {side}, the limit is {SIDE_MAX}")
    if size is None or size.data is None or size.dtype != DType.INT32 or size.shape != (2,):
        return [*reasons, "the size is not a constant of two int32"]
    if op.attrs.get("align_corners") and op.attrs.get("half_pixel_centers"):
        reasons.append("align_corners and half_pixel_centers exclude each other")
    wanted = (x.shape[0], *size.data.tolist(), x.shape[3])
    if y.shape != wanted:
        reasons.append(f"output shape {list(y.shape)} is not {list(wanted)}")
    return reasons


def lower(op: Op) -> Lowered:
    """The op with its positions as tables."""
    x, y = operand(op, 0), op.outputs[0]
    tables = [between(op, x.shape[axis], y.shape[axis]) for axis in (1, 2)]
    return Lowered(
        "RESIZE_BILINEAR_S8",
        (*x.shape, *y.shape[1:3]),
        (x,),
        (y,),
        weights=np.concatenate(tables).astype("<u2").tobytes(),
    )


def between(op: Op, size: int, out_size: int) -> NDArray[np.int64]:
    """For every output row or column the input's before it, and the way to the next in 1024ths."""
    scale = (_ONE * size + out_size // 2) // out_size
    if op.attrs.get("align_corners", False) and out_size > 1:
        scale = (_ONE * (size - 1) + (out_size - 1) // 2) // (out_size - 1)
    exact = np.arange(out_size, dtype=np.int64) * scale
    if op.attrs.get("half_pixel_centers", False):
        exact += scale // 2 - _ONE // 2
    exact = np.clip(exact, 0, _ONE * (size - 1))
    return np.stack([exact // _ONE, exact % _ONE], axis=1)


OPS = (OpSpec("RESIZE_BILINEAR", 4, check, lower),)
DEVICE_OPS = (
    DeviceOp("RESIZE_BILINEAR_S8", ("batches", "in_h", "in_w", "channels", "out_h", "out_w")),
)
