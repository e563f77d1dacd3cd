# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of one 8-bit tensor as tables: reasons against one, making one, lowering to LUT_8.

A table has 256 entries, indexed by the input's raw byte (the byte read as uint8, whatever the
type); entries are the output's raw bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import (
    Lowered,
    elements_reasons,
    operand,
    operand_reasons,
    tensor_reasons,
)

Table = NDArray[np.uint8]

_LARGEST_RATIO = 2.0**30


def unary_reasons(
    op: Op,
    inputs: Sequence[DType] = (DType.INT8,),
    outputs: Sequence[DType] = (DType.INT8,),
) -> list[str]:
    """Why ``op`` is not a function of each element of one quantised tensor of these types."""
    reasons = operand_reasons(op, range(1, 2))
    if reasons:
        return reasons
    x, y = op.inputs[0], op.outputs[0]
    reasons += tensor_reasons(x, "input", inputs)
    reasons += tensor_reasons(y, "output", outputs)
    return reasons + elements_reasons(x, y)


def ratio_reasons(ratio: float) -> list[str]:
    """Why the input's scale, as a multiple of the output's, exceeds 32-bit arithmetic."""
    if not abs(ratio) < _LARGEST_RATIO:
        return [f"the input's scale is {ratio:.3g} times the output's, the limit is 2**30"]
    return []


def make_table(op: Op, function: Callable[[int], int]) -> Table:
    """The table of ``function`` between the quantised values of input 0 and output 0.

    Results outside of the output's type saturate.
    """
    source, target = operand(op, 0).dtype.numpy, op.outputs[0].dtype.numpy
    values = [function(int(q)) for q in np.arange(256, dtype=np.uint8).view(source)]
    limits = np.iinfo(target)
    return np.clip(values, limits.min, limits.max).astype(target).view(np.uint8)


def lower_table(op: Op, table: Table) -> Lowered:
    """``op`` as the device's table look-up."""
    x, y = operand(op, 0), op.outputs[0]
    return Lowered("LUT_8", (x.elements,), (x,), (y,), weights=table.tobytes(), inplace=(0,))
