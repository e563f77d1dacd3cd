# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes small ``.tflite`` models, with knobs for what a normal file does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import flatbuffers
import numpy as np
import pytest
import tflite

from ranvier.compiler.graph import Graph
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import RanvierError

TYPE = tflite.TensorType
KIND = tflite.BuiltinOperator


@dataclass(frozen=True)
class TensorDef:
    """A tensor to write; ``buffer`` overrides the index of the buffer."""

    shape: Sequence[int] = (1, 4)
    type: int = TYPE.INT8
    data: bytes | None = None
    name: str = "t"
    scale: Sequence[float] = ()
    zero_point: Sequence[int] = ()
    axis: int = 0
    details: int = 0
    variable: bool = False
    sparse: bool = False
    signature: Sequence[int] = ()
    external: int = 0
    buffer: int | None = None


@dataclass(frozen=True)
class OpDef:
    """An operator to write; ``options`` is the union's number and a function writing the table."""

    kind: int = KIND.RELU
    inputs: Sequence[int] = (0,)
    outputs: Sequence[int] = (1,)
    options: tuple[int, Callable[[flatbuffers.Builder], int] | None] = (0, None)
    version: int = 1
    custom: str | None = None
    custom_options: bytes = b""
    large_options: tuple[int, int] | None = None  # offset and size of custom options outside
    code: int | None = None


@dataclass(frozen=True)
class ModelDef:
    """A model to write."""

    tensors: Sequence[TensorDef]
    ops: Sequence[OpDef] = (OpDef(),)
    inputs: Sequence[int] = (0,)
    outputs: Sequence[int] = (1,)
    version: int = 3
    subgraphs: int = 1
    outside: tuple[int, int] | None = None  # offset and size of buffer 1, outside of the FlatBuffer
    shared_inputs: Sequence[int] = ()  # one vector that all operators refer to as their inputs
    shared_data: bytes = b""  # one vector that all buffers refer to

    def read(self) -> Graph:
        """Return the graph that the reader makes of it."""
        return read_tflite(self.write(), "m.tflite")

    def write(self) -> bytes:
        """Return the bytes of the file."""
        b = flatbuffers.Builder(1024)
        shared = b.CreateByteVector(self.shared_data) if self.shared_data else 0
        data = [None, *(t.data for t in self.tensors)]
        buffers = [self._buffer(b, d, i, shared) for i, d in enumerate(data)]
        codes = [self._code(b, op) for op in self.ops]
        graphs = [self._subgraph(b) for _ in range(self.subgraphs)]
        vectors = [_offsets(b, v) for v in (codes, graphs, buffers)]
        tflite.ModelStart(b)
        tflite.ModelAddVersion(b, self.version)
        tflite.ModelAddOperatorCodes(b, vectors[0])
        tflite.ModelAddSubgraphs(b, vectors[1])
        tflite.ModelAddBuffers(b, vectors[2])
        b.Finish(tflite.ModelEnd(b), b"TFL3")
        return bytes(b.Output())

    def _buffer(self, b: flatbuffers.Builder, data: bytes | None, index: int, shared: int) -> int:
        vector = b.CreateByteVector(data) if data is not None else shared
        tflite.BufferStart(b)
        if vector:
            tflite.BufferAddData(b, vector)
        if index == 1 and self.outside:
            tflite.BufferAddOffset(b, self.outside[0])
            tflite.BufferAddSize(b, self.outside[1])
        return int(tflite.BufferEnd(b))

    def _code(self, b: flatbuffers.Builder, op: OpDef) -> int:
        custom = b.CreateString(op.custom) if op.custom is not None else 0
        tflite.OperatorCodeStart(b)
        tflite.OperatorCodeAddDeprecatedBuiltinCode(b, min(op.kind, 127))
        tflite.OperatorCodeAddBuiltinCode(b, op.kind)
        tflite.OperatorCodeAddVersion(b, op.version)
        if custom:
            tflite.OperatorCodeAddCustomCode(b, custom)
        return int(tflite.OperatorCodeEnd(b))

    def _subgraph(self, b: flatbuffers.Builder) -> int:
        tensors = _offsets(b, [_tensor(b, t, i + 1) for i, t in enumerate(self.tensors)])
        shared = ints(b, self.shared_inputs) if self.shared_inputs else 0
        operators = _offsets(b, [_operator(b, op, i, shared) for i, op in enumerate(self.ops)])
        inputs, outputs = ints(b, self.inputs), ints(b, self.outputs)
        tflite.SubGraphStart(b)
        tflite.SubGraphAddTensors(b, tensors)
        tflite.SubGraphAddInputs(b, inputs)
        tflite.SubGraphAddOutputs(b, outputs)
        tflite.SubGraphAddOperators(b, operators)
        return int(tflite.SubGraphEnd(b))


