# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""DETECT: the objects that a grid of cells describes, as a list, the best first.

An op that only stages make. Inputs are one to three int8 tensors; attributes say where in them the
scores, boxes and objectness of each cell and anchor lie (:class:`Part`), and what the values mean,
as tables by raw byte (``kernels/vision/detect.c``).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand, tensor_reasons
from ranvier.compiler.ops.entries import (
    CLASSES_MAX,
    ENTRIES_MAX,
    SCORE_ONE,
    counts_reasons,
    list_reasons,
    table_reasons,
    word_reasons,
)

CELLS_MAX = 4096
ANCHORS_MAX = 256
PICTURE_MAX = 32767
_BOX_VALUES = 4
_PARTS = ("score", "object", "box")


@dataclass(frozen=True)
class Part:
    """Where values of the cells lie: those of a cell and anchor follow each other.

    ``input`` is the number of the input, ``first`` the element of the first cell's first anchor;
    ``cell`` and ``anchor`` are the distances to the next cell and the next anchor.
    """

    input: int
    first: int
    cell: int
    anchor: int


NOWHERE = Part(-1, 0, 0, 0)
"""The part of the objectness where there is none."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """What box values mean. Pixels are Q8, factors Q16, all int32.

    The middle is ``origin`` of the row or column plus ``offset`` times the anchor's unit, the size
    twice ``extent`` times the anchor's half; ``anchors`` has unit y, x and half height, width.
    """

    offset: NDArray[np.int32]
    extent: NDArray[np.int32]
    origin_y: NDArray[np.int32]
    origin_x: NDArray[np.int32]
    anchors: NDArray[np.int32]

    def reasons(self) -> list[str]:
        """Why the arrays are not of their types, shapes and limits."""
        arrays = (self.offset, self.extent, self.origin_y, self.origin_x, self.anchors)
        if any(array.dtype != np.dtype("<i4") for array in arrays):
            return ["the geometry is not int32"]
        if self.offset.shape != (256,) or self.extent.shape != (256,):
            return ["offset or extent is not a table of 256"]
        sides = (len(self.origin_y), len(self.origin_x))
        if not all(1 <= side <= CELLS_MAX for side in sides):
            return [f"the grid has {sides} cells, 1..{CELLS_MAX} are possible on each side"]
        if not 1 <= len(self.anchors) <= ANCHORS_MAX or self.anchors.shape[1:] != (4,):
            return [f"{len(self.anchors)} anchors of 4, 1..{ANCHORS_MAX} are possible"]
        return []


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = counts_reasons(op, range(1, 4), 2)
    if reasons:
        return reasons
    for number in range(len(op.inputs)):
        reasons += tensor_reasons(op.inputs[number], "input", (DType.INT8,), quantised=False)
    geometry = op.attrs.get("geometry")
    if not isinstance(geometry, Geometry):
        return [*reasons, "has no geometry"]
    reasons += geometry.reasons()
    reasons += word_reasons(
        op,
        classes=(1, CLASSES_MAX),
        order=(0, 1),
        threshold=(0, SCORE_ONE),
        candidates=(1, ENTRIES_MAX),
    )
    reasons += table_reasons(op, "scores", "<i2", 256)
    picture = op.attrs.get("picture", ())
    if len(picture) != 4 or not _is_picture(*picture):
        reasons.append(f"the picture {picture} is not a window within 0..{PICTURE_MAX}")
    if reasons:
        return reasons
    has_object = op.attrs["object"] != NOWHERE
    reasons += _part_reasons(op, "score", op.attrs["classes"], geometry)
    reasons += _part_reasons(op, "box", _BOX_VALUES, geometry)
    if has_object:
        reasons += _part_reasons(op, "object", 1, geometry)
        reasons += table_reasons(op, "objects", "<i2", 256)
    return reasons + list_reasons(op.outputs, op.attrs["candidates"])


def _is_picture(top: int, left: int, bottom: int, right: int) -> bool:
    return 0 <= top < bottom <= PICTURE_MAX and 0 <= left < right <= PICTURE_MAX


def _part_reasons(op: Op, name: str, count: int, geometry: Geometry) -> list[str]:
    part: Part = op.attrs[name]
    if not 0 <= part.input < len(op.inputs) or min(part.first, part.cell, part.anchor) < 0:
        return [f"the {name} is nowhere"]
    cells = len(geometry.origin_y) * len(geometry.origin_x)
    last = (cells - 1) * part.cell + (len(geometry.anchors) - 1) * part.anchor + count
    elements = operand(op, part.input).elements
    if part.first + last > elements:
        return [f"the {name} ends at {part.first + last} of {elements} elements"]
    return []


def lower(op: Op) -> Lowered:
    """The op as the device does it."""
    g: Geometry = op.attrs["geometry"]
    parts = [word for name in _PARTS for word in astuple(op.attrs[name])]
    params = (
        len(g.origin_y),
        len(g.origin_x),
        len(g.anchors),
        op.attrs["classes"],
        *parts,
        op.attrs["order"],
        *op.attrs["picture"],
        op.attrs["threshold"],
        op.attrs["candidates"],
    )
    has_object = op.attrs["object"] != NOWHERE
    tables = [op.attrs["scores"], *([op.attrs["objects"]] if has_object else [])]
    tables += [g.offset, g.extent, g.origin_y, g.origin_x, g.anchors]
    return Lowered(
        "DETECT_S8",
        params,
        tuple(operand(op, number) for number in range(len(op.inputs))),
        tuple(op.outputs),
        weights=b"".join(table.tobytes() for table in tables),
    )


OPS = (OpSpec("DETECT", 1, check, lower),)
DEVICE_OPS = (
    DeviceOp(
        "DETECT_S8",
        (
            *("cells_h", "cells_w", "anchors", "classes"),
            *(f"{part}_{word}" for part in _PARTS for word in ("input", "first", "cell", "anchor")),
            *("box_order", "top", "left", "bottom", "right", "threshold", "candidates"),
        ),
    ),
)
