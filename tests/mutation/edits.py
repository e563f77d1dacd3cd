# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which mutants a file has, by its kind, and in which order they are tried."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import edits_asm
import edits_c
import edits_python
from mutant import Mutant


def mutants_of(path: Path, text: str) -> list[Mutant]:
    """Every mutant of a file, in the order of the text."""
    makers = {".py": edits_python, ".S": edits_asm, ".inc": edits_asm}
    found: Iterable[Mutant] = makers.get(path.suffix, edits_c).mutants(text)
    unique = dict.fromkeys(m for m in found if m.apply(text) != text)
    return sorted(unique, key=lambda m: (m.start, m.end, m.rule, m.new))


def sampled(mutants: Iterable[Mutant], seed: str) -> Iterator[Mutant]:
    """All mutants in random order, by turns of every rule: common edits do not crowd out others."""
    rng = random.Random(seed)
    by_rule: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_rule.setdefault(mutant.rule, []).append(mutant)
    queues = [by_rule[rule] for rule in sorted(by_rule)]
    for queue in queues:
        rng.shuffle(queue)
    while queues:
        rng.shuffle(queues)
        for queue in queues:
            yield queue.pop()
        queues = [queue for queue in queues if queue]
