# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""AVERAGE_POOL_2D and MAX_POOL_2D."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.activation import activation_range, activation_reasons
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand_reasons
from ranvier.compiler.ops.quantisation import int8_reasons, scale_of, zero_point_of
from ranvier.compiler.ops.window import WINDOW_PARAMS, window_of, window_reasons

_PARAMS = (*WINDOW_PARAMS, "act_min", "act_max")
_DEVICE = {"AVERAGE_POOL_2D": "AVERAGE_POOL_2D_S8", "MAX_POOL_2D": "MAX_POOL_2D_S8"}
_AREA_MAX = 0x800000


def _filter(op: Op) -> tuple[int, int]:
    return op.attrs.get("filter_height", 0), op.attrs.get("filter_width", 0)


def _check(op: Op) -> list[str]:
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    image, result = op.inputs[0], op.outputs[0]
    reasons = int8_reasons(image, "input") + int8_reasons(result, "output")
    if reasons or image is None:
        return reasons
    channels = image.shape[-1] if image.shape else 0
    reasons = activation_reasons(op) + window_reasons(op, *_filter(op), channels)
    if not _same_quantisation(op):
        reasons.append("input and output have different scales or zero points")
    if not reasons and image.shape[1] * image.shape[2] > _AREA_MAX:
        reasons.append(f"an input of {image.shape} exceeds {_AREA_MAX} pixels")
    return reasons


def _same_quantisation(op: Op) -> bool:
    """TensorFlow Lite Micro's condition, in float32."""
    image, result = op.inputs[0], op.outputs[0]
    difference = abs(np.float32(scale_of(image)) - np.float32(scale_of(result)))
    return float(difference) <= 1e-6 and zero_point_of(image) == zero_point_of(result)


def _lower(op: Op) -> Lowered:
    image = op.inputs[0]
    assert image is not None
    return Lowered(
        device=_DEVICE[op.kind],
        params=(*window_of(op, *_filter(op)).words, *activation_range(op)),
        inputs=(image,),
        outputs=(op.outputs[0],),
    )


OPS = tuple(OpSpec(kind, 3, _check, _lower) for kind in _DEVICE)
DEVICE_OPS = tuple(DeviceOp(name, _PARAMS) for name in _DEVICE.values())
