# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A network with stages before and after it: one graph for each entry point.

What comes before the network may run at another rate (a hop of audio at a time): such stages put
their ops into an entry point of their own and leave what the network reads in persistent state. A
package with state also has the entry point ``reset``, which makes all of it zero.
"""

from __future__ import annotations

from collections.abc import Iterable

from ranvier.compiler.check import refuse, unsupported_ops
from ranvier.compiler.emit import ENTRY_NAME
from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.pipeline.options import Pipeline
from ranvier.compiler.pipeline.stage import Builder, Values
from ranvier.errors import InputError

RESET = "reset"


def attach(network: Graph, pipeline: Pipeline | None, labels: tuple[str, ...]) -> dict[str, Graph]:
    """The graph of every entry point, in their order; ``network`` is changed.

    Raises :class:`InputError` where stages fit neither each other nor the network.
    """
    graphs = {ENTRY_NAME: network}
    if pipeline is not None:
        goal = _goal(network)
        builder = Builder(goal, labels)
        checked = set(network.ops)  # and made into others since then
        if pipeline.pre:
            graphs = _with_pre(network, builder, pipeline)
        if pipeline.post:
            _add_post(network, Builder(goal, labels, window=builder.window), pipeline)
        for graph in graphs.values():
            added = [op for op in graph.ops if op not in checked]
            wrong = unsupported_ops(Graph(graph.name, added, [], []))
            if wrong:
                raise refuse(f"{network.name}: its stages", wrong, len(added))
    states = list(dict.fromkeys(_states(graphs.values())))
    if states:
        clear = [Op("CLEAR", [], [state]) for state in states]
        graphs[RESET] = Graph(network.name, clear, [], [])
    return graphs


def _states(graphs: Iterable[Graph]) -> Iterable[Tensor]:
    for graph in graphs:
        for op in graph.ops:
            for tensor in (*op.inputs, *op.outputs):
                if tensor is not None and tensor.state:
                    yield tensor


def _goal(network: Graph) -> Tensor:
    """What stages before a network have to give."""
    if not network.inputs:
        raise InputError(f"{network.name}: the model has no input", "compile it without stages")
    first = network.inputs[0]
    readers = network.consumers(first)
    if first.dtype != DType.FLOAT32 or len(readers) != 1 or readers[0].kind != "QUANTIZE":
        return first
    return first if first in network.outputs else readers[0].outputs[0]


def _with_pre(network: Graph, builder: Builder, pipeline: Pipeline) -> dict[str, Graph]:
    goal = builder.goal
    if goal is not network.inputs[0]:  # without the network's own QUANTIZE
        network.ops.remove(network.consumers(network.inputs[0])[0])
    values: Values = ()
    for use in pipeline.pre:
        builder.given = use.given
        values = use.stage.build(builder, use.options, values)
    last = pipeline.pre[-1].stage.name
    if len(values) != 1 or not _alike(values[0], goal):
        given = ", ".join(_quantised(value) for value in values) or "nothing"
        raise InputError(
            f"stage {last} gives {given}, the network reads {_quantised(goal)}",
            "add or change the stages before the network",
        )
    network.replace_tensor(goal, values[0])
    others = network.inputs[1:]
    network.ops[:0] = builder.ops.pop(ENTRY_NAME, [])
    graphs = {
        name: Graph(network.name, ops, list(builder.sources), [])
        for name, ops in builder.ops.items()
    }
    network.inputs = [*([] if graphs else builder.sources), *others]
    return {**graphs, ENTRY_NAME: network}


def _add_post(network: Graph, builder: Builder, pipeline: Pipeline) -> None:
    for output in list(network.outputs):
        _drop_dequantize(network, output)
    values: Values = tuple(network.outputs)
    for use in pipeline.post:
        builder.given = use.given
        values = use.stage.build(builder, use.options, values)
    network.ops += builder.ops.get(ENTRY_NAME, [])
    network.outputs = list(values)


def _drop_dequantize(network: Graph, tensor: Tensor) -> None:
    """Take away the op that only makes an output of the network float."""
    writer = network.producer(tensor)
    if writer is None or writer.kind != "DEQUANTIZE" or writer.inputs[0] is None:
        return
    inner = writer.inputs[0]
    if not network.consumers(tensor) and not inner.lasts and inner not in network.inputs:
        network.ops.remove(writer)
        network.outputs = [inner if t is tensor else t for t in network.outputs]


def _alike(value: Tensor, goal: Tensor) -> bool:
    return (value.dtype, value.shape, value.quant) == (goal.dtype, goal.shape, goal.quant)


def _quantised(tensor: Tensor) -> str:
    if tensor.quant is None or not tensor.quant.per_tensor:
        return tensor.described
    return f"{tensor.described} (scale {tensor.quant.scale:g}, zero {tensor.quant.zero_point})"
