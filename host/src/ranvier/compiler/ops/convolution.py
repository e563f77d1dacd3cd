# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED share: weights, biases, multipliers.

Operands are input, constant int8 weights and an optional constant int32 bias. The device reads
``[int32 bias x out_c][int32 multiplier x n][int8 shift x n, zero-padded to 4][int8 weights]`` with
n = out_c or 1 (kernels/s8/requant.h).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import DType, Op, Tensor
from ranvier.compiler.ops.activation import activation_range, activation_reasons
from ranvier.compiler.ops.base import (
    data_of,
    multiplier_reasons,
    operand,
    operand_reasons,
    quant_of,
    tensor_reasons,
)

CHANNEL_AXIS = {"CONV_2D": 0, "DEPTHWISE_CONV_2D": 3, "FULLY_CONNECTED": 0}
"""Dimension of the weights that is the output channel; also the kinds that this module serves."""

REQUANT_PARAMS = ("out_c", "channels_q", "out_zp", "act_min", "act_max")
"""Trailing parameter words of the device ops."""

_CHANNELS_MAX = 0xFFFFFF


def is_quantised(op: Op) -> bool:
    """True for a checked op of these kinds in int8."""
    return op.kind in CHANNEL_AXIS and operand(op, 0).dtype is DType.INT8


def folded_bias(op: Op) -> NDArray[np.int32]:
    """Biases with the input's zero point folded in: ``bias - zero_point * sum of weights``.

    One per output channel, wrapped to 32 bits; for an op that :func:`is_quantised`. A kernel then
    multiplies inputs as they are, positions outside of the input as its zero point.
    """
    weights = weights_of(op).astype(np.int64)
    axis = CHANNEL_AXIS[op.kind]
    sums = weights.sum(axis=tuple(i for i in range(weights.ndim) if i != axis))
    bias = bias_of(op)
    values = np.zeros_like(sums) if bias is None else data_of(bias).reshape(-1).astype(np.int64)
    folded: NDArray[np.int64] = values - quant_of(operand(op, 0)).zero_point * sums
    return folded.astype(np.uint32).view(np.int32)


def weights_of(op: Op) -> NDArray[np.int8]:
    """The weights with their zero point subtracted (FULLY_CONNECTED alone may have one)."""
    weights = weights_tensor(op)
    return (data_of(weights).astype(np.int16) - _zero_point(weights)).astype(np.int8)


def weights_tensor(op: Op) -> Tensor:
    """The weights of an op that has passed its check."""
    return operand(op, 1)


def bias_of(op: Op) -> Tensor | None:
    """The bias of an op that has passed its check; None where it has none."""
    return op.inputs[2] if len(op.inputs) > 2 else None


def out_channels(op: Op) -> int:
    """Number of output channels by the weights."""
    return weights_tensor(op).shape[CHANNEL_AXIS[op.kind]]


def operands_reasons(op: Op, rank: int) -> list[str]:
    """Why the operands are not input, weights of ``rank`` dimensions, optional bias and output."""
    reasons = operand_reasons(op, range(2, 4))
    if reasons:
        return reasons
    reasons += tensor_reasons(op.inputs[0], "input", (DType.INT8,))
    reasons += _weights_reasons(op, rank)
    reasons += tensor_reasons(op.outputs[0], "output", (DType.INT8,))
    return reasons or _bias_reasons(op) + activation_reasons(op)


def scale_reasons(op: Op) -> list[str]:
    """Why the scales of an op without ``operands_reasons`` cannot be applied."""
    return multiplier_reasons(_multipliers(op))


def requant_words(op: Op) -> tuple[int, ...]:
    """The words that ``REQUANT_PARAMS`` names."""
    return (
        out_channels(op),
        len(quantised_multipliers(op)),
        quant_of(op.outputs[0]).zero_point,
        *activation_range(op),
    )


def quantised_multipliers(op: Op) -> list[tuple[int, int]]:
    """Multipliers and shifts; a single one where all channels have the same."""
    pairs = [quantize_multiplier(real) for real in _multipliers(op)]
    return pairs[:1] if len(set(pairs)) == 1 else pairs


def stream(op: Op) -> bytes:
    """The weight stream; the attribute ``_bias`` holds what ``folded_bias`` gave."""
    multipliers, shifts = zip(*quantised_multipliers(op), strict=True)
    return b"".join(
        (
            np.asarray(op.attrs["_bias"], dtype="<i4").tobytes(),
            np.array(multipliers, dtype="<i4").tobytes(),
            np.array(shifts, dtype="<i1").tobytes() + bytes(-len(shifts) % 4),
            weights_of(op).tobytes(),
        )
    )


