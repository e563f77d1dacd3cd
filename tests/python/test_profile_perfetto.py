# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The file for Perfetto, by the rules of Chrome's trace event format."""

from __future__ import annotations

import json
from typing import Any

import pytest

from packages import rich
from perfetto_rules import check
from prof_device import (
    DONE,
    FREQUENCY,
    NPU_BEGIN,
    NPU_END,
    PREEMPT,
    REFUSED,
    RESUME,
    START,
    STEP_BEGIN,
    STEP_END,
    SUBMIT,
    any_events,
    dump_of,
    model_row,
    record,
)
from ranvier.model import Package
from ranvier.package.costs import package_crc
from ranvier.profile import Trace, perfetto_json, profile_host, read_trace
from ranvier.testing.validate import random_inputs

US = FREQUENCY // 1_000_000


def drawn(*rows: bytes) -> list[dict[str, Any]]:
    trace = read_trace(dump_of([bytes(96), bytes(96)], (), rows), "t")
    return check(json.loads(perfetto_json(trace, {})))


def slices(events: list[dict[str, Any]], category: str) -> list[tuple[int, float, float, str]]:
    return [
        (event["tid"], event["ts"], event["dur"], event["name"])
        for event in events
        if event["ph"] == "X" and event["cat"] == category
    ]


def test_a_cooperative_takeover() -> None:
    events = drawn(
        record(SUBMIT, 0, 1, 0, lane=2),
        record(START, 1 * US, 1, 0, lane=2),
        record(STEP_BEGIN, 2 * US, 1, 0, lane=2),
        record(SUBMIT, 4 * US, 2, 4, lane=0, slot=1),
        record(STEP_END, 7 * US, 1, 0, lane=2),
        record(PREEMPT, 8 * US, 1, 1, lane=2),
        record(START, 9 * US, 2, 0, lane=0, slot=1),
        record(STEP_BEGIN, 10 * US, 2, 0, lane=0, slot=1),
        record(STEP_END, 15 * US, 2, 0, lane=0, slot=1),
        record(DONE, 16 * US, 2, 1 << 31 | 3, lane=0, slot=1),
        record(RESUME, 17 * US, 1, 1, lane=2),
        record(STEP_BEGIN, 18 * US, 1, 1, lane=2),
        record(STEP_END, 20 * US, 1, 1, lane=2),
        record(DONE, 21 * US, 1, 0, lane=2, status=-125),
    )
    assert slices(events, "job") == [
        (3, 1.0, 20.0, "model 0 job 0x1"),
        (1, 9.0, 7.0, "model 1 job 0x2"),
    ]
    assert slices(events, "step") == [
        (3, 2.0, 5.0, "0"),
        (1, 10.0, 5.0, "0"),
        (3, 18.0, 2.0, "1"),
    ]
    assert slices(events, "preempted") == [(3, 8.0, 9.0, "preempted")]
    counters = [(e["ts"], e["name"], e["args"]["queued"]) for e in events if e["ph"] == "C"]
    assert counters == [
        (0.0, "lane 2 queue", 1),
        (1.0, "lane 2 queue", 0),
        (4.0, "lane 0 queue", 1),
        (9.0, "lane 0 queue", 0),
    ]
    queued = [(e["ph"], e["ts"], e["tid"]) for e in events if e.get("cat") == "queued"]
    assert queued == [("b", 0.0, 3), ("e", 1.0, 3), ("b", 4.0, 1), ("e", 9.0, 1)]
    ends = {e["args"]["job"]: e["args"] for e in events if e.get("cat") == "job"}
    assert (ends["0x1"]["status"], ends["0x1"]["missed"]) == (-125, False)
    assert (ends["0x2"]["missed"], ends["0x2"]["blocked_us"]) == (True, 3)


def counters(events: list[dict[str, Any]]) -> list[tuple[float, int]]:
    return [(event["ts"], event["args"]["queued"]) for event in events if event["ph"] == "C"]


def test_a_submission_noted_after_the_start_was_never_queued() -> None:
    """Threads that submit on several cores may be late to say so."""
    events = drawn(
        record(START, 0, 1, 0, lane=1),
        record(SUBMIT, 2 * US, 1, 0, lane=1),
        record(SUBMIT, 3 * US, 2, 0, lane=1),
        record(DONE, 4 * US, 1, 0, lane=1),
        record(START, 5 * US, 2, 0, lane=1),
        record(DONE, 6 * US, 2, 0, lane=1),
        record(START, 7 * US, 3, 0, lane=1),
        record(DONE, 8 * US, 3, 0, lane=1),
        record(SUBMIT, 9 * US, 3, 0, lane=1),
        record(DONE, 10 * US, 4, 0, lane=1, status=-125),
        record(SUBMIT, 11 * US, 4, 0, lane=1),
    )
    assert counters(events) == [(3.0, 1), (5.0, 0)]
    assert [row[1:3] for row in slices(events, "job")] == [(0.0, 4.0), (5.0, 1.0), (7.0, 1.0)]
    queued = [(e["ph"], e["ts"]) for e in events if e.get("cat") == "queued"]
    assert queued == [("b", 3.0), ("e", 5.0)]


def test_a_job_that_was_refused_is_not_queued() -> None:
    """The next one has its handle."""
    events = drawn(
        record(SUBMIT, 0, 1, 0, lane=1),
        record(REFUSED, 2 * US, 1, 0, lane=1),
        record(SUBMIT, 3 * US, 1, 0, lane=1),
        record(START, 4 * US, 1, 0, lane=1),
        record(DONE, 5 * US, 1, 0, lane=1),
        record(REFUSED, 6 * US, 9, 0, lane=1),
    )
    assert counters(events) == [(0.0, 1), (2.0, 0), (3.0, 1), (4.0, 0)]
    queued = [(e["ph"], e["ts"]) for e in events if e.get("cat") == "queued"]
    assert queued == [("b", 3.0), ("e", 4.0)]
    assert [row[1:3] for row in slices(events, "job")] == [(4.0, 1.0)]


