# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Each pass on graphs made by hand; exactness of what they do together is test_driver.py's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from random_models import Maker
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.compiler.lower import Program, lower_graph, sources_of
from ranvier.compiler.passes import (
    bound_inputs,
    drop_dead,
    fold_constants,
    fold_zero_points,
    fuse_pad,
    fuse_quantize_pairs,
    fuse_tables,
    make_tables,
    remove_noops,
    split_strides,
)
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite


def kinds(graph: Graph) -> list[str]:
    return [op.kind for op in graph.ops]


def lowered(graph: Graph) -> Program:
    fold_zero_points.run(graph)
    return lower_graph(graph)


def devices(program: Program) -> list[str]:
    return [step.lowered.device for step in program.steps]


# drop_dead


def test_drop_dead_keeps_what_outputs_need() -> None:
    make = Maker()
    x = make.input((1, 4))
    first = make.unary("RELU", x)
    dead = make.unary("TANH", first)
    make.unary("TANH", dead)
    graph = make.graph(make.unary("LOGISTIC", first))
    assert drop_dead.run(graph) == 2
    assert kinds(graph) == ["RELU", "LOGISTIC"]
    assert drop_dead.run(graph) == 0


def test_drop_dead_keeps_an_op_for_one_of_its_outputs() -> None:
    make = Maker()
    halves = [make.tensor((1, 2)), make.tensor((1, 2))]
    make.ops.append(Op("SPLIT", [make.constant(1), make.input((1, 4))], halves))
    graph = make.graph(make.unary("RELU", halves[1]))
    assert drop_dead.run(graph) == 0
    assert kinds(graph) == ["SPLIT", "RELU"]


# fold_constants


def shape_chain(make: Maker, x: Tensor) -> Tensor:
    """What a model that keeps its batch open computes: (batch of x, 24)."""
    shape = make.op("SHAPE", [x], make.tensor((len(x.shape),), dtype=DType.INT32))
    slices = [make.constant([value]) for value in (0, 1, 1)]
    batch = make.op(
        "STRIDED_SLICE",
        [shape, *slices],
        make.tensor((), dtype=DType.INT32),
        {"shrink_axis_mask": 1},
    )
    parts = [batch, make.constant(24)]
    target = make.tensor((2,), dtype=DType.INT32)
    return make.op("PACK", parts, target, {"axis": 0, "values_count": 2})


def test_fold_constants_computes_shapes() -> None:
    make = Maker()
    x = make.input((3, 4, 6))
    target = shape_chain(make, x)
    make.op("RESHAPE", [x, target], make.tensor((3, 24), x.quant))
    graph = make.graph(make.ops[-1].outputs[0])
    assert fold_constants.run(graph) == 3
    assert kinds(graph) == ["RESHAPE"]
    assert target.data is not None
    assert target.data.tolist() == [3, 24]
    assert target.data.dtype == np.int32
    assert not target.data.flags.writeable


@pytest.mark.parametrize(
    ("masks", "numbers", "expected"),
    [
        ({}, (1, 3, 1), [11, 12]),
        ({}, (-2, 4, 1), [12, 13]),
        ({}, (3, 0, -1), [13, 12, 11]),
        ({"begin_mask": 1}, (2, 3, 1), [10, 11, 12]),
        ({"end_mask": 1}, (2, 3, 1), [12, 13]),
        ({"begin_mask": 1, "end_mask": 1}, (2, 3, 2), [10, 12]),
    ],
)
def test_fold_constants_slices(
    masks: dict[str, int], numbers: tuple[int, int, int], expected: list[int]
) -> None:
    make = Maker()
    source = make.constant([10, 11, 12, 13])
    output = make.tensor((len(expected),), dtype=DType.INT32)
    inputs = [source, *(make.constant([number]) for number in numbers)]
    graph = make.graph(make.op("STRIDED_SLICE", inputs, output, masks))
    assert fold_constants.run(graph) == 1
    assert output.data is not None
    assert output.data.tolist() == expected


@pytest.mark.parametrize("place", [1, 2, 3])
def test_fold_constants_leaves_slices_of_more_dimensions(place: int) -> None:
    make = Maker()
    inputs = [make.constant(numbers) for numbers in ([10, 11, 12, 13], [1], [3], [1])]
    inputs[place] = make.constant([1, 1])
    output = make.tensor((2,), dtype=DType.INT32)
    assert fold_constants.run(make.graph(make.op("STRIDED_SLICE", inputs, output))) == 0


