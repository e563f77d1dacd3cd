# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Memory planning: offsets for buffers of known size and lifetime, with as low a peak as can be.

A buffer is a size and a range of steps in which it is live, both ends inclusive. Two buffers that
are live in one step must not overlap. Finding the lowest peak is the *dynamic storage allocation*
problem, which is NP-hard, so :func:`plan` goes in three stages and stops as soon as the peak meets
the lower bound (no plan can need less than what is live in one step):

1. first fit over several orders (after Pisarchyk and Lee, "Efficient Memory Management
   for Deep Neural Net Inference", 2020);
2. a branch and bound over plans in which every buffer rests on another one or on the base. Where it
   ends within its budget the plan is proven optimal, which up to about 20 buffers is the rule;
3. where it does not, a local search over orders for first fit.

Budgets are counts of work done, never times, and no choice depends on chance: a plan is the same
on every machine. :func:`first_fit` is the planner of the C core (``ranvier/plan.h``), offset for
offset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ranvier.errors import RanvierError
from ranvier.package.format import align

_SEARCH_BUFFERS = 40
"""Most buffers for which the branch and bound is tried."""

_SEARCH_BUDGET = 200_000
"""Buffers that the branch and bound may look at: a second or less."""

_IMPROVE_BUDGET = 4_000_000
"""Neighbours that the local search may look at, over all placements: a few seconds or less."""


@dataclass(frozen=True)
class Buffer:
    """``bytes`` to hold in the steps ``first`` to ``last``, inclusive.

    Where a buffer needs less in some steps, ``sizes`` has what it needs in each of them, from its
    start on; ``bytes`` is then the most.
    """

    bytes: int
    first: int
    last: int
    sizes: tuple[int, ...] = ()

    def at(self, step: int) -> int:
        """Bytes needed in a step in which the buffer is live."""
        return self.sizes[step - self.first] if self.sizes else self.bytes


@dataclass(frozen=True)
class Plan:
    """Where each buffer lies.

    ``offsets`` are in the order of the buffers; they and ``peak``, the memory needed, are multiples
    of the package's alignment. No plan can need less than ``lower_bound``: the largest sum over all
    steps of what is live, each size rounded up to the alignment. ``exact`` is True where no plan
    with a lower peak exists, either since the peak is the lower bound or since a search proved it.
    """

    offsets: tuple[int, ...]
    peak: int
    lower_bound: int
    exact: bool

    @property
    def gap(self) -> int:
        """Bytes between the peak and the lower bound."""
        return self.peak - self.lower_bound


def plan(buffers: Sequence[Buffer]) -> Plan:
    """Give every buffer an offset such that the peak is the lowest, or near it.

    A buffer of zero bytes occupies nothing and is given offset 0. Raises :class:`RanvierError` for
    a negative size or a range that ends before it begins.
    """
    problem = _Problem(buffers)
    best = min((_place(problem, order) for order in _orders(problem)), key=lambda p: p.peak)
    proven = best.peak == problem.lower_bound
    if not proven and len(problem.live) <= _SEARCH_BUFFERS:
        search = _Search(problem, best)
        proven = search.run()
        best = search.best
    if not proven:
        best = _improve(problem, best)
    return problem.finish(best, proven)


def quick_peak(buffers: Sequence[Buffer]) -> int:
    """The peak of a plan that takes little time to find: that of the first stage."""
    problem = _Problem(buffers)
    return min(_place(problem, order).peak for order in _orders(problem))


def first_fit(buffers: Sequence[Buffer]) -> Plan:
    """Plan by the rule of ``rnv_plan_first_fit`` (``ranvier/plan.h``).

    The largest buffer first (by unrounded size, equal ones as they come), each at the lowest
    aligned offset where it overlaps no buffer placed before that is live in a common step.
    """
    problem = _Problem(buffers)
    order = sorted(problem.live, key=lambda i: -buffers[i].bytes)
    return problem.finish(_place(problem, order), proven=False)


@dataclass(frozen=True)
class _Placement:
    """Offsets of the buffers that have bytes, in the order in which they were placed."""

    order: tuple[int, ...]
    offsets: dict[int, int]
    peak: int


class _Problem:
    """The checked input: rounded sizes, who is live together with whom, and when.

    Only ``live`` buffers, those with bytes, take part in planning.
    """

    def __init__(self, buffers: Sequence[Buffer]) -> None:
        _check(buffers)
        self.buffers = buffers
        self.live = [i for i, buffer in enumerate(buffers) if buffer.bytes > 0]
        self.size = [align(buffer.bytes) for buffer in buffers]
        self.neighbours: list[dict[int, int]] = [{} for _ in buffers]
        """For each buffer those that are live with it, and its own size while they are."""
        for at, i in enumerate(self.live):
            for j in self.live[:at]:
                first = max(buffers[i].first, buffers[j].first)
                last = min(buffers[i].last, buffers[j].last)
                if first <= last:
                    self.neighbours[i][j] = _most(buffers[i], first, last)
                    self.neighbours[j][i] = _most(buffers[j], first, last)
        self.groups = self._live_groups()
        self.lower_bound = max((sum(group.values()) for group in self.groups), default=0)

    def _live_groups(self) -> list[dict[int, int]]:
        """What is live together in a step, with its size, where that is no part of another's."""
        steps = {self.buffers[i].first for i in self.live}
        for i in self.live:
            first = self.buffers[i].first
            steps.update(range(first, first + len(self.buffers[i].sizes)))
        groups: list[dict[int, int]] = []
        for step in sorted(steps):
            group = {
                i: align(self.buffers[i].at(step))
                for i in self.live
                if self.buffers[i].first <= step <= self.buffers[i].last
            }
            if groups and _is_part(groups[-1], group):
                groups.pop()
            if not groups or not _is_part(group, groups[-1]):
                groups.append(group)
        return groups

    def finish(self, placement: _Placement, proven: bool) -> Plan:
        """The placement as a plan for all buffers."""
        return Plan(
            offsets=tuple(placement.offsets.get(i, 0) for i in range(len(self.buffers))),
            peak=placement.peak,
            lower_bound=self.lower_bound,
            exact=proven or placement.peak == self.lower_bound,
        )


def _most(buffer: Buffer, first: int, last: int) -> int:
    """The rounded size of a buffer in the steps ``first`` to ``last``."""
    if not buffer.sizes:
        return align(buffer.bytes)
    return align(max(buffer.sizes[first - buffer.first : last - buffer.first + 1]))


def _is_part(group: dict[int, int], other: dict[int, int]) -> bool:
    return all(size <= other.get(i, -1) for i, size in group.items())


def _check(buffers: Sequence[Buffer]) -> None:
    """Raises for whatever is not a planning problem."""
    for i, buffer in enumerate(buffers):
        if buffer.bytes < 0:
            raise RanvierError(
                f"memory plan: buffer {i} has {buffer.bytes} bytes", "a size of zero or more"
            )
        if buffer.last < buffer.first:
            raise RanvierError(
                f"memory plan: buffer {i} is live from step {buffer.first} to {buffer.last}",
                "a last step that is not before the first",
            )


def _orders(problem: _Problem) -> list[list[int]]:
    """Orders to place the buffers in; the lowest peak of them is a good one as a rule."""
    buffers, size = problem.buffers, problem.size

    def steps(i: int) -> int:
        return buffers[i].last - buffers[i].first + 1

    def pressure(i: int) -> int:
        return sum(size[j] for j in problem.neighbours[i])

    return [
        sorted(problem.live, key=lambda i: -buffers[i].bytes),
        sorted(problem.live, key=lambda i: (-size[i], buffers[i].first)),
        sorted(problem.live, key=lambda i: (-size[i] * steps(i), i)),
        sorted(problem.live, key=lambda i: (-steps(i), -size[i])),
        sorted(problem.live, key=lambda i: (buffers[i].first, -size[i])),
        sorted(problem.live, key=lambda i: (-buffers[i].last, -size[i])),
        sorted(problem.live, key=lambda i: (-size[i] - pressure(i), -size[i])),
        _by_breadth(problem),
    ]


def _by_breadth(problem: _Problem) -> list[int]:
    """The fullest steps first, in each the largest buffers first."""
    order: dict[int, None] = {}
    for group in sorted(problem.groups, key=lambda g: -sum(g.values())):
        order.update(dict.fromkeys(sorted(group, key=lambda i: -problem.size[i])))
    return list(order)


def _place(problem: _Problem, order: Sequence[int]) -> _Placement:
    """Place the buffers in order, each in the lowest gap that is large enough."""
    offsets: dict[int, int] = {}
    peak = 0
    for i in order:
        offset = _lowest_gap(problem, i, offsets)
        offsets[i] = offset
        peak = max(peak, offset + problem.size[i])
    return _Placement(tuple(order), offsets, peak)


def _lowest_gap(problem: _Problem, i: int, offsets: dict[int, int]) -> int:
    """The lowest offset of ``i`` beside the placed buffers that are live with it."""
    beside = problem.neighbours[i]
    placed = sorted(
        (offsets[j], problem.neighbours[j][i], beside[j]) for j in beside if j in offsets
    )
    offset = 0
    above = True
    while above:
        above = False
        for start, theirs, ours in placed:
            if start < offset + ours and offset < start + theirs:
                offset = start + theirs
                above = True
    return offset


class _Search:
    """Branch and bound for a lower peak than that of a known placement.

    Pushed down as far as it goes, any plan becomes one in which every buffer rests on the base or
    on another buffer, and that is what placing the buffers by ascending (offset, index), each on
    top of what is below it, gives. So only such sequences are tried. A branch ends where, in some
    step, what is placed and what is still to be placed there add up to the best known peak, where
    a buffer can no longer come to rest in sequence, or where an equal state was seen before.
    """

    def __init__(self, problem: _Problem, best: _Placement) -> None:
        self.problem = problem
        self.best = best
        self._budget = _SEARCH_BUDGET
        self._columns: list[list[int]] = [[] for _ in problem.buffers]
        for column, group in enumerate(problem.groups):
            for i in group:
                self._columns[i].append(column)
        self._height = [0] * len(problem.groups)
        self._left = [sum(group.values()) for group in problem.groups]
        self._offsets: dict[int, int] = {}
        self._seen: set[tuple[object, ...]] = set()

    def run(self) -> bool:
        """Search; returns whether ``best`` is proven to be optimal."""
        self._descend(set(self.problem.live), (0, -1))
        return self._budget > 0

    def _descend(self, waiting: set[int], last: tuple[int, int]) -> None:
        if not waiting:
            peak = max(self._height)
            self.best = _Placement(tuple(self._offsets), dict(self._offsets), peak)
            return
        for offset, _, i in self._candidates(waiting, last):
            if self._budget <= 0 or self.best.peak == self.problem.lower_bound:
                return
            if offset + self.problem.size[i] >= self.best.peak:
                continue
            heights = [self._height[column] for column in self._columns[i]]
            self._stack(i, offset)
            waiting.remove(i)
            if self._is_promising(waiting, offset, i):
                self._descend(waiting, (offset, i))
            waiting.add(i)
            self._unstack(i, heights)

    def _candidates(self, waiting: set[int], last: tuple[int, int]) -> list[tuple[int, int, int]]:
        """(offset, -size, index) of what may come next; none where a buffer has missed its turn."""
        found = []
        for i in waiting:
            offset = max(self._height[column] for column in self._columns[i])
            if (offset, i) > last:
                found.append((offset, -self.problem.size[i], i))
            elif not any(j in waiting for j in self.problem.neighbours[i]):
                return []
        self._budget -= len(waiting)
        return sorted(found)

    def _stack(self, i: int, offset: int) -> None:
        self._offsets[i] = offset
        for column in self._columns[i]:
            size = self.problem.groups[column][i]
            self._height[column] = offset + size
            self._left[column] -= size

    def _unstack(self, i: int, heights: Sequence[int]) -> None:
        del self._offsets[i]
        for column, height in zip(self._columns[i], heights, strict=True):
            self._height[column] = height
            self._left[column] += self.problem.groups[column][i]

    def _is_promising(self, waiting: set[int], floor: int, last: int) -> bool:
        """Whether a lower peak is still possible, and this state is new."""
        limit = self.best.peak
        for height, left in zip(self._height, self._left, strict=True):
            if left and max(height, floor) + left >= limit:
                return False
        heights = tuple(h if left else 0 for h, left in zip(self._height, self._left, strict=True))
        state = (frozenset(waiting), heights, floor, last)
        if state in self._seen:
            return False
        self._seen.add(state)
        return True


def _improve(problem: _Problem, best: _Placement) -> _Placement:
    """Local search over orders for first fit.

    As long as it leads to new orders, a buffer at the peak is moved to the front. From the best
    order so found, buffers at the peak are moved forward or any two exchanged, in a fixed
    pseudo-random sequence, and what is no worse is kept.
    """
    current, order = best, best.order
    seen = set()
    budget = _IMPROVE_BUDGET // (1 + sum(1 + len(problem.neighbours[i]) for i in order))
    while order not in seen and budget > 0:
        seen.add(order)
        top = _at_peak(problem, current)[0]
        order = (top, *(i for i in order if i != top))
        current = _place(problem, order)
        budget -= 1
        if current.peak < best.peak:
            best = current
    sequence = Random(1)
    while best.peak > problem.lower_bound and budget > 0:
        order = _moved(best.order, _at_peak(problem, best), sequence)
        current = _place(problem, order)
        budget -= 1
        if current.peak <= best.peak:
            best = current
    return best


def _at_peak(problem: _Problem, placement: _Placement) -> list[int]:
    return [i for i, at in placement.offsets.items() if at + problem.size[i] == placement.peak]


def _moved(order: Sequence[int], tops: Sequence[int], sequence: Random) -> tuple[int, ...]:
    """The order with a buffer of ``tops`` further ahead, or with two buffers exchanged.

    Uses no more of :class:`Random` than ``random()``, which gives the same numbers for ever.
    """
    moved = list(order)
    if sequence.random() < 0.5:
        top = tops[int(sequence.random() * len(tops))]
        at = moved.index(top)
        del moved[at]
        moved.insert(int(sequence.random() * (at + 1)), top)
    else:
        one = int(sequence.random() * len(moved))
        two = int(sequence.random() * len(moved))
        moved[one], moved[two] = moved[two], moved[one]
    return tuple(moved)
