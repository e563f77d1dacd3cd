# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The scheduler benchmark's judgements, and that what is committed belongs together."""

from __future__ import annotations

import importlib
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from ranvier.errors import ToolError
from ranvier.testing import path_counts

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "sched"


def module(name: str) -> ModuleType:
    """A module of the benchmark, which is run as a script in its own folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


bench = module("sched_bench")
chart = module("sched_chart")
costs = module("sched_costs")
latency = module("sched_latency")

GOALS = {row.name: row.goal for row in costs.PATHS}


def printed(**change: str) -> str:
    """What the program prints, with one arrival of each kind and the lines of ``change``."""
    lines = ["*** Booting ***"]
    for name in latency.TITLES:
        lines += [f"{name} alone 1000", change.get(name, f"{name} 10 200 equal")]
    return "\r\n".join([*lines, "end\r\n"])


def test_goals_are_upper_bounds() -> None:
    assert costs.above_goal(GOALS) == []
    lines = costs.above_goal({**GOALS, "takeover": 301})
    assert len(lines) == 1
    assert "301 instructions, goal 300" in lines[0]


@pytest.mark.parametrize(("now", "failures"), [(90, 0), (102, 0), (103, 1)])
def test_growth_over_the_budget(now: int, failures: int) -> None:
    assert len(path_counts.above_budget({"takeover": now}, {"takeover": 100})) == failures


def test_rows_of_budget_and_results_are_the_same() -> None:
    assert path_counts.above_budget({}, {"takeover": 1}) == ["takeover: is not in the results"]
    assert path_counts.above_budget({"takeover": 1}, {}) == ["takeover: is not in the budget"]


def test_the_committed_budget_meets_the_goals() -> None:
    budget = path_counts.read_budget(costs.BUDGET)
    assert budget.keys() == GOALS.keys()
    assert costs.above_goal(budget) == []


def test_latencies_are_read_from_what_is_printed() -> None:
    series = latency.parse(printed(cooperative="cooperative 10 200 equal\ncooperative 30 5 equal"))
    assert list(series) == list(latency.TITLES)
    assert series["cooperative"] == latency.Series(1000, (10, 30), (200, 5))


def test_another_result_is_no_latency() -> None:
    with pytest.raises(ToolError, match="another result"):
        latency.parse(printed(cooperative="cooperative 10 200 DIFFERS"))
    with pytest.raises(ToolError, match="the program printed"):
        latency.parse(printed(cooperative="cooperative failed -110"))


def test_results_and_chart_are_of_the_committed_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = latency.read()
    assert series is not None
    results = (FOLDER / "RESULTS.md").read_text(encoding="utf-8")
    assert bench.report(path_counts.read_budget(costs.BUDGET), series) == results
    monkeypatch.setattr(chart, "CHART", tmp_path / "latency.svg")
    chart.draw(series)
    drawn = (tmp_path / "latency.svg").read_text(encoding="utf-8")
    assert drawn == (FOLDER / "latency.svg").read_text(encoding="utf-8")
    root = ET.fromstring(drawn)
    lines = root.findall("{http://www.w3.org/2000/svg}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [48] * len(series)
