# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes a small IR graph as a ``.tflite`` file: the inverse of the compiler's reader.

The field numbers come from the generated code of the PyPI package ``tflite``, so that a mistake
in our reader's own numbers cannot hide here. Tests only.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ranvier.compiler.graph import Graph, Op, Quant, Tensor
from ranvier.errors import ToolError
from ranvier.testing._optional import require

SCHEMA_VERSION = 3
"""The schema version that every current TensorFlow Lite file carries."""

_BUFFER_ALIGNMENT = 16

# Options tables whose name is not the operator's name in CamelCase followed by "Options".
_OPTIONS = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "PADV2": "PadV2Options",
    "MEAN": "ReducerOptions",
    "SUM": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
}

# Attributes that are enums: attribute -> the schema's enum.
_ENUMS = {
    "padding": "Padding",
    "fused_activation_function": "ActivationFunctionType",
    "weights_format": "FullyConnectedOptionsWeightsFormat",
    "quantized_bias_type": "TensorType",
    "output_type": "TensorType",
}


def tensor_order(graph: Graph) -> list[Tensor]:
    """The graph's tensors in the order of their indices in the built file.

    First the inputs, then each op's inputs and outputs at their first appearance.
    """
    order: list[Tensor] = list(graph.inputs)
    seen = set(map(id, order))
    for op in graph.ops:
        for tensor in (*op.inputs, *op.outputs):
            if tensor is not None and id(tensor) not in seen:
                seen.add(id(tensor))
                order.append(tensor)
    return order


def build_tflite(graph: Graph) -> bytes:
    """Encode ``graph`` as a ``.tflite`` file; the same graph gives the same bytes.

    An op gets an options table if it has any public attribute; attributes left out take the
    schema's defaults. Raises ToolError where ``flatbuffers`` or ``tflite`` is not installed, or
    for an op or attribute that the schema does not have.
    """
    return _Writer(graph).write()


def _schema(name: str) -> ModuleType:
    """The generated module of one table or enum of the schema."""
    require("tflite", "tflite")
    try:
        return importlib.import_module(f"tflite.{name}")
    except ImportError as error:
        raise ToolError(f"the TensorFlow Lite schema has no {name}") from error


def _enum(name: str, member: str) -> int:
    value: int | None = getattr(getattr(_schema(name), name), member, None)
    if value is None:
        raise ToolError(f"the TensorFlow Lite schema has no {name}.{member}")
    return value


def _camel(snake: str) -> str:
    return snake.title().replace("_", "")


class _Writer:
    """State of one encoding: the FlatBuffers builder and the indices given out so far."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._builder: Any = require("flatbuffers", "flatbuffers").Builder(1024)
        self._order = tensor_order(graph)
        self._index = {id(tensor): i for i, tensor in enumerate(self._order)}
        self._opcodes: list[tuple[str, int]] = []
        self._buffers: list[bytes] = [b""]

    def write(self) -> bytes:
        """Encode the whole model."""
        tensors = self._tables(self._tensor(t) for t in self._order)
        operators = self._tables(self._operator(op) for op in self._graph.ops)
        subgraph = self._table(
            "SubGraph",
            Tensors=tensors,
            Inputs=self._ints(self._index[id(t)] for t in self._graph.inputs),
            Outputs=self._ints(self._index[id(t)] for t in self._graph.outputs),
            Operators=operators,
            Name=self._builder.CreateString("main"),
        )
        codes = self._tables(self._opcode(kind, version) for kind, version in self._opcodes)
        model = self._table(
            "Model",
            Version=SCHEMA_VERSION,
            OperatorCodes=codes,
            Subgraphs=self._tables([subgraph]),
            Description=self._builder.CreateString(self._graph.name),
            Buffers=self._tables([self._buffer(data) for data in self._buffers]),
        )
        self._builder.Finish(model, file_identifier=b"TFL3")
        return bytes(self._builder.Output())

    def _table(self, table: str, **fields: Any) -> int:
        """Write one table; values are scalars or offsets of what is already written."""
        module = _schema(table)
        module.Start(self._builder)
        for name, value in fields.items():
            add = getattr(module, f"Add{name}", None)
            if add is None:
                raise ToolError(f"the TensorFlow Lite schema has no field {table}.{name}")
            add(self._builder, value)
        offset: int = module.End(self._builder)
        return offset

    def _tables(self, offsets: Iterable[int]) -> int:
        """Write a vector of tables."""
        items = list(offsets)
        self._builder.StartVector(4, len(items), 4)
        for item in reversed(items):
            self._builder.PrependUOffsetTRelative(item)
        vector: int = self._builder.EndVector()
        return vector

    def _ints(self, values: Iterable[int]) -> int:
        vector: int = self._builder.CreateNumpyVector(np.array(list(values), dtype="<i4"))
        return vector

    def _quantization(self, quant: Quant) -> int:
        return self._table(
            "QuantizationParameters",
            Scale=self._builder.CreateNumpyVector(np.array(quant.scales, dtype="<f4")),
            ZeroPoint=self._builder.CreateNumpyVector(np.array(quant.zero_points, dtype="<i8")),
            QuantizedDimension=quant.axis,
        )

    def _tensor(self, tensor: Tensor) -> int:
        fields: dict[str, Any] = {
            "Shape": self._ints(tensor.shape),
            "Type": _enum("TensorType", tensor.dtype.name),
            "Name": self._builder.CreateString(tensor.name),
        }
        if tensor.data is not None:
            data = np.asarray(tensor.data, dtype=tensor.dtype.numpy)
            if data.shape != tensor.shape:
                raise ToolError(f"tensor {tensor.name}: data {data.shape}, shape {tensor.shape}")
            fields["Buffer"] = len(self._buffers)
            self._buffers.append(data.tobytes())
        if tensor.quant is not None:
            fields["Quantization"] = self._quantization(tensor.quant)
        return self._table("Tensor", **fields)

    def _buffer(self, data: bytes) -> int:
        if not data:
            return self._table("Buffer")
        self._builder.Prep(_BUFFER_ALIGNMENT, len(data))
        return self._table("Buffer", Data=self._builder.CreateByteVector(data))

    def _opcode(self, kind: str, version: int) -> int:
        code = _enum("BuiltinOperator", kind)
        return self._table(
            "OperatorCode",
            DeprecatedBuiltinCode=min(code, 127),
            Version=version,
            BuiltinCode=code,
        )

    def _operator(self, op: Op) -> int:
        key = (op.kind, op.version)
        if key not in self._opcodes:
            self._opcodes.append(key)
        fields: dict[str, Any] = {
            "OpcodeIndex": self._opcodes.index(key),
            "Inputs": self._ints(-1 if t is None else self._index[id(t)] for t in op.inputs),
            "Outputs": self._ints(self._index[id(t)] for t in op.outputs),
        }
        attrs = {name: v for name, v in op.attrs.items() if not name.startswith("_")}
        if attrs:
            table = _OPTIONS.get(op.kind, _camel(op.kind) + "Options")
            fields["BuiltinOptions"] = self._options(table, attrs)
            fields["BuiltinOptionsType"] = _enum("BuiltinOptions", table)
        return self._table("Operator", **fields)

    def _options(self, table: str, attrs: dict[str, Any]) -> int:
        fields = {_camel(name): self._attribute(name, value) for name, value in attrs.items()}
        return self._table(table, **fields)

    def _attribute(self, name: str, value: Any) -> Any:
        """What the generated code takes for an attribute: a number or a vector's offset."""
        if isinstance(value, str):
            return _enum(_ENUMS.get(name, name), value)
        if isinstance(value, Sequence):
            return self._ints(value)
        return value
