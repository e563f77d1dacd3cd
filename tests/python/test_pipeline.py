# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Stages around a network: how they are named, attached, and become entry points."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from cli_tools import DIGITS, put, ranvier
from random_models import Maker
from ranvier.compiler import pipeline as package
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.graph import DType, Quant
from ranvier.compiler.pipeline.options import Pipeline, Use, pipeline_of, read_pipeline
from ranvier.compiler.pipeline.stage import Builder, Stage, Values
from ranvier.errors import InputError
from ranvier.model import Model, Package
from ranvier.package.costs import CostTable
from ranvier.package.records import IoMode, Storage
from ranvier.package.writer import write_package
from ranvier.testing.tflite_builder import build_tflite

MODEL = (DIGITS / "digits.tflite").read_bytes()
FRAME = np.load(DIGITS / "heldout.npz")["frames"][0].astype(np.int16) - 128
ROWS = 4


@dataclass(frozen=True)
class Options:
    """Options of every kind."""

    number: int
    real: float = 1.5
    word: str = "a"
    flag: bool = False
    pair: tuple[int, int] = (1, 2)
    many: tuple[str, ...] = ()
    choice: Literal["left", "right"] | None = None


def build_rows(builder: Builder, options: Any, values: Values) -> Values:
    """The network's picture comes some rows at a time, through persistent state."""
    assert not values
    _, height, width, channels = builder.goal.shape
    builder.entry("push")
    rows = builder.source("rows", DType.INT8, (ROWS, width, channels), builder.goal.quant)
    picture = builder.state("picture", DType.INT8, (height, width, channels))
    builder.op("STREAM_PUSH", [rows, picture], [picture])
    builder.entry("infer")
    same = builder.tensor("same", DType.INT8, builder.goal.shape, builder.goal.quant)
    builder.op("RESHAPE", [picture], [same])
    return (same,)


def build_wrong(builder: Builder, options: Any, values: Values) -> Values:
    """What no network of this file reads."""
    return (builder.source("wrong", DType.INT8, (1, 3), Quant((1.0,), (0,))),)


