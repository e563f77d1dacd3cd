# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The committed figures that a change may not make worse, and the comparison with them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

#: Instructions may grow by this fraction; RAM may not grow at all.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Figures:
    """Instructions of one inference, and bytes of RAM in input mode ``resident``."""

    instructions: int
    ram: int


@dataclass(frozen=True)
class Budget:
    """The compiler that made the figures, and the figures by model, variant and CPU."""

    compiler: str
    rows: Mapping[str, Figures]


@dataclass(frozen=True)
class Difference:
    """A row that changed; ``failure`` says why that is not acceptable, or is None."""

    key: str
    before: Figures | None
    after: Figures | None
    failure: str | None


def compare(
    budget: Mapping[str, Figures], measured: Mapping[str, Figures], models: Iterable[str]
) -> list[Difference]:
    """Every row that changed, in the order of what was measured; then those that are gone.

    A row is only missed where its model, the first part of its key, is one of ``models``: files of
    others are not there, so that they could not be measured.
    """
    changed = [
        Difference(key, budget.get(key), now, _failure(budget.get(key), now))
        for key, now in measured.items()
        if budget.get(key) != now
    ]
    known = set(models)
    for key, before in budget.items():
        if key not in measured and model_of(key) in known:
            changed.append(Difference(key, before, None, "is in the budget, was not measured"))
    return changed


def model_of(key: str) -> str:
    """The model of a row, with or without all of its channels."""
    return key.split("/")[0].removesuffix("-all")


def _failure(before: Figures | None, now: Figures) -> str | None:
    if before is None:
        return "was measured, is not in the budget"
    reasons = []
    if now.instructions > before.instructions * (1 + TOLERANCE):
        reasons.append(f"more than {TOLERANCE:.0%} more instructions")
    if now.ram > before.ram:
        reasons.append("more RAM")
    return " and ".join(reasons) or None


def read(path: Path) -> Budget:
    """Read a budget; OSError where there is none."""
    data = json.loads(path.read_text())
    return Budget(data["compiler"], {key: Figures(**row) for key, row in data["rows"].items()})


def write(path: Path, budget: Budget) -> None:
    """Write a budget: a row a line, so that a change shows as such."""
    rows = [f"    {json.dumps(key)}: {json.dumps(asdict(row))}" for key, row in budget.rows.items()]
    body = ",\n".join(rows)
    path.write_text(
        f'{{\n  "compiler": {json.dumps(budget.compiler)},\n  "rows": {{\n{body}\n  }}\n}}\n'
    )
