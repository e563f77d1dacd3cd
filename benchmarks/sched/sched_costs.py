# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the scheduler's paths on a Cortex-M33, their goals and their budget."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[2]
BUDGET = Path(__file__).with_name("budget.json")
#: Instructions may grow by this fraction.
TOLERANCE = 0.02
_TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
_PLUGIN = ROOT / "benchmarks/cortexm/icount/icount.c"


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
    folder = _build()
    costs = _counts(folder / "sched_cost.elf")
    empty, *sections = _counts(folder / "sched_critical.elf")["critical"]
    most = {row.name: max(costs[row.name]) - row.own for row in PATHS if row.name in costs}
    most["critical"] = max(sections) - empty
    return {row.name: most[row.name] for row in PATHS}


def _build() -> Path:
    missing = cortexm.missing_tool()
    if missing is not None:
        raise ToolError(missing)
    folder = ROOT / "build" / "sched" / "m33"
    folder.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", str(ROOT / "tests/cortexm/sched"), "-B", str(folder), "-G", "Ninja"]
    configure += ["-DRNV_CPU=m33", "-DCMAKE_BUILD_TYPE=MinSizeRel"]
    configure.append(f"-DCMAKE_TOOLCHAIN_FILE={_TOOLCHAIN}")
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(folder)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ToolError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return folder


def _counts(program: Path) -> Mapping[str, tuple[int, ...]]:
    result = qemu.run(program, "m33", counter=qemu.Counter(_PLUGIN)).check()
    if result.granularity != 1.0 or not result.counts:
        raise ToolError(f"no exact counts of {program.name}: {result.count_note}")
    return result.counts


def above_goal(measured: Mapping[str, int]) -> list[str]:
    """A line for each path that takes more than its goal."""
    return [
        f"{row.title}: {measured[row.name]:,} instructions, goal {row.goal:,}"
        for row in PATHS
        if measured[row.name] > row.goal
    ]


def above_budget(measured: Mapping[str, int], budget: Mapping[str, int]) -> list[str]:
    """A line for each path that takes more than before, or that one of the two lacks."""
    lines = []
    for name in dict.fromkeys((*budget, *measured)):
        before, now = budget.get(name), measured.get(name)
        if before is None or now is None:
            lines.append(f"{name}: is not in {'the budget' if before is None else 'the results'}")
        elif now > before * (1 + TOLERANCE):
            lines.append(f"{name}: {before:,} -> {now:,} instructions, more than {TOLERANCE:.0%}")
    return lines


def read_budget() -> dict[str, int]:
    """The committed figures; :class:`ToolError` where there are none."""
    try:
        rows: dict[str, int] = json.loads(BUDGET.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"there is no budget: {error}", "--update-budget writes it") from error
    return rows


def write_budget(measured: Mapping[str, int]) -> None:
    """Commit to these figures."""
    BUDGET.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
