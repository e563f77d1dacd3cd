# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite's fixed-point arithmetic, from gemmlowp's definition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from proofs.model import Layer, Model
    from proofs.package import Op

BYTES = np.arange(-128, 128)


def quantised(real: float) -> tuple[int, int]:
    """Multiplier in Q31 and shift to the left of a positive real number."""
    if real == 0.0:
        return 0, 0
    fraction, exponent = math.frexp(real)
    multiplier = math.floor(fraction * (1 << 31) + 0.5)
    if multiplier == 1 << 31:
        multiplier, exponent = multiplier // 2, exponent + 1
    return (0, 0) if exponent < -31 else (multiplier, exponent)


def requantised(sums: np.ndarray, multiplier: int, shift: int) -> np.ndarray:
    """SaturatingRoundingDoublingHighMul and RoundingDivideByPOT, for sums that do not wrap."""
    product = (sums << max(shift, 0)) * multiplier
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    high = np.where(nudged >= 0, nudged >> 31, -((-nudged) >> 31))
    right = max(-shift, 0)
    remainder = high & ((1 << right) - 1)
    result: np.ndarray = (high >> right) + (remainder > (((1 << right) - 1) >> 1) + (high < 0))
    return result


def wrapped(values: np.ndarray) -> np.ndarray:
    """The int32 that a register holds."""
    result: np.ndarray = ((values + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
    return result


def near_thresholds(layer: Layer, channel: int) -> np.ndarray:
    """Sums within 3 of where the output of a channel rises, by the real multiplier."""
    real = layer.real[channel]
    if real == 0.0:
        return np.zeros(0, np.int64)
    steps = np.arange(-127, 128) - layer.out_zero - 0.5
    at = np.clip(np.round(steps / real), -(2.0**40), 2.0**40).astype(np.int64)
    return (at[:, None] + np.arange(-3, 4)).reshape(-1)


def add_pairs(op: Op, model: Model, layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """What a device and TensorFlow Lite give for every pair of inputs of an ADD."""
    multiplier, offset, shift = op.params[5:8]
    if len(op.words) == 2:
        parts = [(int(factor) * BYTES) >> 8 for factor in op.words]
        t = wrapped(parts[0][:, None] + parts[1] + offset)
    else:
        parts = [table[BYTES & 255] for table in op.words.reshape(2, 256)]
        t = wrapped((wrapped(parts[0][:, None] + parts[1]) * multiplier >> 32) + offset)
    device = np.clip(t >> shift, -128, 127)
    scales = [model.scale(tensor) for tensor in (*layer.inputs[:2], layer.output)]
    common = 2.0 * max(scales[:2])
    terms = [
        requantised((BYTES - model.zero(tensor)) << 20, *quantised(scale / common))
        for tensor, scale in zip(layer.inputs[:2], scales[:2], strict=True)
    ]
    out = quantised(common / ((1 << 20) * scales[2]))
    sums = requantised(terms[0][:, None] + terms[1], *out) + layer.out_zero
    return device, np.clip(sums, layer.act_min, layer.act_max)
