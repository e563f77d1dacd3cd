# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which of a package's bytes are said how in a stream of SPEC.md 4.6.

First the package is cut into stretches: literals, or differences to the base at one of a few
shifts, whatever is estimated to be shorter. Then what repeats, in the package itself or in the
base, is taken out of these where that saves more than it costs to say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]

_BLOCK = 16
"""Stretches begin at multiples of it, as sections and most records of a package do."""
_SHIFTS = 6
"""Most shifts that are tried."""
_TURN_BITS = 30.0
"""Of another stretch: two runs begin, and a shift is told."""
_KEY = 4
_BASE_KEY = 8
_CHAIN = 16
_LONGEST_FAST = 64
"""A repetition of this length is good enough to look no further."""


class Kind(IntEnum):
    """Kinds of runs, by their codes."""

    LITERALS = 0
    MATCH = 1
    COPY = 2
    DIFFERENCES = 3


@dataclass(frozen=True)
class Run:
    """Bytes that are said alike. ``place``: distance of a match, or shift of the base."""

    kind: Kind
    length: int
    place: int = 0


@dataclass(frozen=True)
class _Stretches:
    """For each byte: is there a base, at which shift, its price, where what is equal ends."""

    against: npt.NDArray[np.bool_]
    shift: npt.NDArray[np.int64]
    price: list[float]
    equal_until: list[int]


def plan(data: bytes, base: bytes) -> list[Run]:
    """Runs that make up ``data``."""
    if not data:
        return []
    stretches = _stretches(data, base)
    return list(_joined(_Scan(data, base, stretches).runs(), stretches))


# --- stretches -----------------------------------------------------------------------------------


def _shifts(new: Bytes, old: Bytes) -> list[int]:
    """Shifts that are worth a try: the base as it lies, its end at the end, and what is found."""
    found = [0, len(old) - len(new)]
    if min(len(new), len(old)) > _BASE_KEY:
        keys, places = np.unique(_windows(old), return_index=True)
        wanted = _windows(new)[::_BLOCK]
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hits = (keys[at] == wanted) & (wanted != 0)
        moves = places[at[hits]] - np.nonzero(hits)[0] * _BLOCK
        values, counts = np.unique(moves, return_counts=True)
        found += values[np.argsort(-counts)[:_SHIFTS]].tolist()
    return list(dict.fromkeys(int(shift) for shift in found))


def _windows(data: Bytes) -> npt.NDArray[np.uint64]:
    """The eight bytes from each place on, as a number."""
    count = len(data) - _BASE_KEY + 1
    value = np.zeros(count, np.uint64)
    for i in range(_BASE_KEY):
        value |= data[i : i + count].astype(np.uint64) << np.uint64(8 * i)
    return value


def _entropy(values: npt.NDArray[Any]) -> Floats:
    """Bits that each of 256 values takes where they are as frequent as here."""
    counts = np.bincount(values, minlength=256).astype(np.float64)
    return np.asarray(-np.log2((counts + 0.5) / (counts.sum() + 128.0)))


def _differences(new: Bytes, old: Bytes, shift: int) -> tuple[Bytes, npt.NDArray[np.bool_]]:
    """New less old, and where there is an old one."""
    at = np.arange(len(new)) + shift
    there = (at >= 0) & (at < len(old))
    return new - old[np.clip(at, 0, max(len(old) - 1, 0))], there


