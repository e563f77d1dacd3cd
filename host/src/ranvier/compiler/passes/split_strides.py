# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the stride out of convolutions by one pixel: first pick the pixels, then convolve them.

Where something else reads the image too, as beside a residual connection, the picked pixels are
all that has to be kept of it. They are picked as soon as the image is there, by a pool over one
pixel.
"""

from __future__ import annotations

from dataclasses import replace

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.layouts import is_image
from ranvier.compiler.ops.base import operand
from ranvier.compiler.ops.convolution import weights_tensor
from ranvier.compiler.ops.window import window_of


def split(graph: Graph) -> Graph | None:
    """Another graph of the same tensors, without such strides; None where there are none."""
    found = [op for op in graph.ops if _is_strided(op)]
    if not found:
        return None
    split_graph = replace(graph, ops=[_unstrided(op) if op in found else op for op in graph.ops])
    for strided, op in zip(graph.ops, list(split_graph.ops), strict=True):
        if strided in found:
            _insert(split_graph, operand(strided, 0), op, strided)
    return split_graph


def _is_strided(op: Op) -> bool:
    if op.kind != "CONV_2D" or not is_image(operand(op, 0)) or not is_image(op.outputs[0]):
        return False
    _, filter_h, filter_w, depth = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    strided = window.stride_h * window.stride_w > 1 and not window.pad_top + window.pad_left
    return strided and filter_h == filter_w == 1 and depth == window.in_c


def _unstrided(op: Op) -> Op:
    image = operand(op, 0)
    _, height, width, _ = op.outputs[0].shape
    shape = (1, height, width, image.shape[3])
    picked = Tensor(f"{image.name}:picked", image.dtype, shape, image.quant)
    attrs = {k: v for k, v in op.attrs.items() if k != "_made"}
    attrs |= {"stride_h": 1, "stride_w": 1, "padding": "VALID"}
    return replace(op, inputs=[picked, *op.inputs[1:]], attrs=attrs)


def _insert(graph: Graph, image: Tensor, op: Op, strided: Op) -> None:
    """Pick the pixels of ``image`` right after it was written."""
    attrs = {
        "filter_height": 1,
        "filter_width": 1,
        "stride_h": strided.attrs["stride_h"],
        "stride_w": strided.attrs["stride_w"],
        "padding": "VALID",
        "_sources": (),
    }
    pick = Op("MAX_POOL_2D", [image], [operand(op, 0)], attrs)
    producer = graph.producer(image)
    graph.ops.insert(0 if producer is None else graph.ops.index(producer) + 1, pick)
