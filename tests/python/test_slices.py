# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Long steps split by rows: sizes of the slices, the same results, and what is reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import ceil
from pathlib import Path

import pytest

from cli_tools import put, ranvier
from guarded_runs import Guarded, Run
from packed_models import MODELS
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.ops import device_ops
from ranvier.errors import InputError
from ranvier.native import op_codes
from ranvier.package.costs import CostTable
from ranvier.package.reader import read_package
from ranvier.package.records import IoMode, OpRecord, PackageContent
from ranvier.package.writer import write_package
from sliced_models import TARGETS, in_place, waist_model

ALL = [*TARGETS, ("generic", "balanced")]
LIMITS = (1, 700, 5000, 40000)
BY_ROWS = {
    "CONV_PLANES_DSP_S8", "CONV_PLANES_BASE_S8", "POINTWISE_DSP_S8", "POINTWISE_BASE_S8",
    "DEPTHWISE_DSP_S8", "DEPTHWISE_PLANES_S8", "WINOGRAD_DSP_S8", "CONV_2D_S8",
    "DEPTHWISE_CONV_2D_S8",
}  # fmt: skip
"""Kernels that run by rows and count products, whatever their parameters."""


@cache
def compiled(
    isa: str, goal: str, mode: IoMode = IoMode.KEPT, limit: int | None = None
) -> CompileResult:
    options = CompileOptions(isa=isa, optimize=goal, input_mode=mode, max_step_macs=limit)
    return compile_model(waist_model(), "waist.tflite", options)


def device(op: OpRecord) -> str:
    return next(name for name, code in op_codes().items() if code == op.code)


def macs(op: OpRecord) -> int:
    return device_ops()[device(op)].macs(op.params)


def slices(content: PackageContent) -> Iterator[tuple[OpRecord, list[int]]]:
    """Every op with the rows of its steps, which must follow each other from row 0."""
    for number, op in enumerate(content.ops):
        steps = [step for step in content.steps if step.op == number]
        done = 0
        for step in steps:
            assert step.row0 == done
            done += step.rows or 0
        yield op, [step.rows or 0 for step in steps]


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize(("isa", "goal"), ALL)
def test_no_step_exceeds_the_limit_that_can_be_split(isa: str, goal: str, limit: int) -> None:
    result = compiled(isa, goal, IoMode.KEPT, limit)
    over = {number for number, _ in result.report.step_limit.over}  # type: ignore[union-attr]
    found = 0
    for number, (op, rows) in enumerate(slices(result.content)):
        total = sum(rows)
        largest = macs(op) * max(rows) / total if total else macs(op)
        assert (largest > limit) == (number in over)
        if largest > limit:
            assert max(rows) == 1 or device(op) not in BY_ROWS
        found += len(rows) > 1
    assert found or limit == LIMITS[-1]


