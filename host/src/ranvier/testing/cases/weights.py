# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Filter, bias and scales of an op that accumulates products: convolutions, fully connected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.testing.cases.draw import Array, Draw, as_float32

# The reference shifts the accumulator left by the multiplier's exponent in int32.
_ACCUMULATOR_LIMIT = 1 << 30
_LARGEST_PRODUCT = 255 * 128


@dataclass(frozen=True)
class Weights:
    """The constant operands, and one word on how they were drawn."""

    filter: Tensor
    bias: Tensor | None
    summary: str


def draw_weights(
    draw: Draw,
    shape: Sequence[int],
    axis: int,
    input_quant: Quant,
    output_quant: Quant,
    per_channel: bool,
) -> Weights:
    """Weights whose outputs span the range, or whose multipliers are tiny, or exceed 1.

    ``axis`` is the filter's dimension of output channels. Bias and multiplier are such that the
    accumulator, and what the reference makes of it, fit int32. A tied bias alone (all inputs at
    their zero point) lies halfway between two outputs.
    """
    channels = shape[axis]
    depth = int(np.prod(shape)) // channels
    typical = 74.0 * 74.0 * np.sqrt(depth)  # standard deviation of sums of uniform products
    bias_style = draw.pick(("none", "usual", "tied", "large"))
    bounds = _bias_bounds(draw, channels, bias_style, typical)
    gain, multiplier = _multiplier(draw, typical)
    spread = draw.pick((0.0, 1.0, 6.0))
    multipliers = multiplier * np.exp2(draw.rng.uniform(-spread, spread / 2, channels))
    if per_channel and bias_style == "large":  # else every output of such a channel saturates
        multipliers = np.minimum(multipliers, draw.rng.uniform(50, 200, channels) / bounds)
    limits = 0.5 * _ACCUMULATOR_LIMIT / (depth * _LARGEST_PRODUCT + bounds)
    multipliers = np.minimum(multipliers, limits if per_channel else limits.min())
    count = channels if per_channel else 1
    scales = tuple(
        as_float32(m * output_quant.scale / input_quant.scale) for m in multipliers[:count].tolist()
    )
    filter_quant = Quant(scales, (0,) * count, axis)
    weights = Tensor("filter", DType.INT8, tuple(shape), filter_quant, draw.values(shape))
    data = bounds * draw.rng.uniform(-1, 1, channels)
    if bias_style == "tied":
        data = (draw.rng.integers(-127, 127, channels) + 0.5) / multipliers[: len(scales)]
        data = np.clip(data, -bounds, bounds)
    bias = None if bias_style == "none" else _bias(data, input_quant, scales)
    kind = "per-channel" if per_channel else "per-tensor"
    return Weights(weights, bias, f"{kind} weights, {gain} multiplier, bias {bias_style}")


def _multiplier(draw: Draw, typical: float) -> tuple[str, float]:
    """A requantisation multiplier: mostly one that spreads typical sums over the output range.

    A tiny one may be too small for the reference, which makes it 0.
    """
    style = draw.pick(("usual",) * 6 + ("tiny", "large"))
    if style == "tiny":
        return style, draw.log_uniform(2.0**-36, 2.0**-12)
    if style == "large":
        return style, draw.log_uniform(0.5, 16.0)
    return style, draw.log_uniform(20.0, 200.0) / typical


def _bias_bounds(draw: Draw, channels: int, style: str, typical: float) -> Array:
    """The largest magnitude of each channel's bias."""
    bounds = np.full(channels, typical * {"none": 0, "usual": 2, "tied": 8, "large": 2}[style])
    if style == "large":
        large = np.exp(draw.rng.uniform(np.log(1e6), np.log(5e8), channels))
        bounds = np.where(draw.rng.random(channels) < 0.4, np.maximum(large, bounds), bounds)
    rounded: Array = np.rint(bounds)
    return rounded


def _bias(values: Array, input_quant: Quant, filter_scales: Sequence[float]) -> Tensor:
    data = np.rint(values).astype(DType.INT32.numpy)
    scales = tuple(as_float32(input_quant.scale * s) for s in filter_scales)
    return Tensor("bias", DType.INT32, data.shape, Quant(scales, (0,) * len(scales)), data)
