# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Folds the input's zero point into the biases, so that kernels multiply inputs as they are."""

from __future__ import annotations

from ranvier.compiler.graph import Graph
from ranvier.compiler.ops.convolution import CHANNEL_AXIS, folded_bias


def run(graph: Graph) -> int:
    """Set the attribute ``_bias`` of every op with weights; the number of such ops."""
    folded = [op for op in graph.ops if op.kind in CHANNEL_AXIS]
    for op in folded:
        op.attrs["_bias"] = folded_bias(op)
    return len(folded)
