# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The portable signal processing of the core against tflite-micro and integer arithmetic."""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ranvier.native.binding import ffi, library

Samples = NDArray[np.int16]

SIZES = (32, 64, 128, 256, 512, 1024, 2048)
VECTORS = Path(__file__).resolve().parents[1] / "contract" / "dsp" / "vectors.h"


def portable() -> Any:
    return library().rnv_dsp_portable()


def rfft(samples: Samples) -> Samples:
    points = len(samples)
    out: Samples = np.zeros(points + 2, np.int16)
    status = portable().rfft(
        ffi.NULL,
        ffi.cast("int16_t *", samples.ctypes.data),
        ffi.cast("struct rnv_dsp_complex *", out.ctypes.data),
        points,
    )
    assert status == 0
    return out


def signal_rfft_model(points: int) -> bytes:
    """A model of one SignalRfft, a custom op of TensorFlow Lite Micro's audio front end."""
    flatbuffers = pytest.importorskip("flatbuffers")
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers")
    schema = pytest.importorskip("tflite_micro.tensorflow.lite.micro.python.schema_py_generated")
    options = flexbuffers.Builder()
    with options.Map():
        options.Key("T")
        options.Int(schema.TensorType.INT16)
        options.Key("fft_length")
        options.Int(points)
    code = schema.OperatorCodeT()
    code.deprecatedBuiltinCode = code.builtinCode = schema.BuiltinOperator.CUSTOM
    code.customCode = "SignalRfft"
    code.version = 1
    operator = schema.OperatorT()
    operator.opcodeIndex = 0
    operator.inputs, operator.outputs = [0], [1]
    operator.customOptions = list(options.Finish())
    graph = schema.SubGraphT()
    graph.tensors = []
    for size in (points, points + 2):
        tensor = schema.TensorT()
        tensor.shape, tensor.type, tensor.buffer = [size], schema.TensorType.INT16, 0
        graph.tensors.append(tensor)
    graph.inputs, graph.outputs, graph.operators = [0], [1], [operator]
    model = schema.ModelT()
    model.version = 3
    model.operatorCodes, model.subgraphs, model.buffers = [code], [graph], [schema.BufferT()]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


class Reference:
    """tflite-micro's real FFT of one size."""

    def __init__(self, points: int) -> None:
        runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
        model = signal_rfft_model(points)
        self._interpreter = runtime.Interpreter.from_bytes(model, arena_size=100_000)

    def __call__(self, samples: Samples) -> Samples:
        self._interpreter.set_input(samples, 0)
        self._interpreter.invoke()
        out: Samples = self._interpreter.get_output(0)
        return out.copy()


def signals(points: int, seed: int) -> list[Samples]:
    """Noise of all amplitudes, extremes, square waves and sines."""
    rng = np.random.default_rng(seed)
    turns = 2 * np.pi * np.arange(points) / points
    found = [rng.integers(-limit, limit, points) for limit in (2, 50, 3000, 23000, 32768)]
    found += [rng.choice([-32768, 32767], points) for _ in range(3)]
    found += [np.full(points, value) for value in (-32768, 32767, 1, 0)]
    for _ in range(8):
        wave = np.cos(rng.uniform(0, points / 2) * turns + rng.uniform(0, 6))
        found += [23000 * np.sign(wave), 32767 * wave]
    return [signal.astype(np.int16) for signal in found]


@pytest.mark.parametrize("points", SIZES)
def test_rfft_is_bit_equal_to_the_reference(points: int) -> None:
    reference = Reference(points)
    for number, samples in enumerate(signals(points, points)):
        assert np.array_equal(rfft(samples), reference(samples)), f"{points} points, {number}"


@pytest.mark.parametrize("points", SIZES)
def test_rfft_is_the_transform(points: int) -> None:
    """Within 8 and a thousandth of the bin's magnitude, where no sample is beyond the safe one."""
    safe = library().RNV_DSP_FFT_SAFE
    judged = 0
    for samples in signals(points, points + 1):
        if np.abs(samples.astype(int)).max() <= safe:
            exact = np.fft.rfft(samples.astype(float)) / points
            out = rfft(samples).astype(float)
            limit = 8 + np.abs(exact) / 1000
            assert (np.abs(out[0::2] - exact.real) <= limit).all()
            assert (np.abs(out[1::2] - exact.imag) <= limit).all()
            judged += 1
    assert judged >= 10


def vector_samples(points: int, seed: int, shift: int) -> Samples:
    """What dsp_contract_samples() makes."""
    found = []
    for _ in range(points):
        seed ^= seed << 13 & 0xFFFFFFFF
        seed ^= seed >> 17
        seed ^= seed << 5 & 0xFFFFFFFF
        value = (seed >> 16) - ((seed >> 31) << 16)
        found.append(int(value / (1 << shift)))
    return np.array(found, np.int16)


def test_the_vectors_are_those_of_the_reference() -> None:
    rows = re.findall(r"\{(\d+), (\d+), (\d+), (0x[0-9a-f]{8})\}", VECTORS.read_text("utf-8"))
    assert sorted({int(row[0]) for row in rows}) == list(SIZES)
    for points, shift, seed, crc in rows:
        samples = vector_samples(int(points), int(seed), int(shift))
        spectrum = Reference(int(points))(samples)
        assert zlib.crc32(spectrum.astype("<i2").tobytes()) == int(crc, 16)


def matmul(a: Samples, b: Samples, shift: int) -> Samples:
    out: Samples = np.zeros((a.shape[0], b.shape[1]), np.int16)
    product: Any = ffi.new("struct rnv_dsp_matmul *")
    product.a, product.b, product.out = (
        ffi.cast("int16_t *", matrix.ctypes.data) for matrix in (a, b, out)
    )
    product.rows, product.depth = a.shape
    product.columns, product.shift = b.shape[1], shift
    assert portable().matmul(ffi.NULL, product) == 0
    return out


def test_matmul_is_exact() -> None:
    rng = np.random.default_rng(5)
    for case in range(200):
        rows, depth, columns = rng.integers(1, 20, 3)
        depth *= 150 if case % 10 == 0 else 1
        limit = 1 << int(rng.integers(1, 16))
        a = rng.integers(-limit, limit, (rows, depth)).astype(np.int16)
        b = rng.integers(-limit, limit, (depth, columns)).astype(np.int16)
        shift = int(rng.integers(0, 32))
        exact = a.astype(object) @ b.astype(object)
        rounded = [(int(x) * 2 + (1 << shift)) // (2 << shift) if shift else x for x in exact.flat]
        expected = np.clip(np.array(rounded, float), -32768, 32767).reshape(rows, columns)
        assert np.array_equal(matmul(a, b, shift), expected), case
