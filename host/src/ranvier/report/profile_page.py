# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier profile`` as a page: what ran when, what each step took, how long jobs took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ranvier.model import Package
from ranvier.profile import SlotProfile, StepRow, Summary, Trace
from ranvier.profile.timeline import Span, Timeline, What, timeline
from ranvier.report.markup import Child, Markup, el, join
from ranvier.report.page import Cell, bar, legend, page, section, table, tiles
from ranvier.report.timeline_chart import Names, around, histogram, timeline_chart, whole

_COLOURS = [
    ("job", "job"),
    ("c0", "step; colours only tell neighbours apart"),
    ("preempted", "preempted by a more urgent lane"),
]
_LEAST_JOBS = 5
"""Of fewer jobs there is no histogram."""


def profile_html(
    file: str,
    trace: Trace,
    packages: Mapping[int, Package],
    rows: Mapping[int, Sequence[StepRow]],
) -> str:
    """The page's text; ``rows`` are the steps of every slot."""
    names = Names({slot: package.name for slot, package in packages.items()}, rows)
    where = "times of this host, not of a device" if trace.host else "a recorded trace"
    lost = f"; {trace.lost:,} older events were lost" if trace.lost else ""
    title = " and ".join(names.model(slot.slot) for slot in trace.slots) or "No model was watched"
    return page(title, f"{file}; {where}{lost}", profile_sections(trace, names, rows))


def profile_sections(
    trace: Trace, names: Names, rows: Mapping[int, Sequence[StepRow]]
) -> Iterator[Child]:
    """What ran when, and what each step and each job took."""
    line = timeline(trace)
    yield tiles(_figures(trace, line))
    if line.spans:
        yield _when(trace, line, names)
    for slot in trace.slots:
        yield section(f"Steps of {names.model(slot.slot)}", _steps(rows[slot.slot]))
    for slot in trace.slots:
        yield _jobs(trace, line, names, slot)


def _figures(trace: Trace, line: Timeline) -> Iterator[tuple[str, str, Child]]:
    done = sum(slot.completed for slot in trace.slots)
    failed = sum(slot.failed for slot in trace.slots)
    missed = sum(slot.missed for slot in trace.slots)
    yield "Jobs completed", f"{done:,}", f"{failed:,} failed"
    yield "Deadlines missed", f"{missed:,}", f"of {done + failed:,} jobs"
    window = whole(line)
    length = trace.us(window.end - window.begin) if line.spans else 0.0
    yield "Time in the trace, us", f"{length:,.0f}", f"{len(trace.events):,} events"
    busy: dict[int, int] = {}
    for span in line.spans:
        if span.what is What.STEP:
            busy[span.lane] = busy.get(span.lane, 0) + span.end - span.begin
    used = {lane: count for lane, count in enumerate(trace.arena_high_water) if count}
    details = ", ".join(f"lane {lane} {count:,}" for lane, count in used.items())
    yield "Lanes with steps", f"{len(busy)}", f"arena high-water {details} bytes" if used else ""


def _when(trace: Trace, line: Timeline, names: Names) -> Markup:
    pictures: list[Child] = [
        timeline_chart(trace, line, names, whole(line), "The whole trace", "all"),
    ]
    for slot in trace.slots:
        jobs = _complete(line, slot.slot)
        if jobs:
            slowest = max(jobs, key=lambda job: job.end - job.begin)
            title = f"The longest job of {names.model(slot.slot)}, job {slowest.job:#x}"
            window = around(slowest, line)
            pictures.append(el("h3", title))
            key = f"longest{slot.slot}"
            pictures.append(timeline_chart(trace, line, names, window, title, key))
    return section(
        "What ran when",
        pictures,
        legend(_COLOURS),
        note="Below each lane's jobs are their steps; above them, where jobs had to wait, how "
        "many were queued.",
    )


def _complete(line: Timeline, slot: int) -> list[Span]:
    """Jobs of a slot whose beginning and end are in the trace."""
    return [s for s in line.spans if s.what is What.JOB and s.slot == slot and s.last is not None]


def _steps(rows: Sequence[StepRow]) -> Markup:
    predicted = any(row.predicted for row in rows)
    npu = any(row.npu_runs for row in rows)
    barred = ("macs", "predicted", "mean_us", "max_us", "share", "npu_max_us")
    most = {name: max((getattr(row, name) for row in rows), default=0) for name in barred}
    lines: list[list[Cell]] = []
    for row in rows:
        part = f"{row.op}, rows {row.row0} to {row.row0 + row.rows - 1}" if row.rows else row.op
        cells: list[Cell] = [join(f"{row.step} {row.layer}".rstrip(" -"), el("small", part))]
        cells.append(bar(row.macs, most["macs"]))
        cells += [bar(row.predicted, most["predicted"])] if predicted else []
        cells += [f"{row.runs:,}", f"{row.min_us:,.1f}"]
        cells += [bar(row.mean_us, most["mean_us"], f"{row.mean_us:,.1f}")]
        cells += [bar(row.max_us, most["max_us"], f"{row.max_us:,.1f}")]
        cells += [bar(row.share, most["share"], f"{100 * row.share:.1f} %")]
        cells += [bar(row.npu_max_us, most["npu_max_us"], f"{row.npu_max_us:,.1f}")] if npu else []
        lines.append(cells)
    header = ["step, kernel", "MACs", *(["instructions"] if predicted else [])]
    header += ["runs", "min us", "mean us", "max us", "share"]
    header += ["accelerator, max us"] if npu else []
    return table("Each bar is relative to the longest one of its column", header, lines)


_TIMES = (
    ("queueing", "from submission to start"),
    ("blocking", "ready, but something less urgent ran"),
    ("response", "from submission to end"),
)


def _jobs(trace: Trace, line: Timeline, names: Names, slot: SlotProfile) -> Markup:
    name = names.model(slot.slot)
    counted = [(what, text, getattr(slot, what)) for what, text in _TIMES]
    rows = [
        [join(what, el("small", text)), *_row(summary)] for what, text, summary in counted
        if summary.count
    ]  # fmt: skip
    header = ["time, us", "jobs", "min", "mean", "p50", "p99", "max"]
    parts: list[Child] = [table("Of all jobs that ended", header, rows)] if rows else []
    jobs = [trace.us(job.end - job.begin) for job in _complete(line, slot.slot)]
    if len(jobs) >= _LEAST_JOBS:
        title = f"From start to end: the {len(jobs):,} jobs in the trace"
        parts += [el("h3", title), histogram(jobs, title, f"times{slot.slot}")]
    told = (
        f"{slot.completed:,} completed, {slot.failed:,} failed, {slot.missed:,} missed their "
        f"deadline; arena {slot.arena_bytes:,} bytes."
    )
    inexact = "" if trace.host else " p50 and p99 are within 12.5 %."
    return section(f"Jobs of {name}", parts, note=told + inexact)


def _row(summary: Summary) -> list[Cell]:
    values = (summary.min_us, summary.mean_us, summary.p50_us, summary.p99_us, summary.max_us)
    return [f"{summary.count:,}", *(f"{value:,.1f}" for value in values)]
