# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SMOOTH: an event where the mean of a class's scores over the latest runs is high.

An op that only stages make. Inputs are scores, int8, and state, int16 (:func:`state_words`);
outputs the same state and a list of one entry (``ranvier.compiler.ops.entries``). Attributes:
``window``, the runs to average; ``threshold``, Q15; ``refractory``, for how many runs after an
event there is no other one, with ``any_class`` 0 none of the same class; ``minimum``, runs before
the first event; ``scores``, int16[256], the score by the input's raw byte; ``ignored``,
uint8[classes], 1 for classes that are no event.
"""

from __future__ import annotations

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, tensor_reasons
from ranvier.compiler.ops.entries import (
    CLASSES_MAX,
    SCORE_ONE,
    counts_reasons,
    list_reasons,
    table_reasons,
    word_reasons,
)

WINDOW_MAX = 1024
RUNS_MAX = 32767
_STATE_WORDS = 4
_WORDS = ("window", "threshold", "refractory", "minimum", "any_class")


def state_words(classes: int, window: int) -> int:
    """Elements of the state: what the op remembers, and the scores of ``window`` runs."""
    return _STATE_WORDS + classes * window


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = counts_reasons(op, range(2, 3), 3)
    if reasons:
        return reasons
    x, state = operand(op, 0), operand(op, 1)
    reasons += tensor_reasons(x, "input", (DType.INT8,), quantised=False)
    if not 1 <= x.elements <= CLASSES_MAX:
        return [*reasons, f"{x.elements} classes, 1..{CLASSES_MAX} are possible"]
    limits = word_reasons(
        op,
        window=(1, WINDOW_MAX),
        threshold=(0, SCORE_ONE),
        refractory=(0, RUNS_MAX),
        minimum=(1, RUNS_MAX),
        any_class=(0, 1),
    )
    limits += table_reasons(op, "scores", "<i2", 256)
    limits += table_reasons(op, "ignored", "u1", x.elements)
    if limits:
        return reasons + limits
    wanted = (DType.INT16, state_words(x.elements, op.attrs["window"]))
    if (state.dtype, state.elements) != wanted or op.outputs[0] is not state or not state.state:
        reasons.append(f"output 0 is not state of {wanted[1]} int16 that is input 1 as well")
    return reasons + list_reasons(op.outputs[1:], 1)


def lower(op: Op) -> Lowered:
    """The op as the device does it."""
    x, state = operand(op, 0), operand(op, 1)
    return Lowered(
        "SMOOTH_S8",
        (x.elements, *(int(op.attrs[word]) for word in _WORDS)),
        (x, state),
        tuple(op.outputs),
        weights=op.attrs["scores"].tobytes() + op.attrs["ignored"].tobytes(),
        inplace=(1,),
    )


OPS = (OpSpec("SMOOTH", 1, check, lower),)
DEVICE_OPS = (DeviceOp("SMOOTH_S8", ("classes", *_WORDS)),)
