# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The core's scheduler on this host, driven by the POSIX port's threads.

Lanes, jobs and models lie in memory that one object owns.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ranvier.errors import InputError, JobError, ToolError
from ranvier.native.binding import ffi, library
from ranvier.native.session import NativePackage, aligned, refusal, status_name, text

_REMEDIES = {
    "ENOENT": "it was closed, swapped or is complete; open or submit it again",
    "EAGAIN": "wait until others are over, or give more room: depth, jobs, models",
    "ETIME": "the deadline cannot be met; submit earlier or with a later one",
    "ENOMEM": "give the lane a larger arena (arena_bytes of the package, at least)",
    "ESTATE": "bind the model to that lane; a draining model refuses jobs, and the lane of one "
    "with resident inputs those of all others",
    "EBUSY": "drain the model first; a model with resident inputs needs a lane without jobs",
    "EEXIST": "close the model of that name, or swap it",
    "ESTALE": "reset the model: its state is that of a job that did not complete",
}


#: Longest wait in one call of the core, in seconds.
_NOTICE = 0.1


@dataclass(frozen=True)
class LaneOptions:
    """A lane: arena and queue. ``drop_oldest``: what a full queue does instead of refusing."""

    arena_bytes: int
    depth: int = 8
    drop_oldest: bool = False
    atomic: bool = False


@dataclass(frozen=True)
class JobTimes:
    """How a job ended (``status``: "OK" or the code's name) and when, in microseconds."""

    status: str
    lane: int
    missed: bool
    preemptions: int
    submit_us: int
    start_us: int | None
    end_us: int
    blocked_us: int


def buffer(data: bytes) -> Any:
    """Memory of the size and contents of ``data``, aligned for every element type."""
    memory = ffi.new("char[]", len(data))
    ffi.memmove(memory, data, len(data))
    return memory


def contents(memory: Any) -> bytes:
    """The bytes of a :func:`buffer`."""
    return bytes(ffi.buffer(memory))


