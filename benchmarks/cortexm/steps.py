# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of each op of a package: counted, and as the compiler predicted them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from device import Cost
from markdown import NONE, number, per, table
from subjects import Subject


@dataclass(frozen=True)
class Op:
    """One op with all of its slices; ``predicted`` is None where a step's record does not say."""

    name: str
    kind: str
    shape: tuple[int, ...]
    slices: int
    macs: int
    counted: int
    predicted: int | None

    @property
    def error(self) -> float | None:
        """How far the prediction is off, as a fraction of what was counted."""
        return None if self.predicted is None else self.predicted / self.counted - 1


def ops_of(subject: Subject, cost: Cost) -> list[Op]:
    """The ops of the package."""
    content, layers = subject.result.content, subject.result.report.layers
    counted: dict[int, list[int]] = {layer.step: [] for layer in layers}
    predicted: dict[int, list[int]] = {layer.step: [] for layer in layers}
    for step, count in zip(content.steps, cost.steps, strict=True):
        counted[step.op].append(count)
        predicted[step.op].append(step.predicted)
    rows = []
    for layer in layers:
        counts, shares = counted[layer.step], predicted[layer.step]
        known = sum(shares) if all(shares) else None
        kind = layer.kind or NONE
        rows.append(Op(layer.op, kind, layer.shape, len(counts), layer.macs, sum(counts), known))
    return rows


def percent(error: float | None) -> str:
    """A signed error in per cent."""
    return NONE if error is None else f"{error:+.1%}"


def op_table(ops: Sequence[Op]) -> str:
    """Every op of a package."""
    rows = [
        [
            str(index),
            op.name,
            op.kind,
            "x".join(map(str, op.shape)),
            str(op.slices),
            number(op.macs),
            number(op.counted),
            per(op.counted, op.macs),
            number(op.predicted),
            percent(op.error),
        ]
        for index, op in enumerate(ops)
    ]
    counted = sum(op.counted for op in ops)
    macs = sum(op.macs for op in ops)
    total = _total(ops)
    known = None if total is None else total[0]
    error = None if total is None else total[0] / total[1] - 1
    last = ["all", "", "", "", str(sum(op.slices for op in ops)), number(macs), number(counted)]
    rows.append([*last, per(counted, macs), number(known), percent(error)])
    head = ["op", "device op", "source", "output", "steps", "MACs", "instructions", "per MAC"]
    return table([*head, "predicted", "error"], rows, left=3)


def prediction_table(packages: Iterable[tuple[Subject, Sequence[Op]]]) -> str:
    """How good the predictions of each package are."""
    rows = []
    for subject, ops in packages:
        known = [op for op in ops if op.error is not None]
        total = _total(ops)
        row = [subject.title, subject.variant.key, f"{len(known)} of {len(ops)}"]
        if total is None:
            rows.append([*row, NONE, NONE, NONE, NONE])
            continue
        worst = max(known, key=lambda op: abs(op.error or 0.0))
        row += [number(total[1]), number(total[0]), percent(total[0] / total[1] - 1)]
        rows.append([*row, f"{percent(worst.error)} ({worst.name}, {number(worst.counted)})"])
    head = ["model", "variant", "ops predicted", "counted in these", "predicted", "error"]
    return table([*head, "worst op (counted)"], rows, left=2)


def _total(ops: Sequence[Op]) -> tuple[int, int] | None:
    """Predicted and counted instructions of all ops whose prediction is known."""
    known = [(op.predicted, op.counted) for op in ops if op.predicted is not None]
    return (sum(p for p, _ in known), sum(c for _, c in known)) if known else None
