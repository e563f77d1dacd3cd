# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a mutant is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One edit of a file's text: ``text[start:end]`` becomes ``new``; ``rule`` says why."""

    rule: str
    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """The mutated text."""
        return text[: self.start] + self.new + text[self.end :]

    def line(self, text: str) -> int:
        """The number of the line where the edit begins."""
        return text.count("\n", 0, self.start) + 1

    def lines(self, text: str) -> tuple[str, str]:
        """What the edit makes of the lines it touches: before and after, without indentation."""
        begin = text.rfind("\n", 0, self.start) + 1
        finish = text.find("\n", self.end)
        finish = len(text) if finish < 0 else finish
        after = text[begin : self.start] + self.new + text[self.end : finish]
        return text[begin:finish].strip(), after.strip()
