# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of one 8-bit tensor as tables: reasons against one, making one, lowering to LUT_8.

A table has 256 entries, indexed by the input's raw byte (the byte read as uint8, whatever the
type); entries are the output's raw bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import round_away
from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.ops.base import Lowered, operand_reasons, tensor_reasons

BYTE_TYPES = (DType.INT8, DType.UINT8)
"""Element types that a table can be indexed by and can hold."""

Table = NDArray[np.uint8]

_LARGEST_RATIO = 2.0**30


def operand(op: Op, index: int) -> Tensor:
    """Input ``index`` of an op that has passed its check, where the input is not optional."""
    tensor = op.inputs[index]
    assert tensor is not None
    return tensor


def quant_of(tensor: Tensor) -> Quant:
    """The quantisation of a tensor of an op whose check has demanded one."""
    assert tensor.quant is not None
    return tensor.quant


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


def fixed_output_reasons(op: Op, scale: float, zero_point: int) -> list[str]:
    """Why the output does not have the only quantisation that the op can produce."""
    quant = quant_of(op.outputs[0])
    if (quant.scale, quant.zero_point) != (scale, zero_point):
        return [
            f"output has scale {quant.scale:g} and zero point {quant.zero_point}, "
            f"needs {scale:g} and {zero_point}"
        ]
    return []


def elements_reasons(x: Tensor | None, y: Tensor) -> list[str]:
    """Why output ``y`` cannot hold exactly the elements of ``x``."""
    if x is not None and x.elements != y.elements:
        return [f"output shape {list(y.shape)} does not hold the input's {list(x.shape)}"]
    return []


def ratio_reasons(ratio: float) -> list[str]:
    """Why the input's scale, as a multiple of the output's, exceeds 32-bit arithmetic."""
    if not abs(ratio) < _LARGEST_RATIO:
        return [f"the input's scale is {ratio:.3g} times the output's, the limit is 2**30"]
    return []


def scale_ratio(op: Op) -> float:
    """The input's scale divided by the output's, in double as the reference does."""
    return quant_of(operand(op, 0)).scale / quant_of(op.outputs[0]).scale


def input_in_q4(op: Op) -> tuple[int, int, int]:
    """How an input becomes Q4.27: ``(multiplier, shift, radius)``.

    Values at least ``radius`` away from the zero point are beyond the range of Q4.27. Source:
    TensorFlow Lite Micro's int8 LOGISTIC and TANH.
    """
    fraction, shift = math.frexp(quant_of(operand(op, 0)).scale * 2.0**27)
    return round_away(fraction * 2.0**31), shift, math.floor(15 * 2.0 ** (27 - shift))


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
