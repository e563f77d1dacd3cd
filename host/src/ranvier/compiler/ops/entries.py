# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ops with lists of results share: tables of scores, and the list's two tensors.

A list is a count, int32 ``[1]``, and entries, int16 ``[capacity, 6]``: class, score, y0, x0, y1,
x1 of each. Scores are Q15: 32767 is 1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op, Quant, Tensor

ENTRY_WORDS = 6
ENTRIES_MAX = 256
"""Most entries of a list: what the device does with them takes time of the square of it."""

CLASSES_MAX = 32767
SCORE_ONE = 32767

_TOLERANCE = 0.02
"""How far beyond 0 and 1 the range of scores may reach: quantisation widens it."""


def reals(quant: Quant) -> NDArray[np.float64]:
    """The real value of every int8, by raw byte."""
    values = np.arange(256, dtype=np.uint8).view(np.int8).astype(np.float64)
    return (values - quant.zero_point) * quant.scale


def q15(real: NDArray[np.float64]) -> NDArray[np.int16]:
    """Scores as Q15, to the nearest, ties up; what is outside of 0..1 is 0 or 1."""
    return np.clip(np.floor(real * (SCORE_ONE + 1) + 0.5), 0, SCORE_ONE).astype("<i2")


def sigmoid(real: NDArray[np.float64]) -> NDArray[np.float64]:
    """The logistic function."""
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-real)))


def threshold_q15(threshold: float) -> int:
    """The smallest Q15 score that a real threshold lets pass."""
    return int(min(max(np.ceil(threshold * (SCORE_ONE + 1)), 0), SCORE_ONE))


def list_reasons(tensors: Sequence[Tensor | None], capacity: int) -> list[str]:
    """Why two tensors are not a list of ``capacity`` entries."""
    if not 1 <= capacity <= ENTRIES_MAX:
        return [f"{capacity} entries, 1..{ENTRIES_MAX} are possible"]
    wanted = [(DType.INT32, (1,)), (DType.INT16, (capacity, ENTRY_WORDS))]
    found = [(t.dtype, t.shape) for t in tensors if t is not None]
    return [] if found == wanted else [f"a list of {capacity} entries is not a count and entries"]


def counts_reasons(op: Op, inputs: range, outputs: int) -> list[str]:
    """Why the numbers of operands are wrong, or an input is absent."""
    if len(op.inputs) not in inputs or len(op.outputs) != outputs or None in op.inputs:
        return [f"has {len(op.inputs)} inputs and {len(op.outputs)} outputs"]
    return []


def word_reasons(op: Op, **limits: tuple[int, int]) -> list[str]:
    """Why attributes are not whole numbers within their limits."""
    reasons = []
    for name, (low, high) in limits.items():
        value = op.attrs.get(name)
        if not isinstance(value, int) or not low <= value <= high:
            reasons.append(f"{name} is {value}, not {low}..{high}")
    return reasons


def table_reasons(op: Op, name: str, dtype: str, *shape: int) -> list[str]:
    """Why an attribute is not an array of this type and shape."""
    value = op.attrs.get(name)
    if not isinstance(value, np.ndarray) or value.dtype != dtype or value.shape != shape:
        return [f"{name} is not an array of {list(shape)} {dtype}"]
    return []


def quant_of_scores(tensor: Tensor) -> Quant | None:
    """The quantisation of a tensor whose values can be 0..1; None where they are something else."""
    quant = tensor.quant
    if quant is None or not quant.per_tensor:
        return None
    real = reals(quant)
    return quant if real.min() > -_TOLERANCE and real.max() < 1 + _TOLERANCE else None
