# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which values every channel of every int8 tensor can take, whatever the model's inputs are.

Bounds are sound, not always tight: a convolution's follow from its weights, bias and the bounds of
its inputs, because requantisation is monotone; what could wrap in 32 bits has no bounds. A tensor
with an op for which no rule stands here may take all of int8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import INT32_MAX, requantize
from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.ops.activation import INT8_MAX, INT8_MIN, activation_range
from ranvier.compiler.ops.base import data_of, operand, quant_of
from ranvier.compiler.ops.convolution import (
    CHANNEL_AXIS,
    bias_of,
    out_channels,
    quantised_multipliers,
    weights_of,
    weights_tensor,
)
from ranvier.compiler.ops.window import dilations, window_of

Values = NDArray[np.int64]

POOLS = frozenset({"AVERAGE_POOL_2D", "MAX_POOL_2D"})
RESHAPES = frozenset({"RESHAPE", "SQUEEZE", "EXPAND_DIMS"})


@dataclass(frozen=True, eq=False)
class Interval:
    """Bounds of a dense tensor: element ``i`` lies in ``low[i % n] .. high[i % n]``.

    ``n`` is the length of both arrays and divides the tensor's number of elements.
    """

    low: Values
    high: Values

    def spread(self, channels: int) -> Interval:
        """The same bounds for each of ``channels`` elements that follow each other, as a row."""
        count = len(self.low)
        if channels % count == 0:
            rows = channels // count
            return Interval(np.tile(self.low, rows), np.tile(self.high, rows))
        shape = (-1, channels) if count % channels == 0 else (-1, 1)
        low, high = self.low.reshape(shape).min(axis=0), self.high.reshape(shape).max(axis=0)
        return Interval(np.resize(low, channels), np.resize(high, channels))

    def clamp(self, low: int, high: int) -> Interval:
        """The bounds of the values after they were clamped."""
        return Interval(np.clip(self.low, low, high), np.clip(self.high, low, high))


FULL = Interval(np.array([INT8_MIN]), np.array([INT8_MAX]))
"""All of int8."""

_BLOCK = 1 << 20
"""Weights to sum up at once, for the sake of memory."""


def intervals(graph: Graph) -> dict[Tensor, Interval]:
    """Bounds of every int8 tensor that an op of a checked graph writes or reads."""
    bounds: dict[Tensor, Interval] = {}
    for op in graph.ops:
        for tensor in op.inputs:
            if tensor is not None and tensor.dtype == DType.INT8:
                bounds.setdefault(tensor, FULL)
        for tensor in op.outputs:
            if tensor.dtype == DType.INT8:
                bounds[tensor] = _output(op, bounds)
    return bounds


def reaches_outside(op: Op) -> bool:
    """True where a window of CONV_2D or DEPTHWISE_CONV_2D may reach beyond its input."""
    filter_h, filter_w = weights_tensor(op).shape[1:3]
    window = window_of(op, filter_h, filter_w)
    dilation_h, dilation_w = dilations(op)
    bottom = (window.out_h - 1) * window.stride_h + (filter_h - 1) * dilation_h - window.pad_top
    right = (window.out_w - 1) * window.stride_w + (filter_w - 1) * dilation_w - window.pad_left
    padded = window.pad_top > 0 or window.pad_left > 0
    return padded or bottom >= window.in_h or right >= window.in_w


def _output(op: Op, bounds: dict[Tensor, Interval]) -> Interval:
    source = op.inputs[0] if op.inputs else None
    inside = bounds.get(source) if source is not None else None
    if inside is None:
        return FULL
    if op.kind in CHANNEL_AXIS:
        return _sums(op, inside)
    if op.kind in POOLS:
        return inside.spread(op.outputs[0].shape[-1]).clamp(*activation_range(op))
    if op.kind == "LUT":
        return _table(op, inside)
    return inside if op.kind in RESHAPES else FULL


def _table(op: Op, inside: Interval) -> Interval:
    """Lowest and highest entry between the bounds."""
    table = np.roll(np.frombuffer(op.attrs["_table"], np.int8), -INT8_MIN).astype(np.int64)
    parts = [
        table[low - INT8_MIN : high - INT8_MIN + 1]
        for low, high in zip(inside.low, inside.high, strict=True)
    ]
    return Interval(np.array([p.min() for p in parts]), np.array([p.max() for p in parts]))


def _sums(op: Op, inside: Interval) -> Interval:
    """Bounds of every output channel of an op with weights."""
    channels = out_channels(op)
    weights = weights_of(op)  # as [output channel][tap][input channel of its group]
    if op.kind == "DEPTHWISE_CONV_2D":
        weights = weights.reshape(-1, channels, 1).swapaxes(0, 1)
    else:
        weights = weights.reshape(channels, -1, weights.shape[-1])
    _, taps, depth = weights.shape
    inputs = depth if op.kind == "FULLY_CONNECTED" else operand(op, 0).shape[-1]
    zero_point = quant_of(operand(op, 0)).zero_point
    row = inside.spread(inputs)
    low, high = row.low - zero_point, row.high - zero_point
    if op.kind != "FULLY_CONNECTED" and reaches_outside(op):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    low, high = low.reshape(-1, depth), high.reshape(-1, depth)
    group = np.arange(channels) * len(low) // channels
    lowest = _bias(op)
    highest = lowest.copy()
    block = max(1, _BLOCK // (taps * depth))
    for first in range(0, channels, block):
        part = slice(first, first + block)
        positive = np.maximum(weights[part], 0).sum(axis=1, dtype=np.int64)
        negative = np.minimum(weights[part], 0).sum(axis=1, dtype=np.int64)
        least, most = low[group[part]], high[group[part]]
        lowest[part] += (positive * least + negative * most).sum(axis=1)
        highest[part] += (positive * most + negative * least).sum(axis=1)
    return _requantised(op, lowest, highest)


def _bias(op: Op) -> Values:
    bias = bias_of(op)
    if bias is None:
        return np.zeros(out_channels(op), np.int64)
    return data_of(bias).reshape(-1).astype(np.int64)


def _requantised(op: Op, lowest: Values, highest: Values) -> Interval:
    """Bounds of the outputs for bounds of the sums."""
    zero_point = quant_of(op.outputs[0]).zero_point
    pairs = quantised_multipliers(op)
    limits = activation_range(op)
    low = np.full(len(lowest), limits[0], np.int64)
    high = np.full(len(lowest), limits[1], np.int64)
    for channel, ends in enumerate(zip(lowest.tolist(), highest.tolist(), strict=True)):
        multiplier, shift = pairs[channel % len(pairs)]
        if not all(_is_int32(end << max(shift, 0)) for end in ends):
            continue
        first, last = (requantize(end, multiplier, shift) + zero_point for end in ends)
        if _is_int32(first) and _is_int32(last):
            low[channel], high[channel] = np.clip((first, last), *limits)
    return Interval(low, high)


def _is_int32(value: int) -> bool:
    return -INT32_MAX - 1 <= value <= INT32_MAX
