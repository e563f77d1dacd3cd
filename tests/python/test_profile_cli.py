# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier profile``: models on this host, traces of devices, what it writes."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from cli_tools import DIGITS, names, put, ranvier, rich_files, words
from packages import deep, rich
from perfetto_rules import check
from prof_device import (
    FREQUENCY,
    STEP_BEGIN,
    STEP_END,
    any_events,
    dump_of,
    model_row,
    record,
    text_of,
)
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.package.costs import package_crc, read_costs
from ranvier.package.reader import read_package


def step_count() -> int:
    return len(rich().content.steps)


US = FREQUENCY // 1_000_000
TIMES = (*range(10, 16), *range(20, 26), *range(31, 37))


def rich_trace(*, ran: bool = True) -> bytes:
    """A device's dump for the rich package: step i took i + 1 to i + 3 us, three times."""
    row = model_row(package_crc(rich().package), step_count(), *TIMES)
    steps = [
        struct.pack("<Q6I", (3 * i + 6) * US, 3, (i + 1) * US, (i + 3) * US, (i + 2) * US, 0, 0)
        for i in range(step_count())
    ]
    if not ran:
        steps[1] = bytes(32)
    events = [record(STEP_BEGIN, 0, 1, 0, slot=1), record(STEP_END, 500, 1, 0, slot=1)]
    return dump_of([bytes(96), row], steps, events)


@pytest.mark.parametrize("kind", [0, 1])
def test_a_model_on_this_host(kind: int, tmp_path: Path) -> None:
    file = rich_files(tmp_path)[kind]
    answer = ranvier("profile", file, "--runs", 4)
    assert answer.code == 0, answer.both
    assert not words(answer.out, "not of a device", "mean us", "share", "response", "SOFTMAX")
    value = ranvier("profile", file, "--runs", 4, "--json").json
    assert (value["host"], value["lost"]) == (True, 0)
    (model,) = value["models"]
    assert (model["completed"], model["name"]) == (4, rich().content.name)
    assert len(model["steps"]) == step_count()
    for step in model["steps"]:
        assert step["runs"] == 4
        assert 0 <= step["min_us"] <= step["mean_us"] <= step["max_us"]
    assert sum(step["share"] for step in model["steps"]) == pytest.approx(1)
    assert (
        sum(step["macs"] for step in model["steps"])
        == ranvier("analyze", file, "--json").json["macs"]
    )
    response = model["response"]
    assert response["count"] == 4
    assert sum(step["mean_us"] for step in model["steps"]) == pytest.approx(response["mean_us"])
    assert model["queueing"]["count"] == 0