@pytest.mark.parametrize(
    ("axis", "shape"),
    [(-3, None), (-2, (2, 3)), (-1, (3, 2)), (0, (2, 3)), (1, (3, 2)), (2, None)],
)
def test_fold_constants_packs_along(axis: int, shape: tuple[int, int] | None) -> None:
    make = Maker()
    parts = [make.constant([1, 2, 3]), make.constant([4, 5, 6])]
    output = make.tensor(shape or (2, 3), dtype=DType.INT32)
    graph = make.graph(make.op("PACK", parts, output, {"axis": axis}))
    assert fold_constants.run(graph) == (0 if shape is None else 1)
    if output.data is not None:
        rows = np.array([[1, 2, 3], [4, 5, 6]])
        assert np.array_equal(output.data, rows if shape == (2, 3) else rows.T)


@pytest.mark.parametrize(("count", "folded"), [(1024, 1), (1025, 0)])
def test_fold_constants_packs_what_shapes_have(count: int, folded: int) -> None:
    make = Maker()
    output = make.tensor((1, count), dtype=DType.INT32)
    graph = make.graph(make.op("PACK", [make.constant([7] * count)], output, {"axis": 0}))
    assert fold_constants.run(graph) == folded


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["LOGISTIC", "HARD_SWISH", "QUANTIZE", "ADD", "FULLY_CONNECTED"])
def test_fold_constants_equals_the_reference(kind: str, seed: int) -> None:
    make = Maker(seed)
    x = make.int8_constant((2, 5))
    if kind == "ADD":
        y = make.binary("ADD", x, make.int8_constant((1, 5)))
    elif kind == "FULLY_CONNECTED":
        y = make.fully_connected(x, 3)
    else:
        y = make.unary(kind, x)
    values = x.data
    assert values is not None
    x.data = None
    make.inputs = [x]
    (expected,) = TfliteMicroOracle(build_tflite(make.graph(y))).run([values])
    x.data = values
    graph = Graph("constant", make.ops, [], [y])
    assert fold_constants.run(graph) == 1
    assert graph.ops == []
    assert y.data is not None
    assert np.array_equal(y.data, expected)


def test_fold_constants_leaves_what_depends_on_inputs_or_is_unsupported() -> None:
    make = Maker()
    x = make.input((1, 4))
    make.binary("ADD", x, make.int8_constant((1, 4)))
    make.op("COS", [make.int8_constant((1, 4))], make.tensor((1, 4)))
    graph = make.graph(*(op.outputs[0] for op in make.ops))
    assert fold_constants.run(graph) == 0
    assert kinds(graph) == ["ADD", "COS"]


@pytest.mark.parametrize("shape", [(3,), ()])
def test_fold_constants_leaves_what_contradicts_the_stated_shape(shape: tuple[int, ...]) -> None:
    make = Maker()
    x = make.input((1, 4))
    graph = make.graph(make.op("SHAPE", [x], make.tensor(shape, dtype=DType.INT32)))
    assert fold_constants.run(graph) == 0


# remove_noops


def test_remove_noops() -> None:
    make = Maker()
    x = make.input((1, 4))
    same = make.op("QUANTIZE", [x], make.tensor(x.shape, x.quant))
    other = make.op("QUANTIZE", [same], make.tensor(x.shape))
    graph = make.graph(make.unary("RELU", other))
    assert remove_noops.run(graph) == 1
    assert kinds(graph) == ["QUANTIZE", "RELU"]
    assert graph.ops[0].inputs == [x]


def test_remove_noops_at_an_output() -> None:
    make = Maker()
    x = make.unary("RELU", make.input((1, 4)))
    graph = make.graph(make.op("QUANTIZE", [x], make.tensor(x.shape, x.quant)))
    assert remove_noops.run(graph) == 1
    assert graph.outputs == [x]


def test_remove_noops_keeps_another_type() -> None:
    make = Maker()
    x = make.input((1, 4))
    graph = make.graph(make.op("QUANTIZE", [x], make.tensor(x.shape, x.quant, DType.UINT8)))
    assert remove_noops.run(graph) == 0


