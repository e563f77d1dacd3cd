# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The golden self-test of a package: its bytes are those of the reference; what it finds."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from packages import Image, deep, deep_model, rich, rich_model, verdict
from ranvier.compiler.driver import CompileResult, compile_model
from ranvier.errors import PackageError
from ranvier.model import Model
from ranvier.native import op_codes
from ranvier.package.format import Section, golden_bytes
from ranvier.package.records import IoMode, PackageContent
from ranvier.package.writer import write_package
from ranvier.testing.oracle import TfliteMicroOracle

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.tflite"


@cache
def digits() -> CompileResult:
    return compile_model(DIGITS.read_bytes(), "digits.tflite")


def inputs_of(content: PackageContent) -> list[bytes]:
    """The inputs that SPEC.md says the self-test has."""
    assert content.golden is not None
    sizes = [content.tensors[t].bytes for t in content.entries[0].inputs]
    data = content.golden.inputs
    if data is None:
        data = golden_bytes(content.golden.seed, sum(sizes))
    parts = []
    for size in sizes:
        parts.append(data[:size])
        data = data[size:]
    return parts


@pytest.mark.parametrize(
    ("model", "result"),
    [(rich_model(), rich()), (deep_model(), deep()), (DIGITS.read_bytes(), digits())],
    ids=["rich", "deep", "digits"],
)
def test_expected_outputs_are_the_references(model: bytes, result: CompileResult) -> None:
    content = result.content
    assert content.golden is not None
    arrays = [
        np.frombuffer(data, np.float32 if content.tensors[t].dtype == 6 else np.int8).reshape(
            content.tensors[t].shape
        )
        for t, data in zip(content.entries[0].inputs, inputs_of(content), strict=True)
    ]
    expected = TfliteMicroOracle(model).run(arrays)
    assert b"".join(output.tobytes() for output in expected) == content.golden.outputs


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("make", [rich, deep])
def test_it_passes_and_can_be_repeated(make: object, mode: IoMode) -> None:
    assert callable(make)
    model = Model(make(mode).package)
    assert model.selftest()
    assert model.selftest()


def test_a_wrong_expected_byte_is_found() -> None:
    golden = rich().content.golden
    assert golden is not None
    for at in range(len(golden.outputs)):
        outputs = bytearray(golden.outputs)
        outputs[at] ^= 1
        content = replace(rich().content, golden=replace(golden, outputs=bytes(outputs)))
        assert not Model(write_package(content)).selftest()


def test_a_package_without_one_says_so() -> None:
    data = write_package(replace(rich().content, golden=None))
    with pytest.raises(PackageError, match="EINVAL"):
        Model(data).selftest()


def flipped(result: CompileResult, op: int, at: int, bit: int) -> bytes:
    """The package, sealed, with a bit flipped in the weight stream of an op."""
    image = Image(result.package)
    record = image.op(op)
    image.data[image.section(Section.WEIGHTS).offset + record.weights_offset + at] ^= bit
    data = image.sealed()
    assert verdict(data).status == "OK"
    return data


def trained(content: PackageContent) -> list[int]:
    """The ops that have trained weights, not just tables."""
    kinds = [
        op_codes()[f"{kind}_S8"] for kind in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
    ]
    return [i for i, op in enumerate(content.ops) if op.code in kinds]


@pytest.mark.parametrize("op", trained(digits().content))
def test_a_damaged_layer_of_the_digits_is_found(op: int) -> None:
    """The sign of every byte in the second half of the layer's weight stream."""
    image = Image(digits().package)
    record = image.op(op)
    start = image.section(Section.WEIGHTS).offset + record.weights_offset
    for at in range(start + record.weights_bytes // 2, start + record.weights_bytes):
        image.data[at] ^= 0x80
    data = image.sealed()
    assert verdict(data).status == "OK"
    assert not Model(data).selftest()


@pytest.mark.parametrize("op", trained(digits().content))
def test_a_flipped_weight_of_the_digits_is_found(op: int) -> None:
    """The sign of the largest weight in the second half of the layer's weight stream."""
    stream = np.frombuffer(digits().content.ops[op].weights, np.int8).astype(int)
    half = len(stream) // 2
    largest = half + int(np.abs(stream[half:]).argmax())
    assert not Model(flipped(digits(), op, largest, 0x80)).selftest()


@pytest.mark.parametrize("op", trained(rich().content))
def test_flipped_weights_of_the_rich_package_are_found(op: int) -> None:
    stream = rich().content.ops[op].weights
    places = range(len(stream) // 2, len(stream), 7)
    found = [not Model(flipped(rich(), op, at, 0x80)).selftest() for at in places]
    assert sum(found) >= 1


def test_a_wrong_trace_is_found() -> None:
    golden = rich().content.golden
    assert golden is not None
    content = replace(rich().content, golden=replace(golden, trace_crc=golden.trace_crc ^ 1))
    assert not Model(write_package(content)).selftest()
