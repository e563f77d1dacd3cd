# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a TensorFlow Lite model into the compiler's graph.

The file is untrusted: whatever its bytes are, :func:`read_tflite` gives a graph whose structure can
be relied on, or raises a :class:`~ranvier.errors.ModelError` (malformed) or an
:class:`~ranvier.errors.UnsupportedError` (well-formed, but out of reach; everything that is so is
listed at once). What an operator's options and shapes mean together is not judged here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ranvier.compiler import tflite_schema as schema
from ranvier.compiler.flatbuffer import FlatBuffer, Table
from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.tflite_options import read_options
from ranvier.compiler.tflite_tensors import Refusal, TensorReader, label
from ranvier.errors import ModelError, UnsupportedError

_OPTIONAL = -1  # the tensor index of an optional input that is absent
_LISTED_OPS = 8  # how many users of a tensor a message lists
_CUSTOM_NAME = 128  # longest name of a custom operator: messages repeat it for each operator


def read_tflite(data: bytes, name: str) -> Graph:
    """Read the bytes of a ``.tflite`` file; ``name`` is the file's name for messages.

    The graph's tensors are those that its operators, inputs and outputs use; their names are made
    unique. Constants are read-only arrays, shared where the file shares their buffers. A graph
    output may also be a graph input or a constant, and may occur twice.

    Raises ModelError for a file that is malformed or breaks a limit, and UnsupportedError for a
    model that needs what the IR does not have, such as several subgraphs, dynamic shapes, variables
    or element types outside of ``DType``.
    """
    if data[4:8] != schema.IDENTIFIER:
        raise ModelError(
            f"{name}: not a TensorFlow Lite model (bytes 4 to 8 are not "
            f"{schema.IDENTIFIER.decode()})",
            "give the .tflite file that the TensorFlow Lite converter wrote",
        )
    file = FlatBuffer(data, name)
    return _Reader(file, file.root("model", schema.MODEL)).read()


@dataclass(frozen=True)
class UnreadOp:
    """An operator of a model that cannot be read; ``refused`` says why, of its own tensors.

    ``op`` is the operator without tensors where some are refused, and as in the graph otherwise.
    """

    op: Op
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    refused: tuple[Refusal, ...]


class UnreadableError(UnsupportedError):
    """A model that the graph cannot represent because of its operators; ``ops`` are all of them."""

    def __init__(self, message: str, remedy: str, ops: Sequence[UnreadOp]) -> None:
        super().__init__(message, remedy)
        self.ops = tuple(ops)


@dataclass(frozen=True)
class _Node:
    """An operator whose tensors are still indices."""

    index: int
    kind: str
    version: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    attrs: dict[str, Any]

    @property
    def where(self) -> str:
        return f"op {self.index} {self.kind}"

    @property
    def reads(self) -> list[int]:
        return [i for i in self.inputs if i != _OPTIONAL]


