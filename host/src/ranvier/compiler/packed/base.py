# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Weight streams for machines without the DSP extension (``SMLAL``, kernels/base/gemm.h).

The weights of two output channels are one word, ``w0 + w1 * 2**24``, so that a sum of 64 bits holds
the sums of both. It starts at ``c0 + c1 * 2**24`` with ``c = bias + 2**23``: every sum, its bias
included, has to fit 24 bits with its sign.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.packed.epilogue import Channels, Epilogue, Words, textbook_words, words
from ranvier.compiler.packed.requant import Values

_BITS = 24
_HALF = 1 << (_BITS - 1)


def stream(weights: Values, bias: Values, channels: Channels) -> bytes | None:
    """The stream of weights [channel][K]; None where weights or sums do not fit.

    Channels of one output take part in a pair with weights of 0, as their sums need not fit.
    """
    low, high = channels.requant.low, channels.requant.high
    if channels.solution is not None:
        idle = channels.solution.multiplier == 0
        weights, bias = np.where(idle[:, None], 0, weights), np.where(idle, 0, bias)
        low, high = np.where(idle, 0, low), np.where(idle, 0, high)
    if low.min() < -_HALF or high.max() >= _HALF:
        return None
    padded = np.pad(weights, ((0, 0), (0, -weights.shape[1] % 4)))
    first, second = _paired(padded)
    packed = first + (second << _BITS)
    if packed.min() < -(1 << 31) or packed.max() >= 1 << 31:
        return None
    starts = [c + _HALF for c in _paired(bias[:, None])]
    start = (starts[0] + (starts[1] << _BITS)).reshape(-1)
    if len(bias) % 2:  # the missing channel's start is 0
        start[-1] -= _HALF
    start_words = np.stack([words(start), words(start >> 32)], axis=1)
    tail = np.stack(_paired(tails(channels).astype(np.int64)), axis=1).reshape(len(start), -1)
    return _blocks(start_words, words(packed), words(tail), len(bias) % 2)


def tails(channels: Channels) -> Words:
    """``m K``, ``m K K``, or ``m f``, of each channel; K are of 64 bits, the low word first."""
    solution = channels.solution
    if solution is None:
        return textbook_words(channels.requant)
    multiplier = solution.multiplier
    constants = [solution.constant]
    if channels.epilogue == Epilogue.LINEAR:
        constants = [solution.constant + solution.correction, solution.constant]
    columns = [words(multiplier)]
    for constant in constants:
        scaled = ((constant << 32) + solution.offset * multiplier) >> 8
        k = scaled - _HALF * multiplier
        columns += [words(k), words(k >> 32)]
    return np.stack(columns, axis=1)


def _paired(rows: NDArray[np.int64]) -> tuple[Values, Values]:
    """First and second channel of every pair; in the last one of an odd number 0 comes first."""
    odd = len(rows) % 2
    empty = np.zeros((odd, rows.shape[1]), np.int64)
    whole = np.concatenate([rows[: len(rows) - odd], empty, rows[len(rows) - odd :]])
    return whole[0::2], whole[1::2]


def _blocks(start: Words, weight: Words, tail: Words, odd: int) -> bytes:
    """Two pairs a block; a pair without a partner, or with a missing channel, is one of its own."""
    full = len(start) - odd
    twos = full - full % 2
    parts = []
    for first, end, pairs in ((0, twos, 2), (twos, full, 1), (full, full + odd, 1)):
        count = (end - first) // pairs
        if count == 0:
            continue
        of = slice(first, end)
        block = [
            start[of].reshape(count, -1),
            weight[of].reshape(count, pairs, -1).swapaxes(1, 2).reshape(count, -1),
            tail[of].reshape(count, -1),
        ]
        parts.append(np.concatenate(block, axis=1).reshape(-1))
    return np.concatenate(parts).astype("<u4").tobytes()
