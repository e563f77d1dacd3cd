# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SignalFilterBankLog. Source: TensorFlow Lite Micro's signal/src/log.cc."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.signal import (
    UINT32_MAX,
    Operand,
    options,
    same_elements,
    signal_reasons,
    words,
)

KIND = "CUSTOM:SignalFilterBankLog"
_SEGMENTS = 128
_ONE = 1 << 16


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    limits = {"input_correction_bits": (0, 31), "output_scale": (-(2**31), UINT32_MAX)}
    inputs, outputs = (Operand("input", DType.UINT32),), (Operand("output", DType.INT16),)
    return signal_reasons(op, inputs, outputs, limits) or same_elements(op)


def lower(op: Op) -> Lowered:
    """The op with the table of its logarithm as the stream."""
    x, found = operand(op, 0), options(op)
    return Lowered(
        "FILTER_BANK_LOG",
        (x.elements, found["input_correction_bits"], words(found["output_scale"])),
        (x,),
        (op.outputs[0],),
        weights=log_table().tobytes(),
        inplace=(0,),
    )


def log_table() -> np.ndarray[tuple[int], np.dtype[np.uint16]]:
    """What log2(1 + x) has above x, for x = 0, 1/128, .. 1, in units of 2**-16, rounded."""
    x = np.arange(_SEGMENTS + 1) / _SEGMENTS
    table: np.ndarray[tuple[int], np.dtype[np.uint16]] = np.rint(
        _ONE * (np.log2(1 + x) - x)
    ).astype("<u2")
    return table


OPS = (OpSpec(KIND, 1, check, lower),)
DEVICE_OPS = (DeviceOp("FILTER_BANK_LOG", ("channels", "correction_bits", "scale")),)
