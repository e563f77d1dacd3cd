# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random models: Ranvier against the reference, byte for byte (float32: within the contract).

``python -m ranvier.testing.sweep --cases 5000 --first-seed 0 [--op CONV_2D] [--isa dsp] [--optimize
all] [--max-step-macs 5000] [--jobs 2]``. Each seed makes one model and several inputs; the input
mode varies with it, and so do the instruction set, what is optimised for and the largest step,
where they are not given. A difference prints the command that repeats it. Exit code 1 where
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

from ranvier.compiler.driver import PACKINGS, CompileOptions, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.errors import ToolError
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.testing.cases import Case, Tolerance, generate, ops
from ranvier.testing.cases.registry import Array
from ranvier.testing.oracle import LitertOracle, Oracle, TfliteMicroOracle
from ranvier.testing.validate import F32_ABSOLUTE, F32_RELATIVE, f32_tolerance, validate

ORACLES: dict[str, type[TfliteMicroOracle] | type[LitertOracle]] = {
    TfliteMicroOracle.name: TfliteMicroOracle,
    LitertOracle.name: LitertOracle,
}
ISAS = tuple(PACKINGS)
GOALS = tuple(goal.value for goal in Goal)
SEVERAL = ("IMAGE_CHAIN", "IMAGE_CHAIN_F32")
"""Cases of several ops."""
_LOG2_MACS = 15
"""Largest steps vary from 1 to 2 to this power."""


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


@dataclass(frozen=True)
class Target:
    """What models are compiled for: names of an instruction set and a goal, and the largest step.

    "all" is each in turn; None is one that varies with the seed. ``max_step_macs`` is 0 for steps
    of any size.
    """

    isa: str | None = None
    optimize: str | None = None
    max_step_macs: int | None = None

    def combinations(self, seed: int) -> list[tuple[str, str]]:
        """Each instruction set and goal to compile a case for; generic code has no goals."""
        rng = np.random.default_rng([seed, 1])
        isas, goals = (
            names if name == "all" else (name or str(rng.choice(names)),)
            for name, names in ((self.isa, ISAS), (self.optimize, GOALS))
        )
        return list(
            dict.fromkeys(
                (isa, Goal.BALANCED.value if isa == "generic" else goal)
                for isa in isas
                for goal in goals
            )
        )

    def largest_step(self, seed: int) -> int | None:
        """The most multiply-accumulates of a step for a case; None: any number."""
        if self.max_step_macs is not None:
            return self.max_step_macs or None
        rng = np.random.default_rng([seed, 2])
        return None if rng.integers(3) == 0 else int(2 ** rng.uniform(0, _LOG2_MACS))

    @property
    def arguments(self) -> str:
        """The command line's arguments that say the same."""
        given = {
            "--isa": self.isa,
            "--optimize": self.optimize,
            "--max-step-macs": self.max_step_macs,
        }
        return "".join(f" {name} {value}" for name, value in given.items() if value is not None)


VARYING = Target()
"""One instruction set and goal for each seed."""


def run_case(seed: int, op: str | None = None, target: Target = VARYING) -> Outcome:
    """Compile and run one case and compare every output with its reference."""
    case = generate(seed, op)
    try:
        oracle: Oracle = ORACLES[case.reference](case.model)
    except ToolError:
        return Outcome(seed, case.op, 0, 0, skipped=True)
    where = ""
    compared = 0
    try:
        expected = [oracle.run(inputs) for inputs in case.inputs]
        for isa, goal in target.combinations(seed):
            options = CompileOptions(
                isa=isa,
                optimize=goal,
                input_mode=IoMode(case.seed % len(IoMode)),
                max_step_macs=target.largest_step(seed),
            )
            steps = options.max_step_macs
            where = f"{isa} {goal}" + ("" if steps is None else f" steps of {steps} MACs")
            compared += _compare(case, oracle, expected, options)
    except Difference as found:
        return Outcome(seed, case.op, 0, compared, f"{where}: {case.description}: {found}")
    except Exception:  # a sweep reports every failure and goes on
        failure = f"{where}: {case.description}\n{traceback.format_exc()}"
        return Outcome(seed, case.op, 0, compared, failure)
    return Outcome(seed, case.op, len(case.inputs), compared)