# fuse_pad

SPATIAL = [[0, 0], [1, 2], [3, 0], [0, 0]]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("kind", ["conv", "depthwise"])
def test_fuse_pad(kind: str, padding: str) -> None:
    make = Maker()
    x = make.input((1, 5, 4, 3))
    graph = make.graph(getattr(make, kind)(make.pad(x, SPATIAL), padding=padding))
    assert fuse_pad.run(graph) == 1
    assert drop_dead.run(graph) == 1
    (op,) = graph.ops
    assert op.inputs[0] is x
    assert op.attrs["_pad"] == (1, 2, 3, 0)
    assert op.attrs["_sources"] == (0, 1)


def test_fuse_pad_into_two_readers() -> None:
    make = Maker()
    padded = make.pad(make.input((1, 5, 4, 3)), SPATIAL)
    graph = make.graph(make.conv(padded), make.unary("RELU", padded), make.depthwise(padded))
    assert fuse_pad.run(graph) == 2
    drop_dead.run(graph)
    assert kinds(graph) == ["PAD", "CONV_2D", "RELU", "DEPTHWISE_CONV_2D"]


@pytest.mark.parametrize(
    "amounts", [[[1, 0], [0, 0], [0, 0], [0, 0]], [[0, 0], [1, 1], [1, 1], [0, 1]]]
)
def test_fuse_pad_leaves_batch_and_channels(amounts: list[list[int]]) -> None:
    make = Maker()
    graph = make.graph(make.conv(make.pad(make.input((1, 5, 4, 3)), amounts)))
    assert fuse_pad.run(graph) == 0
    assert kinds(graph) == ["PAD", "CONV_2D"]


def test_fuse_pad_leaves_channels_of_groups() -> None:
    """Without its padding the image has the channels of one group, which would be accepted."""
    make = Maker()
    padded = make.pad(make.input((1, 5, 4, 2)), [[0, 0], [0, 0], [0, 0], [0, 2]])
    filters, bias = make.weights((4, 3, 3, 2), padded, 0)
    attrs = {"padding": "SAME", "stride_h": 1, "stride_w": 1}
    output = make.op("CONV_2D", [padded, filters, bias], make.tensor((1, 5, 4, 4)), attrs, 3)
    assert fuse_pad.run(make.graph(output)) == 0


def test_fuse_pad_leaves_another_quantisation() -> None:
    make = Maker()
    padded = make.pad(make.input((1, 5, 4, 3)), SPATIAL)
    padded.quant = make.quant()
    assert fuse_pad.run(make.graph(make.conv(padded))) == 0


def test_fuse_pad_leaves_what_a_convolution_cannot_pad() -> None:
    make = Maker()
    x = make.input((1, 1, 1, 1))
    padded = make.pad(x, [[0, 0], [0, 0], [32_700, 66], [0, 0]])
    graph = make.graph(make.conv(padded, kernel=1))
    assert fuse_pad.run(graph) == 1
    wide = make.pad(x, [[0, 0], [0, 0], [40_000, 0], [0, 0]])
    graph = make.graph(make.conv(wide, kernel=1, stride=2))
    assert fuse_pad.run(graph) == 0
    assert graph.ops[-1].inputs[0] is wide


# tables


@pytest.mark.parametrize(
    "kind", ["LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "RELU", "QUANTIZE"]
)
def test_make_tables(kind: str) -> None:
    make = Maker()
    x = make.input((1, 256))
    y = make.unary(kind, x)
    (expected,) = TfliteMicroOracle(build_tflite(make.graph(y))).run(
        [np.arange(-128, 128, dtype=np.int8).reshape(1, 256)]
    )
    graph = make.graph(y)
    assert make_tables.run(graph) == 1
    (op,) = graph.ops
    assert (op.kind, op.attrs["_kind"]) == ("LUT", kind)
    table = np.frombuffer(op.attrs["_table"], np.int8)
    by_value = table[np.arange(-128, 128) & 255]
    assert np.array_equal(by_value, expected[0])


def test_make_tables_leaves_others() -> None:
    make = Maker()
    graph = make.graph(make.unary("SOFTMAX", make.max_pool(make.input((1, 2, 2, 4)))))
    assert make_tables.run(graph) == 0


@pytest.mark.parametrize("scales", [(0.031, 0.044), (0.5, 1.0), (0.75, 0.5)])
def test_fuse_quantize_pairs_equals_the_reference(scales: tuple[float, float]) -> None:
    """Ties included."""
    make = Maker(5)
    x = make.input((1, 256))
    y = make.pair(x)
    x.quant, y.quant = (Quant((float(np.float32(scale)),), (3,)) for scale in scales)
    values = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)
    (expected,) = TfliteMicroOracle(build_tflite(make.graph(y))).run([values])
    graph = make.graph(y)
    assert fuse_quantize_pairs.run(graph) == 1
    assert drop_dead.run(graph) == 1
    (op,) = graph.ops
    assert op.attrs["_sources"] == (0, 1)
    table = np.frombuffer(op.attrs["_table"], np.int8)
    assert np.array_equal(table[np.arange(-128, 128) & 255], expected[0])
    assert make_tables.run(graph) == 0
    assert op.attrs["_kind"] == "QUANTIZE"


