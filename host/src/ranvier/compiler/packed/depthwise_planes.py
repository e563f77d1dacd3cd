# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolution with any window over planes or rows, with the portable weight stream."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.ops.convolution import (
    REQUANT_PARAMS,
    requant_words,
    stream,
    trained_numbers,
    weights_of,
    weights_tensor,
)
from ranvier.compiler.ops.window import dilations, window_of
from ranvier.compiler.packed.gemm import exchanged
from ranvier.compiler.packed.inplace import depthwise_in_place
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.view import View

PARAMS = (
    "in_h",
    "in_w",
    "in_c",
    "out_h",
    "out_w",
    "filter_h",
    "filter_w",
    "stride_h",
    "stride_w",
    "dilation_h",
    "dilation_w",
    "depth_multiplier",
    "pad_top",
    "pad_left",
    "in_zp",
    "in_channel",
    "in_row",
    "in_ring",
    "out_channel",
    "out_row",
    "out_ring",
    *REQUANT_PARAMS,
)
_DEVICE = "DEPTHWISE_PLANES_S8"
_SLACK = 8
_MAX_TAPS = 65536


def lower(op: Op, source: View, target: View, *, band: int | None = None) -> Lowered | None:
    """The op on views of the same orientation; None where this kernel cannot do it.

    ``band`` is the number of output rows for which scratch holds the inputs, all by default.
    """
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    if window.batch != 1 or filter_h * filter_w > _MAX_TAPS:
        return None
    if source.transposed != target.transposed:
        return None
    weights = weights_of(op)[0].transpose(2, 0, 1)
    dilation_h, dilation_w = dilations(op)
    if target.transposed:
        window, weights = exchanged(window), weights.swapaxes(1, 2)
        dilation_h, dilation_w = dilation_w, dilation_h
    w = window
    extent = (w.filter_h - 1) * dilation_h + 1
    pitch = (w.out_w - 1) * w.stride_w + (w.filter_w - 1) * dilation_w + 1
    rows = w.out_h if band is None else min(band, w.out_h)
    image = operand(op, 0)
    one_each = out_c == w.in_c and w.pad_top < extent
    head = stream(op)[: -weights.size]
    return predicted(
        Lowered(
            device=_DEVICE,
            params=(
                *(w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, w.filter_h, w.filter_w),
                *(w.stride_h, w.stride_w, dilation_h, dilation_w, out_c // w.in_c),
                *(w.pad_top, w.pad_left, quant_of(image).zero_point),
                *source.words,
                *target.words,
                *requant_words(op),
            ),
            inputs=(image,),
            outputs=(op.outputs[0],),
            weights=head + np.ascontiguousarray(weights).tobytes(),
            scratch_bytes=pitch * ((rows - 1) * w.stride_h + extent) + _SLACK,
            inplace=(0,) if one_each and depthwise_in_place(source, target) else (),
            parameters=trained_numbers(op),
        )
    )


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(PARAMS, words, strict=True))
    return p["out_h"] * p["out_w"] * p["out_c"] * p["filter_h"] * p["filter_w"]


DEVICE_OPS = (DeviceOp(_DEVICE, PARAMS, _macs),)