def test_given_inputs(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    x, y = put(tmp_path, "x.bin", bytes(90)), put(tmp_path, "y.bin", bytes(120))
    assert ranvier("profile", package, "-i", x, "-i", y, "--runs", 1).code == 0
    answer = ranvier("profile", package, "-i", x)
    assert answer.code == 3
    assert "2 inputs" in answer.both


def test_slices_share_their_op_s_work(tmp_path: Path) -> None:
    model = (DIGITS / "digits.tflite").read_bytes()
    whole = compile_model(model, "m", CompileOptions(isa="dsp")).report.layers
    sliced = compile_model(model, "m", CompileOptions(isa="dsp", max_step_macs=30_000))
    package = put(tmp_path, "sliced.rnv", sliced.package)
    rows = ranvier("profile", package, "--runs", 1, "--json").json["models"][0]["steps"]
    assert len(rows) > len(whole)
    assert any(row["rows"] for row in rows)
    macs: dict[int, int] = {}
    for row, step in zip(rows, read_package(sliced.package, "p").steps, strict=True):
        macs[step.op] = macs.get(step.op, 0) + row["macs"]
        assert row["rows"] == (step.rows or 0)
        assert row["macs"] <= 30_000 or not row["rows"]
    for layer in sliced.report.layers:
        assert layer.macs - layer.slices < macs[layer.step] <= layer.macs
    assert "rows" in ranvier("profile", package, "--runs", 1).out


def test_a_device_s_trace(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    trace = put(tmp_path, "trace.bin", rich_trace())
    log = put(tmp_path, "console.log", b"boot\r\n" + b"\r\n".join(text_of(rich_trace())))
    answer = ranvier("profile", "--trace", trace, "--model", package, "--json")
    assert answer.code == 0, answer.both
    for other in (
        ("profile", trace, "--model", package),
        ("profile", log, "--model", package),
        ("profile", "--trace", log, "--model", package),
    ):
        value = ranvier(*other, "--json").json
        assert {**value, "file": ""} == {**answer.json, "file": ""}
    value = answer.json
    assert (value["host"], value["cycles_per_second"], value["lost"]) == (False, FREQUENCY, 9)
    (model,) = value["models"]
    assert (model["slot"], model["name"]) == (1, rich().content.name)
    keys = ("count", "min_us", "mean_us", "p50_us", "p99_us", "max_us")
    assert model["response"] == dict(zip(keys, range(31, 37), strict=True))
    for i, step in enumerate(model["steps"]):
        assert (step["runs"], step["min_us"], step["mean_us"]) == (3, i + 1, i + 2)
        assert (step["max_us"], step["mean_cycles"]) == (i + 3, (i + 2) * US)
    text = ranvier("profile", trace, "--model", package).out
    assert not words(
        text, "slot 1", "queueing", "blocking", "12.5 %", "high-water", "9 older", "3 completed"
    )
    assert "not of a device" not in text
    unnamed = ranvier("profile", trace)
    assert unnamed.code == 0
    assert f"package {package_crc(rich().package):08x}" in unnamed.out


def test_a_trace_of_nothing(tmp_path: Path) -> None:
    answer = ranvier("profile", put(tmp_path, "t", dump_of([bytes(96)], (), any_events(0, 0))))
    assert answer.code == 0
    assert "no model was watched" in answer.out


def test_perfetto(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    trace = put(tmp_path, "trace.bin", rich_trace())
    for arguments in ((trace, "--model", package), (trace,), (package, "--runs", 2)):
        out = tmp_path / "out.json"
        assert ranvier("profile", *arguments, "--perfetto", out).code == 0
        events = check(json.loads(out.read_text(encoding="utf-8")))
        assert any(event["ph"] == "X" for event in events)


def test_costs(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    trace = put(tmp_path, "trace.bin", rich_trace())
    out = tmp_path / "costs.json"
    arguments = ("profile", trace, "--model", package, "--costs", out)
    for margin, more in ((1.2, ()), (1.5, ("--margin", 1.5))):
        assert ranvier(*arguments, *more).code == 0
        table = read_costs(out.read_bytes(), "costs.json")
        table.require_package(rich().package, "rich")
        assert table.margin == margin
        assert [step.max_us for step in table.steps] == [i + 3 for i in range(step_count())]
        assert [(s.op, s.row0) for s in table.steps] == [
            (s.op, s.row0) for s in rich().content.steps
        ]


def test_costs_of_the_accelerator(tmp_path: Path) -> None:
    """A step costs what the slower of CPU and accelerator took."""
    row = model_row(package_crc(rich().package), step_count())
    steps = [
        struct.pack("<Q6I", 0, i, 0, 2 * US, 0, 1, 5 * US if i % 2 else US)
        for i in range(step_count())
    ]
    steps[0] = struct.pack("<Q6I", 0, 0, 0, 0, 0, 1, 7 * US)
    trace = put(tmp_path, "trace.bin", dump_of([row], steps))
    out = tmp_path / "costs.json"
    answer = ranvier("profile", trace, "--model", rich_files(tmp_path)[1], "--costs", out, "--json")
    costs = [step.max_us for step in read_costs(out.read_bytes(), "costs.json").steps]
    assert costs == [7, *(5 if i % 2 else 2 for i in range(1, step_count()))]
    rows = answer.json["models"][0]["steps"]
    assert [row["npu_max_us"] for row in rows[:2]] == [7, 5]
    assert "npu max us" in ranvier("profile", trace).out


def test_costs_of_this_host(tmp_path: Path) -> None:
    out = tmp_path / "costs.json"
    assert ranvier("profile", rich_files(tmp_path)[1], "--runs", 2, "--costs", out).code == 0
    table = read_costs(out.read_bytes(), "costs.json")
    assert all(step.max_us > 0 for step in table.steps)


def test_what_cannot_be_used_is_said(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    trace = put(tmp_path, "trace.bin", rich_trace())
    gap = put(tmp_path, "gap.bin", rich_trace(ran=False))
    other = put(tmp_path, "other.rnv", deep().package)
    junk = put(tmp_path, "junk", b"no trace at all")
    before = names(tmp_path)
    out = tmp_path / "out.json"
    for arguments, reason in (
        ((junk,), "neither a trace nor a log"),
        ((tmp_path / "lost",), "cannot be read"),
        ((trace, "--model", other), "the trace has"),
        ((trace, "--model", model), "compile it first"),
        ((trace, "--model", junk), "junk"),
        (("--trace", package), "neither a trace nor a log"),
        ((trace, "--costs", out), "--model"),
        ((gap, "--model", package, "--costs", out), "steps 1 have never run"),
        ((trace, "--perfetto", tmp_path / "no" / "out.json"), "cannot be written"),
    ):
        answer = ranvier("profile", *arguments)
        assert answer.code == 3, arguments
        assert reason in answer.both, answer.both
        assert "try:" in answer.both
    assert names(tmp_path) == before


def test_options_for_the_other_kind_of_file(tmp_path: Path) -> None:
    package = rich_files(tmp_path)[1]
    trace = put(tmp_path, "trace.bin", rich_trace())
    for arguments in (
        (trace, "--runs", 3),
        (trace, "-i", trace),
        (trace, "--isa", "dsp"),
        (package, "--isa", "dsp"),
        (package, "--model", package),
    ):
        answer = ranvier("profile", *arguments)
        assert answer.code == 2, arguments
        assert "Usage:" in answer.both
