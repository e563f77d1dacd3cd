# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the scheduler costs on a Cortex-M33, in exact instructions, and that it stays so."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[3]
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
COUNTER = qemu.Counter(ROOT / "benchmarks/cortexm/icount/icount.c")

#: Instructions of the program itself and of its port within a region, and what the core may take.
BUDGETS = {
    "submit_to_step": (36, 600),
    "takeover": (26, 300),
    "back": (28, 300),
    "step_overhead": (11, 80),
    "arena_alloc": (0, 40),
    "plan8": (0, 2700),
}
CRITICAL_BUDGET = 150


@pytest.fixture(scope="module")
def programs() -> Path:
    """Folder of the programs, built for size."""
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    folder = ROOT / "build" / "sched" / "m33"
    folder.mkdir(parents=True, exist_ok=True)
    source = str(ROOT / "tests/cortexm/sched")
    configure = ["cmake", "-S", source, "-B", str(folder), "-G", "Ninja", "-DRNV_CPU=m33"]
    configure += ["-DCMAKE_BUILD_TYPE=MinSizeRel", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"]
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(folder)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    return folder


def counted(program: Path) -> qemu.Result:
    result = qemu.run(program, "m33", counter=COUNTER).check()
    if result.granularity != 1.0 or not result.counts:
        pytest.skip(f"no exact counts: {result.count_note}")
    return result


def test_paths_stay_within_their_budgets(programs: Path) -> None:
    counts = counted(programs / "sched_cost.elf").counts
    assert set(BUDGETS) <= set(counts)
    for name, (harness, budget) in BUDGETS.items():
        assert max(counts[name]) - harness <= budget, name


def test_critical_sections_are_bounded(programs: Path) -> None:
    """Over a random workload on full lanes; the first section counted is an empty one."""
    result = counted(programs / "sched_critical.elf")
    assert "most_queued 32" in result.stdout
    empty, *sections = result.counts["critical"]
    assert len(sections) > 10_000
    assert max(sections) - empty <= CRITICAL_BUDGET
