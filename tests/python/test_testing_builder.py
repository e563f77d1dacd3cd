# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The tools of testing: the ``.tflite`` builder, the oracles and the generated cases."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import InputError, ToolError
from ranvier.testing import oracle
from ranvier.testing._optional import require
from ranvier.testing.cases import Case, generate, ops
from ranvier.testing.oracle import LitertOracle, Oracle, TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite, tensor_order
from ranvier.testing.validate import f32_tolerance

Array = NDArray[Any]

MODELS = Path(__file__).resolve().parents[3] / "shared" / "models"
HAS_LITERT = find_spec("ai_edge_litert") is not None
needs_litert = pytest.mark.skipif(not HAS_LITERT, reason="ai-edge-litert is not installed")


def int8(name: str, shape: Sequence[int], scale: float, zero_point: int) -> Tensor:
    quant = Quant((float(np.float32(scale)),), (zero_point,))
    return Tensor(name, DType.INT8, tuple(shape), quant)


def fully_connected(bias: Sequence[int], scales: tuple[float, float, float]) -> Graph:
    """One input and one weight of 1 for each output, so that bias + input is the accumulator."""
    count = len(bias)
    x, w = int8("x", (1, 1), scales[0], 3), int8("w", (count, 1), scales[1], 0)
    y = int8("y", (1, count), scales[2], -7)
    w.data = np.ones(w.shape, np.int8)
    b = Tensor("b", DType.INT32, (count,), Quant((float(np.float32(scales[0] * scales[1])),), (0,)))
    b.data = np.array(bias, np.int32)
    attrs = {"fused_activation_function": "NONE", "keep_num_dims": False}
    return Graph("fc", [Op("FULLY_CONNECTED", [x, w, b], [y], attrs, 4, 0)], [x], [y])


def unary(kind: str, shape: Sequence[int], attrs: dict[str, Any] | None = None) -> Graph:
    x, y = int8("x", shape, 0.01, 0), int8("y", shape, 1 / 256, -128)
    return Graph(kind, [Op(kind, [x], [y], attrs or {}, 1, 0)], [x], [y])


def two_ops() -> Graph:
    x = int8("x", (1, 4), 0.1, 5)
    middle, y = int8("middle", (1, 4), 0.1, 5), int8("y", (4, 1), 0.1, 5)
    relu, reshape = Op("RELU6", [x], [middle]), Op("RESHAPE", [middle], [y], {"new_shape": [4, 1]})
    return Graph("two", [relu, reshape], [x], [y])


def requantised(accumulators: Array, multiplier: float) -> Array:
    """Rounding to the nearest twice, as the documented int8 scheme does: first the high word."""
    fraction, exponent = math.frexp(multiplier)
    factor = int(fraction * 2**31 + 0.5)
    outputs = []
    for accumulator in accumulators.tolist():
        product = accumulator * factor * 2 ** max(exponent, 0)
        nudge = 2**30 if product >= 0 else 2**30 - 1
        high = (abs(product) + nudge) // 2**31 * (1 if product >= 0 else -1)
        scaled = abs(high) / 2 ** max(-exponent, 0)
        outputs.append(int(math.copysign(math.floor(scaled + 0.5), high)))
    return np.array(outputs)


# --- the builder -------------------------------------------------------------------------------


def test_fields_can_be_read_by_the_schemas_own_code() -> None:
    data = build_tflite(fully_connected([1, -2, 300], (0.5, 0.25, 2.0)))
    model = tflite.Model.GetRootAs(data)
    graph = model.Subgraphs(0)
    assert data[4:8] == b"TFL3"
    assert (model.Version(), model.OperatorCodesLength(), graph.OperatorsLength()) == (3, 1, 1)
    assert model.OperatorCodes(0).BuiltinCode() == tflite.BuiltinOperator.FULLY_CONNECTED
    assert model.OperatorCodes(0).Version() == 4
    assert graph.Operators(0).InputsAsNumpy().tolist() == [0, 1, 2]
    weights, bias = graph.Tensors(1), graph.Tensors(2)
    assert weights.ShapeAsNumpy().tolist() == [3, 1]
    assert weights.Quantization().ScaleAsNumpy().tolist() == [0.25]
    stored = model.Buffers(bias.Buffer())
    assert np.frombuffer(stored.DataAsNumpy().tobytes(), "<i4").tolist() == [1, -2, 300]


