# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SignalFilterBank and SignalFilterBankSquareRoot. Source: TensorFlow Lite Micro's signal/src."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, data_of, operand
from ranvier.compiler.ops.signal import Operand, options, signal_reasons

KIND = "CUSTOM:SignalFilterBank"
SQUARE_ROOT = "CUSTOM:SignalFilterBankSquareRoot"
_CHANNELS_MAX = 1024
_BINS_MAX = 0xFFFF
_TABLES = ("weights", "unweights", "frequency starts", "weight starts", "widths")


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    inputs = (
        Operand("input", DType.UINT32),
        *(Operand(name, DType.INT16, constant=True) for name in _TABLES),
    )
    outputs = (Operand("output", DType.UINT64),)
    reasons = signal_reasons(op, inputs, outputs, {"num_channels": (1, _CHANNELS_MAX)})
    if reasons:
        return reasons
    channels, bins = options(op)["num_channels"], operand(op, 0).elements
    if op.outputs[0].elements != channels:
        reasons.append(f"output {list(op.outputs[0].shape)} does not hold {channels} channels")
    if bins > _BINS_MAX:
        reasons.append(f"{bins} bins, the limit is {_BINS_MAX}")
    weights, unweights, *tables = (data_of(operand(op, i)).ravel() for i in range(1, 6))
    if weights.shape != unweights.shape or any(table.size != channels + 1 for table in tables):
        return [*reasons, f"its tables do not fit {channels} channels"]
    if min(int(table.min()) for table in (weights, unweights, *tables)) < 0:
        reasons.append("a weight, start or width is negative")
    starts, firsts, widths = (table.astype(np.int64) for table in tables)
    if np.any(starts + widths > bins) or np.any(firsts + widths > weights.size):
        reasons.append("a channel reads beyond its input or its weights")
    return reasons


def lower(op: Op) -> Lowered:
    """The op without the weights at both ends of a band that are all 0."""
    x, out = operand(op, 0), op.outputs[0]
    bands = list(_bands(op))
    ranges = np.array([(first, len(pairs)) for first, pairs in bands], "<u2")
    pairs = np.concatenate([pairs for _, pairs in bands]).astype("<u2")
    return Lowered(
        "FILTER_BANK",
        (x.elements, out.elements),
        (x,),
        (out,),
        weights=ranges.tobytes() + pairs.tobytes(),
    )


def _bands(op: Op) -> Iterator[tuple[int, NDArray[np.int16]]]:
    """First bin, and pairs of weights, of every band."""
    weights, unweights, *tables = (data_of(operand(op, i)).ravel() for i in range(1, 6))
    for start, first, width in zip(*(table.tolist() for table in tables), strict=True):
        rows = slice(first, first + width)
        pairs = np.stack([weights[rows], unweights[rows]], axis=1)
        used = np.flatnonzero(pairs.any(axis=1))
        if not used.size:
            yield 0, pairs[:0]
        else:
            yield start + int(used[0]), pairs[used[0] : used[-1] + 1]


def check_square_root(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    inputs = (Operand("input", DType.UINT64), Operand("shift", DType.INT32, elements=1))
    reasons = signal_reasons(op, inputs, (Operand("output", DType.UINT32),), {})
    if not reasons and operand(op, 0).elements != op.outputs[0].elements:
        reasons.append("input and output have different numbers of elements")
    return reasons


def lower_square_root(op: Op) -> Lowered:
    """The op as it is."""
    x, shift = operand(op, 0), operand(op, 1)
    return Lowered(
        "FILTER_BANK_SQUARE_ROOT", (x.elements,), (x, shift), (op.outputs[0],), inplace=(0,)
    )


OPS = (
    OpSpec(KIND, 1, check, lower),
    OpSpec(SQUARE_ROOT, 1, check_square_root, lower_square_root),
)
DEVICE_OPS = (
    DeviceOp("FILTER_BANK", ("bins", "channels")),
    DeviceOp("FILTER_BANK_SQUARE_ROOT", ("channels",)),
)
