# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Removes QUANTIZE ops that change nothing.

What only reshapes is not removed here: it needs its own shape until every op is lowered
(``ranvier.compiler.lower``).
"""

from __future__ import annotations

from ranvier.compiler.graph import Graph, Op
from ranvier.compiler.ops.base import operand


def run(graph: Graph) -> int:
    """Let readers of an identical requantisation read its input; the number of removed ops."""
    noops = [op for op in graph.ops if _is_identity(op)]
    for op in noops:
        graph.replace_tensor(op.outputs[0], operand(op, 0))
        graph.ops.remove(op)
    return len(noops)


def _is_identity(op: Op) -> bool:
    if op.kind != "QUANTIZE":
        return False
    source, target = operand(op, 0), op.outputs[0]
    return (
        source.dtype == target.dtype
        and source.shape == target.shape
        and source.quant is not None
        and source.quant == target.quant
    )
