# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Where and how long every tensor of a program lives.

Decides the order of the steps, which outputs replace an input in place, and every offset in the
arena. A chain of tensors that replace each other is one buffer, alive as long as any of them, which
needs in each run what is alive of it: so what the verifier demands of a same-alias holds by
construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ranvier.compiler.graph import Tensor
from ranvier.compiler.lower import Program, Step
from ranvier.compiler.order import Node, best_order
from ranvier.compiler.planner import Buffer, Plan, plan, quick_peak
from ranvier.compiler.reach import first_row
from ranvier.compiler.slices import StepLimit, sliced
from ranvier.errors import UnsupportedError
from ranvier.package.format import MAX_LIVE, align
from ranvier.package.records import IoMode, Layout, Storage


@dataclass(frozen=True)
class Placement:
    """A tensor's place; ``alias`` is the tensor that it replaces in place.

    Where a constant or state lies is decided for the whole package, and not here.
    """

    storage: Storage
    offset: int
    first_step: int
    last_step: int
    alias: Tensor | None = None


@dataclass(frozen=True)
class MemoryPlan:
    """A program in its final order with every tensor and scratch placed.

    ``placements`` holds inputs, then constants and written tensors as steps meet them.
    """

    program: Program
    placements: dict[Tensor, Placement]
    scratch_offsets: tuple[int, ...]
    arena_bytes: int
    max_live: int


def plan_memory(program: Program, mode: IoMode, limit: StepLimit | None = None) -> MemoryPlan:
    """Order ``program``, split what a step may not cost, and place its tensors for one input mode.

    Raises UnsupportedError where more tensors are live at once than a reader can verify.
    """
    operands = len(program.inputs) + len(program.outputs)
    if operands > MAX_LIVE:
        raise UnsupportedError(
            f"{program.name}: the model has {operands} inputs and outputs, "
            f"the package format allows {MAX_LIVE}",
            "join some of them into one tensor",
        )
    best: MemoryPlan | None = None
    for ordered in _orders(program, mode):
        layout = _Layout(ordered if limit is None else sliced(ordered, limit), mode)
        for aliases in (layout.chosen_aliases(), {}):
            if best is None or layout.peak(aliases) < best.arena_bytes:
                candidate = layout.placed(layout.loosened(aliases))
                if best is None or candidate.arena_bytes < best.arena_bytes:
                    best = candidate
    assert best is not None
    if best.max_live > MAX_LIVE:
        raise UnsupportedError(
            f"{program.name}: {best.max_live} tensors are live in the arena at once, "
            f"the package format allows {MAX_LIVE}",
            "split the model where it has few parallel branches",
        )
    return best


def lowest_peak(program: Program, mode: IoMode, limit: StepLimit | None = None) -> tuple[int, int]:
    """Most bytes that are live at one run of ``program``, and the step of the first that has them.

    No placement needs less.
    """
    program = program if limit is None else sliced(program, limit)
    layout = _Layout(program, mode)
    live = layout.live(layout.chosen_aliases())
    return max(live), program.schedule[live.index(max(live))].step


def _orders(program: Program, mode: IoMode) -> Iterator[Program]:
    """The program as given and, if it differs, in the order with the lowest peak."""
    yield program
    if program.runs or _shares_state(program):  # whoever chose them has chosen the order
        return
    outside = () if mode == IoMode.RESIDENT else (*program.inputs, *program.outputs)
    number: dict[Tensor, int] = {}
    sizes: list[int] = []

    def numbers(tensors: Sequence[Tensor]) -> tuple[int, ...]:
        for tensor in tensors:
            if tensor not in number:
                number[tensor] = len(sizes)
                sizes.append(0 if tensor.lasts or tensor in outside else align(tensor.bytes))
        return tuple(number[tensor] for tensor in tensors)

    nodes = [
        Node(
            reads=numbers([t for t in step.lowered.inputs if not t.state]),
            writes=numbers([t for t in step.lowered.outputs if not t.state]),
            scratch_bytes=align(step.lowered.scratch_bytes),
            replaceable=numbers([t for t in _replaceable(step) if not _is_kept(t, outside)]),
        )
        for step in program.steps
    ]
    order = best_order(nodes, sizes, numbers(program.outputs))
    if list(order) != sorted(order):
        yield replace(program, steps=tuple(program.steps[i] for i in order))


def _is_kept(tensor: Tensor, outside: Sequence[Tensor]) -> bool:
    return tensor.state or tensor in outside


def _shares_state(program: Program) -> bool:
    """True where a step writes state that another one also reads or writes."""
    users: dict[Tensor, set[int]] = {}
    for number, step in enumerate(program.steps):
        for tensor in (*step.lowered.inputs, *step.lowered.outputs):
            if tensor.state:
                users.setdefault(tensor, set()).add(number)
    written = {t for step in program.steps for t in step.lowered.outputs if t.state}
    return any(len(users[tensor]) > 1 for tensor in written)


