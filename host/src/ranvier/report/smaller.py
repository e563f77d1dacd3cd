# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A model as it would be for a smaller image: the same layers, other heights and widths.

To measure what a smaller input saves before anyone trains for it. The file's bytes are copied and
the numbers of its shapes changed; everything else, weights too, stays as it is.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.tflite import read_tflite

Shapes = Mapping[int, tuple[int, ...]]

_LEAST = 16
"""Images of fewer rows or columns are not made smaller: that is rarely an image."""
_ALIKE = frozenset(
    {
        *("RELU", "RELU6", "RELU_N1_TO_1", "LEAKY_RELU", "HARD_SWISH", "LOGISTIC", "TANH"),
        *("QUANTIZE", "DEQUANTIZE", "ADD", "MUL"),
    }
)
_POOLS = frozenset({"AVERAGE_POOL_2D", "MAX_POOL_2D"})
_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
# Slots of the file's tables.
_SUBGRAPHS, _TENSORS, _OPERATORS, _SHAPE, _OPTIONS, _FILTER_W, _FILTER_H = 2, 0, 3, 0, 4, 3, 4


def smaller_input(data: bytes, name: str, percent: int) -> tuple[bytes, tuple[int, int]] | None:
    """The model for an image of ``percent`` of the height and width, and that size.

    None where the model has no one image as its input, or layers that need it as large as it is.
    """
    graph = read_tflite(data, name)
    if len(graph.inputs) != 1 or len(graph.inputs[0].shape) != 4:
        return None
    batch, height, width, channels = graph.inputs[0].shape
    if min(height, width) < _LEAST:
        return None
    size = (height * percent // 100, width * percent // 100)
    shapes: dict[int, tuple[int, ...]] = {graph.inputs[0].index: (batch, *size, channels)}
    pools: dict[int, tuple[int, int]] = {}
    for op in graph.ops:
        if not _follow(op, shapes, pools):
            return None
    image = bytearray(data)
    _write(image, graph, shapes, pools)
    return bytes(image), size


def _follow(op: Op, shapes: dict[int, tuple[int, ...]], pools: dict[int, tuple[int, int]]) -> bool:
    """Note the shape of an op's output; False where the op wants its input as it was."""
    inputs = [tensor for tensor in op.inputs if tensor is not None and not tensor.is_const]
    changed = [t for t in inputs if shapes.get(t.index, t.shape) != t.shape]
    if not changed:
        return True
    new = shapes[changed[0].index]
    (output, *more) = op.outputs
    if more:
        return False
    if op.kind in _ALIKE and _alike(op, changed):
        shapes[output.index] = new
    elif op.kind in _CONVOLUTIONS and op.inputs[1] is not None:
        axes = op.inputs[1].shape[1:3]
        dilation = (op.attrs["dilation_h_factor"], op.attrs["dilation_w_factor"])
        kernel = tuple((k - 1) * d + 1 for k, d in zip(axes, dilation, strict=True))
        return _window(op, output, new, kernel, shapes)
    elif op.kind in _POOLS:
        kernel = (op.attrs["filter_height"], op.attrs["filter_width"])
        if kernel == changed[0].shape[1:3] and output.shape[1:3] == (1, 1):
            kernel = pools[op.index] = (new[1], new[2])
        return _window(op, output, new, kernel, shapes)
    elif op.kind == "MEAN" and set(output.shape[1:-1]) <= {1}:
        shapes[output.index] = output.shape
    else:
        return False
    return True


def _alike(op: Op, changed: list[Tensor]) -> bool:
    """True where each operand has the output's height and width, or is one for all pixels."""
    shape = op.outputs[0].shape
    return all(
        t is None
        or (t in changed and t.shape == shape)
        or (t.is_const and t.elements in (1, shape[-1]))
        for t in op.inputs
    )


def _window(
    op: Op,
    output: Tensor,
    new: tuple[int, ...],
    kernel: tuple[int, ...],
    shapes: dict[int, tuple[int, ...]],
) -> bool:
    strides = (op.attrs["stride_h"], op.attrs["stride_w"])
    same = op.attrs["padding"] == "SAME"
    size = [
        -(-n // s) if same else -(-(n - k + 1) // s)
        for n, k, s in zip(new[1:3], kernel, strides, strict=True)
    ]
    if min(size) < 1:
        return False
    shapes[output.index] = (output.shape[0], *size, output.shape[3])
    return True


def _write(
    image: bytearray, graph: Graph, shapes: Shapes, pools: Mapping[int, tuple[int, int]]
) -> None:
    """Change the shapes of tensors and the filters of pools that cover their whole input.

    The file has been read before, so its offsets are known to lie in it.
    """
    subgraph = _element(image, _vector(image, _follow_offset(image, 0), _SUBGRAPHS), 0)
    tensors = _vector(image, subgraph, _TENSORS)
    for index, shape in shapes.items():
        start = _vector(image, _element(image, tensors, index), _SHAPE)
        struct.pack_into(f"<{len(shape)}i", image, start, *shape)
    operators = _vector(image, subgraph, _OPERATORS)
    for index, (height, width) in pools.items():
        field = _field(image, _element(image, operators, index), _OPTIONS)
        options = _follow_offset(image, field)
        struct.pack_into("<i", image, _field(image, options, _FILTER_H), height)
        struct.pack_into("<i", image, _field(image, options, _FILTER_W), width)


def _follow_offset(image: bytearray, at: int) -> int:
    return at + int(struct.unpack_from("<I", image, at)[0])


def _field(image: bytearray, table: int, slot: int) -> int:
    """Where a field of a table lies, one that the file has."""
    vtable = table - struct.unpack_from("<i", image, table)[0]
    return table + int(struct.unpack_from("<H", image, vtable + 4 + 2 * slot)[0])


def _vector(image: bytearray, table: int, slot: int) -> int:
    """Where the first element of a table's vector lies."""
    return _follow_offset(image, _field(image, table, slot)) + 4


def _element(image: bytearray, vector: int, index: int) -> int:
    """Where the table lies that is an element of a vector."""
    return _follow_offset(image, vector + 4 * index)
