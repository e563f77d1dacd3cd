# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Float32 models: whole networks, mixtures with int8, slices, what is refused, special values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from f32_models import float_twin
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.errors import UnsupportedError
from ranvier.model import Model, Package
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.cases import Tolerance, generate
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.sweep import Difference, _require_within
from ranvier.testing.tflite_builder import build_tflite
from ranvier.testing.validate import f32_tolerance, random_inputs, validate
from sliced_ops import in_slices

pytest.importorskip("tflite_micro")

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "models"
MODELS = {
    "digits": ROOT / "models/digits/digits.tflite",
    "kws": SHARED / "mlperf_kws_dscnn_int8.tflite",
    "ad": SHARED / "mlperf_ad01_int8.tflite",
    "ic": SHARED / "mlperf_ic_resnet8_int8.tflite",
    "vww": SHARED / "mlperf_vww_mnv1_int8.tflite",
}
WINDOWED = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D")
F32 = DType.FLOAT32
Array = NDArray[Any]


def devices(package: bytes) -> list[str]:
    names = {code: name for name, code in op_codes().items()}
    return [names[op.code] for op in Package(package, "model").content.ops]


def tensor(name: str, shape: Sequence[int], data: Any = None, dtype: DType = F32) -> Tensor:
    values = None if data is None else np.asarray(data, dtype.numpy).reshape(shape)
    return Tensor(name, dtype, tuple(shape), None, values)


def single(kind: str, inputs: list[Tensor | None], y: Tensor, **attrs: Any) -> bytes:
    fed = [t for t in inputs if t is not None and t.data is None]
    return build_tflite(Graph("model", [Op(kind, inputs, [y], attrs)], fed, [y]))


# Whole networks


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("name", MODELS)
def test_a_network_is_the_reference_within_the_contract(name: str, mode: IoMode) -> None:
    if not MODELS[name].exists():
        pytest.skip(f"{MODELS[name]} is not there")
    model = float_twin(MODELS[name].read_bytes())
    package = Package(compile_model(model, name, CompileOptions(input_mode=mode)).package, name)
    assert all(device.endswith("_F32") or device == "PAD" for device in devices(package.data))
    found = validate(model, package, TfliteMicroOracle(model), random_inputs(package, 1, 3))
    assert found.passed, found.first_divergent
    assert found.compared == found.package_layers
    assert all(layer.tolerance > 0 for layer in found.layers)


@pytest.mark.parametrize("isa", ["dsp", "base"])
@pytest.mark.parametrize("optimize", ["speed", "memory"])
def test_packings_leave_float32_alone(isa: str, optimize: str) -> None:
    model = float_twin(MODELS["digits"].read_bytes())
    generic = compile_model(model, "digits.tflite")
    packed = compile_model(model, "digits.tflite", CompileOptions(isa=isa, optimize=optimize))
    assert devices(packed.package) == devices(generic.package)
    frame = random_inputs(Package(packed.package, "digits"), 1, 4)[0]
    (first,), (second,) = Model(generic.package).run(*frame), Model(packed.package).run(*frame)
    assert first.tobytes() == second.tobytes()


# Mixtures


def mixture() -> bytes:
    """Float convolution, quantised one, float function: an int8 part inside of float32."""
    rng = np.random.default_rng(8)
    x = tensor("x", (1, 6, 6, 2))
    weights = tensor("w", (4, 3, 3, 2), rng.standard_normal((4, 3, 3, 2)) / 4)
    bias = tensor("b", (4,), rng.standard_normal(4))
    window = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    first = tensor("first", (1, 6, 6, 4))
    quant = Quant((0.03125,), (-3,))
    second = Tensor("second", DType.INT8, (1, 6, 6, 4), quant)
    kernel = rng.integers(-90, 90, (5, 1, 1, 4), np.int8)
    filters = Tensor("f", DType.INT8, (5, 1, 1, 4), Quant((0.0078125,), (0,)), kernel)
    numbers = rng.integers(-900, 900, 5, np.int32)
    biases = Tensor("fb", DType.INT32, (5,), Quant((0.03125 * 0.0078125,), (0,)), numbers)
    third = Tensor("third", DType.INT8, (1, 6, 6, 5), Quant((0.0625,), (4,)))
    real, y = tensor("real", (1, 6, 6, 5)), tensor("y", (1, 6, 6, 5))
    ops = [
        Op(
            "CONV_2D", [x, weights, bias], [first], {**window, "fused_activation_function": "RELU6"}
        ),
        Op("QUANTIZE", [first], [second]),
        Op("CONV_2D", [second, filters, biases], [third], dict(window)),
        Op("DEQUANTIZE", [third], [real]),
        Op("TANH", [real], [y]),
    ]
    return build_tflite(Graph("mixture", ops, [x], [y]))


@pytest.mark.parametrize("isa", ["generic", "dsp", "base"])
def test_int8_inside_of_float32(isa: str) -> None:
    model = mixture()
    package = Package(compile_model(model, "mixture", CompileOptions(isa=isa)).package, "mixture")
    used = devices(package.data)
    assert {"CONV_2D_F32", "QUANTIZE_F32", "LUT_32", "TANH_F32"} <= set(used)
    found = validate(model, package, TfliteMicroOracle(model), random_inputs(package, 20, 1))
    assert found.passed, found.first_divergent


