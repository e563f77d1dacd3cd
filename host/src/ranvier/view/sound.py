# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A sound's waveform, and what was heard in it."""

from __future__ import annotations

import numpy as np

from ranvier.audio import Samples
from ranvier.report.axes import LEFT, RIGHT, WIDTH, chart, text_width, ticks
from ranvier.report.markup import Markup, el
from ranvier.report.memory_chart import COLOURS
from ranvier.view.runs import Heard, Listened

_TOP, _HEIGHT, _ROW = 10.0, 120.0, 20.0
_COLUMNS = 880
_ROWS = 3
"""Labels of events that are close to each other take turns in so many rows."""


def sound_chart(run: Listened) -> Markup:
    """The waveform over time, with events below each other under it."""
    scale = (WIDTH - LEFT - RIGHT) / max(len(run.samples), 1)
    middle, bottom = _TOP + _HEIGHT / 2, _TOP + _HEIGHT
    parts = [
        el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=middle, y2=middle, class_="grid"),
        el("path", d=_outline(run.samples), class_="wave"),
        el("text", "sound", x=LEFT - 7, y=middle + 4, class_="tick end"),
    ]
    free = [0.0] * _ROWS
    used = 1
    for heard in run.heard:
        x = LEFT + heard.begin * scale
        width = max((heard.end - heard.begin) * scale, 1.0)
        at = x + width if heard.moment else x
        row = next((i for i, end in enumerate(free) if end <= at), int(np.argmin(free)))
        row = row if heard.moment else 0
        used = max(used, row + 1)
        free[row] = at + text_width(heard.label) + 14
        parts.append(_mark(heard, run.rate, (x, width), bottom + 4 + row * _ROW))
    base = bottom + 8 + used * _ROW
    parts.append(el("text", "heard", x=LEFT - 7, y=bottom + 18, class_="tick end"))
    seconds = len(run.samples) / run.rate
    for tick in ticks(seconds, 10):
        x = LEFT + tick * run.rate * scale
        parts.append(el("text", f"{tick:g}", x=x, y=base + 12, class_="tick mid"))
    parts.append(el("text", "seconds", x=WIDTH - RIGHT, y=base + 28, class_="tick end"))
    told = "; ".join(f"{h.label} at {h.end / run.rate:.2f} s" for h in run.heard[:20])
    return chart(base + 34, "The sound, and what was heard", told or "nothing", parts, "sound")


def _outline(samples: Samples) -> str:
    """The lowest and highest sample of each column, around the middle."""
    count = min(_COLUMNS, len(samples))
    if not count:
        return ""
    edges = np.linspace(0, len(samples), count + 1).astype(np.int64)
    high = np.maximum.reduceat(samples, edges[:-1]).astype(np.float64)
    low = np.minimum.reduceat(samples, edges[:-1]).astype(np.float64)
    middle, scale = _TOP + _HEIGHT / 2, _HEIGHT / 65536
    step = (WIDTH - LEFT - RIGHT) / count
    xs = LEFT + (np.arange(count) + 0.5) * step
    above = [f"{x:.1f} {middle - y * scale - 0.3:.1f}" for x, y in zip(xs, high, strict=True)]
    below = [f"{x:.1f} {middle - y * scale + 0.3:.1f}" for x, y in zip(xs, low, strict=True)]
    return "M" + "L".join([*above, *reversed(below)]) + "Z"


def _mark(heard: Heard, rate: int, span: tuple[float, float], y: float) -> Markup:
    x, width = span
    colour = f"c{heard.class_index % COLOURS}"
    when = f"{heard.end / rate:.2f} s"
    if not heard.moment:
        when = f"{heard.begin / rate:.2f} to {when}"
    score = "" if heard.score is None else f", score {heard.score:.4g}"
    title = el("title", f"{heard.label}{score}\n{when}")
    if heard.moment:
        end = x + width
        room = text_width(heard.label) + 8
        left = min(end, WIDTH - RIGHT - room)
        return el(
            "g",
            title,
            el("line", x1=end, x2=end, y1=_TOP, y2=y + 16, class_="limit"),
            el("rect", x=left, y=y, width=room, height=16, rx=3, class_=f"block {colour}"),
            el("text", heard.label, x=left + 4, y=y + 12, class_="in"),
        )
    parts = [title, el("rect", x=x, y=y, width=width, height=16, class_=f"block {colour}")]
    if text_width(heard.label) <= width - 6:
        parts.append(el("text", heard.label, x=x + 4, y=y + 12, class_="in"))
    return el("g", *parts)
