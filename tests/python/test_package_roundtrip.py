# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The package writer and the package reader are each other's inverse, also for future kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from packages import Image, deep, rich, verdict
from random_models import random_graph
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import PackageError
from ranvier.package import format as fmt
from ranvier.package.format import Section
from ranvier.package.reader import read_package
from ranvier.package.records import (
    Alias,
    ChannelQuant,
    EntryRecord,
    Golden,
    IoMode,
    Isa,
    Layout,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.writer import write_package
from ranvier.testing.cases import generate, ops
from ranvier.testing.tflite_builder import build_tflite

ROOT = Path(__file__).resolve().parents[2]
MODELS = [
    ROOT / "models" / "digits" / "digits.tflite",
    *sorted((ROOT.parent / "shared" / "models").glob("mlperf_*.tflite")),
]


def everything() -> PackageContent:
    """One of each kind that the format defines; not a package that makes sense."""
    tensors = (
        TensorRecord(
            name="rows",
            dtype=3,
            shape=(1, 49, 10, 1, 2),
            storage=Storage.ARENA,
            offset=64,
            bytes=600,
            first_step=0,
            last_step=2,
            scale=0.5,
            zero_point=-3,
            ring_rows=6,
            is_input=True,
        ),
        TensorRecord(
            name="planes",
            dtype=2,
            shape=(1, 3, 4, 8),
            storage=Storage.STATE,
            offset=32,
            bytes=96,
            first_step=0,
            last_step=3,
            layout=Layout.PLANES,
            channels=ChannelQuant(3, tuple(0.25 * i for i in range(1, 9)), tuple(range(8))),
        ),
        TensorRecord(
            name="leading",
            dtype=1,
            shape=(16,),
            storage=Storage.ARENA,
            offset=16,
            bytes=16,
            first_step=1,
            last_step=2,
            layout=Layout.PLANES_TRANSPOSED,
            alias=Alias.LEAD,
            alias_tensor=0,
            alias_lead=48,
        ),
        TensorRecord(
            name="",
            dtype=6,
            shape=(),
            storage=Storage.CONST,
            offset=0,
            bytes=4,
            first_step=0,
            last_step=1,
            layout=Layout.ROWS,
            data=np.float32(3.5).tobytes(),
            channels=ChannelQuant(0, (1.0,), (-128,)),
        ),
        TensorRecord(
            name="out é 七",
            dtype=7,
            shape=(2, 2),
            storage=Storage.EXTERNAL,
            offset=1,
            bytes=4,
            first_step=2,
            last_step=3,
            is_output=True,
            alias=Alias.SAME,
            alias_tensor=2,
        ),
    )
    records = (
        OpRecord("first", 1, (0, 3), (1, 2), (-1, 2, -(1 << 31)), b"weights", 16, 48, Isa.DSP, 2),
        OpRecord("second", 255, (), (4,), ()),
        OpRecord("third", 0, (1, 1, 1), (4,), (7,), b"weights", 0, 0, Isa.MVE),
    )
    steps = (
        StepRecord(0, 0, 25, 1000),
        StepRecord(0, 25, 24, 0xFFFFFFFF),
        StepRecord(1),
        StepRecord(2, predicted=5),
    )
    entries = tuple(
        EntryRecord(name, first, count, inputs, outputs)
        for name, first, count, inputs, outputs in (
            ("push", 0, 2, (0,), ()),
            ("infer", 2, 2, (), (4,)),
            ("reset", 3, 1, (), (4, 1)),
        )
    )
    return PackageContent(
        name="A-z_0.9",
        version=(65535, 0, 7),
        io_mode=IoMode.DONATED,
        arena_bytes=1 << 20,
        max_live=31,
        tensors=tensors,
        ops=records,
        steps=steps,
        entries=entries,
        labels=("", "ü"),
        golden=Golden(0, b"expected", 0x12345678, b"stored"),
        meta={"a": [1, None, {"b": "ç"}]},
        isa=Isa.MVE,
        state_bytes=4096,
        state_layout=0xDEADBEEF,
        security_version=0xFFFFFFFF,
    )


def test_one_of_every_kind() -> None:
    content = everything()
    data = write_package(content)
    assert read_package(data, "future.rnv") == content
    assert verdict(data).status == "ENOTSUP"


def test_per_channel_tables_lie_where_the_specification_says() -> None:
    image = Image(write_package(everything()))
    record = image.tensor(1)
    start = image.section(Section.QUANT).offset + record.quant_table - 1
    assert record.quant_axis == 3
    assert bytes(image.data[start : start + 4]) == (8).to_bytes(4, "little")
    scales = np.frombuffer(bytes(image.data), "<f4", 8, start + 4)
    zero_points = np.frombuffer(bytes(image.data), "<i4", 8, start + 36)
    assert scales.tolist() == [0.25 * i for i in range(1, 9)]
    assert zero_points.tolist() == list(range(8))


def test_a_seeded_self_test_survives() -> None:
    content = replace(everything(), golden=Golden(9, b"out", 5))
    assert read_package(write_package(content), "x").golden == Golden(9, b"out", 5, None)


def test_what_is_left_out_survives() -> None:
    content = replace(everything(), golden=None, labels=(), meta={})
    data = write_package(content)
    assert read_package(data, "x") == content
    kinds = {Image(data).row(i).kind for i in range(Image(data).header.section_count)}
    assert kinds & {Section.GOLDEN, Section.LABELS, Section.META} == set()


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_real_models(path: Path, mode: IoMode) -> None:
    labels = tuple(f"class {i}" for i in range(3))
    options = CompileOptions(input_mode=mode, labels=labels)
    result = compile_model(path.read_bytes(), path.name, options)
    content = read_package(result.package, path.name)
    assert content == result.content
    assert write_package(content) == result.package
    assert verdict(result.package).status == "OK"


@pytest.mark.parametrize("mode", IoMode)
def test_models_of_several_ops(mode: IoMode) -> None:
    results = [rich(mode), deep(mode)]
    for seed in range(20):
        model = build_tflite(random_graph(seed))
        results.append(compile_model(model, "random.tflite", CompileOptions(input_mode=mode)))
    for result in results:
        assert read_package(result.package, "random") == result.content
        assert write_package(result.content) == result.package


@pytest.mark.parametrize("op", [op for op in ops() if op not in ("QUANTIZE", "DEQUANTIZE")])
def test_models_of_one_op(op: str) -> None:
    for seed in range(3):
        result = compile_model(generate(seed, op).model, f"{op}.tflite")
        assert read_package(result.package, op) == result.content
        assert write_package(result.content) == result.package


def test_padding_is_zero_and_sections_are_aligned() -> None:
    for data in (rich().package, deep().package, write_package(everything())):
        image = Image(data)
        assert len(data) % 16 == 0
        end = fmt.HEADER.size + fmt.SECTION.size * image.header.section_count
        for row in [image.row(i) for i in range(image.header.section_count)]:
            assert row.offset % 16 == 0
            assert not any(data[end : row.offset])
            end = row.offset + row.bytes
        assert not any(data[end : -fmt.TRAILER_BYTES])


def test_a_package_names_its_ops() -> None:
    header = Image(rich().package).header
    bits = {8 * i + bit for i in range(32) for bit in range(8) if header.opset[i] >> bit & 1}
    assert bits == {op.code for op in rich().content.ops}


@pytest.mark.parametrize("name", ["", "a" * 32, "a b", "ä", "a/b", "a\0", "a\n"])
def test_a_name_outside_of_the_alphabet_is_refused(name: str) -> None:
    with pytest.raises(PackageError, match="model name") as raised:
        write_package(replace(rich().content, name=name))
    assert raised.value.remedy == "give another with --name"


def test_the_longest_name_is_accepted() -> None:
    data = write_package(replace(rich().content, name="a" * 31))
    assert verdict(data).status == "OK"
    assert read_package(data, "x").name == "a" * 31


@pytest.mark.parametrize(
    ("label", "reason"), [("a\0b", "zero byte"), ("\ud800", "cannot be written as UTF-8")]
)
def test_a_label_that_cannot_be_stored_is_refused(label: str, reason: str) -> None:
    with pytest.raises(PackageError, match=reason) as raised:
        write_package(replace(rich().content, labels=(label,)))
    assert raised.value.remedy


@pytest.mark.parametrize(
    "change",
    [
        {"version": (65536, 0, 0)},
        {"version": (-1, 0, 0)},
        {"arena_bytes": 1 << 32},
        {"security_version": -1},
        {"steps": (StepRecord(70000),)},
        {"golden": Golden(1 << 32, b"", 0)},
    ],
)
def test_a_value_that_exceeds_its_field_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(PackageError, match="exceeds its field"):
        write_package(replace(rich().content, **change))  # type: ignore[arg-type]


def test_more_records_than_fit_are_refused() -> None:
    """The limit is the device's, which refuses a section of 65535 records."""
    content = rich().content
    most = write_package(replace(content, labels=("",) * 65534))
    assert verdict(most).status == "OK"
    tensor, op = content.tensors[0], content.ops[0]
    for what, change in {
        "tensors": {"tensors": (tensor,) * 65535},
        "operands": {"ops": (replace(op, inputs=(0,) * 65535),)},
        "ops": {"ops": (replace(op, inputs=(), outputs=()),) * 65535},
        "steps": {"steps": (StepRecord(0),) * 65535},
        "labels": {"labels": ("",) * 65535},
    }.items():
        with pytest.raises(PackageError, match=rf"\d+ {what}, .* at most 65534") as raised:
            write_package(replace(content, **change))  # type: ignore[arg-type]
        assert raised.value.remedy
