# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Whole models: compiled, run by the core, and compared with TensorFlow Lite Micro."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from random_models import Maker, random_graph
from ranvier.compiler.driver import (
    CompileOptions,
    CompileResult,
    check_model,
    compile_model,
    package_name,
)
from ranvier.compiler.graph import DType, Graph, Quant, Tensor
from ranvier.compiler.report import analyze_package
from ranvier.errors import PackageError, UnsupportedError
from ranvier.native import NativePackage, Session
from ranvier.package.format import golden_bytes
from ranvier.package.reader import read_package
from ranvier.package.records import Alias, IoMode, Storage, TensorRecord
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

MODES = list(IoMode)
Array = NDArray[Any]


def compiled(graph: Graph, mode: IoMode = IoMode.KEPT, **options: Any) -> CompileResult:
    return compile_model(
        build_tflite(graph), "model.tflite", CompileOptions(input_mode=mode, **options)
    )


def run(result: CompileResult, inputs: Sequence[Array]) -> list[bytes]:
    return NativePackage(result.package).run([data.tobytes() for data in inputs])


def random_inputs(graph: Graph, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [
        rng.standard_normal(t.shape).astype(np.float32)
        if t.dtype == DType.FLOAT32
        else rng.integers(-128, 128, t.shape).astype(np.int8)
        for t in graph.inputs
    ]


def assert_equals_reference(graph: Graph, mode: IoMode = IoMode.KEPT) -> CompileResult:
    oracle = TfliteMicroOracle(build_tflite(graph))
    result = compiled(graph, mode)
    package = NativePackage(result.package)
    for seed in range(3):
        inputs = random_inputs(graph, seed)
        expected = [output.tobytes() for output in oracle.run(inputs)]
        assert package.run([data.tobytes() for data in inputs]) == expected
    return result


# Exactness


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_equal_the_reference(seed: int, mode: IoMode) -> None:
    assert_equals_reference(random_graph(seed), mode)


def test_random_graphs_reach_the_rare_cases() -> None:
    """In-place operation and an intermediate value in a donated input do occur above."""
    tensors = [
        tensor
        for seed in range(60)
        for tensor in compiled(random_graph(seed), IoMode.DONATED).content.tensors
    ]
    assert any(t.alias_tensor is not None and t.storage == Storage.ARENA for t in tensors)
    inside = [t for t in tensors if t.storage == Storage.EXTERNAL]
    assert any(not t.is_input and not t.is_output for t in inside)


@pytest.mark.parametrize("mode", MODES)
def test_float_inputs_and_outputs(mode: IoMode) -> None:
    make = Maker(2)
    real = make.input((1, 4, 4, 2), DType.FLOAT32)
    x = make.op("QUANTIZE", [real], make.tensor(real.shape))
    y = make.conv(x, activation="RELU")
    output = make.op("DEQUANTIZE", [y], make.tensor(y.shape, dtype=DType.FLOAT32), version=2)
    result = assert_equals_reference(make.graph(output), mode)
    assert Session(NativePackage(result.package)).selftest()


@pytest.mark.parametrize("more", [1.0, 1.003])
def test_requantisation_that_changes_no_byte(more: float) -> None:
    """The convolution before it still rounds for its own scale."""
    make = Maker(3)
    y = make.conv(make.input((1, 8, 8, 3)), 8)
    y.quant = Quant((float(np.float32(0.2)),), (3,))
    z = make.tensor(y.shape, Quant((float(np.float32(0.2 * more)),), (3,)))
    result = assert_equals_reference(make.graph(make.op("QUANTIZE", [y], z)))
    assert len(result.content.ops) == 1


def test_computed_shapes() -> None:
    """A RESHAPE whose shape is computed from the input's, as models with an open batch have it."""
    make = Maker()
    x = make.input((3, 4, 6))
    shape = make.op("SHAPE", [x], make.tensor((3,), dtype=DType.INT32))
    numbers = [make.constant([value]) for value in (0, 1, 1)]
    batch = make.tensor((), dtype=DType.INT32)
    make.op("STRIDED_SLICE", [shape, *numbers], batch, {"shrink_axis_mask": 1})
    target = make.tensor((2,), dtype=DType.INT32)
    make.op("PACK", [batch, make.constant(24)], target, {"axis": 0, "values_count": 2})
    flat = make.op("RESHAPE", [x, target], make.tensor((3, 24), x.quant))
    result = assert_equals_reference(make.graph(make.fully_connected(flat, 5)))
    assert len(result.content.steps) == 1


def test_outputs_that_are_inputs_constants_or_twice() -> None:
    """No reference runs these; the values are known."""
    make = Maker()
    x = make.input((1, 4))
    y = make.clamp("RELU", x)
    constant = make.int8_constant((1, 4))
    make.binary("ADD", x, constant)
    assert x.quant is not None
    graph = make.graph(y, x, y, constant)
    for mode in MODES:
        values = np.array([[-128, -1, 60, 127]], np.int8)
        outputs = run(compiled(graph, mode), [values])
        clamped = np.maximum(values, x.quant.zero_point).tobytes()
        assert constant.data is not None
        assert outputs == [clamped, values.tobytes(), clamped, constant.data.tobytes()]


def test_model_without_ops() -> None:
    make = Maker()
    x = make.input((1, 4))
    values = np.array([[1, 2, 3, 4]], np.int8)
    for mode in MODES:
        assert run(compiled(make.graph(x), mode), [values]) == [values.tobytes()]


def test_unread_input() -> None:
    make = Maker()
    x, unread = make.input((1, 4)), make.input((1, 7))
    graph = make.graph(make.clamp("RELU", x))
    for mode in MODES:
        result = compiled(graph, mode)
        first = run(result, [np.zeros((1, 4), np.int8), np.zeros(unread.shape, np.int8)])
        second = run(result, [np.zeros((1, 4), np.int8), np.ones(unread.shape, np.int8)])
        assert first == second


# Content


def small_model() -> Graph:
    make = Maker(4)
    x = make.input((1, 8, 8, 3))
    padded = make.pad(x, [[0, 0], [1, 1], [1, 1], [0, 0]])
    y = make.clamp("RELU6", make.conv(padded, 5, padding="VALID"))
    return make.graph(make.unary("SOFTMAX", make.reshape(make.max_pool(y), (1, 80))))


def test_what_a_package_says_of_itself() -> None:
    data = build_tflite(small_model())
    options = CompileOptions(name="digits", version=(2, 3, 4), labels=("zero", "one"))
    result = compile_model(data, "some/folder/model.tflite", options)
    content = read_package(result.package, "model.rnv")
    assert (content.name, content.version, content.labels) == ("digits", (2, 3, 4), ("zero", "one"))
    assert content.meta["source"] == {
        "file": "model.tflite",
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    steps = [(step["kind"], step["ops"]) for step in content.meta["steps"]]
    assert steps == [("CONV_2D", [0, 1, 2]), ("MAX_POOL_2D", [3]), ("SOFTMAX", [5])]
    assert b"folder" not in result.package


def test_names_are_kept_or_stripped() -> None:
    kept = compiled(small_model())
    stripped = compiled(small_model(), strip_names=True)
    assert read_package(kept.package, "kept.rnv").tensors[0].name == "t1"
    assert b'"t1"' in kept.package
    assert b'"t1"' not in stripped.package
    assert len(stripped.package) < len(kept.package)


def test_self_test() -> None:
    for mode in MODES:
        result = compiled(small_model(), mode)
        assert Session(NativePackage(result.package)).selftest()


def test_self_test_is_the_one_that_varies_most() -> None:
    graph = small_model()
    result = compiled(graph)
    runs = [
        run(result, [np.frombuffer(golden_bytes(seed, graph.inputs[0].bytes), np.int8)])[0]
        for seed in range(1, 17)
    ]
    best = max(runs, key=lambda output: len(set(output)))
    assert len(set(best)) > 1
    assert result.content.golden is not None
    assert result.content.golden.outputs == best
    assert runs[result.content.golden.seed - 1] == best


def test_model_too_large_for_a_microcontroller_has_no_self_test() -> None:
    make = Maker()
    graph = make.graph(make.unary("TANH", make.input((2**15, 2**14))))
    assert compiled(graph).content.golden is None


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("model.tflite", "model"),
        ("a b(1).tflite", "a_b_1_"),
        ("x" * 40 + ".tflite", "x" * 31),
        ("v1.2.tflite", "v1.2"),
    ],
)
def test_package_name(filename: str, name: str) -> None:
    assert package_name(filename) == name


