# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs on this host: the scheduler of the device, with threads of this machine and NumPy arrays::

with Scheduler([Lane(16_384), Lane(65_536)]) as scheduler:
    keywords = scheduler.open("keywords.rnv", lanes=[0])
    job = scheduler.submit(keywords, frame, lane=0, deadline_us=20_000)
    (scores,) = job.result(timeout=1.0).outputs
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranvier.errors import InputError, RanvierError
from ranvier.model import Package, TensorInfo, check_count, encode
from ranvier.native.scheduler import JobTimes, LaneOptions, NativeScheduler, buffer, contents

__all__ = ["Job", "JobResult", "Lane", "OpenModel", "Scheduler"]

Lane = LaneOptions


@dataclass(frozen=True)
class OpenModel:
    """A package that is bound to lanes. Swapping it makes a new one; the old one is dead."""

    package: Package
    handle: int


@dataclass(frozen=True)
class JobResult:
    """A job's outputs (empty unless ``times.status`` is "OK") and how it went."""

    outputs: tuple[NDArray[Any], ...]
    times: JobTimes

    @property
    def response_us(self) -> int:
        """From submission to completion."""
        return self.times.end_us - self.times.submit_us


class Job:
    """A submitted job. Where it is dropped, the job still runs, and its result is dropped."""

    def __init__(
        self,
        native: NativeScheduler,
        handle: int,
        buffers: Sequence[Any],
        outputs: Sequence[TensorInfo],
    ) -> None:
        self._native = native
        self._buffers = buffers
        self._outputs = outputs
        self._result: JobResult | None = None
        self.handle = handle

    def result(self, timeout: float | None = None) -> JobResult:
        """Wait until the job is complete, at most ``timeout`` seconds (TimeoutError then)."""
        if self._result is None:
            times = self._native.wait(self.handle, _microseconds(timeout))
            if times is None:
                raise TimeoutError(f"the job is not complete after {timeout} s")
            try:
                self._result = JobResult(self._arrays() if times.status == "OK" else (), times)
            finally:
                self._native.release(self.handle)
        return self._result

    def cancel(self) -> None:
        """Cancel it: what has not started ends now, the rest at its next step boundary."""
        self._native.cancel(self.handle)

    def set_deadline(self, deadline_us: int | None) -> None:
        """Change its deadline (microseconds from now, None: none) while it is queued."""
        self._native.set_deadline(self.handle, _absolute(self._native, deadline_us))

    def __del__(self) -> None:
        if self._result is None:
            self._native.forget(self.handle)

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        first = len(self._buffers) - len(self._outputs)
        return tuple(
            np.frombuffer(contents(memory), dtype=info.dtype).reshape(info.shape)
            for info, memory in zip(self._outputs, self._buffers[first:], strict=True)
        )


class Scheduler:
    """Lanes of urgency, models bound to them, and jobs. Any thread may call any method."""

    def __init__(
        self, lanes: Sequence[Lane], *, jobs: int = 32, thread_per_lane: bool = False
    ) -> None:
        if not all(isinstance(lane, Lane) for lane in lanes):
            raise InputError(f"lanes are {lanes!r}", "give a list of Lane(arena_bytes=...)")
        self._native = NativeScheduler(lanes, jobs=jobs, thread_per_lane=thread_per_lane)

    def __enter__(self) -> Scheduler:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the threads; jobs that remain are never complete, and all other calls refused."""
        self._native.stop()

    def open(self, package: Package | str | Path | bytes, lanes: Sequence[int]) -> OpenModel:
        """Open a package and bind it to lanes, one with state to one.

        One with resident inputs needs lanes without jobs, and has them for itself: its inputs and
        outputs lie there, so a lane takes its next job when the last one's result was taken.
        """
        if isinstance(lanes, int) or not lanes:
            raise InputError(f"lanes is {lanes!r}", "give the numbers of lanes, as lanes=[0]")
        opened = _package(package)
        return OpenModel(opened, self._native.open(opened.native, lanes))

    def swap(self, model: OpenModel, package: Package | str | Path | bytes) -> OpenModel:
        """Let a model's jobs finish, then replace its package; the lanes stay.

        Where the new package is refused, the old one goes on. State is kept where both packages
        have the same layout of it. A model with resident inputs cannot be swapped.
        """
        opened = _package(package)
        for each in (model.package, opened):
            if each.native.resident:
                raise InputError(
                    f"{each.source} has resident inputs, and so lanes of its own",
                    remedy="close the model and open the other package",
                )
        self._native.drain(model.handle)
        try:
            return OpenModel(opened, self._native.swap(model.handle, opened.native))
        except RanvierError:
            self._native.undrain(model.handle)
            raise

    def drain(
        self, model: OpenModel, *, cancel: bool = False, timeout: float | None = None
    ) -> bool:
        """Refuse further jobs of a model and wait for those it has; False where time ran out.

        It refuses jobs until :meth:`resume` or :meth:`swap`.
        """
        return self._native.drain(model.handle, cancel=cancel, timeout_us=_microseconds(timeout))

    def resume(self, model: OpenModel) -> None:
        """Accept jobs of a drained model again."""
        self._native.undrain(model.handle)

    def close(self, model: OpenModel) -> None:
        """Drain and forget a model."""
        self._native.drain(model.handle)
        self._native.close(model.handle)

    def reset(self, model: OpenModel) -> None:
        """Make the state of a model zero, and no longer stale; it must have no jobs."""
        self._native.reset(model.handle)

    def submit(
        self,
        model: OpenModel,
        *inputs: ArrayLike,
        lane: int,
        deadline_us: int | None = None,
        entry: str | None = None,
    ) -> Job:
        """Queue a job with a copy of the inputs; the deadline is in microseconds from now.

        It runs the entry point of that name, the default one where none is given.
        """
        chosen = model.package.entry(entry)
        check_count(model.package, chosen, len(inputs))
        data = [encode(info, values) for info, values in zip(chosen.inputs, inputs, strict=True)]
        deadline = _absolute(self._native, deadline_us)
        if model.package.native.resident:
            handle, memory = self._native.submit_resident(
                model.handle, data, lane, deadline, chosen.number
            )
            return Job(self._native, handle, memory, chosen.outputs)
        sizes = [int(np.prod(info.shape)) * info.dtype.itemsize for info in chosen.outputs]
        buffers = [buffer(each) for each in (*data, *map(bytes, sizes))]
        handle = self._native.submit(model.handle, buffers, lane, deadline, entry=chosen.number)
        return Job(self._native, handle, buffers, chosen.outputs)

    def lane_stats(self, lane: int) -> Mapping[str, int]:
        """A lane's counters, named as in ``struct rnv_lane_stats``."""
        return self._native.lane_stats(lane)


def _package(source: Package | str | Path | bytes) -> Package:
    return source if isinstance(source, Package) else Package(source)


def _microseconds(timeout: float | None) -> int | None:
    if timeout is None or timeout == math.inf:
        return None
    if not isinstance(timeout, (int, float)) or math.isnan(timeout):
        raise InputError(f"timeout is {timeout!r}", remedy="give seconds, or None to wait for ever")
    return math.ceil(max(0.0, timeout) * 1e6)


def _absolute(native: NativeScheduler, deadline_us: int | None) -> int | None:
    if deadline_us is None:
        return None
    if not isinstance(deadline_us, int) or not abs(deadline_us) < 2**62:
        raise InputError(
            f"deadline_us is {deadline_us!r}", remedy="give whole microseconds from now, or None"
        )
    return max(0, native.now_us() + deadline_us)
