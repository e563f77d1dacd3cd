# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Jobs and steps by lane over time, and how often jobs took how long."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ranvier.profile import StepRow, Trace
from ranvier.profile.timeline import Span, Timeline, What
from ranvier.report.axes import LEFT, RIGHT, WIDTH, chart, horizontal, text_width, ticks
from ranvier.report.markup import Markup, el
from ranvier.report.memory_chart import COLOURS

_TOP = 10.0
_JOB, _STEP, _QUEUE, _GAP = 18.0, 18.0, 22.0, 14.0
_LEAST = 0.6
"""What is shorter than so many pixels is drawn so wide, and not every one of it."""
_THIN = 3.0
"""What is narrower has no border."""
_BINS = 30


@dataclass(frozen=True)
class Names:
    """How models and steps are called; ``rows`` by slot, as far as they are known."""

    models: Mapping[int, str]
    rows: Mapping[int, Sequence[StepRow]]

    def model(self, slot: int) -> str:
        """A model's name."""
        return self.models.get(slot, f"model {slot}")

    def step(self, span: Span) -> str:
        """A step's number, and its kernel where the package is at hand."""
        rows = self.rows.get(span.slot, ())
        row = rows[span.step] if span.step < len(rows) else None
        slice_ = f" rows {row.row0} to {row.row0 + row.rows - 1}" if row and row.rows else ""
        return f"{span.step} {row.op}{slice_}".rstrip() if row else str(span.step)


@dataclass(frozen=True)
class Window:
    """The part of a trace that a chart shows, in cycles."""

    begin: int
    end: int


def whole(line: Timeline) -> Window:
    """All of a trace."""
    return Window(
        min((span.begin for span in line.spans), default=0),
        max((span.end for span in line.spans), default=1),
    )


def around(job: Span, line: Timeline) -> Window:
    """A job, and a little before and after it."""
    pad = (job.end - job.begin) // 25
    every = whole(line)
    return Window(max(every.begin, job.begin - pad), min(every.end, job.end + pad))


