# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The profiler on the real scheduler, driven by this host's threads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from packages import rich
from perfetto_rules import check
from ranvier.model import Package
from ranvier.native.binding import ffi, library
from ranvier.native.scheduler import JobTimes, LaneOptions, NativeScheduler, buffer
from ranvier.package.costs import package_crc
from ranvier.profile import Kind, Trace, max_us, perfetto_json, read_trace, slot_of, step_rows

JOBS = 40


def profiled(package: Package, threads: bool) -> tuple[list[JobTimes], Trace]:
    """Run jobs in two lanes of a scheduler whose trace hook is the profiler."""
    lib = library()
    slots = ffi.new("struct rnv_prof_model[]", 8)
    ring = ffi.new("struct rnv_prof_record[]", 1 << 13)
    steps = ffi.new("struct rnv_prof_step[]", len(package.content.steps))
    config: Any = ffi.new("struct rnv_prof_config *")
    config.models, config.model_count = slots, 8
    config.records, config.record_count = ring, 1 << 13
    config.flags = lib.RNV_PROF_PARALLEL if threads else 0
    prof = ffi.new("struct rnv_prof *")
    assert lib.rnv_prof_init(prof, config) == 0
    arena = package.content.arena_bytes
    lanes = [LaneOptions(arena, depth=32)] * 2
    with NativeScheduler(lanes, jobs=64, thread_per_lane=threads) as scheduler:
        scheduler._hooks.trace_context = prof
        scheduler._hooks.trace = lib.rnv_prof_trace
        model = scheduler.open(package.native, [0, 1])
        target: Any = ffi.new("struct rnv_prof_target *")
        target.steps, target.step_count = steps, len(package.content.steps)
        target.package_crc, target.arena_bytes = package_crc(package.data), arena
        assert lib.rnv_prof_watch(prof, model & 0xFFFF, target) == 0
        lib.rnv_prof_enable(prof, 1)
        memory: list[Sequence[Any]] = []
        handles = []
        for number in range(JOBS):
            sizes = [
                info.dtype.itemsize * _elements(info.shape)
                for info in (*package.inputs, *package.outputs)
            ]
            memory.append([buffer(bytes(size)) for size in sizes])
            handles.append(scheduler.submit(model, memory[-1], lane=number % 2))
        times = [scheduler.wait(handle, 20_000_000) for handle in handles]
        scheduler.stop()
    lib.rnv_prof_enable(prof, 0)
    data = ffi.new("uint8_t[]", 1 << 18)
    count = lib.rnv_prof_dump(prof, 0, data, 1 << 18)
    assert all(times)
    return [time for time in times if time], read_trace(bytes(ffi.buffer(data, count)), "host")


def _elements(shape: Sequence[int]) -> int:
    count = 1
    for n in shape:
        count *= n
    return count


@pytest.mark.parametrize("threads", [False, True])
def test_what_the_scheduler_tells_is_what_it_did(threads: bool) -> None:
    package = Package(rich().package)
    times, trace = profiled(package, threads)
    assert trace.cycles_per_second == library().rnv_cycles_per_second()
    slot = slot_of(trace, package)
    assert slot.completed == JOBS
    responses = [time.end_us - time.submit_us for time in times]
    queueing = [(time.start_us or 0) - time.submit_us for time in times]
    blocked = [time.blocked_us for time in times]
    for told, exact in (
        (slot.response, responses),
        (slot.queueing, queueing),
        (slot.blocking, blocked),
    ):
        assert (told.count, told.min_us, told.max_us) == (JOBS, min(exact), max(exact))
        assert told.mean_us == sum(exact) // JOBS
    assert [step.runs for step in slot.steps] == [JOBS] * len(package.content.steps)
    assert trace.arena_high_water[:3] == (package.content.arena_bytes,) * 2 + (0,)
    kinds = [event.kind for event in trace.events]
    assert trace.lost == 0
    for kind in (Kind.SUBMIT, Kind.START, Kind.DONE):
        assert kinds.count(kind) == JOBS
    for kind in (Kind.STEP_BEGIN, Kind.STEP_END):
        assert kinds.count(kind) == JOBS * len(package.content.steps)
    events = check(json.loads(perfetto_json(trace, {slot.slot: package})))
    assert sum(event.get("cat") == "job" for event in events) == JOBS
    assert len(max_us(trace, slot)) == len(step_rows(trace, slot, package))
