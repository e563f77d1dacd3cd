# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Stages after a network that finds objects: ``detect`` and ``nms``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.compiler.ops.detect import (
    ANCHORS_MAX,
    CELLS_MAX,
    NOWHERE,
    PICTURE_MAX,
    Geometry,
    Part,
)
from ranvier.compiler.ops.entries import (
    ENTRIES_MAX,
    ENTRY_WORDS,
    SCORE_ONE,
    q15,
    quant_of_scores,
    reals,
    sigmoid,
    threshold_q15,
)
from ranvier.compiler.pipeline.post import fraction, new_list
from ranvier.compiler.pipeline.stage import Builder, Stage, Values

Real = NDArray[np.float64]

_BOX = 4
_Q8 = 1 << 8
_Q16 = 1 << 16


@dataclass(frozen=True)
class DetectOptions:
    """Options of ``detect``: from the values of a grid of cells to boxes, the best first.

    Each cell has, for each anchor, a box of four values, a score for each class and perhaps an
    objectness. ``size`` is the picture that the network reads, in rows and columns; without it,
    its input says that. ``source`` is the window (first row, first column, rows, columns) of the
    picture in which boxes are counted, if that is another one; without it, what the stage ``image``
    has cut out, so that boxes are in pixels of the camera's picture, or else ``size``.

    The network has one output, in which box, objectness and scores of an anchor follow each other
    (with ``first = "scores"``: scores, objectness, box), or ``boxes`` and ``scores`` are the
    numbers of its outputs, and ``objects`` that of an objectness of its own. Without them scores
    are output 0 and boxes output 1, of two that could not be exchanged. ``grid`` is the rows and
    columns of cells; without it they are dimensions 1 and 2 of the output with the boxes.

    ``style``, for t the four values, each multiplied by ``variance`` (of offsets, of sizes):

    - ``cell``: middle = (cell + sigmoid(t)) * cell size, size = anchor * exp(t)
    - ``anchor``: middle = (cell + 0.5) * cell size + t * anchor, size = anchor * exp(t)

    ``anchors`` has height and width of each in pixels of ``size``; without it there is one, the
    size of a cell. ``order`` is that of t. ``score`` says what makes the output a score:
    ``sigmoid``, or ``none`` where it is one (after the stage ``softmax``). With ``objectness`` the
    score is multiplied by that, which is a sigmoid as well or none. With ``background`` the first
    score is that of no class. The ``candidates`` best with at least ``threshold`` are kept.
    """

    size: tuple[int, int] | None = None
    source: tuple[int, int, int, int] | None = None
    grid: tuple[int, int] | None = None
    boxes: int = 1
    scores: int = 0
    objects: int | None = None
    first: Literal["box", "scores"] = "box"
    style: Literal["cell", "anchor"] = "cell"
    anchors: tuple[float, ...] = ()
    order: Literal["yxhw", "xywh"] = "yxhw"
    variance: tuple[float, float] = (1.0, 1.0)
    score: Literal["sigmoid", "none"] = "sigmoid"
    objectness: bool = False
    background: bool = False
    threshold: float = 0.5
    candidates: int = 32


@dataclass(frozen=True)
class _Layout:
    """Where the parts of the grid lie, among the tensors that the op reads."""

    grid: tuple[int, int]
    classes: int
    tensors: list[Tensor]
    score: Part
    box: Part
    object: Part


