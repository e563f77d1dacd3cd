# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the scheduler costs, in instructions, and how long a realtime job waits, as tables.

Writes RESULTS.md. Exit code 1: a goal is missed, ``--check`` found a growth, or a tool is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import sched_chart
import sched_costs
import sched_latency
from sched_latency import TITLES, Series

from ranvier.errors import RanvierError
from ranvier.testing import path_counts

RESULTS = Path(__file__).with_name("RESULTS.md")
_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# The scheduler's costs

Written by `benchmarks/sched/sched_bench.py`. All figures are counts of instructions under QEMU,
the same on every run; an instruction is not a cycle, and no board was measured.
"""
_COSTS = """\
## Paths of the core

`tests/cortexm/sched` on a Cortex-M33 (mps2-an505), `-Os`, without an operating system: the
core's code only, with three lanes, two models and no trace. The most of several turns; the test
program's own instructions in each region are taken off. The longest critical section is over
6,000 random calls on lanes of 32 jobs. *Peer*: what SynapticOS v0.4.0 reports from an MCXN947
at 150 MHz for the like, in cycles (a takeover there copies a context, 10 us; its plan takes 18
us), so a comparison of magnitudes.
"""
_LATENCY = """\
## Latency of a realtime job

`benchmarks/sched/latency`, a Zephyr application on `mps2/an521/cpu0` (Cortex-M33 without DSP)
under QEMU, `-icount`: time is executed instructions, also that of the timer whose interrupt
brings the realtime job, at 48 moments spread over a best-effort inference of the digits model.
Counted from the alarm's callback in that interrupt to the first step, so that Zephyr's part
(semaphore, return from interrupt, switch of threads) is in; the row of two priorities, which
has nothing else between, shows how much that is. Of jobs, the trace hook that notes their first
step is in too. Every result was equal to that of an undisturbed run.

Whole-inference calls are our own executor, `rnv_exec_run()` in each of two threads, each with
an arena and a stack: as an interpreter without takeover is used. With one priority, as behind a
mutex, the realtime inference waits for the end of the other. The cooperative driver has one
stack and waits for the end of a step; in slices (`--max-step-macs 12000`) for that of a slice.
With a thread per lane Zephyr preempts inside of a step, as it does with two priorities; what is
more than there is what jobs add: queue, deadline, completion, counters.
"""


def main() -> int:
    """Measure, print, write; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare with budget.json")
    parser.add_argument("--update-budget", action="store_true", help="write budget.json")
    parser.add_argument("--latency", action="store_true", help="measure latencies too, in Zephyr")
    options = parser.parse_args()
    try:
        measured = sched_costs.measure()
        failures = sched_costs.above_goal(measured)
        if options.update_budget:
            path_counts.write_budget(sched_costs.BUDGET, measured)
        if options.check:
            failures += path_counts.above_budget(
                measured, path_counts.read_budget(sched_costs.BUDGET)
            )
            print(costs_table(measured))
        else:
            latencies = _latencies(options.latency)
            text = report(measured, latencies)
            RESULTS.write_text(text, encoding="utf-8")
            print(text)
    except RanvierError as error:
        print(f"sched_bench: {error}", file=sys.stderr)
        return 1
    for failure in failures:
        print(f"sched_bench: TOO MUCH: {failure}", file=sys.stderr)
    return 1 if failures else 0


def _latencies(anew: bool) -> dict[str, Series] | None:
    if anew:
        series = sched_latency.measure()
        sched_latency.write(series)
        sched_chart.draw(series)
    return sched_latency.read()


def report(measured: Mapping[str, int], latencies: Mapping[str, Series] | None) -> str:
    """All tables."""
    parts = [_HEAD, _COSTS, costs_table(measured) + "\n"]
    if latencies is not None:
        parts += [_LATENCY, latency_table(latencies) + "\n", "![latency](latency.svg)\n"]
    return "\n".join(parts)


def costs_table(measured: Mapping[str, int]) -> str:
    """The paths beside their goals."""
    rows = [
        [row.title, f"{measured[row.name]:,}", f"{row.goal:,}", row.peer]
        for row in sched_costs.PATHS
    ]
    return table(["path", "instructions", "goal", "peer, cycles"], rows)


def latency_table(series: Mapping[str, Series]) -> str:
    """Least, mean and most, and what an inference takes that nothing disturbs."""
    rows = []
    for name, row in series.items():
        mean = round(sum(row.latencies) / len(row.latencies))
        figures = (min(row.latencies), mean, max(row.latencies), row.alone)
        rows.append([TITLES[name], *(f"{figure:,}" for figure in figures)])
    return table(["", "least", "mean", "most", "inference alone"], rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; all but the first column are numbers."""
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


if __name__ == "__main__":
    sys.exit(main())