@pytest.mark.parametrize("count", range(1, 10))
def test_constants_are_aligned(count: int) -> None:
    data = build_tflite(fully_connected([0] * count, (0.5, 0.25, 2.0)))
    model = tflite.Model.GetRootAs(data)
    start = np.frombuffer(data, np.uint8).ctypes.data
    for i in (1, 2):
        buffer = model.Buffers(model.Subgraphs(0).Tensors(i).Buffer())
        assert (buffer.DataAsNumpy().ctypes.data - start) % 16 == 0


def test_an_absent_input_is_written_as_such() -> None:
    graph = fully_connected([0], (0.5, 0.25, 2.0))
    graph.ops[0].inputs[2] = None
    operator = tflite.Model.GetRootAs(build_tflite(graph)).Subgraphs(0).Operators(0)
    assert operator.InputsAsNumpy().tolist() == [0, 1, -1]


def test_the_same_graph_gives_the_same_bytes() -> None:
    first, second = (build_tflite(fully_connected([5], (0.5, 0.25, 2.0))) for _ in range(2))
    assert first == second


def test_what_the_schema_lacks_is_refused() -> None:
    with pytest.raises(ToolError, match="no BuiltinOperator"):
        build_tflite(unary("NO_SUCH_OP", (1, 4)))
    with pytest.raises(ToolError, match="no field SoftmaxOptions"):
        build_tflite(unary("SOFTMAX", (1, 4), {"gamma": 1.0}))
    graph = unary("RELU", (1, 4))
    graph.inputs[0].data = np.zeros(3, np.int8)
    with pytest.raises(ToolError, match="tensor x"):
        build_tflite(graph)


@pytest.mark.parametrize("op", ops())
def test_the_reader_and_the_builder_are_inverse(op: str) -> None:
    for seed in range(12):
        case = generate(seed, op)
        rebuilt = build_tflite(read_tflite(case.model, "rebuilt"))
        for inputs in case.inputs:
            expected = reference(case, case.model).run(inputs)
            actual = reference(case, rebuilt).run(inputs)
            assert_equal(actual, expected, case)


# --- the oracles -------------------------------------------------------------------------------


def reference(case: Case, model: bytes) -> Oracle:
    if case.reference == "tflite-micro":
        return TfliteMicroOracle(model)
    if not HAS_LITERT:
        pytest.skip("ai-edge-litert is not installed")
    return LitertOracle(model)


def assert_equal(actual: list[Array], expected: list[Array], case: Case) -> None:
    assert len(actual) == len(expected), case.description
    for a, b in zip(actual, expected, strict=True):
        assert a.dtype == b.dtype, case.description
        assert np.array_equal(a, b), f"seed {case.seed}: {case.description}"


def test_requantisation_follows_the_documented_rounding() -> None:
    scales = (0.05296, 0.02409, 0.11484)  # accumulator 585 lands just below 6.5
    bias = [585, -585, 0, 1, -1, *range(-11000, 11000, 37)]
    given = [float(np.float32(s)) for s in scales]
    expected = requantised(np.array(bias), given[0] * given[1] / given[2]) - 7
    (actual,) = TfliteMicroOracle(build_tflite(fully_connected(bias, scales))).run(
        [np.full((1, 1), 3, np.int8)]
    )
    assert actual.ravel().tolist() == np.clip(expected, -128, 127).tolist()


