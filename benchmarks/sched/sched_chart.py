# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A chart of the latencies, as SVG."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from sched_latency import TITLES, Series

CHART = Path(__file__).with_name("latency.svg")
_WIDTH, _HEIGHT = 860, 510
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 24, 64, 392
_DECADES = (2, 6)
_COLOURS = {
    "calls_one_priority": "#b3261e",
    "calls_two_priorities": "#6b7280",
    "cooperative": "#1d5fbf",
    "cooperative_sliced": "#0d8a72",
    "thread_per_lane": "#b26a00",
}


def draw(series: Mapping[str, Series]) -> None:
    """Write the chart: latency, on a logarithmic scale, by arrival in the best-effort inference."""
    longest = max(max(row.arrivals) for row in series.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="13" fill="#1f2937">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="26" font-size="16" font-weight="bold">Arrival of a realtime job to '
        "its first step, beside a best-effort inference</text>",
        f'<text x="{_LEFT}" y="46" fill="#6b7280">instructions, Cortex-M33 under QEMU, Zephyr; '
        "logarithmic scale</text>",
        *_axes(longest),
    ]
    for number, (name, row) in enumerate(series.items()):
        parts += _line(name, row, longest)
        x = _LEFT + number % 2 * 390
        y = _BOTTOM + 70 + number // 2 * 18
        parts.append(
            f'<line x1="{x}" y1="{y - 4}" x2="{x + 22}" y2="{y - 4}" '
            f'stroke="{_COLOURS[name]}" stroke-width="2.5"/>'
            f'<text x="{x + 30}" y="{y}">{escape(TITLES[name])}</text>'
        )
    CHART.write_text("\n".join((*parts, "</svg>")) + "\n", encoding="utf-8")


def _x(arrival: float, longest: int) -> float:
    return _LEFT + arrival / longest * (_WIDTH - _LEFT - _RIGHT)


def _y(latency: float) -> float:
    low, high = _DECADES
    part = (math.log10(latency) - low) / (high - low)
    return _BOTTOM - part * (_BOTTOM - _TOP)


def _axes(longest: int) -> list[str]:
    parts = []
    for decade in range(_DECADES[0], _DECADES[1] + 1):
        y = _y(10**decade)
        parts.append(
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" '
            f'stroke="#e5e7eb"/><text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">'
            f"{10**decade:,}</text>"
        )
    for arrival in range(0, longest + 1, 200_000):
        parts.append(
            f'<text x="{_x(arrival, longest):.1f}" y="{_BOTTOM + 18}" text-anchor="middle">'
            f"{arrival:,}</text>"
        )
    parts.append(
        f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_BOTTOM + 40}" text-anchor="middle" '
        'fill="#6b7280">arrival after the first step of the best-effort inference</text>'
    )
    return parts


def _line(name: str, row: Series, longest: int) -> list[str]:
    points = [
        f"{_x(arrival, longest):.1f},{_y(latency):.1f}"
        for arrival, latency in zip(row.arrivals, row.latencies, strict=True)
    ]
    return [
        f'<polyline points="{" ".join(points)}" fill="none" stroke="{_COLOURS[name]}" '
        'stroke-width="2" stroke-linejoin="round"/>'
    ]
