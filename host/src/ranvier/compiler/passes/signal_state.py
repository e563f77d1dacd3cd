# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Makes what TensorFlow Lite Micro's ops keep between runs a state tensor.

Only SignalFilterBankSpectralSubtraction keeps something: its noise estimate, of which its second
output is a copy. It becomes state that the op reads and writes; whoever read the copy reads it.
"""

from __future__ import annotations

from dataclasses import replace

from ranvier.compiler.graph import Graph, Op
from ranvier.compiler.ops.signal_noise import SUBTRACTION


def run(graph: Graph) -> int:
    """Give state to every op that keeps something; the number of ops."""
    ops = [op for op in graph.ops if op.kind == SUBTRACTION and _is_of_the_model(op)]
    for op in ops:
        output, copy = op.outputs
        state = replace(copy, name=f"{copy.name}:state", index=-1, state=True)
        op.inputs.append(state)
        op.outputs = [state, output]
        graph.replace_tensor(copy, state)
    return len(ops)


def _is_of_the_model(op: Op) -> bool:
    return len(op.inputs) == 1 and len(op.outputs) == 2 and not any(t.state for t in op.outputs)
