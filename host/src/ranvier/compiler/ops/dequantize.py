# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""DEQUANTIZE of an 8-bit tensor to float32, as a table of 32-bit words.

Source of the arithmetic: TensorFlow Lite Micro's DEQUANTIZE, one product in double precision.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    BYTE_TYPES,
    Lowered,
    OpSpec,
    elements_reasons,
    operand,
    operand_reasons,
    quant_of,
    tensor_reasons,
)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(x, "input", BYTE_TYPES)
    reasons += tensor_reasons(y, "output", (DType.FLOAT32,), quantised=False)
    return reasons + elements_reasons(x, y)


def table(op: Op) -> NDArray[np.float32]:
    """The output for every input byte."""
    x = operand(op, 0)
    quant = quant_of(x)
    values = np.arange(256, dtype=np.uint8).view(x.dtype.numpy).astype(np.float64)
    with np.errstate(over="ignore", under="ignore"):
        return (quant.scale * (values - quant.zero_point)).astype("<f4")


def lower(op: Op) -> Lowered:
    """The op as a table look-up."""
    x, y = operand(op, 0), op.outputs[0]
    return Lowered("LUT_32", (x.elements,), (x,), (y,), weights=table(op).tobytes())


OPS = (OpSpec("DEQUANTIZE", 9, check, lower),)
