# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Speed against memory: which layouts, kernels and order of rows a program gets.

Three goals. ``speed`` takes whatever is predicted to need the fewest instructions. ``balanced``
takes faster kernels as long as they cost little memory and flash. ``memory`` first makes the arena
as small as it can, by running chains of ops row by row, and takes faster kernels where that costs
no memory.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from ranvier.compiler.graph import Graph
from ranvier.compiler.layouts import FASTER, Choice
from ranvier.compiler.lower import Lowering, Program, predicted_run
from ranvier.compiler.memory import MemoryPlan, plan_memory
from ranvier.compiler.passes import split_strides
from ranvier.compiler.roll import Chain, rerolled, roll
from ranvier.compiler.slices import StepLimit, long_runs
from ranvier.errors import InputError
from ranvier.package.records import IoMode, Isa, Layout


class Goal(enum.Enum):
    """What ``--optimize`` names."""

    SPEED = "speed"
    BALANCED = "balanced"
    MEMORY = "memory"

    @classmethod
    def of(cls, name: str) -> Goal:
        """The goal of that name; InputError for a name that is none."""
        try:
            return cls(name)
        except ValueError:
            names = ", ".join(goal.value for goal in cls)
            raise InputError(f"{name!r} is nothing to optimise for", f"one of {names}") from None


_SAVED_PER_BYTE = 64
"""Instructions that a byte of flash has to save in each inference: for ``balanced``."""

_SPENT = {Goal.SPEED: None, Goal.BALANCED: 2048, Goal.MEMORY: 0}
"""Bytes of arena that faster kernels may cost; None: any number."""


@dataclass(frozen=True)
class _Candidate:
    choice: Choice
    chains: tuple[Chain, ...]
    plan: MemoryPlan

    @property
    def cost(self) -> int:
        """Predicted instructions."""
        return predicted(self.plan.program, self.choice.isa)

    @property
    def flash(self) -> int:
        """Bytes of all weight streams."""
        return sum(len(step.lowered.weights) for step in self.plan.program.steps)

    def excess(self, limit: StepLimit | None) -> float:
        """By how much the longest step exceeds a limit."""
        if limit is None:
            return 0.0
        over = long_runs(self.plan.program, limit)
        return over[0].cost - limit.most if over else 0.0


def predicted(program: Program, isa: Isa) -> int:
    """Instructions that all runs are predicted to take, of those for which this is known."""
    return sum(predicted_run(program, run, isa) for run in program.schedule)


def best_plan(
    graph: Graph, isa: Isa, mode: IoMode, goal: Goal, limit: StepLimit | None = None
) -> MemoryPlan:
    """The program for ``graph`` that suits the goal best, with its memory.

    ``limit`` is what a step may cost; what exceeds it and can run by rows is split.
    """
    if isa == Isa.GENERIC:
        return plan_memory(Lowering(graph, Choice(isa)).program, mode, limit)
    graphs = [graph]
    if goal == Goal.MEMORY:
        graphs += [other for other in [split_strides.split(graph)] if other is not None]
    found = [
        _Search(other, mode, limit).best(Choice(isa, planes), goal)
        for other in graphs
        for planes in (Layout.PLANES, Layout.PLANES_TRANSPOSED)
    ]
    if goal == Goal.MEMORY:
        return min(found, key=lambda c: (c.excess(limit), c.plan.arena_bytes, c.cost)).plan
    return min(found, key=lambda c: (c.excess(limit), c.cost, c.plan.arena_bytes)).plan


@dataclass(frozen=True)
class _Search:
    """Candidates for a graph, an input mode, and what a step may cost."""

    graph: Graph
    mode: IoMode
    limit: StepLimit | None

    def best(self, choice: Choice, goal: Goal) -> _Candidate:
        """With these layouts: small kernels, by rows if memory is the goal, then faster kernels."""
        chains: tuple[Chain, ...] = ()
        if goal == Goal.MEMORY:
            rolled = roll(self.graph, choice, self.mode, self.limit)
            choice, chains = rolled.choice, rolled.chains
        best = self._candidate(choice, chains)
        assert best is not None
        spent = _SPENT[goal]
        limit = None if spent is None else best.plan.arena_bytes + spent
        for number, kernel in _faster(self.graph, best):
            kernels = {**best.choice.kernels, number: kernel}
            other = self._candidate(replace(best.choice, kernels=kernels), chains)
            if other is None or (limit is not None and other.plan.arena_bytes > limit):
                continue
            price = _SAVED_PER_BYTE * (other.flash - best.flash) if goal == Goal.BALANCED else 0
            if other.cost < best.cost - max(price, 0):
                best = other
        return best

    def _candidate(self, choice: Choice, chains: tuple[Chain, ...]) -> _Candidate | None:
        program = rerolled(self.graph, choice, chains)
        if program is None:
            return None
        return _Candidate(choice, chains, plan_memory(program, self.mode, self.limit))


def _faster(graph: Graph, candidate: _Candidate) -> list[tuple[int, str]]:
    """Ops of the graph, by position, and a kernel that may be faster than theirs."""
    return [
        (number, FASTER[kernel])
        for number, kernel in Lowering(graph, candidate.choice).kernels.items()
        if kernel in FASTER
    ]
