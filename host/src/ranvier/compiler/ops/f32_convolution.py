# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED in float32.

Weights and biases are constant. The device reads ``[float32 bias x out_c][float32 weights]``, with
the weights in the order of the file (kernels/f32/channels.h).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    data_of,
    operand,
    operand_reasons,
)
from ranvier.compiler.ops.conv_2d import groups_reasons
from ranvier.compiler.ops.convolution import (
    bias_of,
    out_channels,
    trained_numbers,
    weights_tensor,
)
from ranvier.compiler.ops.depthwise_conv_2d import multiplier_reasons
from ranvier.compiler.ops.f32 import RANGE_PARAMS, activation_reasons, f32_reasons, fused_range
from ranvier.compiler.ops.fully_connected import rows_reasons
from ranvier.compiler.ops.window import WINDOW_PARAMS, dilations, window_of, window_reasons

_CHANNELS = ("out_c", *RANGE_PARAMS)
_CONV = (*WINDOW_PARAMS, "dilation_h", "dilation_w", "groups", *_CHANNELS)
_DEPTHWISE = (*WINDOW_PARAMS, "dilation_h", "dilation_w", "depth_multiplier", *_CHANNELS)
_FULLY_CONNECTED = ("rows", "in_c", *_CHANNELS)


def _operands_reasons(op: Op, rank: int) -> list[str]:
    """Why the operands are not input, weights of ``rank`` dimensions, optional bias and output."""
    reasons = operand_reasons(op, range(2, 4))
    if reasons:
        return reasons
    weights, bias = op.inputs[1], bias_of(op)
    reasons += f32_reasons(op.inputs[0], "input")
    reasons += f32_reasons(weights, "weights")
    reasons += f32_reasons(op.outputs[0], "output")
    if reasons or weights is None:
        return reasons
    if not weights.is_const:
        reasons.append(f"weights {weights.name!r} are not constant")
    if len(weights.shape) != rank or weights.elements < 1:
        name = f"weights {weights.name!r}"
        return [*reasons, f"{name} have the shape {weights.shape}, need {rank} dimensions"]
    if bias is not None:
        reasons += f32_reasons(bias, "bias")
        if not bias.is_const:
            reasons.append(f"bias {bias.name!r} is not constant")
        if bias.elements != out_channels(op):
            reasons.append(f"bias {bias.name!r} has {bias.elements} values, not {out_channels(op)}")
    return reasons + activation_reasons(op)


def _check_conv(op: Op) -> list[str]:
    reasons = _operands_reasons(op, rank=4)
    if reasons:
        return reasons
    out_c, filter_h, filter_w, _ = weights_tensor(op).shape
    return window_reasons(op, filter_h, filter_w, out_c) or groups_reasons(op)


def _check_depthwise(op: Op) -> list[str]:
    reasons = _operands_reasons(op, rank=4)
    if reasons:
        return reasons
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    return window_reasons(op, filter_h, filter_w, out_c) or multiplier_reasons(op)


def _check_fully_connected(op: Op) -> list[str]:
    return _operands_reasons(op, rank=2) or rows_reasons(op)


def _lowered(op: Op, device: str, geometry: tuple[int, ...]) -> Lowered:
    weights, bias = weights_tensor(op), bias_of(op)
    channels = out_channels(op)
    values = np.zeros(channels, "<f4") if bias is None else data_of(bias).astype("<f4")
    return Lowered(
        device=device,
        params=(*geometry, channels, *fused_range(op)),
        inputs=(operand(op, 0),),
        outputs=(op.outputs[0],),
        weights=values.tobytes() + data_of(weights).astype("<f4").tobytes(),
        parameters=trained_numbers(op),
    )


def _lower_conv(op: Op) -> Lowered:
    _, filter_h, filter_w, depth = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    return _lowered(op, "CONV_2D_F32", (*window.words, *dilations(op), window.in_c // depth))


def _lower_depthwise(op: Op) -> Lowered:
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    geometry = (*window.words, *dilations(op), out_c // window.in_c)
    return _lowered(op, "DEPTHWISE_CONV_2D_F32", geometry)


def _lower_fully_connected(op: Op) -> Lowered:
    out_c, in_c = weights_tensor(op).shape
    return _lowered(op, "FULLY_CONNECTED_F32", (op.outputs[0].elements // out_c, in_c))


def _window_macs(names: tuple[str, ...], words: Sequence[int]) -> int:
    p = dict(zip(names, words, strict=True))
    outputs = p["batch"] * p["out_h"] * p["out_w"] * p["out_c"]
    depth = p["in_c"] // p["groups"] if "groups" in p else 1
    return outputs * p["filter_h"] * p["filter_w"] * depth


def _fully_connected_macs(words: Sequence[int]) -> int:
    rows, in_c, out_c = words[:3]
    return rows * in_c * out_c


F32_OPS = (
    OpSpec("CONV_2D", 8, _check_conv, _lower_conv),
    OpSpec("DEPTHWISE_CONV_2D", 7, _check_depthwise, _lower_depthwise),
    OpSpec("FULLY_CONNECTED", 14, _check_fully_connected, _lower_fully_connected),
)
DEVICE_OPS = (
    DeviceOp("CONV_2D_F32", _CONV, lambda words: _window_macs(_CONV, words)),
    DeviceOp("DEPTHWISE_CONV_2D_F32", _DEPTHWISE, lambda words: _window_macs(_DEPTHWISE, words)),
    DeviceOp("FULLY_CONNECTED_F32", _FULLY_CONNECTED, _fully_connected_macs),
)
