# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""PAD and PADV2 of a tensor of any type.

PAD fills with the output's zero point where the type has 8 bits, else with 0, as TensorFlow Lite's
kernels do; PADV2 fills with a constant.
"""

from __future__ import annotations

from math import prod

import numpy as np

from ranvier.compiler.graph import DType, Op, Tensor
from ranvier.compiler.ops.base import (
    BYTE_TYPES,
    DeviceOp,
    Lowered,
    OpSpec,
    data_of,
    operand,
    operand_reasons,
)

_FILL_BYTES = 8


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 4))
    if reasons:
        return reasons
    x, paddings, y = op.inputs[0], op.inputs[1], op.outputs[0]
    if x is None or paddings is None:
        return ["input or paddings are absent"]
    if x.dtype != y.dtype:
        reasons.append(f"output is {y.dtype.name.lower()}, input is {x.dtype.name.lower()}")
    if y.dtype in BYTE_TYPES and y.quant is not None and not y.quant.per_tensor:
        reasons.append("output is quantised per channel")
    if len(op.inputs) == 3:
        reasons += _value_reasons(op.inputs[2], y)
    return reasons + _padding_reasons(x, paddings, y)


def lower(op: Op) -> Lowered:
    """The op as a box of bytes inside of the output."""
    x, y = operand(op, 0), op.outputs[0]
    sizes, strides, first = _box(x, y, _paddings(operand(op, 1)))
    params = (*_fill(op), first, y.bytes, *sizes, *strides)
    return Lowered("PAD", params, (x,), (y,))


def _value_reasons(value: Tensor | None, y: Tensor) -> list[str]:
    if value is None or value.data is None:
        return ["the value to pad with is not constant"]
    if value.dtype != y.dtype or value.elements != 1:
        return ["the value to pad with is not one element of the output's type"]
    if y.dtype in BYTE_TYPES and value.quant != y.quant:
        return ["the value to pad with is not quantised as the output is"]
    return []


def _padding_reasons(x: Tensor, paddings: Tensor, y: Tensor) -> list[str]:
    if paddings.data is None:
        return ["the paddings are not constant"]
    if paddings.dtype not in (DType.INT32, DType.INT64) or paddings.shape != (len(x.shape), 2):
        return [f"the paddings are not integers of shape [{len(x.shape)}, 2]"]
    pairs = _paddings(paddings)
    if any(amount < 0 for pair in pairs for amount in pair):
        return ["a padding is negative"]
    padded = tuple(n + sum(pair) for n, pair in zip(x.shape, pairs, strict=True))
    if padded != y.shape:
        return [f"output shape {list(y.shape)} is not the padded input's {list(padded)}"]
    return []


def _paddings(tensor: Tensor) -> list[tuple[int, int]]:
    return [(int(before), int(after)) for before, after in data_of(tensor)]


def _box(
    x: Tensor, y: Tensor, paddings: list[tuple[int, int]]
) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """The input's sizes, their strides in the output, and the first index there, all in bytes."""
    size = outer = x.dtype.bytes  # of the innermost level: inside, and with its padding
    before = 0
    levels = []
    for n, padded, (pad, _) in reversed(list(zip(x.shape, y.shape, paddings, strict=True))):
        if size == outer:  # a level without padding is one with the next
            size, before, outer = n * size, pad * outer, padded * outer
        else:
            levels.append((size, before, outer))
            size, before, outer = n, pad, padded
    levels.append((size, before, outer))
    levels.reverse()
    strides = tuple(prod(outer for _, _, outer in levels[i + 1 :]) for i in range(len(levels)))
    first = sum(before * s for (_, before, _), s in zip(levels, strides, strict=True))
    return tuple(size for size, _, _ in levels), strides, first


def _fill(op: Op) -> tuple[int, int]:
    """One element's bytes, repeated to 8, as two words."""
    y = op.outputs[0]
    if len(op.inputs) == 3:
        value = data_of(operand(op, 2))
    else:
        zero_point = y.quant.zero_point if y.quant is not None and y.dtype in BYTE_TYPES else 0
        value = np.array(zero_point, y.dtype.numpy)
    pattern = value.astype(y.dtype.numpy).tobytes() * (_FILL_BYTES // y.dtype.bytes)
    low, high = np.frombuffer(pattern, "<i4").tolist()
    return low, high


OPS = (OpSpec("PAD", 6, check, lower), OpSpec("PADV2", 6, check, lower))
DEVICE_OPS = (DeviceOp("PAD", ("fill_low", "fill_high", "first", "out_bytes")),)
