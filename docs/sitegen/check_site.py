# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: internal links and anchors lead somewhere, nothing is loaded from afar."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}


@dataclass
class Page:
    """What a page names: anchors, where its links lead, what it loads."""

    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name in ("id", "name"):
            if name in values:
                self.page.anchors.add(values[name])
        if tag == "a" and "href" in values:
            self.page.links.append(values["href"])
        elif tag == "link" and values.get("rel") in ("stylesheet", "icon", "preload", "preconnect"):
            self.page.loads.append(values["href"])
        elif tag in _LOADS and _LOADS[tag] in values:
            self.page.loads.append(values[_LOADS[tag]])


def read_page(text: str) -> Page:
    """What the HTML of a page names."""
    reader = _Reader()
    reader.feed(text)
    return reader.page


def wrong_links(site: Path) -> list[str]:
    """Everything that is wrong with the pages of the folder ``site``; empty if nothing is.

    Links to other hosts are not followed.
    """
    pages = {
        path.resolve(): read_page(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for target in page.loads:
            if urlsplit(target).scheme not in ("", "data") or target.startswith("//"):
                wrong.append(f"{name}: loads {target} from another host")
            elif not target.startswith("data:") and _place(path, target) is None:
                wrong.append(f"{name}: loads {target}, which is not there")
        for target in page.links:
            if urlsplit(target).scheme == "" and not target.startswith("//"):
                wrong += [f"{name}: {reason}" for reason in _against(path, target, pages)]
    return wrong


def _place(page: Path, target: str) -> Path | None:
    """The file that a link leads to; None where there is none."""
    name = unquote(urlsplit(target).path)
    place = (page.parent / name).resolve() if name else page
    if place.is_dir():
        place /= "index.html"
    return place if place.is_file() else None


def _against(path: Path, target: str, pages: dict[Path, Page]) -> list[str]:
    place = _place(path, target)
    if place is None:
        return [f"links to {target}, which is not there"]
    anchor = unquote(urlsplit(target).fragment)
    if anchor and place in pages and anchor not in pages[place].anchors:
        return [f"links to {target}, and that page has no such anchor"]
    return []