def _offsets(b: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    b.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        b.PrependUOffsetTRelative(offset)
    return int(b.EndVector())


def ints(b: flatbuffers.Builder, values: Sequence[int]) -> int:
    """Write a vector of int32."""
    return int(b.CreateNumpyVector(np.array(values, "<i4")))


def _quantization(b: flatbuffers.Builder, t: TensorDef) -> int:
    scale = b.CreateNumpyVector(np.array(t.scale, "<f4"))
    zero_point = b.CreateNumpyVector(np.array(t.zero_point, "<i8"))
    tflite.QuantizationParametersStart(b)
    tflite.QuantizationParametersAddScale(b, scale)
    tflite.QuantizationParametersAddZeroPoint(b, zero_point)
    tflite.QuantizationParametersAddQuantizedDimension(b, t.axis)
    tflite.QuantizationParametersAddDetailsType(b, t.details)
    return int(tflite.QuantizationParametersEnd(b))


def _tensor(b: flatbuffers.Builder, t: TensorDef, buffer: int) -> int:
    shape, name = ints(b, t.shape), b.CreateString(t.name)
    signature = ints(b, t.signature)
    quantization = _quantization(b, t)
    b.StartObject(0)
    sparsity = b.EndObject()
    b.StartObject(11)  # the package tflite does not know the last field, external_buffer
    tflite.TensorAddShape(b, shape)
    tflite.TensorAddType(b, t.type)
    tflite.TensorAddBuffer(b, buffer if t.buffer is None else t.buffer)
    tflite.TensorAddName(b, name)
    tflite.TensorAddQuantization(b, quantization)
    tflite.TensorAddIsVariable(b, t.variable)
    if t.sparse:
        tflite.TensorAddSparsity(b, sparsity)
    if t.signature:
        tflite.TensorAddShapeSignature(b, signature)
    b.PrependUint32Slot(10, t.external, 0)
    return int(b.EndObject())


def _operator(b: flatbuffers.Builder, op: OpDef, index: int, shared_inputs: int) -> int:
    number, write = op.options
    options = write(b) if write else 0
    inputs = shared_inputs or ints(b, op.inputs)
    outputs = ints(b, op.outputs)
    custom = b.CreateByteVector(op.custom_options)
    tflite.OperatorStart(b)
    tflite.OperatorAddOpcodeIndex(b, index if op.code is None else op.code)
    tflite.OperatorAddInputs(b, inputs)
    tflite.OperatorAddOutputs(b, outputs)
    tflite.OperatorAddBuiltinOptionsType(b, number)
    if options:
        tflite.OperatorAddBuiltinOptions(b, options)
    if op.custom_options:
        tflite.OperatorAddCustomOptions(b, custom)
    if op.large_options:
        tflite.OperatorAddLargeCustomOptionsOffset(b, op.large_options[0])
        tflite.OperatorAddLargeCustomOptionsSize(b, op.large_options[1])
    return int(tflite.OperatorEnd(b))


def chain(kind: int = KIND.RELU, **changes: Any) -> ModelDef:
    """Make a model of one operator, x -> y; ``changes`` are made to x."""
    return ModelDef([replace(TensorDef(name="x"), **changes), TensorDef(name="y")], [OpDef(kind)])


def weights(**changes: Any) -> ModelDef:
    """Make a model that multiplies with a constant w of 2 x 4 int8 values."""
    w = replace(TensorDef((2, 4), data=bytes(range(8)), name="w"), **changes)
    fc = OpDef(KIND.FULLY_CONNECTED, (0, 1, -1), (2,))
    return ModelDef([TensorDef(name="x"), w, TensorDef((1, 2), name="y")], [fc], outputs=(2,))


def refused(model: ModelDef | bytes, error: type[RanvierError], *words: str) -> None:
    """Check that the message of the refusal has all ``words``, the file's name and a remedy."""
    data = model if isinstance(model, bytes) else model.write()
    with pytest.raises(error) as raised:
        read_tflite(data, "m.tflite")
    assert raised.value.remedy
    for word in ("m.tflite: ", *words):
        assert word in raised.value.message
