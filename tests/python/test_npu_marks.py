# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Steps that an accelerator may execute: which are marked, and which marks a reader accepts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cli_tools import put, ranvier
from packages import rich, rich_model, verdict
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import UnsupportedError
from ranvier.model import Package
from ranvier.native import op_codes
from ranvier.package.reader import read_package
from ranvier.package.records import IoMode, PackageContent
from ranvier.package.writer import write_package
from sliced_models import in_place as sliced_in_place
from sliced_models import waist_model

ABLE = {
    "CONV_2D_S8", "DEPTHWISE_CONV_2D_S8", "FULLY_CONNECTED_S8", "MAX_POOL_2D_S8",
    "AVERAGE_POOL_2D_S8",
}  # fmt: skip


def marked(content: PackageContent) -> list[bool]:
    return [step.npu for step in content.steps]


def in_place(content: PackageContent, step: int) -> bool:
    outputs = content.ops[content.steps[step].op].outputs
    return any(content.tensors[output].alias_tensor is not None for output in outputs)


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("model", ["rich", "waist"])
def test_marks(model: str, mode: IoMode) -> None:
    data = {"rich": rich_model, "waist": waist_model}[model]()
    plain = compile_model(data, "m.tflite", CompileOptions(input_mode=mode))
    result = compile_model(data, "m.tflite", CompileOptions(input_mode=mode, npu="sim"))
    names = {code: name for name, code in op_codes().items()}
    content = result.content
    expected = [
        names[content.ops[step.op].code] in ABLE and not in_place(content, number)
        for number, step in enumerate(content.steps)
    ]
    assert marked(content) == expected
    assert set(expected) == {True, False}
    assert read_package(result.package, "m") == content
    unmarked = tuple(replace(step, npu=False) for step in content.steps)
    assert replace(content, steps=unmarked) == plain.content
    Package(result.package)
    layers = result.report.layers
    assert [layer.npu_steps for layer in layers] == [int(mark) for mark in expected]


def test_packed_ops_are_not_marked() -> None:
    options = CompileOptions(isa="dsp", npu="sim")
    content = compile_model(waist_model(), "m.tflite", options).content
    assert any(op.packing for op in content.ops)
    for step in content.steps:
        assert not (step.npu and content.ops[step.op].packing)


def test_a_reader_accepts_a_mark_where_nothing_is_replaced() -> None:
    content = rich().content
    kinds = set()
    for number, step in enumerate(content.steps):
        steps = list(content.steps)
        steps[number] = replace(step, npu=True)
        found = verdict(write_package(replace(content, steps=tuple(steps))))
        kinds.add(in_place(content, number))
        if in_place(content, number):
            assert (found.status, found.what, found.index) == ("EFORMAT", "step", number)
        else:
            assert found.status == "OK"
    assert kinds == {True, False}


def test_marks_of_slices() -> None:
    """Also a later slice of an op that works in place is refused."""
    content = sliced_in_place(max_step_macs=5000).content
    seen = set()
    for number, step in enumerate(content.steps):
        steps = list(content.steps)
        steps[number] = replace(step, npu=True)
        status = verdict(write_package(replace(content, steps=tuple(steps)))).status
        assert status == ("EFORMAT" if in_place(content, number) else "OK")
        seen.add((bool(step.row0), in_place(content, number)))
    assert len(seen) == 4


def test_an_accelerator_that_is_not_known() -> None:
    with pytest.raises(UnsupportedError, match="accelerator 'x' is not known"):
        compile_model(rich_model(), "m.tflite", CompileOptions(npu="x"))


def test_the_command(tmp_path: Path) -> None:
    model, out = put(tmp_path, "rich.tflite", rich_model()), tmp_path / "rich.rnv"
    answer = ranvier("compile", model, "-o", out, "--npu", "sim")
    assert answer.code == 0
    lines = [line for line in answer.out.splitlines() if line.endswith((" npu", "npu <- peak"))]
    assert len(lines) == sum(marked(Package(out).content)) > 0
    assert ranvier("compile", model, "-o", out, "--npu", "other").code == 2
