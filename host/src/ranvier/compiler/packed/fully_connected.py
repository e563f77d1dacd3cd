# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Fully connected layers: blocks of outputs times one column."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand
from ranvier.compiler.ops.convolution import out_channels, trained_numbers, weights_of
from ranvier.compiler.packed import dsp, gemm
from ranvier.compiler.packed.epilogue import Channels, Epilogue, channels_of
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values
from ranvier.package.records import Isa

PARAMS = ("rows", "in_c", "out_c", "epilogue", "direct")
_DEVICE = {Isa.DSP: "FULLY_CONNECTED_DSP_S8", Isa.BASE: "FULLY_CONNECTED_BASE_S8"}
_SHIFTS = {Epilogue.RELU: 9, Epilogue.LINEAR: 12}
_OUTPUTS = 8
_QUAD_BYTES = {Isa.DSP: 8, Isa.BASE: 16}


def lower(op: Op, ranges: Interval, isa: Isa, *, direct: bool = False) -> Lowered | None:
    """FULLY_CONNECTED, or CONV_2D of one pixel by one pixel; None where this kernel cannot.

    ``direct`` does without scratch, and prepares inputs for every block; it needs a multiple of 4
    inputs.
    """
    out_c = out_channels(op)
    weights = weights_of(op).astype(np.int64).reshape(out_c, -1)
    if isa not in _DEVICE or (direct and weights.shape[1] % 4):
        return None
    made = _stream(op, ranges, isa, weights)
    if made is None:
        return None
    stream, channels = made
    in_c = weights.shape[1]
    rows = op.outputs[0].elements // out_c
    return predicted(
        Lowered(
            device=_DEVICE[isa],
            params=(rows, in_c, out_c, int(channels.epilogue), int(direct)),
            inputs=(operand(op, 0),),
            outputs=(op.outputs[0],),
            weights=stream,
            scratch_bytes=0 if direct else gemm.quads(in_c) * _QUAD_BYTES[isa],
            inplace=(0,) if not direct and (rows == 1 or out_c <= in_c) else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=channels.proof,
        )
    )


def _stream(op: Op, ranges: Interval, isa: Isa, weights: Values) -> tuple[bytes, Channels] | None:
    """Packing base has the stream of its other kernels."""
    if isa == Isa.BASE:
        return gemm.stream(op, ranges, isa, weights)
    channels = channels_of(op, ranges, dsp.SCALE, _SHIFTS)
    if channels is None:
        return None
    bias = np.asarray(op.attrs["_bias"], np.int64)
    made = dsp.stream(weights, bias, channels, _OUTPUTS, missing_first=False)
    return None if made is None else (made, channels)


def _macs(words: Sequence[int]) -> int:
    rows, in_c, out_c = words[:3]
    return rows * in_c * out_c


DEVICE_OPS = tuple(DeviceOp(name, PARAMS, _macs) for name in _DEVICE.values())
