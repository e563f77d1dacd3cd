# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Weight streams as a device reads them: kernels/dsp, kernels/base, kernels/s8/requant.h."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs.channel import Base, Channel, Depthwise, Scaled, Winograd
from proofs.model import Layer
from proofs.package import Op

_BASE = 3
_OUT_C = {"POINTWISE": 1, "FULLY_CONNECTED": 2}
"""Position of the number of output channels, where it is not 5."""

_WRONG = 1 << 20
"""A weight that no model has, for streams with something where nothing may be."""


def channels_of(op: Op, layer: Layer, inside: int) -> list[Channel]:
    """The channels of an op's stream; ``inside`` is the number of input channels left."""
    assert layer.weights is not None
    if op.packing == 0:
        return list(_portable(op, layer, inside))
    if op.kernel == "DEPTHWISE":
        return [_depthwise(words, op) for words in op.words.reshape(-1, 8)]
    if op.kernel == "WINOGRAD":
        return list(_winograd(op, inside))
    filter_h, filter_w = layer.weights.shape[1:3]
    length = _length(op.kernel, filter_h, filter_w, inside)
    if op.packing == _BASE:
        return list(_base(op, layer, inside, length))
    outputs = 8 if op.kernel == "FULLY_CONNECTED" else 2
    return [
        Scaled(_taps(op, layer, inside, values), start + 127 * even, tail, 256, op.epilogue)
        for start, values, even, tail in _blocks(op, length, outputs)
    ]


