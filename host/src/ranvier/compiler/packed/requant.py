# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finds, and proves, two instructions a sum that give the reference's requantised output.

The reference is ``clamp(requantize(sum, multiplier, shift) + zero_point)``. A packed kernel has
``acc = scale * sum + offset`` and computes, with ``m``, ``K`` and ``V`` of the channel,

    t = floor(acc * m / 2**32) + K + (V where acc < 0)
    out = saturate_int8(t >> shift)

Both are steps that never fall (each side of 0, where ``V`` is not 0) as long as nothing wraps. So
they are equal for every reachable sum where they are equal at both ends and on both sides of every
threshold, of which int8 has at most 255. ``m`` may have lost bits of the multiplier: these
comparisons are the proof, not the derivation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import INT32_MAX

Values = NDArray[np.int64]

INT32_MIN = -INT32_MAX - 1
_INT8_MIN, _INT8_MAX = -128, 127
_INF = (1 << 63) - 1
_WORD = 32
_TRIED = (0, 1, -1, 2, -2, 3, -3, 4, -4)
"""Multipliers tried: the nearest one and its neighbours."""

_OPEN_WINDOW = 1 << 44
"""Room taken on a side that nothing bounds."""


@dataclass(frozen=True, eq=False)
class Requant:
    """The reference's requantisation of channels, and which sums they can have.

    All arrays have one element a channel; ``low`` and ``high`` bound the sums.
    """

    low: Values
    high: Values
    multiplier: Values
    shift: Values
    zero_point: int
    act_min: int
    act_max: int

    def output(self, sums: Values) -> Values:
        """Outputs of ``sums[channel, ..]``, none of which wraps."""
        across = (slice(None),) + (None,) * (sums.ndim - 1)
        multiplier, shift = self.multiplier[across], self.shift[across]
        values = requantized(sums, multiplier, shift) + self.zero_point
        result: Values = np.clip(values, *self.limits)
        return result

    @property
    def limits(self) -> tuple[int, int]:
        """Lowest and highest output."""
        return self.act_min, self.act_max

    @property
    def sound(self) -> NDArray[np.bool_]:
        """Channels in which the reference does not wrap, whatever the sum."""
        fits = np.ones(len(self.low), np.bool_)
        for ends in (self.low, self.high):
            most = np.int64(INT32_MAX) >> np.maximum(self.shift, 0)
            fits &= (-most - 1 <= ends) & (ends <= most)
            safe = np.where(fits, ends, 0)
            result = requantized(safe, self.multiplier, self.shift) + self.zero_point
            fits &= (result >= INT32_MIN) & (result <= INT32_MAX)
        return fits


@dataclass(frozen=True, eq=False)
class Steps:
    """Where outputs rise: ``at[channel, i]`` is the lowest sum that gives at least ``value[i]``.

    ``high + 1`` where no reachable sum does, ``low`` where all do. ``sound`` marks the channels
    for which all that is known; the others have one reachable sum, 0.
    """

    requant: Requant
    sound: NDArray[np.bool_]
    value: Values
    at: Values

    @classmethod
    def of(cls, requant: Requant) -> Steps:
        """All thresholds, by bisection of the reference itself."""
        sound = requant.sound
        requant = replace(
            requant, low=np.where(sound, requant.low, 0), high=np.where(sound, requant.high, 0)
        )
        first = requant.output(requant.low)
        last = requant.output(requant.high)
        value = np.arange(first.min() + 1, last.max() + 1, dtype=np.int64)
        shape = len(first), len(value)
        below = np.broadcast_to(requant.low[:, None], shape).copy()
        at = np.broadcast_to(requant.high[:, None] + 1, shape).copy()
        while (below < at).any():
            middle = (below + at) >> 1
            open_ = below < at
            reached = requant.output(np.minimum(middle, requant.high[:, None])) >= value
            at = np.where(open_ & reached, middle, at)
            below = np.where(open_ & ~reached, middle + 1, below)
        return cls(requant, sound, value, at)

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Channels with one output for all reachable sums."""
        requant = self.requant
        flat: NDArray[np.bool_] = requant.output(requant.low) == requant.output(requant.high)
        return flat

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which thresholds lie between two reachable sums."""
        return (self.at > self.requant.low[:, None]) & (self.at <= self.requant.high[:, None])