def test_invalid_name_is_refused() -> None:
    with pytest.raises(PackageError, match="a name"):
        compiled(small_model(), name="a name")


def test_unknown_instruction_set_is_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"'mve'.*generic"):
        compiled(small_model(), isa="mve")


_PRINT_HASH = """
import hashlib, json, sys
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.package.records import IoMode
data = sys.stdin.buffer.read()
packages = [compile_model(data, "m.tflite", CompileOptions(input_mode=m)).package for m in IoMode]
print(json.dumps([hashlib.sha256(package).hexdigest() for package in packages]))
"""


def test_same_bytes_in_another_process() -> None:
    """Whatever the hash seed, the working directory and the clock."""
    data = build_tflite(random_graph(11))
    hashes = []
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", _PRINT_HASH],
            input=data,
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        hashes.append(json.loads(done.stdout))
    assert hashes[0] == hashes[1]


# What cannot be executed


def int16(tensor: Tensor) -> Tensor:
    tensor.dtype = DType.INT16
    tensor.quant = Quant((0.001,), (0,))
    return tensor


def test_int16_activations_are_refused_op_by_op() -> None:
    make = Maker()
    x = int16(make.input((1, 8, 8, 3)))
    y = int16(make.conv(x))
    z = int16(make.max_pool(y))
    graph = make.graph(int16(make.unary("SOFTMAX", z)))
    with pytest.raises(UnsupportedError) as error:
        compiled(graph)
    text = str(error.value)
    assert "model.tflite: 3 of 3 ops cannot be executed" in text
    for line in ("op 0 CONV_2D version 3", "op 1 MAX_POOL_2D version 2", "op 2 SOFTMAX version 2"):
        assert line in text
    assert "'t1' int16 [1, 8, 8, 3]" in text
    assert text.count("int16, needs int8") >= 3


