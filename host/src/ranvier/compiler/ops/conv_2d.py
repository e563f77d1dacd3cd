# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""CONV_2D, grouped convolution included."""

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
from ranvier.compiler.ops.window import (
    WINDOW_PARAMS,
    Window,
    dilations,
    window_of,
    window_reasons,
)

_PARAMS = (*WINDOW_PARAMS, "dilation_h", "dilation_w", "groups", "in_zp", *REQUANT_PARAMS)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operands_reasons(op, rank=4)
    if reasons:
        return reasons
    out_c, filter_h, filter_w, _ = weights_tensor(op).shape
    reasons = window_reasons(op, filter_h, filter_w, out_c) + scale_reasons(op)
    return reasons or groups_reasons(op)


def groups_reasons(op: Op) -> list[str]:
    """Why the channels of an op whose window fits are not those of a grouped convolution."""
    in_c, (out_c, _, _, depth) = operand(op, 0).shape[3], weights_tensor(op).shape
    if depth < 1 or in_c % depth != 0 or out_c % (in_c // depth) != 0:
        return [f"{in_c} input and {out_c} output channels do not form groups of {depth}"]
    return []


def _is_direct(window: Window) -> bool:
    """True where every window is one pixel of the input, so that the kernel needs no column."""
    return (
        window.filter_h == window.filter_w == 1
        and window.pad_top == window.pad_left == 0
        and (window.out_h - 1) * window.stride_h < window.in_h
        and (window.out_w - 1) * window.stride_w < window.in_w
    )


def lower(op: Op) -> Lowered:
    """The op with its window as words and its channels as a stream."""
    _, filter_h, filter_w, depth = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    image = operand(op, 0)
    extra = (*dilations(op), window.in_c // depth, quant_of(image).zero_point)
    return Lowered(
        device="CONV_2D_S8",
        params=(*window.words, *extra, *requant_words(op)),
        inputs=(image,),
        outputs=(op.outputs[0],),
        weights=stream(op),
        scratch_bytes=0 if _is_direct(window) else filter_h * filter_w * depth,
        parameters=trained_numbers(op),
    )


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(_PARAMS, words, strict=True))
    outputs = p["batch"] * p["out_h"] * p["out_w"] * p["out_c"]
    return outputs * p["filter_h"] * p["filter_w"] * p["in_c"] // p["groups"]


OPS = (OpSpec("CONV_2D", 8, check, lower),)
DEVICE_OPS = (DeviceOp("CONV_2D_S8", _PARAMS, _macs),)
