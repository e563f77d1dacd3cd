# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs chains of ops row by row, so that images between them never exist as a whole.

For some rows of a chain's last output, each op before it computes just the rows that are needed
and not there yet; each image inside the chain is a ring of as many rows as are needed at a time.
Which chains are worth it is searched: the arena's peak is what counts. Where a first layer's output
in rows can lie over its dying input, storing images in rows is tried along with it.

The idea is known as patch-based or fused-layer inference (Alwani et al., "Fused-layer CNN
accelerators", 2016; Lin et al., "MCUNetV2", 2021); here no row is ever computed twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ranvier.compiler.graph import Graph, Tensor
from ranvier.compiler.layouts import BY_ROWS, Choice
from ranvier.compiler.lower import Lowering, Program, Refused, Run
from ranvier.compiler.memory import lowest_peak
from ranvier.compiler.reach import Reach, by_rows, reach_of
from ranvier.compiler.slices import StepLimit
from ranvier.package.records import IoMode, Layout

_LONGEST = 5
"""Most ops of a chain: a reader keeps count of 6 ops under way."""
_CHUNKS = (4, 2, 1)
"""Rows of a chain's last output that may be computed at a time."""
_FIRST_CHUNKS = (2, 1)
"""Rows that a new chain starts with; the next only where none with those before lowers the peak."""
_ROUNDS = 6
"""Changes to make at most."""
_PREFIX = 16
"""First ops whose images may be stored in rows."""


@dataclass(frozen=True)
class Chain:
    """Consecutive ops of the graph, ``first .. last`` by position, run ``chunk`` rows at a time."""

    first: int
    last: int
    chunk: int


@dataclass(frozen=True)
class Rolled:
    """A choice of layouts and chains, the program with them, and its peak.

    ``peak_op`` is the position in the graph of an op that runs at the peak. ``refused`` has the
    kernels that could not do an op with these layouts.
    """

    choice: Choice
    chains: tuple[Chain, ...]
    program: Program
    peak: int
    peak_op: int
    refused: Refused


@dataclass(frozen=True)
class _Aim:
    """What the peak is looked for with: an input mode, and what a step may cost."""

    mode: IoMode
    limit: StepLimit | None


def roll(graph: Graph, choice: Choice, mode: IoMode, limit: StepLimit | None = None) -> Rolled:
    """The chains and layouts that give ``graph`` the lowest peak; none where none lowers it."""
    aim = _Aim(mode, limit)
    best = _rolled(graph, choice, (), aim)
    assert best is not None
    for _ in range(_ROUNDS):
        for chunk in _FIRST_CHUNKS:
            found = min(
                (c for c in _more(graph, best, aim, chunk) if c is not None),
                key=lambda c: (c.peak, len(c.program.schedule)),
                default=best,
            )
            if found.peak < best.peak:
                break
        if found.peak >= best.peak:
            break
        best = found
    return best


def rerolled(graph: Graph, choice: Choice, chains: tuple[Chain, ...]) -> Program | None:
    """The program of a choice with these chains; None where they cannot be."""
    rolled = _apply(graph, choice, chains)
    return None if rolled is None else rolled[2]


def _more(graph: Graph, best: Rolled, aim: _Aim, start: int) -> Iterator[Rolled | None]:
    """Candidates with one chain more or another number of rows at a time, and images in rows."""
    for at, chain in enumerate(best.chains):
        for chunk in _CHUNKS:
            chains = (*best.chains[:at], replace(chain, chunk=chunk), *best.chains[at + 1 :])
            yield _rolled(graph, best.choice, chains, aim, best.refused)
    taken = {n for chain in best.chains for n in range(chain.first, chain.last + 1)}
    pairs = [
        (first, last)
        for first in range(len(graph.ops) - 1)
        for last in range(first + 1, min(first + _LONGEST, len(graph.ops)))
        if first <= best.peak_op <= last and not taken & set(range(first, last + 1))
    ]
    early = best.choice.planes == Layout.PLANES and best.peak_op <= _PREFIX
    for prefix in range(min(len(graph.ops), _PREFIX) + 1 if early else 1):
        choice = replace(best.choice, rows=best.choice.rows | frozenset(range(prefix)))
        refused = best.refused
        if prefix:
            alone = _rolled(graph, choice, best.chains, aim)
            if alone is None:
                continue
            yield alone
            refused = alone.refused
        for first, last in pairs:
            chains = (*best.chains, Chain(first, last, start))
            yield _rolled(graph, choice, chains, aim, refused)


def _rolled(
    graph: Graph,
    choice: Choice,
    chains: tuple[Chain, ...],
    aim: _Aim,
    known: Refused | None = None,
) -> Rolled | None:
    applied = _apply(graph, choice, chains, known)
    if applied is None:
        return None
    choice, lowering, program = applied
    peak, step = lowest_peak(program, aim.mode, aim.limit)
    ops = [number for number, other in lowering.steps.items() if other == step]
    return Rolled(choice, chains, program, peak, ops[0] if ops else 0, lowering.refused)


def _apply(
    graph: Graph,
    choice: Choice,
    chains: tuple[Chain, ...],
    known: Refused | None = None,
) -> tuple[Choice, Lowering, Program] | None:
    """Lower with whole images to learn what each op needs, then with rings of that size."""
    choice = replace(choice, rings={})
    lowering = Lowering(graph, choice, known)
    if not chains:
        return choice, lowering, lowering.program
    known = lowering.refused
    inside = {n for chain in chains for n in range(chain.first, chain.last + 1)}
    kernels = {n: BY_ROWS[k] for n, k in lowering.kernels.items() if n in inside and k in BY_ROWS}
    if kernels:
        choice = replace(choice, kernels={**choice.kernels, **kernels})
        lowering = Lowering(graph, choice, known)
    rings: dict[int, int] = {}
    for chain in chains:
        steps = _steps(lowering, chain)
        if steps is None:
            return None
        rolling = _Rolling(lowering.program, steps)
        runs = rolling.run(chain.chunk)
        held = rolling.held(runs)
        numbers = {step: number for number, step in lowering.steps.items()}
        rings.update({numbers[step]: rows for step, rows in held.items()})
    if rings:
        choice = replace(choice, rings=rings)
        lowering = Lowering(graph, choice, known)
    runs_of: dict[int, list[Run]] = {}
    for chain in chains:
        steps = _steps(lowering, chain)
        if steps is None:
            return None
        runs_of[steps.start] = _Rolling(lowering.program, steps).run(chain.chunk)
    program = replace(lowering.program, runs=tuple(_schedule(lowering.program, runs_of)))
    return choice, lowering, program


def _steps(lowering: Lowering, chain: Chain) -> range | None:
    """The steps of a chain's ops.

    None unless they follow each other, all run by rows and all lead to the last one.
    """
    wanted = [lowering.steps.get(number) for number in range(chain.first, chain.last + 1)]
    if None in wanted:
        return None
    first = lowering.steps[chain.first]
    steps = range(first, first + len(wanted))
    program = lowering.program
    if wanted != list(steps) or not all(by_rows(program.steps[step].lowered) for step in steps):
        return None
    read = {tensor for step in steps for tensor in program.steps[step].lowered.inputs}
    inner = [program.steps[step].lowered.outputs[0] for step in steps[:-1]]
    return steps if all(tensor in read for tensor in inner) else None


def _schedule(program: Program, runs_of: dict[int, list[Run]]) -> Iterator[Run]:
    rolled = {run.step for runs in runs_of.values() for run in runs}
    for step in range(len(program.steps)):
        if step in runs_of:
            yield from runs_of[step]
        elif step not in rolled:
            yield Run(step)


class _Rolling:
    """The runs of some steps, each as late as possible."""

    def __init__(self, program: Program, steps: range) -> None:
        self._program = program
        self._steps = steps
        self._reach: dict[int, Reach] = {}
        self._readers: dict[int, list[int]] = {}
        for step in steps:
            reach = reach_of(program.steps[step].lowered)
            assert reach is not None
            self._reach[step] = reach
            output = program.steps[step].lowered.outputs[0]
            self._readers[step] = [
                other for other in steps if output in program.steps[other].lowered.inputs
            ]

    def run(self, chunk: int) -> list[Run]:
        """The order of runs for ``chunk`` rows of the last output at a time."""
        runs: list[Run] = []
        done = dict.fromkeys(self._steps, 0)
        last = self._steps[-1]
        total = self._reach[last].out_rows
        for end in [*range(chunk, total, chunk), total]:
            needed = self._needed(done, end)
            self._advance(done, needed, runs)
        whole = {step: self._reach[step].out_rows for step in self._steps}
        self._advance(done, whole, runs)
        return runs

    def _needed(self, done: dict[int, int], end: int) -> dict[int, int]:
        """How many rows of every step there must be for ``end`` rows of the last one."""
        needed = dict(done)
        needed[self._steps[-1]] = end
        for step in reversed(self._steps):
            for reader in self._readers[step]:
                if needed[reader] > done[reader]:
                    rows = self._reach[reader].rows(done[reader], needed[reader] - done[reader])
                    needed[step] = max(needed[step], rows.stop)
        return needed

    def _advance(self, done: dict[int, int], needed: dict[int, int], runs: list[Run]) -> None:
        for step in self._steps:
            if needed[step] > done[step]:
                rows = needed[step] - done[step]
                whole = rows == self._reach[step].out_rows
                runs.append(Run(step) if whole else Run(step, done[step], rows))
                done[step] = needed[step]

    def held(self, runs: Sequence[Run]) -> dict[int, int]:
        """For steps whose output is a ring: its rows."""
        done = dict.fromkeys(self._steps, 0)
        held = {step: 0 for step in self._steps if self._is_inner(step)}
        for run in runs:
            done[run.step] = (run.row0 + run.rows) or self._reach[run.step].out_rows
            if run.step in held:
                held[run.step] = max(held[run.step], done[run.step] - self._oldest(run.step, done))
        return {s: rows for s, rows in held.items() if rows < self._reach[s].out_rows}

    def _oldest(self, step: int, done: dict[int, int]) -> int:
        """The first row of a step's output that is still needed."""
        oldest = done[step]
        for reader in self._readers[step]:
            reach = self._reach[reader]
            if done[reader] < reach.out_rows:
                oldest = min(oldest, reach.rows(done[reader], 1).start)
        return oldest

    def _is_inner(self, step: int) -> bool:
        """True where only steps of the chain read the output, and it may be a ring."""
        output: Tensor = self._program.steps[step].lowered.outputs[0]
        readers = [
            other
            for other, reader in enumerate(self._program.steps)
            if output in reader.lowered.inputs
        ]
        return (
            output.layout != Layout.DENSE
            and bool(readers)
            and all(r in self._steps for r in readers)
            and (output not in self._program.outputs)
        )
