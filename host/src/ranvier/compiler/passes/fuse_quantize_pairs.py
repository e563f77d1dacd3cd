# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turns DEQUANTIZE followed by QUANTIZE into one table, without a detour through real numbers.

The arithmetic of QUANTIZE is that of TensorFlow Lite Micro (``ranvier.package.values``).
"""

from __future__ import annotations

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops import dequantize
from ranvier.compiler.ops.base import BYTE_TYPES, quant_of
from ranvier.compiler.passes.make_tables import LUT
from ranvier.package.values import quantise


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
    quant = quant_of(target)
    real = dequantize.table(first)
    return quantise(real, target.dtype.numpy, quant.scale, quant.zero_point).tobytes()
