# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A bounded sweep of random single-op models against the reference, and the sweep's own tool."""

from __future__ import annotations

from typing import Any

import pytest

from ranvier.errors import ModelError
from ranvier.model import Model
from ranvier.testing import sweep as tool
from ranvier.testing.cases import ops
from ranvier.testing.sweep import Outcome, main, run_case, summary, sweep

SEEDS = range(50)


@pytest.mark.parametrize("op", ops())
def test_every_op_equals_the_reference(op: str) -> None:
    outcomes = sweep(SEEDS, op, jobs=1)
    assert not any(outcome.failure for outcome in outcomes), summary(outcomes)
    if all(outcome.skipped for outcome in outcomes):
        pytest.skip("the reference is not installed")
    assert sum(outcome.compared for outcome in outcomes) > 1000
    assert sum(outcome.inputs for outcome in outcomes) >= 3 * len(SEEDS)


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