def _length(kernel: str, filter_h: int, filter_w: int, inside: int) -> int:
    """Quads of a column."""
    if kernel == "CONV_PLANES":
        return filter_h * filter_w * -(-inside // 4)
    return -(-filter_h * filter_w * inside // 4)


def _blocks(op: Op, quads: int, outputs: int) -> list[tuple[int, np.ndarray, int, tuple[int, ...]]]:
    """Start, weights, sum of the even ones, tail of every real channel."""
    tail = 4 if op.epilogue[0] == "LINEAR" else 2
    missing = -op.params[_OUT_C.get(op.kernel, 5)] % outputs
    blocks = op.words.reshape(-1, outputs * (1 + quads + tail))
    found = []
    for number, block in enumerate(blocks):
        words = block[outputs : outputs * (1 + quads)].reshape(quads, outputs)
        tails = block[outputs * (1 + quads) :].reshape(outputs, tail)
        last = number == len(blocks) - 1
        first = missing if last and outputs == 2 else 0
        end = outputs - (missing if last and outputs == 8 else 0)
        for i in range(first, end):
            halves = _halves(words[:, i])
            even = (halves & 0xFF ^ 0x80) - 0x80
            values = np.stack([even, (halves - even) >> 8], axis=2).reshape(-1)
            found.append((int(block[i]), values, int(even.sum()), tuple(tails[i].tolist())))
    return found


def _taps(op: Op, layer: Layer, inside: int, values: np.ndarray) -> np.ndarray:
    """A column's weights in the model's order; what fills up must be 0."""
    assert layer.weights is not None
    filter_h, filter_w = layer.weights.shape[1:3]
    if op.kernel == "POINTWISE" and inside % 4:
        whole = inside // 4 * 4
        filling = values[whole : len(values) - inside % 4]
        taps = np.concatenate([values[:whole], values[len(values) - inside % 4 :]])
        taps = taps.reshape(1, 1, inside)
    elif op.kernel == "CONV_PLANES":
        sizes = (filter_w, filter_h) if op.transposed else (filter_h, filter_w)
        pixels = values.reshape(*sizes, -1)
        filling, taps = pixels[:, :, inside:], pixels[:, :, :inside]
        taps = taps.swapaxes(0, 1) if op.transposed else taps
    else:
        count = filter_h * filter_w * inside
        filling, taps = values[count:], values[:count]
        if op.kernel == "CONV_PIXELS" and not op.params[13]:
            taps = taps.reshape(filter_w, filter_h, inside).swapaxes(0, 1)
        taps = taps.reshape(filter_h, filter_w, inside)
    return taps if not filling.any() else np.full_like(taps, _WRONG)


def _halves(words: np.ndarray) -> np.ndarray:
    """Two int16 of each word, the low one first."""
    halves: np.ndarray = np.stack([words & 0xFFFF, words >> 16 & 0xFFFF], axis=-1)
    return (halves ^ 0x8000) - 0x8000


def _depthwise(words: np.ndarray, op: Op) -> Channel:
    (a, c), (d, f), (g, i), (b, e), (h, unused) = _halves(words[:5]).tolist()
    taps = np.array([[a, b, c], [d, e, f], [g, h, i]]) if not unused else np.full((3, 3), _WRONG)
    taps = taps.T if op.transposed else taps
    start, multiplier, constant = words[5:].tolist()
    return Depthwise(taps[:, :, None], start, (multiplier, constant), 0, op.epilogue)


def _winograd(op: Op, inside: int) -> Iterator[Channel]:
    """Blocks of two channels: starts, tails, then 16 positions in the order 1 2 0 3 of j and i."""
    tail, pairs = (4 if op.epilogue[0] == "LINEAR" else 2), -(-inside // 2)
    blocks = op.words.reshape(-1, 2 * (1 + tail) + 32 * pairs)
    missing = op.params[5] % 2
    for number, block in enumerate(blocks):
        tails = block[2 : 2 + 2 * tail].reshape(2, tail)
        words = block[2 + 2 * tail :].reshape(4, 4, pairs, 2)
        for i in range(missing if number == len(blocks) - 1 else 0, 2):
            stored = _halves(words[..., i]).reshape(4, 4, -1)
            u = np.zeros_like(stored)
            u[np.ix_((1, 2, 0, 3), (1, 2, 0, 3))] = stored
            u = u[:, :, :inside] if not u[:, :, inside:].any() else np.full_like(u, _WRONG)
            words_of = tuple(tails[i].tolist())
            yield Winograd(u, int(block[i]), words_of, 64, op.epilogue, op.transposed)


def _base(op: Op, layer: Layer, inside: int, quads: int) -> Iterator[Channel]:
    """Blocks of two pairs, a pair that is left over, and (missing, last)."""
    tail = {"RELU": 3, "LINEAR": 5, "TEXTBOOK": 2}[op.epilogue[0]]
    out_c = op.params[_OUT_C.get(op.kernel, 5)]
    words, at = op.words, 0
    for pairs in [2] * (out_c // 4) + [1] * (out_c // 2 % 2) + [1] * (out_c % 2):
        starts = words[at : at + 2 * pairs].reshape(pairs, 2).tolist()
        values = words[at + 2 * pairs :][: 4 * quads * pairs].reshape(-1, pairs)
        at += 2 * pairs + 4 * quads * pairs
        missing = out_c % 2 and at + 2 * tail * pairs == len(words)
        for pair, (low, high) in enumerate(starts):
            start = (low & 0xFFFFFFFF) | high << 32
            first = (values[:, pair] & 0xFFFFFF ^ 0x800000) - 0x800000
            second = (values[:, pair] - first) >> 24
            partner: Base | None = None
            for weights in (first, second):
                words_of = tuple(words[at : at + tail].tolist())
                at += tail
                taps = _taps(op, layer, inside, weights)
                channel = Base(taps, start, words_of, 1, op.epilogue[0], partner)
                if partner is not None or not missing:
                    yield channel
                partner = channel


def _portable(op: Op, layer: Layer, inside: int) -> Iterator[Channel]:
    """bias[out_c], multiplier[n], shift[n] padded to 4, weights."""
    assert layer.weights is not None
    filter_h, filter_w = layer.weights.shape[1:3]
    out_c, count, zero, low, high = op.params[-5:]
    at = 4 * (out_c + count)
    words = op.weights[:at].view("<i4").astype(np.int64)
    bias, multiplier = words[:out_c], words[out_c:]
    shift = op.weights[at : at + count].astype(np.int64)
    values = op.weights[at + count + -count % 4 :].astype(np.int64)
    if op.kernel == "DEPTHWISE_CONV_2D":
        taps = values.reshape(filter_h, filter_w, out_c).transpose(2, 0, 1)[..., None]
    elif op.kernel == "DEPTHWISE_PLANES":
        sizes = (filter_w, filter_h) if op.transposed else (filter_h, filter_w)
        taps = values.reshape(out_c, *sizes, 1)
        taps = taps.swapaxes(1, 2) if op.transposed else taps
    else:
        taps = values.reshape(out_c, filter_h, filter_w, inside)
    for c in range(out_c):
        rest = (int(shift[c % count]), zero, low, high)
        packed = sum((value & 0xFF) << 8 * i for i, value in enumerate(rest))
        tail = (int(multiplier[c % count]), packed)
        yield Channel(taps[c], int(bias[c]), tail)
