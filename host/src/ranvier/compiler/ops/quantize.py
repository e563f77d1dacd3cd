# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""QUANTIZE: between 8-bit types as a table, from float32 as thresholds.

Source of the arithmetic: TensorFlow Lite Micro's QUANTIZE; for float32 to uint8 and uint8 to uint8,
which Micro lacks, the same formulas in LiteRT's reference kernels. Micro's result is undefined for
NaN and for values of 2**31 steps and more: here NaN becomes the zero point and the others saturate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import quantize_multiplier, requantize
from ranvier.compiler.graph import DType, Op, Quant
from ranvier.compiler.ops.base import (
    BYTE_TYPES,
    DeviceOp,
    Lowered,
    OpSpec,
    elements_reasons,
    operand,
    operand_reasons,
    quant_of,
    scale_ratio,
    tensor_reasons,
)
from ranvier.compiler.ops.tables import Table, lower_table, make_table, ratio_reasons, unary_reasons
from ranvier.package.values import steps_of

_THRESHOLDS = 255
_INFINITY_BITS = 0x7F800000


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    if x is not None and x.dtype is DType.FLOAT32:
        return tensor_reasons(y, "output", BYTE_TYPES) + elements_reasons(x, y)
    return unary_reasons(op, BYTE_TYPES, BYTE_TYPES) or ratio_reasons(scale_ratio(op))


def table(op: Op) -> Table:
    """The output byte for every input byte, for an op between 8-bit types."""
    zero_in, zero_out = quant_of(operand(op, 0)).zero_point, quant_of(op.outputs[0]).zero_point
    multiplier, shift = quantize_multiplier(scale_ratio(op))
    return make_table(op, lambda q: requantize(q - zero_in, multiplier, shift) + zero_out)


def lower(op: Op) -> Lowered:
    """The op as a table look-up or a search among thresholds."""
    x, y = operand(op, 0), op.outputs[0]
    if x.dtype is not DType.FLOAT32:
        return lower_table(op, table(op))
    quant = quant_of(y)
    lowest = int(np.iinfo(y.dtype.numpy).min)
    return Lowered(
        "QUANTIZE_F32",
        (x.elements, quant.zero_point),
        (x,),
        (y,),
        weights=thresholds(quant, lowest).tobytes(),
        inplace=(0,),
    )


def thresholds(quant: Quant, lowest: int) -> NDArray[np.int32]:
    """Where the step function of QUANTIZE rises.

    Entry i is the smallest float32 whose quantised value, clamped to ``lowest .. lowest + 255``, is
    above ``lowest + i``; as an integer that orders floats as their values do (both zeros are 0). It
    is found by bisection over all floats, which the reference's formula maps without ever falling.
    """
    wanted = np.arange(lowest + 1, lowest + 1 + _THRESHOLDS, dtype=np.float64) - quant.zero_point
    below = np.full(_THRESHOLDS, -_INFINITY_BITS, np.int64)
    above = np.full(_THRESHOLDS, _INFINITY_BITS, np.int64)
    while np.any(above - below > 1):
        middle = (below + above) >> 1
        reached = _steps(middle, quant.scale) >= wanted
        above = np.where(reached, middle, above)
        below = np.where(reached, below, middle)
    return above.astype("<i4")


def _steps(ordered: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    """Floats, given by their place in the order, in rounded steps of ``scale``."""
    magnitude = np.abs(ordered).astype(np.uint32).view(np.float32)
    return steps_of(np.copysign(magnitude, ordered.astype(np.float32)), scale)


OPS = (OpSpec("QUANTIZE", 6, check, lower),)
DEVICE_OPS = (DeviceOp("QUANTIZE_F32", ("elements", "zero_point")),)
