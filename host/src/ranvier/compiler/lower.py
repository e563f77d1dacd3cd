# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From the graph to the device's ops: each op lowered, and no op where only the shape changes.

Every device op carries its geometry in its parameters, so an op that would copy a dense tensor
(RESHAPE, SQUEEZE, EXPAND_DIMS) is dropped and its readers read its input. Each output of the model
becomes a tensor of its own, which takes a copy where it would be an input, a constant or another
output.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from ranvier.compiler.exchange import exchange
from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.layouts import Choice, assign, is_image, stored_as
from ranvier.compiler.lower_packed import lower_packed
from ranvier.compiler.ops import op_specs
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.packed.predict import predicted, predicted_rows
from ranvier.package.records import Isa, Layout

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
class Run:
    """A step of execution: the op ``step``, or its output rows ``row0 .. row0 + rows - 1``."""

    step: int
    row0: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Program:
    """Steps in a valid order; every output is written by a step and listed once.

    ``runs`` is the order of execution where some steps run by rows, else empty.
    """

    name: str
    steps: tuple[Step, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    runs: tuple[Run, ...] = ()

    @property
    def schedule(self) -> tuple[Run, ...]:
        """What is executed, in order."""
        return self.runs or tuple(Run(step) for step in range(len(self.steps)))


def predicted_run(program: Program, run: Run, isa: Isa) -> int:
    """Instructions that a run is predicted to take on an instruction set, 0: unknown."""
    lowered = program.steps[run.step].lowered
    if not run.rows or not lowered.predicted:
        return lowered.predicted
    return predicted_rows(lowered, run.row0, run.rows, isa)


def sources_of(op: Op) -> tuple[int, ...]:
    """Positions in the source file of ``op`` and of what was fused into it."""
    merged: tuple[int, ...] = op.attrs.get("_sources", (op.index,))
    return tuple(index for index in merged if index >= 0)


Refused: TypeAlias = Mapping[Op, frozenset[str]]
"""Kernels that could not do an op."""


def lower_graph(graph: Graph) -> Program:
    """Lower every op of a checked graph to portable kernels on dense tensors."""
    return Lowering(graph, Choice(Isa.GENERIC)).program


class Lowering:
    """A graph that has passed the check for unsupported ops, lowered with the kernels of a choice.

    ``program`` is the result. ``kernels`` has the packed kernel of each op, by its position in the
    graph, and ``steps`` the step of each op that became one. ``refused`` has the kernels that
    could not do an op; those of a similar choice, given as ``known``, are not tried.
    """

    def __init__(self, graph: Graph, choice: Choice, known: Refused | None = None) -> None:
        refused: dict[Op, frozenset[str]] = dict(known or {})
        while True:
            attempt = _Attempt(graph, choice, refused)
            unable = attempt.run()
            if unable is None:
                break
            op, kernel = unable
            refused[op] = refused.get(op, frozenset()) | {kernel}
        self.refused = refused
        stored = attempt.stored
        steps, outputs = _own_outputs(graph, attempt.steps, stored)
        steps = [replace(step, lowered=_renamed(step.lowered, stored)) for step in steps]
        inputs = tuple(tensor for tensor in graph.inputs if not tensor.state)
        self.program = Program(graph.name, tuple(steps), inputs, tuple(outputs))
        self.kernels = {
            number: attempt.assignment.kernels[op]
            for number, op in enumerate(graph.ops)
            if op in attempt.assignment.kernels
        }
        self.steps = {graph.ops.index(op): step for op, step in attempt.step_of.items()}


class _Attempt:
    """The steps of a graph with one assignment of kernels and layouts.

    ``stored`` maps a tensor of the graph to what stands for it: the tensor that it only reshapes,
    or itself in another layout.
    """

    def __init__(self, graph: Graph, choice: Choice, refused: Refused) -> None:
        self.steps: list[Step] = []
        self.step_of: dict[Op, int] = {}
        self.assignment = assign(graph, choice, refused)
        self.stored: dict[Tensor, Tensor] = dict(self.assignment.stored)
        self._graph = graph
        self._choice = choice
        self._copies: dict[tuple[Tensor, Layout], Tensor] = {}

    def run(self) -> tuple[Op, str] | None:
        """Lower everything; an op and its kernel that cannot do it, None where all is done."""
        for op in self._graph.ops:
            kernel = self.assignment.kernels.get(op)
            if kernel is None:
                self._lower_portable(op)
                continue
            images = {
                tensor: self._as(tensor, self._layout_for(op, tensor))
                for tensor in op.inputs
                if tensor is not None and not tensor.is_const
            }
            images[op.outputs[0]] = self.assignment.of(op.outputs[0])
            lowered = self._packed(op, kernel, images)
            if lowered is None:
                return op, kernel
            self._add(op, lowered, images)
        for output in self._graph.outputs:  # what leaves the model is dense
            if self.assignment.layout(output) != Layout.DENSE:
                self.stored[output] = self._as(output, Layout.DENSE)
        return None

    def _packed(self, op: Op, kernel: str, images: Mapping[Tensor, Tensor]) -> Lowered | None:
        """The op with a kernel on operands as they are stored; made once for all choices."""
        made: dict[object, Lowered | None] = op.attrs.setdefault("_made", {})
        places = tuple((image.layout, image.ring_rows) for image in images.values())
        key = (kernel, self._choice.isa, places)
        if key not in made:
            made[key] = lower_packed(op, kernel, self._choice.isa, images)
        return made[key]

    def _portable(self, op: Op) -> Lowered:
        """The op with its portable kernel; where there are choices, made once for all of them."""
        if self._choice.isa == Isa.GENERIC:
            return op_specs()[op.kind].lower(op)
        made: dict[object, Lowered] = op.attrs.setdefault("_made", {})
        if self._choice.isa not in made:
            made[self._choice.isa] = predicted(op_specs()[op.kind].lower(op), self._choice.isa)
        return made[self._choice.isa]

    def _layout_for(self, op: Op, tensor: Tensor) -> Layout:
        """In which layout the packed kernel of ``op`` reads an input."""
        layout = self.assignment.layout(tensor)
        if op.kind == "DEPTHWISE_CONV_2D" and layout == Layout.DENSE and is_image(tensor):
            return self._choice.planes
        return layout

    def _lower_portable(self, op: Op) -> None:
        dense = {t: self._as(t, Layout.DENSE) for t in op.inputs if t is not None}
        lowered = self._portable(op)
        if lowered.device == COPY and lowered.inputs[0].bytes == lowered.outputs[0].bytes:
            source = dense[lowered.inputs[0]]
            self.stored[lowered.outputs[0]] = self.stored.get(source, source)
        else:
            self._add(op, lowered, dense)

    def _add(self, op: Op, lowered: Lowered, images: Mapping[Tensor, Tensor]) -> None:
        self.step_of[op] = len(self.steps)
        self.steps.append(
            Step(_renamed(lowered, images), op.attrs.get("_kind", op.kind), sources_of(op))
        )

    def _as(self, tensor: Tensor, layout: Layout) -> Tensor:
        """A tensor of the graph in a layout, by a copy where it is stored in another one."""
        image = self.assignment.of(tensor)
        if image.layout == layout:
            return image
        if (tensor, layout) not in self._copies:
            copy = stored_as(replace(tensor, name=f"{tensor.name}:{layout.name.lower()}"), layout)
            self.steps.append(
                Step(predicted(exchange(image, copy), self._choice.isa), "LAYOUT", ())
            )
            self._copies[tensor, layout] = copy
        return self._copies[tensor, layout]


def _own_outputs(
    graph: Graph, steps: list[Step], stored: dict[Tensor, Tensor]
) -> tuple[list[Step], list[Tensor]]:
    """Give every output of the model a tensor of its own, with copies at the end where needed.

    A tensor that is read through a reshape and leaves through it is kept under the output's name,
    shape and quantisation; ``stored`` is changed so that all its readers follow.
    """
    written = {tensor for step in steps for tensor in step.lowered.outputs if not tensor.state}
    claimed: dict[Tensor, Tensor] = {}
    outputs: list[Tensor] = []
    copies: list[Step] = []
    for output in graph.outputs:
        source = stored.get(output, output)
        if source in written and source not in claimed:
            claimed[source] = output
            outputs.append(output)
        else:
            own = replace(output, name=f"{output.name}:{len(outputs)}", data=None, state=False)
            copies.append(_copy(source, own))
            outputs.append(own)
    for tensor, source in list(stored.items()):
        stored[tensor] = claimed.get(source, source)
    stored.update(claimed)
    return steps + copies, outputs


def _copy(source: Tensor, target: Tensor) -> Step:
    op = Op("RESHAPE", [source], [target], {"new_shape": target.shape})
    return Step(op_specs()["RESHAPE"].lower(op), "RESHAPE", ())


def _renamed(lowered: Lowered, stored: Mapping[Tensor, Tensor]) -> Lowered:
    inputs = tuple(stored.get(t, t) for t in lowered.inputs)
    outputs = tuple(stored.get(t, t) for t in lowered.outputs)
    if (inputs, outputs) == (lowered.inputs, lowered.outputs):
        return lowered
    return replace(lowered, inputs=inputs, outputs=outputs)