def test_fuse_quantize_pairs_keeps_reals_that_are_needed() -> None:
    make = Maker()
    make.pair(make.input((1, 4)))
    real, quantised = (op.outputs[0] for op in make.ops)
    graph = make.graph(real, quantised)
    assert fuse_quantize_pairs.run(graph) == 1
    drop_dead.run(graph)
    assert kinds(graph) == ["DEQUANTIZE", "LUT"]


def lut(make: Maker, x: Tensor, table: Any) -> Tensor:
    data = np.asarray(table).astype(np.int8).tobytes()
    return make.op("LUT", [x], make.tensor(x.shape, x.quant), {"_table": data})


BY_INDEX = np.arange(256).astype(np.uint8).view(np.int8)


def test_fuse_tables_composes() -> None:
    make = Maker()
    x = make.input((1, 4))
    inner, outer = make.data.integers(-128, 128, (2, 256))
    graph = make.graph(lut(make, lut(make, x, inner), outer))
    assert fuse_tables.run(graph) == 1
    (op,) = graph.ops
    assert op.inputs == [x]
    assert op.attrs["_sources"] == (0, 1)
    got = np.frombuffer(op.attrs["_table"], np.int8)
    assert [int(outer[inner[i] & 255]) for i in range(256)] == got.tolist()


