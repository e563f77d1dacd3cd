# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SignalWindow: samples times a window. Source: TensorFlow Lite Micro's signal/src/window.cc."""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, data_of, operand
from ranvier.compiler.ops.signal import Operand, options, same_elements, signal_reasons

KIND = "CUSTOM:SignalWindow"
_SAMPLES_MAX = 0xFFFFFF


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    inputs = (Operand("input", DType.INT16), Operand("window", DType.INT16, constant=True))
    reasons = signal_reasons(op, inputs, (Operand("output", DType.INT16),), {"shift": (0, 31)})
    reasons = reasons or same_elements(op)
    if reasons:
        return reasons
    x, window = operand(op, 0), operand(op, 1)
    if len(window.shape) != 1 or window.elements > _SAMPLES_MAX or x.elements % window.elements:
        return [f"a window of shape {list(window.shape)} does not fit input {list(x.shape)}"]
    return []


def lower(op: Op) -> Lowered:
    """The op with its window as the stream."""
    x, window = operand(op, 0), operand(op, 1)
    return Lowered(
        "WINDOW_S16",
        (x.elements // window.elements, window.elements, options(op)["shift"]),
        (x,),
        (op.outputs[0],),
        weights=np.asarray(data_of(window), "<i2").tobytes(),
        inplace=(0,),
    )


OPS = (OpSpec(KIND, 1, check, lower),)
DEVICE_OPS = (DeviceOp("WINDOW_S16", ("rows", "samples", "shift")),)
