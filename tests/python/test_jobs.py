# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs from Python: the core's scheduler with real threads."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ranvier
import stateful
from ranvier.errors import InputError, JobError
from ranvier.jobs import Lane, OpenModel, Scheduler
from ranvier.model import Package
from ranvier.package.writer import write_package
from sched_simulation import chain

ROOT = Path(__file__).resolve().parents[2]
FRAMES = np.random.default_rng(7).integers(-128, 128, (40, 28, 28, 1), dtype=np.int8)
ROW = np.arange(16, dtype=np.int8)


@pytest.fixture(scope="module")
def digits() -> ranvier.Package:
    result = ranvier.compile(ROOT / "models" / "digits" / "digits.tflite")
    return ranvier.Package(result.package)


@pytest.fixture(params=[False, True], ids=["cooperative", "thread-per-lane"])
def scheduler(request: pytest.FixtureRequest) -> Iterator[Scheduler]:
    lanes = [Lane(16_384, depth=32, atomic=True), Lane(16_384, depth=2)]
    with Scheduler(lanes, jobs=48, thread_per_lane=request.param) as scheduler:
        yield scheduler


def test_results_are_those_of_the_model(scheduler: Scheduler, digits: ranvier.Package) -> None:
    model = scheduler.open(digits, lanes=[0])
    jobs = [scheduler.submit(model, frame, lane=0) for frame in FRAMES[:30]]
    reference = ranvier.Model(digits)
    for frame, job in zip(FRAMES, jobs, strict=False):
        result = job.result(timeout=60)
        assert result.times.status == "OK"
        np.testing.assert_array_equal(result.outputs[0], reference.run(frame)[0])
        assert result.response_us >= 0
        assert job.result() is result
    assert scheduler.lane_stats(0)["completed"] == 30
    assert scheduler.lane_stats(0)["arena_high_water"] == digits.content.arena_bytes


@pytest.fixture(scope="module")
def resident() -> ranvier.Package:
    options = ranvier.CompileOptions(input_mode="resident")
    result = ranvier.compile(ROOT / "models" / "digits" / "digits.tflite", options)
    return ranvier.Package(result.package)


def test_resident_inputs_are_for_one_job_at_a_time(
    scheduler: Scheduler, digits: ranvier.Package, resident: ranvier.Package
) -> None:
    model = scheduler.open(resident, lanes=[0, 1])
    reference = ranvier.Model(digits)
    for number, frame in enumerate(FRAMES[:20]):
        lane = number % 2
        job = scheduler.submit(model, frame, lane=lane)
        with pytest.raises(JobError, match=f"lane {lane} has the inputs or outputs of another"):
            scheduler.submit(model, frame, lane=lane)
        other = scheduler.submit(model, FRAMES[20 + number], lane=1 - lane)
        np.testing.assert_array_equal(job.result(60).outputs[0], reference.run(frame)[0])
        expected = reference.run(FRAMES[20 + number])[0]
        np.testing.assert_array_equal(other.result(60).outputs[0], expected)
    first = scheduler.submit(model, FRAMES[0], lane=0).result(60).outputs[0]
    scheduler.submit(model, FRAMES[1], lane=0).result(60)
    np.testing.assert_array_equal(first, reference.run(FRAMES[0])[0])  # a copy


def test_resident_inputs_have_a_lane_for_themselves(
    scheduler: Scheduler, resident: ranvier.Package
) -> None:
    plain = scheduler.open(chain(3), lanes=[0, 1])
    model = scheduler.open(resident, lanes=[1])
    for refused, lane in ((plain, 1), (model, 0)):
        inputs = ROW if refused is plain else FRAMES[0]
        with pytest.raises(JobError, match=r"ESTATE|is not the model's"):
            scheduler.submit(refused, inputs, lane=lane)
    assert scheduler.submit(plain, ROW, lane=0).result(60).times.status == "OK"
    for old, package in ((model, chain(4)), (plain, resident)):
        with pytest.raises(InputError, match="resident inputs, and so lanes of its own"):
            scheduler.swap(old, package)
    job = scheduler.submit(model, FRAMES[0], lane=1)
    with suppress(JobError):  # it may be complete
        job.cancel()
    assert job.result(60).times.status in ("OK", "ECANCELED")
    scheduler.submit(model, FRAMES[0], lane=1)  # the job is dropped at once
    scheduler.close(model)
    assert scheduler.submit(plain, ROW, lane=1).result(60).times.status == "OK"
    with pytest.raises(JobError, match="is not the model's"):
        scheduler.submit(model, FRAMES[0], lane=1)


