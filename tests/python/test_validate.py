# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Real models, layer by layer, against the reference; and the comparison itself."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from packages import Image, rich_model
from random_models import Maker, random_graph
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType
from ranvier.errors import InputError
from ranvier.model import Model, Package
from ranvier.native import op_codes
from ranvier.package.format import Section
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.oracle import LitertOracle, TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from ranvier.testing.validate import random_inputs, validate

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits"
SHARED = ROOT.parent / "shared" / "models"
PUBLIC = {
    "kws": "mlperf_kws_dscnn_int8",
    "vww": "mlperf_vww_mnv1_int8",
    "ic": "mlperf_ic_resnet8_int8",
    "ad": "mlperf_ad01_int8",
}
needs_public = pytest.mark.skipif(not SHARED.is_dir(), reason="the public models are not here")
needs_litert = pytest.mark.skipif(
    find_spec("ai_edge_litert") is None, reason="ai-edge-litert is not installed"
)


@cache
def model_of(path: Path) -> bytes:
    return path.read_bytes()


@cache
def package_of(path: Path, mode: IoMode = IoMode.KEPT, *, whole: bool = False) -> Package:
    """A model's package, ``whole`` with the channels that never change."""
    options = CompileOptions(input_mode=mode, drop_constant_channels=not whole)
    return Package(compile_model(model_of(path), path.name, options).package, path.name)


def assert_equal(path: Path, count: int, seed: int) -> None:
    package = package_of(path, whole=True)
    oracle = TfliteMicroOracle(model_of(path))
    inputs = random_inputs(package, count, seed)
    result = validate(model_of(path), package, oracle, inputs, filename=path.name)
    assert result.passed, result.first_divergent
    assert all(layer.differing == 0 for layer in result.layers)
    compared = {layer.step for layer in result.layers}
    assert compared == set(range(len(package.content.steps))), "a layer has no counterpart"
    assert all(layer.sqnr_db == math.inf for layer in result.layers)


def test_digits_layer_by_layer() -> None:
    assert_equal(DIGITS / "digits.tflite", 100, 1)


@needs_public
@pytest.mark.parametrize("name", PUBLIC)
def test_public_models_layer_by_layer(name: str) -> None:
    assert_equal(SHARED / f"{PUBLIC[name]}.tflite", 20, 2)


@needs_public
@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("name", PUBLIC)
def test_known_answers(name: str, mode: IoMode) -> None:
    package = package_of(SHARED / f"{PUBLIC[name]}.tflite", mode)
    given = (SHARED / f"{name}.in.bin").read_bytes()
    assert package.native.run([given]) == [(SHARED / f"{name}.out.bin").read_bytes()]


@pytest.mark.parametrize("mode", IoMode)
def test_accuracy_of_the_digits(mode: IoMode) -> None:
    """377 of the 382 held-out frames, with ours and with the reference, byte by byte the same."""
    heldout = np.load(DIGITS / "heldout.npz")
    model = Model(package_of(DIGITS / "digits.tflite", mode))
    oracle = TfliteMicroOracle(model_of(DIGITS / "digits.tflite"))
    right = 0
    for frame, label in zip(heldout["frames"], heldout["labels"], strict=True):
        quantised = (frame.astype(np.int16) - 128).astype(np.int8).reshape(1, 28, 28, 1)
        (ours,) = model.run((frame.astype(np.float32) / 255).reshape(28, 28, 1))
        (reference,) = oracle.run([quantised])
        assert ours.tobytes() == reference.tobytes()
        right += int(ours.argmax() == label)
    assert (right, len(heldout["labels"])) == (377, 382)


@needs_litert
def test_litert_as_the_reference() -> None:
    """A second opinion: no more than one LSB from it on the digits."""
    path = DIGITS / "digits.tflite"
    package = package_of(path)
    inputs = random_inputs(package, 5, 3)
    oracle = LitertOracle(model_of(path))
    result = validate(model_of(path), package, oracle, inputs, threshold=1.0)
    assert result.reference == "litert"
    assert len(result.layers) == len(package.content.steps)


# The comparison itself


def spoilt_package(kind: str) -> tuple[Package, int]:
    """The rich model's package with a changed weight in the first op of ``kind``."""
    result = compile_model(rich_model(), "rich.tflite")
    image = Image(result.package)
    code = op_codes()[kind]
    step = next(i for i, op in enumerate(result.content.ops) if op.code == code)
    record = image.op(step)
    last = image.section(Section.WEIGHTS).offset + record.weights_offset + record.weights_bytes - 1
    image.data[last] ^= 0x40
    return Package(image.sealed(), "rich"), step


@pytest.mark.parametrize("kind", ["CONV_2D_S8", "DEPTHWISE_CONV_2D_S8", "FULLY_CONNECTED_S8"])
def test_the_first_divergent_layer_is_found(kind: str) -> None:
    package, step = spoilt_package(kind)
    inputs = random_inputs(package, 10, 4)
    oracle = TfliteMicroOracle(rich_model())
    result = validate(rich_model(), package, oracle, inputs)
    assert not result.passed
    assert result.first_divergent is not None
    assert result.first_divergent.step == step
    layers = {layer.step: layer for layer in result.layers}
    assert all(layers[i].differing == 0 for i in range(step))
    worst = max(layer.max_error for layer in result.layers)
    assert validate(rich_model(), package, oracle, inputs, threshold=worst).passed
    assert not validate(rich_model(), package, oracle, inputs, threshold=worst - 1).passed


