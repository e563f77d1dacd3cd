# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the scheduler's paths on a Cortex-M33, their goals and their budget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ranvier.testing import path_counts

ROOT = Path(__file__).resolve().parents[2]
BUDGET = Path(__file__).with_name("budget.json")


@dataclass(frozen=True)
class Row:
    """What is counted; ``own`` are the instructions of the test program and its port in it.

    ``peer`` is what SynapticOS v0.4.0 reports from the board for the like, in cycles.
    """

    name: str
    title: str
    own: int
    goal: int
    peer: str = "-"


PATHS = (
    Row("submit_to_step", "submit to first step, idle system", 36, 600),
    Row("takeover", "takeover: end of a step to the urgent job's first", 26, 300, "1,500"),
    Row("back", "return: end of the urgent job to the next step", 28, 300, "1,500"),
    Row("step_overhead", "between two steps of a job", 11, 80),
    Row("critical", "longest critical section", 0, 150),
    Row("arena_alloc", "arena allocation", 0, 40, "154 to 162"),
    Row("plan8", "first-fit plan of an 8-layer DAG", 0, 2700, "2,700"),
)


def measure() -> dict[str, int]:
    """The most instructions of every path. :class:`ToolError` where they cannot be counted."""
    folder = path_counts.build(ROOT, "sched")
    costs = path_counts.counts(ROOT, folder / "sched_cost.elf")
    empty, *sections = path_counts.counts(ROOT, folder / "sched_critical.elf")["critical"]
    most = {row.name: max(costs[row.name]) - row.own for row in PATHS if row.name in costs}
    most["critical"] = max(sections) - empty
    return {row.name: most[row.name] for row in PATHS}


def above_goal(measured: Mapping[str, int]) -> list[str]:
    """A line for each path that takes more than its goal."""
    return [
        f"{row.title}: {measured[row.name]:,} instructions, goal {row.goal:,}"
        for row in PATHS
        if measured[row.name] > row.goal
    ]