def test_a_dropped_job_gives_its_lane_back(resident: ranvier.Package) -> None:
    with Scheduler([Lane(16_384)]) as scheduler:
        model = scheduler.open(resident, lanes=[0])
        done = 0
        while done < 50:
            try:
                scheduler.submit(model, FRAMES[0], lane=0)
                done += 1
            except JobError as error:
                if error.code != "EBUSY":
                    raise


def test_resident_inputs_need_a_free_lane(
    digits: ranvier.Package, resident: ranvier.Package
) -> None:
    """A lane of another one is none; what was opened for it is closed again."""
    with Scheduler([Lane(16_384), Lane(16_384)]) as scheduler:
        first = scheduler.open(resident, lanes=[1])
        renamed = ranvier.compile(
            ROOT / "models" / "digits" / "digits.tflite",
            ranvier.CompileOptions(input_mode="resident", name="other"),
        ).package
        for _ in range(2):
            with pytest.raises(JobError, match=r"taking lane 1 .* EBUSY"):
                scheduler.open(renamed, lanes=[0, 1])
        plain = scheduler.open(chain(2), lanes=[0])
        assert scheduler.submit(plain, ROW, lane=0).result(60).times.status == "OK"
        scheduler.close(first)
        second = scheduler.open(renamed, lanes=[1])
        (scores,) = scheduler.submit(second, FRAMES[3], lane=1).result(60).outputs
        np.testing.assert_array_equal(scores, ranvier.Model(digits).run(FRAMES[3])[0])


def test_from_many_threads(scheduler: Scheduler, digits: ranvier.Package) -> None:
    model = scheduler.open(digits, lanes=[0, 1])
    other = scheduler.open(chain(5), lanes=[0])
    expected = [ranvier.Model(digits).run(frame)[0] for frame in FRAMES]

    def work(number: int) -> bool:
        job = scheduler.submit(model, FRAMES[number], lane=0, deadline_us=10_000_000)
        small = scheduler.submit(other, ROW + number, lane=0)
        (scores,) = job.result(timeout=60).outputs
        (row,) = small.result(timeout=60).outputs
        return np.array_equal(scores, expected[number]) and np.array_equal(
            row.ravel(), ROW + number + 5
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(len(FRAMES))))


def test_a_full_lane_refuses_or_drops(digits: ranvier.Package) -> None:
    for drop in (False, True):
        with Scheduler([Lane(16_384, depth=1, drop_oldest=drop)]) as scheduler:
            model = scheduler.open(digits, lanes=[0])
            jobs, refused = [], []
            for _ in range(200):
                try:
                    jobs.append(scheduler.submit(model, FRAMES[0], lane=0))
                except JobError as error:
                    refused.append(error.code)
                if len(jobs) > 20:
                    break
            ended = [job.result(timeout=60).times.status for job in jobs]
            assert set(ended) <= ({"OK", "ENOBUFS"} if drop else {"OK"})
            stats = scheduler.lane_stats(0)
            assert stats["completed"] == ended.count("OK")
            assert stats["dropped"] == ended.count("ENOBUFS")
            assert stats["refused"] == len(refused)
            assert set(refused) <= {"EAGAIN"}


def test_cancel_and_deadlines(scheduler: Scheduler, digits: ranvier.Package) -> None:
    model = scheduler.open(digits, lanes=[0])
    jobs = [scheduler.submit(model, FRAMES[0], lane=0, deadline_us=0) for _ in range(20)]
    refused = []
    for job in jobs[1::2]:
        try:
            job.set_deadline(1_000_000)
            job.cancel()
        except JobError as error:
            refused.append(error.code)
    assert set(refused) <= {"ENOENT", "ESTATE"}
    results = [job.result(timeout=60) for job in jobs]
    assert {result.times.status for result in results} <= {"OK", "ECANCELED"}
    assert all(result.times.status == "OK" for result in results[::2])
    assert results[0].times.missed
    with pytest.raises(JobError, match="ENOENT"):
        jobs[0].cancel()


