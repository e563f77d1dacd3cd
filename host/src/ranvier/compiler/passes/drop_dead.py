# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Removes ops whose outputs nothing needs."""

from __future__ import annotations

from ranvier.compiler.graph import Graph


def run(graph: Graph) -> int:
    """Remove every op that neither an output of the model nor its state depends on.

    Returns the number of removed ops.
    """
    needed = set(graph.outputs)
    kept = []
    for op in reversed(graph.ops):
        if any(tensor in needed or tensor.state for tensor in op.outputs):
            kept.append(op)
            needed.update(tensor for tensor in op.inputs if tensor is not None)
    removed = len(graph.ops) - len(kept)
    graph.ops = kept[::-1]
    return removed
