# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""DEPTHWISE_CONV_2D with any depth multiplier."""

from __future__ import annotations

from collections.abc import Sequence

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, quant_of
from ranvier.compiler.ops.convolution import (
    REQUANT_PARAMS,
    operands_reasons,
    requant_words,
    scale_reasons,
    stream,
    trained_numbers,
    weights_tensor,
)
from ranvier.compiler.ops.window import WINDOW_PARAMS, dilations, window_of, window_reasons

_PARAMS = (*WINDOW_PARAMS, "dilation_h", "dilation_w", "depth_multiplier", "in_zp", *REQUANT_PARAMS)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operands_reasons(op, rank=4)
    if reasons:
        return reasons
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    reasons = window_reasons(op, filter_h, filter_w, out_c) + scale_reasons(op)
    return reasons or multiplier_reasons(op)


def multiplier_reasons(op: Op) -> list[str]:
    """Why the channels of an op whose window fits do not follow from its depth multiplier."""
    in_c, multiplier = operand(op, 0).shape[3], op.attrs.get("depth_multiplier", 0)
    one, _, _, out_c = shape = weights_tensor(op).shape
    if one != 1:
        return [f"weights have the shape {shape}, need 1 first"]
    if in_c * multiplier != out_c:
        return [f"{in_c} input channels with depth_multiplier {multiplier} do not give {out_c}"]
    return []


def lower(op: Op) -> Lowered:
    """The op with its window as words and its channels as a stream."""
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    image = operand(op, 0)
    extra = (*dilations(op), out_c // window.in_c, quant_of(image).zero_point)
    return Lowered(
        device="DEPTHWISE_CONV_2D_S8",
        params=(*window.words, *extra, *requant_words(op)),
        inputs=(image,),
        outputs=(op.outputs[0],),
        weights=stream(op),
        parameters=trained_numbers(op),
    )


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(_PARAMS, words, strict=True))
    outputs = p["batch"] * p["out_h"] * p["out_w"] * p["out_c"]
    return outputs * p["filter_h"] * p["filter_w"]


OPS = (OpSpec("DEPTHWISE_CONV_2D", 7, check, lower),)
DEVICE_OPS = (DeviceOp("DEPTHWISE_CONV_2D_S8", _PARAMS, _macs),)