@pytest.mark.parametrize("limit", LIMITS[1:])
@pytest.mark.parametrize(("isa", "goal"), [t for t in ALL if t[1] != "memory"])
def test_slices_are_few_and_alike(isa: str, goal: str, limit: int) -> None:
    """As many as the rows that fit demand, whose sizes differ by a row (Winograd: a pair)."""
    for op, rows in slices(compiled(isa, goal, IoMode.KEPT, limit).content):
        total = sum(rows)
        if not total:
            continue
        fitting = max(limit * total // macs(op), 1)
        pair = device(op) == "WINOGRAD_DSP_S8" and fitting > 1
        unit = 2 if pair else 1
        assert len(rows) == ceil(ceil(total / unit) / (fitting // unit))
        assert max(rows) - min(rows) <= (3 if pair else 1)


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize(("isa", "goal"), ALL)
def test_results_do_not_depend_on_slices(isa: str, goal: str, mode: IoMode) -> None:
    whole = Run(compiled(isa, goal, mode), 0x5A, 7).finish()
    for limit in LIMITS:
        result = compiled(isa, goal, mode, limit)
        for fill in (0x00, 0x80, 0xFF):
            run = Run(result, fill, 7)
            assert run.finish() == whole
            assert run.arena.guards_are_whole()
            assert run.lib.rnv_exec_selftest(run.exec) == 0


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("isa", ["dsp", "base", "generic"])
def test_models_do_not_depend_on_slices(path: Path, isa: str) -> None:
    def run(limit: int | None) -> list[bytes]:
        options = CompileOptions(isa=isa, max_step_macs=limit)
        result = compile_model(path.read_bytes(), path.name, options)
        steps[limit] = len(result.content.steps)
        return Run(result, 0x33, 3).finish()

    steps: dict[int | None, int] = {}
    assert run(None) == run(100_000)
    if "ad01" not in path.name:  # that one has no images
        assert steps[100_000] > steps[None]


def test_a_switch_at_every_slice_to_another_model() -> None:
    """Each step of one is followed by a whole run of the other, in an arena of its own."""
    one, other = compiled("dsp", "memory", limit=700), compiled("base", "speed", limit=5000)
    expected = [Run(result, 0x11, 5).finish() for result in (one, other)]
    shared = Guarded(other.content.arena_bytes, 0xEE)
    run = Run(one, 0x22, 5)
    run.start()
    more = True
    while more:
        more = run.step()
        assert Run(other, 0xEE, 5, shared).finish() == expected[1]
    assert run.outputs() == expected[0]


@pytest.mark.parametrize("mode", IoMode)
def test_what_slices_cost_is_reported(mode: IoMode) -> None:
    """A depthwise filter reads its neighbours, so in slices it cannot work in place."""
    whole, sliced = (in_place(mode, limit) for limit in (None, 5000))
    report = sliced.report
    limit = report.step_limit
    assert limit is not None
    assert whole.report.step_limit is None
    assert (limit.unit, limit.most, limit.over) == ("macs", 5000, ())
    assert limit.whole_steps == len(whole.report.layers) < len(sliced.content.steps)
    assert limit.whole_arena_bytes == whole.report.arena_bytes < report.arena_bytes
    predicted = [sum(layer.predicted for layer in r.layers) for r in (whole.report, report)]
    assert predicted[0] <= limit.whole_predicted < predicted[1]
    largest = max(report.layers, key=lambda layer: layer.step_macs)
    assert report.largest_step == largest.step
    assert read_package(sliced.package, "again").meta["step_limit"]["most"] == 5000
    replaced = {
        device(op)
        for op, rows in slices(sliced.content)
        if len(rows) > 1 and sliced.content.tensors[op.outputs[0]].alias_tensor is not None
    }
    assert replaced == {"POINTWISE_DSP_S8"}
    assert Run(sliced, 1, 4).finish() == Run(whole, 2, 4).finish()


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
def test_limits_that_cannot_be(value: float) -> None:
    with pytest.raises(InputError, match="cannot be limited"):
        compile_model(waist_model(), "m.tflite", CompileOptions(max_step_macs=value))  # type: ignore[arg-type]


def costs_of(result: CompileResult, us: float) -> CostTable:
    """A table in which every step takes as long."""
    return CostTable.of(result.package, result.content, [us] * len(result.content.steps), 2.0)


def test_limits_in_microseconds() -> None:
    """Rows share what an op took, with the margin: 100 us of 20 rows are 10 us a row."""
    measured = compiled("dsp", "speed")
    table = costs_of(measured, 100.0)
    options = CompileOptions(isa="dsp", optimize="speed", max_step_us=50.0, costs=table)
    result = compile_model(waist_model(), "waist.tflite", options)
    assert len(result.content.ops) == len(measured.content.ops)
    limit = result.report.step_limit
    assert limit is not None
    assert (limit.unit, limit.most) == ("us", 50.0)
    for number, (op, rows) in enumerate(slices(result.content)):
        if sum(rows):
            assert 200.0 * max(rows) / sum(rows) <= 50.0 or max(rows) == 1
            assert len(rows) == ceil(sum(rows) / (50 * sum(rows) // 200))
        else:
            assert (number, 200.0) in limit.over
            assert device(op) not in BY_ROWS
    assert Run(result, 1, 9).finish() == Run(measured, 2, 9).finish()


def test_costs_of_a_sliced_package_serve_again() -> None:
    """An op costs what its slices cost together."""
    first = compiled("dsp", "speed")
    options = CompileOptions(isa="dsp", optimize="speed", max_step_us=50.0)
    sliced = compile_model(
        waist_model(), "waist.tflite", replace(options, costs=costs_of(first, 100.0))
    )
    table = costs_of(sliced, 10.0)
    counts = [len(rows) for _, rows in slices(sliced.content)]
    assert table.op_us() == pytest.approx({i: 20.0 * count for i, count in enumerate(counts)})
    again = compile_model(waist_model(), "waist.tflite", replace(options, costs=table))
    for _, rows in slices(again.content):
        assert len(rows) <= max(counts)


def test_costs_of_another_program_are_refused() -> None:
    options = CompileOptions(
        isa="base", optimize="speed", max_step_us=50.0, costs=costs_of(compiled("dsp", "speed"), 1)
    )
    with pytest.raises(InputError, match="measured with other ops"):
        compile_model(waist_model(), "waist.tflite", options)
    for lacking in (replace(options, costs=None), replace(options, max_step_us=None)):
        with pytest.raises(InputError, match="needs measured costs"):
            compile_model(waist_model(), "waist.tflite", lacking)
    with pytest.raises(InputError, match="limited twice"):
        compile_model(waist_model(), "waist.tflite", replace(options, max_step_macs=5))


def test_the_command(tmp_path: Path) -> None:
    model, out = put(tmp_path, "waist.tflite", waist_model()), tmp_path / "waist.rnv"
    target = ["--isa", "dsp", "--optimize", "speed"]
    answer = ranvier("compile", model, "-o", out, *target, "--max-step-macs", 100)
    assert answer.code == 0
    expected = compiled("dsp", "speed", limit=100)
    assert out.read_bytes() == expected.package
    limit = expected.report.step_limit
    assert limit is not None
    assert limit.over
    steps = len(expected.content.steps)
    assert f"steps       {steps:,}, the largest" in answer.out
    assert f"limit       100 MACs a step: {steps - limit.whole_steps} steps more" in answer.out
    for number, cost in limit.over:
        op = expected.report.layers[number].op
        assert f"warning     layer {number} {op} has a step of {cost:,.10g} MACs" in answer.out
    assert answer.out.count("warning") == len(limit.over)
    analyzed = ranvier("analyze", model, *target, "--max-step-macs", 100)
    assert f"limit       100 MACs a step: {steps - limit.whole_steps} steps more" in analyzed.out
    from_package = ranvier("analyze", out, "--json").json
    assert from_package["step_limit"]["over"] == [list(item) for item in limit.over]
    assert ranvier("analyze", out, "--max-step-macs", 100).code == 2


def test_the_command_with_costs(tmp_path: Path) -> None:
    model, out = put(tmp_path, "waist.tflite", waist_model()), tmp_path / "waist.rnv"
    table = costs_of(compiled("dsp", "balanced"), 100.0)
    costs = put(tmp_path, "costs.json", table.to_json().encode())
    arguments = ["compile", model, "-o", out, "--isa", "dsp"]
    answer = ranvier(*arguments, "--max-step-us", 60.5, "--costs", costs)
    assert answer.code == 0
    assert "limit       60.5 us a step" in answer.out
    assert ranvier(*arguments, "--max-step-us", 60).code == 2
    assert ranvier(*arguments, "--costs", costs).code == 2
    both = ["--max-step-us", 60, "--costs", costs, "--max-step-macs", 5]
    assert ranvier(*arguments, *both).code == 2
    over = ["--max-step-us", 60, "--costs", tmp_path / "costs.json"]
    assert ranvier("compile", model, "-o", costs, *over).code == 2


@pytest.mark.parametrize(
    "value",
    [
        5,
        {},
        {"unit": "macs"},
        {"over": [[999, 1]]},
        {"over": [[-1, 1]]},
        {"over": 3},
        {"most": "x"},
    ],
)
def test_a_limit_that_makes_no_sense_is_ignored(value: object, tmp_path: Path) -> None:
    content = compiled("dsp", "speed", limit=100).content
    limit = {**content.meta["step_limit"], **value} if isinstance(value, dict) and value else value
    if value == {"unit": "macs"}:
        del limit["whole_steps"]
    meta = {**content.meta, "step_limit": limit}
    file = put(tmp_path, "odd.rnv", write_package(replace(content, meta=meta)))
    answer = ranvier("analyze", file, "--json")
    assert answer.code == 0
    assert answer.json["step_limit"] is None
