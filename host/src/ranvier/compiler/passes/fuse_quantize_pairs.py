# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turns DEQUANTIZE followed by QUANTIZE into one table, without a detour through real numbers.

The arithmetic of QUANTIZE is that of TensorFlow Lite Micro: divided in float32, rounded to nearest
with ties away from zero.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops import dequantize
from ranvier.compiler.ops.tables import BYTE_TYPES
from ranvier.compiler.passes.make_tables import LUT


def run(graph: Graph) -> int:
    """Replace every pair; the number of replaced QUANTIZE ops."""
    fused = 0
    for op in graph.ops:
        first = graph.producer(op.inputs[0]) if op.kind == "QUANTIZE" and op.inputs[0] else None
        if first is None or first.kind != "DEQUANTIZE" or first.inputs[0] is None:
            continue
        source, target = first.inputs[0], op.outputs[0]
        if source.dtype in BYTE_TYPES and target.dtype in BYTE_TYPES:
            op.kind = LUT
            op.inputs = [source]
            op.attrs = {
                "_table": _table(first, target),
                "_kind": "QUANTIZE",
                "_sources": sources_of(first) + sources_of(op),
            }
            fused += 1
    return fused


def _table(first: Op, target: Tensor) -> bytes:
    assert target.quant is not None
    with np.errstate(over="ignore", under="ignore"):
        steps = dequantize.table(first) / np.float32(target.quant.scale)
    rounded = np.copysign(np.floor(np.abs(steps.astype(np.float64)) + 0.5), steps)
    limits = np.iinfo(target.dtype.numpy)
    values = np.clip(rounded + target.quant.zero_point, limits.min, limits.max)
    return bytes(values.astype(target.dtype.numpy).tobytes())