def _require(what: str, value: Any, low: int, high: int) -> None:
    """Raise :class:`InputError` unless ``value`` is a whole number in ``low .. high``."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise InputError(f"{what} is {value!r}", remedy=f"give a whole number from {low} to {high}")


def _slices(timeout_us: int | None) -> Iterator[int]:
    """Times to wait, one after the other, so that a stop is noticed meanwhile."""
    end = math.inf if timeout_us is None else time.monotonic() + timeout_us / 1e6
    while True:
        left = end - time.monotonic()
        yield int(max(0.0, min(left, _NOTICE)) * 1e6)
        if left <= 0:
            return


class NativeScheduler:
    """A scheduler and its driver threads; :meth:`stop` (or leaving the ``with``) ends them.

    Any thread may call any method. Raises :class:`JobError` with the core's code for what the core
    refuses.
    """

    def __init__(
        self,
        lanes: Sequence[LaneOptions],
        *,
        jobs: int = 32,
        models: int = 8,
        externals: int = 8,
        thread_per_lane: bool = False,
    ) -> None:
        lib = library()
        _require("number of lanes", len(lanes), 1, lib.RNV_SCHED_MAX_LANES)
        _require("jobs", jobs, 1, lib.RNV_SCHED_MAX_JOBS)
        _require("models", models, 1, 0xFFFF)
        _require("externals", externals, 1, 0xFFFF)
        for lane in lanes:
            _require("arena_bytes", lane.arena_bytes, 0, (1 << 31) - 1)
            _require("depth", lane.depth, 1, lib.RNV_LANE_MAX_DEPTH)
        self._lane_count = len(lanes)
        self._lib = lib
        #: The package of every model, and the memory of its persistent state.
        self._models: dict[int, tuple[NativePackage, Any]] = {}
        #: Memory of jobs that were not collected yet: the core may write it.
        self._buffers: dict[int, Sequence[Any]] = {}
        self._forgotten: set[int] = set()
        #: Lanes of models with resident inputs, and the jobs whose memory their arenas are.
        self._claims: dict[int, int] = {}
        self._occupants: dict[int, int] = {}
        self._lock = threading.Condition()
        self._calls = 0
        self._running = False
        self._process = os.getpid()
        self._kept: list[Any] = []
        self._driver = lib.rnv_posix_driver_create()
        if self._driver == ffi.NULL:
            raise ToolError("no memory for the scheduler's threads", remedy="close other programs")
        self._hooks = self._new("struct rnv_sched_hooks *")
        self._hooks.wake = lib.rnv_posix_wake
        self._hooks.completed = lib.rnv_posix_completed
        self._hooks.wake_context = self._driver
        config = self._new("struct rnv_sched_config *")
        config.lane_configs = self._lane_configs(lanes)
        config.lanes = self._new("struct rnv_lane[]", len(lanes))
        config.jobs = self._new("struct rnv_job[]", jobs)
        config.models = self._new("struct rnv_model[]", models)
        config.externals = self._new("void *[]", jobs * externals)
        config.lane_count = len(lanes)
        config.job_count = jobs
        config.model_count = models
        config.externals_per_job = externals
        config.hooks = self._hooks
        self._sched = self._new("struct rnv_sched *")
        try:
            self._expect(lib.rnv_sched_init(self._sched, config), "preparing the lanes")
            status = lib.rnv_posix_driver_start(self._driver, self._sched, thread_per_lane)
            self._expect(status, "starting the threads")
        except JobError:
            lib.rnv_posix_driver_destroy(self._driver)
            raise
        self._running = True

    def _new(self, kind: str, count: int | None = None) -> Any:
        owner = ffi.new(kind) if count is None else ffi.new(kind, count)
        self._kept.append(owner)
        return owner

    def _lane_configs(self, lanes: Sequence[LaneOptions]) -> Any:
        configs = self._new("struct rnv_lane_config[]", len(lanes))
        for config, lane in zip(configs, lanes, strict=True):
            owner, config.arena = aligned(lane.arena_bytes)
            self._kept.append(owner)
            config.arena_bytes = lane.arena_bytes
            config.queue = self._new("struct rnv_job *[]", lane.depth)
            config.depth = lane.depth
            config.overload = lane.drop_oldest
            config.flags = self._lib.RNV_LANE_ATOMIC if lane.atomic else 0
        return configs

    def __enter__(self) -> NativeScheduler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the threads; jobs that remain are never complete, and all other calls refused.

        Calls of other threads that are under way, waiting ones too, return first.
        """
        if os.getpid() != self._process:  # the threads are those of the process that forked
            return
        with self._lock:
            if not self._running:
                return
            self._running = False
            self._lock.wait_for(lambda: self._calls == 0)
        self._lib.rnv_posix_driver_stop(self._driver)
        self._lib.rnv_posix_driver_destroy(self._driver)

    def __del__(self) -> None:
        if getattr(self, "_running", False):
            self.stop()

    @contextmanager
    def _call(self) -> Iterator[None]:
        """Around every call of the core: not after :meth:`stop`, which waits for its end."""
        if os.getpid() != self._process:
            raise JobError("the scheduler is another process's", "ESTATE", "make one after fork")
        with self._lock:
            if not self._running:
                raise JobError("the scheduler was stopped", "ESTATE", "make another one")
            self._calls += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls -= 1
                self._lock.notify_all()

    def open(self, package: NativePackage, lanes: Sequence[int]) -> int:
        """Bind a package to lanes; returns the model's handle.

        One with resident inputs has the lanes for itself.
        """
        config, state = self._model_config(package, lanes)
        handle: Any = ffi.new("uint32_t *")
        diag: Any = ffi.new("struct rnv_diag *")
        with self._call():
            status = self._lib.rnv_model_open(self._sched, config, handle, diag)
        self._accepted(status, package, diag)
        with self._lock:
            self._models[int(handle[0])] = package, state
        if package.resident:
            self._claim(int(handle[0]), sorted(set(lanes)))
        return int(handle[0])

    def _claim(self, model: int, lanes: Sequence[int]) -> None:
        """Take lanes for a model that was just opened, or close it again."""
        try:
            for lane in lanes:
                with self._call():
                    status = self._lib.rnv_lane_claim(self._sched, lane, model)
                self._expect(status, f"taking lane {lane} for a model with resident inputs")
                self._claims[lane] = model
        except JobError:
            self.close(model)
            raise

    def swap(self, model: int, package: NativePackage) -> int:
        """Replace a drained model's package; returns the new handle, the old one is dead."""
        config, state = self._model_config(package, ())
        handle: Any = ffi.new("uint32_t *", model)
        diag: Any = ffi.new("struct rnv_diag *")
        with self._call():
            status = self._lib.rnv_model_swap(self._sched, config, handle, ffi.NULL, diag)
        self._accepted(status, package, diag)
        self._models.pop(model, None)
        self._models[int(handle[0])] = package, state
        return int(handle[0])

    def _model_config(self, package: NativePackage, lanes: Sequence[int]) -> tuple[Any, Any]:
        """The configuration and the owner of the state's memory."""
        for lane in lanes:
            _require("lane", lane, 0, self._lane_count - 1)
        config: Any = ffi.new("struct rnv_model_config *")
        config.data = package.data
        config.bytes = package.header.total_bytes
        config.lanes = sum(1 << lane for lane in set(lanes))
        config.state_bytes = package.header.state_bytes
        state, config.state = aligned(config.state_bytes)
        return config, state

    def _accepted(self, status: int, package: NativePackage, diag: Any) -> None:
        if status != 0 and diag.what != 0:
            raise refusal("the package", status, diag)
        self._expect(status, f"opening {text(package.header.name)!r}")

    def close(self, model: int) -> None:
        """Forget a model that has no jobs."""
        for lane in [lane for lane, owner in self._claims.items() if owner == model]:
            with self._call():
                self._expect(self._lib.rnv_lane_release(self._sched, lane), f"leaving lane {lane}")
            del self._claims[lane]
        with self._call():
            self._expect(self._lib.rnv_model_close(self._sched, model), "closing the model")
        self._models.pop(model, None)

    def drain(self, model: int, *, cancel: bool = False, timeout_us: int | None = None) -> bool:
        """Refuse further jobs of a model and wait for those it has; False where time ran out."""
        how = self._lib.RNV_DRAIN_CANCEL if cancel else self._lib.RNV_DRAIN_FINISH
        for limit in _slices(timeout_us):
            with self._call():
                status = self._lib.rnv_posix_drain(self._driver, model, how, limit)
            if status != self._lib.RNV_ETIMEDOUT:
                self._expect(status, "draining the model")
                return True
        return False

    def reset(self, model: int) -> None:
        """Clear the state of a model that has no jobs."""
        with self._call():
            self._expect(self._lib.rnv_model_reset(self._sched, model), "resetting the model")

    def undrain(self, model: int) -> None:
        """Accept jobs of a drained model again."""
        with self._call():
            status = self._lib.rnv_model_undrain(self._sched, model)
        self._expect(status, "ending the drain")

    def now_us(self) -> int:
        """The scheduler's clock, which deadlines are in."""
        return int(self._lib.rnv_now_us())

    def submit(
        self,
        model: int,
        buffers: Sequence[Any],
        lane: int,
        deadline_us: int | None = None,
        flags: int = 0,
        entry: int = 0,
    ) -> int:
        """Queue a job; returns its handle.

        ``buffers`` are made by :func:`buffer`, inputs of the entry point then outputs; they are
        kept here until the job is collected. ``deadline_us`` is absolute.
        """
        array: Any = ffi.new("struct rnv_buffer[]", len(buffers))
        for row, memory in zip(array, buffers, strict=True):
            row.data = memory
            row.bytes = ffi.sizeof(memory)
        request: Any = ffi.new("struct rnv_job_request *")
        request.model = model
        request.entry = entry
        request.flags = flags
        request.buffers = array
        request.buffer_count = len(buffers)
        return self._submit(request, lane, deadline_us, buffers)

    def submit_resident(
        self,
        model: int,
        inputs: Sequence[bytes],
        lane: int,
        deadline_us: int | None = None,
        entry: int = 0,
    ) -> tuple[int, list[Any]]:
        """Queue a job of a model with resident inputs; returns its handle, and its outputs' memory.

        That is the lane's arena: it has them from :meth:`wait` until :meth:`release`, and takes no
        other job until then.
        """
        self._reap()
        _require("lane", lane, 0, self._lane_count - 1)
        with self._lock:
            if self._claims.get(lane) != model:
                raise JobError(f"lane {lane} is not the model's", "ESTATE", _REMEDIES["ESTATE"])
            if lane in self._occupants:
                raise JobError(
                    f"lane {lane} has the inputs or outputs of another job",
                    "EBUSY",
                    "take that job's result first: resident inputs are for one job at a time",
                )
            self._occupants[lane] = 0
            package = self._models[model][0]
        try:
            for tensor, data in zip(package.inputs(entry), inputs, strict=True):
                ffi.memmove(self._resident(package, lane, tensor), data, len(data))
            outputs = [self._resident(package, lane, each) for each in package.outputs(entry)]
            request: Any = ffi.new("struct rnv_job_request *")
            request.model = model
            request.entry = entry
            job = self._submit(request, lane, deadline_us, ())
        except BaseException:
            del self._occupants[lane]
            raise
        self._occupants[lane] = job
        return job, outputs

    def _resident(self, package: NativePackage, lane: int, tensor: int) -> Any:
        """A tensor's memory in a lane's arena, as :func:`buffer` makes it."""
        with self._call():
            address = self._lib.rnv_lane_tensor(self._sched, lane, tensor)
        return ffi.cast(f"char(*)[{package.tensor_bytes(tensor)}]", address)[0]

    def _submit(
        self, request: Any, lane: int, deadline_us: int | None, buffers: Sequence[Any]
    ) -> int:
        self._reap()
        _require("lane", lane, 0, self._lane_count - 1)
        if deadline_us is not None:
            _require("deadline_us", deadline_us, 0, self._lib.RNV_NEVER - 1)
        request.lane = lane
        request.deadline_us = self._lib.RNV_NEVER if deadline_us is None else deadline_us
        job = ffi.new("uint32_t *")
        with self._call():
            self._expect(self._lib.rnv_job_submit(self._sched, request, job), "submitting the job")
            self._buffers[int(job[0])] = buffers
        return int(job[0])

    def release(self, job: int) -> None:
        """Outputs of a job with resident ones were read: its lane takes the next one."""
        for lane in [lane for lane, occupant in self._occupants.items() if occupant == job]:
            del self._occupants[lane]

    def forget(self, job: int) -> None:
        """Nobody will wait for a job: its result is dropped when it is complete."""
        self._forgotten.add(job)

    def _reap(self) -> None:
        """Collect the forgotten jobs that are complete."""
        result = ffi.new("struct rnv_job_result *")
        for job in tuple(self._forgotten):
            with self._call():
                status = self._lib.rnv_job_collect(self._sched, job, result)
            if status != self._lib.RNV_EAGAIN:
                self._forgotten.discard(job)
                self._buffers.pop(job, None)
                self.release(job)

    def wait(self, job: int, timeout_us: int | None = None) -> JobTimes | None:
        """Wait for a job and collect it; None where time ran out first."""
        result: Any = ffi.new("struct rnv_job_result *")
        for limit in _slices(timeout_us):
            with self._call():
                status = self._lib.rnv_posix_wait(self._driver, job, limit, result)
            if status != self._lib.RNV_ETIMEDOUT:
                break
        else:
            return None
        self._expect(status, "waiting for the job")
        self._buffers.pop(job, None)
        return JobTimes(
            status=status_name(result.status),
            lane=int(result.lane),
            missed=bool(result.missed),
            preemptions=int(result.preemptions),
            submit_us=int(result.submit_us),
            start_us=None if result.start_us == self._lib.RNV_NEVER else int(result.start_us),
            end_us=int(result.end_us),
            blocked_us=int(result.blocked_us),
        )

    def cancel(self, job: int) -> None:
        """Cancel a job; it still has to be waited for."""
        with self._call():
            self._expect(self._lib.rnv_job_cancel(self._sched, job), "cancelling the job")

    def set_deadline(self, job: int, deadline_us: int | None) -> None:
        """Change the deadline of a queued job."""
        if deadline_us is not None:
            _require("deadline_us", deadline_us, 0, self._lib.RNV_NEVER - 1)
        deadline = self._lib.RNV_NEVER if deadline_us is None else deadline_us
        with self._call():
            status = self._lib.rnv_job_set_deadline(self._sched, job, deadline)
        self._expect(status, "changing the deadline")

    def lane_stats(self, lane: int) -> Mapping[str, int]:
        """A lane's counters, named as in ``struct rnv_lane_stats``."""
        _require("lane", lane, 0, self._lane_count - 1)
        stats: Any = ffi.new("struct rnv_lane_stats *")
        with self._call():
            self._expect(self._lib.rnv_lane_stats_get(self._sched, lane, stats), f"lane {lane}")
        return {name: int(getattr(stats, name)) for name, _ in ffi.typeof(stats[0]).fields}

    def _expect(self, status: int, what: str) -> None:
        if status != 0:
            code = status_name(status)
            remedy = _REMEDIES.get(code, "see ranvier/sched.h for what it demands")
            raise JobError(f"{what}: the core answered {code}", code, remedy)
