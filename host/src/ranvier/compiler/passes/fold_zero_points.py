# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Folds the input's zero point into the biases, so that kernels multiply inputs as they are."""

from __future__ import annotations

from ranvier.compiler.graph import Graph
from ranvier.compiler.ops.convolution import folded_bias, is_quantised


def run(graph: Graph) -> int:
    """Set the attribute ``_bias`` of every op with int8 weights; the number of such ops."""
    folded = [op for op in graph.ops if is_quantised(op)]
    for op in folded:
        op.attrs["_bias"] = folded_bias(op)
    return len(folded)
