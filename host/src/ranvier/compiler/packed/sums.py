# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The sums that every output channel of an op with weights can have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval, reaches_outside
from ranvier.compiler.ops.activation import activation_range
from ranvier.compiler.ops.base import data_of, operand, quant_of
from ranvier.compiler.ops.convolution import (
    bias_of,
    out_channels,
    quantised_multipliers,
    weights_of,
    weights_tensor,
)
from ranvier.compiler.packed.requant import Requant, Values


def requant_of(op: Op, ranges: Interval) -> Requant:
    """The requantisation of an op with weights, without groups, whose input lies in ``ranges``."""
    low, high = _bounds(op, ranges)
    pairs = np.array(quantised_multipliers(op), np.int64)
    pairs = np.broadcast_to(pairs, (len(low), 2))
    return Requant(
        low, high, pairs[:, 0], pairs[:, 1], quant_of(op.outputs[0]).zero_point,
        *activation_range(op),
    )  # fmt: skip


def taps_of(op: Op) -> NDArray[np.int64]:
    """Weights as [output channel][tap][input channel that it reads]."""
    weights = weights_of(op).astype(np.int64)
    channels = out_channels(op)
    if op.kind == "DEPTHWISE_CONV_2D":
        return weights.reshape(-1, channels, 1).swapaxes(0, 1)
    return weights.reshape(channels, -1, weights.shape[-1])


def _bounds(op: Op, ranges: Interval) -> tuple[Values, Values]:
    """Lowest and highest sum of every channel, bias included."""
    image = operand(op, 0)
    weights = taps_of(op)
    repeat = 1
    if op.kind == "FULLY_CONNECTED":
        row = ranges.spread(weights.shape[-1])
    else:
        row = ranges.spread(image.shape[-1])
        repeat = weights_tensor(op).shape[-1] // image.shape[-1]
    low, high = (ends - quant_of(image).zero_point for ends in (row.low, row.high))
    if op.kind != "FULLY_CONNECTED" and reaches_outside(op):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    positive = np.maximum(weights, 0).sum(axis=1)
    negative = np.minimum(weights, 0).sum(axis=1)
    if op.kind == "DEPTHWISE_CONV_2D":
        low, high = np.repeat(low, repeat)[:, None], np.repeat(high, repeat)[:, None]
    bias = bias_of(op)
    start = 0 if bias is None else data_of(bias).reshape(-1).astype(np.int64)
    lowest = (positive * low + negative * high).sum(axis=1) + start
    highest = (positive * high + negative * low).sum(axis=1) + start
    return lowest, highest
