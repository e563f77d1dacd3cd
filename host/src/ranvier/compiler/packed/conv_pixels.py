# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution of a dense NHWC image into planes or rows: the first layers of networks."""

from __future__ import annotations

from collections.abc import Sequence

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.ops.convolution import trained_numbers
from ranvier.compiler.packed.gemm import QUAD_BYTES, Geometry, exchanged, geometry, quads, stream
from ranvier.compiler.packed.inplace import pixels_in_place
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

PARAMS = (
    "in_h", "in_w", "in_c", "out_h", "out_w", "out_c", "filter_h", "filter_w", "stride_h",
    "stride_w", "pad_top", "pad_left", "in_zp", "transposed", "out_channel", "out_row",
    "out_ring", "epilogue",
)  # fmt: skip
_DEVICE = {Isa.DSP: "CONV_PIXELS_DSP_S8", Isa.BASE: "CONV_PIXELS_BASE_S8"}


def lower(op: Op, ranges: Interval, isa: Isa, target: View) -> Lowered | None:
    """The op from its dense input to ``target``; None where this kernel cannot."""
    shape = geometry(op)
    if isa not in _DEVICE or shape is None:
        return None
    made = stream(op, ranges, isa, columns(shape.weights, target.transposed))
    if made is None:
        return None
    weights, channels = made
    w = shape.window
    image = operand(op, 0)
    params = (
        w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, shape.out_c, w.filter_h, w.filter_w, w.stride_h,
        w.stride_w, w.pad_top, w.pad_left, quant_of(image).zero_point, int(target.transposed),
        *target.words, int(channels.epilogue),
    )  # fmt: skip
    return predicted(
        Lowered(
            device=_DEVICE[isa],
            params=params,
            inputs=(image,),
            outputs=(op.outputs[0],),
            weights=weights,
            scratch_bytes=_scratch(shape, target.transposed, QUAD_BYTES[isa]),
            inplace=(0,) if pixels_in_place(w, target) else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=channels.proof,
        )
    )


def columns(weights: Values, transposed: bool) -> Values:
    """Weights [out_c][filter_h][filter_w][in_c] as a column: along a row of the output, across."""
    along = weights if transposed else weights.swapaxes(1, 2)
    return along.reshape(len(weights), -1)


def _scratch(shape: Geometry, transposed: bool, quad_bytes: int) -> int:
    """Columns of a tile, and the band of the image under a row of the output."""
    w = exchanged(shape.window) if transposed else shape.window
    values = w.filter_h * w.filter_w * w.in_c
    length = (w.out_w - 1) * w.stride_w + w.filter_w
    filled = 4 * quads(values) - values
    return quads(values) * quad_bytes + length * w.filter_h * w.in_c + filled


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(PARAMS, words, strict=True))
    taps = p["filter_h"] * p["filter_w"] * p["in_c"]
    return p["out_h"] * p["out_w"] * p["out_c"] * taps


DEVICE_OPS = tuple(DeviceOp(name, PARAMS, _macs) for name in _DEVICE.values())