class _Plot:
    """Lanes below each other in a window of time."""

    def __init__(self, trace: Trace, line: Timeline, names: Names, window: Window) -> None:
        self._trace, self._line, self._names, self._window = trace, line, names, window
        self._scale = (WIDTH - LEFT - RIGHT) / max(window.end - window.begin, 1)
        self.parts: list[Markup] = []
        self.bottom = _TOP

    def x(self, cycles: int) -> float:
        """Where a time lies, at the border where it is outside of the window."""
        inside = min(max(cycles, self._window.begin), self._window.end)
        return LEFT + (inside - self._window.begin) * self._scale

    def lane(self, lane: int) -> None:
        """A lane's queue, if it was ever filled, its jobs and their steps."""
        spans = [s for s in self._line.spans if s.lane == lane and self._seen(s)]
        self._label(f"lane {lane}", self.bottom + _JOB - 5)
        self._queue(lane)
        for what, height in ((What.JOB, _JOB), (What.STEP, _STEP)):
            self._row([s for s in spans if s.what is what], self.bottom, height)
            if what is What.STEP:
                waits = [s for s in spans if s.what is What.PREEMPTED]
                self._row(waits, self.bottom, height)
            self.bottom += height
        self.bottom += _GAP

    def accelerator(self) -> None:
        """What the accelerator did."""
        spans = [s for s in self._line.spans if s.what is What.NPU and self._seen(s)]
        self._label("accelerator", self.bottom + _STEP - 5)
        self._row(spans, self.bottom, _STEP)
        self.bottom += _STEP + _GAP

    def axis(self) -> None:
        """The time, from the beginning of the trace."""
        unit, factor = _unit(self._trace.us(self._window.end - self._window.begin))
        first = self._trace.us(self._window.begin) / factor
        length = self._trace.us(self._window.end - self._window.begin) / factor
        step = ticks(length, 8)[1] if length else 1.0
        self.parts.insert(0, el("g", *self._grid(first, length, step)))
        self.bottom += 18
        self.parts.append(
            el("text", f"time in {unit}", x=WIDTH - RIGHT, y=self.bottom + 14, class_="tick end")
        )
        self.bottom += 20

    def _grid(self, first: float, length: float, step: float) -> Iterator[Markup]:
        at = -(-first // step) * step
        while at <= first + length * 1.000001:
            x = LEFT + (at - first) / length * (WIDTH - LEFT - RIGHT) if length else LEFT
            yield el("line", x1=x, x2=x, y1=_TOP, y2=self.bottom, class_="grid")
            yield el("text", f"{at:,.10g}", x=x, y=self.bottom + 14, class_="tick mid")
            at += step

    def _seen(self, span: Span) -> bool:
        return span.end >= self._window.begin and span.begin <= self._window.end

    def _label(self, text: str, y: float) -> None:
        self.parts.append(el("text", text, x=LEFT - 7, y=y, class_="tick end"))

    def _queue(self, lane: int) -> None:
        """How many jobs of a lane were queued, if any was."""
        depths = self._depths(lane)
        most = max((count for _, count in depths), default=0)
        if most == 0:
            return
        base = self.bottom + _QUEUE - 4
        scale = (_QUEUE - 8) / most
        points, y = [f"M{LEFT:.2f} {base:.2f}"], base
        for at, count in depths:
            x, old, y = self.x(at), y, base - count * scale
            points.append(f"L{x:.2f} {old:.2f}L{x:.2f} {y:.2f}")
        end = f"L{WIDTH - RIGHT:.2f} {y:.2f}L{WIDTH - RIGHT:.2f} {base:.2f}Z"
        told = el("title", f"lane {lane}: up to {most} jobs queued")
        self.parts.append(el("path", told, d="".join(points) + end, class_="area scratch"))
        self.bottom += _QUEUE

    def _depths(self, lane: int) -> list[tuple[int, int]]:
        """From when on how many jobs were queued.

        A thread that submits may be noted after the lane has begun with the job, or ended it: then
        the job was never seen in the queue.
        """
        begun = {span.job for span in self._line.spans if span.what is What.JOB}
        changes: list[tuple[int, int]] = []
        for span in self._line.spans:
            if span.what is What.QUEUED and span.lane == lane:
                if span.last is not None:
                    changes += [(span.begin, 1), (span.end, -1)]
                elif span.job not in begun:
                    changes.append((span.begin, 1))
        changes.sort()
        return list(zip((at for at, _ in changes), accumulate(n for _, n in changes), strict=True))

    def _row(self, spans: Sequence[Span], y: float, height: float) -> None:
        drawn = LEFT - 1
        for span in spans:
            x, end = self.x(span.begin), self.x(span.end)
            if end <= drawn + _LEAST / 2 and span.what is not What.JOB:
                continue
            width = max(end - x, _LEAST)
            drawn = max(drawn, x + width)
            self.parts.append(self._span(span, (x, y + 1, width, height - 2)))

    def _span(self, span: Span, box: tuple[float, float, float, float]) -> Markup:
        x, y, width, height = box
        took = f"{self._trace.us(span.end - span.begin):,.1f} us"
        kind, label = _look(span), ""
        model = f"{self._names.model(span.slot)}, job {span.job:#x}"
        if span.what in (What.STEP, What.NPU):
            label = self._names.step(span)
            text = f"{model}\nstep {label}: {took}"
        elif span.what is What.PREEMPTED:
            text = f"{model}\npreempted for {took}"
        else:
            label = model
            text = f"{model}: {took}{_ending(span)}"
        thin = " thin" if width < _THIN else ""
        parts = [
            el("title", text),
            el("rect", x=x, y=y, width=width, height=height, class_=f"block {kind}{thin}"),
        ]
        for short in (label, label.split(" ")[0]):
            if short and text_width(short) <= width - 6:
                parts.append(el("text", short, x=x + 4, y=y + height - 4, class_="in"))
                break
        return el("g", *parts)


def _look(span: Span) -> str:
    if span.what is What.JOB:
        return "job missed" if span.last is not None and span.last.missed else "job"
    if span.what is What.PREEMPTED:
        return "preempted"
    return f"c{span.step % COLOURS}"


def _ending(span: Span) -> str:
    if span.last is None:
        return ", its end is not in the trace"
    missed = ", deadline missed" if span.last.missed else ""
    status = f", status {span.last.status}" if span.last.status else ""
    return f", {span.last.blocked_us:,} us blocked{status}{missed}"


def _unit(us: float) -> tuple[str, float]:
    """A unit of time in which so many microseconds are a handy number."""
    if us >= 10_000_000:
        return "seconds", 1e6
    return ("milliseconds", 1e3) if us >= 10_000 else ("microseconds", 1.0)


def timeline_chart(
    trace: Trace, line: Timeline, names: Names, window: Window, title: str, key: str
) -> Markup:
    """What ran when, a row for each lane."""
    plot = _Plot(trace, line, names, window)
    for lane in sorted({span.lane for span in line.spans if span.what is not What.NPU}):
        plot.lane(lane)
    if any(span.what is What.NPU for span in line.spans):
        plot.accelerator()
    plot.axis()
    text = (
        "Each lane has a row of jobs and below it one of their steps, from left to right in time."
    )
    return chart(plot.bottom, title, text, plot.parts, key)


def histogram(values: Sequence[float], title: str, key: str) -> Markup:
    """How many of some times, in microseconds, were how long."""
    unit, factor = _unit(max(values))
    low, high = min(values) / factor, max(values) / factor
    width = (high - low) / _BINS or 1.0
    edges = [low + width * i for i in range(1, _BINS)]
    counts = [0] * _BINS
    for value in values:
        counts[bisect_right(edges, value / factor)] += 1
    height, bottom = 110.0, 128.0
    bar = (WIDTH - LEFT - RIGHT) / _BINS
    most = max(counts)
    marks = [t for t in ticks(most, 4) if t == int(t)]
    parts = [m for t in marks for m in horizontal(bottom - t / most * height, f"{t:,.0f}")]
    for index, count in enumerate(counts):
        if count:
            tall = count / most * height
            told = f"{low + width * index:,.4g} to {low + width * (index + 1):,.4g} {unit}: {count}"
            box = {"x": LEFT + bar * index + 1, "y": bottom - tall, "width": bar - 2}
            parts.append(el("rect", el("title", told), height=tall, class_="block c0", **box))
    for place, side in ((0, ""), (_BINS // 2, " mid"), (_BINS, " end")):
        text = f"{low + width * place:,.4g}"
        parts.append(el("text", text, x=LEFT + bar * place, y=bottom + 16, class_=f"tick{side}"))
    parts.append(el("text", unit, x=LEFT, y=bottom + 32, class_="tick"))
    parts.append(el("text", "jobs", x=LEFT - 7, y=10, class_="tick end"))
    text = f"{len(values)} jobs took {low:,.4g} to {high:,.4g} {unit}."
    return chart(bottom + 38, title, text, parts, key)
