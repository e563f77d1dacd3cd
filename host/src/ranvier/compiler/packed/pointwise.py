# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution by one pixel, stride 1, over planes or rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand
from ranvier.compiler.ops.convolution import trained_numbers
from ranvier.compiler.packed.gemm import QUAD_BYTES, geometry, quads, stream
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

PARAMS = (
    "in_c", "out_c", "height", "width", "in_channel", "in_row", "in_ring", "out_channel",
    "out_row", "out_ring", "epilogue",
)  # fmt: skip
_DEVICE = {Isa.DSP: "POINTWISE_DSP_S8", Isa.BASE: "POINTWISE_BASE_S8"}
_QUAD = 4


def lower(op: Op, ranges: Interval, isa: Isa, source: View, target: View) -> Lowered | None:
    """The op on views of the same orientation; None where this kernel cannot do it."""
    shape = geometry(op)
    if isa not in _DEVICE or shape is None or source.transposed != target.transposed:
        return None
    w = shape.window
    plain = w.filter_h == w.filter_w == w.stride_h == w.stride_w == 1
    if not plain or (w.in_h, w.in_w) != (w.out_h, w.out_w) or w.in_c < _QUAD:
        return None
    made = stream(op, ranges, isa, columns(shape.weights[:, 0, 0, :]))
    if made is None:
        return None
    weights, channels = made
    params = (
        w.in_c, shape.out_c, source.height, source.width, *source.words, *target.words,
        int(channels.epilogue),
    )  # fmt: skip
    same_places = source.words == target.words
    return predicted(
        Lowered(
            device=_DEVICE[isa],
            params=params,
            inputs=(operand(op, 0),),
            outputs=(op.outputs[0],),
            weights=weights,
            scratch_bytes=quads(w.in_c) * QUAD_BYTES[isa],
            inplace=(0,) if same_places else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=channels.proof,
        )
    )


def columns(weights: Values) -> Values:
    """Weights [out_c][in_c] in the order of a column.

    The last four are the last four channels, so that nothing outside of the tensor is read; those
    that the groups before have counted have the weight 0 there.
    """
    in_c = weights.shape[1]
    rest = in_c % _QUAD
    if rest == 0:
        return weights
    again = np.zeros((len(weights), _QUAD - rest), np.int64)
    return np.concatenate([weights[:, : in_c - rest], again, weights[:, in_c - rest :]], axis=1)


def _macs(words: Sequence[int]) -> int:
    in_c, out_c, height, width = words[:4]
    return in_c * out_c * height * width


DEVICE_OPS = tuple(DeviceOp(name, PARAMS, _macs) for name in _DEVICE.values())
