# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Turn the network's raw outputs into boxes, in floating point; README.md states the formulas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scenes import SIDE

F32 = NDArray[np.float32]
I64 = NDArray[np.int64]

STRIDE = 8
"""Pixels of the network's input per cell."""

CELLS = SIDE // STRIDE

ANCHOR = 20.0
"""Height and width in pixels of a box whose two size outputs are 0."""


@dataclass(frozen=True)
class Detections:
    """What was found in one picture, best score first; boxes are (n, 4) = y0, x0, y1, x1."""

    classes: I64
    scores: F32
    boxes: F32


def sigmoid(x: F32) -> F32:
    """Return the logistic function of ``x``."""
    return np.asarray(1.0 / (1.0 + np.exp(-x)), np.float32)


def overlap(box: F32, boxes: F32) -> F32:
    """Return the intersection over union of ``box`` with each of ``boxes``."""
    low = np.maximum(box[:2], boxes[:, :2])
    high = np.minimum(box[2:], boxes[:, 2:])
    common = np.prod(np.maximum(high - low, 0.0), axis=1)
    areas = np.prod(boxes[:, 2:] - boxes[:, :2], axis=1)
    return np.asarray(common / (np.prod(box[2:] - box[:2]) + areas - common + 1e-9), np.float32)


def suppress(found: Detections, limit: float) -> Detections:
    """Keep the best box of each class among those that overlap more than ``limit`` (NMS)."""
    kept: list[int] = []
    alive = np.ones(len(found.scores), bool)
    for index in range(len(alive)):
        if alive[index]:
            kept.append(index)
            same = found.classes == found.classes[index]
            alive &= ~(same & (overlap(found.boxes[index], found.boxes) > limit))
    return Detections(found.classes[kept], found.scores[kept], found.boxes[kept])


def decode(logits: F32, geometry: F32, threshold: float, nms: float, capacity: int) -> Detections:
    """Return the objects of one picture.

    ``logits`` is (12, 12, 4), one per class; ``geometry`` is (12, 12, 4): y, x of the middle in
    the cell, height, width. Each cell gives at most one box, of its best class.
    """
    classes = np.argmax(logits, axis=-1).reshape(-1)
    scores = sigmoid(np.max(logits, axis=-1)).reshape(-1)
    cells = np.moveaxis(np.mgrid[0:CELLS, 0:CELLS], 0, -1)
    middle = ((cells + sigmoid(geometry[..., :2])) * STRIDE).reshape(-1, 2)
    half = (0.5 * ANCHOR * np.exp(geometry[..., 2:])).reshape(-1, 2)
    boxes = np.clip(np.concatenate([middle - half, middle + half], axis=1), 0.0, float(SIDE))
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] >= threshold]
    found = Detections(classes[order], scores[order], boxes[order].astype(np.float32))
    found = suppress(found, nms)
    return Detections(found.classes[:capacity], found.scores[:capacity], found.boxes[:capacity])
