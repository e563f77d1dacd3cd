# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turns integer arithmetic with constants, between CASTs from int16 and to 8 bits, into thresholds.

Every int16 goes through the ops as they are defined (int32; DIV rounds towards zero). Where no
value exceeds int32 and the result never falls, 255 thresholds say the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops.base import BYTE_TYPES
from ranvier.compiler.ops.steps import INPUTS, STEPS, thresholds

_Values = NDArray[np.int64]


def _divided(x: _Values, by: int) -> _Values:
    return np.asarray(np.sign(x) * np.sign(by) * (np.abs(x) // abs(by)), np.int64)


_ARITHMETIC: dict[str, Callable[[_Values, int], _Values]] = {
    "ADD": lambda x, y: x + y,
    "SUB": lambda x, y: x - y,
    "MUL": lambda x, y: x * y,
    "DIV": _divided,
    "MINIMUM": np.minimum,
    "MAXIMUM": np.maximum,
}
_COMMUTES = frozenset({"ADD", "MUL", "MINIMUM", "MAXIMUM"})


def run(graph: Graph) -> int:
    """Replace every such chain by the op STEPS; the number of chains."""
    replaced = 0
    for op in list(graph.ops):
        chain = _chain(graph, op)
        table = _thresholds(chain) if chain else None
        if table is None:
            continue
        attrs = {
            "_thresholds": table,
            "_kind": "CAST",
            "_sources": tuple(i for part in chain for i in sources_of(part)),
        }
        steps = Op(STEPS, list(chain[0].inputs), list(chain[-1].outputs), attrs, 1, chain[-1].index)
        graph.ops[graph.ops.index(chain[-1])] = steps
        graph.ops = [other for other in graph.ops if other not in chain]
        replaced += 1
    return replaced


def _chain(graph: Graph, first: Op) -> tuple[Op, ...]:
    """A CAST from int16 to int32, arithmetic, and a CAST to 8 bits; else nothing."""
    if not _is_cast(first, (DType.INT16,), (DType.INT32,)):
        return ()
    chain = [first]
    while True:
        tensor = chain[-1].outputs[0]
        readers = graph.consumers(tensor)
        if len(readers) != 1 or tensor in graph.outputs:
            return ()
        chain.append(readers[0])
        if _is_cast(readers[0], (DType.INT32,), BYTE_TYPES):
            return tuple(chain)
        if _constant(readers[0], tensor) is None:
            return ()


def _is_cast(op: Op, sources: tuple[DType, ...], targets: tuple[DType, ...]) -> bool:
    if op.kind != "CAST" or len(op.inputs) != 1 or len(op.outputs) != 1:
        return False
    x, y = op.inputs[0], op.outputs[0]
    return x is not None and x.dtype in sources and y.dtype in targets and x.elements == y.elements


def _constant(op: Op, tensor: Tensor) -> int | None:
    """The one number that an op of arithmetic combines ``tensor`` with; None for other ops."""
    if op.kind not in _ARITHMETIC or len(op.inputs) != 2 or len(op.outputs) != 1:
        return None
    others = [other for other in op.inputs if other is not tensor]
    if len(others) != 1 or (op.kind not in _COMMUTES and op.inputs[0] is not tensor):
        return None
    other, y = others[0], op.outputs[0]
    if other is None or other.data is None or other.elements != 1 or other.dtype != DType.INT32:
        return None
    if y.dtype != DType.INT32 or y.elements != tensor.elements:
        return None
    if op.attrs.get("fused_activation_function", "NONE") != "NONE":
        return None
    value = int(other.data.ravel()[0])
    return None if op.kind == "DIV" and value == 0 else value


def _thresholds(chain: tuple[Op, ...]) -> bytes | None:
    values = INPUTS
    for op, tensor in zip(chain[1:-1], (part.outputs[0] for part in chain), strict=False):
        constant = _constant(op, tensor)
        assert constant is not None
        values = _ARITHMETIC[op.kind](values, constant)
        if values.min() < -(2**31) or values.max() >= 2**31:
            return None
    dtype = chain[-1].outputs[0].dtype
    return thresholds(values.astype(dtype.numpy).astype(np.int64), dtype)
