# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages of one op that only stages make, and of stages around a network that changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.check import reasons_against
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.emit import Header, emit
from ranvier.compiler.graph import DType, Graph, Op, Quant, Tensor
from ranvier.compiler.lower import lower_graph
from ranvier.compiler.memory import plan_memory
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.model import Model
from ranvier.package.records import IoMode, PackageContent
from ranvier.package.writer import write_package
from ranvier.testing.cases.draw import constant, single_op
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

Array = NDArray[Any]
UNIT = Quant((1.0,), (0,))


def program(
    kind: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    mode: IoMode = IoMode.KEPT,
    **attrs: Any,
) -> Model:
    """A package of one op, ready to run."""
    op = Op(kind, [*inputs], [*outputs], attrs)
    assert reasons_against(op) == []
    fed = [t for t in inputs if not t.lasts]
    graph = Graph("one", [op], fed, [t for t in outputs if not t.state])
    header = Header(name="one", io_mode=mode)
    return Model(write_package(emit(plan_memory(lower_graph(graph), mode), header)))


def a_list(name: str, capacity: int) -> list[Tensor]:
    """The two tensors of a list of results."""
    return [
        Tensor(f"{name}:count", DType.INT32, (1,)),
        Tensor(f"{name}:entries", DType.INT16, (capacity, 6)),
    ]


def network(*tensors: Tensor) -> bytes:
    """A model whose outputs are its inputs."""
    ops = []
    outputs = []
    for tensor in tensors:
        result = Tensor(f"{tensor.name}:out", tensor.dtype, tensor.shape, tensor.quant)
        attrs = {"new_shape": list(tensor.shape)}
        ops.append(Op("RESHAPE", [tensor], [result], attrs, 1, len(ops)))
        outputs.append(result)
    return build_tflite(Graph("network", ops, list(tensors), outputs))


def staged(
    model: bytes, pre: Sequence[str] = (), post: Sequence[str] = (), **options: Any
) -> Model:
    """The model with stages before and after it."""
    chosen = CompileOptions(pipeline=pipeline_of(pre, post), **options)
    return Model(compile_model(model, "network.tflite", chosen).package)


def samples() -> dict[str, PackageContent]:
    """A package of every op for pictures and results, for the fuzzer."""
    pixel = Quant((float(np.float32(1 / 255)),), (-128,))
    scores, boxes = (Tensor(n, DType.INT8, (1, 3, 2, 4), Quant((0.05,), (0,))) for n in "ab")
    classes = Tensor("classes", DType.INT8, (1, 6), pixel)
    listed = [
        "detect:boxes=1,scores=0,size=[24,32],candidates=6,threshold=0.3",
        "nms:capacity=4,iou=0.3",
    ]
    staged_in = {
        format_: (
            [f"image:format={format_},size=[6,8],crop=[1,1,5,6]", f"normalize:mean={mean}"],
            [],
        )
        for format_, mean in (("rgb565", 0.0), ("yuyv", "[0.1,0.2,0.3]"), ("grey", 0.5))
    }
    cases = {
        **{n: (Tensor("x", DType.INT8, (1, 4, 5, 3), pixel), *s) for n, s in staged_in.items()},
        "detect": ((scores, boxes), [], listed),
        "smooth": (classes, [], ["softmax", "smooth:window=2,threshold=0.2,minimum=1"]),
        "top_k": (classes, [], ["softmax", "top_k:k=3"]),
        "argmax": (classes, [], ["argmax"]),
    }
    return {
        f"vision-{name}": compile_model(
            network(*(tensors if isinstance(tensors, tuple) else (tensors,))),
            "n.tflite",
            CompileOptions(pipeline=pipeline_of(pre, post), strip_names=True),
        ).content
        for name, (tensors, pre, post) in cases.items()
    }


def resized(picture: Array, size: tuple[int, int], kind: str, **attrs: bool) -> Array:
    """TensorFlow Lite Micro's RESIZE of a uint8 picture, through int8."""
    x = Tensor("x", DType.INT8, (1, *picture.shape), UNIT)
    y = Tensor("y", DType.INT8, (1, *size, picture.shape[2]), UNIT)
    graph = single_op(kind, [x, constant("size", list(size))], y, attrs, version=3)
    signed = (picture.astype(np.int16) - 128).astype(np.int8)[None]
    (result,) = TfliteMicroOracle(build_tflite(graph)).run([signed])
    return (result.astype(np.int16) + 128).astype(np.uint8)
