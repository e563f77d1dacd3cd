# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random single-op models: Ranvier against the reference, byte for byte.

``python -m ranvier.testing.sweep --cases 5000 --first-seed 0 [--op CONV_2D] [--jobs 2]``. Each seed
makes one model and several inputs; input mode and, where it applies, the package's path through
disk bytes vary with the seed. A difference prints the command that repeats it. Exit code 1 where
anything differs or fails.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import ToolError
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.testing.cases import Case, generate, ops
from ranvier.testing.oracle import LitertOracle, Oracle, TfliteMicroOracle

ORACLES: dict[str, type[TfliteMicroOracle] | type[LitertOracle]] = {
    TfliteMicroOracle.name: TfliteMicroOracle,
    LitertOracle.name: LitertOracle,
}


@dataclass(frozen=True)
class Outcome:
    """One case: how many output bytes were compared, and why it failed ("" where it passed).

    ``skipped`` says that the case's reference is not installed.
    """

    seed: int
    op: str
    inputs: int
    compared: int
    failure: str = ""
    skipped: bool = False


def run_case(seed: int, op: str | None = None) -> Outcome:
    """Compile and run one case and compare every output with its reference."""
    case = generate(seed, op)
    try:
        oracle: Oracle = ORACLES[case.reference](case.model)
    except ToolError:
        return Outcome(seed, case.op, 0, 0, skipped=True)
    try:
        return _compare(case, oracle)
    except Exception:  # a sweep reports every failure and goes on
        failure = f"{case.description}\n{traceback.format_exc()}"
        return Outcome(seed, case.op, 0, 0, failure)


def _compare(case: Case, oracle: Oracle) -> Outcome:
    options = CompileOptions(input_mode=IoMode(case.seed % len(IoMode)))
    model = Model(compile_model(case.model, f"{case.op}-{case.seed}.tflite", options).package)
    compared = 0
    for inputs in case.inputs:
        expected = oracle.run(inputs)
        for got, want in zip(model.run(*inputs), expected, strict=True):
            compared += want.nbytes
            if got.dtype != want.dtype or got.shape != want.shape:
                failure = f"{got.dtype}{got.shape}, the reference has {want.dtype}{want.shape}"
                return Outcome(case.seed, case.op, 0, compared, f"{case.description}: {failure}")
            differing = int(np.count_nonzero(got.view(np.uint8) != want.view(np.uint8)))
            if differing:
                failure = f"{case.description}: {differing} of {want.nbytes} bytes differ"
                return Outcome(case.seed, case.op, 0, compared, failure)
    return Outcome(case.seed, case.op, len(case.inputs), compared)


def sweep(seeds: Sequence[int], op: str | None, jobs: int) -> list[Outcome]:
    """Every seed's outcome, in order, on ``jobs`` processes."""
    if jobs == 1:
        return [run_case(seed, op) for seed in seeds]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(run_case, seeds, [op] * len(seeds), chunksize=16))


def summary(outcomes: Sequence[Outcome]) -> str:
    """A table by op and every failure with the command that repeats it."""
    models = Counter(outcome.op for outcome in outcomes)
    inputs, compared, failed, skipped = Counter[str](), Counter[str](), Counter[str](), 0
    lines = []
    for outcome in outcomes:
        inputs[outcome.op] += outcome.inputs
        compared[outcome.op] += outcome.compared
        failed[outcome.op] += bool(outcome.failure)
        skipped += outcome.skipped
        if outcome.failure:
            lines.append(f"{outcome.op} seed {outcome.seed}: {outcome.failure}")
            lines.append(
                "  repeat: python -m ranvier.testing.sweep --jobs 1 --cases 1 "
                f"--first-seed {outcome.seed} --op {outcome.op}"
            )
    lines.append(f"{'op':26} {'models':>7} {'inputs':>7} {'bytes compared':>15} {'failed':>7}")
    for op in sorted(models):
        row = f"{op:26} {models[op]:7} {inputs[op]:7} {compared[op]:15,} {failed[op]:7}"
        lines.append(row)
    row = f"{inputs.total():7} {compared.total():15,} {failed.total():7}"
    lines.append(f"{'all':26} {models.total():7} {row}")
    if skipped:
        lines.append(f"{skipped} models skipped: their reference is not installed")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sweep; the exit code is 1 where anything differs."""
    parser = argparse.ArgumentParser(prog="python -m ranvier.testing.sweep", description=__doc__)
    parser.add_argument("--cases", type=int, default=1000, help="number of models")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--op", choices=ops(), help="only this op")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    args = parser.parse_args(arguments)
    seeds = range(args.first_seed, args.first_seed + args.cases)
    outcomes = sweep(seeds, args.op, args.jobs)
    print(f"seeds {seeds.start}..{seeds.stop - 1}")
    print(summary(outcomes))
    return 1 if any(outcome.failure for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
