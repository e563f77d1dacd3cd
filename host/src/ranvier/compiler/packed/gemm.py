# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What all kernels share that multiply tiles of pixels with the weights of all output channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.ops.base import operand
from ranvier.compiler.ops.convolution import weights_of, weights_tensor
from ranvier.compiler.ops.window import Window, dilations, window_of
from ranvier.compiler.packed import base, dsp
from ranvier.compiler.packed.epilogue import Channels, Epilogue, channels_of
from ranvier.compiler.packed.requant import Values
from ranvier.package.records import Isa

SHIFTS = {Epilogue.RELU: 12, Epilogue.LINEAR: 12}
"""Last shift of every epilogue of the tile kernels."""

QUAD_BYTES = {Isa.DSP: 32, Isa.BASE: 32}
"""Prepared bytes of four values of a full tile's columns."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """A convolution of one image, in the stored orientation.

    ``weights`` is [out_c][filter_h][filter_w][in_c].
    """

    window: Window
    weights: NDArray[np.int64]

    @property
    def out_c(self) -> int:
        """Output channels."""
        return len(self.weights)


def geometry(op: Op, *, transposed: bool = False) -> Geometry | None:
    """The geometry of a CONV_2D; None where it has several images, dilation or groups."""
    _, filter_h, filter_w, depth = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    plain = window.batch == 1 and dilations(op) == (1, 1) and depth == operand(op, 0).shape[-1]
    if not plain:
        return None
    weights = weights_of(op).astype(np.int64)
    if transposed:
        return Geometry(exchanged(window), weights.swapaxes(1, 2))
    return Geometry(window, weights)


def exchanged(window: Window) -> Window:
    """The window of an image whose rows are stored as columns."""
    w = window
    return Window(
        w.batch, w.in_w, w.in_h, w.in_c, w.out_w, w.out_h, w.filter_w, w.filter_h,
        w.stride_w, w.stride_h, w.pad_left, w.pad_top,
    )  # fmt: skip


def stream(op: Op, ranges: Interval, isa: Isa, columns: Values) -> tuple[bytes, Channels] | None:
    """The stream of an op with the weights ``columns[out_c][K]``, and its epilogue.

    None where they do not fit the packing.
    """
    channels = channels_of(op, ranges, dsp.SCALE, SHIFTS)
    if channels is None:
        return None
    bias = np.asarray(op.attrs["_bias"], np.int64)
    if isa == Isa.BASE:
        made = base.stream(columns, bias, channels)
    else:
        made = dsp.stream(columns, bias, channels, 2, missing_first=True)
    return None if made is None else (made, channels)


def quads(values: int) -> int:
    """Groups of four that hold ``values`` values."""
    return -(-values // 4)
