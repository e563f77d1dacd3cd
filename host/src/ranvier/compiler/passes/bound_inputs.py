# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Notes for every op with int8 weights which values its input can have: attribute ``_ranges``."""

from __future__ import annotations

from ranvier.compiler.graph import Graph
from ranvier.compiler.intervals import intervals
from ranvier.compiler.ops.base import operand
from ranvier.compiler.ops.convolution import is_quantised


def run(graph: Graph) -> int:
    """Note the bounds; the number of ops."""
    bounds = intervals(graph)
    weighted = [op for op in graph.ops if is_quantised(op)]
    for op in weighted:
        op.attrs["_ranges"] = bounds[operand(op, 0)]
    return len(weighted)
