# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Tables of measured costs: written, read again, and refused where they are wrong."""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_tools import DIGITS as DIGITS_FOLDER
from cli_tools import ranvier
from packages import deep, rich
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import InputError
from ranvier.package.costs import CostTable, StepCost, program_crc, read_costs
from sliced_models import waist

DIGITS = DIGITS_FOLDER / "digits.tflite"


def table() -> CostTable:
    content = waist("dsp", "memory").content
    times = [1.5 * (number + 1) for number in range(len(content.steps))]
    return CostTable.of(waist("dsp", "memory").package, content, times)


def test_a_table_is_read_as_it_was_written() -> None:
    written = table()
    assert read_costs(written.to_json().encode(), "costs.json") == written
    assert written.margin == 1.2
    content = waist("dsp", "memory").content
    assert [(s.op, s.row0, s.rows) for s in written.steps] == [
        (s.op, s.row0, s.rows or 0) for s in content.steps
    ]


def test_sums() -> None:
    steps = (StepCost(0, 0, 0, 10.0), StepCost(1, 0, 4, 2.0), StepCost(1, 4, 4, 3.0))
    costs = CostTable(1, 2, steps, 1.5)
    assert costs.step_us() == (15.0, 3.0, 4.5)
    assert costs.op_us() == {0: 15.0, 1: 7.5}


def test_a_table_knows_its_package() -> None:
    package, costs = waist("dsp", "memory").package, table()
    assert costs.package == zlib.crc32(package[:-4])
    costs.require_package(package, "waist.rnv")
    with pytest.raises(InputError, match=r"other\.rnv is [0-9a-f]{8}"):
        costs.require_package(waist("dsp", "speed").package, "other.rnv")


def test_a_table_knows_its_program() -> None:
    ops = waist("dsp", "memory").content.ops
    costs = table()
    costs.require_program(ops, "waist")
    moved = tuple(replace(op, scratch_offset=op.scratch_offset + 16) for op in ops)
    costs.require_program(moved, "waist")
    others = [
        ops[:-1],
        ops[::-1],
        (replace(ops[0], params=(9, *ops[0].params[1:])), *ops[1:]),
        (replace(ops[0], weights=bytes(len(ops[0].weights))), *ops[1:]),
        (replace(ops[0], code=99), *ops[1:]),
    ]
    assert len({program_crc(other) for other in (*others, ops)}) == len(others) + 1
    for other in others:
        with pytest.raises(InputError, match="measured with other ops"):
            costs.require_program(other, "waist")


def test_packages_that_differ_in_memory_alone_have_the_same_program() -> None:
    assert program_crc(rich().content.ops) != program_crc(deep().content.ops)
    sizes = {len(waist("dsp", "memory").content.steps)}
    assert len(sizes) == 1


def test_there_is_a_time_for_each_step() -> None:
    with pytest.raises(InputError, match="1 times for the"):
        CostTable.of(rich().package, rich().content, [1.0])


WRONG: list[tuple[str, Any]] = [
    ("schema", "ranvier.costs/2"),
    ("schema", None),
    ("package", "12345"),
    ("package", 12345678),
    ("package", "0000000g"),
    ("program", None),
    ("margin", 0.9),
    ("margin", "1.2"),
    ("margin", True),
    ("margin", 1e9),
    ("margin", float("nan")),
    ("steps", []),
    ("steps", {}),
    ("steps", [3]),
]
WRONG_STEPS: list[tuple[str, Any]] = [
    ("op", -1),
    ("op", 65536),
    ("op", True),
    ("op", 1.0),
    ("row0", None),
    ("rows", "1"),
    ("max_us", -1.0),
    ("max_us", float("inf")),
    ("max_us", None),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_wrong_field_is_refused(key: str, value: Any) -> None:
    wrong = {**json.loads(table().to_json()), key: value}
    with pytest.raises(InputError, match=r"^costs\.json: ") as raised:
        read_costs(json.dumps(wrong).encode(), "costs.json")
    assert raised.value.remedy is not None


@pytest.mark.parametrize(("key", "value"), WRONG_STEPS)
def test_a_wrong_field_of_a_step_is_refused(key: str, value: Any) -> None:
    wrong = json.loads(table().to_json())
    wrong["steps"][1][key] = value
    with pytest.raises(InputError, match=rf"^costs\.json: step 1: {key}"):
        read_costs(json.dumps(wrong).encode(), "costs.json")


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"[1]", b"3", b"[" * 100_000, b"{"])
def test_what_is_no_table_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"^costs\.json: "):
        read_costs(data, "costs.json")


def test_costs_in_the_c_file(tmp_path: Path) -> None:
    whole = compile_model(DIGITS.read_bytes(), "digits", CompileOptions(isa="dsp"))
    measured = [10.0 * (n + 1) for n in range(len(whole.content.steps))]
    table = CostTable.of(whole.package, whole.content, measured, margin=1.5)
    costs = tmp_path / "costs.json"
    costs.write_text(table.to_json(), encoding="utf-8")
    arguments = ["compile", DIGITS, "--isa", "dsp", "--costs", costs, "--name", "digits"]
    assert ranvier(*arguments, "-o", tmp_path / "x.rnv").code == 2
    assert ranvier(*arguments, "--c-array", tmp_path / "whole.c").code == 0
    source = (tmp_path / "whole.c").read_text()
    found = re.search(r"ranvier_digits_step_cost_us\[(\d+)\] = \{([^}]*)\}", source)
    assert found is not None
    values = [int(value) for value in found[2].replace("\n", " ").split(",") if value.strip()]
    assert values == [15 * (n + 1) for n in range(len(measured))]
    assert f"ranvier_digits_step_cost_us[{len(values)}];" in (tmp_path / "whole.h").read_text()
    # In slices the costs of an op's rows add up to the op's, but for rounding up.
    sliced = compile_model(
        DIGITS.read_bytes(), "digits", CompileOptions(isa="dsp", max_step_macs=10_000)
    )
    parts = table.of_steps(sliced.content, "digits")
    assert len(parts) > len(values)
    for op, cost in table.op_us().items():
        of_op = [us for us, s in zip(parts, sliced.content.steps, strict=True) if s.op == op]
        assert cost <= sum(of_op) < cost + len(of_op)
    other = compile_model(DIGITS.read_bytes(), "digits", CompileOptions(isa="base"))
    with pytest.raises(InputError, match="other ops"):
        table.of_steps(other.content, "digits")


def test_costs_that_lack_an_op() -> None:
    whole = table()
    content = waist("dsp", "memory").content
    op = whole.steps[-1].op
    rest = replace(whole, steps=tuple(step for step in whole.steps if step.op != op))
    with pytest.raises(InputError, match=f"lack op {op}"):
        rest.require_program(content.ops, "waist")
