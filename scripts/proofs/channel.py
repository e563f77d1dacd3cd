# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Output channels of weight streams: their weights, and what a device computes with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proofs.reference import requantised, wrapped


def textbook(sums: np.ndarray, multiplier: int, f: int) -> np.ndarray:
    """The reference's formula; the bytes of f are shift, zero point and limits."""
    shift, zero, low, high = ((f >> 8 * i & 0xFF ^ 0x80) - 0x80 for i in range(4))
    result: np.ndarray = np.clip(requantised(sums, multiplier, shift) + zero, low, high)
    return result


@dataclass
class Channel:
    """A channel of the portable stream, and what the others have in common.

    ``weights`` are [filter_h][filter_w][in] in the model's orientation. An accumulator is ``scale``
    times the sum with the bias, and a remainder that follows from ``start``. ``tail`` are the
    words from which outputs are computed.
    """

    weights: np.ndarray
    start: int
    tail: tuple[int, ...]
    scale: int = 1

    def has(self, weights: np.ndarray, constant: bool) -> bool:
        """True where the stream has these weights; ``constant``: the channel has one output."""
        return np.array_equal(self.weights, weights)

    def remainder(self, weights: np.ndarray, base: int, zero: int) -> int:
        """What the accumulator has beyond ``scale`` times the sum with the bias ``base``."""
        folded = base - zero * int(weights.sum())
        return int(wrapped(np.array(self.start - self.scale * folded)))

    def outputs(self, sums: np.ndarray, remainder: int) -> np.ndarray:
        """The device's outputs for sums with the bias."""
        return textbook(sums + remainder, *self.tail)


@dataclass
class Scaled(Channel):
    """Two instructions an output: SMMLA and SSAT (kernels/dsp); or the textbook."""

    epilogue: tuple[str, int] = ("RELU", 12)

    def outputs(self, sums: np.ndarray, remainder: int) -> np.ndarray:
        """The device's outputs for sums with the bias."""
        acc = wrapped(self.scale * sums + remainder)
        if self.epilogue[0] == "TEXTBOOK":
            return textbook(acc >> 8, *self.tail)
        t = wrapped((acc * self.tail[0] >> 32) + self.tail[1])
        if self.epilogue[0] == "LINEAR":
            t = wrapped(t + np.where(acc < 0, self.tail[2], 0))
        result: np.ndarray = np.clip(t >> self.epilogue[1], -128, 127)
        return result


@dataclass
class Depthwise(Scaled):
    """Weights are scaled by a power of two; there are none in a channel of one output."""

    def has(self, weights: np.ndarray, constant: bool) -> bool:
        """Also finds the scale."""
        if self.tail[0] == 0 and constant:
            return True
        scales = [1 << bits for bits in range(9)]
        self.scale = next((s for s in scales if np.array_equal(self.weights, weights * s)), 0)
        return self.scale != 0

    def remainder(self, weights: np.ndarray, base: int, zero: int) -> int:
        """Of no meaning where the sum is not looked at."""
        return 0 if self.tail[0] == 0 else super().remainder(weights, base, zero)


@dataclass
class Winograd(Scaled):
    """``weights`` are [j][i][in], positions along and down the row, 16 times the transform."""

    transposed: bool = False

    def has(self, weights: np.ndarray, constant: bool) -> bool:
        """Compares the transform of the weights: F(2x2, 3x3)."""
        g = weights.swapaxes(0, 1) if self.transposed else weights
        for _ in range(2):  # down the image, then along the row
            u = np.stack([2 * g[0], g[0] + g[1] + g[2], g[0] - g[1] + g[2], -2 * g[2]])
            g = u.swapaxes(0, 1)
        return np.array_equal(self.weights, 16 * g.swapaxes(0, 1))


_HALF = 1 << 23


@dataclass
class Base(Channel):
    """Sums of 24 bits that start at 2^23, and products of 64 bits (kernels/base).

    ``start`` is that of a pair, c0 + c1 * 2^24, and ``partner`` the first channel of the pair where
    this one is the second. ``begin`` is this channel's c, once ``remainder`` has compared it.
    """

    epilogue: str = "RELU"
    partner: Base | None = None
    begin: int = 0

    @property
    def idle(self) -> bool:
        """True for a channel of one output: it has no weights, as its sum need not fit."""
        return self.tail[0] == 0 and not self.weights.any()

    def has(self, weights: np.ndarray, constant: bool) -> bool:
        """True where the stream has these weights, or needs none."""
        return (self.idle and constant) or np.array_equal(self.weights, weights)

    def remainder(self, weights: np.ndarray, base: int, zero: int) -> int:
        """What is to be 0: there are no bits below those of the sum."""
        self.begin = _HALF + (0 if self.idle else base - zero * int(weights.sum()))
        rest = self.start - (self.begin if self.partner is None else self.partner.begin)
        if self.partner is None or rest % (1 << 24):
            return rest % (1 << 24)
        return (rest >> 24) - self.begin

    def outputs(self, sums: np.ndarray, remainder: int) -> np.ndarray:
        """The device's outputs for sums with the bias."""
        sums = np.zeros_like(sums) if self.idle else sums + remainder
        if sums.min() < -_HALF or sums.max() >= _HALF:
            return np.full_like(sums, 999)  # it would disturb its partner
        u = sums + _HALF
        if self.epilogue == "TEXTBOOK":
            return textbook(sums, *self.tail)
        constants = [
            (low & 0xFFFFFFFF) | high << 32
            for low, high in zip(self.tail[1::2], self.tail[2::2], strict=True)
        ]
        which = u >> 23 if self.epilogue == "LINEAR" else np.zeros_like(u)
        totals = [
            (value * self.tail[0] + constants[side] + (1 << 63)) % (1 << 64) - (1 << 63)
            for value, side in zip(u.tolist(), which.tolist(), strict=True)
        ]
        result: np.ndarray = np.clip(np.array([total >> 36 for total in totals]), -128, 127)
        return result
