# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Removes channels that have the same value for every input of the model, exactly.

The channels that a convolution or fully connected op writes go on through depthwise convolutions,
pools, tables and reshapes, to the convolutions and fully connected ops that sum them up. A channel
goes, all along that way, where each of these readers sees a constant: its part of their sums moves
into their biases. Where a reader's windows reach beyond their input, the constant must be the zero
point, which is what lies outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.intervals import POOLS, RESHAPES, Interval, intervals, reaches_outside
from ranvier.compiler.ops.base import data_of, operand, quant_of
from ranvier.compiler.ops.convolution import (
    CHANNEL_AXIS,
    bias_of,
    is_quantised,
    out_channels,
    weights_of,
    weights_tensor,
)

_SOURCES = frozenset({"CONV_2D", "FULLY_CONNECTED"})
_ELEMENTWISE = RESHAPES | {"LUT"}
_DEPTHWISE = "DEPTHWISE_CONV_2D"


@dataclass(frozen=True)
class _Way:
    """Where the channels of ``writers[0]`` go: all of ``tensors`` repeat these channels."""

    channels: int
    writers: list[Op]  # ops whose weights have these output channels
    tensors: list[Tensor]
    readers: list[Op]


def run(graph: Graph) -> int:
    """Remove all constant channels that can be; the number of removed filters."""
    readers = _readers(graph)
    bounds = intervals(graph)
    sources = [op for op in graph.ops if op.kind in _SOURCES and is_quantised(op)]
    ways = [_way(op, readers, graph.outputs) for op in sources]
    return sum(_shrink(way, bounds) for way in ways if way is not None)


def _readers(graph: Graph) -> dict[Tensor, list[Op]]:
    readers: dict[Tensor, list[Op]] = {}
    for op in graph.ops:
        for tensor in op.inputs:
            if tensor is not None:
                readers.setdefault(tensor, []).append(op)
    return readers


def _way(source: Op, readers: dict[Tensor, list[Op]], outputs: Sequence[Tensor]) -> _Way | None:
    """The way of all channels of ``source``; None where they are needed in their places."""
    channels = out_channels(source)
    if source.kind == "CONV_2D" and not _is_dense(source):
        return None
    way = _Way(channels, [source], [source.outputs[0]], [])
    for tensor in way.tensors:  # grows
        if tensor in outputs or tensor not in readers:
            return None
        for op in readers[tensor]:
            if _sums_up(op, channels):
                way.readers.append(op)
            elif _carries(op, channels):
                way.tensors.append(op.outputs[0])
                if op.kind == _DEPTHWISE:
                    way.writers.append(op)
            else:
                return None
    return way


def _is_dense(op: Op) -> bool:
    return weights_tensor(op).shape[-1] == operand(op, 0).shape[-1]


def _sums_up(op: Op, channels: int) -> bool:
    """True for an op that multiplies whole repetitions of the channels by weights."""
    if op.kind == "FULLY_CONNECTED":
        return weights_tensor(op).shape[-1] % channels == 0
    return op.kind == "CONV_2D" and _is_dense(op)


def _carries(op: Op, channels: int) -> bool:
    """True for an op whose output repeats the same channels, each of its input's alone."""
    shape = op.outputs[0].shape
    if not shape or shape[-1] % channels != 0:
        return False
    if op.kind == _DEPTHWISE:
        return shape[-1] == channels  # one filter for each channel
    return op.kind in POOLS or op.kind in _ELEMENTWISE


def _shrink(way: _Way, bounds: dict[Tensor, Interval]) -> int:
    removed = np.ones(way.channels, np.bool_)
    for op in way.readers:
        removed &= _is_dispensable(op, bounds[operand(op, 0)].spread(way.channels))
    if removed.all():
        removed[0] = False  # a tensor has at least one channel
    if not removed.any():
        return 0
    for op in way.readers:
        _fold(op, removed, bounds[operand(op, 0)].spread(way.channels).low)
    kept = np.flatnonzero(~removed)
    for op in way.writers:
        _keep_filters(op, kept)
    for tensor in way.tensors:
        tensor.name += f" ({len(kept)} of {way.channels} channels)"
        tensor.shape = (*tensor.shape[:-1], tensor.shape[-1] // way.channels * len(kept))
    return len(way.writers) * (way.channels - len(kept))


def _is_dispensable(op: Op, inputs: Interval) -> NDArray[np.bool_]:
    """Which channels a reader can do without."""
    constant: NDArray[np.bool_] = inputs.low == inputs.high
    if op.kind == "CONV_2D" and reaches_outside(op):
        constant &= inputs.low == quant_of(operand(op, 0)).zero_point
    return constant


def _fold(op: Op, removed: NDArray[np.bool_], values: NDArray[np.int64]) -> None:
    """Move what constant inputs add to the sums of ``op`` into its bias, and drop their weights."""
    weights = weights_tensor(op)
    channels = len(removed)
    sums = weights_of(op).reshape(len(data_of(weights)), -1, channels).sum(axis=1, dtype=np.int64)
    offsets = values - quant_of(operand(op, 0)).zero_point
    constant = sums[:, removed] @ offsets[removed]
    bias = bias_of(op)
    if bias is not None:
        constant = constant + data_of(bias).reshape(-1)
    data = constant.astype(np.uint32).view(np.int32)  # wraps as the sum itself does
    folded = Tensor(f"bias of {op.where}", DType.INT32, data.shape, data=data)
    repeated = np.tile(~removed, weights.shape[-1] // channels)
    op.inputs = [op.inputs[0], _taken(weights, np.flatnonzero(repeated), -1), folded]


def _keep_filters(op: Op, kept: NDArray[np.int64]) -> None:
    """Keep only these output channels of the weights and biases of ``op``."""
    bias = bias_of(op)
    if bias is not None:
        data = data_of(bias).reshape(-1)[kept]
        bias = replace(bias, shape=data.shape, data=data, quant=None, index=-1)
    op.inputs = [op.inputs[0], _taken(weights_tensor(op), kept, CHANNEL_AXIS[op.kind]), bias]


def _taken(weights: Tensor, kept: NDArray[np.int64], axis: int) -> Tensor:
    """Weights with some indices of a dimension, and their scales where it has scales."""
    data = np.take(data_of(weights), kept, axis=axis)
    quant = weights.quant
    if quant is not None and not quant.per_tensor and axis == quant.axis:
        quant = replace(
            quant,
            scales=tuple(quant.scales[i] for i in kept),
            zero_points=tuple(quant.zero_points[i] for i in kept),
        )
    return replace(weights, shape=data.shape, data=data, quant=quant, index=-1)
