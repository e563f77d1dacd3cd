# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Merges table ops with what feeds them.

- A table of a table is one table.
- A table that only clamps becomes the clamp of the op that wrote its input (RELU after ADD).
- A table that maps every value to itself becomes a reshape, which costs nothing.

A tensor that something else reads, or that is an output of the model, is never changed.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Graph, Op
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops.activation import CLAMPABLE
from ranvier.compiler.passes import drop_dead
from ranvier.compiler.passes.make_tables import LUT

_RESHAPES = frozenset({"RESHAPE", "SQUEEZE", "EXPAND_DIMS"})

_INT8 = np.arange(256).astype(np.uint8).view(np.int8)
"""The int8 value of every table index."""


def run(graph: Graph) -> int:
    """Merge every table that can be; the number of merged tables."""
    merged = 0
    for op in list(graph.ops):
        if op.kind == LUT:
            merged += _compose(graph, op) or _clamp(graph, op)
            _drop_identity(op)
    return merged


def _private_producer(graph: Graph, op: Op) -> Op | None:
    """The op that computes the input of ``op``, if ``op`` is all that needs its output.

    Reshapes in between do not matter.
    """
    producer: Op | None = op
    while producer is not None and (producer is op or producer.kind in _RESHAPES):
        source = producer.inputs[0]
        if source is None or source in graph.outputs or len(graph.consumers(source)) != 1:
            return None
        producer = graph.producer(source)
    return producer


def _compose(graph: Graph, op: Op) -> bool:
    first = _private_producer(graph, op)
    if first is None or first.kind != LUT:
        return False
    inner = np.frombuffer(first.attrs["_table"], np.uint8)
    outer = np.frombuffer(op.attrs["_table"], np.uint8)
    op.attrs["_table"] = outer[inner].tobytes()
    op.attrs["_sources"] = sources_of(first) + sources_of(op)
    op.inputs = list(first.inputs)
    drop_dead.run(graph)
    return True


def _clamp(graph: Graph, op: Op) -> bool:
    producer = _private_producer(graph, op)
    if producer is None or producer.kind not in CLAMPABLE:
        return False
    written, clamped = producer.outputs[0], op.outputs[0]
    if written.dtype != DType.INT8 or clamped.dtype != DType.INT8:
        return False
    if written.quant != clamped.quant:  # the producer would compute for another scale
        return False
    table = np.frombuffer(op.attrs["_table"], np.int8)
    low, high = int(table[_INT8 == -128][0]), int(table[_INT8 == 127][0])
    if not np.array_equal(table, np.clip(_INT8, low, high)):
        return False
    before = producer.attrs.get("_clamp", (-128, 127))
    producer.attrs["_clamp"] = tuple(min(max(bound, low), high) for bound in before)
    producer.attrs["_sources"] = sources_of(producer) + sources_of(op)
    # What the producer writes now is the table's output, in its own shape.
    written.name, written.index = clamped.name, clamped.index
    op.attrs["_table"] = _INT8.tobytes()
    return True


def _drop_identity(op: Op) -> None:
    source, target = op.inputs[0], op.outputs[0]
    assert source is not None
    if source.dtype == target.dtype and op.attrs["_table"] == _INT8.tobytes():
        op.kind = "RESHAPE"
        op.attrs["new_shape"] = target.shape
