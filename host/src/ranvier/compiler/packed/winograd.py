# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolution 3x3, stride 1, as integer Winograd F(2x2, 3x3): 16 products for 4 outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.ops.convolution import trained_numbers
from ranvier.compiler.packed.dsp import offsets, tails
from ranvier.compiler.packed.epilogue import Channels, Epilogue, Words, channels_of, words
from ranvier.compiler.packed.gemm import SHIFTS, geometry
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

PARAMS = (
    "in_h",
    "in_w",
    "in_c",
    "out_h",
    "out_w",
    "out_c",
    "pad_top",
    "pad_left",
    "in_zp",
    "in_channel",
    "in_row",
    "in_ring",
    "out_channel",
    "out_row",
    "out_ring",
    "epilogue",
)
_DEVICE = {Isa.DSP: "WINOGRAD_DSP_S8"}
_SCALE = 64
_FINER = 16
"""Factor of the stream's transformed weights."""

_AXIS = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, -2]], np.int64)
"""Transformed weights of one axis from the three of the filter."""

_ORDER = (1, 2, 0, 3)
"""Positions along either axis, in the order of the stream."""


def lower(op: Op, ranges: Interval, isa: Isa, source: View, target: View) -> Lowered | None:
    """The op on views of the same orientation; None where this kernel cannot do it."""
    shape = geometry(op, transposed=target.transposed)
    if isa not in _DEVICE or shape is None or source.transposed != target.transposed:
        return None
    w = shape.window
    if (w.filter_h, w.filter_w, w.stride_h, w.stride_w) != (3, 3, 1, 1):
        return None
    if max(w.pad_top, w.pad_left) > 2:
        return None
    channels = channels_of(op, ranges, _SCALE, SHIFTS)
    if channels is None or channels.epilogue == Epilogue.TEXTBOOK:
        return None
    image = operand(op, 0)
    alike = (source.channel, source.row) == (target.channel, target.row)
    whole = source.ring == source.height and target.ring == target.height
    pairs, groups = -(-w.in_c // 2), -(-w.out_w // 8)
    return predicted(
        Lowered(
            device=_DEVICE[isa],
            params=(
                *(w.in_h, w.in_w, w.in_c, w.out_h, w.out_w, shape.out_c, w.pad_top, w.pad_left),
                quant_of(image).zero_point,
                *source.words,
                *target.words,
                int(channels.epilogue),
            ),
            inputs=(image,),
            outputs=(op.outputs[0],),
            weights=_stream(shape.weights, np.asarray(op.attrs["_bias"], np.int64), channels),
            scratch_bytes=256 * pairs * (groups + 1) + 3 * (8 * groups + 4),
            inplace=(0,) if alike and whole else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=channels.proof,
        )
    )


def transformed(weights: Values) -> NDArray[np.int64]:
    """Weights [out_c][3][3][in_c] as [out_c][i][j][in_c], i down the image, j along the row."""
    result: NDArray[np.int64] = np.einsum("iy,oyxc,jx->oijc", _AXIS, weights, _AXIS)
    return result


def _stream(weights: Values, bias: Values, channels: Channels) -> bytes:
    """For two channels their starts, tails, and words by position, pair of inputs and output."""
    out_c, _, _, in_c = weights.shape
    u = _FINER * transformed(weights)[:, :, _ORDER][:, _ORDER]  # [out_c][i][j][in_c]
    u = np.pad(u.swapaxes(1, 2), ((0, 0), (0, 0), (0, 0), (0, in_c % 2)))
    halves = u.reshape(out_c, 16, -1, 2) & 0xFFFF
    rows: list[Words] = [
        words(_SCALE * bias + offsets(channels))[:, None],
        tails(channels),
        words(halves[..., 0] | (halves[..., 1] << 16)).reshape(out_c, -1),
    ]
    lacking = out_c % 2
    blocks = []
    for part in rows:
        before, last = part[: out_c - lacking], part[out_c - lacking :]
        empty = np.zeros((lacking, part.shape[1]), np.uint32)
        blocks.append(np.concatenate([before, empty, last]).reshape(-1, 2, part.shape[1]))
    start, tail, weight = blocks
    count = len(start)
    parts = [
        start.reshape(count, -1),
        tail.reshape(count, -1),
        weight.swapaxes(1, 2).reshape(count, -1),
    ]
    return np.concatenate(parts, axis=1).astype("<u4").tobytes()


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(PARAMS, words, strict=True))
    return p["out_h"] * p["out_w"] * p["out_c"] * 9 * p["in_c"]


DEVICE_OPS = tuple(DeviceOp(name, PARAMS, _macs) for name in _DEVICE.values())