def macs_of(op: Op) -> int:
    """Multiply-accumulates of an op that has passed its check."""
    return op.outputs[0].elements * weights_tensor(op).elements // out_channels(op)


def trained_numbers(op: Op) -> int:
    """Weights and biases."""
    bias = bias_of(op)
    return weights_tensor(op).elements + (0 if bias is None else bias.elements)


def _zero_point(weights: Tensor) -> int:
    return 0 if weights.quant is None else weights.quant.zero_points[0]


def _weights_reasons(op: Op, rank: int) -> list[str]:
    weights = op.inputs[1]
    reasons = tensor_reasons(weights, "weights", [DType.INT8], quantised=False)
    if reasons or weights is None:
        return reasons
    name = f"weights {weights.name!r}"
    if not weights.is_const:
        reasons.append(f"{name} are not constant")
    if len(weights.shape) != rank:
        return [*reasons, f"{name} have the shape {weights.shape}, need {rank} dimensions"]
    channels = out_channels(op)
    if not 1 <= channels <= _CHANNELS_MAX:
        reasons.append(f"{name} have {channels} output channels, limit {_CHANNELS_MAX}")
    return reasons + _weights_quant_reasons(op, weights, name, channels)


def _weights_quant_reasons(op: Op, weights: Tensor, name: str, channels: int) -> list[str]:
    quant, axis = weights.quant, CHANNEL_AXIS[op.kind]
    if quant is None or not quant.scales or len(quant.zero_points) != len(quant.scales):
        return [f"{name} have no scales and zero points"]
    if not quant.per_tensor and (len(quant.scales) != channels or quant.axis != axis):
        return [
            f"{name} have {len(quant.scales)} scales along dimension {quant.axis}, "
            f"need 1, or {channels} along dimension {axis}"
        ]
    reasons = []
    if not all(math.isfinite(s) and s >= 0 for s in quant.scales):
        reasons.append(f"{name} have a negative or infinite scale")
    if any(quant.zero_points) and not _is_rewritable(op, weights):
        zero_point = next(z for z in quant.zero_points if z)
        reasons.append(f"{name} have the zero point {zero_point}, need 0 (symmetric weights)")
    return reasons


def _is_rewritable(op: Op, weights: Tensor) -> bool:
    """True where subtracting the zero point keeps every weight within int8."""
    if op.kind != "FULLY_CONNECTED" or weights.data is None or weights.quant is None:
        return False
    low, high = int(weights.data.min()), int(weights.data.max())
    zero_point = weights.quant.zero_points[0]
    return weights.quant.per_tensor and low - zero_point >= -128 and high - zero_point <= 127


def _bias_reasons(op: Op) -> list[str]:
    bias = bias_of(op)
    if bias is None:
        return []
    reasons = tensor_reasons(bias, "bias", [DType.INT32], quantised=False)
    if not bias.is_const:
        reasons.append(f"bias {bias.name!r} is not constant")
    if bias.elements != out_channels(op):
        reasons.append(f"bias {bias.name!r} has {bias.elements} values, not {out_channels(op)}")
    if not reasons and op.kind == "FULLY_CONNECTED":
        reasons += _bias_scale_reasons(op, bias)
    return reasons


def _bias_scale_reasons(op: Op, bias: Tensor) -> list[str]:
    """TensorFlow Lite Micro refuses a per-tensor FULLY_CONNECTED with another scale."""
    weights = weights_tensor(op)
    if weights.quant is None or not weights.quant.per_tensor:
        return []
    scale = bias.quant.scales[0] if bias.quant and bias.quant.scales else 0.0
    product = quant_of(operand(op, 0)).scale * weights.quant.scale
    if abs(product - scale) / quant_of(op.outputs[0]).scale <= 0.02:
        return []
    return [f"bias {bias.name!r} has the scale {scale}, input and weights have {product}"]


def _multipliers(op: Op) -> list[float]:
    """Real factors from a sum to the output, one per scale of the weights.

    In double, as TensorFlow Lite Micro forms them (FULLY_CONNECTED since October 2026).
    """
    quant = quant_of(weights_tensor(op))
    in_scale, out_scale = quant_of(operand(op, 0)).scale, quant_of(op.outputs[0]).scale
    return [in_scale * scale / out_scale for scale in quant.scales]