class _Reader:
    def __init__(self, file: FlatBuffer, model: Table) -> None:
        self._file = file
        self._check_version(model)
        self._codes = [
            self._read_code(c) for c in model.tables("operator_codes", schema.OPERATOR_CODE)
        ]
        self._subgraph = self._only_subgraph(model)
        self._tensors = TensorReader(
            file,
            self._subgraph.tables("tensors", schema.TENSOR),
            model.tables("buffers", schema.BUFFER),
        )

    def read(self) -> Graph:
        inputs = self._indices(self._subgraph, "inputs")
        outputs = self._indices(self._subgraph, "outputs")
        operators = self._subgraph.tables("operators", schema.OPERATOR)
        nodes = [self._read_node(i, operator) for i, operator in enumerate(operators)]
        tensors = self._read_tensors(inputs, outputs, nodes)
        self._check_order(nodes, tensors, inputs, outputs)
        ops = [
            Op(
                node.kind,
                [None if i == _OPTIONAL else tensors[i] for i in node.inputs],
                [tensors[i] for i in node.outputs],
                node.attrs,
                node.version,
                node.index,
            )
            for node in nodes
        ]
        return Graph(
            self._file.name, ops, [tensors[i] for i in inputs], [tensors[i] for i in outputs]
        )

    def _fail(self, what: str) -> NoReturn:
        raise ModelError(
            f"{self._file.name}: {what}",
            "the file is damaged, or another tool changed it: convert the model again",
        )

    def _check_version(self, model: Table) -> None:
        version = model.integer("version", "I")
        if version != schema.VERSION:
            raise UnsupportedError(
                f"{self._file.name}: model.version: the schema version is {version}, only "
                f"{schema.VERSION} can be read",
                "convert the model again with a current TensorFlow Lite converter",
            )

    def _read_code(self, code: Table) -> tuple[str, int]:
        """Read kind and version; old files carry the number in the first of two fields."""
        number = max(
            code.integer("deprecated_builtin_code", "b"), code.integer("builtin_code", "i")
        )
        if number < 0:
            raise self._file.error(code.path_of("builtin_code"), f"{number} is no operator")
        kind = schema.operator_name(number)
        if kind == "CUSTOM":
            custom = code.text("custom_code")
            if len(custom) > _CUSTOM_NAME:
                raise self._file.error(
                    code.path_of("custom_code"),
                    f"a name of {len(custom)} characters, the limit is {_CUSTOM_NAME}",
                )
            kind = f"CUSTOM:{custom}"
        return kind, code.integer("version", "i", 1)

    def _only_subgraph(self, model: Table) -> Table:
        subgraphs = model.tables("subgraphs", schema.SUBGRAPH)
        if not len(subgraphs):
            raise self._file.error("model.subgraphs", "the model has no subgraph")
        if len(subgraphs) > 1:
            flow = sorted({kind for kind, _ in self._codes} & schema.CONTROL_FLOW)
            cause = f"control flow ({', '.join(flow)})" if flow else "control flow or signatures"
            raise UnsupportedError(
                f"{self._file.name}: model.subgraphs: {len(subgraphs)} subgraphs, only one can be "
                f"executed; the others come from {cause}",
                "convert one function without loops, branches or variables",
            )
        return subgraphs[0]

    def _indices(self, table: Table, field: str, *, optional: bool = False) -> tuple[int, ...]:
        """Read and check a vector of tensor indices; ``optional`` allows an absent tensor."""
        indices = table.integers(field)
        lowest = _OPTIONAL if optional else 0
        for index in indices:
            if not lowest <= index < len(self._tensors):
                raise self._file.error(
                    table.path_of(field),
                    f"tensor index {index}, but there are {len(self._tensors)} tensors",
                )
        return indices

    def _read_node(self, index: int, operator: Table) -> _Node:
        code = operator.integer("opcode_index", "I")
        if code >= len(self._codes):
            raise self._file.error(
                operator.path_of("opcode_index"),
                f"operator code {code}, but there are {len(self._codes)}",
            )
        kind, version = self._codes[code]
        attrs = read_options(self._file, operator, kind)
        if kind.startswith("CUSTOM:"):
            attrs["custom_options"] = self._custom_options(operator)
        inputs = self._indices(operator, "inputs", optional=True)
        return _Node(index, kind, version, inputs, self._indices(operator, "outputs"), attrs)

    def _custom_options(self, operator: Table) -> bytes:
        offset = operator.integer("large_custom_options_offset", "Q")
        if offset <= 1:
            return bytes(operator.blob("custom_options"))
        size = operator.integer("large_custom_options_size", "Q")
        path = operator.path_of("large_custom_options_offset")
        return bytes(self._file.span(path, offset, size))

    def _read_tensors(
        self, inputs: Sequence[int], outputs: Sequence[int], nodes: Sequence[_Node]
    ) -> dict[int, Tensor]:
        """Read every tensor in use; raise one error about all that cannot be represented."""
        used = {*inputs, *outputs}
        for node in nodes:
            used.update(node.reads, node.outputs)
        tensors: dict[int, Tensor] = {}
        refused: dict[int, Refusal] = {}
        for index in sorted(used):
            tensor = self._tensors.read(index)
            if isinstance(tensor, Refusal):
                refused[index] = tensor
            else:
                tensors[index] = tensor
        stateful = [n for n in nodes if not n.outputs and n.kind in schema.WITHOUT_OUTPUTS]
        if refused or stateful:
            self._refuse(refused, stateful, nodes, tensors)
        return tensors

    def _refuse(
        self,
        refused: dict[int, Refusal],
        stateful: Sequence[_Node],
        nodes: Sequence[_Node],
        tensors: dict[int, Tensor],
    ) -> NoReturn:
        users: dict[int, list[str]] = {index: [] for index in refused}
        for node in nodes:
            for index in {*node.reads, *node.outputs} & refused.keys():
                users[index].append(node.where)
        lines = [
            f"{refusal.label}: {refusal.reason}; {_used_by(users[index])}"
            for index, refusal in refused.items()
        ]
        lines += [f"{node.where}: it changes a state outside of the graph" for node in stateful]
        remedies = [refusal.remedy for refusal in refused.values()]
        remedies += ["convert the model without variables and tables"] * bool(stateful)
        message = f"{self._file.name}: the model uses what Ranvier cannot represent:"
        message += "".join(f"\n  {line}" for line in lines)
        remedy = "; ".join(dict.fromkeys(remedies))
        malformed = any(not node.outputs for node in nodes if node not in stateful)
        if not all(users.values()) or malformed:  # more than ops is to blame
            raise UnsupportedError(message, remedy)
        changes = Refusal("", "it changes a state outside of the graph", remedies[-1])
        unread = [_unread(n, tensors, refused, (changes,) * (n in stateful)) for n in nodes]
        raise UnreadableError(message, remedy, unread)

    def _check_order(
        self,
        nodes: Sequence[_Node],
        tensors: dict[int, Tensor],
        inputs: Sequence[int],
        outputs: Sequence[int],
    ) -> None:
        """Check that every tensor has one source, and no operator reads what is not there yet."""
        if not outputs:
            raise self._file.error(self._subgraph.path_of("outputs"), "the model has no output")
        sources = {i: "the model's data" for i, tensor in tensors.items() if tensor.is_const}
        self._add_sources(sources, tensors, inputs, "the model's inputs")
        for node in nodes:
            for index in node.reads:
                if index not in sources:
                    self._unwritten(tensors[index], index, node, nodes)
            if not node.outputs:
                self._fail(f"{node.where} has no outputs")
            self._add_sources(sources, tensors, node.outputs, node.where)
        for index in outputs:
            if index not in sources:
                self._fail(
                    f"output {label(index, tensors[index].name)} is never written: no operator, "
                    "input or constant gives its value"
                )

    def _add_sources(
        self, sources: dict[int, str], tensors: dict[int, Tensor], new: Iterable[int], by: str
    ) -> None:
        for index in new:
            if index in sources:
                named = label(index, tensors[index].name)
                self._fail(f"{named} has two sources: {sources[index]} and {by}")
            sources[index] = by

    def _unwritten(
        self, tensor: Tensor, index: int, reader: _Node, nodes: Sequence[_Node]
    ) -> NoReturn:
        writers = [n.where for n in nodes if index in n.outputs]
        why = f"but {writers[0]} writes it only later" if writers else "but nothing gives its value"
        self._fail(f"{reader.where} reads {label(index, tensor.name)}, {why}")


def _unread(
    node: _Node,
    tensors: dict[int, Tensor],
    refused: dict[int, Refusal],
    more: tuple[Refusal, ...],
) -> UnreadOp:
    def described(index: int) -> str:
        if index in refused:
            return refused[index].label
        return "(absent)" if index == _OPTIONAL else tensors[index].described

    found = [refused[i] for i in dict.fromkeys((*node.reads, *node.outputs)) if i in refused]
    inputs: list[Tensor | None] = []
    outputs: list[Tensor] = []
    if not found:
        inputs = [None if i == _OPTIONAL else tensors[i] for i in node.inputs]
        outputs = [tensors[i] for i in node.outputs]
    return UnreadOp(
        Op(node.kind, inputs, outputs, node.attrs, node.version, node.index),
        tuple(map(described, node.inputs)),
        tuple(map(described, node.outputs)),
        (*found, *more),
    )


def _used_by(users: Sequence[str]) -> str:
    if not users:
        return "an input or output of the model"
    more = len(users) - _LISTED_OPS
    return f"used by {', '.join(users[:_LISTED_OPS])}" + (f" and {more} more" if more > 0 else "")