ROWS_STAGE = Stage("rows", "pre", Options, build_rows)
WRONG_STAGE = Stage("wrong", "pre", Options, build_wrong)
FAKES = {"rows": ROWS_STAGE, "wrong": WRONG_STAGE}


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two stages more."""
    known = {**package.stages(), **FAKES}
    monkeypatch.setattr("ranvier.compiler.pipeline.options.stages", lambda: known)


def compiled(*post: str, pre: Stage = ROWS_STAGE, **options: Any) -> CompileResult:
    after = pipeline_of((), post).post
    uses = Pipeline((Use(pre, Options(1)),), after)
    return compile_model(MODEL, "digits.tflite", CompileOptions(pipeline=uses, **options))


# how they are named


def test_options_are_typed_as_in_toml(fakes: None) -> None:
    text = "rows:number=3,real=2,word=b c,flag=true,pair=[4,5],many=[x, y],choice=right"
    (use,) = pipeline_of([text], ()).pre
    assert use == Use(ROWS_STAGE, Options(3, 2.0, "b c", True, (4, 5), ("x", "y"), "right"))
    toml = b"""
        [[pre]]
        stage = "rows"
        number = 3
        real = 2
        word = "b c"
        flag = true
        pair = [4, 5]
        many = ["x", "y"]
        choice = "right"
    """
    assert read_pipeline(toml, "p.toml").pre == (use,)
    assert pipeline_of([text], ()).to_dict() == {
        "pre": [
            {
                "stage": "rows",
                "number": 3,
                "real": 2.0,
                "word": "b c",
                "flag": True,
                "pair": [4, 5],
                "many": ["x", "y"],
                "choice": "right",
            }
        ],
        "post": [],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' is no stage"),
        ("nothing", "'nothing' is no stage"),
        ("softmax", "'softmax' belongs to --post"),
        ("rows", "number is missing"),
        ("rows:number", "'number' is no option"),
        ("rows:number=1,number=2", "number is given twice"),
        ("rows:number=1,size=2", "'size' is no option"),
        ("rows:number=x", "rows: number = 'x' is not a whole number"),
        ("rows:number=1.5", "number = 1.5 is not a whole number"),
        ("rows:number=true", "number = True is not a whole number"),
        ("rows:number=1,real=yes", "real = 'yes' is not a number"),
        ("rows:number=1,flag=1", "flag = 1 is not true or false"),
        ("rows:number=1,pair=[1]", r"pair = \[1\] is not a list of 2"),
        ("rows:number=1,pair=1", "pair = 1 is not a list of 2"),
        ("rows:number=1,pair=[1,x]", "pair = 'x' is not a whole number"),
        ("rows:number=1,many=[1]", "many = 1 is not a word"),
        ("rows:number=1,many=[x", r"many = '\[x' is not a list of words"),
        ("rows:choice=up", "choice = 'up' is not 'left' or 'right'"),
        ("image:size=120x160", r"is not a list of 2\n.*as size=\[ROWS, COLUMNS\]"),
        ("rows:number=1,choice=up", "choice = 'up' is not 'left' or 'right'"),
    ],
)
def test_what_is_no_stage_or_option_is_refused(fakes: None, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        pipeline_of([text], ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "is no TOML file"),
        (b"[[pre]", "is no TOML file"),
        (b"", "names no stage"),
        (b"[[before]]", "'before' is not known"),
        (b"pre = 3", "pre is not an array of tables"),
        (b"pre = [3]", "pre is not an array of tables"),
        (b"[[pre]]", "pre 0 names no stage"),
        (b"[[pre]]\nstage = 3", "pre 0 names no stage"),
        (b"[[post]]\nstage = 'rows'", "p.toml: 'rows' belongs to --pre"),
        (b"[[pre]]\nstage = 'rows'\nnumber = [1]", "p.toml: stage rows: number = "),
    ],
)
def test_files_that_are_no_pipeline_are_refused(fakes: None, text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_pipeline(text, "p.toml")


# how they are attached


def test_a_stage_has_to_give_what_the_network_reads() -> None:
    with pytest.raises(InputError, match=r"stage wrong gives 'wrong' int8 \[1, 3\]"):
        compiled(pre=WRONG_STAGE)


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("isa", ["generic", "dsp"])
def test_entry_points_share_state(mode: IoMode, isa: str) -> None:
    """A picture that is pushed row by row is seen as one that is given at once."""
    result = compiled(input_mode=mode, isa=isa)
    content = result.content
    assert [entry.name for entry in content.entries] == ["push", "infer", "reset"]
    assert content.state_bytes == 784
    assert [t.name for t in content.tensors if t.storage is Storage.STATE] == ["picture"]
    assert sum(entry.step_count for entry in content.entries) == len(content.steps)
    model = Model(result.package)
    assert model.selftest()
    model.reset()
    plain = Model(compile_model(MODEL, "digits.tflite").package)
    picture = np.zeros((28, 28, 1), np.int8)
    rows = FRAME.reshape(28, 28, 1).astype(np.int8)
    for first in range(0, 28, ROWS):
        push = rows[first : first + ROWS]
        assert model.run(push, entry="push") == []
        picture = np.concatenate([picture[ROWS:], push])
        if first % 8 == 0:
            expected = plain.run(picture[None])[0]
            assert np.array_equal(model.run(entry="infer")[0], expected)
    assert np.array_equal(picture, rows)
    model.run(entry="reset")
    assert np.array_equal(model.run(entry="infer")[0], plain.run(np.zeros_like(rows)[None])[0])


def test_entries_are_reported_and_named_in_c(tmp_path: Path) -> None:
    report = compiled().report
    push, infer, reset = report.entries
    assert (push.layers, push.inputs, push.outputs) == ((0,), (f"int8[{ROWS}x28x1]",), ())
    assert (infer.inputs, infer.outputs) == ((), ("int8[1x10]",))
    assert infer.layers[0] == 1
    assert reset.layers == (report.layers[-1].step,)
    assert sum(entry.macs for entry in report.entries) == report.macs > 0
    model = put(tmp_path, "digits.tflite", MODEL)
    answer = ranvier(
        *("compile", model, "--c-array", tmp_path / "m.c", "--name", "m"),
        *("--pre", "image:format=grey,size=[28,28]", "--pre", "normalize"),
        *("--post", "smooth:window=3"),
    )
    assert answer.code == 0, answer.both
    header = (tmp_path / "m.h").read_text()
    assert "#define RANVIER_M_ENTRY_INFER 0\n" in header
    assert "#define RANVIER_M_ENTRY_RESET 1\n" in header
    assert "#define RANVIER_M_INFER_INPUT_0_BYTES 784\n" in header
    assert "#define RANVIER_M_INFER_OUTPUT_0_BYTES 4\n" in header
    assert "#define RANVIER_M_STATE_BYTES 0\n" not in header


def test_limits_of_steps_count_for_every_entry_point() -> None:
    whole = compiled(input_mode="resident")
    limited = compiled(input_mode="resident", max_step_macs=30_000)
    assert limited.report.step_limit is not None
    assert max(layer.step_macs for layer in limited.report.layers) <= 30_000
    assert len(limited.content.steps) > len(whole.content.steps)
    costs = CostTable.of(whole.package, whole.content, [100.0] * len(whole.content.steps), 1.0)
    timed = compiled(input_mode="resident", max_step_us=40.0, costs=costs)
    ops = dict.fromkeys(range(len(whole.content.ops)), 0)
    for step in timed.content.steps:
        ops[step.op] += 1
    convolutions = [n for n, layer in enumerate(whole.report.layers) if layer.macs > 30_000]
    assert all(ops[number] >= 3 for number in convolutions)
    assert timed.content.entries[0].step_count == whole.content.entries[0].step_count
    for other in (limited, timed):
        models = [Model(each.package) for each in (whole, other)]
        outputs = []
        for model in models:
            for first in range(0, 28, ROWS):
                model.run(FRAME.reshape(28, 28, 1)[first : first + ROWS], entry="push")
            outputs.append(model.run(entry="infer")[0])
        assert np.array_equal(*outputs)


def test_a_stage_after_the_network_alone_needs_no_other_entry_point() -> None:
    result = compile_model(
        MODEL,
        "digits.tflite",
        CompileOptions(pipeline=pipeline_of((), ["top_k:k=3,threshold=0.1"])),
    )
    assert [entry.name for entry in result.content.entries] == ["infer"]
    package_ = Package(result.package)
    assert [info.dtype.name for info in package_.outputs] == ["int32", "int16"]
    count, entries = Model(package_).run(FRAME.reshape(28, 28).astype(np.int8))
    (scores,) = Model(compile_model(MODEL, "digits.tflite").package).run(
        FRAME.reshape(28, 28).astype(np.int8)
    )
    assert count[0] >= 1
    assert entries[0, 0] == scores.argmax()


@pytest.mark.parametrize("seed", range(3))
def test_float_edges_are_left_out_where_there_are_stages(seed: int) -> None:
    """A network's own QUANTIZE and DEQUANTIZE: stages read and write what lies behind them."""
    make = Maker(seed)
    pixels = Quant((1 / 255,), (-128,))
    real = make.tensor((1, 6, 6, 1), None, DType.FLOAT32)
    make.inputs = [real]
    inner = make.op("QUANTIZE", [real], make.tensor((1, 6, 6, 1), pixels))
    scores = make.reshape(make.conv(inner, 2), (1, 72))
    output = make.op("DEQUANTIZE", [scores], make.tensor((1, 72), None, DType.FLOAT32))
    data = build_tflite(make.graph(output))
    uses = pipeline_of(["image:format=grey,size=[6,6]", "normalize"], ["argmax"])
    result = compile_model(data, "m.tflite", CompileOptions(pipeline=uses))
    dtypes = {DType(tensor.dtype) for tensor in result.content.tensors}
    assert DType.FLOAT32 not in dtypes
    plain = Model(compile_model(data, "m.tflite").package)
    staged = Model(result.package)
    random = np.random.default_rng(seed)
    for _ in range(10):
        frame = random.integers(0, 256, (6, 6, 1), np.uint8)
        (values,) = plain.run((frame / 255).astype(np.float32)[None])
        assert staged.run(frame)[0].ravel()[0] == values.argmax()


def test_options_exclude_each_other(tmp_path: Path) -> None:
    model = put(tmp_path, "digits.tflite", MODEL)
    toml = put(tmp_path, "p.toml", b"[[post]]\nstage = 'argmax'\n")
    both = ranvier("compile", model, "-o", tmp_path / "a.rnv", "--pipeline", toml, "--post", "x")
    assert both.code == 2
    assert "give --pipeline, or --pre and --post" in both.both
    one = ranvier("compile", model, "-o", tmp_path / "a.rnv", "--pipeline", toml)
    assert one.code == 0, one.both
    content = Package((tmp_path / "a.rnv").read_bytes()).content
    assert content.meta["pipeline"]["post"] == [{"stage": "argmax"}]
    assert write_package(content) == (tmp_path / "a.rnv").read_bytes()
