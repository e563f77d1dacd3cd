# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Profiling on this host, in the form of a device's trace."""

from __future__ import annotations

from collections.abc import Sequence
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


def profile_host(package: Package, sets: Sequence[Sequence[ArrayLike]], runs: int) -> Trace:
    """Run a package on this host, ``runs`` times with the sets of inputs in turn.

    Before these, one run warms up. Jobs follow each other without a gap.
    """
    model = Model(package)
    model.run(*sets[0])
    times = [
        [round(step.seconds * _PER_SECOND) for step in model.profile(*inputs)[1]]
        for inputs in islice(cycle(sets), runs)
    ]
    whole = Summary.of([sum(run) / 1000 for run in times])
    none = Summary.of([])
    slot = SlotProfile(
        slot=0,
        package_crc=package_crc(package.data),
        arena_bytes=package.content.arena_bytes,
        completed=runs,
        failed=0,
        missed=0,
        queueing=none,
        blocking=none,
        response=whole,
        steps=tuple(_step(values) for values in zip(*times, strict=True)),
    )
    return Trace(
        cycles_per_second=_PER_SECOND,
        parallel=False,
        lost=0,
        arena_high_water=(slot.arena_bytes, *(0,) * (LANES - 1)),
        slots=(slot,),
        events=_events(times),
        host=True,
    )


def _step(values: Sequence[int]) -> StepCycles:
    return StepCycles(sum(values), len(values), min(values), max(values), values[-1], 0, 0)


def _events(times: Sequence[Sequence[int]]) -> tuple[Event, ...]:
    events: list[Event] = []
    at = 0
    for job, run in enumerate(times, start=1):
        events.append(Event(Kind.START, at, 0, 0, job))
        for step, spent in enumerate(run):
            events.append(Event(Kind.STEP_BEGIN, at, 0, 0, job, step))
            at += spent
            events.append(Event(Kind.STEP_END, at, 0, 0, job, step))
        events.append(Event(Kind.DONE, at, 0, 0, job))
    return tuple(events)
