# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packed weight streams as a device reads them, and TensorFlow Lite's results to compare with.

Written from the headers of kernels/dsp and kernels/planes, instruction by instruction; nothing of
the compiler is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

RELU, LINEAR, TEXTBOOK = range(3)


def tflite_output(
    sums: Ints, multiplier: int, shift: int, zero_point: int, low: int, high: int
) -> Ints:
    """The reference's output for sums that do not wrap (gemmlowp: truncation, signed nudge)."""
    product = (sums << max(shift, 0)) * multiplier
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    halved = np.where(nudged >= 0, nudged >> 31, -((-nudged) >> 31))
    right = max(-shift, 0)
    remainder = halved & ((1 << right) - 1)
    limit = (((1 << right) - 1) >> 1) + (halved < 0)
    return np.clip((halved >> right) + (remainder > limit) + zero_point, low, high)


def wrapped(values: Ints) -> Ints:
    """The int32 that a register holds."""
    return ((values + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def halves(words: Ints) -> Ints:
    """Two int16 of each word, the low one first."""
    both = np.stack([words & 0xFFFF, (words >> 16) & 0xFFFF], axis=-1)
    return both - ((both & 0x8000) << 1)


def low_bytes(words: Ints) -> Ints:
    """SXTB16: the low byte of each half, with its sign."""
    both = np.stack([words & 0xFF, (words >> 16) & 0xFF], axis=-1)
    return both - ((both & 0x80) << 1)


def smmla(acc: Ints, multiplier: int, constant: int) -> Ints:
    return wrapped(((acc * multiplier) >> 32) + constant)


@dataclass(frozen=True, eq=False)
class Channel:
    """One output channel of a stream: ``weights`` has a word for every quad."""

    start: int
    weights: Ints
    tail: tuple[int, ...]

    def sums(self, columns: Ints) -> Ints:
        """Accumulators of ``columns[n][K]`` as SMLAD and SXTB16 form them."""
        count, length = columns.shape
        x = np.pad(columns, ((0, 0), (0, -length % 4))).reshape(count, -1, 4)
        assert x.shape[1] == len(self.weights)
        y = np.stack([x[:, :, 1], x[:, :, 3]], axis=-1)
        z = np.stack(
            [256 * x[:, :, 0] + 127 - x[:, :, 1], 256 * x[:, :, 2] + 127 - x[:, :, 3]], axis=-1
        )
        assert z.min() >= -32768
        assert z.max() <= 32767
        terms = (halves(self.weights) * y).sum(axis=(1, 2))
        terms += (low_bytes(self.weights) * z).sum(axis=(1, 2))
        return wrapped(self.start + terms)

    def outputs(self, columns: Ints, epilogue: int, shift: int) -> Ints:
        """Outputs of columns."""
        acc = self.sums(columns)
        multiplier, second = self.tail[:2]
        if epilogue == TEXTBOOK:
            f = [((second >> (8 * i)) & 0xFF ^ 0x80) - 0x80 for i in range(4)]
            return tflite_output(acc >> 8, multiplier, *f)
        t = smmla(acc, multiplier, second)
        if epilogue == LINEAR:
            assert self.tail[3] == 0
            t = wrapped(t + np.where(acc < 0, self.tail[2], 0))
        return np.clip(t >> shift, -128, 127)


def channels_of(
    stream: bytes, out_c: int, quads: int, epilogue: int, *, outputs: int, missing_first: bool
) -> list[Channel]:
    """The real channels of a stream of blocks; the others are checked to be 0."""
    words = np.frombuffer(stream, "<i4").astype(np.int64)
    tail = 4 if epilogue == LINEAR else 2
    block = outputs * (1 + quads + tail)
    assert len(words) == -(-out_c // outputs) * block
    found: list[Channel] = []
    for first in range(0, len(words), block):
        part = words[first : first + block]
        weights = part[outputs : outputs * (1 + quads)].reshape(quads, outputs)
        tails = part[outputs * (1 + quads) :].reshape(outputs, tail)
        found += [
            Channel(int(part[i]), weights[:, i], tuple(tails[i].tolist())) for i in range(outputs)
        ]
    lacking = len(found) - out_c
    at = len(found) - outputs if missing_first else out_c
    for channel in found[at : at + lacking]:
        assert channel.start == 0
        assert not channel.weights.any()
        assert not any(channel.tail)
    return found[:at] + found[at + lacking :]


@dataclass(frozen=True, eq=False)
class Taps:
    """One channel of a depthwise stream."""

    taps: Ints
    start: int
    multiplier: int
    constant: int

    @classmethod
    def of(cls, words: Ints) -> Taps:
        """Eight words: (w00, w02) (w10, w12) (w20, w22) (w01, w11) (w21, 0) c m K."""
        pairs = halves(words[:5])
        assert pairs[4, 1] == 0
        taps = np.array(
            [
                [pairs[0, 0], pairs[3, 0], pairs[0, 1]],
                [pairs[1, 0], pairs[3, 1], pairs[1, 1]],
                [pairs[2, 0], pairs[4, 0], pairs[2, 1]],
            ]
        )
        return cls(taps, *words[5:].tolist())

    def outputs(self, windows: Ints) -> Ints:
        """Outputs of ``windows[n][3][3]``."""
        acc = wrapped(self.start + (windows * self.taps).sum(axis=(1, 2)))
        return np.clip(smmla(acc, self.multiplier, self.constant) >> 10, -128, 127)


WINOGRAD_ORDER = (1, 2, 0, 3)


def winograd_tile(d: Ints) -> Ints:
    """Inputs d[4][4][in_c] of a tile, i down the image, transformed along both axes."""
    for _ in range(2):
        d = np.stack([d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]])
        d = d.swapaxes(0, 1)
    assert np.abs(d).max() <= 512
    return d


@dataclass(frozen=True, eq=False)
class WinogradChannel:
    """One output channel: ``weights[j][i][in_c]`` in the stream's order of positions."""

    start: int
    tail: tuple[int, ...]
    weights: Ints

    def sums(self, tiles: Ints) -> Ints:
        """Accumulators [n][2][2] of inputs ``tiles[n][4][4][in_c]``."""
        found = []
        for tile in tiles:
            v = winograd_tile(tile)
            m = np.zeros((4, 4), np.int64)  # [i][j]
            for at_j, j in enumerate(WINOGRAD_ORDER):
                for at_i, i in enumerate(WINOGRAD_ORDER):
                    m[i, j] = (self.weights[at_j, at_i] * v[i, j]).sum()
            upper, lower = m[0] + m[1] + m[2], m[1] - m[2] + m[3]
            found.append([[r[0] + r[1] + r[2], r[1] - r[2] + r[3]] for r in (upper, lower)])
        return wrapped(np.array(found) + self.start)


def winograd_channels(stream: bytes, out_c: int, in_c: int, epilogue: int) -> list[WinogradChannel]:
    """The channels of a stream; a dummy is checked to be 0."""
    words = np.frombuffer(stream, "<i4").astype(np.int64)
    tail, pairs = (4 if epilogue == LINEAR else 2), -(-in_c // 2)
    found = []
    for block in words.reshape(-1, 2 * (1 + tail) + 32 * pairs):
        tails = block[2 : 2 + 2 * tail].reshape(2, tail)
        weights = block[2 + 2 * tail :].reshape(16, pairs, 2)
        for i in range(2):
            taps = halves(weights[:, :, i]).reshape(4, 4, 2 * pairs)
            assert not taps[:, :, in_c:].any()
            found.append(
                WinogradChannel(int(block[i]), tuple(tails[i].tolist()), taps[:, :, :in_c])
            )
    if out_c % 2:
        dummy = found.pop(-2)
        assert dummy.start == 0
        assert not any(dummy.tail)
        assert not dummy.weights.any()
    return found


@dataclass(frozen=True, eq=False)
class BaseChannel:
    """One output channel of packing base: its sum is ``bits`` 0..23 of 64, or those above."""

    start: int
    words: Ints
    upper: bool
    tail: tuple[int, ...]

    def sums(self, columns: Ints) -> Ints:
        """U = sum + 2^23, from words that hold the weights of two channels."""
        x = np.pad(columns, ((0, 0), (0, -columns.shape[1] % 4)))
        total = [
            self.start + sum(int(w) * int(v) for w, v in zip(self.words, row, strict=True))
            for row in x
        ]
        bits = [(value % (1 << 64)) >> 24 if self.upper else value % (1 << 24) for value in total]
        return wrapped(np.array([value & 0xFFFFFFFF for value in bits], np.int64))

    def outputs(self, columns: Ints, epilogue: int) -> Ints:
        """Outputs of columns."""
        u = self.sums(columns)
        multiplier = self.tail[0]
        if epilogue == TEXTBOOK:
            f = [((self.tail[1] >> (8 * i)) & 0xFF ^ 0x80) - 0x80 for i in range(4)]
            return tflite_output(u - (1 << 23), multiplier, *f)
        constants = [
            (self.tail[i] & 0xFFFFFFFF) | (self.tail[i + 1] << 32)
            for i in range(1, len(self.tail), 2)
        ]
        which = (u >> 23) & 1 if epilogue == LINEAR else np.zeros_like(u)
        totals = [
            (int(value) * multiplier + constants[i] + (1 << 63)) % (1 << 64) - (1 << 63)
            for value, i in zip(u, which, strict=True)
        ]
        return np.clip(np.array([t >> 36 for t in totals]), -128, 127)


def base_channels(stream: bytes, out_c: int, quads: int, epilogue: int) -> list[BaseChannel]:
    """The real channels: pairs in twos, a pair that is left over, (missing, last)."""
    words = np.frombuffer(stream, "<i4").astype(np.int64)
    tail = {RELU: 3, LINEAR: 5, TEXTBOOK: 2}[epilogue]
    found: list[BaseChannel] = []
    at = 0
    for pairs in [2] * (out_c // 4) + [1] * (out_c // 2 % 2) + [1] * (out_c % 2):
        starts = words[at : at + 2 * pairs].reshape(pairs, 2)
        at += 2 * pairs
        weights = words[at : at + 4 * quads * pairs].reshape(-1, pairs)
        at += 4 * quads * pairs
        for pair in range(pairs):
            start = int(starts[pair, 0] & 0xFFFFFFFF) | int(starts[pair, 1]) << 32
            for upper in (False, True):
                channel = tuple(words[at : at + tail].tolist())
                at += tail
                found.append(BaseChannel(start, weights[:, pair], upper, channel))
    assert at == len(words)
    if out_c % 2:
        assert not any(found.pop(-2).tail)
    return found
