# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Splits long steps by rows, so that a more urgent job waits for at most a bounded step.

A step is never interrupted, so the longest one bounds how late a job may begin. An op that can run
by rows becomes as few slices as a limit demands, of about the same size; results are the same byte
for byte. What cannot be split stays whole and is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from math import ceil

from ranvier.compiler.lower import Program, Run
from ranvier.compiler.ops import device_ops
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.reach import reach_of

_PAIRS = frozenset({"WINOGRAD_DSP_S8"})
"""Ops that compute rows in twos: a single one costs as much."""


@dataclass(frozen=True)
class StepLimit:
    """What a step may cost at most.

    ``unit`` is ``"macs"``, or ``"us"`` where ``costs`` has the microseconds of every whole op, in
    the order of the program's steps.
    """

    most: float
    unit: str = "macs"
    costs: Mapping[int, float] = field(default_factory=dict)

    def cost(self, program: Program, step: int) -> float:
        """What a whole op of ``program`` costs."""
        return self.costs[step] if self.unit == "us" else macs_of(program.steps[step].lowered)

    def of_ops(self, first: int) -> StepLimit:
        """The same for a program whose steps are the ops from ``first`` on."""
        costs = {op - first: cost for op, cost in self.costs.items() if op >= first}
        return replace(self, costs=costs)


@dataclass(frozen=True)
class LongRun:
    """A run that exceeds a limit because it cannot be split any further."""

    step: int
    cost: float


def macs_of(lowered: Lowered) -> int:
    """Multiply-accumulates of a lowered op."""
    return device_ops()[lowered.device].macs(lowered.params)


def sliced(program: Program, limit: StepLimit) -> Program:
    """The program with every run split that exceeds the limit and can be."""
    runs = tuple(piece for run in program.schedule for piece in _pieces(program, run, limit))
    return program if runs == program.schedule else replace(program, runs=runs)


def joined(program: Program) -> Program:
    """The program with runs that continue each other made one."""
    runs: list[Run] = []
    for step, group in groupby(program.schedule, key=lambda run: run.step):
        pieces = list(group)
        rows = sum(piece.rows for piece in pieces)
        runs.append(Run(step, pieces[0].row0, 0 if rows == _out_rows(program, step) else rows))
    whole = all(run == Run(number) for number, run in enumerate(runs))
    return replace(program, runs=() if whole else tuple(runs))


def run_cost(program: Program, run: Run, limit: StepLimit) -> float:
    """What a run costs: an op's rows share its cost evenly."""
    cost = limit.cost(program, run.step)
    return cost * run.rows / _out_rows(program, run.step) if run.rows else cost


def long_runs(program: Program, limit: StepLimit) -> tuple[LongRun, ...]:
    """The longest run of every op that has one beyond the limit, the longest first."""
    longest: dict[int, float] = {}
    for run in program.schedule:
        cost = run_cost(program, run, limit)
        if cost > limit.most:
            longest[run.step] = max(longest.get(run.step, 0), cost)
    return tuple(
        LongRun(step, cost) for step, cost in sorted(longest.items(), key=lambda item: -item[1])
    )


def _out_rows(program: Program, step: int) -> int:
    """Rows of an op that can run by rows, else 0."""
    reach = reach_of(program.steps[step].lowered)
    return reach.out_rows if reach is not None else 0


def _pieces(program: Program, run: Run, limit: StepLimit) -> Iterator[Run]:
    lowered = program.steps[run.step].lowered
    if run_cost(program, run, limit) <= limit.most or reach_of(lowered) is None:
        yield run
        return
    total = _out_rows(program, run.step)
    row0 = run.row0
    for rows in _shares(
        lowered, run.rows or total, limit.most * total, limit.cost(program, run.step)
    ):
        yield Run(run.step, row0, rows if rows < total else 0)
        row0 += rows


def _shares(lowered: Lowered, rows: int, most: float, cost: float) -> Sequence[int]:
    """``rows`` in as few parts as needed for ``cost`` a row to stay within ``most``."""
    unit = 2 if lowered.device in _PAIRS and 2 * cost <= most else 1
    units = ceil(rows / unit)
    parts = ceil(units / max(int(most // (cost * unit)), 1))
    ends = [min(unit * (units * part // parts), rows) for part in range(parts + 1)]
    return [end - start for start, end in pairwise(ends)]