@pytest.mark.parametrize("as_output", [False, True])
def test_fuse_tables_leaves_values_that_others_need(as_output: bool) -> None:
    make = Maker()
    middle = lut(make, make.input((1, 4)), -BY_INDEX // 2)
    last = lut(make, middle, BY_INDEX // 2)
    other = middle if as_output else make.unary("SOFTMAX", middle)
    assert fuse_tables.run(make.graph(last, other)) == 0


@pytest.mark.parametrize("kind", ["conv", "depthwise", "ADD", "max_pool"])
def test_fuse_tables_makes_clamps(kind: str) -> None:
    make = Maker()
    x = make.input((1, 4, 4, 2))
    y = make.binary("ADD", x, x) if kind == "ADD" else getattr(make, kind)(x)
    last = lut(make, lut(make, y, np.clip(BY_INDEX, -10, 50)), np.clip(BY_INDEX, -20, 30))
    graph = make.graph(last)
    assert fuse_tables.run(graph) == 2
    producer, *views = graph.ops
    assert producer.attrs["_clamp"] == (-10, 30)
    assert producer.attrs["_sources"] == (0, 1, 2)
    assert [op.kind for op in views] == ["RESHAPE", "RESHAPE"]
    program = lowered(graph)
    assert len(program.steps) == 1
    assert program.outputs == (last,)


def test_fuse_tables_looks_through_reshapes() -> None:
    make = Maker()
    flat = make.reshape(make.conv(make.input((1, 4, 4, 2))), (4, 16))
    first = lut(make, flat, np.clip(BY_INDEX, -10, 50))
    inner, outer = make.data.integers(-128, 128, (2, 256))
    second = lut(make, make.reshape(lut(make, first, inner), (64,)), outer)
    graph = make.graph(second)
    assert fuse_tables.run(graph) == 2
    assert devices(lowered(graph)) == ["CONV_2D_S8", "LUT_8"]


def test_fuse_tables_nests_clamps() -> None:
    """Clamps that do not overlap leave one value, that of the later one."""
    make = Maker()
    x = make.input((1, 4, 4, 2))
    y = make.conv(x)
    graph = make.graph(lut(make, y, np.clip(BY_INDEX, 40, 60)))
    graph.ops[0].attrs["_clamp"] = (-10, 20)
    assert fuse_tables.run(graph) == 1
    assert graph.ops[0].attrs["_clamp"] == (40, 40)


@pytest.mark.parametrize("table", [-BY_INDEX, np.clip(BY_INDEX, 0, 9) + 1, np.abs(BY_INDEX // 2)])
def test_fuse_tables_leaves_other_tables(table: Any) -> None:
    make = Maker()
    graph = make.graph(lut(make, make.conv(make.input((1, 4, 4, 2))), table))
    assert fuse_tables.run(graph) == 0
    assert "_clamp" not in graph.ops[0].attrs


def test_fuse_tables_leaves_clamps_to_another_scale() -> None:
    """The convolution would round for a scale that is not its own."""
    make = Maker()
    y = make.conv(make.input((1, 4, 4, 2)))
    clamped = lut(make, y, np.clip(BY_INDEX, 0, 100))
    assert y.quant is not None
    clamped.quant = Quant((y.quant.scale * 1.003,), y.quant.zero_points)
    assert fuse_tables.run(make.graph(clamped)) == 0


def test_fuse_tables_drops_the_identity() -> None:
    make = Maker()
    x = make.input((1, 4))
    graph = make.graph(make.unary("SOFTMAX", lut(make, x, BY_INDEX)))
    fuse_tables.run(graph)
    (step,) = lowered(graph).steps
    assert step.lowered.inputs == (x,)


# fold_zero_points


def test_fold_zero_points() -> None:
    make = Maker(3)
    x = make.input((1, 5, 4, 3))
    make.depthwise(make.conv(x))
    graph = make.graph(make.ops[-1].outputs[0])
    assert fold_zero_points.run(graph) == 2
    for op, axes in zip(graph.ops, ((1, 2, 3), (0, 1, 2)), strict=True):
        image, weights, bias = op.inputs
        assert image is not None
        assert image.quant is not None
        assert weights is not None
        assert weights.data is not None
        assert bias is not None
        assert bias.data is not None
        sums = weights.data.astype(np.int64).sum(axis=axes)
        assert op.attrs["_bias"].tolist() == (bias.data - image.quant.zero_point * sums).tolist()


# split_strides


def strided_conv(make: Maker, x: Tensor, steps: tuple[int, int], kernel: int = 1) -> Tensor:
    """A convolution with another stride in each direction."""
    filters, bias = make.weights((5, kernel, kernel, x.shape[3]), x, 0)
    size = [-(-n // step) for n, step in zip(x.shape[1:3], steps, strict=True)]
    attrs = {"padding": "SAME", "stride_h": steps[0], "stride_w": steps[1]}
    return make.op("CONV_2D", [x, filters, bias], make.tensor((1, *size, 5)), attrs, 3)


@pytest.mark.parametrize("steps", [(2, 2), (1, 2), (3, 1)])
def test_split_strides_equals_the_reference(steps: tuple[int, int]) -> None:
    """The pixels are picked right after the image was written; the graph given stays as it is."""
    make = Maker(2)
    x = make.input((1, 7, 6, 3))
    image = make.conv(x)
    beside = make.depthwise(image)
    outputs = [strided_conv(make, image, steps), beside, strided_conv(make, x, steps)]
    graph = make.graph(*outputs)
    values = make.data.integers(-128, 128, x.shape).astype(np.int8)
    expected = TfliteMicroOracle(build_tflite(graph)).run([values])
    before = list(graph.ops)
    other = split_strides.split(graph)
    assert other is not None
    assert graph.ops == before
    pool, conv = "MAX_POOL_2D", "CONV_2D"
    assert kinds(other) == [pool, conv, pool, "DEPTHWISE_CONV_2D", conv, conv]
    assert [op.attrs["stride_h"] * op.attrs["stride_w"] for op in other.ops[3:]] == [1, 1, 1]
    assert [sources_of(other.ops[i]) for i in (0, 2, 4)] == [(), (), (2,)]
    found = TfliteMicroOracle(build_tflite(other)).run([values])
    assert all(map(np.array_equal, found, expected))


@pytest.mark.parametrize("what", ["no stride", "window", "padding", "groups", "pixel", "kind"])
def test_split_strides_leaves_others(what: str) -> None:
    make = Maker(2)
    x = make.input((1, 2, 2, 4) if what == "pixel" else (1, 6, 6, 4))
    steps = (1, 1) if what == "no stride" else (2, 2)
    strided_conv(make, x, steps, 3 if what == "window" else 1)
    op = make.ops[-1]
    if what == "padding":
        op.attrs["_pad"] = (2, 0, 0, 0)
        op.outputs[0] = make.tensor((1, 4, 3, 5))
    elif what == "groups":
        op.inputs[1:] = make.weights((4, 1, 1, 2), x, 0)
        op.outputs[0] = make.tensor((1, 3, 3, 4))
    elif what == "kind":
        op.kind = "DEPTHWISE_CONV_2D"
    assert split_strides.split(make.graph(op.outputs[0])) is None


# bound_inputs


def test_bound_inputs() -> None:
    """An input of the model may have any value, an output of RELU none below zero."""
    make = Maker()
    x = make.conv(make.input((1, 5, 4, 3)), activation="RELU")
    make.unary("LOGISTIC", make.depthwise(x))
    graph = make.graph(make.ops[-1].outputs[0])
    assert bound_inputs.run(graph) == 2
    conv, depthwise, table = graph.ops
    assert x.quant is not None
    assert (conv.attrs["_ranges"].low == -128).all()
    assert (depthwise.attrs["_ranges"].low == x.quant.zero_point).all()
    assert "_ranges" not in table.attrs


# lower_graph


def test_reshapes_cost_nothing() -> None:
    make = Maker()
    x = make.input((1, 2, 2, 3))
    flat = make.reshape(make.reshape(x, (1, 12)), (2, 6))
    y = make.fully_connected(flat, 4)
    program = lowered(make.graph(make.unary("SOFTMAX", y)))
    assert devices(program) == ["FULLY_CONNECTED_S8", "SOFTMAX_S8"]
    assert program.steps[0].lowered.inputs == (x,)


def test_a_reshaped_output_keeps_its_shape_and_scale() -> None:
    make = Maker()
    y = make.conv(make.input((1, 2, 2, 3)))
    shaped = make.op("RESHAPE", [y], make.tensor((16,), Quant((0.5,), (7,))))
    program = lowered(make.graph(shaped, make.unary("RELU", y)))
    assert program.outputs[0] is shaped
    assert program.steps[0].lowered.outputs == (shaped,)
    assert program.steps[1].lowered.inputs == (shaped,)


def test_outputs_become_tensors_of_their_own() -> None:
    make = Maker()
    x = make.input((1, 4))
    y = make.unary("RELU", x)
    constant = make.int8_constant((1, 4))
    graph = make.graph(y, x, y, constant, make.reshape(y, (4,)))
    program = lowered(graph)
    assert devices(program) == ["LUT_8", "COPY", "COPY", "COPY", "COPY"]
    assert [step.lowered.inputs[0] for step in program.steps] == [x, x, y, constant, y]
    assert len(set(program.outputs)) == 5
    assert [t.shape for t in program.outputs] == [(1, 4)] * 4 + [(4,)]
    assert not any(t.is_const for t in program.outputs)


def test_sources_name_what_made_each_step() -> None:
    make = Maker()
    x = make.input((1, 4))
    graph = make.graph(make.clamp("RELU", make.binary("ADD", x, x)))
    make_tables.run(graph)
    fuse_tables.run(graph)
    (step,) = lowered(graph).steps
    assert (step.kind, step.sources) == ("ADD", (0, 1))


def test_ops_added_by_the_compiler_have_no_source() -> None:
    op = Op("RESHAPE", [], [])
    assert op.index == -1
    make = Maker()
    x = make.input((1, 4))
    assert lowered(make.graph(x)).steps[0].sources == ()


def test_reshapes_without_end_before_a_table() -> None:
    """A chain of reshapes is walked, not recursed into."""
    make = Maker(1)
    x = make.input((1, 4))
    for _ in range(2000):
        x = make.reshape(x, (1, 4))
    assert fuse_tables.run(make.graph(lut(make, x, BY_INDEX[::-1]))) == 0
