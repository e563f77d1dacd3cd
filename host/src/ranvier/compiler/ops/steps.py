# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The device's thresholds of int16, and the IR op STEPS: a function of int16 that never falls.

STEPS exists only inside of the compiler. Its attribute ``_thresholds`` are the 255 thresholds of
the device op, as bytes: entry i is the lowest input whose result is above the type's lowest value
plus i.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    BYTE_TYPES,
    DeviceOp,
    Lowered,
    OpSpec,
    elements_reasons,
    operand,
    operand_reasons,
    tensor_reasons,
)

STEPS = "STEPS"
INPUTS = np.arange(-(2**15), 2**15, dtype=np.int64)
"""All inputs, in order."""

_THRESHOLDS = 255


def thresholds(results: NDArray[np.int64], dtype: DType) -> bytes | None:
    """The attribute of the function with these results of all inputs, which ``dtype`` can hold.

    None where it falls somewhere.
    """
    if np.any(np.diff(results) < 0):
        return None
    steps = np.arange(1, _THRESHOLDS + 1) + int(np.iinfo(dtype.numpy).min)
    lowest: NDArray[np.int32] = (np.searchsorted(results, steps) + INPUTS[0]).astype("<i4")
    return lowest.tobytes()


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(x, "input", (DType.INT16,), quantised=False)
    reasons += tensor_reasons(y, "output", BYTE_TYPES, quantised=False)
    if len(op.attrs.get("_thresholds", b"")) != 4 * _THRESHOLDS:
        reasons.append(f"has no {_THRESHOLDS} thresholds")
    return reasons + elements_reasons(x, y)


def lower(op: Op) -> Lowered:
    """The op with its thresholds as the stream."""
    x, y = operand(op, 0), op.outputs[0]
    weights = bytes(op.attrs["_thresholds"])
    return Lowered("QUANTIZE_S16", (x.elements,), (x,), (y,), weights=weights, inplace=(0,))


OPS = (OpSpec(STEPS, 1, check, lower),)
DEVICE_OPS = (DeviceOp("QUANTIZE_S16", ("elements",)),)
