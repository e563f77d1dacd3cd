# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Float32 models: the twins of int8 ones, whose numbers are what the int8 ones stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.tflite import read_tflite
from ranvier.testing.tflite_builder import build_tflite

EDGES = ("QUANTIZE", "DEQUANTIZE")
"""Ops that mean nothing where all is real: they go."""


def real_data(tensor: Tensor, op: Op) -> Tensor:
    """A constant or value in float32; a bias has the scales of input and weights."""
    if tensor.dtype not in (DType.INT8, DType.INT32) or tensor.quant is None:
        return tensor
    data = None
    if tensor.data is not None:
        quant = tensor.quant
        shape = [1] * tensor.data.ndim
        if not quant.per_tensor:
            shape[quant.axis] = -1
        scales = np.array(quant.scales).reshape(shape)
        zeros = np.array(quant.zero_points).reshape(shape)
        data = (scales * (tensor.data.astype(np.float64) - zeros)).astype(np.float32)
    return replace(tensor, dtype=DType.FLOAT32, quant=None, data=data)


def float_twin(model: bytes) -> bytes:
    """The same network in float32, from and to float32."""
    graph = read_tflite(model, "model.tflite")
    new: dict[int, Tensor] = {}

    def of(tensor: Tensor | None, op: Op) -> Tensor | None:
        if tensor is None:
            return None
        if id(tensor) not in new:
            new[id(tensor)] = real_data(tensor, op)
        return new[id(tensor)]

    ops = []
    for op in graph.ops:
        inputs = [of(tensor, op) for tensor in op.inputs]
        if op.kind in EDGES:
            assert inputs[0] is not None
            new[id(op.outputs[0])] = inputs[0]
            continue
        outputs = [made for made in (of(tensor, op) for tensor in op.outputs) if made is not None]
        ops.append(replace(op, inputs=inputs, outputs=outputs))
    ends = [[new[id(t)] for t in tensors] for tensors in (graph.inputs, graph.outputs)]
    return build_tflite(Graph(graph.name, ops, *ends))
