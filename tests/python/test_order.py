# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The order of execution, against every possible order of small graphs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

import pytest

from ranvier.compiler.order import Node, best_order


def simulated_peak(
    nodes: Sequence[Node], sizes: Sequence[int], outputs: Sequence[int], order: Sequence[int]
) -> int:
    """Peak of live bytes by sets of values, step for step: nothing shared with the search."""
    written = {value for node in nodes for value in node.writes}
    read = {value for node in nodes for value in node.reads}
    live = {value for value in read if value not in written}
    peak = sum(sizes[value] for value in live)
    for at, i in enumerate(order):
        later = {value for j in order[at + 1 :] for value in nodes[j].reads} | set(outputs)
        node = nodes[i]
        need = sum(sizes[value] for value in live | set(node.writes)) + node.scratch_bytes
        replaced = [sizes[value] for value in node.replaceable if value not in later]
        if replaced and node.writes:
            need -= min(max(replaced), sizes[node.writes[0]])
        peak = max(peak, need)
        live = {value for value in live | set(node.writes) if value in later}
    return peak


def valid_orders(nodes: Sequence[Node]) -> Iterator[tuple[int, ...]]:
    writer = {value: i for i, node in enumerate(nodes) for value in node.writes}
    for order in itertools.permutations(range(len(nodes))):
        place = {i: at for at, i in enumerate(order)}
        if all(
            place[writer[value]] < place[i]
            for i, node in enumerate(nodes)
            for value in node.reads
            if value in writer
        ):
            yield order


def random_graph(seed: int) -> tuple[list[Node], list[int], list[int]]:
    rng = random.Random(seed)
    count = rng.randint(1, 6)
    sizes = [16 * rng.randint(0, 20) for _ in range(count + 1)]
    nodes = []
    for i in range(count):
        reads = tuple(rng.choices(range(i + 1), k=rng.randint(1, 2)))
        replaceable = tuple(value for value in dict.fromkeys(reads) if rng.random() < 0.3)
        nodes.append(Node(reads, (i + 1,), rng.choice([0, 0, 64]), replaceable))
    read = {value for node in nodes for value in node.reads}
    ends = [value for value in range(1, count + 1) if value not in read]
    outputs = [value for value in ends if rng.random() < 0.8]
    outputs += [value for value in range(1, count + 1) if value in read and rng.random() < 0.1]
    return nodes, sizes, outputs


@pytest.mark.parametrize("seed", range(150))
def test_lowest_peak_of_all_orders(seed: int) -> None:
    nodes, sizes, outputs = random_graph(seed)
    orders = list(valid_orders(nodes))
    lowest = min(simulated_peak(nodes, sizes, outputs, order) for order in orders)
    order = best_order(nodes, sizes, outputs)
    assert order in orders
    assert simulated_peak(nodes, sizes, outputs, order) == lowest


def branches() -> tuple[list[Node], list[int]]:
    """Two branches, expanded and reduced; given in an order that expands both first."""
    nodes = [
        Node((0,), (1,)),
        Node((0,), (2,)),
        Node((1,), (3,)),
        Node((2,), (4,)),
        Node((3, 4), (5,)),
    ]
    return nodes, [16, 1600, 1600, 16, 16, 16]


def test_reorders_branches() -> None:
    nodes, sizes = branches()
    assert simulated_peak(nodes, sizes, [5], range(5)) == 3216
    order = best_order(nodes, sizes, [5])
    assert simulated_peak(nodes, sizes, [5], order) == 1632


def test_greedy_beyond_the_budget() -> None:
    nodes, sizes = branches()
    order = best_order(nodes, sizes, [5], budget=0)
    assert order in list(valid_orders(nodes))
    assert simulated_peak(nodes, sizes, [5], order) == 1632


def test_given_order_wins_a_tie() -> None:
    nodes = [Node((0,), (1,)), Node((0,), (2,)), Node((2, 1), (3,))]
    assert best_order(nodes, [16] * 4, [3]) == (0, 1, 2)


def test_greedy_is_not_taken_when_worse() -> None:
    """The cheapest first step leads to a worse peak than the given order."""
    nodes = [
        Node((0,), (1,)),
        Node((1,), (2,)),
        Node((0,), (3,)),
        Node((2, 3), (4,)),
    ]
    sizes = [160, 320, 16, 160, 16]
    best = min(simulated_peak(nodes, sizes, [4], order) for order in valid_orders(nodes))
    order = best_order(nodes, sizes, [4], budget=1)
    assert simulated_peak(nodes, sizes, [4], order) == best


def block(start: int) -> tuple[list[Node], list[int]]:
    """A wide branch and one that ends large; the cheapest first step is the wrong branch's.

    Given with the second branch first, which must wait until the wide one is done.
    """
    one, wide, narrow, other, large, end = range(start + 1, start + 7)
    nodes = [
        Node((start,), (other,)),
        Node((other,), (large,)),
        Node((start,), (one,)),
        Node((one,), (wide,)),
        Node((wide,), (narrow,)),
        Node((narrow, large), (end,)),
    ]
    return nodes, [32, 1600, 32, 48, 160, 16]


def test_blocks_stay_within_the_budget() -> None:
    """Sets of executed nodes add up over blocks that rejoin, they do not multiply."""
    nodes: list[Node] = []
    sizes = [16]
    for _ in range(40):
        more, more_sizes = block(len(sizes) - 1)
        nodes += more
        sizes += more_sizes
    outputs = [len(sizes) - 1]
    assert simulated_peak(nodes, sizes, outputs, range(len(nodes))) == 1792
    order = best_order(nodes, sizes, outputs, budget=1500)
    assert simulated_peak(nodes, sizes, outputs, order) == 1648
    assert best_order(nodes, sizes, outputs, budget=0) == tuple(range(len(nodes)))


def test_empty() -> None:
    assert best_order([], []) == ()
