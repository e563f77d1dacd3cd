# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Generic convolutions and pools by rows: the reference's bytes whatever the slices.

Windows, strides, dilations, paddings, groups and multipliers are random.
"""

from __future__ import annotations

from collections import Counter

import pytest

from guarded_runs import Run
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.ops import device_ops
from ranvier.model import Model
from ranvier.native import op_codes
from ranvier.package.records import OpRecord
from ranvier.testing.cases import Case, generate
from ranvier.testing.oracle import TfliteMicroOracle
from sliced_ops import WINDOWED, in_slices, slices

SEEDS = range(50_000, 50_060)
WIDEST = 32767

pytest.importorskip("tflite_micro")


def words_of(op: OpRecord) -> dict[str, int]:
    """The parameters by name; of an op that is no window none."""
    names = {code: name for name, code in op_codes().items()}
    device = names[op.code]
    if device not in {f"{kind}_S8" for kind in WINDOWED}:
        return {}
    return dict(zip(device_ops()[device].params, op.params, strict=True))


def assert_equals_reference(case: Case, result: CompileResult) -> None:
    """On all inputs of a case."""
    runner, oracle = Model(result.package), TfliteMicroOracle(case.model)
    for inputs in case.inputs:
        got = [output.tobytes() for output in runner.run(*inputs)]
        assert got == [output.tobytes() for output in oracle.run(inputs)], case.description


@pytest.mark.parametrize("kind", WINDOWED)
def test_single_rows_equal_the_reference(kind: str) -> None:
    """One image becomes a step for every row of its output, several stay whole."""
    found: Counter[str] = Counter()
    for seed in SEEDS:
        case = generate(seed, kind)
        result = in_slices(case.model)
        for number, op in enumerate(result.content.ops):
            words = words_of(op)
            steps = [s for s in result.content.steps if s.op == number]
            if not words:
                continue
            sliced = words["batch"] == 1 and words["out_h"] > 1
            assert [(s.row0, s.rows or 0) for s in steps] == (
                [(row, 1) for row in range(words["out_h"])] if sliced else [(0, 0)]
            )
            found["sliced" if sliced else "whole"] += 1
            found["padded"] += sliced and words["pad_top"] > 0
            found["strided"] += sliced and words["stride_h"] > 1
            found["dilated"] += sliced and words.get("dilation_h", 1) > 1
            found["grouped"] += sliced and words.get("groups", 1) > 1
            found["multiplied"] += sliced and words.get("depth_multiplier", 1) > 1
        assert_equals_reference(case, result)
    kinds = {"sliced", "whole", "padded", "strided"}
    if "CONV" in kind:
        kinds |= {"dilated", "grouped" if kind == "CONV_2D" else "multiplied"}
    assert {name for name, times in found.items() if times} >= kinds


@pytest.mark.parametrize("kind", WINDOWED)
def test_slices_of_several_rows_equal_the_reference(kind: str) -> None:
    shapes = set()
    for seed in SEEDS:
        case = generate(seed, kind)
        for part in (0.3, 0.5, 0.7):
            result = in_slices(case.model, part)
            shapes |= set(slices(result))
            assert_equals_reference(case, result)
    assert {rows for _, rows in shapes} >= {0, 1, 2, 3}
    assert len({row0 % 2 for row0, rows in shapes if rows > 1}) == 2


@pytest.mark.parametrize("kind", WINDOWED)
def test_slices_write_nothing_else(kind: str) -> None:
    """Guard bytes stay, and nothing depends on what memory held before."""
    for seed in SEEDS[:20]:
        model = generate(seed, kind).model
        whole = Run(in_slices(model, 1.0), 0x5A, seed).finish()
        for fill in (0x00, 0xFF):
            run = Run(in_slices(model), fill, seed)
            assert run.finish() == whole
            assert run.arena.guards_are_whole()
            assert all(buffer.guards_are_whole() for buffer in run.buffers.values())


def test_a_slice_writes_its_rows_alone() -> None:
    """After the first slice the rows of the others are as they were."""
    checked = 0
    for seed, kind in ((seed, kind) for seed in SEEDS[:15] for kind in WINDOWED):
        result = in_slices(generate(seed, kind).model)
        (number,) = result.content.entries[0].outputs
        words = words_of(result.content.ops[0])
        if len(result.content.ops) != 1 or len(result.content.steps) < 2:
            continue
        run = Run(result, 0xA5, seed)
        run.start()
        row = result.content.tensors[number].bytes // words["out_h"]
        written = 0
        while written < words["out_h"]:
            run.step()
            written += 1
            rest = run.tensor(number)[written * row :]
            assert rest == b"\xa5" * len(rest)
        checked += 1
    assert checked >= 20


@pytest.mark.parametrize("kind", ["CONV_2D", "DEPTHWISE_CONV_2D"])
def test_products_limit_slices_too(kind: str) -> None:
    """``--max-step-macs`` is enough for what has products."""
    sliced = 0
    for seed in SEEDS[:20]:
        case = generate(seed, kind)
        options = CompileOptions(drop_constant_channels=False, max_step_macs=1)
        result = compile_model(case.model, "products.tflite", options)
        assert result.content.steps == in_slices(case.model).content.steps
        sliced += len(result.content.steps) > 1
    assert sliced >= 10