def test_errors_are_those_that_numpy_computes() -> None:
    package, step = spoilt_package("CONV_2D_S8")
    inputs = random_inputs(package, 4, 5)
    oracle = TfliteMicroOracle(rich_model())
    layer = validate(rich_model(), package, oracle, inputs).layers[0]
    tensor = package.content.ops[step].outputs[0]
    info = package.info(tensor)
    ours: list[NDArray[np.float64]] = []
    theirs: list[NDArray[np.float64]] = []
    index = {"t5": 4}  # inputs, filter and bias come first in the file
    for values in inputs:
        ours += [a.astype(float) for s, t, a in Model(package).trace(*values) if t == tensor]
        theirs.append(oracle.tensors(values)[index[info.name]].astype(float))
    error = np.abs(np.stack(ours) - np.stack(theirs).reshape(np.stack(ours).shape))
    assert layer.step == step
    assert layer.elements == error.size
    assert layer.differing == np.count_nonzero(error) > 0
    assert layer.max_error == error.max()
    assert layer.mean_error == pytest.approx(error.mean())
    signal = np.square(np.stack(theirs) - info.zero_point).sum()
    expected = 10 * math.log10(signal / np.square(error).sum())
    assert layer.sqnr_db == pytest.approx(expected)


def test_a_package_of_another_model_is_refused() -> None:
    make = Maker()
    x = make.input((1, 6, 5, 3))
    other = build_tflite(make.graph(make.clamp("RELU", x)))
    package = Package(compile_model(other, "other.tflite").package, "other.rnv")
    with pytest.raises(InputError, match=r"other\.rnv"):
        validate(rich_model(), package, TfliteMicroOracle(rich_model()), [])


def test_a_package_of_another_shape_is_refused() -> None:
    models = []
    for channels in (4, 5):
        make = Maker()
        x = make.input((1, 6, 5, 3))
        models.append(build_tflite(make.graph(make.conv(x, channels))))
    package = Package(compile_model(models[1], "b.tflite").package, "b.rnv")
    inputs = random_inputs(package, 1, 6)
    with pytest.raises(InputError, match=r"b\.rnv: tensor .*in a\.tflite it is") as raised:
        validate(models[0], package, TfliteMicroOracle(models[0]), inputs, filename="a.tflite")
    assert raised.value.remedy is not None


def test_the_result_is_json() -> None:
    package, _ = spoilt_package("CONV_2D_S8")
    oracle = TfliteMicroOracle(rich_model())
    result = validate(rich_model(), package, oracle, random_inputs(package, 2, 7))
    value = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert value["passed"] is False
    assert value["first_divergent"] == result.layers[0].tensor
    good = compile_model(rich_model(), "rich.tflite").package
    equal = validate(rich_model(), Package(good), oracle, random_inputs(package, 2, 7))
    value = json.loads(json.dumps(equal.to_dict(), allow_nan=False))
    assert value["passed"] is True
    assert value["first_divergent"] is None
    assert all(layer["sqnr_db"] is None for layer in value["layers"])


def test_random_inputs_are_seeded_and_span_their_type() -> None:
    package = package_of(DIGITS / "digits.tflite")
    first = random_inputs(package, 2, 8)
    assert [a.tobytes() for (a,) in first] == [a.tobytes() for (a,) in random_inputs(package, 2, 8)]
    assert first[0][0].tobytes() != first[1][0].tobytes()
    assert (int(first[0][0].min()), int(first[0][0].max())) == (-128, 127)


def nan_package() -> tuple[bytes, Package]:
    """A float model whose package gives NaN where the reference gives a number."""
    make = Maker()
    x = make.input((1, 4))
    real = make.op("DEQUANTIZE", [x], make.tensor((1, 4), dtype=DType.FLOAT32), version=2)
    model = build_tflite(make.graph(real))
    content = compile_model(model, "real.tflite").content
    table = np.frombuffer(content.ops[0].weights, np.float32).copy()
    table[0] = np.nan
    ops = (replace(content.ops[0], weights=table.tobytes()),)
    return model, Package(write_package(replace(content, ops=ops)))


def test_nan_is_a_difference() -> None:
    model, package = nan_package()
    inputs: list[list[Any]] = [[np.zeros((1, 4), np.int8)]]
    result = validate(model, package, TfliteMicroOracle(model), inputs, threshold=1e30)
    assert not result.passed
    assert result.layers[0].max_error == math.inf


@pytest.mark.parametrize("seed", range(40))
def test_fused_layers_are_compared_with_what_they_compute(seed: int) -> None:
    """Whatever was fused, a tensor that keeps a source tensor's name has its values."""
    model = build_tflite(random_graph(seed))
    package = Package(compile_model(model, f"graph-{seed}.tflite").package)
    result = validate(model, package, TfliteMicroOracle(model), random_inputs(package, 3, seed))
    assert result.passed, f"seed {seed}: {result.first_divergent}"


def test_clamps_fused_into_their_producers() -> None:
    make = Maker(3)
    x = make.input((1, 6, 6, 4))
    clamped = make.clamp("RELU", make.reshape(make.conv(x, 4), (1, 144)))
    summed = make.binary("ADD", clamped, make.input((1, 144)))
    model = build_tflite(make.graph(make.binary("MUL", make.clamp("RELU", summed), summed)))
    package = Package(compile_model(model, "clamps.tflite").package)
    result = validate(model, package, TfliteMicroOracle(model), random_inputs(package, 4, 1))
    assert result.passed, str(result.first_divergent)
