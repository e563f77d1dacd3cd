# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""AVERAGE_POOL_2D and MAX_POOL_2D."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.activation import activation_range, activation_reasons
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    operand,
    operand_reasons,
    quant_of,
    tensor_reasons,
)
from ranvier.compiler.ops.window import WINDOW_PARAMS, window_of, window_reasons

_PARAMS = (*WINDOW_PARAMS, "act_min", "act_max")
_DEVICE = {"AVERAGE_POOL_2D": "AVERAGE_POOL_2D_S8", "MAX_POOL_2D": "MAX_POOL_2D_S8"}
_AREA_MAX = 0x800000


def filter_of(op: Op) -> tuple[int, int]:
    """Rows and columns of the window."""
    return op.attrs.get("filter_height", 0), op.attrs.get("filter_width", 0)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    image, result = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(image, "input", (DType.INT8,))
    reasons += tensor_reasons(result, "output", (DType.INT8,))
    if reasons or image is None:
        return reasons
    channels = image.shape[-1] if image.shape else 0
    reasons = activation_reasons(op) + window_reasons(op, *filter_of(op), channels)
    if not _same_quantisation(op):
        reasons.append("input and output have different scales or zero points")
    if not reasons and image.shape[1] * image.shape[2] > _AREA_MAX:
        reasons.append(f"an input of {image.shape} exceeds {_AREA_MAX} pixels")
    return reasons


def _same_quantisation(op: Op) -> bool:
    """TensorFlow Lite Micro's condition, in float32."""
    image, result = quant_of(operand(op, 0)), quant_of(op.outputs[0])
    difference = abs(np.float32(image.scale) - np.float32(result.scale))
    return float(difference) <= 1e-6 and image.zero_point == result.zero_point


def lower(op: Op) -> Lowered:
    """The op with its window and its output's range as words."""
    image = operand(op, 0)
    return Lowered(
        device=_DEVICE[op.kind],
        params=(*window_of(op, *filter_of(op)).words, *activation_range(op)),
        inputs=(image,),
        outputs=(op.outputs[0],),
    )


OPS = tuple(OpSpec(kind, 3, check, lower) for kind in _DEVICE)
DEVICE_OPS = tuple(DeviceOp(name, _PARAMS) for name in _DEVICE.values())