@dataclass(frozen=True, eq=False)
class Solution:
    """What a kernel needs for each channel; only where ``solved``.

    ``exact`` marks multipliers that lost no bits. A channel of one output has ``multiplier`` 0.
    """

    shift: int
    scale: Values
    solved: NDArray[np.bool_]
    exact: NDArray[np.bool_]
    multiplier: Values
    constant: Values
    correction: Values
    offset: Values

    def output(self, sums: Values) -> Values:
        """What the device computes for ``sums[channel, ..]``, without wrapping."""
        across = (slice(None),) + (None,) * (sums.ndim - 1)
        acc = self.scale[across] * sums + self.offset[across]
        t = ((acc * self.multiplier[across]) >> _WORD) + self.constant[across]
        t += np.where(acc < 0, self.correction[across], 0)
        result: Values = np.clip(t >> self.shift, _INT8_MIN, _INT8_MAX)
        return result

    def merged(self, other: Solution) -> Solution:
        """The channels of ``self``, and those of ``other`` where ``self`` has no solution."""
        pick = {
            name: np.where(self.solved, getattr(self, name), getattr(other, name))
            for name in ("scale", "exact", "multiplier", "constant", "correction", "offset")
        }
        return replace(self, solved=self.solved | other.solved, **pick)


def solve(steps: Steps, scale: int | Values, shift: int, *, linear: bool = False) -> Solution:
    """Solve every channel that can be, with ``scale`` a power of two and a given last shift.

    Without ``linear`` every ``correction`` is 0; with it, an ``offset`` keeps the sums' signs.
    """
    count = len(steps.requant.low)
    scales = np.broadcast_to(np.asarray(scale, np.int64), (count,)).copy()
    nearest, exact = _nearest(steps.requant, scales, shift)
    zeros = np.zeros(count, np.int64)
    constant = steps.sound & steps.constant
    flat = (steps.requant.output(steps.requant.low) << shift) + (1 << (shift - 1))
    found = Solution(
        shift, scales, constant.copy(), constant | exact, zeros.copy(),
        np.where(constant, flat, 0), zeros.copy(), zeros.copy(),
    )  # fmt: skip
    fits = np.maximum(-steps.requant.low, steps.requant.high) <= INT32_MAX // scales
    for step in _TRIED:
        multiplier = nearest + step
        left = steps.sound & fits & ~found.solved & (multiplier > 0) & (multiplier <= INT32_MAX)
        if left.any():
            _try(steps, found, np.where(left, multiplier, 0), linear)
            if step:
                found.exact[left & found.solved] = False
    return replace(found, solved=found.solved & proven(steps, found))


def proven(steps: Steps, solution: Solution) -> NDArray[np.bool_]:
    """Channels whose outputs are the reference's for every reachable sum.

    Compared at both ends, around 0 and on both sides of each threshold, which is enough for steps
    that do not fall; that they do not wrap is checked at the ends and around 0.
    """
    requant = steps.requant
    low, high = requant.low[:, None], requant.high[:, None]
    ends = np.concatenate([low, high, np.clip(-1, low, high), np.clip(0, low, high)], axis=1)
    acc = solution.scale[:, None] * ends + solution.offset[:, None]
    t = ((acc * solution.multiplier[:, None]) >> _WORD) + solution.constant[:, None]
    corrected = t + np.where(acc < 0, solution.correction[:, None], 0)
    flat = solution.multiplier[:, None] == 0
    good = steps.sound.copy()
    for word in (np.where(flat, 0, acc), t, corrected):
        good &= ((word >= INT32_MIN) & (word <= INT32_MAX)).all(axis=1)
    same_sign = (acc < 0) == (ends < 0)
    good &= (same_sign | (solution.correction[:, None] == 0)).all(axis=1)
    points = np.concatenate(
        [ends, np.clip(steps.at, low, high), np.clip(steps.at - 1, low, high)], axis=1
    )
    good &= (solution.output(points) == requant.output(points)).all(axis=1)
    return good


def requantized(sums: Values, multiplier: Values, shift: Values) -> Values:
    """TensorFlow Lite's MultiplyByQuantizedMultiplier, for sums that do not wrap."""
    high = ((sums << np.maximum(shift, 0)) * multiplier + (1 << 30)) >> 31
    right = np.maximum(-shift, 0)
    mask = (np.int64(1) << right) - 1
    result: Values = (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))
    return result


def _nearest(requant: Requant, scale: Values, shift: int) -> tuple[Values, NDArray[np.bool_]]:
    """The device's multipliers, rounded, and which of them are not rounded; too large: 2**40."""
    left = 1 + shift + requant.shift - np.log2(scale).astype(np.int64)
    right = np.clip(-left, 0, 62)
    half = np.where(right > 0, np.int64(1) << np.maximum(right - 1, 0), 0)
    rounded = (requant.multiplier + half) >> right
    exact = (rounded << right) == requant.multiplier
    shifted = np.where(left > 0, requant.multiplier << np.clip(left, 0, 9), rounded)
    return np.where(left > 9, np.int64(1) << 40, shifted), exact


