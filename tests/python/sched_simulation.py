# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The core's scheduler in virtual time (tests/sched_sim), and random scripts for it."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

from ranvier.native import NativePackage, op_codes
from ranvier.native.binding import declarations
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
from sched_reference import NEVER, Action, Cancel, LaneSpec, SetDeadline, Submit

ROOT = Path(__file__).resolve().parents[2]
MAX_STEPS = 6
_STATUS = {
    0: "OK",
    -2: "ENOENT",
    -11: "EAGAIN",
    -62: "ETIME",
    -77: "ESTATE",
    -105: "ENOBUFS",
    -125: "ECANCELED",
}
_NO_STATUS = 1000
_DROP_LATE, _ATOMIC = 2, 4


def chain(steps: int, size: int = 16) -> bytes:
    """A package of ``steps`` steps, each of which adds 1 to every byte."""
    tensors = []
    for number in range(steps + 1):
        first, last = number == 0, number == steps
        storage = Storage.EXTERNAL if first or last else Storage.ARENA
        tensors.append(
            TensorRecord(
                name="",
                dtype=1,
                shape=(1, size),
                storage=storage,
                offset=(0 if first else 1) if storage == Storage.EXTERNAL else number % 2 * size,
                bytes=size,
                first_step=max(0, number - 1),
                last_step=min(number, steps - 1),
                is_input=first,
                is_output=last,
            )
        )
    table = bytes((n + 1) % 256 for n in range(256))
    ops = tuple(
        OpRecord("", op_codes()["LUT_8"], (n,), (n + 1,), (size,), table) for n in range(steps)
    )
    return write_package(
        PackageContent(
            name=f"chain{steps}",
            version=(1, 0, 0),
            io_mode=IoMode.KEPT,
            arena_bytes=2 * size if steps > 1 else 0,
            max_live=min(2, steps - 1),
            tensors=tuple(tensors),
            ops=ops,
            steps=tuple(StepRecord(n) for n in range(steps)),
            entries=(EntryRecord("main", 0, steps, (0,), (steps,)),),
        )
    )


@dataclass(frozen=True)
class Outcome:
    """What the core did with a job."""

    status: str | None
    start: int | None
    end: int
    missed: bool
    completions: int
    blocked: int


class Simulation:
    """The scheduler of this checkout, built once in ``folder``."""

    def __init__(self, folder: Path) -> None:
        for command in (
            ["cmake", "-S", str(ROOT / "tests" / "sched_sim"), "-B", str(folder)],
            ["cmake", "--build", str(folder), "--parallel", "2"],
        ):
            run = subprocess.run(command, capture_output=True, text=True)
            assert run.returncode == 0, run.stdout + run.stderr
        self._ffi = cffi.FFI()
        header = ROOT / "tests" / "sched_sim" / "harness.h"
        self._ffi.cdef(declarations(header.read_text(encoding="utf-8")))
        self._lib: Any = self._ffi.dlopen(str(folder / "libsched_sim.so"))
        self._packages = [NativePackage(chain(steps)) for steps in range(1, MAX_STEPS + 1)]
        self._pointers = self._ffi.new(
            "void *[]",
            [self._ffi.cast("void *", _address(package)) for package in self._packages],
        )
        sizes = [package.header.total_bytes for package in self._packages]
        self._sizes = self._ffi.new("uint32_t[]", sizes)

    def run(
        self, lanes: Sequence[LaneSpec], script: Sequence[Action], *, preemptive: bool
    ) -> tuple[list[str], dict[int, Outcome]]:
        """The answers of all actions and what became of the jobs that were accepted."""
        ordered = sorted(script, key=lambda action: action.at)
        rows = self._ffi.new("struct sim_action[]", max(1, len(ordered)))
        for row, action in zip(rows, ordered, strict=False):
            self._fill(row, action)
        specs = self._ffi.new("struct sim_lane[]", len(lanes))
        for spec, lane in zip(specs, lanes, strict=True):
            spec.depth, spec.drop_oldest, spec.atomic = lane.depth, lane.drop_oldest, True
        jobs: Any = self._ffi.new("struct sim_job[]", self._lib.SIM_MAX_JOBS)
        for job in jobs:
            job.status = _NO_STATUS
        status = self._lib.sim_run(
            self._pointers,
            self._sizes,
            specs,
            len(lanes),
            preemptive,
            rows,
            len(ordered),
            jobs,
        )
        assert status == 0, status
        answers = [_STATUS.get(rows[i].answer, str(rows[i].answer)) for i in range(len(ordered))]
        accepted = {
            action.job: self._outcome(jobs[action.job])
            for action, answer in zip(ordered, answers, strict=True)
            if isinstance(action, Submit) and answer == "OK"
        }
        return answers, accepted

    def longest_blocked(self, lane: int) -> int:
        """Of the last run: the longest blocking by a step that the lane counted."""
        return int(self._lib.sim_longest_blocked_us(lane))

    def slots_in_use(self) -> int:
        """Of the last run: slots that have not become free."""
        return int(self._lib.sim_slots_in_use())

    def _fill(self, row: Any, action: Action) -> None:
        row.at_us, row.job = action.at, action.job
        if isinstance(action, Submit):
            row.kind, row.lane, row.deadline_us = 0, action.lane, action.deadline
            row.flags = _DROP_LATE * action.drop_late + _ATOMIC * action.atomic
            row.step_count = len(action.steps)
            for i, cost in enumerate(action.steps):
                row.cost_us[i] = cost
        elif isinstance(action, Cancel):
            row.kind = 1
        else:
            row.kind, row.deadline_us = 2, action.deadline

    def _outcome(self, job: Any) -> Outcome:
        none = job.status == _NO_STATUS
        return Outcome(
            status=None if none else _STATUS.get(job.status, str(job.status)),
            start=None if job.start_us == NEVER else int(job.start_us),
            end=int(job.end_us),
            missed=bool(job.missed),
            completions=int(job.completions),
            blocked=int(job.blocked_us),
        )


def _address(package: NativePackage) -> int:
    from ranvier.native.binding import ffi

    return int(ffi.cast("uintptr_t", package.data))


def random_script(rng: random.Random) -> tuple[list[LaneSpec], list[Action]]:
    """Up to four lanes and a few dozen jobs, some of them cancelled or given another deadline."""
    lanes = [
        LaneSpec(rng.choice((1, 2, 4, 32)), rng.random() < 0.5) for _ in range(rng.randint(1, 4))
    ]
    horizon = rng.choice((50, 300, 2000))
    actions: list[Action] = []
    for job in range(rng.randint(1, 40)):
        at = rng.randint(0, horizon)
        steps = tuple(rng.randint(1, 40) for _ in range(rng.randint(1, MAX_STEPS)))
        deadline = at + rng.randint(0, 300) if rng.random() < 0.7 else NEVER
        if rng.random() < 0.05:
            deadline = max(0, at - 10)
        actions.append(
            Submit(
                at,
                job,
                rng.randrange(len(lanes)),
                steps,
                deadline,
                drop_late=rng.random() < 0.2,
                atomic=rng.random() < 0.1,
            )
        )
        if rng.random() < 0.2:
            actions.append(Cancel(at + rng.randint(0, 150), job))
        if rng.random() < 0.2:
            other = rng.choice((NEVER, at + rng.randint(0, 300)))
            actions.append(SetDeadline(at + rng.randint(0, 100), job, other))
    return lanes, actions
