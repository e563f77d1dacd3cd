# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution with any window and stride, over planes or rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.ops.convolution import trained_numbers
from ranvier.compiler.packed.gemm import QUAD_BYTES, Geometry, geometry, quads, stream
from ranvier.compiler.packed.inplace import planes_in_place
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

PARAMS = (
    "in_h", "in_w", "in_c", "out_h", "out_w", "out_c", "filter_h", "filter_w", "stride_h",
    "stride_w", "pad_top", "pad_left", "in_zp", "in_channel", "in_row", "in_ring", "out_channel",
    "out_row", "out_ring", "epilogue",
)  # fmt: skip
_DEVICE = {Isa.DSP: "CONV_PLANES_DSP_S8", Isa.BASE: "CONV_PLANES_BASE_S8"}


def lower(op: Op, ranges: Interval, isa: Isa, source: View, target: View) -> Lowered | None:
    """The op on views of the same orientation; None where this kernel cannot do it."""
    shape = geometry(op, transposed=target.transposed)
    if isa not in _DEVICE or shape is None or source.transposed != target.transposed:
        return None
    made = stream(op, ranges, isa, columns(shape.weights))
    if made is None:
        return None
    weights, channels = made
    w = shape.window
    image = operand(op, 0)
    params = (
        w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, shape.out_c, w.filter_h, w.filter_w, w.stride_h,
        w.stride_w, w.pad_top, w.pad_left, quant_of(image).zero_point, *source.words,
        *target.words, int(channels.epilogue),
    )  # fmt: skip
    return predicted(
        Lowered(
            device=_DEVICE[isa],
            params=params,
            inputs=(image,),
            outputs=(op.outputs[0],),
            weights=weights,
            scratch_bytes=_scratch(shape, QUAD_BYTES[isa]),
            inplace=(0,) if planes_in_place(w, source, target) else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=channels.proof,
        )
    )


def columns(weights: Values) -> Values:
    """Weights [out_c][filter_h][filter_w][in_c] as a column: each tap's channels fill up quads."""
    lacking = -weights.shape[-1] % 4
    return np.pad(weights, ((0, 0), (0, 0), (0, 0), (0, lacking))).reshape(len(weights), -1)


def _scratch(shape: Geometry, quad_bytes: int) -> int:
    """Columns of a tile, and the rows under the filter with their padding."""
    w = shape.window
    pixel = 4 * quads(w.in_c)
    padded_w = (w.out_w - 1) * w.stride_w + w.filter_w
    columns = w.filter_h * w.filter_w * quads(w.in_c) * quad_bytes
    return columns + w.filter_h * padded_w * pixel


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(PARAMS, words, strict=True))
    taps = p["filter_h"] * p["filter_w"] * p["in_c"]
    return p["out_h"] * p["out_w"] * p["out_c"] * taps


DEVICE_OPS = tuple(DeviceOp(name, PARAMS, _macs) for name in _DEVICE.values())
