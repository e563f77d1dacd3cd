# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers of the audio front end: window, filter bank, gain, discrete cosine transform.

All but the last are those of TensorFlow Lite Micro's audio preprocessor, which computes filter bank
and gain in float32. Here float32 results of functions are rounded from float64, so that they are
the same on every machine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW_BITS = 12
WEIGHT_BITS = 12
_MEL_SCALE = np.float32(1127)
_MEL_CORNER_HZ = np.float32(700)
_GAIN_BITS_OF_INDEX = 32
_INT16_MAX = 2**15 - 1

Int16s = NDArray[np.int16]


def hann_window(samples: int) -> Int16s:
    """A Hann window sampled half way between its zeros, in units of 2**-12."""
    values = [
        0.5 - 0.5 * math.cos(math.pi * 2 / samples * (index + 0.5)) for index in range(samples)
    ]
    window: Int16s = np.rint(np.array(values) * (1 << WINDOW_BITS)).astype(np.int16)
    return window


@dataclass(frozen=True)
class FilterBank:
    """Triangles over the bins of a spectrum, as SignalFilterBank takes them.

    ``first_bin .. end_bin - 1`` are the bins in use. Band i, one more than there are channels, has
    ``widths[i]`` bins from ``starts[i]``, whose weights begin at ``firsts[i]``.
    """

    first_bin: int
    end_bin: int
    weights: Int16s
    unweights: Int16s
    starts: Int16s
    firsts: Int16s
    widths: Int16s


def mel_filter_bank(
    channels: int, bins: int, sample_rate: int, lower_hz: float, upper_hz: float
) -> FilterBank | None:
    """The filter bank, its triangles' peaks equally far apart in mel; None beyond the last bin."""
    hz_per_bin = sample_rate / 2 / (bins - 1)
    low = _mel(lower_hz)
    step = (_mel(upper_hz) - low) / np.float32(channels + 1)
    peaks = [low + step * np.float32(band) for band in range(1, channels + 2)]
    first = bin_number = round(1 + lower_hz / hz_per_bin)
    starts, widths, pairs = [], [], []
    for band, peak in enumerate(peaks):
        below = low if band == 0 else peaks[band - 1]
        starts.append(bin_number)
        while (mel := _mel(bin_number * hz_per_bin)) <= peak:
            if bin_number >= bins:
                return None
            pairs.append(_weights((peak - mel) / (peak - below)))
            bin_number += 1
        widths.append(bin_number - starts[-1])
    if bin_number >= bins or not pairs:
        return None
    weights, unweights = np.array(pairs, np.int16).T
    return FilterBank(
        first,
        bin_number,
        weights,
        unweights,
        np.array(starts, np.int16),
        np.cumsum([0, *widths[:-1]]).astype(np.int16),
        np.array(widths, np.int16),
    )


def _mel(hz: float) -> np.float32:
    return _MEL_SCALE * np.float32(math.log1p(float(np.float32(hz) / _MEL_CORNER_HZ)))


def _weights(rising: np.float32) -> tuple[int, int]:
    """A bin's weight in this band's channel and in the next one's."""
    one = np.float32(1 << WEIGHT_BITS)
    return int(rising * one), int((np.float32(1) - rising) * one)


def gain_table(strength: float, offset: float, input_bits: int, gain_bits: int) -> Int16s | None:
    """SignalPCAN's coefficients of ``(noise + offset) ** -strength``, a parabola for each doubling.

    The noise has ``input_bits`` bits of fraction, the gain ``gain_bits``. None where the gain falls
    so fast that a coefficient is no int16.
    """

    def gain(noise: int) -> int:
        real = np.float32(noise) / np.float32(1 << input_bits) + np.float32(offset)
        power = np.float32(math.pow(float(real), -float(np.float32(strength))))
        value = np.float32(1 << gain_bits) * power
        return min(int(value + np.float32(0.5)), _INT16_MAX)

    table = [gain(0), gain(1)]
    for bit in range(1, _GAIN_BITS_OF_INDEX):
        begin = 1 << bit
        end = min(2 * begin, 2**_GAIN_BITS_OF_INDEX - 1)
        here = gain(begin)
        half, whole = gain(begin + begin // 2) - here, gain(end) - here
        slope = 4 * half - whole
        table += [here, slope, whole - slope, 0]
    coefficients = np.array(table[:-1], np.int64)
    found = coefficients.astype(np.int16)
    return found if np.array_equal(found, coefficients) else None


@dataclass(frozen=True)
class CosineTransform:
    """An orthonormal DCT-II in integers: ``(matrix @ x + half) >> shift`` has ``fraction`` bits."""

    matrix: Int16s
    shift: int
    fraction: int


def cosine_transform(coefficients: int, channels: int, largest: int) -> CosineTransform:
    """The first coefficients of vectors of values in ``0 .. largest``, as exact as int16 allows."""
    exact = np.array(
        [
            [
                math.sqrt((1 if row == 0 else 2) / channels)
                * math.cos(math.pi / channels * (column + 0.5) * row)
                for column in range(channels)
            ]
            for row in range(coefficients)
        ]
    )
    bound = float(np.abs(exact).sum(axis=1).max()) * (largest + 1)
    fraction = max(0, math.floor(math.log2(_INT16_MAX / bound)))
    bits = math.floor(math.log2(_INT16_MAX / float(np.abs(exact).max())))
    matrix = np.rint(exact * (1 << bits)).astype(np.int16)
    return CosineTransform(matrix, bits - fraction, fraction)