def _by_blocks(prices: Floats) -> Floats:
    padded = np.zeros(-(-len(prices) // _BLOCK) * _BLOCK)
    padded[: len(prices)] = prices
    return np.asarray(padded.reshape(-1, _BLOCK).sum(axis=1))


def _cheapest(prices: Floats) -> npt.NDArray[np.int64]:
    """The choice for each block (row) with the least sum of prices and of changes (Viterbi)."""
    total = prices[0].copy()
    came = np.zeros(prices.shape, np.int64)
    stay = np.arange(prices.shape[1])
    for i in range(1, len(prices)):
        best = int(total.argmin())
        turns = total > total[best] + _TURN_BITS
        came[i] = np.where(turns, best, stay)
        total = np.where(turns, total[best] + _TURN_BITS, total) + prices[i]
    choice = np.zeros(len(prices), np.int64)
    choice[-1] = int(total.argmin())
    for i in range(len(prices) - 1, 0, -1):
        choice[i - 1] = came[i, choice[i]]
    return choice


def _stretches(data: bytes, base: bytes) -> _Stretches:
    new = np.frombuffer(data, np.uint8)
    old = np.frombuffer(base, np.uint8)
    literal = _entropy(new)[new]
    shift = np.zeros(len(new), np.int64)
    if not base:
        against = np.zeros(len(new), np.bool_)
        return _Stretches(against, shift, literal.tolist(), list(range(len(new))))
    shifts = _shifts(new, old)
    pairs = [_differences(new, old, move) for move in shifts]
    small = np.abs(np.arange(256, dtype=np.uint8).astype(np.int8).astype(np.int64))
    bits = 0.2 + 2.0 * np.log2(1.0 + small)
    for _ in range(2):
        prices = [literal]
        prices += [np.where(there, bits[d], np.inf) for d, there in pairs]
        choice = np.repeat(_cheapest(np.stack([_by_blocks(p) for p in prices], axis=1)), _BLOCK)
        choice = choice[: len(new)]
        chosen = np.choose(np.maximum(choice - 1, 0), [d for d, _ in pairs])
        if not (choice > 0).any():
            break
        bits = np.maximum(_entropy(chosen[choice > 0]), 0.05)
    against = choice > 0
    shift[against] = np.array(shifts)[choice[against] - 1]
    price = np.where(against, bits[chosen], literal)
    return _Stretches(against, shift, price.tolist(), _equal_until(against & (chosen == 0), shift))


def _equal_until(equal: npt.NDArray[np.bool_], shift: npt.NDArray[np.int64]) -> list[int]:
    """For each byte where what is equal from there on at its shift ends; itself: it is not."""
    count = len(equal)
    ends = ~equal
    ends[1:] |= shift[1:] != shift[:-1]
    index = np.where(ends, np.arange(count), count)
    after = np.append(np.minimum.accumulate(index[::-1])[::-1][1:], count)
    return [int(i) for i in np.where(equal, after, np.arange(count))]


# --- repetitions ---------------------------------------------------------------------------------


class _Scan:
    """One way through the package."""

    def __init__(self, data: bytes, base: bytes, stretches: _Stretches) -> None:
        self._data = data
        self._base = base
        self._stretches = stretches
        self._sums = np.concatenate(([0.0], np.cumsum(stretches.price))).tolist()
        self._newest: dict[bytes, int] = {}
        self._older = [-1] * len(data)
        self._distance = 0
        self._shift = 0
        self._bases: dict[bytes, int] = {}
        for at in range(len(base) - _BASE_KEY, -1, -_KEY):
            self._bases[base[at : at + _BASE_KEY]] = at

    def runs(self) -> Iterator[tuple[int, Run]]:
        """The repetitions, with where they begin; what is between them is not told."""
        at, count = 0, len(self._data)
        while at < count:
            saved, run = self._best(at)
            if run is None:
                self._note(at)
                at += 1
                continue
            later, better = self._best(at + 1) if run.length < _LONGEST_FAST else (0.0, None)
            if better is not None and later > saved + 1.0:
                self._note(at)
                at, run = at + 1, better
            yield at, run
            if run.kind == Kind.MATCH:
                self._distance = run.place
            else:
                self._shift = run.place
            if run.kind == Kind.MATCH or run.length < 1024:
                for place in range(at, at + run.length):
                    self._note(place)
            at += run.length

    def _note(self, at: int) -> None:
        key = self._data[at : at + _KEY]
        self._older[at] = self._newest.get(key, -1)
        self._newest[key] = at

    def _best(self, at: int) -> tuple[float, Run | None]:
        """The repetition at a place that saves most, and how many bits."""
        best: tuple[float, Run | None] = (0.0, None)
        if at >= len(self._data):
            return best
        sums, until = self._sums, self._stretches.equal_until[at]
        if until > at + 1:
            shift = int(self._stretches.shift[at])
            length = until - at
            if length > _BLOCK:  # may go on where the stretch ends
                length = _common(self._data, at, self._base, at + shift)
            cost = self._cost(length, shift - self._shift, 12.0)
            saved = sums[at + length] - sums[at] - cost
            if saved > 0:
                best = (saved, Run(Kind.COPY, length, shift))
        elif self._base:
            best = self._of_base(at)
        place = self._newest.get(self._data[at : at + _KEY], -1)
        for _ in range(_CHAIN):
            if place < 0:
                break
            length = _common(self._data, at, self._data, place)
            cost = self._cost(length, 0 if at - place == self._distance else at - place, 11.0)
            saved = sums[at + length] - sums[at] - cost
            if saved > best[0]:
                best = (saved, Run(Kind.MATCH, length, at - place))
            if length >= _LONGEST_FAST:
                break
            place = self._older[place]
        return best

    def _of_base(self, at: int) -> tuple[float, Run | None]:
        """What the base has elsewhere."""
        place = self._bases.get(self._data[at : at + _BASE_KEY], -1)
        if place < 0:
            return 0.0, None
        length = _common(self._data, at, self._base, place)
        cost = self._cost(length, place - at - self._shift, 24.0)
        saved = self._sums[at + length] - self._sums[at] - cost
        return (saved, Run(Kind.COPY, length, place - at)) if saved > 0 else (0.0, None)

    def _cost(self, length: int, place: int, fixed: float) -> float:
        """Bits of a run, about, and of the one after it."""
        return fixed + length.bit_length() + abs(place).bit_length()


def _common(a: bytes, i: int, b: bytes, j: int) -> int:
    """How many bytes are equal from two places on."""
    start, step = i, 16
    while a[i : i + step] == b[j : j + step] and min(len(a) - i, len(b) - j) >= step:
        i, j, step = i + step, j + step, min(step * 2, 4096)
    end = min(step, len(a) - i, len(b) - j)
    for k in range(end):
        if a[i + k] != b[j + k]:
            return i + k - start
    return i + end - start


def _joined(found: Iterator[tuple[int, Run]], stretches: _Stretches) -> Iterator[Run]:
    """The repetitions, and what lies between them."""
    at = 0
    for start, run in found:
        yield from _between(at, start, stretches)
        yield run
        at = start + run.length
    yield from _between(at, len(stretches.price), stretches)


def _between(at: int, end: int, stretches: _Stretches) -> Iterator[Run]:
    """Literals and differences of a range, cut where stretches end."""
    against, shift = stretches.against[at:end], stretches.shift[at:end]
    cuts = np.nonzero((against[1:] != against[:-1]) | (shift[1:] != shift[:-1]))[0] + 1
    for first, last in zip([0, *cuts.tolist()], [*cuts.tolist(), end - at], strict=True):
        if last > first:
            kind = Kind.DIFFERENCES if against[first] else Kind.LITERALS
            yield Run(kind, last - first, int(shift[first]) if against[first] else 0)
