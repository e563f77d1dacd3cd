# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A page: one HTML file with its style in it, and nothing that is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from ranvier._version import __version__
from ranvier.report.markup import Child, Markup, el, join

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, subtitle: Child, sections: Iterable[Child]) -> str:
    """The whole file's text."""
    style = files("ranvier.report").joinpath("style.css").read_text(encoding="utf-8")
    rules = "\n".join(line for line in style.splitlines() if not line.startswith("/* SPDX"))
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        el("meta", name="color-scheme", content="light dark"),
        el("title", title),
        el("style", Markup(rules)),
    )
    main = el(
        "main",
        el("header", el("h1", title), el("p", subtitle, class_="sub")),
        sections,
        el("footer", f"Made by ranvier {__version__}."),
    )
    return f"<!DOCTYPE html>\n{el('html', head, el('body', main), lang='en')}\n"


def section(heading: str, *children: Child, note: Child = None) -> Markup:
    """A part of the page with a heading, and a sentence below it."""
    told = None if note is None else el("p", note, class_="sub")
    return el("section", el("h2", heading), told, children)


def tiles(values: Iterable[tuple[str, str, Child]]) -> Markup:
    """The figures that matter most: what, how much, and of what it is made."""
    return el(
        "dl",
        (
            el("div", el("dt", what), el("dd", much, class_="big"), el("dd", details))
            for what, much, details in values
        ),
        class_="tiles",
    )


@dataclass(frozen=True)
class Bar:
    """A number in a table with a bar; ``share`` of the longest is 0 to 1."""

    text: str
    share: float


Cell = Bar | Child


def table(
    caption: str, header: Sequence[str], rows: Iterable[Sequence[Cell]], texts: Iterable[int] = (0,)
) -> Markup:
    """A table; columns whose numbers are in ``texts`` hold words, all others numbers."""
    words = frozenset(texts)

    def kind(column: int) -> str | None:
        return None if column in words else "n"

    head = el("tr", (el("th", name, scope="col", class_=kind(i)) for i, name in enumerate(header)))
    body = (
        el(
            "tr",
            el("th", _cell(row[0]), scope="row", class_=kind(0)),
            (el("td", _cell(cell), class_=kind(i)) for i, cell in enumerate(row[1:], 1)),
        )
        for row in rows
    )
    whole = el("table", el("caption", caption), el("thead", head), el("tbody", body))
    return el("div", whole, class_="scroll", tabindex=0, role="group", aria_label=caption)


def _cell(cell: Cell) -> Child:
    if not isinstance(cell, Bar):
        return cell
    width = f"width:{100 * cell.share:.1f}%"
    return join(cell.text, el("i", style=width, class_="bar", aria_hidden="true"))


def bar(value: float, largest: float, text: str | None = None) -> Cell:
    """A number with a bar beside the largest one of its column; "-" for what is not known."""
    if not value:
        return "-" if text is None else text
    return Bar(f"{value:,.0f}" if text is None else text, value / largest if largest else 0.0)


def legend(entries: Iterable[tuple[str, str]]) -> Markup:
    """Colours of a chart: class and meaning."""
    return el(
        "ul",
        (
            el("li", el("i", class_=f"key {name}", aria_hidden="true"), text)
            for name, text in entries
        ),
        class_="legend",
    )


def folded(summary: str, *children: Child) -> Markup:
    """What opens on demand."""
    return el("details", el("summary", summary), children)
