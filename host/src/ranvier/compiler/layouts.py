# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""In which order the elements of every tensor lie, and which packed kernel each op gets.

The kernels that are packed for an instruction set work on images in planes. Ops that only handle
elements work on any order. Everything else, and what an application sees, is dense (NHWC). So the
inputs of a model are read by a first convolution that takes them as they are, its images stay in
planes as long as there are ops that can work so, and where they cannot, a copy changes the order.
An image of one pixel is the same in all orders.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.intervals import POOLS
from ranvier.compiler.ops.base import operand
from ranvier.compiler.ops.convolution import weights_tensor
from ranvier.compiler.ops.f32 import is_f32
from ranvier.compiler.ops.window import dilations, window_of
from ranvier.package.records import Isa, Layout

_MAX_SIZE = 32767


@dataclass(frozen=True)
class Choice:
    """What may be chosen for a program.

    ``planes`` is the layout of images. ``rows`` names ops of the graph, by position, whose images
    are stored in rows instead, and ``rings`` the rows that those of other ops keep at a time.
    ``kernels`` are alternatives, by position, to the kernels that ops get by default.
    """

    isa: Isa
    planes: Layout = Layout.PLANES
    rows: frozenset[int] = frozenset()
    rings: Mapping[int, int] = field(default_factory=dict)
    kernels: Mapping[int, str] = field(default_factory=dict)


@dataclass
class Assignment:
    """The kernel of every op that gets a packed one, and how every image not dense is stored."""

    kernels: dict[Op, str]
    stored: dict[Tensor, Tensor]

    def layout(self, tensor: Tensor) -> Layout:
        """The layout of a tensor of the graph."""
        return self.of(tensor).layout

    def of(self, tensor: Tensor) -> Tensor:
        """A tensor of the graph as it is stored."""
        return self.stored.get(tensor, tensor)


def assign(graph: Graph, choice: Choice, refused: Mapping[Op, frozenset[str]]) -> Assignment:
    """Kernels and layouts for ``graph``; no op gets a kernel that is refused for it."""
    result = Assignment({}, {})
    for number, op in enumerate(graph.ops):
        candidates = _candidates(op, choice.isa, result)
        if number in choice.kernels and candidates:
            candidates = (choice.kernels[number], *candidates)
        kernel = next((k for k in candidates if k not in refused.get(op, ())), None)
        if kernel is None:
            continue
        result.kernels[op] = kernel
        output = op.outputs[0]
        if kernel in _FULLY_CONNECTED or not is_image(output):
            continue
        layout = choice.planes
        if kernel in _FOLLOWS:
            layout = result.layout(operand(op, 0))
        elif number in choice.rows:
            layout = Layout.ROWS
        result.stored[output] = stored_as(output, layout, choice.rings.get(number, 0))
    return result


_FULLY_CONNECTED = ("fully_connected_direct", "fully_connected")
FASTER = {"fully_connected_direct": "fully_connected", "conv_planes": "winograd"}
"""Kernels that may be faster than another one, for more scratch."""

BY_ROWS = {"depthwise": "depthwise_band", "depthwise_planes": "depthwise_planes_band"}
"""Kernels that need less scratch where an op only runs some rows at a time."""

_FOLLOWS = frozenset({"add_tables", "elements", "pool_planes", "pick_rows", "concatenation"})
"""Kernels whose output lies as their first input."""


def is_image(tensor: Tensor) -> bool:
    """True where the order of a tensor's elements is a matter of layout."""
    return (
        tensor.dtype == DType.INT8
        and len(tensor.shape) == 4
        and tensor.shape[0] == 1
        and tensor.shape[1] * tensor.shape[2] > 1
        and max(tensor.shape) <= _MAX_SIZE
        and not tensor.is_const
    )


def _candidates(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    """Kernels for ``op``, the fastest first; the portable one, on dense tensors, is always left."""
    chooser = _CHOOSERS.get(op.kind)
    if chooser is None or isa == Isa.GENERIC or is_f32(op):
        return ()
    return chooser(op, isa, result)


def _convolution(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    source = operand(op, 0)
    _, filter_h, filter_w, depth = weights_tensor(op).shape
    if source.shape[0] != 1 or dilations(op) != (1, 1) or depth != source.shape[3]:
        return ()
    if not is_image(source):
        return _FULLY_CONNECTED if filter_h == filter_w == 1 else ()
    if result.layout(source) == Layout.DENSE:
        return ("conv_pixels",)
    window = window_of(op, filter_h, filter_w)
    plain = filter_h == filter_w == window.stride_h == window.stride_w == 1
    same = (window.out_h, window.out_w) == (window.in_h, window.in_w)
    return ("pointwise", "conv_planes") if plain and same and depth >= 4 else ("conv_planes",)


def _depthwise(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    source = operand(op, 0)
    if not is_image(source):
        return ()
    _, filter_h, filter_w, out_c = weights_tensor(op).shape
    window = window_of(op, filter_h, filter_w)
    square = filter_h == filter_w == 3 and window.stride_h == window.stride_w <= 2
    plain = dilations(op) == (1, 1) and out_c == source.shape[3]
    fast = ("depthwise",) if isa == Isa.DSP and square and plain else ()
    return (*fast, "depthwise_planes")


def _fully_connected(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    return _FULLY_CONNECTED if result.layout(operand(op, 0)) == Layout.DENSE else ()


def _add(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    inputs = [tensor for tensor in op.inputs if tensor is not None]
    shapes = {tensor.shape for tensor in (*inputs, op.outputs[0])}
    if len(inputs) != 2 or len(shapes) != 1 or any(tensor.is_const for tensor in inputs):
        return ()
    layouts = {result.layout(tensor) for tensor in inputs}
    return ("add_tables", "elements") if len(layouts) == 1 else ()


def _pool(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    layout = result.layout(operand(op, 0))
    if layout == Layout.ROWS:
        return ("pick_rows",)
    return ("pool_planes",) if layout in _PLANES else ()


def _elements(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    return ("elements",) if result.layout(operand(op, 0)) != Layout.DENSE else ()


def _concatenation(op: Op, isa: Isa, result: Assignment) -> tuple[str, ...]:
    """Along the channels of planes it is one plane after the other."""
    images = [result.of(tensor) for tensor in op.inputs if tensor is not None]
    axis = op.attrs.get("axis", 0) % len(op.outputs[0].shape)
    alike = len({image.layout for image in images}) == 1 and images[0].layout in _PLANES
    whole = not any(image.slack or image.ring_rows for image in images)
    return ("concatenation",) if axis == 3 and alike and whole else ()


_PLANES = (Layout.PLANES, Layout.PLANES_TRANSPOSED)
_CHOOSERS: dict[str, Callable[[Op, Isa, Assignment], tuple[str, ...]]] = {
    "CONV_2D": _convolution,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _fully_connected,
    "ADD": _add,
    "LUT": _elements,
    "CONCATENATION": _concatenation,
    **dict.fromkeys(POOLS, _pool),
}


def stored_as(tensor: Tensor, layout: Layout, ring_rows: int = 0) -> Tensor:
    """The tensor as it is stored in another layout.

    A kernel may touch the byte after an image of odd width, so it gets one.
    """
    width = tensor.shape[1 if layout == Layout.PLANES_TRANSPOSED else 2]
    slack = 0 if layout == Layout.DENSE else width % 2
    return replace(tensor, layout=layout, ring_rows=ring_rows, slack=slack)
