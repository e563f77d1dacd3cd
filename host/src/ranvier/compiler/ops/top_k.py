# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""TOP_K: the classes of the highest scores as a list (``ranvier.compiler.ops.entries``).

An op that only stages make. Attributes: ``k``, ``threshold`` (Q15) and ``scores``, int16[256], the
score by the input's raw byte.
"""

from __future__ import annotations

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, tensor_reasons
from ranvier.compiler.ops.entries import (
    CLASSES_MAX,
    ENTRIES_MAX,
    SCORE_ONE,
    counts_reasons,
    list_reasons,
    table_reasons,
    word_reasons,
)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = counts_reasons(op, range(1, 2), 2)
    if reasons:
        return reasons
    x = operand(op, 0)
    reasons += tensor_reasons(x, "input", (DType.INT8,), quantised=False)
    reasons += table_reasons(op, "scores", "<i2", 256)
    if not 1 <= x.elements <= CLASSES_MAX:
        return [*reasons, f"{x.elements} classes, 1..{CLASSES_MAX} are possible"]
    most = min(ENTRIES_MAX, x.elements)
    limits = word_reasons(op, k=(1, most), threshold=(0, SCORE_ONE))
    return reasons + (limits or list_reasons(op.outputs, op.attrs["k"]))


def lower(op: Op) -> Lowered:
    """The op as the device does it."""
    x = operand(op, 0)
    params = (x.elements, op.attrs["k"], op.attrs["threshold"])
    scores: bytes = op.attrs["scores"].tobytes()
    return Lowered("TOP_K_S8", params, (x,), tuple(op.outputs), weights=scores)


OPS = (OpSpec("TOP_K", 1, check, lower),)
DEVICE_OPS = (DeviceOp("TOP_K_S8", ("classes", "k", "threshold")),)