def test_preemption_inside_of_a_step() -> None:
    events = drawn(
        record(STEP_BEGIN, 0, 1, 4, lane=2),
        record(START, 2 * US, 2, 0, lane=0, slot=1),
        record(STEP_BEGIN, 3 * US, 2, 0, lane=0, slot=1),
        record(STEP_END, 5 * US, 2, 0, lane=0, slot=1),
        record(DONE, 6 * US, 2, 0, lane=0, slot=1),
        record(STEP_END, 9 * US, 1, 4, lane=2),
    )
    assert slices(events, "step") == [(3, 0.0, 9.0, "4"), (1, 3.0, 2.0, "0")]
    assert slices(events, "preempted") == [(3, 3.0, 2.0, "preempted")]


def test_each_step_that_ran_inside_is_told_apart() -> None:
    events = drawn(
        record(STEP_BEGIN, 0, 1, 4, lane=2),
        record(STEP_BEGIN, 3 * US, 2, 0, lane=0),
        record(STEP_END, 5 * US, 2, 0, lane=0),
        record(STEP_BEGIN, 5 * US, 2, 1, lane=0),
        record(STEP_END, 6 * US, 2, 1, lane=0),
        record(STEP_END, 9 * US, 1, 4, lane=2),
    )
    assert [row[1:3] for row in slices(events, "preempted")] == [(3.0, 2.0), (5.0, 1.0)]


def test_the_end_of_another_job_ends_nothing() -> None:
    """One that was cancelled while queued, and the late answer of an accelerator."""
    events = drawn(
        record(SUBMIT, 0, 1, 0, lane=1),
        record(SUBMIT, 0, 2, 0, lane=1),
        record(START, 1 * US, 1, 0, lane=1),
        record(NPU_BEGIN, 2 * US, 1, 0, lane=1),
        record(DONE, 3 * US, 2, 0, lane=1, status=-125),
        record(NPU_END, 4 * US, 9, 0, lane=0),
        record(NPU_END, 6 * US, 1, 0, lane=1),
        record(DONE, 7 * US, 1, 0, lane=1),
    )
    assert slices(events, "job") == [(2, 1.0, 6.0, "model 0 job 0x1")]
    assert slices(events, "npu") == [(100, 2.0, 4.0, "0")]
    queued = [(e["ph"], e["ts"]) for e in events if e.get("cat") == "queued"]
    assert queued == [("b", 0.0), ("b", 0.0), ("e", 1.0), ("e", 3.0)]


def test_the_accelerator_is_a_track_of_its_own() -> None:
    events = drawn(
        record(START, 0, 1, 0, lane=1),
        record(NPU_BEGIN, 1 * US, 1, 0, lane=1),
        record(START, 2 * US, 2, 0, lane=2),
        record(STEP_BEGIN, 3 * US, 2, 0, lane=2),
        record(NPU_END, 5 * US, 1, 0, lane=1, status=-5),
        record(STEP_END, 9 * US, 2, 0, lane=2),
    )
    assert slices(events, "npu") == [(100, 1.0, 4.0, "0")]
    assert slices(events, "job") == [
        (2, 0.0, 9.0, "model 0 job 0x1"),
        (3, 2.0, 7.0, "model 0 job 0x2"),
    ]
    (npu,) = (e for e in events if e.get("cat") == "npu")
    assert npu["args"]["status"] == -5
    open_jobs = [e["args"]["end"] for e in events if e.get("cat") == "job"]
    assert open_jobs == ["not in the trace"] * 2
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert names == {2: "lane 1", 3: "lane 2", 100: "accelerator"}


@pytest.mark.parametrize("seed", range(60))
def test_any_events_give_a_well_formed_file(seed: int) -> None:
    """Also events in an order that no scheduler makes, of which the beginning is lost."""
    rows = any_events(seed, 200)
    for frequency in (FREQUENCY, 32768, 150_000_001):
        trace = read_trace(dump_of([bytes(96)] * 2, (), rows, frequency), "t")
        check(json.loads(perfetto_json(trace, {})))


def test_no_events_are_a_file_too() -> None:
    assert [e["ph"] for e in drawn()] == ["M"]


def host_trace(package: Package) -> Trace:
    return profile_host(package, random_inputs(package, 2, 0), 3)


def test_a_host_s_run_is_drawn() -> None:
    package = Package(rich().package)
    trace = host_trace(package)
    events = check(json.loads(perfetto_json(trace, {0: package})))
    steps = len(package.content.steps)
    assert len(slices(events, "step")) == 3 * steps
    assert len(slices(events, "job")) == 3
    assert all(name.startswith(package.name) for _, _, _, name in slices(events, "job"))
    assert events[0]["args"]["name"] == "ranvier (this host)"


def test_names_of_steps_come_from_the_package() -> None:
    package = Package(rich().package)
    count = len(package.content.steps)
    row = model_row(package_crc(package.data), count)
    dump = dump_of(
        [row], [bytes(32)] * count, [record(STEP_BEGIN, 0, 1, 0), record(STEP_END, 9, 1, 0)]
    )
    trace = read_trace(dump, "t")
    for packages in ({}, {0: package}):
        events = check(json.loads(perfetto_json(trace, packages)))
        ((_, _, _, name),) = slices(events, "step")
        assert (name == "0") == (not packages)
        assert name.split()[0] == "0"
