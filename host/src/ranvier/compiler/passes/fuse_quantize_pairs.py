# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turns DEQUANTIZE followed by QUANTIZE into one table, without a detour through real numbers.

The arithmetic of QUANTIZE is that of TensorFlow Lite Micro (``ranvier.package.values``).
"""

from __future__ import annotations

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops import dequantize
from ranvier.compiler.ops.base import operand, quant_of
from ranvier.compiler.passes.make_tables import LUT
from ranvier.package.values import quantise


def run(graph: Graph) -> int:
    """Replace every pair; the number of replaced QUANTIZE ops."""
    fused = 0
    for op in graph.ops:
        first = graph.producer(operand(op, 0)) if op.kind == "QUANTIZE" else None
        if first is not None and first.kind == "DEQUANTIZE":
            op.kind = LUT
            op.inputs = [operand(first, 0)]
            op.attrs = {
                "_table": _table(first, op.outputs[0]),
                "_kind": "QUANTIZE",
                "_sources": sources_of(first) + sources_of(op),
            }
            fused += 1
    return fused


def _table(first: Op, target: Tensor) -> bytes:
    quant = quant_of(target)
    real = dequantize.table(first)
    return quantise(real, target.dtype.numpy, quant.scale, quant.zero_point).tobytes()
