# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which packed kernel every op gets, how its image is stored, and copies between layouts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from random_models import Maker
from ranvier.compiler.graph import DType, Graph, Tensor
from ranvier.compiler.layouts import Assignment, Choice, assign, is_image, stored_as
from ranvier.package.records import Isa, Layout

PLANES = Layout.PLANES


def network() -> Graph:
    """What image classifiers are made of."""
    make = Maker(1)
    x = make.input((1, 9, 8, 3))
    first = make.conv(x, 4, 3, "SAME", "RELU", 2)
    deep = make.depthwise(first)
    wide = make.conv(deep, 6, 1)
    large = make.depthwise(wide, 5)
    square = make.conv(large, 6, 3)
    added = make.binary("ADD", wide, square)
    strided = make.conv(added, 4, 1, "SAME", "NONE", 2)
    pooled = make.max_pool(strided)
    pixel = make.conv(make.max_pool(pooled), 5, 1)
    flat = make.reshape(pixel, (1, 5))
    return make.graph(make.fully_connected(flat, 3))


def assigned(graph: Graph, choice: Choice) -> tuple[Assignment, list[str | None]]:
    """What is chosen, and the kernel of every op in the graph's order."""
    found = assign(graph, choice, {})
    return found, [found.kernels.get(op) for op in graph.ops]


DSP = [
    "conv_pixels",
    "depthwise",
    "pointwise",
    "depthwise_planes",
    "conv_planes",
    "add_tables",
    "conv_planes",
    "pool_planes",
    "pool_planes",
    "fully_connected_direct",
    None,
    "fully_connected_direct",
]


def test_kernels_of_a_network() -> None:
    graph = network()
    found, kernels = assigned(graph, Choice(Isa.DSP))
    assert kernels == DSP
    layouts = [found.layout(op.outputs[0]) for op in graph.ops]
    assert layouts == [PLANES] * 8 + [Layout.DENSE] * 4
    assert found.layout(graph.inputs[0]) == Layout.DENSE
    _, kernels = assigned(graph, Choice(Isa.BASE))
    assert kernels == ["depthwise_planes" if kernel == "depthwise" else kernel for kernel in DSP]
    found, kernels = assigned(graph, Choice(Isa.GENERIC))
    assert not any(kernels)
    assert not found.stored


def test_layouts_that_are_chosen() -> None:
    graph = network()
    choice = Choice(Isa.DSP, Layout.PLANES_TRANSPOSED, frozenset({1, 3}), {2: 3})
    found, _ = assigned(graph, choice)
    images = [found.of(op.outputs[0]) for op in graph.ops[:6]]
    turned, rows = Layout.PLANES_TRANSPOSED, Layout.ROWS
    assert [image.layout for image in images] == [turned, rows, turned, rows, turned, turned]
    assert [image.ring_rows for image in images] == [0, 0, 3, 0, 0, 0]


def test_another_kernel_comes_first_and_a_refused_one_never() -> None:
    graph = network()
    _, kernels = assigned(graph, Choice(Isa.DSP, kernels={4: "winograd", 9: "fully_connected"}))
    assert [*kernels[:4], *kernels[5:9]] == [*DSP[:4], *DSP[5:9]]
    assert (kernels[4], kernels[9]) == ("winograd", "fully_connected")
    refused = {graph.ops[1]: frozenset({"depthwise"}), graph.ops[0]: frozenset({"conv_pixels"})}
    found = assign(graph, Choice(Isa.DSP), refused)
    assert found.kernels.get(graph.ops[0]) is None
    # Its dense output is read by the next one, which works on planes: a copy is made.
    assert found.kernels[graph.ops[1]] == "depthwise_planes"


@pytest.mark.parametrize(
    ("depth", "kernel"), [(3, "conv_planes"), (4, "pointwise"), (5, "pointwise")]
)
def test_pointwise_takes_four_channels_or_more(depth: int, kernel: str) -> None:
    make = Maker(2)
    x = make.conv(make.input((1, 6, 6, 2)), depth)
    graph = make.graph(make.conv(x, 4, 1))
    assert assigned(graph, Choice(Isa.DSP))[1] == ["conv_pixels", kernel]


def test_pads_and_strides_that_depthwise_takes() -> None:
    for stride, padding, kernel in [(1, "VALID", "depthwise"), (3, "SAME", "depthwise_planes")]:
        make = Maker(3)
        x = make.conv(make.input((1, 9, 9, 2)), 4)
        y = make.depthwise(x, 3, padding)
        make.ops[-1].attrs.update(stride_h=stride, stride_w=stride)
        assert assigned(make.graph(y), Choice(Isa.DSP))[1] == ["conv_pixels", kernel]


def test_concatenation_of_planes() -> None:
    """Of whole images that lie alike, along the channels."""
    make = Maker(4)
    x = make.conv(make.input((1, 6, 6, 2)), 4)
    y, z = make.conv(x, 4, 1), make.depthwise(x)
    z.quant = y.quant
    graph = make.graph(make.concatenation([y, z]))
    found, kernels = assigned(graph, Choice(Isa.DSP))
    assert kernels[-1] == "concatenation"
    assert found.layout(graph.outputs[0]) == PLANES
    for choice in (
        Choice(Isa.DSP, rows=frozenset({1})),
        Choice(Isa.DSP, rows=frozenset({1, 2})),
        Choice(Isa.DSP, rings={1: 2}),
    ):
        assert assigned(graph, choice)[1][-1] is None
    graph.ops[-1].attrs["axis"] = 1
    assert assigned(graph, Choice(Isa.DSP))[1][-1] is None


def test_addition_of_images_that_lie_apart() -> None:
    make = Maker(5)
    x = make.conv(make.input((1, 6, 6, 2)), 4)
    y, z = make.conv(x, 4, 1), make.depthwise(x)
    graph = make.graph(make.binary("ADD", y, z))
    assert assigned(graph, Choice(Isa.DSP))[1][-1] == "add_tables"
    assert assigned(graph, Choice(Isa.DSP, rows=frozenset({1})))[1][-1] is None


@pytest.mark.parametrize(
    ("shape", "dtype", "image"),
    [
        ((1, 2, 1, 1), DType.INT8, True),
        ((1, 1, 2, 1), DType.INT8, True),
        ((1, 1, 1, 9), DType.INT8, False),
        ((2, 2, 2, 2), DType.INT8, False),
        ((1, 2, 2), DType.INT8, False),
        ((1, 2, 2, 1), DType.INT32, False),
        ((1, 1, 32767, 1), DType.INT8, True),
        ((1, 1, 32768, 1), DType.INT8, False),
    ],
)
def test_what_is_an_image(shape: tuple[int, ...], dtype: DType, image: bool) -> None:
    assert is_image(Tensor("x", dtype, shape)) == image


@pytest.mark.parametrize("width", [4, 5])
def test_an_image_of_odd_width_has_a_byte_behind_it(width: int) -> None:
    """The width of a transposed image is its height."""
    wide = Tensor("x", DType.INT8, (1, 6, width, 2))
    high = replace(wide, shape=(1, width, 6, 2))
    odd = width % 2
    assert stored_as(wide, Layout.DENSE).slack == 0
    assert stored_as(wide, Layout.PLANES).slack == odd
    assert stored_as(wide, Layout.ROWS).slack == odd
    assert stored_as(wide, Layout.PLANES_TRANSPOSED).slack == 0
    assert stored_as(high, Layout.PLANES_TRANSPOSED).slack == odd
    assert stored_as(wide, Layout.PLANES, 3).ring_rows == 3
