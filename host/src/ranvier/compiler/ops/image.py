# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""IMAGE: a picture as a camera gives it to an RGB or grey image of another size.

An op that only stages make. Input is the picture's bytes, uint8 ``[rows, columns, bytes of a
pixel]``; output is uint8, or int8 less by 128, ``[1, rows, columns, 1 or 3]``. Attributes:
``format`` (a name of :data:`FORMATS`), ``crop`` (first row, first column, rows, columns of the
window), ``resize`` (``bilinear`` or ``nearest``), ``align_corners`` and ``half_pixel_centers`` as
of the RESIZE ops, and ``range`` of YUV (``limited`` or ``full``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op, Tensor
from ranvier.compiler.ops.base import (
    BYTE_TYPES,
    DeviceOp,
    Lowered,
    OpSpec,
    operand,
    operand_reasons,
    tensor_reasons,
)
from ranvier.compiler.ops.resize_bilinear import SIDE_MAX, between
from ranvier.compiler.ops.resize_nearest_neighbor import positions

FORMATS = {
    "rgb888": 3,
    "bgr888": 3,
    "rgb565": 2,
    "rgb565be": 2,
    "grey": 1,
    "yuyv": 2,
    "uyvy": 2,
}
"""Bytes of a pixel of each format, in the order of the numbers that the device knows them by."""

PAIRED = ("yuyv", "uyvy")
"""Formats whose pixels share their colour in pairs."""

_YUV = {"limited": (16, 298, 409, -100, -208, 516), "full": (0, 256, 359, -88, -183, 454)}
"""What is subtracted of Y, then Q8 factors: of Y, of V in red, U and V in green, U in blue.

Source: ITU-R BT.601, for Y of 16..235 and of 0..255 (JFIF)."""

_NO_YUV = (0, 0, 0, 0, 0, 0)
_SIZES = ("in_h", "in_w", "format", "out_h", "out_w", "out_c")
_FACTORS = ("y_offset", "y_gain", "v_to_r", "u_to_g", "v_to_g", "u_to_b")


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(x, "input", (DType.UINT8,), quantised=False)
    reasons += tensor_reasons(y, "output", BYTE_TYPES, quantised=False)
    if reasons or x is None:
        return reasons
    if op.attrs.get("format") not in FORMATS:
        return [f"format {op.attrs.get('format')!r} is none of {', '.join(FORMATS)}"]
    if op.attrs.get("resize") not in ("bilinear", "nearest"):
        return [f"resize {op.attrs.get('resize')!r} is neither bilinear nor nearest"]
    if op.attrs.get("range", "limited") not in _YUV:
        return [f"range {op.attrs.get('range')!r} is neither limited nor full"]
    return _shape_reasons(op, x, y) or _crop_reasons(op, x)


def _shape_reasons(op: Op, x: Tensor, y: Tensor) -> list[str]:
    format_ = op.attrs["format"]
    if len(x.shape) != 3 or x.shape[2] != FORMATS[format_]:
        return [f"input shape {list(x.shape)} is not [rows, columns, {FORMATS[format_]}]"]
    if len(y.shape) != 4 or y.shape[0] != 1 or y.shape[3] not in (1, 3):
        return [f"output shape {list(y.shape)} is not [1, rows, columns, 1 or 3]"]
    sides = (*x.shape[:2], *y.shape[1:3])
    if min(sides) < 1 or max(sides) > SIDE_MAX:
        return [f"input or output has a side that is not 1..{SIDE_MAX}"]
    if format_ in PAIRED and x.shape[1] % 2:
        return [f"{x.shape[1]} columns of {format_} are odd: pixels come in pairs"]
    return []


def _crop_reasons(op: Op, x: Tensor) -> list[str]:
    top, left, height, width = op.attrs.get("crop", (0, 0, *x.shape[:2]))
    inside = top + height <= x.shape[0] and left + width <= x.shape[1]
    if min(top, left) < 0 or min(height, width) < 1 or not inside:
        window = f"{height} x {width} at ({top}, {left})"
        return [f"the window of {window} is not inside of the picture's {list(x.shape[:2])}"]
    return []


def lower(op: Op) -> Lowered:
    """The op with window and resizing as tables."""
    x, y = operand(op, 0), op.outputs[0]
    top, left, height, width = op.attrs.get("crop", (0, 0, *x.shape[:2]))
    tables = [_table(op, top, height, y.shape[1]), _table(op, left, width, y.shape[2])]
    format_ = op.attrs["format"]
    number = list(FORMATS).index(format_)
    yuv = _YUV[op.attrs.get("range", "limited")] if format_ in PAIRED else _NO_YUV
    return Lowered(
        "IMAGE",
        (*x.shape[:2], number, *y.shape[1:], *yuv),
        (x,),
        (y,),
        weights=np.concatenate(tables).astype("<u2").tobytes(),
    )


def _table(op: Op, first: int, size: int, out_size: int) -> NDArray[np.int64]:
    """Positions in the picture of every output row or column."""
    if op.attrs["resize"] == "bilinear":
        table = between(op, size, out_size)
    else:
        whole = positions(op, size, out_size).astype(np.int64)
        table = np.stack([whole, np.zeros_like(whole)], axis=1)
    return table + np.array([first, 0], np.int64)


OPS = (OpSpec("IMAGE", 1, check, lower),)
DEVICE_OPS = (DeviceOp("IMAGE", (*_SIZES, *_FACTORS)),)
