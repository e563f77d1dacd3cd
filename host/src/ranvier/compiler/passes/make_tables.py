# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turns every op that the device executes as a look-up in 256 bytes into kind ``LUT``.

The table is the attribute ``_table``, indexed by the input's byte; the attribute ``_kind`` keeps
the kind for messages and reports.
"""

from __future__ import annotations

from ranvier.compiler.graph import Graph
from ranvier.compiler.ops import op_specs

LUT = "LUT"
_DEVICE_OP = "LUT_8"


def run(graph: Graph) -> int:
    """Make a table of every such op; the number of tables made."""
    made = 0
    for op in graph.ops:
        if op.kind != LUT and len(op.inputs) == 1:
            lowered = op_specs()[op.kind].lower(op)
            if lowered.device == _DEVICE_OP:
                op.attrs = {**op.attrs, "_table": lowered.weights, "_kind": op.kind}
                op.kind = LUT
                made += 1
    return made