def build_detect(builder: Builder, options: DetectOptions, values: Values) -> Values:
    """A list of what the grid describes."""
    if options.size is None:
        options = replace(options, size=_size_read(builder))
    if options.source is None:
        options = replace(options, source=builder.window)
    _check_options(builder, options)
    anchors = _anchor_count(builder, options)
    layout = _layout(builder, options, values, anchors)
    if builder.labels and len(builder.labels) != layout.classes:
        raise builder.error(
            f"there are {len(builder.labels)} labels for {layout.classes} classes",
            "give one label for each class, in their order, and none for the background",
        )
    top, left, rows, columns = window_of(options)
    result = new_list(builder, "detected", options.candidates)
    extra = {}
    if layout.object != NOWHERE:
        extra["objects"] = _scores(builder, options, layout.tensors[layout.object.input])
    builder.op(
        "DETECT",
        [*layout.tensors],
        [*result],
        classes=layout.classes,
        score=layout.score,
        box=layout.box,
        object=layout.object,
        order=int(options.order == "xywh"),
        picture=(top, left, top + rows, left + columns),
        threshold=threshold_q15(fraction(builder, "detect", "threshold", options.threshold)),
        candidates=options.candidates,
        scores=_scores(builder, options, layout.tensors[layout.score.input]),
        geometry=geometry_of(
            options, layout.grid, _quant(builder, layout.tensors[layout.box.input])
        ),
        **extra,
    )
    return result


def _size_read(builder: Builder) -> tuple[int, int]:
    """Rows and columns of the picture that the network reads."""
    shape = builder.goal.shape
    if len(shape) != 4:
        raise builder.error(
            f"stage detect: the network's input {builder.goal.described} is no picture",
            "give size = [rows, columns]",
        )
    return shape[1], shape[2]


def size_of(options: DetectOptions) -> tuple[int, int]:
    """The picture that the network reads, which is known by now."""
    assert options.size is not None
    return options.size


def window_of(options: DetectOptions) -> tuple[int, int, int, int]:
    """The window in which boxes are counted."""
    return options.source or (0, 0, *size_of(options))


def _check_options(builder: Builder, options: DetectOptions) -> None:
    top, left, rows, columns = window_of(options)
    inside = top + rows <= PICTURE_MAX and left + columns <= PICTURE_MAX
    if min(*size_of(options), rows, columns) < 1 or min(top, left) < 0 or not inside:
        raise builder.error(
            "stage detect: size or source is no picture",
            f"give sizes from 1 on and a window that ends at most at {PICTURE_MAX}",
        )
    if not 1 <= options.candidates <= ENTRIES_MAX:
        raise builder.error(
            f"stage detect: candidates = {options.candidates} is impossible",
            f"give 1..{ENTRIES_MAX}",
        )
    if not all(math.isfinite(v) and v > 0 for v in options.variance):
        raise builder.error("stage detect: variance is not above 0", "give two numbers above 0")
    if options.objects is not None and not options.objectness:
        raise builder.error(
            "stage detect: objects names an output, but there is no objectness",
            "add objectness = true, or leave objects out",
        )


