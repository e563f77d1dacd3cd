# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Profiling on this host, in the form of a device's trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice

from numpy.typing import ArrayLike

from ranvier.model import Model, Package
from ranvier.package.costs import package_crc
from ranvier.profile.trace import (
    LANES,
    Event,
    Kind,
    SlotProfile,
    StepCycles,
    Summary,
    Trace,
)

_PER_SECOND = 1_000_000_000
"""A cycle of a host's trace is a nanosecond."""


@dataclass(frozen=True)
class _Job:
    """A run of an entry point: its first step, and what each of its steps took."""

    first: int
    times: tuple[int, ...]


def profile_host(package: Package, sets: Sequence[Sequence[ArrayLike]], runs: int) -> Trace:
    """Run a package on this host, ``runs`` times with the sets of inputs in turn.

    A set has the inputs of every entry point, in their order, and each is a job. Before these, one
    run warms up. Jobs follow each other without a gap.
    """
    model = Model(package)
    for _ in _jobs(model, sets[0]):
        pass
    jobs = [job for inputs in islice(cycle(sets), runs) for job in _jobs(model, inputs)]
    whole = Summary.of([sum(job.times) / 1000 for job in jobs])
    taken: list[list[int]] = [[] for _ in package.content.steps]
    for job in jobs:
        for step, spent in enumerate(job.times, job.first):
            taken[step].append(spent)
    none = Summary.of([])
    slot = SlotProfile(
        slot=0,
        package_crc=package_crc(package.data),
        arena_bytes=package.content.arena_bytes,
        completed=len(jobs),
        failed=0,
        missed=0,
        queueing=none,
        blocking=none,
        response=whole,
        steps=tuple(map(_step, taken)),
    )
    return Trace(
        cycles_per_second=_PER_SECOND,
        parallel=False,
        lost=0,
        arena_high_water=(slot.arena_bytes, *(0,) * (LANES - 1)),
        slots=(slot,),
        events=_events(jobs),
        host=True,
    )


def _jobs(model: Model, inputs: Sequence[ArrayLike]) -> Iterator[_Job]:
    """A job of every entry point."""
    for entry, record in zip(model.package.entries, model.package.content.entries, strict=True):
        given, inputs = inputs[: len(entry.inputs)], inputs[len(entry.inputs) :]
        times = model.profile(*given, entry=entry.name)[1]
        yield _Job(record.step_first, tuple(round(step.seconds * _PER_SECOND) for step in times))


def _step(values: Sequence[int]) -> StepCycles:
    if not values:  # no entry point has the step
        return StepCycles(0, 0, 0, 0, 0, 0, 0)
    return StepCycles(sum(values), len(values), min(values), max(values), values[-1], 0, 0)


def _events(jobs: Sequence[_Job]) -> tuple[Event, ...]:
    events: list[Event] = []
    at = 0
    for number, job in enumerate(jobs, start=1):
        events.append(Event(Kind.START, at, 0, 0, number))
        for step, spent in enumerate(job.times, job.first):
            events.append(Event(Kind.STEP_BEGIN, at, 0, 0, number, step))
            at += spent
            events.append(Event(Kind.STEP_END, at, 0, 0, number, step))
        events.append(Event(Kind.DONE, at, 0, 0, number))
    return tuple(events)
