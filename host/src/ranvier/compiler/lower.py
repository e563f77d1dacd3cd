# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From the graph to the device's ops: each op lowered, and no op where only the shape changes.

Every device op carries its geometry in its parameters, so an op that would copy a dense tensor
(RESHAPE, SQUEEZE, EXPAND_DIMS) is dropped and its readers read its input. Each output of the model
becomes a tensor of its own, which takes a copy where it would be an input, a constant or another
output.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.ops import op_specs
from ranvier.compiler.ops.base import Lowered

COPY = "COPY"
"""The device op that moves a dense tensor's bytes."""


@dataclass(frozen=True)
class Step:
    """A device op with the source op that it does (``kind``) and all source ops fused into it.

    ``sources`` are positions in the source file; the last one made the step's output. Empty for
    an op that the compiler added.
    """

    lowered: Lowered
    kind: str
    sources: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Steps in a valid order; every output is written by a step and listed once."""

    name: str
    steps: tuple[Step, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]


def sources_of(op: Op) -> tuple[int, ...]:
    """Positions in the source file of ``op`` and of what was fused into it."""
    merged: tuple[int, ...] = op.attrs.get("_sources", (op.index,))
    return tuple(index for index in merged if index >= 0)


def lower_graph(graph: Graph) -> Program:
    """Lower every op of a graph that has passed the check for unsupported ops."""
    stored: dict[Tensor, Tensor] = {}  # a tensor that only reshapes another one -> that one
    steps: list[Step] = []
    for op in graph.ops:
        lowered = op_specs()[op.kind].lower(op)
        if lowered.device == COPY and lowered.inputs[0].bytes == lowered.outputs[0].bytes:
            source = lowered.inputs[0]
            stored[lowered.outputs[0]] = stored.get(source, source)
        else:
            steps.append(Step(lowered, op.attrs.get("_kind", op.kind), sources_of(op)))
    steps, outputs = _own_outputs(graph, steps, stored)
    steps = [replace(step, lowered=_renamed(step.lowered, stored)) for step in steps]
    return Program(graph.name, tuple(steps), tuple(graph.inputs), tuple(outputs))


def _own_outputs(
    graph: Graph, steps: list[Step], stored: dict[Tensor, Tensor]
) -> tuple[list[Step], list[Tensor]]:
    """Give every output of the model a tensor of its own, with copies at the end where needed.

    A tensor that is read through a reshape and leaves through it is kept under the output's name,
    shape and quantisation; ``stored`` is changed so that all its readers follow.
    """
    written = {tensor for step in steps for tensor in step.lowered.outputs}
    claimed: dict[Tensor, Tensor] = {}
    outputs: list[Tensor] = []
    copies: list[Step] = []
    for output in graph.outputs:
        source = stored.get(output, output)
        if source in written and source not in claimed:
            claimed[source] = output
            outputs.append(output)
        else:
            own = replace(output, name=f"{output.name}:{len(outputs)}", data=None)
            copies.append(_copy(source, own))
            outputs.append(own)
    for tensor, source in list(stored.items()):
        stored[tensor] = claimed.get(source, source)
    stored.update(claimed)
    return steps + copies, outputs


def _copy(source: Tensor, target: Tensor) -> Step:
    op = Op("RESHAPE", [source], [target], {"new_shape": target.shape})
    return Step(op_specs()["RESHAPE"].lower(op), "RESHAPE", ())


def _renamed(lowered: Lowered, stored: dict[Tensor, Tensor]) -> Lowered:
    return replace(
        lowered,
        inputs=tuple(stored.get(t, t) for t in lowered.inputs),
        outputs=tuple(stored.get(t, t) for t in lowered.outputs),
    )