def _try(steps: Steps, found: Solution, multiplier: Values, linear: bool) -> None:
    """Fill ``found`` for the channels in which ``multiplier`` is not 0 and serves."""
    requant = steps.requant
    step = found.scale * multiplier
    if linear:
        sides: tuple[tuple[Values, Values], ...] = (
            _window(steps, step, found.shift, np.maximum(requant.low, 0), requant.high),
            _window(steps, step, found.shift, requant.low, np.minimum(requant.high, -1)),
        )
    else:
        sides = (_window(steps, step, found.shift, requant.low, requant.high),)
    for channel in np.flatnonzero(multiplier).tolist():
        m, scale = int(multiplier[channel]), int(found.scale[channel])
        windows = [(int(low[channel]), int(high[channel])) for low, high in sides]
        nominal = -(1 << max(found.shift + int(requant.shift[channel]), 0))
        placed = _place(windows, m, scale, nominal)
        if placed is not None:
            found.constant[channel], found.offset[channel], found.correction[channel] = placed
            found.multiplier[channel] = m
            found.solved[channel] = True


def _window(
    steps: Steps, step: Values, shift: int, low: Values, high: Values
) -> tuple[Values, Values]:
    """For which ``k`` ``floor((sum * step + k) / 2**(32 + shift))`` is right in low .. high."""
    unit = np.int64(1) << (_WORD + shift)
    inside = (steps.at > low[:, None]) & (steps.at <= high[:, None])
    at, value = np.clip(steps.at, low[:, None], high[:, None]), steps.value
    lowest = np.where(inside, value * unit - at * step[:, None], -_INF)
    highest = np.where(inside, value * unit - 1 - (at - 1) * step[:, None], _INF)
    least = lowest.max(axis=1, initial=-_INF)
    most = highest.min(axis=1, initial=_INF)
    some = low <= high
    first, last = steps.requant.output(low), steps.requant.output(high)
    bounded = some & (first > _INT8_MIN)
    least = np.where(bounded, np.maximum(least, first * unit - low * step), least)
    bounded = some & (last < _INT8_MAX)
    most = np.where(bounded, np.minimum(most, (last + 1) * unit - 1 - high * step), most)
    return least, most


def _place(
    windows: list[tuple[int, int]], multiplier: int, scale: int, nominal: int
) -> tuple[int, int, int] | None:
    """``(K, offset, V)`` with ``K * 2**32 + offset * multiplier`` in the first window.

    With V added to K it is in the second one; None where there is none.
    """
    if len(windows) == 1:
        placed = point_in(*_closed(windows[0]), multiplier, None)
        return None if placed is None else (*placed, 0)
    (low, high), (low_below, high_below) = windows
    for correction in (0, nominal):
        step = correction << _WORD
        both = (
            max(low, low_below - step if low_below > -_INF else -_INF),
            min(high, high_below - step if high_below < _INF else _INF),
        )
        placed = point_in(*_closed(both), multiplier, scale if correction else None)
        if placed is not None:
            return (*placed, correction)
    return None


def _closed(window: tuple[int, int]) -> tuple[int, int]:
    """The window with room on a side that nothing bounds."""
    low, high = window
    if low == -_INF:
        low = (high if high < _INF else 0) - _OPEN_WINDOW
    return low, (low + _OPEN_WINDOW if high == _INF else high)


def point_in(low: int, high: int, multiplier: int, scale: int | None) -> tuple[int, int] | None:
    """``(K, offset)`` of a point in a window, near its middle and with a small offset.

    The offset is in ``0 .. scale - 1`` where ``scale`` is given.
    """
    if low > high:
        return None
    middle = (low + high) // 2
    if scale is None:
        around = middle >> _WORD
        constants = [around, around - 1, around + 1, around - 2, around + 2]
    else:
        constants = list(range(high >> _WORD, ((low - scale * multiplier) >> _WORD) - 1, -1))
    best: tuple[int, int] | None = None
    for constant in constants:
        for target in (middle, high):
            offset = (target - (constant << _WORD)) // multiplier
            if scale is not None:
                offset = min(max(offset, 0), scale - 1)
            if low <= (constant << _WORD) + offset * multiplier <= high:
                if best is None or abs(offset) < abs(best[1]):
                    best = constant, offset
                break
    return best
