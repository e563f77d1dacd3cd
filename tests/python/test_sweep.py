# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A bounded sweep of random models against the reference, and the sweep's own tool."""

from __future__ import annotations

from typing import Any

import pytest

from ranvier.errors import ModelError
from ranvier.model import Model
from ranvier.testing import sweep as tool
from ranvier.testing.cases import ops
from ranvier.testing.sweep import GOALS, ISAS, Outcome, Target, main, run_case, summary, sweep

SEEDS = range(50)


@pytest.mark.parametrize("op", ops())
def test_every_op_equals_the_reference(op: str) -> None:
    outcomes = sweep(SEEDS, op, jobs=1)
    assert not any(outcome.failure for outcome in outcomes), summary(outcomes)
    if all(outcome.skipped for outcome in outcomes):
        pytest.skip("the reference is not installed")
    assert sum(outcome.compared for outcome in outcomes) > 1000
    assert sum(outcome.inputs for outcome in outcomes) >= 3 * len(SEEDS)


@pytest.mark.parametrize("optimize", GOALS)
@pytest.mark.parametrize("isa", ["dsp", "base"])
def test_chains_of_images_equal_the_reference(isa: str, optimize: str) -> None:
    """Packed kernels, layouts, rings, slices and what is replaced in place; other seeds each."""
    start = 1000 + 100 * (ISAS.index(isa) * len(GOALS) + GOALS.index(optimize))
    outcomes = sweep(range(start, start + 12), "IMAGE_CHAIN", 1, Target(isa, optimize))
    assert not any(outcome.failure for outcome in outcomes), summary(outcomes)
    if all(outcome.skipped for outcome in outcomes):
        pytest.skip("the reference is not installed")
    assert sum(outcome.compared for outcome in outcomes) > 1000


@pytest.mark.parametrize("isa", ["dsp", "base"])
def test_chains_of_images_in_single_rows_equal_the_reference(isa: str) -> None:
    start = 2000 + 100 * ISAS.index(isa)
    outcomes = sweep(range(start, start + 12), "IMAGE_CHAIN", 1, Target(isa, None, 1))
    assert not any(outcome.failure for outcome in outcomes), summary(outcomes)


def test_dense_images_are_no_rings() -> None:
    """Two ADDs of dense images in a chain that runs by rows: found by a sweep."""
    outcome = run_case(701029, "IMAGE_CHAIN", Target("dsp", "memory"))
    assert not outcome.failure, outcome.failure


def test_rows_that_nobody_needs_are_not_compared() -> None:
    """A slice of two rows into a ring of one, before a stride of 2: found by a sweep."""
    outcome = run_case(711546, "IMAGE_CHAIN", Target("dsp", "memory"))
    assert not outcome.failure, outcome.failure


def test_targets() -> None:
    """One of them varies with the seed, "all" is each, and generic code knows no goals."""
    every = Target("all", "all").combinations(1)
    assert len(every) == 1 + 2 * len(GOALS)
    assert [goal for isa, goal in every if isa == "generic"] == ["balanced"]
    assert Target("dsp", "memory").combinations(5) == [("dsp", "memory")]
    assert Target("dsp", "all").combinations(5) == [("dsp", goal) for goal in GOALS]
    varying = [Target().combinations(seed) for seed in range(200)]
    assert all(len(combinations) == 1 for combinations in varying)
    assert {combinations[0] for combinations in varying} == set(every)
    assert varying == [Target().combinations(seed) for seed in range(200)]


def test_largest_steps() -> None:
    """A number given, any (0), or one that varies with the seed: any of a third of the models."""
    assert Target(max_step_macs=700).largest_step(1) == 700
    assert Target(max_step_macs=0).largest_step(1) is None
    varying = [Target().largest_step(seed) for seed in range(300)]
    assert 60 < varying.count(None) < 140
    given = [steps for steps in varying if steps is not None]
    assert min(given) < 10
    assert 10_000 < max(given) < 2**15
    assert varying == [Target().largest_step(seed) for seed in range(300)]
    assert Target("dsp", "all", 0).arguments == " --isa dsp --optimize all --max-step-macs 0"


def test_a_target_is_repeated(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(Model, "run", lambda self, *inputs: [])
    arguments = ["--cases", "1", "--first-seed", "7", "--op", "ADD", "--jobs", "1"]
    assert main([*arguments, "--isa", "dsp", "--optimize", "all"]) == 1
    printed = capsys.readouterr().out
    assert "--first-seed 7 --op ADD --isa dsp --optimize all\n" in printed
    assert "ADD seed 7: dsp speed: " in printed


def test_a_difference_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    right = Model.run

    def wrong(self: Model, *inputs: Any) -> list[Any]:
        outputs = [output.copy() for output in right(self, *inputs)]
        outputs[0].flat[0] ^= 1
        return outputs

    monkeypatch.setattr(Model, "run", wrong)
    outcome = run_case(7, "ADD")
    assert "1 of" in outcome.failure
    assert "bytes differ" in outcome.failure
    assert main(["--cases", "2", "--first-seed", "7", "--op", "ADD", "--jobs", "1"]) == 1
    printed = capsys.readouterr().out
    assert "seeds 7..8" in printed
    repeat = "python -m ranvier.testing.sweep --jobs 1 --cases 1 --first-seed {} --op ADD"
    assert repeat.format(7) in printed
    assert repeat.format(8) in printed


@pytest.mark.parametrize("change", ["shape", "dtype"])
def test_another_shape_or_type_is_a_difference(
    change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = Model.run

    def wrong(self: Model, *inputs: Any) -> list[Any]:
        outputs = right(self, *inputs)
        if change == "shape":
            return [output.reshape(-1, 1, 1, 1, 1) for output in outputs]
        return [output.view("u1") for output in outputs]

    monkeypatch.setattr(Model, "run", wrong)
    assert "the reference has" in run_case(7, "ADD").failure


def test_an_error_is_a_failure_and_the_sweep_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    right = tool.compile_model

    def failing(model: bytes, name: str, options: Any) -> Any:
        if name.startswith("MUL-1."):
            raise ModelError("something")
        return right(model, name, options)

    monkeypatch.setattr(tool, "compile_model", failing)
    outcomes = sweep(range(3), "MUL", jobs=1)
    assert [bool(outcome.failure) for outcome in outcomes] == [False, True, False]
    assert "ModelError: something" in outcomes[1].failure


def test_several_processes_give_the_same() -> None:
    assert sweep(range(30), None, jobs=2) == sweep(range(30), None, jobs=1)


def test_the_command_prints_the_seeds_and_what_was_compared(capsys: Any) -> None:
    assert main(["--cases", "3", "--first-seed", "40", "--op", "RELU", "--jobs", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "seeds 40..42"
    assert lines[-1].split()[:2] == ["all", "3"]


def test_skipped_models_are_counted() -> None:
    outcomes = [Outcome(0, "ADD", 0, 0, skipped=True), Outcome(1, "ADD", 6, 60)]
    assert summary(outcomes).endswith("1 models skipped: their reference is not installed")
