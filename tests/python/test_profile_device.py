# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The C profiler's dumps, read in Python, judged by a simulation that knows what happened."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field

import pytest

from prof_device import (
    FREQUENCY,
    NPU_BEGIN,
    NPU_END,
    START,
    STEP_BEGIN,
    STEP_END,
    SUBMIT,
    Device,
)
from ranvier.profile import Kind, Summary, Trace, read_trace
from ranvier.profile.timeline import What, timeline

STEPS = (2, 3, 5)
CRCS = (0x11, 0x22, 0x33)


@dataclass
class Job:
    """A job of the simulation: what is left of it, and what its present step took."""

    number: int
    submit: int
    start: int = 0
    step: int = 0
    left: int = 0
    own: int = 0
    begin: int = 0


@dataclass
class Machine:
    """One CPU, a thread for each lane, no overhead: more urgent jobs run inside of steps."""

    rng: random.Random
    device: Device
    most_step: int = 9000
    queues: list[list[Job]] = field(default_factory=lambda: [[], [], []])
    jobs: int = 0
    first: int = 0
    """When the first job was submitted: the beginning of the trace."""
    steps: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    spans: list[tuple[int, int, int, int]] = field(default_factory=list)
    taken: list[int] = field(default_factory=list)
    responses: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def submit(self, lane: int) -> None:
        self.jobs += 1
        self.first = self.first or self.device.cycles
        self.device.event(SUBMIT, lane, lane, self.jobs)
        self.queues[lane].append(Job(self.jobs, self.device.cycles))

    def run(self, count: int) -> None:
        """Submit so many jobs at random times, and run until all are done."""
        while count or any(self.queues):
            if count and self.rng.random() < 0.1:
                count -= 1
                self.submit(self.rng.randrange(3))
            lane = next((lane for lane in range(3) if self.queues[lane]), None)
            if lane is None:
                self.device.cycles += self.rng.randrange(1 << 34)
            else:
                self.advance(lane, self.queues[lane][0])

    def advance(self, lane: int, job: Job) -> None:
        """Run the first job of a lane for a while."""
        device = self.device
        if not job.left:
            if job.step == 0:
                job.start = device.cycles
                device.event(START, lane, lane, job.number)
            job.left, job.own, job.begin = self.rng.randint(1, self.most_step), 0, device.cycles
            device.event(STEP_BEGIN, lane, lane, job.number, job.step)
        spent = min(job.left, self.rng.randint(1, 1500))
        device.cycles += spent
        job.left -= spent
        job.own += spent
        if job.left:
            return
        device.event(STEP_END, lane, lane, job.number, job.step)
        self.steps[lane, job.step].append(job.own)
        self.spans.append((lane, job.step, job.begin, device.cycles))
        self.taken.append(device.cycles - job.begin - job.own)
        job.step += 1
        if job.step == STEPS[lane]:
            self.queues[lane].pop(0)
            us = [cycles * 1_000_000 // FREQUENCY for cycles in (job.submit, job.start)]
            device.done(lane, lane, job.number, [*us, device.us])
            self.responses[lane].append(device.us - us[0])


def simulate(seed: int, records: int, jobs: int) -> tuple[Machine, Trace]:
    device = Device(STEPS, records, CRCS)
    device.cycles = 0xFFFFF000 + seed
    machine = Machine(random.Random(seed), device)
    machine.run(jobs)
    return machine, read_trace(device.dump(), "device")


@pytest.mark.parametrize("seed", range(3))
def test_steps_are_their_own_whatever_ran_inside(seed: int) -> None:
    machine, trace = simulate(seed, 0, 300)
    assert sum(map(bool, machine.taken)) > 20
    assert [slot.package_crc for slot in trace.slots] == list(CRCS)
    for slot in trace.slots:
        for number, step in enumerate(slot.steps):
            own = machine.steps[slot.slot, number]
            assert (step.runs, step.min, step.max) == (len(own), min(own), max(own))
            assert (step.total, step.last) == (sum(own), own[-1])
            assert (step.npu_runs, step.npu_max) == (0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_times_of_jobs(seed: int) -> None:
    machine, trace = simulate(seed, 0, 300)
    for slot in trace.slots:
        exact = Summary.of(machine.responses[slot.slot])
        told = slot.response
        assert (told.count, told.min_us, told.max_us) == (exact.count, exact.min_us, exact.max_us)
        assert told.mean_us == int(exact.mean_us)
        assert abs(told.p50_us - exact.p50_us) <= exact.p50_us / 8
        assert abs(told.p99_us - exact.p99_us) <= exact.p99_us / 8
        assert slot.completed == exact.count
        assert slot.arena_bytes == 1000 + slot.slot
    assert trace.arena_high_water[:4] == (1000, 1001, 1002, 0)


@pytest.mark.parametrize("seed", range(3))
def test_the_time_line_is_what_happened(seed: int) -> None:
    machine, trace = simulate(seed, 1 << 12, 120)
    assert trace.lost == 0
    line = timeline(trace)
    steps = [span for span in line.spans if span.what == What.STEP]
    found = {(span.lane, span.step, span.begin, span.end) for span in steps}
    shift = machine.first
    assert found == {(lane, step, b - shift, e - shift) for lane, step, b, e in machine.spans}
    # Within each step, what was taken off is covered by slices that say so.
    inside = [span for span in line.spans if span.what == What.PREEMPTED]
    for (lane, _, b, e), taken in zip(machine.spans, machine.taken, strict=True):
        covered = sum(
            span.end - span.begin
            for span in inside
            if span.lane == lane and b - shift <= span.begin and span.end <= e - shift
        )
        assert covered == taken
    jobs = [span for span in line.spans if span.what == What.JOB]
    assert sorted(span.job for span in jobs) == list(range(1, 121))
    assert all(span.last is not None and span.last.kind == Kind.DONE for span in jobs)


def test_the_ring_has_the_latest() -> None:
    whole = simulate(5, 1 << 12, 50)[1]
    last = simulate(5, 64, 50)[1]
    assert (len(last.events), last.lost) == (64, len(whole.events) - 64)
    assert last.slots == whole.slots
    shift = whole.events[-64].at
    for mine, other in zip(last.events, whole.events[-64:], strict=True):
        assert (mine.kind, mine.job, mine.at) == (other.kind, other.job, other.at - shift)


def test_lines_and_bytes_are_the_same() -> None:
    device = Device(STEPS, 100, CRCS)
    Machine(random.Random(1), device).run(20)
    dump = device.dump()
    log = b"\r\n".join(device.lines())
    assert read_trace(log, "log") == read_trace(dump, "dump")


def test_the_accelerator() -> None:
    device = Device((0, 3), 100, (0, 7))
    device.event(START, 2, 1, 5)
    device.event(NPU_BEGIN, 2, 1, 5, 1)
    device.cycles += 300
    device.event(NPU_END, 2, 1, 5, 1)
    device.event(NPU_BEGIN, 2, 1, 5, 2)
    device.cycles += 900
    device.event(NPU_END, 2, 1, 5, 2, -110)
    device.done(2, 1, 5, (0, 0, 9), status=-110, missed=1, blocked_us=4)
    trace = read_trace(device.dump(), "device")
    (slot,) = trace.slots
    assert (slot.slot, slot.failed, slot.completed) == (1, 1, 0)
    assert [(s.npu_runs, s.npu_max, s.runs) for s in slot.steps] == [
        (0, 0, 0),
        (1, 300, 0),
        (0, 0, 0),
    ]
    last = trace.events[-1]
    assert (last.status, last.missed, last.blocked_us, last.lane) == (-110, True, 4, 2)
    npu = [span for span in timeline(trace).spans if span.what == What.NPU]
    assert [(s.begin, s.end, s.step) for s in npu] == [(0, 300, 1), (300, 1200, 2)]


def test_parallel_lanes_take_nothing_off() -> None:
    device = Device((1, 1), 100, (1, 2), flags=1)
    device.event(STEP_BEGIN, 1, 1, 1)
    device.event(STEP_BEGIN, 0, 0, 2)
    device.cycles += 50
    device.event(STEP_END, 0, 0, 2)
    device.cycles += 10
    device.event(STEP_END, 1, 1, 1)
    trace = read_trace(device.dump(), "device")
    assert trace.parallel
    assert [slot.steps[0].last for slot in trace.slots] == [50, 60]
    assert all(span.what != What.PREEMPTED for span in timeline(trace).spans)
