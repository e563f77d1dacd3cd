# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Models of one op of TensorFlow Lite Micro's audio front end, and its interpreter with state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers
from numpy.typing import NDArray

from tflite_models import KIND, TYPE, ModelDef, OpDef, TensorDef

Array = NDArray[Any]
Shape = tuple[str, tuple[int, ...]]
"""Type and shape of a tensor that is no constant."""

_TYPES = {
    "int8": TYPE.INT8,
    "int16": TYPE.INT16,
    "int32": TYPE.INT32,
    "uint32": TYPE.UINT32,
    "uint64": TYPE.UINT64,
}


def flexbuffer(options: Mapping[str, Any]) -> bytes:
    """The map as the package ``flatbuffers`` writes it."""
    builder = flexbuffers.Builder()
    with builder.Map():
        for key, value in options.items():
            builder.Key(key)
            builder.Add(value)
    return bytes(builder.Finish())


def signal_model(
    name: str,
    inputs: Sequence[Shape | Array],
    outputs: Sequence[Shape],
    options: Mapping[str, Any] | None = None,
) -> bytes:
    """A model of the custom op ``name``; arrays among its inputs are constants."""
    tensors: list[TensorDef] = []
    for operand in (*inputs, *outputs):
        if isinstance(operand, np.ndarray):
            number, shape, data = _TYPES[operand.dtype.name], operand.shape, operand.tobytes()
            tensors.append(TensorDef(shape, number, data, f"t{len(tensors)}"))
        else:
            tensors.append(TensorDef(operand[1], _TYPES[operand[0]], None, f"t{len(tensors)}"))
    count = len(inputs)
    numbers = range(count, count + len(outputs))
    blob = flexbuffer(options) if options is not None else b""
    op = OpDef(KIND.CUSTOM, range(count), numbers, custom=name, custom_options=blob)
    given = [i for i, operand in enumerate(inputs) if not isinstance(operand, np.ndarray)]
    return ModelDef(tensors, [op], given, numbers).write()


class Reference:
    """tflite-micro on one model, which keeps its state from run to run until ``reset()``."""

    def __init__(self, model: bytes) -> None:
        runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
        self._interpreter = runtime.Interpreter.from_bytes(model, arena_size=400_000)
        schema = runtime.schema_fb.Model.GetRootAs(model)
        self._outputs = schema.Subgraphs(0).OutputsLength()

    def reset(self) -> None:
        self._interpreter.reset()

    def __call__(self, *inputs: Array) -> list[Array]:
        for i, value in enumerate(inputs):
            self._interpreter.set_input(value, i)
        self._interpreter.invoke()
        return [np.array(self._interpreter.get_output(i)) for i in range(self._outputs)]


def samples() -> dict[str, bytes]:
    """A small model of each op, to start a fuzzer from."""
    int16: Shape = ("int16", (8,))
    uint32: Shape = ("uint32", (8,))
    ones = np.ones(8, np.int16)
    starts = np.array([0, 2, 5], np.int16)
    bank = [np.arange(9, dtype=np.int16), ones[:1].repeat(9), starts, starts, starts[[1, 1, 1]]]
    noise = ["smoothing", "one_minus_smoothing", "alternate_smoothing"]
    noise += ["alternate_one_minus_smoothing", "min_signal_remaining", "smoothing_bits"]
    subtraction = dict.fromkeys(noise, 7) | {"clamping": True, "num_channels": 8}
    models: dict[str, tuple[list[Shape | Array], list[Shape], dict[str, Any] | None]] = {
        "Window": ([int16, ones], [int16], {"shift": 3}),
        "FftAutoScale": ([int16], [int16, ("int32", ())], {}),
        "Rfft": ([int16], [("int16", (34,))], {"T": 7, "fft_length": 32}),
        "Energy": ([("int16", (16,))], [uint32], {"start_index": 1, "end_index": 6}),
        "FilterBank": ([uint32, *bank], [("uint64", (2,))], {"num_channels": 2}),
        "FilterBankSquareRoot": ([("uint64", (8,)), ("int32", ())], [uint32], None),
        "FilterBankSpectralSubtraction": (
            [uint32],
            [uint32, uint32],
            subtraction | {"spectral_subtraction_bits": 4},
        ),
        "PCAN": ([uint32, uint32, ones[:1].repeat(125)], [uint32], {"snr_shift": 6}),
        "FilterBankLog": (
            [uint32],
            [int16],
            {"input_correction_bits": 3, "output_scale": 64},
        ),
    }
    return {
        name: signal_model(f"Signal{name}", inputs, outputs, options)
        for name, (inputs, outputs, options) in models.items()
    }
