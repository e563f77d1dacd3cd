# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier profile --html``: a time line by lane, bars, histograms."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from cli_tools import put, ranvier, rich_files
from packages import rich
from page_rules import boxes, numbers, page_of, table
from prof_device import (
    DONE,
    FREQUENCY,
    NPU_BEGIN,
    NPU_END,
    START,
    STEP_BEGIN,
    STEP_END,
    SUBMIT,
    any_events,
    dump_of,
    model_row,
    record,
)
from ranvier.package.costs import package_crc

US = FREQUENCY // 1_000_000
STEPS = "Each bar is relative to the longest one of its column"


def step_rows(count: int) -> list[bytes]:
    return [
        struct.pack("<Q6I", (3 * i + 6) * US, 3, (i + 1) * US, (i + 3) * US, (i + 2) * US, 0, 0)
        for i in range(count)
    ]


def lanes_trace() -> bytes:
    """A job of lane 1 whose second step a job of lane 0 interrupts; one more waits for it."""
    count = len(rich().content.steps)
    times = (*range(10, 16), *range(20, 26), *range(31, 37))
    rows = [model_row(package_crc(rich().package), count, *times)]
    events = [
        record(SUBMIT, 0, 7, 0, lane=1),
        record(START, 10 * US, 7, 0, lane=1),
        record(STEP_BEGIN, 10 * US, 7, 0, lane=1),
        record(STEP_END, 30 * US, 7, 0, lane=1),
        record(SUBMIT, 32 * US, 8, 0, lane=1),
        record(STEP_BEGIN, 40 * US, 7, 1, lane=1),
        record(SUBMIT, 50 * US, 9, 0, lane=0),
        record(START, 60 * US, 9, 0, lane=0),
        record(STEP_BEGIN, 60 * US, 9, 0, lane=0),
        record(STEP_END, 80 * US, 9, 0, lane=0),
        record(DONE, 80 * US, 9, 0, lane=0),
        record(STEP_END, 90 * US, 7, 1, lane=1),
        record(NPU_BEGIN, 92 * US, 7, 2, lane=1),
        record(NPU_END, 99 * US, 7, 2, lane=1),
        record(DONE, 100 * US, 7, 0, lane=1),
        record(START, 100 * US, 8, 0, lane=1),
        record(DONE, 110 * US, 8, 0, lane=1),
    ]
    return dump_of(rows, step_rows(count), events)


def page(data: bytes, folder: Path, *more: object) -> object:
    trace = put(folder, "d.trace", data)
    answer = ranvier("profile", "--trace", trace, *more, "--html", folder / "p.html")
    assert answer.code == 0, answer.both
    return page_of((folder / "p.html").read_text(encoding="utf-8"))


def spans(root: object, key: str) -> dict[str, tuple[float, float]]:
    """Title of each bar, and from where to where it reaches."""
    return {title: (x, x + width) for title, x, _, width, _ in boxes(root, key)}  # type: ignore[arg-type]


