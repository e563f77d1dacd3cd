# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a ring and a second core's request cost, in instructions of both sides' code, as a table.

Writes SERVICE.md. Exit code 1: a goal is missed, ``--check`` found a growth, or a tool is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ranvier.errors import RanvierError
from ranvier.testing import path_counts

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("SERVICE.md")
BUDGET = Path(__file__).with_name("service_budget.json")
_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# What a second core's request costs

Written by `benchmarks/ipc/service_bench.py`. Exact counts of instructions under QEMU, the same on
every run; an instruction is not a cycle, and no board was measured.

`tests/cortexm/ipc` on a Cortex-M33 (mps2-an505), `-Os`: the client's code and the server's, called
one after the other, the most of several turns, callbacks and doorbells in, which set a variable. Of
push and pop also the calls and returns are in, the loading of their arguments is not. Not in: the
entry of an interrupt or the switch of a thread on either side, and what a port's doorbell
takes. Parts are the most of each for itself, so they may add up to more than the whole.

*Peer*: what SynapticOS v0.4.0 reports from an MCXN947 at 150 MHz for the like: 41 ticks of its
clock, and 15 us, which are 2,250 cycles. Its interrupts are in that, so it is a comparison of
magnitudes.
"""
_TAIL = """\
The producer looks at the consumer's index at its limit only: where the ring was full when it looked
last, or the ring's memory ends. Where each message is popped at once that is once in as many as the
ring has entries, so on average a message takes
{means}{verdict}.

An inference is a request, its job on an idle scheduler with four steps whose kernel does nothing,
and the answer. It takes as many instructions with 1 byte of input as with 27,648: nothing is
copied, and the test fails where the two differ.
"""


@dataclass(frozen=True)
class Row:
    """What is counted."""

    name: str
    title: str
    goal: int | None = None
    peer: str = "-"
    program: str = "service_cost"


PATHS = (
    Row("push_pop", "push and pop of a message", 40, "41 ticks", "ring_cost"),
    Row("push_pop_look", "- the same, the producer at its limit", program="ring_cost"),
    Row("status", "status, round trip", 900, "2,250 cycles"),
    Row("status_client", "- the client asks"),
    Row("status_server", "- the server's poll"),
    Row("status_answer", "- the client's poll"),
    Row("look_up", "look-up of a model by its name"),
    Row("infer_small", "inference, 1 byte of input"),
    Row("infer_large", "inference, 27,648 bytes of input"),
    Row("idle_client", "the client's poll, nothing to do"),
    Row("idle_server", "the server's poll, nothing to do"),
)


#: Sizes of rings that averages are told of.
ENTRIES = (16, 8, 4)


def main() -> int:
    """Measure, print, write; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help=f"only compare with {BUDGET.name}")
    parser.add_argument("--update-budget", action="store_true", help=f"write {BUDGET.name}")
    options = parser.parse_args()
    try:
        measured = measure()
        failures = above_goal(measured)
        if options.update_budget:
            path_counts.write_budget(BUDGET, measured)
        if options.check:
            failures += path_counts.above_budget(measured, path_counts.read_budget(BUDGET))
        else:
            tail = _TAIL.format(means=means(measured), verdict=verdict(measured))
            text = "\n".join([_HEAD, table(measured) + "\n", tail])
            RESULTS.write_text(text, encoding="utf-8")
        print(table(measured))
    except RanvierError as error:
        print(f"service_bench: {error}", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"service_bench: TOO MUCH: {failure}", file=sys.stderr)
    return 1 if failures else 0


def measure() -> dict[str, int]:
    """The most instructions of every path. :class:`ToolError` where they cannot be counted."""
    folder = path_counts.build(ROOT, "ipc")
    counts = {
        name: path_counts.counts(ROOT, folder / f"{name}.elf")
        for name in ("ring_cost", "service_cost")
    }
    # The region `arguments` has calls and returns, too, of two empty functions.
    own = {
        "ring_cost": max(counts["ring_cost"]["arguments"]) - 4,
        "service_cost": max(counts["service_cost"]["empty"]),
    }
    return {row.name: max(counts[row.program][row.name]) - own[row.program] for row in PATHS}


def above_goal(measured: Mapping[str, int]) -> list[str]:
    """A line for each path that takes more than its goal, and one if payload is copied."""
    lines = [
        f"{row.title}: {measured[row.name]:,} instructions, goal {row.goal:,}"
        for row in PATHS
        if row.goal is not None and measured[row.name] > row.goal
    ]
    if measured["infer_small"] != measured["infer_large"]:
        lines.append("an inference's instructions depend on the bytes of its input")
    return lines


def mean(measured: Mapping[str, int], entries: int) -> float:
    """What push and pop take on average in a ring of so many entries."""
    usual, at_limit = measured["push_pop"], measured["push_pop_look"]
    return usual + (at_limit - usual) / entries


def means(measured: Mapping[str, int]) -> str:
    """The average for some sizes."""
    return ", ".join(f"{mean(measured, n):.1f} with {n} entries" for n in ENTRIES)


def verdict(measured: Mapping[str, int]) -> str:
    """Where the average misses the goal."""
    goal = next(row.goal for row in PATHS if row.name == "push_pop") or 0
    missed = [n for n in ENTRIES if mean(measured, n) > goal]
    if not missed:
        return ""
    return f": above the goal of {goal} with {' and '.join(map(str, missed))}"


def table(measured: Mapping[str, int]) -> str:
    """The paths beside their goals, in Markdown."""
    lines = ["| path | instructions | goal | peer |", "|---|---:|---:|---:|"]
    for row in PATHS:
        goal = "-" if row.goal is None else f"{row.goal:,}"
        lines.append(f"| {row.title} | {measured[row.name]:,} | {goal} | {row.peer} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
