# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Weight streams for the DSP extension (``SMLAD``, kernels/dsp).

Four weights are one word of two int16 halves, ``w0 + 256 * w1`` and ``w2 + 256 * w3``. Multiplied
with prepared columns it gives ``256 * sum + 127 * (w0 + w2)``; the channel's start takes that off.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.packed.epilogue import Channels, Epilogue, Words, textbook_words, words
from ranvier.compiler.packed.requant import Values

SCALE = 256
"""Factor from a sum to the accumulator."""


def stream(
    weights: Values, bias: Values, channels: Channels, outputs: int, *, missing_first: bool
) -> bytes | None:
    """The stream of weights [channel][K] in blocks of ``outputs``; None where they do not fit."""
    packed = quads(weights)
    if packed is None:
        return None
    start = starts(weights, bias, offsets(channels))
    return blocks(start, packed, tails(channels), outputs, missing_first=missing_first)


def offsets(channels: Channels) -> Values:
    """What is added to each channel's scaled sum."""
    solution = channels.solution
    return np.zeros(len(channels.requant.low), np.int64) if solution is None else solution.offset


def tails(channels: Channels) -> Words:
    """``m K``, ``m K V 0``, or ``m f``, of each channel."""
    solution = channels.solution
    if solution is None:
        return textbook_words(channels.requant)
    columns = [solution.multiplier, solution.constant]
    if channels.epilogue == Epilogue.LINEAR:
        columns += [solution.correction, np.zeros_like(solution.correction)]
    return words(np.stack(columns, axis=1))


def quads(weights: Values) -> Words | None:
    """Words [channel][quad] of weights [channel][K]; None where a half exceeds 16 bits.

    K is padded with zeros to a multiple of 4.
    """
    four = padded(weights)
    halves = four[:, :, 0::2] + 256 * four[:, :, 1::2]
    if halves.size and (halves.min() < -(1 << 15) or halves.max() >= 1 << 15):
        return None
    return words((halves[:, :, 0] & 0xFFFF) | ((halves[:, :, 1] & 0xFFFF) << 16))


def padded(weights: Values) -> NDArray[np.int64]:
    """Weights as [channel][quad][4]."""
    channels, length = weights.shape
    return np.pad(weights, ((0, 0), (0, -length % 4))).reshape(channels, -1, 4)


def starts(weights: Values, bias: Values, offset: Values) -> Words:
    """What accumulators start with: biases with the input's zero point folded in, scaled."""
    even = padded(weights)[:, :, 0::2].sum(axis=(1, 2))
    return words(SCALE * bias + offset - 127 * even)


def blocks(start: Words, weight: Words, tail: Words, outputs: int, *, missing_first: bool) -> bytes:
    """The stream: for each ``outputs`` channels their starts, quad by quad their words, tails.

    ``start[channel]``, ``weight[channel][quad]``, ``tail[channel][word]``. Channels that the last
    block lacks are zero, and come first in it or last.
    """
    rows = np.concatenate([start[:, None], weight, tail], axis=1)
    lacking = -len(rows) % outputs
    whole = len(rows) - len(rows) % outputs
    empty = np.zeros((lacking, rows.shape[1]), np.uint32)
    last = [empty, rows[whole:]] if missing_first else [rows[whole:], empty]
    rows = np.concatenate([rows[:whole], *last])
    grouped = rows.reshape(-1, outputs, rows.shape[1])
    body = 1 + weight.shape[1]
    head, rest = grouped[:, :, :body], grouped[:, :, body:]
    stream = np.concatenate(
        [head.swapaxes(1, 2).reshape(len(grouped), -1), rest.reshape(len(grouped), -1)], axis=1
    )
    return stream.astype("<u4").tobytes()
