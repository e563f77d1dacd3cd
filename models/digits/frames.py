# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Frames of handwritten digits: the split by form, the rendering and the augmentation.

A frame is 28x28 ``uint8`` grey: black background (0), white strokes (255).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from sklearn.datasets import load_digits

FRAME_SIDE = 28
"""Pixels on a side of a frame."""

DIGIT_SIDE = 20.0
"""Pixels on a side of the box that an 8x8 digit fills in a frame without augmentation."""

FORM_STARTS = (0, 130, 256, 386, 516, 646, 776, 906, 1029, 1157, 1287, 1415, 1545, 1667)
"""First sample of each filled-in form in scikit-learn's file (see README.md)."""

HELD_OUT_FORMS = 3
"""The last forms of the file, kept out of training and of every choice made for it."""

U8 = npt.NDArray[np.uint8]
F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Digits:
    """Digits as the data set has them: ``cells`` is (n, 8, 8) in 0..1, ``labels`` is (n,)."""

    cells: F32
    labels: I64


def load_forms(first: int, last: int) -> Digits:
    """Return the digits of the forms ``first`` to ``last - 1``."""
    data = load_digits()
    labels = data.target.astype(np.int64)
    ends = (*FORM_STARTS[1:], len(labels))
    if not np.array_equal(labels[: ends[0]], labels[FORM_STARTS[-1] :]):
        raise ValueError(
            "load_digits() is not the data set whose form boundaries are written in FORM_STARTS; "
            "install the versions of requirements-train.txt"
        )
    span = slice(FORM_STARTS[first], ends[last - 1])
    return Digits((data.images[span] / 16.0).astype(np.float32), labels[span])


def load_held_out() -> Digits:
    """Return the digits that no training has seen."""
    return load_forms(len(FORM_STARTS) - HELD_OUT_FORMS, len(FORM_STARTS))


def render(
    cells: F32,
    *,
    angle_deg: float = 0.0,
    shear: float = 0.0,
    scale: tuple[float, float] = (1.0, 1.0),
    shift: tuple[float, float] = (0.0, 0.0),
    threshold: float = 0.4,
) -> F32:
    """Draw one 8x8 digit into a 28x28 frame with values in 0..1.

    Cubic spline interpolation takes the cells' ink coverage to the frame's pixels; a contrast
    curve around ``threshold`` then turns the blur into strokes (a lower one draws them thicker).
    ``scale`` and ``shift`` (in pixels) are (vertical, horizontal).
    """
    angle = np.deg2rad(angle_deg)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    slant = np.array([[1.0, 0.0], [shear, 1.0]])
    size = np.diag(np.asarray(scale) * DIGIT_SIDE / len(cells))
    frame_to_cells = np.linalg.inv(turn @ slant @ size)
    frame_centre = (FRAME_SIDE - 1) / 2 + np.asarray(shift)
    offset = (len(cells) - 1) / 2 - frame_to_cells @ frame_centre
    coverage = ndimage.affine_transform(
        cells, frame_to_cells, offset, (FRAME_SIDE, FRAME_SIDE), order=3, mode="grid-constant"
    )
    strokes = np.clip((coverage - threshold) * 2.0 + 0.5, 0.0, 1.0)
    return np.asarray(strokes, dtype=np.float32)


def to_frame(grey: F32) -> U8:
    """Round values in 0..1 to grey levels."""
    return np.asarray(np.rint(np.clip(grey, 0.0, 1.0) * 255.0), dtype=np.uint8)


def clean_frames(digits: Digits) -> U8:
    """Return every digit, centred and upright, as (n, 28, 28) frames."""
    return np.stack([to_frame(render(cells)) for cells in digits.cells])


def augmented_frame(cells: F32, rng: np.random.Generator) -> U8:
    """Return one digit moved, turned, resized, slanted, redrawn and made noisy at random."""
    grey = render(
        cells,
        angle_deg=rng.uniform(-15.0, 15.0),
        shear=rng.uniform(-0.2, 0.2),
        scale=(rng.uniform(0.8, 1.15), rng.uniform(0.8, 1.15)),
        shift=(rng.uniform(-3.0, 3.0), rng.uniform(-3.0, 3.0)),
        threshold=rng.uniform(0.3, 0.5),
    )
    grey = grey * rng.uniform(0.6, 1.0)
    noise = rng.normal(0.0, rng.uniform(0.0, 0.12), grey.shape)
    return to_frame(np.asarray(grey + noise, dtype=np.float32))


def augmented_frames(digits: Digits, rng: np.random.Generator) -> U8:
    """Return one augmented frame of every digit, as (n, 28, 28)."""
    return np.stack([augmented_frame(cells, rng) for cells in digits.cells])
