# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Scales and labels that charts share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ranvier.compiler.report import Report
from ranvier.package.records import PackageContent
from ranvier.report.markup import Markup, el

WIDTH = 960.0
LEFT = 66.0
RIGHT = 14.0
_GLYPH = 6.1
"""Width of a character of 11 pixels, in pixels, a little more than it mostly is."""
DASH = "\N{EN DASH}"
_SLICES = 4
"""A layer that runs in slices is as wide as so many steps."""


def text_width(text: str) -> float:
    """About how wide a text in a chart is."""
    return _GLYPH * len(text)


def ticks(largest: float, count: int = 5) -> list[float]:
    """Round numbers from 0 to about ``largest``."""
    if not largest > 0:
        return [0.0]
    power = 10.0 ** math.floor(math.log10(largest / count))
    step = next(s * power for s in (1, 2, 5, 10) if largest / (s * power) <= count)
    return [i * step for i in range(math.floor(largest / step + 1e-9) + 1)]


def horizontal(y: float, label: str, right: float = WIDTH - RIGHT) -> list[Markup]:
    """A line of the grid with its label."""
    return [
        el("line", x1=LEFT, x2=right, y1=y, y2=y, class_="grid"),
        el("text", label, x=LEFT - 7, y=y + 4, class_="tick end"),
    ]


class StepAxis:
    """Steps in the order in which they run, from left to right; slices are narrower.

    ``edges`` has where each step begins, and where the last one ends.
    """

    def __init__(self, content: PackageContent, report: Report) -> None:
        slices = {layer.step: layer.slices for layer in report.layers}
        widths = [min(slices[step.op], _SLICES) / slices[step.op] for step in content.steps]
        scale = (WIDTH - LEFT - RIGHT) / (sum(widths) or 1)
        self.edges = [LEFT]
        for width in widths:
            self.edges.append(self.edges[-1] + width * scale)
        self._content = content
        self._slices = slices
        self._first: dict[int, int] = {}
        for index, step in enumerate(content.steps):
            self._first.setdefault(step.op, index)

    def span(self, first: int, last: int) -> tuple[float, float]:
        """Where the steps ``first`` to ``last`` begin, and their width."""
        begin, end = self.edges[first], self.edges[last + 1]
        return begin, end - begin

    def labels(self, y: float) -> list[Markup]:
        """The layers' numbers where they begin, as many as have room."""
        found: list[tuple[float, str]] = []
        free, shown = 0.0, ""
        for op, index in self._first.items():
            x, width = self.span(index, index)
            middle = x + min(width, 24.0) / 2
            half = text_width(str(op)) / 2 + 2
            if middle - half >= free:
                shown = str(op)
                found.append((middle, shown))
                free = middle + half
            elif self._slices[op] > 1:  # it takes turns with the one before
                shown = f"{shown.split(DASH)[0]}{DASH}{op}"
                middle = found[-1][0] + text_width(shown) / 2 - half
                found[-1] = (max(middle, found[-1][0]), shown)
                free = found[-1][0] + text_width(shown) / 2 + 2
        return [el("text", text, x=x, y=y, class_="tick mid") for x, text in found]

    @property
    def head(self) -> float:
        """Room for the names of entry points above a chart, if there are several."""
        return 18.0 if len(self._content.entries) > 1 else 0.0

    def entries(self, bottom: float) -> list[Markup]:
        """Where entry points begin, if there are several."""
        entries = self._content.entries
        if len(entries) < 2:
            return []
        return [
            el(
                "g",
                el("line", x1=x, x2=x, y1=2, y2=bottom, class_="entry"),
                el("text", entry.name, x=x + 5, y=12, class_="tick strong"),
            )
            for entry in entries
            if entry.step_count
            for x in (self.edges[entry.step_first],)
        ]


def chart(height: float, title: str, description: str, parts: Sequence[Markup], key: str) -> Markup:
    """An SVG picture that scrolls where the screen is narrow, and is read out by its title."""
    picture = el(
        "svg",
        el("title", title, id=f"{key}-title"),
        el("desc", description, id=f"{key}-desc"),
        *parts,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
    )
    return el("div", picture, class_="scroll", tabindex=0, role="group", aria_label=title)