def test_constant_float32_ops_are_folded() -> None:
    """TANH of a constant, which is then added."""
    constant, folded = tensor("c", (4,), [0.25, -1, 3, 0]), tensor("t", (4,))
    x, y = tensor("x", (2, 4)), tensor("y", (2, 4))
    ops = [Op("TANH", [constant], [folded]), Op("ADD", [x, folded], [y])]
    model = build_tflite(Graph("folded", ops, [x], [y]))
    result = compile_model(model, "folded.tflite")
    assert devices(result.package) == ["ADD_F32"]
    values = np.arange(8, dtype=np.float32).reshape(2, 4)
    (got,) = Model(result.package).run(values)
    assert np.allclose(got, values + np.tanh([0.25, -1, 3, 0]), rtol=1e-6, atol=1e-6)


def test_dequantised_constants_are_weights() -> None:
    """Weights stored in int8 beside a float32 network."""
    rng = np.random.default_rng(2)
    stored = Tensor(
        "stored", DType.INT8, (3, 5), Quant((0.01,), (2,)), rng.integers(-99, 99, (3, 5), np.int8)
    )
    weights, x, y = tensor("w", (3, 5)), tensor("x", (2, 5)), tensor("y", (2, 3))
    ops = [Op("DEQUANTIZE", [stored], [weights]), Op("FULLY_CONNECTED", [x, weights, None], [y])]
    result = compile_model(build_tflite(Graph("stored", ops, [x], [y])), "stored.tflite")
    assert devices(result.package) == ["FULLY_CONNECTED_F32"]
    values = rng.standard_normal((2, 5)).astype(np.float32)
    assert stored.data is not None
    want = values.astype(np.float64) @ (0.01 * (stored.data.astype(np.float64).T - 2))
    assert np.allclose(Model(result.package).run(values)[0], want, rtol=1e-5, atol=1e-6)


# Slices and memory


@pytest.mark.parametrize("kind", WINDOWED)
def test_slices_give_the_same_bytes(kind: str) -> None:
    sliced = 0
    for seed in range(12):
        case = generate(seed, f"{kind}_F32")
        whole, parts = compile_model(case.model, "whole"), in_slices(case.model)
        sliced += len(parts.content.steps) > len(whole.content.steps)
        for inputs in case.inputs:
            first, second = (Model(made.package).run(*inputs) for made in (whole, parts))
            assert [t.tobytes() for t in first] == [t.tobytes() for t in second]
    assert sliced >= 4


def test_functions_work_in_place() -> None:
    x, y, z = (tensor(name, (1, 64)) for name in "xyz")
    graph = Graph("two", [Op("TANH", [x], [y]), Op("LOGISTIC", [y], [z])], [x], [z])
    for mode, arena in ((IoMode.RESIDENT, 256), (IoMode.DONATED, 0)):
        result = compile_model(build_tflite(graph), "two", CompileOptions(input_mode=mode))
        assert result.content.arena_bytes <= max(arena, 256)


# What is refused


def test_a_network_with_quantised_weights_alone_is_refused() -> None:
    """What the converter makes of dynamic-range quantisation."""
    weights = Tensor("w", DType.INT8, (3, 5), Quant((0.1,), (0,)), np.ones((3, 5), np.int8))
    x, y = tensor("x", (1, 5)), tensor("y", (1, 3))
    with pytest.raises(UnsupportedError, match="weights 'w' is int8, needs float32") as raised:
        compile_model(single("FULLY_CONNECTED", [x, weights], y), "hybrid.tflite")
    assert raised.value.remedy is not None
    assert "without optimisations" in raised.value.remedy


