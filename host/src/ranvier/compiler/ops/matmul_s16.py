# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The IR op MATRIX: a constant int16 matrix times an int16 vector, rounded and saturated.

It exists only inside of the compiler. The attribute ``_matrix`` is the matrix, one row for each
output; ``_shift`` is what the exact sums are shifted right by, rounded to nearest, half up.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    DeviceOp,
    Lowered,
    OpSpec,
    operand,
    operand_reasons,
    tensor_reasons,
)

MATRIX = "MATRIX"
_SIZE_MAX = 2**15 - 1


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(x, "input", (DType.INT16,), quantised=False)
    reasons += tensor_reasons(y, "output", (DType.INT16,), quantised=False)
    shape = np.shape(op.attrs.get("_matrix", 0))
    if x is not None and shape != (y.elements, x.elements):
        reasons.append(f"a matrix of shape {list(shape)} does not fit its operands")
    if max(shape, default=0) > _SIZE_MAX:
        reasons.append(f"a matrix of shape {list(shape)}, the limit is {_SIZE_MAX}")
    if not 0 <= op.attrs.get("_shift", -1) <= 31:
        reasons.append("its shift is not 0 to 31")
    return reasons


def lower(op: Op) -> Lowered:
    """The op with its matrix as the stream."""
    x, y = operand(op, 0), op.outputs[0]
    return Lowered(
        "MATMUL_S16",
        (y.elements, x.elements, op.attrs["_shift"]),
        (x,),
        (y,),
        weights=np.asarray(op.attrs["_matrix"], "<i2").tobytes(),
    )


OPS = (OpSpec(MATRIX, 1, check, lower),)
DEVICE_OPS = (DeviceOp("MATMUL_S16", ("rows", "depth", "shift"), lambda w: w[0] * w[1]),)