@pytest.mark.parametrize(
    "kind", [TfliteMicroOracle, pytest.param(LitertOracle, marks=needs_litert)]
)
def test_every_ops_output_can_be_seen(kind: type[TfliteMicroOracle | LitertOracle]) -> None:
    graph = two_ops()
    x = np.array([[-100, 0, 5, 127]], np.int8)
    model = build_tflite(graph)
    tensors = kind(model).tensors([x])
    order = [tensor.name for tensor in tensor_order(graph)]
    assert {order[i]: v.shape for i, v in tensors.items()} == {"middle": (1, 4), "y": (4, 1)}
    assert tensors[order.index("middle")].tolist() == [[5, 5, 5, 65]]
    assert tensors[order.index("y")].tolist() == [[5], [5], [5], [65]]
    assert kind(model).run([x])[0].tolist() == [[5], [5], [5], [65]]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "0 inputs given"),
        ([np.zeros((1, 4), np.uint8)], "UINT8"),
        ([np.zeros(4, np.int8)], "Dimension mismatch"),
    ],
)
@pytest.mark.parametrize(
    "kind", [TfliteMicroOracle, pytest.param(LitertOracle, marks=needs_litert)]
)
def test_inputs_that_do_not_fit_are_refused(
    kind: type[TfliteMicroOracle | LitertOracle], inputs: list[Array], message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        kind(build_tflite(two_ops())).run(inputs)


def test_an_unsupported_op_is_named() -> None:
    with pytest.raises(ToolError, match="RELU_N1_TO_1"):
        TfliteMicroOracle(build_tflite(unary("RELU_N1_TO_1", (1, 4)))).run(
            [np.zeros((1, 4), np.int8)]
        )


def test_a_model_that_is_none_is_an_error() -> None:
    for model in (b"", b"no model at all", build_tflite(two_ops())[:60]):
        with pytest.raises(ToolError):
            TfliteMicroOracle(model).run([np.zeros((1, 4), np.int8)])


def test_an_interpreter_that_aborts_takes_nothing_with_it() -> None:
    flat = np.zeros((1, 512), np.int8)  # the sum of exponentials that it cannot shift
    softmax = build_tflite(unary("SOFTMAX", (1, 512), {"beta": 1.0}))
    with pytest.raises(ToolError, match="SIGABRT"):
        TfliteMicroOracle(softmax).run([flat])
    (after,) = TfliteMicroOracle(build_tflite(two_ops())).run([np.zeros((1, 4), np.int8)])
    assert after.tolist() == [[5], [5], [5], [5]]


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "find_spec", lambda name: None)
    with pytest.raises(ToolError, match="pip install tflite-micro"):
        TfliteMicroOracle(b"")
    with pytest.raises(ToolError, match="pip install ai-edge-litert"):
        LitertOracle(b"")
    with pytest.raises(ToolError, match="pip install some-package"):
        require("no_such_module", "some-package")


@pytest.mark.skipif(not MODELS.is_dir(), reason="the folder of public models is not here")
@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("kws", "mlperf_kws_dscnn_int8"),
        ("vww", "mlperf_vww_mnv1_int8"),
        ("ic", "mlperf_ic_resnet8_int8"),
        ("ad", "mlperf_ad01_int8"),
    ],
)
def test_public_models_give_their_recorded_output(name: str, stem: str) -> None:
    model = (MODELS / f"{stem}.tflite").read_bytes()
    shape = read_tflite(model, name).inputs[0].shape
    x = np.fromfile(MODELS / f"{name}.in.bin", np.int8).reshape(shape)
    for _ in range(2):
        (y,) = TfliteMicroOracle(model).run([x])
        assert y.tobytes() == (MODELS / f"{name}.out.bin").read_bytes()


# --- the cases ---------------------------------------------------------------------------------


@pytest.mark.parametrize("op", ops())
def test_the_reference_accepts_every_case(op: str) -> None:
    constant = 0
    for seed in range(25):
        case = generate(seed, op)
        outputs = [reference(case, case.model).run(inputs) for inputs in case.inputs]
        assert len(outputs) >= 3
        values = np.concatenate([out[0].ravel() for out in outputs])
        assert np.isfinite(values).all(), case.description
        constant += len(np.unique(values)) == 1
    assert constant <= 5, f"{constant} of 25 cases say nothing: their output never changes"


