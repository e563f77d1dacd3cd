# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of an input that rows of an output need, against windows counted one by one."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from ranvier.compiler.graph import DType, Tensor
from ranvier.compiler.ops import device_ops
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.reach import Reach, first_row, reach_of
from ranvier.package.records import Layout

WINDOW = {"in_h": 9, "out_h": 5, "pad_top": 1}
STRIDES = {"filter_h": 4, "stride_h": 2}
IMAGE = WINDOW | STRIDES | {"batch": 1}


def lowered(device: str, words: dict[str, int]) -> Lowered:
    """An op with these parameters, and others that must not matter."""
    names = device_ops()[device].params
    assert set(words) <= set(names)
    return Lowered(device, tuple(words.get(name, 77) for name in names), (), ())


@pytest.mark.parametrize(
    ("device", "words", "reach"),
    [
        ("POINTWISE_DSP_S8", {"height": 6}, Reach(6, 6, 1, 0, 1)),
        ("POINTWISE_BASE_S8", {"height": 6}, Reach(6, 6, 1, 0, 1)),
        ("ADD_TABLES_S8", {"rows": 6}, Reach(6, 6, 1, 0, 1)),
        ("CONV_PLANES_DSP_S8", WINDOW | STRIDES, Reach(9, 5, 2, 1, 4)),
        ("CONV_PLANES_BASE_S8", WINDOW | STRIDES, Reach(9, 5, 2, 1, 4)),
        ("CONV_PIXELS_DSP_S8", WINDOW | STRIDES | {"transposed": 0}, Reach(9, 5, 2, 1, 4)),
        ("CONV_PIXELS_BASE_S8", WINDOW | STRIDES | {"transposed": 0}, Reach(9, 5, 2, 1, 4)),
        ("CONV_PIXELS_DSP_S8", WINDOW | STRIDES | {"transposed": 1}, None),
        ("WINOGRAD_DSP_S8", WINDOW, Reach(9, 5, 1, 1, 3)),
        ("DEPTHWISE_DSP_S8", WINDOW | {"stride": 2}, Reach(9, 5, 2, 1, 3)),
        ("DEPTHWISE_PLANES_S8", WINDOW | STRIDES | {"dilation_h": 3}, Reach(9, 5, 2, 1, 10)),
        ("CONV_2D_S8", IMAGE | {"dilation_h": 3}, Reach(9, 5, 2, 1, 10)),
        ("CONV_2D_S8", IMAGE | {"dilation_h": 1, "batch": 2}, None),
        ("DEPTHWISE_CONV_2D_S8", IMAGE | {"dilation_h": 2}, Reach(9, 5, 2, 1, 7)),
        ("AVERAGE_POOL_2D_S8", IMAGE, Reach(9, 5, 2, 1, 4)),
        ("MAX_POOL_2D_S8", IMAGE, Reach(9, 5, 2, 1, 4)),
        ("MAX_POOL_2D_S8", IMAGE | {"batch": 2}, None),
        ("FULLY_CONNECTED_DSP_S8", {"rows": 6}, None),
        ("SOFTMAX_S8", {"rows": 6}, None),
    ],
)
def test_reach_of_ops(device: str, words: dict[str, int], reach: Reach | None) -> None:
    op = lowered(device, words)
    assert reach_of(op) == reach
    assert first_row(op, 3) == (0 if reach is None else max(3 * reach.stride - reach.before, 0))


def test_rows_are_those_that_windows_touch() -> None:
    for stride, before, extent in itertools.product((1, 2, 3), (0, 1, 2), (1, 3, 4)):
        reach = Reach(9, 5, stride, before, extent)
        for row0, rows in itertools.product(range(5), (1, 2, 3)):
            touched = {
                y * stride - before + tap
                for y in range(row0, row0 + rows)
                for tap in range(extent)
                if 0 <= y * stride - before + tap < 9
            }
            if touched and extent >= stride:  # no gaps
                assert set(reach.rows(row0, rows)) == touched


@pytest.mark.parametrize("layout", Layout)
def test_generic_windows_run_by_the_rows_of_dense_images(layout: Layout) -> None:
    """In another layout a pool sees a channel as an image, and rows are no pieces of memory."""
    image = Tensor("x", DType.INT8, (1, 9, 7, 1), layout=layout)
    dense = Tensor("y", DType.INT8, (1, 5, 7, 1))
    op = lowered("MAX_POOL_2D_S8", IMAGE)
    for operands in (((image,), (dense,)), ((dense,), (image,))):
        found = reach_of(replace(op, inputs=operands[0], outputs=operands[1]))
        assert (found is not None) == (layout == Layout.DENSE)


def test_reach_without_a_window() -> None:
    assert list(Reach(4, 4).rows(2, 1)) == [2]