class Difference(Exception):
    """An output differs from the reference's."""


def _compare(
    case: Case, oracle: Oracle, expected: Sequence[Sequence[Array]], options: CompileOptions
) -> int:
    """Bytes of outputs compared, none of which differed; Difference otherwise.

    Of a model of several ops every layer is compared, for the first inputs: a last one may hide
    what was wrong.
    """
    model = Model(compile_model(case.model, f"{case.op}-{case.seed}.tflite", options).package)
    compared = 0
    if case.op in SEVERAL:
        found = validate(case.model, model.package, oracle, case.inputs[:1])
        wrong = found.first_divergent
        if wrong is not None:
            raise Difference(f"step {wrong.step}: {wrong.differing} of {wrong.elements} differ")
    for inputs, outputs in zip(case.inputs, expected, strict=True):
        allowed = _allowed(case, inputs, outputs)
        for got, want, most in zip(model.run(*inputs), outputs, allowed, strict=True):
            compared += want.nbytes
            if got.dtype != want.dtype or got.shape != want.shape:
                reference = f"the reference has {want.dtype}{want.shape}"
                raise Difference(f"{got.dtype}{got.shape}, {reference}")
            if most is not None:
                _require_within(got, want, most)
                continue
            raw = (np.frombuffer(array.tobytes(), np.uint8) for array in (got, want))
            differing = int(np.count_nonzero(np.not_equal(*raw)))
            if differing:
                raise Difference(f"{differing} of {want.nbytes} bytes differ")
    return compared


def _allowed(
    case: Case, inputs: Sequence[Array], outputs: Sequence[Array]
) -> Sequence[Array | None]:
    """How far every number of every output may be from the reference's; None: not at all."""
    if case.tolerance is Tolerance.EXACT:
        return [None] * len(outputs)
    if case.tolerance is Tolerance.ABSOLUTE:
        return [np.array(F32_ABSOLUTE)] * len(outputs)
    if case.tolerance is Tolerance.LAYERS:
        return [np.array(f32_tolerance(want)) for want in outputs]
    sums: Sequence[Array] = outputs
    if case.magnitudes is not None:
        oracle = ORACLES[case.reference](case.magnitudes)
        sums = oracle.run([np.abs(values) for values in inputs])
    return [np.maximum(F32_ABSOLUTE, F32_RELATIVE * np.abs(s.astype(np.float64))) for s in sums]


def _require_within(got: Array, want: Array, most: Array) -> None:
    """Raise Difference where a number is further from the reference's than it may be."""
    with np.errstate(invalid="ignore"):
        error = np.abs(got.astype(np.float64) - want.astype(np.float64))
    error = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0.0, error)
    beyond = ~(error <= most)
    if beyond.any():
        worst = float(np.nanmax(error / most))
        count = int(np.count_nonzero(beyond))
        raise Difference(f"{count} of {want.size} differ, by up to {worst:.3g} times the tolerance")


def sweep(
    seeds: Sequence[int], op: str | None, jobs: int, target: Target = VARYING
) -> list[Outcome]:
    """Every seed's outcome, in order, on ``jobs`` processes."""
    if jobs == 1:
        return [run_case(seed, op, target) for seed in seeds]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        count = len(seeds)
        return list(pool.map(run_case, seeds, [op] * count, [target] * count, chunksize=16))


def summary(outcomes: Sequence[Outcome], target: Target = VARYING) -> str:
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
                f"--first-seed {outcome.seed} --op {outcome.op}{target.arguments}"
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
    parser.add_argument("--isa", choices=[*ISAS, "all"], help="default: varies with the seed")
    parser.add_argument("--optimize", choices=[*GOALS, "all"], help="default: varies with the seed")
    parser.add_argument(
        "--max-step-macs", type=int, help="largest step, 0: any; default: varies with the seed"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    args = parser.parse_args(arguments)
    seeds = range(args.first_seed, args.first_seed + args.cases)
    target = Target(args.isa, args.optimize, args.max_step_macs)
    outcomes = sweep(seeds, args.op, args.jobs, target)
    print(f"seeds {seeds.start}..{seeds.stop - 1}")
    print(summary(outcomes, target))
    return 1 if any(outcome.failure for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
