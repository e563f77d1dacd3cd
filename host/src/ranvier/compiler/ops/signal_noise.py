# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SignalFilterBankSpectralSubtraction and SignalPCAN: noise reduction and automatic gain.

Source: TensorFlow Lite Micro's signal/src. The noise estimate that the first one keeps is a state
tensor here: ``passes/signal_state.py`` has made it input 1 and output 0.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, data_of, operand
from ranvier.compiler.ops.signal import (
    UINT32_MAX,
    Operand,
    options,
    same_elements,
    signal_reasons,
    words,
)

SUBTRACTION = "CUSTOM:SignalFilterBankSpectralSubtraction"
PCAN = "CUSTOM:SignalPCAN"
COEFFICIENTS = 125
_WORDS = {
    "smoothing": (-(2**31), UINT32_MAX),
    "one_minus_smoothing": (-(2**31), UINT32_MAX),
    "alternate_smoothing": (-(2**31), UINT32_MAX),
    "alternate_one_minus_smoothing": (-(2**31), UINT32_MAX),
    "min_signal_remaining": (-(2**31), UINT32_MAX),
    "smoothing_bits": (0, 31),
    "spectral_subtraction_bits": (0, 31),
    "clamping": (0, 1),
}
"""Options in the order of the device's parameters."""


def check_subtraction(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    inputs = (Operand("input", DType.UINT32), Operand("noise estimate", DType.UINT32))
    outputs = (Operand("noise estimate", DType.UINT32), Operand("output", DType.UINT32))
    limits = {**_WORDS, "num_channels": (1, 2**31 - 1)}
    reasons = signal_reasons(op, inputs, outputs, limits) or same_elements(op)
    if not reasons and options(op)["num_channels"] != op.outputs[0].elements:
        reasons.append("option num_channels is not the number of channels")
    return reasons


def lower_subtraction(op: Op) -> Lowered:
    """The op with its options as parameters."""
    found = options(op)
    params = (op.outputs[0].elements, *(words(found[name]) for name in _WORDS))
    inputs = (operand(op, 0), operand(op, 1))
    return Lowered("SPECTRAL_SUBTRACTION", params, inputs, tuple(op.outputs), inplace=(1,))


def check_pcan(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    inputs = (
        Operand("input", DType.UINT32),
        Operand("noise estimate", DType.UINT32),
        Operand("gain table", DType.INT16, constant=True, elements=COEFFICIENTS),
    )
    outputs = (Operand("output", DType.UINT32),)
    return signal_reasons(op, inputs, outputs, {"snr_shift": (0, 63)}) or same_elements(op)


def lower_pcan(op: Op) -> Lowered:
    """The op with its gain table as the stream."""
    x, noise, table = (operand(op, i) for i in range(3))
    return Lowered(
        "PCAN",
        (x.elements, options(op)["snr_shift"]),
        (x, noise),
        (op.outputs[0],),
        weights=np.asarray(data_of(table), "<i2").tobytes(),
        inplace=(0, 1),
    )


OPS = (
    OpSpec(SUBTRACTION, 1, check_subtraction, lower_subtraction),
    OpSpec(PCAN, 1, check_pcan, lower_pcan),
)
DEVICE_OPS = (
    DeviceOp(
        "SPECTRAL_SUBTRACTION",
        (
            "channels",
            "smoothing",
            "one_minus_smoothing",
            "alternate_smoothing",
            "alternate_one_minus_smoothing",
            "min_signal_remaining",
            "smoothing_bits",
            "bits",
            "clamping",
        ),
    ),
    DeviceOp("PCAN", ("channels", "snr_shift")),
)