def test_newer_version_and_unknown_kind_are_listed_together() -> None:
    make = Maker()
    x = make.input((1, 4))
    y = make.unary("LOGISTIC", x)
    make.ops[0].version = 99
    z = make.op("COS", [y], make.tensor(y.shape))
    data = build_tflite(make.graph(make.clamp("RELU", z)))
    found = check_model(data, "model.tflite")
    assert [(op.index, op.kind, op.version) for op in found] == [(0, "LOGISTIC", 99), (1, "COS", 1)]
    assert "version 99 is newer than" in found[0].reasons[0]
    assert "not implemented" in found[1].reasons[0]
    with pytest.raises(UnsupportedError) as error:
        compile_model(data, "model.tflite")
    text = str(error.value)
    assert "model.tflite: 2 of 3 ops cannot be executed" in text
    assert "op 0 LOGISTIC version 99" in text
    assert "op 1 COS version 1" in text
    assert error.value.remedy is not None
    assert "earlier" in error.value.remedy
    assert "LEAKY_RELU" in error.value.remedy


def test_unsupported_op_that_nothing_needs_is_no_obstacle() -> None:
    make = Maker()
    x = make.input((1, 4))
    make.op("COS", [x], make.tensor(x.shape))
    graph = make.graph(make.clamp("RELU", x))
    assert len(compiled(graph).content.ops) == 1


# Report


