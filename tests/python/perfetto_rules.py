# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The rules of Chrome's trace event format, as far as files for Perfetto use it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

FIELDS = {
    "M": {"args"},
    "X": {"ts", "dur", "tid", "cat"},
    "b": {"ts", "id", "cat", "tid"},
    "e": {"ts", "id", "cat", "tid"},
    "C": {"ts", "args"},
}
"""Fields that a phase needs, besides name, ph and pid."""


def nanoseconds(us: float) -> int:
    """As Perfetto reads a time; three digits are exact."""
    assert abs(us * 1000 - round(us * 1000)) < 1e-3
    return round(us * 1000)


def check(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Assert the format's rules; returns the events."""
    assert document["displayTimeUnit"] in ("ms", "ns")
    events: list[dict[str, Any]] = document["traceEvents"]
    stamps = [event["ts"] for event in events if event["ph"] != "M"]
    assert stamps == sorted(stamps)
    tracks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    asynchronous: dict[str, float] = {}
    for event in events:
        assert event.keys() >= {"name", "ph", "pid"} | FIELDS[event["ph"]]
        assert isinstance(event["name"], str)
        if event["ph"] == "X":
            assert event["dur"] >= 0
            begin = nanoseconds(event["ts"])
            tracks[event["tid"]].append((begin, begin + nanoseconds(event["dur"])))
        elif event["ph"] == "b":
            assert event["id"] not in asynchronous
            asynchronous[event["id"]] = event["ts"]
        elif event["ph"] == "e":
            assert asynchronous.pop(event["id"]) <= event["ts"]
        elif event["ph"] == "C":
            assert all(value >= 0 for value in event["args"].values())
    assert not asynchronous
    for slices in tracks.values():
        check_nesting(slices)
    named = {e["tid"] for e in events if e["name"] == "thread_name"}
    assert named >= tracks.keys()
    return events


def check_nesting(slices: list[tuple[int, int]]) -> None:
    """In the order of the file each slice lies inside of the open one, or after it."""
    stack: list[tuple[int, int]] = []
    for begin, end in slices:
        while stack and stack[-1][1] <= begin and stack[-1] != (begin, end):
            stack.pop()
        if stack:
            assert stack[-1][0] <= begin
            assert end <= stack[-1][1]
        stack.append((begin, end))
