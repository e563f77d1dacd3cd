# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A trace as Chrome's trace events in JSON, which Perfetto opens (ui.perfetto.dev).

Lanes are threads: a job is a slice, its steps and the times that it was preempted lie inside of it.
The accelerator is a thread of its own. Queued jobs are asynchronous slices, and the length of each
lane's queue is a counter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ranvier.model import Package
from ranvier.profile.steps import step_rows
from ranvier.profile.timeline import Span, Timeline, What, timeline
from ranvier.profile.trace import Trace

_PID = 1
_NPU = 100
"""Thread number of the accelerator; that of a lane is its number and 1."""


def perfetto_json(trace: Trace, packages: Mapping[int, Package]) -> str:
    """The file's text; ``packages`` names the models of slots, as far as they are known."""
    names = _Names(trace, packages)
    line = timeline(trace)
    events = [*_metadata(trace, line), *sorted(_events(trace, line, names), key=_order)]
    document = {"traceEvents": events, "displayTimeUnit": "ns"}
    return json.dumps(document, separators=(",", ":")) + "\n"


def _order(event: Mapping[str, Any]) -> float:
    return float(event["ts"])


class _Names:
    """How models and steps are called."""

    def __init__(self, trace: Trace, packages: Mapping[int, Package]) -> None:
        self._models = {slot: package.name for slot, package in packages.items()}
        self._steps: dict[tuple[int, int], str] = {}
        for slot in trace.slots:
            for row in step_rows(trace, slot, packages.get(slot.slot)):
                rows = f" rows {row.row0}+{row.rows}" if row.rows else ""
                self._steps[slot.slot, row.step] = f"{row.step} {row.op}{rows}".rstrip()

    def model(self, slot: int) -> str:
        return self._models.get(slot, f"model {slot}")

    def step(self, slot: int, step: int) -> str:
        return self._steps.get((slot, step), str(step))

    def span(self, span: Span) -> str:
        """A span's title."""
        if span.what in (What.STEP, What.NPU):
            return self.step(span.slot, span.step)
        if span.what == What.PREEMPTED:
            return "preempted"
        return f"{self.model(span.slot)} job {span.job:#x}"


def _metadata(trace: Trace, line: Timeline) -> Iterator[dict[str, Any]]:
    where = "this host" if trace.host else "device"
    yield _meta("process_name", 0, {"name": f"ranvier ({where})"})
    lanes = sorted({span.lane for span in line.spans if span.what != What.NPU})
    threads = [(lane + 1, f"lane {lane}") for lane in lanes]
    if any(span.what == What.NPU for span in line.spans):
        threads.append((_NPU, "accelerator"))
    for thread, name in threads:
        yield _meta("thread_name", thread, {"name": name})
        yield _meta("thread_sort_index", thread, {"sort_index": thread})


def _meta(name: str, thread: int, values: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "M", "name": name, "pid": _PID, "tid": thread, "ts": 0, "args": values}


def _events(trace: Trace, line: Timeline, names: _Names) -> Iterator[dict[str, Any]]:
    for number, span in enumerate(line.spans):
        event = _span(trace, span, names)
        if span.what == What.QUEUED:
            yield from _asynchronous(event, number)
        else:
            yield event
    for depth in line.depths:
        yield {
            "ph": "C",
            "name": f"lane {depth.lane} queue",
            "pid": _PID,
            "tid": 0,
            "ts": _us(trace, depth.at),
            "args": {"queued": depth.queued},
        }


def _span(trace: Trace, span: Span, names: _Names) -> dict[str, Any]:
    begin = _us(trace, span.begin)
    arguments: dict[str, Any] = {"model": names.model(span.slot), "job": f"{span.job:#x}"}
    if span.what in (What.STEP, What.NPU):
        arguments["step"] = span.step
    if span.last is None:
        arguments["end"] = "not in the trace"
    elif span.what in (What.JOB, What.NPU):
        arguments["status"] = span.last.status
    if span.last is not None and span.what == What.JOB:
        arguments |= {"missed": span.last.missed, "blocked_us": span.last.blocked_us}
    return {
        "ph": "X",
        "name": names.span(span),
        "cat": span.what.value,
        "pid": _PID,
        "tid": _NPU if span.what == What.NPU else span.lane + 1,
        "ts": begin,
        "dur": round(_us(trace, span.end) - begin, 3),
        "args": arguments,
    }


def _asynchronous(event: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """A slice that may overlap others of its thread, as a begin and an end."""
    end = round(event["ts"] + event.pop("dur"), 3)
    common = {**event, "id": f"{number:#x}"}
    yield {**common, "ph": "b"}
    yield {**common, "ph": "e", "ts": end}


def _us(trace: Trace, cycles: int) -> float:
    """Microseconds with three digits: the same cycles always give the same number."""
    return round(trace.us(cycles), 3)