def test_the_time_line_is_in_proportion(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    root = page(lanes_trace(), tmp_path, "--model", package)
    found = spans(root, "all")
    left, right = 66.0, 960.0 - 14.0

    def x(us: float) -> float:
        return left + us / 110 * (right - left)

    expected = {
        "rich, job 0x7: 90.0 us": (10, 100),
        "rich, job 0x9: 20.0 us": (60, 80),
        "rich, job 0x8: 10.0 us": (100, 110),
        "rich, job 0x7\nstep 0 CONV_2D_S8: 20.0 us": (10, 30),
        "rich, job 0x7\nstep 1 DEPTHWISE_CONV_2D_S8: 50.0 us": (40, 90),
        "rich, job 0x9\nstep 0 CONV_2D_S8: 20.0 us": (60, 80),
        "rich, job 0x7\npreempted for 20.0 us": (60, 80),
    }
    for title, (begin, end) in expected.items():
        (match,) = (key for key in found if key.startswith(title))
        assert found[match] == pytest.approx((x(begin), x(end)), abs=0.1), title
    assert any("step 2 " in title and "7.0 us" in title for title in found)
    longest = spans(root, "longest0")
    (job,) = (t for t in longest if t.startswith("rich, job 0x7: 90.0 us"))
    assert longest[job][1] - longest[job][0] > 0.9 * (right - left)


def test_queues_and_the_accelerator_have_rows(tmp_path: Path) -> None:
    root = page(lanes_trace(), tmp_path)
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert ">lane 0<" in text
    assert ">lane 1<" in text
    assert ">accelerator<" in text
    assert "lane 1: up to 1 jobs queued" in text
    assert numbers(root)["Lanes with steps"] == "2"  # type: ignore[arg-type]


def test_a_job_noted_as_submitted_after_its_start_is_not_queued_for_ever(tmp_path: Path) -> None:
    events = [
        record(START, 0, 5, 0),
        record(DONE, 10 * US, 5, 0),
        record(SUBMIT, 11 * US, 5, 0),
        record(START, 20 * US, 6, 0),
        record(DONE, 30 * US, 6, 0),
    ]
    count = len(rich().content.steps)
    rows = [model_row(1, count, *range(18))]
    page(dump_of(rows, step_rows(count), events), tmp_path)
    assert "jobs queued" not in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_tables_have_the_figures_of_json(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    trace = put(tmp_path, "d.trace", lanes_trace())
    options = ("profile", "--trace", trace, "--model", package)
    answer = ranvier(*options, "--html", tmp_path / "p.html", "--json")
    root = page_of((tmp_path / "p.html").read_text(encoding="utf-8"))
    (model,) = answer.json["models"]
    rows = table(root, STEPS)
    assert len(rows) == len(model["steps"])
    for row, step in zip(rows, model["steps"], strict=True):
        assert step["op"] in row[0]
        assert row[-5:-1] == [
            f"{step['runs']:,}",
            *(f"{step[name]:,.1f}" for name in ("min_us", "mean_us", "max_us")),
        ]
        assert row[-1] == f"{100 * step['share']:.1f} %"
    times = table(root, "Of all jobs that ended")
    assert [row[0].split("from")[0].split("ready")[0] for row in times] == [
        "queueing",
        "blocking",
        "response",
    ]
    assert float(times[2][-1]) == model["response"]["max_us"]


def test_a_histogram_counts_every_job(tmp_path: Path) -> None:
    model = rich_files(tmp_path)[0]
    answer = ranvier("profile", model, "--runs", 40, "--html", tmp_path / "p.html")
    assert answer.code == 0, answer.both
    root = page_of((tmp_path / "p.html").read_text(encoding="utf-8"))
    (picture,) = (s for s in root.iter("svg") if "From start to end" in s.findtext("title", ""))
    bars = [rect.findtext("title") or "" for rect in picture.iter("rect")]
    assert sum(int(bar.rsplit(": ", 1)[1]) for bar in bars) == 40
    assert "not of a device" in (tmp_path / "p.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(12))
def test_any_events_make_a_page(seed: int, tmp_path: Path) -> None:
    rows = [model_row(seed + i, 6, *range(18)) for i in range(4)]
    data = dump_of(rows, step_rows(24), any_events(seed, 300))
    page(data, tmp_path)
    page(dump_of(rows, step_rows(24), []), tmp_path)
    for _, x, _, width, _ in boxes(page_of((tmp_path / "p.html").read_text()), "all"):
        assert 66 <= x <= 946
        assert x + width <= 947


def test_long_traces_stay_small(tmp_path: Path) -> None:
    """A bar that nobody can see is left out: the page grows with what is drawn."""
    events = []
    for job in range(1, 4000):
        at = job * 10 * US
        events += [record(START, at, job, 0), record(STEP_BEGIN, at, job, 0)]
        events += [record(STEP_END, at + US, job, 0), record(DONE, at + US, job, 0)]
    count = len(rich().content.steps)
    rows = [model_row(1, count, *range(18))]
    page(dump_of(rows, step_rows(count), events), tmp_path)
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert len(text) < 1_500_000
    assert not re.search(r"\bnan\b|\binf\b", text)
