# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What every page must be: well-formed, self-contained, readable by programs that read aloud."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser

_VOID = {"meta", "br", "wbr", "hr"}


class _Balance(HTMLParser):
    """Reads HTML as a browser does, and wants each element closed where it belongs."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"{tag}: an attribute twice"
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in _VOID

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def page_of(text: str) -> ET.Element:
    """The root of a page that keeps all rules."""
    start = "<!DOCTYPE html>\n"
    assert text.startswith(start)
    balance = _Balance()
    balance.feed(text)
    balance.close()
    assert balance.open == []
    root = ET.fromstring(text.removeprefix(start))
    # Both parsers read the same text, so there is nothing that they understand differently.
    assert "".join(balance.texts).strip() == "".join(root.itertext()).strip()
    _check_self_contained(root, text)
    _check_accessible(root)
    return root


def _check_self_contained(root: ET.Element, text: str) -> None:
    for element in root.iter():
        assert element.tag not in ("script", "link", "img", "iframe", "object", "use", "image", "a")
        for name, value in element.attrib.items():
            assert not name.startswith("on"), name
            assert name not in ("src", "href", "srcset", "action", "data", "xlink:href")
            assert "url(" not in value
    style = "".join(element.text or "" for element in root.iter("style"))
    assert not re.search(r"url\(|@import|@font-face|expression", style)
    assert not re.search(r"https?://|//[a-z]", re.sub(r"/\*.*?\*/", "", style))
    (policy,) = (m.get("content") for m in root.iter("meta") if m.get("http-equiv"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "prefers-color-scheme: dark" in style
    assert text.isprintable() or not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)


def _check_accessible(root: ET.Element) -> None:
    assert root.get("lang") == "en"
    metas = {meta.get("name"): meta.get("content") for meta in root.iter("meta")}
    assert (metas["viewport"] or "").startswith("width=device-width")
    assert len(list(root.iter("h1"))) == 1
    assert len(list(root.iter("main"))) == 1
    assert (root.findtext("head/title") or "") != ""
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)
    for picture in root.iter("svg"):
        assert picture.get("role") == "img"
        named = (picture.get("aria-labelledby") or "").split()
        assert named
        assert set(named) <= set(ids)
        assert picture.findtext("title")
    for table in root.iter("table"):
        assert table.findtext("caption")
        widths = {len(list(row)) for row in table.iter("tr")}
        assert len(widths) == 1, widths
        assert all(cell.get("scope") == "col" for cell in table.iterfind("thead/tr/th"))


def words(element: ET.Element | None) -> str:
    """All text in an element."""
    assert element is not None
    return "".join(element.itertext())


def table(root: ET.Element, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, without its header."""
    (found,) = (t for t in root.iter("table") if t.findtext("caption") == caption)
    return [[words(cell) for cell in row] for row in found.iterfind("tbody/tr")]


def numbers(root: ET.Element) -> dict[str, str]:
    """The large figures at the top by what they are."""
    (tiles,) = root.iter("dl")
    return {words(div.find("dt")): words(div.find("dd")) for div in tiles}


def boxes(root: ET.Element, key: str) -> Iterator[tuple[str, float, float, float, float]]:
    """Title, x, y, width and height of every block in the picture with this key."""
    for picture in root.iter("svg"):
        if picture.find("title") is not None and picture.find("title").get("id") == f"{key}-title":
            for group in picture.iter("g"):
                rect = group.find("rect")
                if rect is not None and "block" in (rect.get("class") or ""):
                    x, y, width, height = (
                        float(rect.get(name) or 0) for name in ("x", "y", "width", "height")
                    )
                    yield group.findtext("title") or "", x, y, width, height
