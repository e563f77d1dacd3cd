# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The order of execution with the lowest peak of live bytes.

The set of executed nodes decides which values are live, so orders are paths through such sets and
the best order is the path whose worst step is smallest: a bottleneck shortest path, searched with
Dijkstra's algorithm. Branches that rejoin keep the number of sets small; where the search exceeds
its budget, a greedy order is taken instead. The given order wins every tie.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field

_BUDGET = 100_000
"""Extensions of a set by one node that the search may look at: about a second."""


@dataclass(frozen=True)
class Node:
    """Something to execute: the values it reads and writes, by number.

    ``replaceable`` are values that the first written one may replace in place if they die here.
    """

    reads: tuple[int, ...]
    writes: tuple[int, ...]
    scratch_bytes: int = 0
    replaceable: tuple[int, ...] = ()


def best_order(
    nodes: Sequence[Node],
    sizes: Sequence[int],
    outputs: Sequence[int] = (),
    budget: int = _BUDGET,
) -> tuple[int, ...]:
    """Positions of ``nodes``, which are in a valid order, in an order with a low peak.

    ``sizes`` are the bytes of every value, 0 for those that do not count. ``outputs`` are live to
    the end. Values that no node writes are live from the start to their last reader. Exact unless
    the search exceeds ``budget``.
    """
    search = _Search(nodes, sizes, outputs)
    given = tuple(range(len(nodes)))
    limit = search.peak(given)
    if limit <= search.floor():
        return given
    found = search.exact(limit, budget) or search.greedy()
    return found if search.peak(found) < limit else given


@dataclass
class _Search:
    nodes: Sequence[Node]
    sizes: Sequence[int]
    outputs: Sequence[int]
    needs: list[int] = field(init=False)
    """For every node the set, as bits, of the nodes that must come before it."""
    readers: list[int] = field(init=False)
    """For every value the set of the nodes that read it, with an impossible one for outputs."""
    start_bytes: int = field(init=False)

    def __post_init__(self) -> None:
        writer = {value: i for i, node in enumerate(self.nodes) for value in node.writes}
        self.needs = []
        self.readers = [0] * len(self.sizes)
        for i, node in enumerate(self.nodes):
            self.needs.append(0)
            for value in node.reads:
                self.readers[value] |= 1 << i
                if value in writer:
                    self.needs[i] |= 1 << writer[value]
        self.start_bytes = sum(
            size
            for value, size in enumerate(self.sizes)
            if value not in writer and self.readers[value]
        )
        for value in self.outputs:
            self.readers[value] |= 1 << len(self.nodes)

    def ready(self, done: int) -> list[int]:
        return [i for i, needs in enumerate(self.needs) if not done >> i & 1 and needs & ~done == 0]

    def execute(self, done: int, live: int, i: int) -> tuple[int, int]:
        """Live bytes while node ``i`` runs after the nodes ``done``, and after it."""
        node = self.nodes[i]
        after = done | 1 << i
        dying = [v for v in dict.fromkeys(node.reads) if not self.readers[v] & ~after]
        written = sum(self.sizes[v] for v in node.writes)
        unread = sum(self.sizes[v] for v in node.writes if not self.readers[v])
        saved = max((self.sizes[v] for v in node.replaceable if v in dying), default=0)
        saved = min(saved, self.sizes[node.writes[0]] if node.writes else 0)
        during = live + written + node.scratch_bytes - saved
        return during, live + written - unread - sum(self.sizes[v] for v in dying)

    def floor(self) -> int:
        """What no order can go below: the start, and what each node needs for itself."""
        needs = [self.start_bytes]
        for i, node in enumerate(self.nodes):
            others = ((1 << len(self.nodes)) - 1) & ~(1 << i)
            reads = sum(self.sizes[value] for value in set(node.reads))
            needs.append(self.execute(others, reads, i)[0])
        return max(needs)

    def peak(self, order: Sequence[int]) -> int:
        done, live, peak = 0, self.start_bytes, self.start_bytes
        for i in order:
            during, live = self.execute(done, live, i)
            peak = max(peak, during)
            done |= 1 << i
        return peak

    def greedy(self) -> tuple[int, ...]:
        """Always the node that needs least now, then that leaves least, then the earliest."""
        done, live = 0, self.start_bytes
        order: list[int] = []
        while len(order) < len(self.nodes):
            costs = [(*self.execute(done, live, i), i) for i in self.ready(done)]
            _, live, i = min(costs)
            done |= 1 << i
            order.append(i)
        return tuple(order)

    def exact(self, limit: int, budget: int) -> tuple[int, ...] | None:
        """The order with the lowest peak below ``limit``; None where there is none in reach."""
        goal = (1 << len(self.nodes)) - 1
        best = {0: self.start_bytes}
        came: dict[int, tuple[int, int]] = {}
        closed: set[int] = set()
        # Among equal peaks the set with most nodes first, then the one found first.
        heap = [(self.start_bytes, 0, 0, 0, self.start_bytes)]
        pushed = 0
        while heap:
            peak, executed, _, done, live = heapq.heappop(heap)
            if done == goal:
                return self._path(came, goal)
            if done in closed:
                continue
            closed.add(done)
            ready = self.ready(done)
            budget -= len(ready)
            if budget < 0:
                return None
            for i in ready:
                during, left = self.execute(done, live, i)
                after, worst = done | 1 << i, max(peak, during)
                if worst < best.get(after, limit):
                    best[after] = worst
                    came[after] = (done, i)
                    pushed += 1
                    heapq.heappush(heap, (worst, executed - 1, pushed, after, left))
        return None

    @staticmethod
    def _path(came: dict[int, tuple[int, int]], goal: int) -> tuple[int, ...]:
        order: list[int] = []
        while goal:
            goal, i = came[goal]
            order.append(i)
        return tuple(reversed(order))
