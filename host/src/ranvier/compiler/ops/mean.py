# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""MEAN over any constant set of axes, int8.

Source of the definitions: TensorFlow Lite's ``QuantizedMeanOrSum``.
"""

from __future__ import annotations

from math import prod

from ranvier.compiler.fixed_point import quantize_multiplier, wrap32
from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    data_of,
    multiplier_reasons,
    operand,
    operand_reasons,
    quant_of,
    scale_ratio,
    tensor_reasons,
)

GROUPS = ("keep0", "reduce0", "keep1", "reduce1", "keep2", "reduce2")
"""Parameter words: sizes of neighbouring dimensions merged."""

_PARAMS = (*GROUPS, "offset", "multiplier", "shift", "out_zp")


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    reasons += tensor_reasons(op.inputs[0], "input", (DType.INT8,))
    reasons += tensor_reasons(op.outputs[0], "output", (DType.INT8,))
    return reasons or axis_reasons(op) or multiplier_reasons([scale_ratio(op)])


def axis_reasons(op: Op) -> list[str]:
    """Why the axes, or the shapes of input and output, which are there, do not fit each other."""
    source, axis, result = operand(op, 0), op.inputs[1], op.outputs[0]
    reasons = tensor_reasons(axis, "axis", [DType.INT32], quantised=False)
    if reasons or axis is None:
        return reasons
    if axis.data is None:
        return [f"axis {axis.name!r} is not constant"]
    rank = len(source.shape)
    if not all(-rank <= a < rank for a in axis.data.reshape(-1).tolist()):
        return [f"axis {axis.data.tolist()} is outside of the input's {rank} dimensions"]
    groups = _groups(source.shape, _axes(op))
    if len(groups) > len(GROUPS):
        reasons.append(f"{source.shape} reduced over {sorted(_axes(op))} is not supported")
    if source.elements < 1 or result.elements != prod(groups[::2]):
        reasons.append(f"input {source.shape} and output {result.shape} do not fit the axis")
    return reasons


def groups_of(op: Op) -> tuple[int, ...]:
    """The words that ``GROUPS`` names, of an op without ``axis_reasons``."""
    groups = _groups(operand(op, 0).shape, _axes(op))
    return (*groups, *[1] * (len(GROUPS) - len(groups)))


def _axes(op: Op) -> frozenset[int]:
    source, axis = operand(op, 0), operand(op, 1)
    return frozenset(int(a) % len(source.shape) for a in data_of(axis).reshape(-1))


def _groups(shape: tuple[int, ...], axes: frozenset[int]) -> list[int]:
    """Sizes of neighbouring kept and reduced dimensions merged, alternately, kept first."""
    groups = [1]
    for dimension, size in enumerate(shape):
        is_reduced = dimension in axes
        if size == 1:
            continue
        if is_reduced == (len(groups) % 2 == 0):
            groups[-1] *= size
        else:
            groups.append(size)
    return groups


def _multiplier(op: Op, count: int) -> tuple[int, int]:
    """Multiplier and shift from a sum of ``count`` values to the output."""
    multiplier, shift = quantize_multiplier(scale_ratio(op))
    extra = min(count.bit_length() - 1, 32, 31 + shift)
    return (multiplier << extra) // count, shift - extra


def lower(op: Op) -> Lowered:
    """The op with its axes merged into three kept and three reduced groups."""
    source, result = operand(op, 0), op.outputs[0]
    groups = groups_of(op)
    count = prod(groups[1::2])
    offset = wrap32(-quant_of(source).zero_point * count)
    multiplier, shift = _multiplier(op, count)
    return Lowered(
        device="MEAN_S8",
        params=(*groups, offset, multiplier, shift, quant_of(result).zero_point),
        inputs=(source,),
        outputs=(result,),
    )


OPS = (OpSpec("MEAN", 3, check, lower),)
DEVICE_OPS = (DeviceOp("MEAN_S8", _PARAMS),)