def _replaceable(step: Step) -> list[Tensor]:
    """Inputs that output 0 may replace, read by the step at permitted positions only."""
    inputs, permitted = step.lowered.inputs, step.lowered.inplace
    return [
        tensor
        for tensor in dict.fromkeys(inputs[position] for position in permitted)
        if all(i in permitted for i, other in enumerate(inputs) if other is tensor)
    ]


_MOST_TRIED = 256
"""Aliases that are tried for whether doing without saves memory."""


class _Layout:
    """Lifetimes and storage of an ordered program, and placing with a given choice of aliases."""

    def __init__(self, program: Program, mode: IoMode) -> None:
        self._program = program
        self._mode = mode
        self._first: dict[Tensor, int] = dict.fromkeys(program.inputs, 0)
        self._last: dict[Tensor, int] = dict.fromkeys(program.inputs, 0)
        self._runs: dict[int, tuple[int, int]] = {}  # step -> its first and last run
        for index, run in enumerate(program.schedule):
            lowered = program.steps[run.step].lowered
            self._runs[run.step] = (self._runs.get(run.step, (index, index))[0], index)
            for tensor in lowered.inputs:
                self._first.setdefault(tensor, 0)
                self._last[tensor] = index
            for tensor in lowered.outputs:
                self._first.setdefault(tensor, 0 if tensor.state else index)
                self._last[tensor] = index
        for tensor in program.outputs:
            self._last[tensor] = len(program.schedule) - 1
        self._slots: dict[Tensor, int] = {}
        if mode != IoMode.RESIDENT:
            outside = (*program.inputs, *program.outputs)
            self._slots = {tensor: slot for slot, tensor in enumerate(outside)}

    def chosen_aliases(self) -> dict[Tensor, Tensor]:
        """All replacements in place that are possible, output to input.

        None of them raises what is live: a chain needs in each run what is alive of it.
        """
        aliases: dict[Tensor, Tensor] = {}
        for index, step in enumerate(self._program.steps):
            candidates = [t for t in _replaceable(step) if self._dies(t, index)]
            for tensor in sorted(candidates, key=lambda t: -t.bytes):
                aliases[step.lowered.outputs[0]] = tensor
                if self._allowed(aliases, step.lowered.outputs[0]):
                    break
                del aliases[step.lowered.outputs[0]]
        return aliases

    def loosened(self, aliases: dict[Tensor, Tensor]) -> dict[Tensor, Tensor]:
        """The replacements without those that keep the peak from being reached.

        A chain of tensors starts at one address, which what lies beside its smaller members may
        make a bad one for the larger.
        """
        reached = quick_peak(self._buffers(aliases)[1])
        for output in list(aliases)[:_MOST_TRIED]:  # each costs a look at the whole plan
            fewer = {o: t for o, t in aliases.items() if o is not output}
            other = quick_peak(self._buffers(fewer)[1])
            if other < reached:
                aliases, reached = fewer, other
        return aliases

    def placed(self, aliases: dict[Tensor, Tensor]) -> MemoryPlan:
        """Place everything with these in-place replacements."""
        roots, buffers = self._buffers(aliases)
        layout: Plan = plan(buffers)
        offsets = dict(zip(roots, layout.offsets, strict=False))
        placements = {tensor: self._placement(tensor, aliases, offsets) for tensor in self._first}
        return MemoryPlan(
            program=self._program,
            placements=placements,
            scratch_offsets=self._scratch_offsets(layout.offsets[len(roots) :]),
            arena_bytes=align(layout.peak),
            max_live=self._max_live(aliases),
        )

    def _dies(self, tensor: Tensor, step: int) -> bool:
        """True where nothing needs ``tensor`` after ``step`` and its memory may be overwritten."""
        if tensor.lasts or tensor in self._program.outputs:
            return False
        first, last = self._runs[step]
        if self._last[tensor] != last or (
            first != last and not self._replaced_by_rows(tensor, step)
        ):
            return False
        return tensor not in self._slots or self._mode == IoMode.DONATED

    def _replaced_by_rows(self, tensor: Tensor, step: int) -> bool:
        """True where every row of ``tensor`` is dead before ``step`` writes the same row."""
        lowered = self._program.steps[step].lowered
        output = lowered.outputs[0]
        alike = (tensor.shape, tensor.layout) == (output.shape, output.layout)
        if not alike or tensor.ring_rows or output.ring_rows:
            return False
        done = 0
        for run in self._program.schedule:
            other = self._program.steps[run.step].lowered
            if tensor in other.inputs and run.rows and first_row(other, run.row0) < done:
                return False
            if tensor in other.inputs and not run.rows and done:
                return False
            if run.step == step:
                done = run.row0 + run.rows
        return True

    def _allowed(self, aliases: dict[Tensor, Tensor], output: Tensor) -> bool:
        """True where ``output`` may lie where its alias lies.

        Both are in the arena, or the alias is in a donated input that is large enough; an image
        that is not dense lies in the arena.
        """
        if output in self._slots or output.state:
            return False
        root = _root(aliases, output)
        dense = output.layout == Layout.DENSE
        return root not in self._slots or (dense and output.bytes <= root.bytes)

    def _buffers(self, aliases: dict[Tensor, Tensor]) -> tuple[list[Tensor], list[Buffer]]:
        """Buffers in the arena: first one for every root tensor, then those for scratch."""
        members: dict[Tensor, list[Tensor]] = {}
        for tensor in self._first:
            root = _root(aliases, tensor)
            if not tensor.lasts and root not in self._slots:
                members.setdefault(root, []).append(tensor)
        buffers = [self._buffer(group) for group in members.values()]
        buffers += [buffer for buffer, _ in self._scratch()]
        return list(members), buffers

    def _buffer(self, group: Sequence[Tensor]) -> Buffer:
        """What a chain of tensors that replace each other needs, in every run."""
        first = min(self._first[t] for t in group)
        last = max(self._last[t] for t in group)
        if len(group) == 1:
            return Buffer(align(group[0].bytes), first, last)
        sizes = [0] * (last - first + 1)
        for tensor in group:
            size = align(tensor.bytes)
            for run in range(self._first[tensor] - first, self._last[tensor] - first + 1):
                sizes[run] = max(sizes[run], size)
        several = len(set(sizes)) > 1
        return Buffer(max(sizes), first, last, tuple(sizes) if several else ())

    def _scratch(self) -> list[tuple[Buffer, list[int]]]:
        """Buffers for scratch, and the steps that use each.

        Steps whose runs alternate share one, which none of them needs longer than a run.
        """
        groups: list[tuple[Buffer, list[int]]] = []
        for step in sorted(self._runs, key=lambda step: self._runs[step]):
            size = align(self._program.steps[step].lowered.scratch_bytes)
            first, last = self._runs[step]
            if not size:
                continue
            if groups and groups[-1][0].last >= first:
                shared, steps = groups.pop()
                size, first = max(size, shared.bytes), shared.first
                groups.append((Buffer(size, first, max(last, shared.last)), [*steps, step]))
            else:
                groups.append((Buffer(size, first, last), [step]))
        return groups

    def peak(self, aliases: dict[Tensor, Tensor]) -> int:
        """Most bytes of the arena that are live at one run."""
        return max(self.live(aliases), default=0)

    def live(self, aliases: dict[Tensor, Tensor]) -> list[int]:
        """Bytes of the arena that are live at every run."""
        live = [0] * len(self._program.schedule)
        for buffer in self._buffers(aliases)[1]:
            for step in range(buffer.first, buffer.last + 1):
                live[step] += buffer.at(step)
        return live

    def _placement(
        self, tensor: Tensor, aliases: dict[Tensor, Tensor], offsets: dict[Tensor, int]
    ) -> Placement:
        root = _root(aliases, tensor)
        if tensor.is_const:
            storage, offset = Storage.CONST, 0
        elif tensor.state:
            storage, offset = Storage.STATE, 0
        elif root in self._slots:
            storage, offset = Storage.EXTERNAL, self._slots[root]
        else:
            storage, offset = Storage.ARENA, offsets[root]
        first, last = self._first[tensor], self._last[tensor]
        return Placement(storage, offset, first, last, aliases.get(tensor))

    def _scratch_offsets(self, offsets: Sequence[int]) -> tuple[int, ...]:
        """One offset per step, 0 where a step needs no scratch."""
        result = [0] * len(self._program.steps)
        for (_, steps), offset in zip(self._scratch(), offsets, strict=True):
            for step in steps:
                result[step] = offset
        return tuple(result)

    def _max_live(self, aliases: dict[Tensor, Tensor]) -> int:
        """Most tensors live in the arena at one step."""
        live = [0] * len(self._program.schedule)
        for tensor, first in self._first.items():
            if not tensor.lasts and _root(aliases, tensor) not in self._slots:
                for step in range(first, self._last[tensor] + 1):
                    live[step] += 1
        return max(live, default=0)


def _root(aliases: dict[Tensor, Tensor], tensor: Tensor) -> Tensor:
    """The first tensor of the chain that ``tensor`` is the end of."""
    while tensor in aliases:
        tensor = aliases[tensor]
    return tensor
