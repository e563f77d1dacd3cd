# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

#: A figure that there is not.
NONE = "-"


def table(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A table with columns of even width: the first ``left`` to the left, others to the right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def text(cells: Sequence[str]) -> str:
        aligned = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return f"| {' | '.join(aligned)} |"

    rule = ["-" * w if i < left else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    return "\n".join([text(lines[0]), f"| {' | '.join(rule)} |", *map(text, lines[1:])])


def number(value: int | None) -> str:
    """A number with its thousands apart."""
    return NONE if value is None else f"{value:,}"


def per(value: int, divisor: int) -> str:
    """A quotient with two digits."""
    return f"{value / divisor:.2f}" if divisor else NONE


def times(theirs: int | None, ours: int) -> str:
    """How many times as much another needs."""
    return NONE if theirs is None else f"{theirs / ours:.2f}x"