def _anchor_count(builder: Builder, options: DetectOptions) -> int:
    sizes = options.anchors
    if len(sizes) % 2 or len(sizes) > 2 * ANCHORS_MAX:
        raise builder.error(
            f"stage detect: anchors has {len(sizes)} numbers",
            f"give height and width of each, at most {ANCHORS_MAX} pairs",
        )
    if not all(0 < size <= PICTURE_MAX for size in sizes):
        raise builder.error(
            "stage detect: anchors has sizes outside of 0..32767", "give pixels of the picture"
        )
    return max(len(sizes) // 2, 1)


def _layout(builder: Builder, options: DetectOptions, values: Values, anchors: int) -> _Layout:
    """Where everything lies; an error where the tensors cannot be such a grid."""
    box = _chosen(builder, values, "boxes", options.boxes)
    score = _chosen(builder, values, "scores", options.scores)
    chosen = [box, score]
    if options.objects is not None:
        chosen.append(_chosen(builder, values, "objects", options.objects))
    for value in chosen:
        _quant(builder, value)
    tensors = list(dict.fromkeys(chosen))
    grid = _grid(builder, options, box)
    counts = {t: _per_anchor(builder, t, grid, anchors) for t in tensors}
    inner = int(options.objectness and options.objects is None)  # objectness beside the scores
    own = box is not score
    _check_told(builder, values, counts[box] == counts[score])
    if own and not inner:
        builder.unused("detect", "first", "box and scores are different outputs")
    classes = counts[score] - (0 if own else _BOX) - inner - int(options.background)
    if classes < 1 or (own and counts[box] != _BOX):
        wanted = f"{_BOX} values of a box" + (", one of objectness" if options.objectness else "")
        raise builder.error(
            f"stage detect: {counts[box]} values of {box.name!r} and {counts[score]} of "
            f"{score.name!r} for each of {anchors} anchors in {grid[0]} x {grid[1]} cells are not "
            f"{wanted} and scores",
            "check boxes, scores, anchors and grid",
        )
    firsts = _firsts(options, counts[score], 0 if own else _BOX, inner)

    def part(tensor: Tensor, first: int) -> Part:
        return Part(tensors.index(tensor), first, counts[tensor] * anchors, counts[tensor])

    placed = {
        "score": part(score, firsts["score"]),
        "box": part(box, 0 if own else firsts["box"]),
        "object": part(score, firsts["object"]) if inner else NOWHERE,
    }
    if options.objects is not None:
        if counts[chosen[2]] != 1:
            raise builder.error(
                f"stage detect: {chosen[2].described} has {counts[chosen[2]]} values for each "
                "anchor, not 1",
                "check objects, anchors and grid",
            )
        placed["object"] = part(chosen[2], 0)
    return _Layout(grid, classes, tensors, **placed)


def _firsts(options: DetectOptions, count: int, box: int, inner: int) -> dict[str, int]:
    """Where in the ``count`` values of an anchor its parts begin; ``box`` of them are its box."""
    background = int(options.background)
    if options.first == "scores":
        return {"score": background, "object": count - box - inner, "box": count - box}
    return {"box": 0, "object": box, "score": box + inner + background}


def _chosen(builder: Builder, values: Values, name: str, number: int) -> Tensor:
    """The output that an option names; the only one where the user has not given the option."""
    if len(values) == 1 and name not in builder.given:
        return values[0]
    if not 0 <= number < len(values):
        raise builder.error(
            f"stage detect: {name} = {number}, and there are {len(values)} outputs",
            "give the number of an output, from 0 on",
        )
    return values[number]


def _check_told(builder: Builder, values: Values, alike: bool) -> None:
    """Refuse to guess which of several outputs is which, where both could be boxes."""
    given = {"boxes", "scores"} & builder.given
    if len(values) > 1 and len(given) < 2 and (given or alike or len(values) > 2):
        outputs = ", ".join(f"{i}: {value.described}" for i, value in enumerate(values))
        raise builder.error(
            f"stage detect: boxes and scores can be any of the {len(values)} outputs ({outputs})",
            "give the numbers of both, boxes=NUMBER and scores=NUMBER",
        )


def _quant(builder: Builder, tensor: Tensor) -> Quant:
    quant = tensor.quant
    if tensor.dtype != DType.INT8 or quant is None or not quant.per_tensor:
        raise builder.error(
            f"stage detect: {tensor.described} is not quantised int8",
            "quantise the model to int8, and put detect behind the network",
        )
    return quant


def _grid(builder: Builder, options: DetectOptions, box: Tensor) -> tuple[int, int]:
    if options.grid is None and len(box.shape) < 4:
        raise builder.error(
            f"stage detect: the shape of {box.described} does not tell the cells",
            "give grid = [rows, columns]",
        )
    grid = options.grid or (box.shape[1], box.shape[2])
    if not all(1 <= side <= CELLS_MAX for side in grid):
        raise builder.error(
            f"stage detect: a grid of {grid[0]} x {grid[1]} cells is impossible",
            f"give 1..{CELLS_MAX} rows and columns",
        )
    return grid


def _per_anchor(builder: Builder, tensor: Tensor, grid: tuple[int, int], anchors: int) -> int:
    parts = grid[0] * grid[1] * anchors
    if tensor.elements % parts or not tensor.elements:
        raise builder.error(
            f"stage detect: {tensor.described} is not {grid[0]} x {grid[1]} cells of {anchors} "
            "anchors",
            "check boxes, scores, anchors and grid",
        )
    return tensor.elements // parts


def _scores(builder: Builder, options: DetectOptions, tensor: Tensor) -> NDArray[np.int16]:
    """The score or objectness, Q15, by raw byte."""
    quant = _quant(builder, tensor)
    if options.score == "sigmoid":
        return q15(sigmoid(reals(quant)))
    if quant_of_scores(tensor) is None:
        raise builder.error(
            f"stage detect: {tensor.described} are not scores of 0..1",
            'put softmax before it, or use score = "sigmoid"',
        )
    return q15(reals(quant))


def geometry_of(options: DetectOptions, grid: tuple[int, int], quant: Quant) -> Geometry:
    """What the device makes boxes with."""
    top, left, rows, columns = window_of(options)
    read_rows, read_columns = size_of(options)
    factor = np.array([rows / read_rows, columns / read_columns])
    cell = np.array([rows / grid[0], columns / grid[1]])
    anchors = np.array(options.anchors, np.float64).reshape(-1, 2) * factor
    if not len(anchors):
        anchors = cell[None]
    values = reals(quant)
    offset, size = (values * variance for variance in options.variance)
    is_cell = options.style == "cell"
    shift = 0.0 if is_cell else 0.5
    units = np.broadcast_to(cell, anchors.shape) if is_cell else anchors
    with np.errstate(over="ignore"):
        extent = np.exp(size)
    return Geometry(
        offset=_fixed(sigmoid(offset) if is_cell else offset, _Q16),
        extent=_fixed(extent, _Q16),
        origin_y=_fixed(top + (np.arange(grid[0]) + shift) * cell[0], _Q8),
        origin_x=_fixed(left + (np.arange(grid[1]) + shift) * cell[1], _Q8),
        anchors=_fixed(np.concatenate([units, anchors / 2], axis=1), _Q8),
    )


def _fixed(real: Real, one: int) -> NDArray[np.int32]:
    """Fixed point to the nearest, saturated."""
    limits = np.iinfo(np.int32)
    return np.clip(np.floor(real * one + 0.5), limits.min, limits.max).astype("<i4")


@dataclass(frozen=True)
class NmsOptions:
    """Options of ``nms``: of boxes that overlap only the best one stays.

    Two boxes overlap where their intersection is more than ``iou`` of their union; with
    ``per_class`` only boxes of one class are compared. At most ``capacity`` stay, the best ones;
    without it as many as there are candidates.
    """

    iou: float = 0.5
    capacity: int | None = None
    per_class: bool = True


def build_nms(builder: Builder, options: NmsOptions, values: Values) -> Values:
    """The list without boxes that overlap better ones."""
    if not is_list(values):
        raise builder.error("stage nms needs the list that detect gives", "put detect before it")
    candidates = values[1].shape[0]
    capacity = candidates if options.capacity is None else options.capacity
    if not 1 <= capacity <= candidates:
        raise builder.error(
            f"stage nms: capacity = {capacity} of {candidates} candidates is impossible",
            f"give 1..{candidates}, or raise candidates of detect",
        )
    iou = fraction(builder, "nms", "iou", options.iou)
    result = new_list(builder, "kept", capacity)
    builder.op(
        "NMS",
        [*values],
        [*result],
        iou=min(int(iou * (SCORE_ONE + 1) + 0.5), SCORE_ONE),
        per_class=int(options.per_class),
    )
    return result


def is_list(values: Values) -> bool:
    """True where the values are a count and entries."""
    return (
        len(values) == 2
        and (values[0].dtype, values[0].shape) == (DType.INT32, (1,))
        and values[1].dtype == DType.INT16
        and values[1].shape[1:] == (ENTRY_WORDS,)
    )


STAGES = (
    Stage("detect", "post", DetectOptions, build_detect),
    Stage("nms", "post", NmsOptions, build_nms),
)