def test_swap_and_drain(scheduler: Scheduler) -> None:
    old = scheduler.open(chain(2), lanes=[0, 1])
    before = [scheduler.submit(old, ROW, lane=0) for _ in range(10)]
    new = scheduler.swap(old, chain(6))
    after = scheduler.submit(new, ROW, lane=0)
    for job in before:
        np.testing.assert_array_equal(job.result(timeout=60).outputs[0].ravel(), ROW + 2)
    np.testing.assert_array_equal(after.result(timeout=60).outputs[0].ravel(), ROW + 6)
    with pytest.raises(JobError, match="ENOENT"):
        scheduler.submit(old, ROW, lane=0)
    assert scheduler.drain(new, cancel=True, timeout=60)
    with pytest.raises(JobError, match="ESTATE"):
        scheduler.submit(new, ROW, lane=0)
    scheduler.close(new)
    again = scheduler.open(chain(6), lanes=[1])
    assert again.handle != new.handle
    with pytest.raises(JobError, match="ESTATE"):
        scheduler.submit(again, ROW, lane=0)


def test_memory_lives_as_long_as_it_must(scheduler: Scheduler) -> None:
    model = scheduler.open(chain(3), lanes=[0])
    for _ in range(30):
        job = scheduler.submit(model, np.array(ROW), lane=0)
        gc.collect()
        np.testing.assert_array_equal(job.result(timeout=60).outputs[0].ravel(), ROW + 3)


def test_what_is_refused(scheduler: Scheduler, digits: ranvier.Package) -> None:
    model = scheduler.open(chain(1), lanes=[0])
    with pytest.raises(InputError, match="1 inputs, 2 were given"):
        scheduler.submit(model, ROW, ROW, lane=0)
    with pytest.raises(InputError, match="takes shape"):
        scheduler.submit(model, ROW[:3], lane=0)
    with pytest.raises(JobError, match="EEXIST"):
        scheduler.open(chain(1), lanes=[0])
    with pytest.raises(ranvier.RanvierError, match=r"CRC|checksum"):
        scheduler.open(chain(2)[:-1] + b"\0", lanes=[0])
    with Scheduler([Lane(1024)]) as small, pytest.raises(JobError, match="ENOMEM"):
        small.open(digits, lanes=[0])
    with pytest.raises(InputError, match="number of lanes is 0"):
        Scheduler([])


def test_waiting_has_an_end() -> None:
    with Scheduler([Lane(16_384)]) as scheduler:
        model = scheduler.open(chain(6), lanes=[0])
        job = scheduler.submit(model, ROW, lane=0)
        while True:
            try:
                job.result(timeout=0)
                break
            except TimeoutError:
                pass


def test_jobs_that_nobody_waits_for_give_back_their_slots() -> None:
    with Scheduler([Lane(16_384, depth=4)], jobs=4) as scheduler:
        model = scheduler.open(chain(6), lanes=[0])
        done = 0
        while done < 200:
            try:
                scheduler.submit(model, ROW, lane=0)  # the job is dropped at once
                done += 1
            except JobError as error:
                if error.code != "EAGAIN":
                    raise
        assert scheduler.submit(model, ROW, lane=0).result(timeout=60).times.status == "OK"


def test_after_the_end_calls_are_refused(digits: ranvier.Package) -> None:
    with Scheduler([Lane(16_384, depth=32)]) as scheduler:
        model = scheduler.open(digits, lanes=[0])
        jobs = [scheduler.submit(model, FRAMES[0], lane=0) for _ in range(20)]
        first = jobs[0].result(timeout=60)
    assert jobs[0].result() is first
    for call in (
        jobs[-1].result,
        jobs[-1].cancel,
        lambda: scheduler.submit(model, FRAMES[0], lane=0),
        lambda: scheduler.lane_stats(0),
        lambda: scheduler.drain(model),
    ):
        with pytest.raises(JobError, match="was stopped"):
            call()


def test_a_stop_ends_waiting_threads(digits: ranvier.Package) -> None:
    scheduler = Scheduler([Lane(16_384, depth=32)])
    model = scheduler.open(digits, lanes=[0])
    jobs = [scheduler.submit(model, FRAMES[0], lane=0) for _ in range(20)]
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(job.result) for job in jobs]
        scheduler.stop()
        for job in waiting:
            try:
                assert job.result(timeout=60).times.status == "OK"
            except JobError as error:
                assert "was stopped" in str(error)  # noqa: PT017


def test_a_dropped_scheduler_ends_its_threads() -> None:
    before = threading_count()
    for _ in range(20):
        Scheduler([Lane(1024)])
    gc.collect()
    assert threading_count() <= before + 1


