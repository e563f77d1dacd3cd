# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Elements of HTML and SVG as strings in which everything from a model is escaped.

What is built is well-formed XML too, so that tests read it with a strict parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_VOID = frozenset({"meta", "br", "wbr", "hr", "link", "input"})


class Markup(str):
    """Text that is markup already; any other string is escaped where it becomes a child."""

    __slots__ = ()


Child: TypeAlias = str | int | float | Iterable["Child"] | None
"""Markup, text, a number, nothing, or several of these."""


def clean(text: str) -> str:
    """``text`` without control characters, which steer displays and are no XML."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def number(value: float) -> str:
    """A coordinate, with at most two digits after the point."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def join(*children: Child) -> Markup:
    """Children one after the other."""
    return Markup("".join(_child(child) for child in children))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, Markup):
        return str(child)
    if isinstance(child, str):
        return escape(clean(child))
    if isinstance(child, (int, float)):
        return number(child)
    return "".join(_child(one) for one in child)


def el(tag: str, *children: Child, **attributes: str | int | float | None) -> Markup:
    """An element; ``class_`` stands for ``class``, any other ``_`` in a name for ``-``.

    An attribute that is None is left out.
    """
    parts = [tag]
    for name, value in attributes.items():
        if value is not None:
            text = clean(value) if isinstance(value, str) else number(value)
            parts.append(f'{name.rstrip("_").replace("_", "-")}="{escape(text)}"')
    head = " ".join(parts)
    if tag in _VOID:
        return Markup(f"<{head}/>")
    return Markup(f"<{head}>{join(*children)}</{tag}>")
