# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Exactness, memory, code size and instructions of the test models on Cortex-M, as tables.

``make bench`` runs it. Exit code 1: a byte differs, a goal is missed, or a tool is missing. See
``benchmarks/README.md`` for what each figure means.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import check
import device
import host_times
import mix
import report
import steps
from goals import Goals
from measure import BUILD_TYPES, ROOT, Bench, Measured, measure, progress
from subjects import MODE, NAMES, Model, compiled, load, model_paths, subjects_of
from variants import CPU_NAMES, MAIN, VARIANTS, Variant

from ranvier.errors import RanvierError, ToolError
from ranvier.package.records import IoMode
from ranvier.testing import cortexm

RESULTS = Path(__file__).with_name("RESULTS.md")
PER_OP = Path(__file__).with_name("PER_OP.md")
BUDGET = Path(__file__).with_name("budget.json")
#: Options of a run whose results are committed.
INPUTS, BUILD_TYPE = 100, "Os"


def main() -> int:
    """Measure, print, write; the exit code."""
    options = _arguments()
    bench = Bench(options.build_type, options.systick)
    try:
        missing = cortexm.missing_tool()
        if missing is not None:
            raise ToolError(missing)
        if options.per_op or options.mix:
            print(_one(options, bench))
            return 0
        if options.check or options.update_budget:
            models = _models(options, device.COUNTED)
            return check.run(models, bench, BUDGET, update=options.update_budget)
        return _all(options, bench)
    except RanvierError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--models", default=",".join(NAMES), metavar="A,B", help="only these models")
    add("--inputs", type=int, default=INPUTS, metavar="N", help="input sets for each model (100)")
    add("--build-type", choices=BUILD_TYPES, default=BUILD_TYPE, help="optimisation (Os)")
    add("--systick", action="store_true", help="count by SysTick even where a plugin can")
    add("--host", action="store_true", help="also wall-clock times on this host")
    add("--check", action="store_true", help="only compare with budget.json")
    add("--update-budget", action="store_true", help="only measure for budget.json and write it")
    add("--per-op", metavar="MODEL", help="only a table of this model's ops")
    add("--mix", metavar="MODEL", help="only this model's instructions by mnemonic")
    one = parser.add_argument_group("of --per-op and --mix")
    keys = [variant.key for variant in VARIANTS]
    one.add_argument("--variant", choices=keys, default=MAIN.key, help=f"({MAIN.key})")
    one.add_argument("--cpu", choices=CPU_NAMES, help="(that of the variant)")
    one.add_argument("--all-channels", action="store_true", help="also those that never change")
    options = parser.parse_args()
    if options.inputs < device.COUNTED:
        parser.error(f"--inputs must be at least {device.COUNTED}")
    exact = options.build_type == BUILD_TYPE and not options.systick
    if (options.check or options.update_budget) and not exact:
        parser.error(f"the budget is of -{BUILD_TYPE}, counted by the plugin")
    if unknown := set(options.models.split(",")) - set(NAMES):
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return options


def _models(options: argparse.Namespace, inputs: int) -> list[Model]:
    """The models asked for, of those whose files are there."""
    models = []
    for name, path in model_paths(ROOT).items():
        if name in options.models.split(","):
            progress(f"{name}: {inputs} inferences by the reference")
            models.append(load(name, path, inputs))
    return models


def _all(options: argparse.Namespace, bench: Bench) -> int:
    models = _models(options, options.inputs)
    progress("compiling")
    subjects = subjects_of(models, VARIANTS, list(IoMode))
    measured = measure(subjects, bench)
    missed = Goals()
    shown = report.Options(options.inputs, options.build_type, options.build_type == BUILD_TYPE)
    text = report.report(measured, shown, missed)
    print(text)
    if options.host:
        print("\n## This host, wall-clock medians (information only)\n")
        print(report.host({s.key: host_times.measure(s) for s in subjects}))
    _write(text, measured, options)
    for goal in missed.missed:
        print(f"bench: GOAL MISSED: {goal}", file=sys.stderr)
    return 1 if missed.missed else 0


def _one(options: argparse.Namespace, bench: Bench) -> str:
    """Tables of one package on one CPU."""
    name = options.per_op or options.mix
    paths = model_paths(ROOT)
    if name not in paths:
        raise ToolError(f"there is no model {name!r}", f"one of {', '.join(paths)}")
    variant: Variant = next(v for v in VARIANTS if v.key == options.variant)
    cpu = options.cpu or variant.cpu
    model = load(name, paths[name], device.COUNTED)
    subject = compiled(model, variant, [MODE], all_channels=options.all_channels)
    firmware = bench.build(cpu)
    region = "infer" if options.mix else None
    cost = device.cost(subject, MODE, firmware, bench.counter(firmware, region))
    title = f"{subject.title}, {variant.key}, {CPU_NAMES[cpu]}, -{options.build_type}"
    if options.mix and not cost.mix:
        raise ToolError(f"a mix needs the plugin: {cost.note}")
    body = steps.op_table(steps.ops_of(subject, cost))
    if options.mix:
        body = mix.mix_tables(cost.mix, subject.macs)
    return f"## Instructions: {title}\n\n{body}"


def _write(text: str, measured: Measured, options: argparse.Namespace) -> None:
    """Keep a run of all models with the default options."""
    defaults = options.inputs == INPUTS and options.build_type == BUILD_TYPE
    models = {subject.model.name for subject in measured.subjects}
    if defaults and models == set(NAMES) and measured.note() is None:
        RESULTS.write_text(text + "\n")
        PER_OP.write_text(report.per_op(measured) + "\n")
        progress(f"wrote {RESULTS.relative_to(ROOT)}, {PER_OP.name}")
    else:
        progress(f"{RESULTS.relative_to(ROOT)} is left as it is: not all models or other options")


if __name__ == "__main__":
    sys.exit(main())
