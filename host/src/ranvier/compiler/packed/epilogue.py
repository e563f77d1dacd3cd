# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How the sums of an op become its outputs: the best epilogue that all of its channels allow."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.fixed_point import INT32_MAX
from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval
from ranvier.compiler.packed.once import once
from ranvier.compiler.packed.proof import Proof, count_kinds
from ranvier.compiler.packed.requant import Requant, Solution, Steps, Values, solve
from ranvier.compiler.packed.sums import requant_of

Words = NDArray[np.uint32]


class Epilogue(enum.IntEnum):
    """``enum rnv_epilogue`` of kernels/planes/tile.h."""

    RELU = 0
    LINEAR = 1
    TEXTBOOK = 2


@dataclass(frozen=True, eq=False)
class Channels:
    """An op's epilogue; ``solution`` is None where that is TEXTBOOK."""

    epilogue: Epilogue
    requant: Requant
    solution: Solution | None
    proof: Proof


def channels_of(
    op: Op, ranges: Interval, scale: int, shifts: Mapping[Epilogue, int]
) -> Channels | None:
    """What ``choose`` gives for an op whose input lies in ``ranges``."""
    key = ("channels", scale, *shifts.items())
    return once(op, key, lambda: choose(requant_of(op, ranges), scale, shifts))


def choose(requant: Requant, scale: int, shifts: Mapping[Epilogue, int]) -> Channels | None:
    """RELU, else LINEAR, of those in ``shifts`` (with the kernel's last shift), else TEXTBOOK.

    None where the scaled sums do not fit.
    """
    steps = Steps.of(requant)
    for epilogue, shift in shifts.items():
        solution = solve(steps, scale, shift, linear=epilogue == Epilogue.LINEAR)
        if solution.solved.all():
            return Channels(epilogue, requant, solution, prove(steps, solution, epilogue.name))
    bound = int(max(-requant.low.min(), requant.high.max()))
    if bound > INT32_MAX // scale:
        return None
    proof = Proof(
        Epilogue.TEXTBOOK.name, 0, (("textbook", len(requant.low)),), 0,
        int(requant.low.min()), int(requant.high.max()), bound * scale,
    )  # fmt: skip
    return Channels(Epilogue.TEXTBOOK, requant, None, proof)


def prove(steps: Steps, solution: Solution, epilogue: str) -> Proof:
    """The proof of a solution in which every channel is solved."""
    requant = steps.requant
    kinds = np.where(steps.constant, "constant", np.where(solution.exact, "exact", "thresholds"))
    ends = np.stack([requant.low, requant.high]) * solution.scale + solution.offset
    bound = np.abs(np.where(steps.constant, 0, ends)).max()
    return Proof(
        epilogue, solution.shift, count_kinds(kinds.tolist()), int(steps.reached.sum()),
        int(requant.low.min()), int(requant.high.max()), int(bound),
    )  # fmt: skip


def textbook_words(requant: Requant) -> Words:
    """``m f`` of each channel; f holds shift, zero point and limits, the low byte first."""
    rest = (requant.zero_point, *requant.limits)
    packed = (requant.shift & 0xFF) | sum((v & 0xFF) << (8 * i) for i, v in enumerate(rest, 1))
    return words(np.stack([requant.multiplier, packed], axis=1))


def words(values: Values) -> Words:
    """The low 32 bits of each value."""
    return (values & 0xFFFFFFFF).astype(np.uint32)