def convolution(**changes: Any) -> bytes:
    x, y = tensor("x", (1, 4, 4, 2)), tensor("y", (1, 4, 4, 3))
    inputs: dict[str, Any] = {
        "weights": tensor("w", (3, 1, 1, 2), np.ones(6)),
        "bias": tensor("b", (3,), np.ones(3)),
    }
    attrs: dict[str, Any] = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    inputs |= {name: value for name, value in changes.items() if name in inputs}
    attrs |= {name: value for name, value in changes.items() if name not in inputs}
    return single("CONV_2D", [x, inputs["weights"], inputs["bias"]], y, **attrs)


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (convolution(weights=tensor("w", (3, 1, 1, 2))), "weights 'w' are not constant"),
        (convolution(weights=tensor("w", (3, 2), np.ones(6))), "need 4 dimensions"),
        (convolution(weights=tensor("w", (3, 1, 1, 3), np.ones(9))), "do not form groups of 3"),
        (convolution(bias=tensor("b", (2,), np.ones(2))), "bias 'b' has 2 values, not 3"),
        (convolution(bias=tensor("b", (3,))), "bias 'b' is not constant"),
        (convolution(bias=tensor("b", (3,), [1, 2, 3], DType.INT32)), "is int32, needs float32"),
        (convolution(stride_h=2), "the parameters give"),
        (convolution(fused_activation_function="TANH"), "fused activation TANH"),
        (single("TANH", [tensor("x", (3,))], tensor("y", (4,))), "does not hold the input's"),
        (
            single("ADD", [tensor("x", (2, 3)), tensor("z", (2,))], tensor("y", (2, 3))),
            "do not broadcast",
        ),
        (
            single("MUL", [tensor("x", (3,)), tensor("z", (3,), [1] * 3, DType.INT32)],
                   tensor("y", (3,))),
            "input 1 'z' is int32, needs float32",
        ),
        (
            single("MEAN", [tensor("x", (3, 2)), tensor("a", (1,), [2], DType.INT32)],
                   tensor("y", (3,))),
            "outside of the input's 2 dimensions",
        ),
        (
            single("MAX_POOL_2D", [tensor("x", (1, 4, 4, 1))], tensor("y", (1, 4, 4, 1)),
                   filter_height=0, filter_width=1, stride_h=1, stride_w=1),
            "outside of 1..32767",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_has_its_reason(model: bytes, reason: str) -> None:
    with pytest.raises(UnsupportedError) as raised:
        compile_model(model, "model.tflite")
    assert reason in raised.value.message


# Special values: what numpy's float32 gives


def test_nan_and_infinities_pass_through_sums() -> None:
    x, y = tensor("x", (1, 2, 2, 3)), tensor("y", (1, 2, 2, 1))
    weights = tensor("w", (1, 1, 1, 3), [1.0, -2.0, 0.5])
    window = {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    model = single("CONV_2D", [x, weights, tensor("b", (1,), [1])], y, **window)
    values = np.array(
        [[np.nan, 1, 2], [np.inf, 0, 0], [np.inf, np.inf, 0], [3e38, -3e38, 0]], np.float32
    )
    (got,) = Model(compile_model(model, "m").package).run(values.reshape(x.shape))
    assert np.isnan(got.ravel()[[0, 2]]).all()
    assert got.ravel()[[1, 3]].tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("RELU", 0, np.inf), ("RELU6", 0, 6), ("RELU_N1_TO_1", -1, 1)],
)
def test_clamps(kind: str, low: float, high: float) -> None:
    values = np.array([np.nan, -np.inf, np.inf, -7, -0.5, 0, 0.5, 5.5, 1e-40, 7], np.float32)
    x, y = tensor("x", values.shape), tensor("y", values.shape)
    (got,) = Model(compile_model(single(kind, [x], y), "m").package).run(values)
    assert np.array_equal(got, np.clip(values, np.float32(low), np.float32(high)), equal_nan=True)


def test_quantising_nan_gives_the_zero_point() -> None:
    x, y = tensor("x", (3,)), Tensor("y", DType.INT8, (3,), Quant((0.5,), (7,)))
    values = np.array([np.nan, np.inf, -np.inf], np.float32)
    (got,) = Model(compile_model(single("QUANTIZE", [x], y), "m").package).run(values)
    assert got.tolist() == [7, 127, -128]


# The comparison itself


def test_a_difference_beyond_the_contract_is_found() -> None:
    want = np.array([1.0, -4.0, np.nan, np.inf], np.float32)
    most = np.array([1e-5, 4e-5, 1e-6, 1e-6])
    _require_within(want, want, most)
    _require_within(want + np.float32(0.9e-5), want, most)
    for index, other in ((0, 1.00002), (1, 4.0), (2, 0.0), (3, -np.inf), (3, 3e38), (0, np.nan)):
        got = want.copy()
        got[index] = other
        with pytest.raises(Difference, match="1 of 4 differ"):
            _require_within(got, want, most)


def test_tolerances() -> None:
    assert f32_tolerance(np.array([3.0, -200.0, np.inf, np.nan])) == pytest.approx(2e-3)
    assert f32_tolerance(np.zeros(2, np.float32)) == 1e-6
    assert generate(0, "MAX_POOL_2D_F32").tolerance is Tolerance.EXACT
    sums = generate(0, "CONV_2D_F32")
    assert sums.magnitudes is not None
    (most,) = TfliteMicroOracle(sums.magnitudes).run([np.abs(x) for x in sums.inputs[0]])
    (want,) = TfliteMicroOracle(sums.model).run(sums.inputs[0])
    assert (np.abs(want) <= most * (1 + 1e-5)).all()


def test_a_wrong_weight_is_found() -> None:
    """Validation of a float32 package is not blind: one bit of one weight."""
    model = mixture()
    content = compile_model(model, "mixture").content
    (number,) = (i for i, op in enumerate(content.ops) if op.code == op_codes()["CONV_2D_F32"])
    weights = bytearray(content.ops[number].weights)
    weights[4 * 4 + 2] ^= 0x40
    ops = [*content.ops]
    ops[number] = replace(ops[number], weights=bytes(weights))
    spoilt = Package(write_package(replace(content, ops=tuple(ops), golden=None)), "spoilt")
    found = validate(model, spoilt, TfliteMicroOracle(model), random_inputs(spoilt, 3, 1))
    assert not found.passed