@needs_litert
@pytest.mark.parametrize("op", [op for op in ops() if not op.startswith("IMAGE_CHAIN")])
def test_a_second_reference_agrees(op: str) -> None:
    """In the shape, which TensorFlow Lite Micro takes from the file, and in the values.

    LiteRT rounds once in FULLY_CONNECTED, and forms some multipliers in float32: one step,
    of which several ops would make more.
    """
    compared = 0
    for seed in range(15):
        case = generate(seed, op)
        try:
            second = [LitertOracle(case.model).run(inputs)[0] for inputs in case.inputs]
        except ToolError:  # it demands a bias of CONV_2D, and a shape of RESHAPE
            if op.removesuffix("_F32") not in ("CONV_2D", "RESHAPE"):
                raise
            continue
        for inputs, expected in zip(case.inputs, second, strict=True):
            (actual,) = reference(case, case.model).run(inputs)
            assert actual.shape == expected.shape, case.description
            difference = actual.astype(np.float64) - expected.astype(np.float64)
            most = f32_tolerance(expected) if op.endswith("_F32") else 1
            assert np.abs(difference).max() <= most, case.description
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("op", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_accumulators_fit_the_references_arithmetic(op: str) -> None:
    for seed in range(500):
        case = generate(seed, op)
        graph = read_tflite(case.model, "case")
        x, w, *bias = graph.ops[0].inputs
        y = graph.ops[0].outputs[0]
        assert x is not None and x.quant and w is not None and w.quant and y.quant  # noqa: PT018
        assert w.data is not None
        axis = 3 if op == "DEPTHWISE_CONV_2D" else 0
        rows = np.moveaxis(np.abs(w.data.astype(np.int64)), axis, 0).reshape(w.shape[axis], -1)
        largest = 255.0 * rows.sum(axis=1)
        if bias and bias[0] is not None and bias[0].data is not None:
            largest = largest + np.abs(bias[0].data.astype(np.float64))
        multipliers = np.array(w.quant.scales) * x.quant.scale / y.quant.scale
        shifts = np.maximum(np.ceil(np.log2(multipliers)), 0)
        assert (largest * np.exp2(shifts) < 2**31 - 256).all(), case.description


def test_a_seed_means_one_case() -> None:
    first, second = generate(7, "CONV_2D"), generate(7, "CONV_2D")
    assert (first.model, first.description) == (second.model, second.description)
    for a, b in zip(first.inputs, second.inputs, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert generate(8, "CONV_2D").model != first.model


def test_consecutive_seeds_take_turns() -> None:
    assert tuple(generate(seed).op for seed in range(len(ops()))) == ops()
    with pytest.raises(InputError, match="NO_SUCH_OP"):
        generate(0, "NO_SUCH_OP")


@pytest.mark.parametrize(
    ("op", "text"),
    [
        ("CONV_2D", "stride 2x2"),
        ("CONV_2D", "dilation 3x"),
        ("CONV_2D", "65)"),
        ("CONV_2D", "bias tied"),
        ("DEPTHWISE_CONV_2D", "x8 "),
        ("AVERAGE_POOL_2D", "window 17x"),
        ("SOFTMAX", "(4, 10)"),
        ("QUANTIZE", "to UINT8"),
        ("RESIZE_NEAREST_NEIGHBOR", "half_pixel_centers"),
    ],
)
def test_reported_troublemakers_are_among_the_cases(op: str, text: str) -> None:
    assert any(text in generate(seed, op).description for seed in range(200))


@pytest.mark.parametrize("op", ["ADD", "MUL"])
def test_every_pair_of_ranks_is_broadcast(op: str) -> None:
    pairs = set()
    for seed in range(400):
        graph = read_tflite(generate(seed, op).model, "case")
        pairs.add(tuple(len(t.shape) for t in graph.ops[0].inputs if t is not None))
    assert pairs >= {(a, b) for a in range(1, 5) for b in range(1, 5)}