def test_report_adds_up() -> None:
    """By hand: conv 8x8x5 over 3x3x3 (27 bytes of column), pool to 4x4x5, softmax over 80."""
    kept = compiled(small_model()).report
    assert [layer.macs for layer in kept.layers] == [8 * 8 * 5 * 27, 0, 0]
    assert [layer.shape for layer in kept.layers] == [(1, 8, 8, 5), (1, 4, 4, 5), (1, 80)]
    assert [layer.parameters for layer in kept.layers] == [5 * 27 + 5, 0, 0]
    assert [layer.activation_bytes for layer in kept.layers] == [320, 400, 80]
    assert kept.layers[0].scratch_bytes == 32
    assert kept.arena_bytes == kept.lower_bound == 400
    assert kept.peak_step == 1
    assert (kept.input_bytes, kept.output_bytes) == (192, 80)
    assert kept.ram_bytes == 400 + 192 + 80 + kept.view_bytes
    resident = compiled(small_model(), IoMode.RESIDENT).report
    assert (resident.input_bytes, resident.output_bytes) == (0, 0)
    assert resident.arena_bytes == 192 + 320 + 32
    assert resident.peak_step == 0
    assert resident.ram_bytes == resident.arena_bytes + resident.view_bytes


def test_report_counts_what_is_replaced_in_place_once() -> None:
    make = Maker(4)
    y = make.unary("TANH", make.conv(make.input((1, 8, 8, 4))))
    report = compiled(make.graph(make.binary("ADD", y, make.conv(y)))).report
    assert [layer.kind for layer in report.layers] == ["CONV_2D", "TANH", "CONV_2D", "ADD"]
    assert [layer.in_place for layer in report.layers] == [False, True, False, False]
    assert [layer.activation_bytes for layer in report.layers] == [256, 256, 512, 512]


def test_report_counts_what_is_alive_of_what_is_replaced_in_place() -> None:
    """A package made by hand: 160 bytes, replaced by 80, which a last step reads."""
    content = compiled(small_model()).content
    conv, pool, *_ = content.ops
    tensors = (
        TensorRecord("in", 1, (16,), Storage.EXTERNAL, 0, 16, 0, 0, is_input=True),
        TensorRecord("a", 1, (160,), Storage.ARENA, 0, 160, 0, 1),
        TensorRecord("b", 1, (80,), Storage.ARENA, 0, 80, 1, 2, alias=Alias.SAME, alias_tensor=1),
        TensorRecord("out", 1, (16,), Storage.EXTERNAL, 1, 16, 2, 2, is_output=True),
    )
    ops = tuple(
        replace(op, inputs=(i,), outputs=(i + 1,), scratch_bytes=0)
        for i, op in enumerate((conv, pool, pool))
    )
    report = analyze_package(replace(content, tensors=tensors, ops=ops, arena_bytes=160), 0)
    assert [layer.activation_bytes for layer in report.layers] == [160, 160, 80]


def test_report_of_the_file_is_the_compilers() -> None:
    for mode in MODES:
        for seed in range(8):
            result = compiled(random_graph(seed), mode)
            content = read_package(result.package, "model.rnv")
            assert analyze_package(content, len(result.package)) == result.report
            assert result.report.gap >= 0


@pytest.mark.parametrize(
    "steps", [None, 7, [], [1], [{"kind": 1, "ops": 2, "parameters": "x"}], [{"ops": ["x"]}]]
)
def test_report_of_a_package_with_odd_metadata(steps: Any) -> None:
    content = replace(compiled(small_model()).content, meta={"steps": steps})
    report = analyze_package(content, 0)
    assert [layer.kind for layer in report.layers] == [None] * 3
    assert [layer.sources for layer in report.layers] == [()] * 3
    assert report.parameters is None


def test_report_is_json() -> None:
    result = compiled(small_model())
    report = json.loads(json.dumps(result.report.to_dict()))
    assert report["flash_bytes"] == len(result.package)
    assert report["input_mode"] == "kept"
    assert len(report["layers"]) == 3
