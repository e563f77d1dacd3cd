# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The random soak of the scheduler in virtual time (tests/sched_soak): builds and runs it.

``make soak`` is 100,000 jobs; run with --seed to repeat one.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ranvier.native import op_codes
from ranvier.package.records import (
    EntryRecord,
    IoMode,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.writer import write_package
from stateful import content as stateful

ROOT = Path(__file__).resolve().parents[2]
DRIVERS = ("cooperative", "threads")


def chain(
    name: str, steps: int, size: int, npu: Sequence[int] = (), *, resident: bool = False
) -> bytes:
    """A package of steps that each map every byte by a table of its own; ``npu``: marked steps."""
    shuffle = random.Random(f"{name} {steps} {size}")
    tensors = []
    for number in range(steps + 1):
        end = number in (0, steps) and not resident
        tensors.append(
            TensorRecord(
                name="",
                dtype=1,
                shape=(1, size),
                storage=Storage.EXTERNAL if end else Storage.ARENA,
                offset=(number != 0) if end else number % 2 * size,
                bytes=size,
                first_step=max(0, number - 1),
                last_step=min(number, steps - 1),
                is_input=number == 0,
                is_output=number == steps,
            )
        )
    ops = []
    for number in range(steps):
        table = bytes(shuffle.sample(range(256), 256))
        ops.append(OpRecord("", op_codes()["LUT_8"], (number,), (number + 1,), (size,), table))
    inner = 0 if steps == 1 else size if steps == 2 else 2 * size
    return write_package(
        PackageContent(
            name=name,
            version=(1, 0, 0),
            io_mode=IoMode.RESIDENT if resident else IoMode.KEPT,
            arena_bytes=2 * size if resident else inner if steps != 2 else 2 * size,
            max_live=2 if resident or steps > 2 else steps - 1,
            tensors=tuple(tensors),
            ops=tuple(ops),
            steps=tuple(StepRecord(n, npu=n in npu) for n in range(steps)),
            entries=(EntryRecord("main", 0, steps, (0,), (steps,)),),
        )
    )


def packages() -> list[bytes]:
    """Two for each model of soak.h, of other arenas or tables."""
    state = stateful(in_place=False)
    state = replace(state, steps=tuple(replace(step, npu=True) for step in state.steps))
    return [
        chain("tiny", 1, 16),
        chain("tiny", 2, 48),
        chain("short", 3, 64),
        chain("short", 4, 80),
        chain("long", 6, 256),
        chain("long", 8, 208),
        chain("large", 5, 1024, npu=(1, 3)),
        chain("large", 4, 960, npu=(0, 3)),
        chain("marked", 4, 128, npu=range(4)),
        chain("marked", 3, 144, npu=(0, 1)),
        write_package(state),
        write_package(replace(state, version=(1, 1, 0))),
        chain("resident", 3, 512, resident=True),
        chain("resident", 2, 640, npu=(1,), resident=True),
    ]


class Soak:
    """The program of this checkout, built in ``folder``."""

    def __init__(self, folder: Path, *, sanitize: bool = True) -> None:
        build = folder / "build"
        configure = ["cmake", "-S", str(ROOT / "tests" / "sched_soak"), "-B", str(build)]
        configure.append(f"-DSOAK_SANITIZE={'ON' if sanitize else 'OFF'}")
        for command in (configure, ["cmake", "--build", str(build), "--parallel", "2"]):
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                raise RuntimeError(run.stdout + run.stderr)
        self._program = build / "sched_soak"
        self._paths = []
        for number, package in enumerate(packages()):
            path = folder / f"{number}.rnv"
            path.write_bytes(package)
            self._paths.append(str(path))

    def run(self, driver: str, jobs: int, seed: int) -> subprocess.CompletedProcess[str]:
        """One run: exit code 0 where all is as it must be; counters are printed."""
        command = [str(self._program), driver, str(jobs), str(seed), *self._paths]
        return subprocess.run(command, capture_output=True, text=True)


def seeds(first: int, jobs: int, each: int) -> Iterator[tuple[int, int]]:
    """Seeds and jobs of each, ``jobs`` in all."""
    for number in range(-(-jobs // each)):
        yield first + number, min(each, jobs - number * each)


_PAIR = re.compile(r"\b([a-z_]+) (\d+)")


def totals(said: str) -> list[str]:
    """Of the lines of several runs: the counters' sums, and the largest of times and levels."""
    rows: dict[str, dict[str, int]] = {}
    for line in said.splitlines():
        title, _, counters = line.partition(": ")
        row = rows.setdefault(re.sub(r" seed \d+", "", title), {})
        for name, value in _PAIR.findall(counters):
            most = name.endswith("_us") or name in ("most_queued", "arena_high_water")
            number = int(value)
            row[name] = max(row.get(name, 0), number) if most else row.get(name, 0) + number
    return [
        f"{title}: " + " ".join(f"{name} {value:,}" for name, value in row.items())
        for title, row in rows.items()
    ]


def main() -> int:
    """Run both drivers; print the counters of all runs, and what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000, help="in all, with each driver")
    parser.add_argument("--each", type=int, default=10_000, help="with one seed")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "soak")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    soak = Soak(options.folder, sanitize=False)
    failed = 0
    for driver in DRIVERS:
        said = ""
        for seed, jobs in seeds(options.seed, options.jobs, options.each):
            run = soak.run(driver, jobs, seed)
            said += run.stdout
            print(run.stderr, end="", flush=True)
            failed += run.returncode != 0
        print("\n".join(totals(said)))
    print(
        f"soak: {options.jobs} jobs with each driver: {f'{failed} FAILED' if failed else 'passed'}"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