def threading_count() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def test_a_refused_swap_leaves_the_old_model(scheduler: Scheduler, digits: ranvier.Package) -> None:
    model = scheduler.open(chain(2), lanes=[1])
    with Scheduler([Lane(32)]) as small:
        tight = small.open(chain(2), lanes=[0])
        with pytest.raises(JobError, match="ENOMEM"):
            small.swap(tight, digits)
        assert small.submit(tight, ROW, lane=0).result(timeout=60).times.status == "OK"
    assert scheduler.drain(model, timeout=60)
    scheduler.resume(model)
    assert scheduler.submit(model, ROW, lane=1).result(timeout=60).times.status == "OK"


@pytest.mark.parametrize("lane", [-1, 2, 300, "0", 1.5, True])
def test_odd_lanes(scheduler: Scheduler, lane: Any) -> None:
    model = scheduler.open(chain(1), lanes=[0])
    for call in (
        lambda: scheduler.submit(model, ROW, lane=lane),
        lambda: scheduler.open(chain(2), lanes=[lane]),
        lambda: scheduler.lane_stats(lane),
    ):
        with pytest.raises(InputError, match="lane is"):
            call()


def test_odd_numbers(scheduler: Scheduler) -> None:
    model = scheduler.open(chain(1), lanes=[0])
    for deadline in (1.5, 1 << 80):
        with pytest.raises(InputError, match="deadline_us is"):
            scheduler.submit(model, ROW, lane=0, deadline_us=deadline)  # type: ignore[arg-type]
    job = scheduler.submit(model, ROW, lane=0, deadline_us=-(1 << 60))
    with pytest.raises(InputError, match="timeout is nan"):
        job.result(timeout=float("nan"))
    assert job.result(timeout=float("inf")).times.missed
    for lanes, jobs in (([Lane(-1)], 1), ([Lane(1 << 33)], 1), ([Lane(64, depth=0)], 1)):
        with pytest.raises(InputError, match="is"):
            Scheduler(lanes, jobs=jobs)
    for jobs in (0, 1025, 70_000):
        with pytest.raises(InputError, match="jobs is"):
            Scheduler([Lane(64)], jobs=jobs)


def test_a_forked_process_leaves_it_alone() -> None:
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from sched_simulation import chain\n"
        "from ranvier.errors import JobError\n"
        "from ranvier.jobs import Lane, Scheduler\n"
        "s = Scheduler([Lane(64)]); m = s.open(chain(1), lanes=[0])\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    try:\n"
        "        s.submit(m, bytearray(16), lane=0)\n"
        "    except JobError as error:\n"
        "        assert 'another process' in str(error)\n"
        "    s.stop(); del s\n"
        "    sys.exit(7)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7\n"
        "s.stop()\n"
    )
    script = script.replace("bytearray(16)", "__import__('numpy').zeros(16, 'int8')")
    command = [sys.executable, "-c", script, str(Path(__file__).parent)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("thread_per_lane", [False, True])
def test_jobs_of_several_entry_points_share_their_state(thread_per_lane: bool) -> None:
    """Each model has a state of its own, and a swap keeps it where its layout is the same."""
    made = stateful.content()
    packages = [Package(write_package(replace(made, name=name))) for name in ("one", "other")]
    x = np.arange(stateful.SIZE, dtype=np.int8).reshape(1, -1)
    with Scheduler([Lane(1024)], thread_per_lane=thread_per_lane) as scheduler:
        one, other = (scheduler.open(package, lanes=[0]) for package in packages)
        for _ in range(3):
            (pushed,) = scheduler.submit(one, x, lane=0).result(10).outputs
            assert np.array_equal(pushed, x)
        scheduler.submit(other, x, lane=0).result(10)

        def read(model: OpenModel) -> Any:
            return scheduler.submit(model, lane=0, entry="read").result(10).outputs[0]

        assert np.array_equal(read(one), 3 * x)
        assert np.array_equal(read(other), x)
        one = scheduler.swap(one, write_package(replace(made, name="next")))
        assert np.array_equal(read(one), 3 * x)
        assert scheduler.submit(one, lane=0, entry="clear").result(10).outputs == ()
        assert not read(one).any()
        scheduler.drain(other)
        scheduler.reset(other)
        scheduler.resume(other)
        assert not read(other).any()
        with pytest.raises(InputError, match="no entry point 'pull'"):
            scheduler.submit(one, lane=0, entry="pull")
