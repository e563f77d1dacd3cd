# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what the budget has, and compares."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import budget
import code_size
from budget import Budget, Difference, Figures
from markdown import NONE, number, table
from measure import Bench, progress
from subjects import MODE, Model, subjects_of
from variants import VARIANTS

from ranvier.errors import ToolError


def run(models: Sequence[Model], bench: Bench, path: Path, *, update: bool) -> int:
    """Compare with the budget in ``path``, or write it; the exit code."""
    if not update and not path.exists():
        raise ToolError(f"there is no {path.name}", "bench.py --update-budget makes it")
    measured, wrong, spread, note = _measure(models, bench)
    if note is not None:
        progress(note)
        if update:
            raise ToolError("a budget needs the exact counter")
    compiler = code_size.version("arm-none-eabi-gcc")
    print(f"{len(measured)} rows; instructions differ by at most {spread:.4%} between inputs")
    if wrong:
        print(f"bench: outputs differ from the reference: {', '.join(wrong)}", file=sys.stderr)
        return 1
    kept = budget.read(path) if path.exists() else Budget(compiler, {})
    names = [model.name for model in models]
    differences = budget.compare(kept.rows, measured, names)
    print(_table(differences, judged=not update) if differences else "nothing changed")
    if update:
        others = {key: row for key, row in kept.rows.items() if budget.model_of(key) not in names}
        budget.write(path, Budget(compiler, measured | others))
        return 0
    if kept.compiler != compiler:
        print(f"bench: the budget was made by {kept.compiler}, this is {compiler}", file=sys.stderr)
    left_out = sorted({budget.model_of(key) for key in kept.rows} - set(names))
    if left_out:
        print(f"bench: not measured: {', '.join(left_out)}", file=sys.stderr)
    return 1 if any(difference.failure for difference in differences) else 0


def _measure(
    models: Sequence[Model], bench: Bench
) -> tuple[dict[str, Figures], list[str], float, str | None]:
    """The figures, rows whose outputs are wrong, the largest spread, and a note on the counter."""
    measured: dict[str, Figures] = {}
    wrong = []
    spread = 0.0
    note = None
    progress("compiling")
    for subject in subjects_of(models, VARIANTS, [MODE]):
        progress(f"{subject.key}: {', '.join(subject.variant.cpus)}")
        for cpu in subject.variant.cpus:
            key = f"{subject.key}/{cpu}"
            cost = bench.cost(subject, MODE, cpu)
            measured[key] = Figures(cost.infer, cost.ram)
            spread = max(spread, cost.spread)
            note = cost.note
            if cost.differing:
                wrong.append(key)
    return measured, wrong, spread, note


def _table(differences: Sequence[Difference], *, judged: bool) -> str:
    rows = []
    for change in differences:
        before, after = change.before, change.after
        both = (before, after)
        growth = NONE
        if before is not None and after is not None:
            growth = f"{after.instructions / before.instructions - 1:+.2%}"
        instructions = [NONE if f is None else number(f.instructions) for f in both]
        ram = [NONE if f is None else number(f.ram) for f in both]
        rows.append(
            [change.key, *instructions, growth, *ram, (change.failure or "") if judged else ""]
        )
    head = ["model/variant/cpu", "instructions, budget", "now", "change", "RAM, budget", "now"]
    return table([*head, "fails"], rows)
