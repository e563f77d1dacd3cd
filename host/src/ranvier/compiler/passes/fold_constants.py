# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Computes at compile time what depends on no input.

Ops on shapes, which models carry to keep their batch size open, are computed with NumPy. Any other
op is compiled as a package of its own and run by the native core, so that the result is what the
device would have computed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.check import reasons_against
from ranvier.compiler.emit import Header, emit
from ranvier.compiler.graph import DType, Graph, Op
from ranvier.compiler.lower import lower_graph
from ranvier.compiler.memory import plan_memory
from ranvier.compiler.passes import fold_zero_points
from ranvier.native import NativePackage
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package

_Array = NDArray[np.generic]


def run(graph: Graph) -> int:
    """Turn the outputs of constant ops into constants; the number of ops computed."""
    kept = []
    for op in graph.ops:
        values = _evaluate(op)
        if values is None or not _fits(op, values):
            kept.append(op)
            continue
        for tensor, value in zip(op.outputs, values, strict=True):
            tensor.data = value
            tensor.data.flags.writeable = False
    folded = len(graph.ops) - len(kept)
    graph.ops = kept
    return folded


def _fits(op: Op, values: list[_Array]) -> bool:
    """True where the values have the shapes that the model states."""
    shapes = [value.shape for value in values]
    return shapes == [tensor.shape for tensor in op.outputs]


def _evaluate(op: Op) -> list[_Array] | None:
    """The outputs of an op that needs no input, or None."""
    on_shapes = _ON_SHAPES.get(op.kind)
    if on_shapes is not None and len(op.outputs) == 1:
        value = on_shapes(op)
        return None if value is None else [np.array(value, op.outputs[0].dtype.numpy)]
    if any(tensor is not None and not tensor.is_const for tensor in op.inputs):
        return None
    if not op.outputs or any(tensor.state for tensor in op.outputs):
        return None
    if reasons_against(op) or _inflates(op):
        return None
    return _run_natively(op)


def _inflates(op: Op) -> bool:
    """True where the result would take much more flash than what it is made of."""
    made = sum(tensor.bytes for tensor in op.outputs)
    source = sum(tensor.bytes for tensor in op.inputs if tensor is not None)
    return made > max(_ALWAYS_BYTES, 4 * source)


def _run_natively(op: Op) -> list[_Array]:
    graph = Graph("constant", [op], [], list(op.outputs))
    fold_zero_points.run(graph)
    program = lower_graph(graph)
    header = Header(name="constant", io_mode=IoMode.KEPT)
    package = write_package(emit(plan_memory(program, header.io_mode), header))
    raw = NativePackage(package).run([])
    return [
        np.frombuffer(data, tensor.dtype.numpy).reshape(tensor.shape).copy()
        for data, tensor in zip(raw, op.outputs, strict=True)
    ]


def _shape(op: Op) -> _Array | None:
    source = op.inputs[0] if op.inputs else None
    return None if source is None else np.array(source.shape)


def _pack(op: Op) -> _Array | None:
    values = _integers(op)
    axis = op.attrs["axis"]
    if not values or len({value.shape for value in values}) != 1:
        return None
    if sum(value.size for value in values) > _MOST_SHAPE_ELEMENTS:
        return None
    rank = values[0].ndim
    return np.stack(values, axis) if -rank - 1 <= axis <= rank else None


def _strided_slice(op: Op) -> _Array | None:
    """One-dimensional slices, the only ones that occur on shapes."""
    values = _integers(op)
    if values is None or len(values) != 4 or any(value.shape != (1,) for value in values[1:]):
        return None
    source, begin, end, stride = values[0], *(int(value[0]) for value in values[1:])
    masks = {name: op.attrs.get(f"{name}_mask", 0) & 1 for name in _MASKS}
    if source.ndim != 1 or stride == 0 or masks["ellipsis"] or masks["new_axis"]:
        return None
    if masks["shrink_axis"]:
        return source[begin] if -len(source) <= begin < len(source) else None
    return source[slice(None if masks["begin"] else begin, None if masks["end"] else end, stride)]


_MOST_SHAPE_ELEMENTS = 1024
_ALWAYS_BYTES = 4096
_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _integers(op: Op) -> list[_Array] | None:
    """The values of an op's inputs if all of them are integer constants."""
    values = [
        tensor.data
        for tensor in op.inputs
        if tensor is not None
        and tensor.data is not None
        and tensor.dtype in (DType.INT32, DType.INT64)
    ]
    return values if len(values) == len(op.inputs) else None


_ON_SHAPES: dict[str, Callable[[Op], _Array | None]] = {
    "SHAPE": _shape,
    "PACK": _pack,
    "STRIDED_SLICE": _strided_slice,
}
