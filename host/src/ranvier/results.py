# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reads lists of results: what packages with stages such as ``top_k`` or ``nms`` put out.

A list is two outputs that follow each other: a count, int32 ``[1]``, and entries, int16
``[capacity, 6]`` (``ranvier/result.h``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.errors import InputError

SCORE_STEPS = 32768
"""Steps of a score (Q15); the largest is one less."""

_WORDS = 6


@dataclass(frozen=True)
class Detection:
    """A class that was recognised, and where.

    ``label`` is the class's label, or its number in words where the package has no labels.
    ``score`` is 0 to 1 - 2**-15. ``box`` is (y0, x0, y1, x1) in pixels, the last row and column
    excluded; None where classes have no place.
    """

    class_index: int
    label: str
    score: float
    box: tuple[int, int, int, int] | None = None


def is_list(count: NDArray[Any], entries: NDArray[Any]) -> bool:
    """True where two outputs that follow each other are a list of results."""
    return (
        (count.dtype, count.shape) == (np.dtype(np.int32), (1,))
        and entries.dtype == np.int16
        and entries.ndim == 2
        and entries.shape[1] == _WORDS
    )


def detections(
    count: NDArray[Any], entries: NDArray[Any], labels: Sequence[str] = ()
) -> list[Detection]:
    """The entries of a list, in their order, the best first.

    Raises :class:`ranvier.errors.InputError` where the arrays are no list, or the list is not what
    a package can have put out.
    """
    if not is_list(count, entries):
        raise InputError(
            f"{count.dtype}{list(count.shape)} and {entries.dtype}{list(entries.shape)} are no "
            "list of results",
            "give a count, int32 [1], and entries, int16 [capacity, 6]",
        )
    used = int(count[0])
    if not 0 <= used <= len(entries):
        raise InputError(
            f"a list of {len(entries)} entries cannot have {used} in use",
            "read both outputs of the same run",
        )
    return [_detection(entry.tolist(), labels) for entry in entries[:used]]


def listed(outputs: Sequence[NDArray[Any]], labels: Sequence[str] = ()) -> list[Detection] | None:
    """What a package's outputs list; None where they are not a list and nothing else."""
    if len(outputs) != 2 or not is_list(*outputs):
        return None
    return detections(outputs[0], outputs[1], labels)


def counted_label(values: NDArray[Any], labels: Sequence[str]) -> str | None:
    """The label of the class whose number an output is, as of the stage argmax; None for others."""
    if values.dtype != np.int32 or values.size != 1:
        return None
    number = int(values.flat[0])
    return labels[number] if 0 <= number < len(labels) else None


def _detection(entry: list[int], labels: Sequence[str]) -> Detection:
    number, score, y0, x0, y1, x1 = entry
    label = labels[number] if 0 <= number < len(labels) else str(number)
    box = (y0, x0, y1, x1)
    return Detection(number, label, score / SCORE_STEPS, box if any(box) else None)
