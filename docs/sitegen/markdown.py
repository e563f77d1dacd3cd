# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Markdown as far as the site needs it: fenced blocks, and text outside of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}|:{3,})(.*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the words after its fence, its text, and the line of its fence (from 1)."""

    info: tuple[str, ...]
    text: str
    line: int

    @property
    def language(self) -> str:
        """The first word; empty without one."""
        return self.info[0] if self.info else ""


def _parts(text: str) -> Iterator[tuple[bool, list[str], int]]:
    """Runs of lines: whether they are a fenced code block, with its fences, and their first line.

    Directives between colons hold Markdown, so they count as text.
    """
    lines = text.splitlines(keepends=True)
    run: list[str] = []
    fence = ""
    begin = 1
    for number, line in enumerate(lines, 1):
        match = _FENCE.match(line.rstrip("\n"))
        if fence:
            run.append(line)
            if match and match[1].startswith(fence) and not match[2].strip():
                yield True, run, begin
                run, fence, begin = [], "", number + 1
        elif match and match[1][0] != ":":
            if run:
                yield False, run, begin
            run, fence, begin = [line], match[1], number
        else:
            run.append(line)
    if run:
        yield bool(fence), run, begin


def blocks(text: str) -> list[Block]:
    """All fenced code blocks, in order."""
    found = []
    for fenced, lines, begin in _parts(text):
        if fenced:
            match = _FENCE.match(lines[0].rstrip("\n"))
            assert match is not None
            found.append(Block(tuple(match[2].split()), "".join(lines[1:-1]), begin))
    return found


def outside(text: str, change: Callable[[str], str]) -> str:
    """``text`` with everything outside of fenced code blocks changed."""
    return "".join(
        "".join(lines) if fenced else change("".join(lines)) for fenced, lines, _ in _parts(text)
    )


def without_head_comment(text: str) -> str:
    """``text`` without the comment at its beginning, which has the licence."""
    return re.sub(r"\A<!--.*?-->\s*", "", text, flags=re.DOTALL)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; columns are not padded, so that one row's change is one line."""
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
