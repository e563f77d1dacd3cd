# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark's judgements: budget, goals, predictions, and how its packages are named."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from ranvier.errors import ToolError
from ranvier.package.records import IoMode

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "cortexm"


def module(name: str) -> ModuleType:
    """A module of the benchmark, which is run as a script in its own folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


budget = module("budget")
check = module("check")
goals = module("goals")
mix = module("mix")
peers = module("peers")
steps = module("steps")
variants = module("variants")

KEY = "kws/dsp-speed/m33"
BASE = {KEY: budget.Figures(1_000_000, 10_000)}


def failure(instructions: int, ram: int) -> str | None:
    """Why the comparison of one row fails, or None."""
    changes = budget.compare(BASE, {KEY: budget.Figures(instructions, ram)}, ["kws"])
    return changes[0].failure if changes else None


@pytest.mark.parametrize(
    ("instructions", "ram", "reason"),
    [
        (1_000_000, 10_000, None),
        (1_019_000, 10_000, None),
        (1_020_000, 10_000, None),
        (1_020_001, 10_000, "more than 2% more instructions"),
        (1_021_000, 10_000, "more than 2% more instructions"),
        (1_000_000, 10_001, "more RAM"),
        (500_000, 10_001, "more RAM"),
        (1_021_000, 10_001, "more than 2% more instructions and more RAM"),
        (500_000, 9_000, None),
    ],
)
def test_budget_limits(instructions: int, ram: int, reason: str | None) -> None:
    assert failure(instructions, ram) == reason


def test_budget_lists_what_changed_only() -> None:
    other = budget.Figures(5, 5)
    rows = BASE | {"ad/dsp-speed/m4": other}
    now = {KEY: budget.Figures(1_000_001, 10_000), "ad/dsp-speed/m4": other}
    assert [change.key for change in budget.compare(rows, now, ["kws", "ad"])] == [KEY]
    assert budget.compare(rows, rows, ["kws", "ad"]) == []


def test_row_that_is_not_in_the_budget_fails() -> None:
    (change,) = budget.compare({}, BASE, ["kws"])
    assert (change.before, change.after) == (None, BASE[KEY])
    assert "not in the budget" in change.failure


@pytest.mark.parametrize("key", [KEY, "kws-all/dsp-speed/m33"])
def test_row_that_was_not_measured_fails_where_the_model_is_there(key: str) -> None:
    rows = {key: budget.Figures(1, 1)}
    (change,) = budget.compare(rows, {}, ["kws", "ad"])
    assert (change.key, change.after) == (key, None)
    assert "not measured" in change.failure
    assert budget.compare(rows, {}, ["ad"]) == []


def test_budget_file_survives_a_round_trip(tmp_path: Path) -> None:
    made = budget.Budget('gcc "x" 12', BASE | {"ad/base-balanced/m4": budget.Figures(2, 3)})
    budget.write(tmp_path / "budget.json", made)
    assert budget.read(tmp_path / "budget.json") == made
    assert len((tmp_path / "budget.json").read_text().splitlines()) == 2 + 4 + 1


def checked(
    path: Path, monkeypatch: pytest.MonkeyPatch, rows: object, *, wrong: bool = False, update: bool
) -> int:
    """The exit code of a check that measures ``rows`` of model kws."""
    result = (rows, [KEY] if wrong else [], 0.0, None)
    monkeypatch.setattr(check, "_measure", lambda models, bench: result)
    monkeypatch.setattr(check.code_size, "version", lambda tool: "gcc 12")
    return int(check.run([SimpleNamespace(name="kws")], None, path, update=update))


def test_check_fails_as_the_comparison_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "budget.json"
    with pytest.raises(ToolError, match=r"no budget\.json"):
        checked(path, monkeypatch, BASE, update=False)
    assert checked(path, monkeypatch, BASE, update=True) == 0
    assert checked(path, monkeypatch, BASE, update=False) == 0
    assert "nothing changed" in capsys.readouterr().out
    grown = {KEY: budget.Figures(1_019_000, 10_001)}
    assert checked(path, monkeypatch, grown, update=False) == 1
    row = next(x for x in capsys.readouterr().out.splitlines() if KEY in x)
    assert [cell.strip() for cell in row.split("|")[2:-1]] == [
        "1,000,000",
        "1,019,000",
        "+1.90%",
        "10,000",
        "10,001",
        "more RAM",
    ]
    assert checked(path, monkeypatch, BASE, wrong=True, update=False) == 1


def test_update_keeps_rows_of_models_that_are_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "budget.json"
    other = {"ad/dsp-speed/m4": budget.Figures(1, 1), "kws/gone/m4": budget.Figures(1, 1)}
    budget.write(path, budget.Budget("gcc 11", other))
    assert checked(path, monkeypatch, BASE, update=True) == 0
    kept = budget.read(path)
    assert kept.compiler == "gcc 12"
    assert set(kept.rows) == {KEY, "ad/dsp-speed/m4"}
    assert checked(path, monkeypatch, BASE, wrong=True, update=True) == 1
    assert budget.read(path) == kept


def subject(name: str, isa: str, optimize: str, *, all_channels: bool = False) -> SimpleNamespace:
    """As much of a subject as goals look at."""
    title = f"{name}, all channels" if all_channels else name
    variant = next(v for v in variants.VARIANTS if (v.isa, v.optimize) == (isa, optimize))
    key = f"{name}/{variant.key}"
    return SimpleNamespace(model=SimpleNamespace(name=name), variant=variant, title=title, key=key)


@pytest.mark.parametrize(
    ("name", "isa", "optimize", "all_channels", "instructions", "ram"),
    [
        ("kws", "dsp", "speed", False, 2_600_000, None),
        ("vww", "dsp", "speed", False, 4_600_000, None),
        ("vww", "dsp", "speed", True, 7_600_000, None),
        ("ic", "dsp", "speed", False, 9_000_000, None),
        ("ad", "dsp", "balanced", False, 280_000, 2_600),
        ("vww", "dsp", "balanced", True, 8_000_000, 52_000),
        ("ic", "dsp", "memory", False, 1_500_000, 24_000),
        ("digits", "dsp", "memory", False, None, None),
        ("digits", "dsp", "speed", False, None, None),
        ("kws", "base", "balanced", False, 10_531_557 // 2, 16_700),
        ("ad", "generic", "balanced", False, 90_000, 1_400),
    ],
)
def test_goals_are_those_of_the_issue(
    name: str,
    isa: str,
    optimize: str,
    all_channels: bool,
    instructions: int | None,
    ram: int | None,
) -> None:
    it = subject(name, isa, optimize, all_channels=all_channels)
    assert goals.instructions(it, speed=1_000_000) == instructions
    assert goals.ram(it) == ram


def test_missed_goals_are_collected() -> None:
    missed = goals.Goals()
    missed.at_most("a", 10, 10)
    missed.at_most("b", 11, 10)
    missed.at_most("c", 10**9, None)
    assert missed.missed == ["b: 11, goal 10"]


def test_other_cpus_may_need_five_per_cent_more() -> None:
    it = subject("kws", "dsp", "speed")
    missed = goals.Goals()
    counts = {"m33": 1_000_000, "m4": 1_050_000, "m7": 1_050_001}
    costs = {cpu: SimpleNamespace(infer=count) for cpu, count in counts.items()}
    goals.judge_instructions(missed, it, costs, None)
    assert missed.missed == ["kws/dsp-speed: instructions on m7: 1,050,001, goal 1,050,000"]


def test_every_variant_runs_on_its_own_cpu() -> None:
    assert {cpu for v in variants.VARIANTS for cpu in v.cpus} == set(variants.CPU_NAMES)
    for variant in variants.VARIANTS:
        assert variant.cpu in variant.cpus
    assert len({variant.key for variant in variants.VARIANTS}) == len(variants.VARIANTS)


@pytest.mark.parametrize("all_channels", [False, True])
def test_variant_sets_the_options_of_the_compiler(all_channels: bool) -> None:
    options = variants.VARIANTS[0].options(IoMode.DONATED, all_channels)
    assert (options.isa, options.optimize, options.io_mode) == ("dsp", "speed", IoMode.DONATED)
    assert options.drop_constant_channels is not all_channels


def test_peer_of_a_cpu() -> None:
    counts = [peers.PEERS["ad"].instructions(cpu) for cpu in variants.CPU_NAMES]
    assert counts == [582_907, None, 583_354, 955_893, 149_998]


def package(predicted: list[int]) -> SimpleNamespace:
    """Three steps of two ops, the first op in two slices with a step of the other in between."""
    records = [
        SimpleNamespace(op=i, predicted=p) for i, p in zip((0, 1, 0), predicted, strict=True)
    ]
    layers = [
        SimpleNamespace(step=i, op="LUT_8", kind="RELU", shape=(1, 10), macs=0) for i in (0, 1)
    ]
    content, report = SimpleNamespace(steps=records), SimpleNamespace(layers=layers)
    return SimpleNamespace(result=SimpleNamespace(content=content, report=report))


def test_slices_of_an_op_are_added_up() -> None:
    cost = SimpleNamespace(steps=(100, 50, 300))
    first, second = steps.ops_of(package([90, 60, 350]), cost)
    assert (first.slices, first.counted, first.predicted) == (2, 400, 440)
    assert (second.slices, second.counted, second.predicted) == (1, 50, 60)
    assert first.error == pytest.approx(0.1)
    assert second.error == pytest.approx(0.2)


def test_unknown_prediction_is_no_prediction() -> None:
    cost = SimpleNamespace(steps=(100, 50, 300))
    first, second = steps.ops_of(package([90, 60, 0]), cost)
    assert (first.predicted, first.error) == (None, None)
    text = steps.op_table([first, second])
    assert text.splitlines()[-1].split("|")[-3:-1] == [" " * 8 + "60 ", " +20.0% "]


def test_mix_merges_encodings_and_keeps_the_sum() -> None:
    counts = mix.merged({"ldr.w": 3, "ldr": 2, "SMLAD": 7, "b": 1})
    assert list(counts.items()) == [("smlad", 7), ("ldr", 5), ("b", 1)]
    assert "| all                 |           13 |" in mix.mix_tables(counts, 10)


@pytest.mark.parametrize(
    ("mnemonic", "group"),
    [
        ("smlad", "multiply-accumulate"),
        ("vmladava.s8", "multiply-accumulate"),
        ("smmla", "multiply-accumulate"),
        ("sxtb16", "unpack, saturate"),
        ("ssat", "unpack, saturate"),
        ("bfi", "unpack, saturate"),
        ("ldrd", "load"),
        ("vldrb.u8", "load"),
        ("strb", "store"),
        ("vstrb.8", "store"),
        ("bne", "branch, loop"),
        ("letp", "branch, loop"),
        ("bic", "other"),
        ("sub", "other"),
        ("lsl", "other"),
        ("teq", "other"),
    ],
)
def test_groups_of_mnemonics(mnemonic: str, group: str) -> None:
    assert mix.group_of(mnemonic) == group
