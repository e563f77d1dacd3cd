# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Where and how long every tensor of a program lives.

Decides the order of the steps, which outputs replace an input in place, and every offset in the
arena. A chain of tensors that replace each other is one buffer, as large as its largest member and
alive as long as any of them, so what the verifier demands of a same-alias holds by construction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ranvier.compiler.graph import Tensor
from ranvier.compiler.lower import Program, Step
from ranvier.compiler.order import Node, best_order
from ranvier.compiler.planner import Buffer, Plan, plan
from ranvier.errors import UnsupportedError
from ranvier.package.format import MAX_LIVE, align
from ranvier.package.records import IoMode, Storage


@dataclass(frozen=True)
class Placement:
    """A tensor's place; ``alias`` is the tensor that it replaces in place."""

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


def plan_memory(program: Program, mode: IoMode) -> MemoryPlan:
    """Order ``program`` and place its tensors for one input mode.

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
        layout = _Layout(ordered, mode)
        for aliases in (layout.chosen_aliases(), {}):
            if best is None or layout.peak(aliases) < best.arena_bytes:
                candidate = layout.placed(aliases)
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


def _orders(program: Program, mode: IoMode) -> Iterator[Program]:
    """The program as given and, if it differs, in the order with the lowest peak."""
    yield program
    outside = () if mode == IoMode.RESIDENT else (*program.inputs, *program.outputs)
    number: dict[Tensor, int] = {}
    sizes: list[int] = []

    def numbers(tensors: Sequence[Tensor]) -> tuple[int, ...]:
        for tensor in tensors:
            if tensor not in number:
                number[tensor] = len(sizes)
                sizes.append(0 if tensor.is_const or tensor in outside else align(tensor.bytes))
        return tuple(number[tensor] for tensor in tensors)

    nodes = [
        Node(
            reads=numbers(step.lowered.inputs),
            writes=numbers(step.lowered.outputs),
            scratch_bytes=align(step.lowered.scratch_bytes),
            replaceable=numbers([t for t in _replaceable(step) if t not in outside]),
        )
        for step in program.steps
    ]
    order = best_order(nodes, sizes, numbers(program.outputs))
    if list(order) != sorted(order):
        yield replace(program, steps=tuple(program.steps[i] for i in order))


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
        for index, step in enumerate(program.steps):
            for tensor in step.lowered.inputs:
                self._first.setdefault(tensor, 0)
                self._last[tensor] = index
            for tensor in step.lowered.outputs:
                self._first[tensor] = self._last[tensor] = index
        for tensor in program.outputs:
            self._last[tensor] = len(program.steps) - 1
        self._slots: dict[Tensor, int] = {}
        if mode != IoMode.RESIDENT:
            outside = (*program.inputs, *program.outputs)
            self._slots = {tensor: slot for slot, tensor in enumerate(outside)}

    def chosen_aliases(self) -> dict[Tensor, Tensor]:
        """Replacements in place, output to input.

        All that are possible but those that would keep so large a buffer alive that the peak rises.
        """
        aliases: dict[Tensor, Tensor] = {}
        for index, step in enumerate(self._program.steps):
            candidates = [t for t in _replaceable(step) if self._dies(t, index)]
            for tensor in sorted(candidates, key=lambda t: -t.bytes):
                aliases[step.lowered.outputs[0]] = tensor
                if self._allowed(aliases, step.lowered.outputs[0]):
                    break
                del aliases[step.lowered.outputs[0]]
        peak = self.peak(aliases)
        for output in list(aliases)[:_MOST_TRIED]:  # each costs a look at the whole plan
            fewer = {o: t for o, t in aliases.items() if o is not output}
            if self.peak(fewer) < peak:
                aliases, peak = fewer, self.peak(fewer)
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
        if tensor.is_const or tensor in self._program.outputs or self._last[tensor] != step:
            return False
        return tensor not in self._slots or self._mode == IoMode.DONATED

    def _allowed(self, aliases: dict[Tensor, Tensor], output: Tensor) -> bool:
        """True where ``output`` may lie where its alias lies.

        Both are in the arena, or the alias is in a donated input that is large enough.
        """
        if output in self._slots:
            return False
        root = _root(aliases, output)
        return root not in self._slots or output.bytes <= root.bytes

    def _buffers(self, aliases: dict[Tensor, Tensor]) -> tuple[list[Tensor], list[Buffer]]:
        """Buffers in the arena: first one for every root tensor, then one per step's scratch."""
        members: dict[Tensor, list[Tensor]] = {}
        for tensor in self._first:
            root = _root(aliases, tensor)
            if not tensor.is_const and root not in self._slots:
                members.setdefault(root, []).append(tensor)
        buffers = [
            Buffer(
                align(max(t.bytes for t in group)),
                min(self._first[t] for t in group),
                max(self._last[t] for t in group),
            )
            for group in members.values()
        ]
        buffers += [
            Buffer(align(step.lowered.scratch_bytes), index, index)
            for index, step in enumerate(self._program.steps)
            if step.lowered.scratch_bytes
        ]
        return list(members), buffers

    def peak(self, aliases: dict[Tensor, Tensor]) -> int:
        """Most bytes of the arena that are live at one step."""
        live = [0] * len(self._program.steps)
        for buffer in self._buffers(aliases)[1]:
            for step in range(buffer.first, buffer.last + 1):
                live[step] += buffer.bytes
        return max(live, default=0)

    def _placement(
        self, tensor: Tensor, aliases: dict[Tensor, Tensor], offsets: dict[Tensor, int]
    ) -> Placement:
        root = _root(aliases, tensor)
        if tensor.is_const:
            storage, offset = Storage.CONST, 0
        elif root in self._slots:
            storage, offset = Storage.EXTERNAL, self._slots[root]
        else:
            storage, offset = Storage.ARENA, offsets[root]
        first, last = self._first[tensor], self._last[tensor]
        return Placement(storage, offset, first, last, aliases.get(tensor))

    def _scratch_offsets(self, offsets: Sequence[int]) -> tuple[int, ...]:
        """One offset per step, 0 where a step needs no scratch."""
        remaining = iter(offsets)
        return tuple(
            next(remaining) if step.lowered.scratch_bytes else 0 for step in self._program.steps
        )

    def _max_live(self, aliases: dict[Tensor, Tensor]) -> int:
        """Most tensors live in the arena at one step."""
        live = [0] * len(self._program.steps)
        for tensor, first in self._first.items():
            if not tensor.is_const and _root(aliases, tensor) not in self._slots:
                for step in range(first, self._last[tensor] + 1):
                    live[step] += 1
        return max(live, default=0)


def _root(aliases: dict[Tensor, Tensor], tensor: Tensor) -> Tensor:
    """The first tensor of the chain that ``tensor`` is the end of."""
    while tensor in aliases:
        tensor = aliases[tensor]
    return tensor
