# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolution 3x3, stride 1 or 2, over planes or rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.ops.convolution import trained_numbers, weights_of, weights_tensor
from ranvier.compiler.ops.window import Window, dilations, window_of
from ranvier.compiler.packed.epilogue import Epilogue, Words, prove, words
from ranvier.compiler.packed.gemm import exchanged
from ranvier.compiler.packed.inplace import depthwise_in_place
from ranvier.compiler.packed.once import once
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Requant, Solution, Steps, Values, solve
from ranvier.compiler.packed.sums import requant_of
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

PARAMS = (
    "in_h", "in_w", "channels", "out_h", "out_w", "stride", "pad_top", "pad_left", "in_zp",
    "in_channel", "in_row", "in_ring", "out_channel", "out_row", "out_ring",
)  # fmt: skip
_SHIFT = 10
_PITCH = 64
_STRIP = {1: 62, 2: 30}
"""Columns of outputs, by stride, that are worked off at once; only then it may be in place."""

_MOST_PADDED = 2
_MOST_SCALED = 8
"""Most bits by which weights fit 16 bits when they are scaled."""


def lower(
    op: Op, ranges: Interval, isa: Isa, source: View, target: View, *, band: int | None = None
) -> Lowered | None:
    """The op on views of the same orientation; None where this kernel cannot do it.

    ``band`` is the number of output rows for which scratch holds the inputs, all by default: fewer
    need less memory and more instructions.
    """
    window = window_3x3(op, target.transposed)
    if isa != Isa.DSP or window is None or source.transposed != target.transposed:
        return None
    steps, solution = once(op, ("depthwise",), lambda: _solved(Steps.of(requant_of(op, ranges))))
    if not solution.solved.all():
        return None
    taps = weights_of(op)[0].astype(np.int64)
    if target.transposed:
        taps = taps.swapaxes(0, 1)
    image = operand(op, 0)
    strip = window.out_w <= _STRIP[window.stride_w]
    params = (
        window.in_h, window.in_w, window.in_c, window.out_h, window.out_w, window.stride_h,
        window.pad_top, window.pad_left, quant_of(image).zero_point, *source.words, *target.words,
    )  # fmt: skip
    bias = np.asarray(op.attrs["_bias"], np.int64)
    return predicted(
        Lowered(
            device="DEPTHWISE_DSP_S8",
            params=params,
            inputs=(image,),
            outputs=(op.outputs[0],),
            weights=_stream(taps, bias, solution).astype("<u4").tobytes(),
            scratch_bytes=_scratch(window, band),
            inplace=(0,) if strip and depthwise_in_place(source, target) else (),
            parameters=trained_numbers(op),
            packing=isa,
            proof=prove(steps, solution, Epilogue.RELU.name),
        )
    )


def _scratch(window: Window, band: int | None) -> int:
    """Rows of scratch, and one more for its alignment."""
    rows = window.out_h if band is None else min(band, window.out_h)
    return _PITCH * ((rows - 1) * window.stride_h + 3 + 1)


def window_3x3(op: Op, transposed: bool) -> Window | None:
    """The stored window of one image, one filter a channel; None where the kernel has no loop."""
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    plain = window.batch == 1 and dilations(op) == (1, 1) and out_c == window.in_c
    strides = window.stride_h == window.stride_w and window.stride_h in (1, 2)
    padded = max(window.pad_top, window.pad_left) > _MOST_PADDED
    if not plain or not strides or padded or (filter_h, filter_w) != (3, 3):
        return None
    return exchanged(window) if transposed else window


def _solved(steps: Steps) -> tuple[Steps, Solution]:
    """Each channel with the smallest power of two as scale that has a solution.

    With the first one tried, the multiplier loses no bits.
    """
    requant: Requant = steps.requant
    first = np.clip(_SHIFT + 1 + requant.shift, 0, _MOST_SCALED)
    found = solve(steps, _power(first), _SHIFT)
    for more in range(1, _MOST_SCALED + 1):
        if found.solved.all():
            break
        scale = _power(np.minimum(first + more, _MOST_SCALED))
        found = found.merged(solve(steps, scale, _SHIFT))
    return steps, found


def _power(exponents: Values) -> Values:
    return np.left_shift(np.int64(1), exponents)


def _stream(taps: NDArray[np.int64], bias: Values, solution: Solution) -> Words:
    """Eight words a channel; taps are [3][3][channel]."""
    scaled = taps * solution.scale
    scaled = np.where(solution.multiplier == 0, 0, scaled)
    pairs = [
        *((scaled[row, 0], scaled[row, 2]) for row in range(3)),
        (scaled[0, 1], scaled[1, 1]),
        (scaled[2, 1], np.zeros_like(bias)),
    ]
    halves = [(low & 0xFFFF) | ((high & 0xFFFF) << 16) for low, high in pairs]
    start = np.where(solution.multiplier == 0, 0, solution.scale * bias + solution.offset)
    return words(np.stack([*halves, start, solution.multiplier, solution.constant], axis=1))


def _macs(words: Sequence[int]) -> int:
    p = dict(zip(PARAMS, words, strict=True))
    return p["out_h"] * p["out_w"] * p["channels"] * 9


DEVICE_OPS = (DeviceOp("DEPTHWISE_DSP_S8", PARAMS, _macs),)
