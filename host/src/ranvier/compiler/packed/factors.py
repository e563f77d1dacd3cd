# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Two factors whose sum of products has the most room between the steps of a function."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.packed.requant import Values

Reals = NDArray[np.float64]

_NEAREST = 1500
"""Pairs on each side of a step that bound the factors; all others are further from theirs."""

_ROUNDS = 40
"""Halvings (by a third) of the range of a factor."""


def widest(
    output: Values, slopes: tuple[float, float], shift: int, finer: int
) -> tuple[int, int] | None:
    """Factors ``f0, f1`` near ``slopes``, in units of ``2**-(shift + finer)``.

    ``output`` is by the two inputs from -128 on. The room that an offset has, over the pairs
    nearest to a step, is a concave function of the factors: searched by thirds, one factor inside
    the other. None where no factors leave any.
    """
    pairs = _nearest(output, slopes)
    if not len(pairs[0][0]):
        return None
    unit = 1 << (shift + finer)
    reach = 2.0**-9

    def room(f0: float, f1: float) -> float:
        (x, y, value), (x_below, y_below, next_) = pairs
        least = (value - f0 * x - f1 * y).max(initial=-1e9)
        most = (next_ - f0 * x_below - f1 * y_below).min(initial=1e9)
        return float(most - least)

    def best_second(f0: float) -> float:
        return _peak(lambda f1: room(f0, f1), slopes[1] * (1 - reach), slopes[1] * (1 + reach))

    first = _peak(
        lambda f0: room(f0, best_second(f0)), slopes[0] * (1 - reach), slopes[0] * (1 + reach)
    )
    second = best_second(first)
    return (round(first * unit), round(second * unit)) if room(first, second) > 0 else None


def _nearest(output: Values, slopes: tuple[float, float]) -> list[list[Reals]]:
    """Pairs nearest to the step below, with their output; to the one above, with the next one.

    Outputs at the ends of int8 bound nothing on their outer side.
    """
    x, y = np.meshgrid(np.arange(-128.0, 128), np.arange(-128.0, 128), indexing="ij")
    real = slopes[0] * x + slopes[1] * y
    room = output - real
    found = []
    for side, bounded, value in ((-room, output > -128, output), (room, output < 127, output + 1)):
        inside = np.flatnonzero(bounded)
        order = inside[np.argsort(side.reshape(-1)[inside], kind="stable")[:_NEAREST]]
        found.append([grid.reshape(-1)[order].astype(np.float64) for grid in (x, y, value)])
    return found


def _peak(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a concave function is largest."""
    for _ in range(_ROUNDS):
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2
