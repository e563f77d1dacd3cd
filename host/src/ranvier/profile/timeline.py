# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From events to what was under way when: jobs, steps, waits, as spans of time.

The ring may have lost the beginning, so a span whose beginning is not known is left out; one whose
end is not known ends with the trace. Spans of a lane are always properly nested.
"""

from __future__ import annotations

import enum
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field

from ranvier.profile.trace import Event, Kind, Trace


class What(enum.Enum):
    """What a span is."""

    JOB = "job"
    STEP = "step"
    PREEMPTED = "preempted"
    NPU = "npu"
    QUEUED = "queued"


@dataclass(frozen=True)
class Span:
    """Something that lasted from ``begin`` to ``end``, in cycles."""

    what: What
    begin: int
    end: int
    lane: int
    slot: int
    job: int
    step: int = 0
    last: Event | None = None
    """The event that ended it, if it is in the trace."""


@dataclass(frozen=True)
class Depth:
    """From ``at`` on, so many jobs of a lane were queued."""

    at: int
    lane: int
    queued: int


@dataclass(frozen=True)
class Timeline:
    """All spans, and how the queues' lengths changed."""

    spans: tuple[Span, ...]
    depths: tuple[Depth, ...]


@dataclass
class _Builder:
    """Follows the events; at most one job, step and wait is open in a lane."""

    spans: list[Span] = field(default_factory=list)
    depths: list[Depth] = field(default_factory=list)
    open: dict[tuple[int, What], Event] = field(default_factory=dict)
    queued: dict[int, Event] = field(default_factory=dict)
    begun: set[int] = field(default_factory=set)
    """Jobs seen first when they started or ended: the submission is lost, or noted late."""
    npu: Event | None = None

    def feed(self, event: Event) -> None:
        """The next event."""
        match event.kind:
            case Kind.SUBMIT:
                self.enqueue(event)
            case Kind.REFUSED:
                begin = self.queued.pop(event.job, None)
                if begin is not None:
                    self.depth(begin, event.at)
            case Kind.START:
                if not self.dequeue(event):
                    self.begun.add(event.job)
                self.close_job(event)
                self.open[event.lane, What.JOB] = event
            case Kind.STEP_BEGIN:
                self.close(What.PREEMPTED, event)
                self.close(What.STEP, event)
                self.open[event.lane, What.STEP] = event
            case Kind.STEP_END:
                self.close(What.STEP, event)
            case Kind.NPU_BEGIN:
                self.close_npu(event)
                self.npu = event
            case Kind.NPU_END:
                if self.npu is not None and self.npu.lane == event.lane:
                    self.close_npu(event)
            case Kind.PREEMPT:
                if (event.lane, What.STEP) not in self.open:
                    self.close(What.PREEMPTED, event)
                    self.open[event.lane, What.PREEMPTED] = event
            case Kind.RESUME:
                self.close(What.PREEMPTED, event)
            case Kind.DONE:
                waited = self.dequeue(event)
                job = self.open.get((event.lane, What.JOB))
                if job is not None and job.job == event.job:
                    self.close_job(event)
                elif not waited:
                    self.begun.add(event.job)

    def enqueue(self, event: Event) -> None:
        if event.job in self.begun:
            self.begun.remove(event.job)
            return
        self.queued[event.job] = event
        self.depth(event)

    def dequeue(self, event: Event) -> bool:
        """Whether the job was queued."""
        begin = self.queued.pop(event.job, None)
        if begin is not None:
            self.add(What.QUEUED, begin, event)
            self.depth(begin, event.at)
        return begin is not None

    def depth(self, event: Event, at: int | None = None) -> None:
        count = sum(other.lane == event.lane for other in self.queued.values())
        self.depths.append(Depth(event.at if at is None else at, event.lane, count))

    def close_job(self, event: Event) -> None:
        for what in (What.PREEMPTED, What.STEP, What.JOB):
            self.close(what, event)

    def close(self, what: What, event: Event) -> None:
        begin = self.open.pop((event.lane, what), None)
        if begin is not None:
            self.add(what, begin, event)

    def close_npu(self, event: Event) -> None:
        if self.npu is not None:
            self.add(What.NPU, self.npu, event)
            self.npu = None

    def add(self, what: What, begin: Event, end: Event) -> None:
        last = end if end.job == begin.job else None
        self.spans.append(
            Span(what, begin.at, end.at, begin.lane, begin.slot, begin.job, begin.step, last)
        )

    def finish(self, at: int) -> None:
        """End what is open with the trace."""
        still = [(what, event) for (_, what), event in self.open.items()]
        still += [(What.QUEUED, event) for event in self.queued.values()]
        still += [(What.NPU, self.npu)] if self.npu is not None else []
        for what, event in still:
            self.spans.append(
                Span(what, event.at, at, event.lane, event.slot, event.job, event.step)
            )


def timeline(trace: Trace) -> Timeline:
    """The spans of a trace, by their beginning, outer ones first."""
    builder = _Builder()
    for event in trace.events:
        builder.feed(event)
    if trace.events:
        builder.finish(trace.events[-1].at)
    spans = builder.spans
    if not trace.parallel:
        spans += _interruptions([span for span in spans if span.what == What.STEP])
    order = list(What)
    spans.sort(key=lambda span: (span.begin, -span.end, order.index(span.what)))
    return Timeline(tuple(spans), tuple(builder.depths))


def _interruptions(steps: list[Span]) -> Iterable[Span]:
    """Where more urgent steps ran inside of steps: one core does one thing at a time."""
    for lane in sorted({step.lane for step in steps}):
        busy = _union(step for step in steps if step.lane < lane)
        begins = [begin for begin, _ in busy]
        for step in (step for step in steps if step.lane == lane):
            for begin, end in busy[bisect_left(begins, step.begin) :]:
                if begin >= step.end:
                    break
                if end <= step.end:
                    yield Span(What.PREEMPTED, begin, end, lane, step.slot, step.job, step.step)


def _union(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """The times that the spans cover, in order."""
    covered: list[tuple[int, int]] = []
    for span in sorted(spans, key=lambda span: span.begin):
        if covered and span.begin < covered[-1][1]:
            covered[-1] = (covered[-1][0], max(covered[-1][1], span.end))
        else:
            covered.append((span.begin, span.end))
    return covered
