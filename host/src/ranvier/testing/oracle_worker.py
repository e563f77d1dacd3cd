# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The process in which a reference interpreter runs; started and fed by ``ranvier.testing.oracle``.

Reads pickled requests ``(model, inputs, tensors)`` from standard input: run ``model`` once on
``inputs`` from its initial state. Writes pickled answers ``(ok, value)``: the list of the model's
outputs, or with ``tensors`` what every op wrote, by tensor index; or the message of an exception.
A model keeps its interpreter until another one comes.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
Run: TypeAlias = Callable[[Sequence[Array], bool], Any]

# TensorFlow Lite Micro's arena; only the pages that it touches are ever backed by memory.
_ARENA_BYTES = 1 << 28


def _tflite_micro(model: bytes) -> Run:
    """TensorFlow Lite Micro with all tensors kept apart, so that each can be read afterwards."""
    runtime = importlib.import_module("tflite_micro.python.tflite_micro.runtime")
    interpreter = runtime.Interpreter.from_bytes(
        model,
        arena_size=_ARENA_BYTES,
        intrepreter_config=runtime.InterpreterConfig.kPreserveAllTensors,
    )
    subgraph = runtime.schema_fb.Model.GetRootAs(model).Subgraphs(0)
    n_inputs, n_outputs = subgraph.InputsLength(), subgraph.OutputsLength()
    ops = [subgraph.Operators(i) for i in range(subgraph.OperatorsLength())]
    written = [int(op.Outputs(i)) for op in ops for i in range(op.OutputsLength())]

    def run(inputs: Sequence[Array], tensors: bool) -> Any:
        _check_count(inputs, n_inputs)
        interpreter.reset()
        for i, value in enumerate(inputs):
            interpreter.set_input(value, i)
        interpreter.invoke()
        if tensors:
            return {i: np.asarray(interpreter.GetTensor(i, 0)["tensor_data"]) for i in written}
        return [np.asarray(interpreter.get_output(i)) for i in range(n_outputs)]

    return run


def _litert(model: bytes) -> Run:
    """LiteRT with its reference kernels."""
    litert = importlib.import_module("ai_edge_litert.interpreter")
    interpreter = litert.Interpreter(
        model_content=model,
        num_threads=1,
        experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    inputs_at = [detail["index"] for detail in interpreter.get_input_details()]
    outputs_at = [detail["index"] for detail in interpreter.get_output_details()]
    written = [int(i) for op in interpreter._get_ops_details() for i in op["outputs"]]

    def run(inputs: Sequence[Array], tensors: bool) -> Any:
        _check_count(inputs, len(inputs_at))
        interpreter.reset_all_variables()
        for index, value in zip(inputs_at, inputs, strict=True):
            interpreter.set_tensor(index, value)
        interpreter.invoke()
        if tensors:
            return {i: interpreter.get_tensor(i) for i in written}
        return [interpreter.get_tensor(i) for i in outputs_at]

    return run


def _check_count(inputs: Sequence[Array], expected: int) -> None:
    if len(inputs) != expected:
        raise ValueError(f"{len(inputs)} inputs given, the model has {expected}")


ENGINES: dict[str, Callable[[bytes], Run]] = {"tflite-micro": _tflite_micro, "litert": _litert}
"""Engine name -> function that loads a model and returns how to run it."""


def main(engine: str) -> None:
    """Answer requests until standard input closes."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the interpreter prints must not end up among the answers
    load = ENGINES[engine]
    loaded: tuple[bytes, Run] | None = None
    while True:
        try:
            model, inputs, tensors = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        answer: tuple[bool, Any]
        try:
            if loaded is None or loaded[0] != model:
                loaded = None
                loaded = (model, load(model))
            answer = (True, loaded[1](inputs, tensors))
        except Exception as error:  # the parent judges every failure of the interpreter
            answer = (False, f"{type(error).__name__}: {error}")
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[-1])
