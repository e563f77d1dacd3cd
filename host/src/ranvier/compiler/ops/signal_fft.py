# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SignalFftAutoScale, SignalRfft and SignalEnergy: from samples to energies of bins.

Source: TensorFlow Lite Micro's signal/src. The energies that the reference leaves unwritten, those
outside of ``start_index .. end_index - 1``, are 0 here.
"""

from __future__ import annotations

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.signal import Operand, options, signal_reasons

AUTO_SCALE = "CUSTOM:SignalFftAutoScale"
RFFT = "CUSTOM:SignalRfft"
ENERGY = "CUSTOM:SignalEnergy"

FFT_MIN, FFT_MAX = 32, 2048
"""Points that the device's FFT can have."""

_INT16_TYPE = 7  # TensorFlow Lite's number of int16, the option T
_BINS_MAX = 0xFFFFFF


def check_auto_scale(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    outputs = (Operand("output", DType.INT16), Operand("shift", DType.INT32, elements=1))
    reasons = signal_reasons(op, (Operand("input", DType.INT16),), outputs, {})
    if not reasons and operand(op, 0).elements != op.outputs[0].elements:
        reasons.append("input and output have different numbers of elements")
    return reasons


def lower_auto_scale(op: Op) -> Lowered:
    """The op as it is."""
    x = operand(op, 0)
    return Lowered("FFT_AUTO_SCALE", (x.elements,), (x,), tuple(op.outputs), inplace=(0,))


def check_rfft(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    limits = {"T": (_INT16_TYPE, _INT16_TYPE), "fft_length": (FFT_MIN, FFT_MAX)}
    inputs, outputs = (Operand("input", DType.INT16),), (Operand("output", DType.INT16),)
    reasons = signal_reasons(op, inputs, outputs, limits)
    if reasons:
        return reasons
    points, x, y = options(op)["fft_length"], operand(op, 0), op.outputs[0]
    if points & (points - 1):
        reasons.append(f"an FFT of {points} points, needs a power of two")
    if x.elements != (x.shape or (1,))[-1] or x.elements > points:
        reasons.append(f"input {list(x.shape)} is not one row of at most {points} samples")
    if y.elements != points + 2:
        reasons.append(f"output {list(y.shape)} does not hold {points // 2 + 1} complex numbers")
    return reasons


def lower_rfft(op: Op) -> Lowered:
    """The op with scratch for zeros after the samples."""
    points, x = options(op)["fft_length"], operand(op, 0)
    return Lowered(
        "RFFT_S16",
        (x.elements, points),
        (x,),
        (op.outputs[0],),
        scratch_bytes=2 * points if x.elements < points else 0,
    )


def check_energy(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    limits = {"start_index": (0, _BINS_MAX), "end_index": (0, _BINS_MAX)}
    inputs, outputs = (Operand("input", DType.INT16),), (Operand("output", DType.UINT32),)
    reasons = signal_reasons(op, inputs, outputs, limits)
    if reasons:
        return reasons
    start, end = options(op)["start_index"], options(op)["end_index"]
    x, y = operand(op, 0), op.outputs[0]
    if x.elements != 2 * y.elements:
        reasons.append(f"output {list(y.shape)} is not half of input {list(x.shape)}")
    if not start <= end <= y.elements:
        reasons.append(f"indices {start} to {end} of {y.elements} bins")
    return reasons


def lower_energy(op: Op) -> Lowered:
    """The op as it is."""
    x, y = operand(op, 0), op.outputs[0]
    params = (y.elements, options(op)["start_index"], options(op)["end_index"])
    return Lowered("ENERGY", params, (x,), (y,), inplace=(0,))


OPS = (
    OpSpec(AUTO_SCALE, 1, check_auto_scale, lower_auto_scale),
    OpSpec(RFFT, 1, check_rfft, lower_rfft),
    OpSpec(ENERGY, 1, check_energy, lower_energy),
)
DEVICE_OPS = (
    DeviceOp("FFT_AUTO_SCALE", ("samples",)),
    DeviceOp("RFFT_S16", ("samples", "points")),
    DeviceOp("ENERGY", ("bins", "start", "end")),
)
