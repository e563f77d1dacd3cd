# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The stage detect: bit by bit against integers as SPEC.md has them, closely against real numbers.

``reference`` is written from the stage's description in real numbers; ``exact`` from SPEC.md, with
tables of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from cli_tools import ROOT
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.errors import InputError
from vision_ops import Array, network, staged

SCORES = Quant((float(np.float32(0.08)),), (10,))
BOXES = Quant((float(np.float32(0.03)),), (-5,))


@dataclass(frozen=True)
class Case:
    """A grid, how its values lie, and the stage's options."""

    grid: tuple[int, int]
    classes: int
    anchors: tuple[tuple[float, float], ...] = ()
    size: tuple[int, int] = (96, 96)
    source: tuple[int, int, int, int] | None = None
    layout: str = "apart"  # apart, objects (a third output), box or scores first
    style: str = "cell"
    order: str = "yxhw"
    variance: tuple[float, float] = (1.0, 1.0)
    objectness: bool = False
    background: bool = False
    threshold: float = 0.5
    candidates: int = 32

    @property
    def count(self) -> int:
        return max(len(self.anchors), 1)

    def text(self) -> str:
        options: dict[str, Any] = {
            "size": list(self.size),
            "style": self.style,
            "order": self.order,
            "variance": list(self.variance),
            "threshold": self.threshold,
            "candidates": self.candidates,
            "objectness": str(self.objectness).lower(),
            "background": str(self.background).lower(),
        }
        if self.anchors:
            options["anchors"] = [float(n) for anchor in self.anchors for n in anchor]
        if self.source:
            options["source"] = list(self.source)
        if self.layout == "objects":
            options |= {"scores": 2, "boxes": 0, "objects": 1}
        if self.layout == "apart" and self.classes == 4:  # either could be boxes
            options |= {"scores": 0, "boxes": 1}
        if self.layout == "scores":
            options["first"] = "scores"
        return "detect:" + ",".join(f"{key}={value}" for key, value in options.items())

    def tensors(self) -> list[Tensor]:
        """The network's outputs."""
        scores = self.classes + self.background
        inner = int(self.objectness and self.layout != "objects")

        def grid(name: str, values: int, quant: Quant) -> Tensor:
            return Tensor(name, DType.INT8, (1, *self.grid, self.count * values), quant)

        if self.layout == "apart":
            return [grid("scores", scores + inner, SCORES), grid("boxes", 4, BOXES)]
        if self.layout == "objects":
            outputs = [grid("boxes", 4, BOXES), grid("objects", 1, SCORES)]
            return [*outputs, grid("scores", scores, SCORES)]
        return [grid("all", 4 + inner + scores, BOXES)]

    def split(self, values: list[Array]) -> tuple[Array, Array, Array | None]:
        """Scores, boxes and objectness, [rows, columns, anchors, values] each."""
        parts = [v.reshape(*self.grid, self.count, -1) for v in values]
        if self.layout == "objects":
            return parts[2][..., self.background :], parts[0], parts[1]
        if self.layout == "apart":
            rest, boxes = parts
        elif self.layout == "box":
            boxes, rest = parts[0][..., :4], parts[0][..., 4:]
        else:
            rest, boxes = parts[0][..., :-4], parts[0][..., -4:]
        objects = None
        if self.objectness and self.layout == "scores":
            rest, objects = rest[..., :-1], rest[..., -1:]
        elif self.objectness:
            objects, rest = rest[..., :1], rest[..., 1:]
        return rest[..., self.background :], boxes, objects

    @property
    def score_quant(self) -> Quant:
        return SCORES if self.layout in ("apart", "objects") else BOXES


def real(values: Array, quant: Quant) -> Array:
    return (values.astype(np.float64) - quant.zero_point) * quant.scale


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def reference(case: Case, values: list[Array]) -> tuple[Array, Array, Array]:
    """Class, score and box of every anchor of every cell in real numbers, boxes in the source."""
    scores, boxes, objects = case.split(values)
    classes = np.argmax(scores, -1)
    score = sigmoid(real(scores.max(-1), case.score_quant))
    if objects is not None:
        score = score * sigmoid(real(objects[..., 0], case.score_quant))
    t = real(boxes, BOXES)
    if case.order == "xywh":
        t = t[..., [1, 0, 3, 2]]
    t = t * np.repeat(case.variance, 2)
    cell = np.array(case.size) / case.grid
    anchors = np.array(case.anchors) if case.anchors else cell[None]
    index = np.stack(np.meshgrid(*map(np.arange, case.grid), indexing="ij"), -1)[:, :, None]
    if case.style == "cell":
        middle = (index + sigmoid(t[..., :2])) * cell
    else:
        middle = (index + 0.5) * cell + t[..., :2] * anchors
    half = anchors * np.exp(t[..., 2:]) / 2
    top, left, rows, columns = case.source or (0, 0, *case.size)
    box = np.concatenate([middle - half, middle + half], -1)
    box = box * np.tile([rows / case.size[0], columns / case.size[1]], 2) + [top, left, top, left]
    return classes, score, np.clip(box, [top, left] * 2, [top + rows, left + columns] * 2)


@dataclass(frozen=True)
class Tables:
    """The integers that SPEC.md wants, from real numbers; those of a value are at value + 128."""

    score: list[int]
    offset: list[int]
    extent: list[int]
    origin: tuple[list[int], list[int]]
    anchors: list[list[int]]


def tables(case: Case) -> Tables:
    values = np.arange(-128, 128)
    top, left, rows, columns = case.source or (0, 0, *case.size)
    cell = np.array([rows, columns]) / case.grid
    anchors = np.array(case.anchors).reshape(-1, 2) * [rows / case.size[0], columns / case.size[1]]
    anchors = anchors if case.anchors else cell[None]
    offset, extent = (real(values, BOXES) * variance for variance in case.variance)
    in_cell = case.style == "cell"
    y, x = (np.arange(side) + (0 if in_cell else 0.5) for side in case.grid)
    units = np.repeat(cell[None], len(anchors), 0) if in_cell else anchors
    return Tables(
        score=np.minimum(fixed(sigmoid(real(values, case.score_quant)), 15), 32767).tolist(),
        offset=fixed(sigmoid(offset) if in_cell else offset, 16).tolist(),
        extent=fixed(np.exp(extent), 16).tolist(),
        origin=(fixed(top + y * cell[0], 8).tolist(), fixed(left + x * cell[1], 8).tolist()),
        anchors=fixed(np.concatenate([units, anchors / 2], 1), 8).tolist(),
    )


def fixed(numbers: Array, bits: int) -> Array:
    return np.floor(numbers * 2**bits + 0.5).clip(-(2**31), 2**31 - 1).astype(np.int64)


def exact(case: Case, values: list[Array]) -> list[list[int]]:
    """The list that SPEC.md defines."""
    top, left, rows, columns = case.source or (0, 0, *case.size)
    limits = [(top, top + rows), (left, left + columns)] * 2
    threshold = min(math.ceil(case.threshold * 32768), 32767)
    of = tables(case)
    scores, boxes, objects = case.split(values)
    found = []
    for y, x, a in np.ndindex(*case.grid, case.count):
        number = int(np.argmax(scores[y, x, a]))
        score = of.score[int(scores[y, x, a, number]) + 128]
        if objects is not None:
            score = (score * of.score[int(objects[y, x, a, 0]) + 128] + 2**14) >> 15
        box = [int(v) + 128 for v in boxes[y, x, a]]
        ty, tx, th, tw = [box[i] for i in ((0, 1, 2, 3), (1, 0, 3, 2))[case.order[0] == "x"]]
        unit_y, unit_x, half_h, half_w = of.anchors[a]
        my = of.origin[0][y] + scaled(unit_y, of.offset[ty])
        mx = of.origin[1][x] + scaled(unit_x, of.offset[tx])
        h, w = scaled(half_h, of.extent[th]), scaled(half_w, of.extent[tw])
        pixels = [
            min(max((edge + 128) >> 8, low), high)
            for edge, (low, high) in zip([my - h, mx - w, my + h, mx + w], limits, strict=True)
        ]
        if score >= threshold:
            found.append([number, score, *pixels])
    return sorted(found, key=lambda entry: -entry[1])[: case.candidates]


def scaled(pixels: int, factor: int) -> int:
    return min(max((pixels * factor + 2**15) >> 16, -(2**24)), 2**24)


PAIR = ((20.0, 12.5), (40.0, 70.0))
CASES = [
    Case((6, 6), 3),
    Case((1, 1), 1, size=(8, 8), candidates=1, threshold=0.0),
    Case((5, 7), 4, PAIR, size=(60, 90), candidates=200, threshold=0.2),
    Case((4, 4), 4, layout="box", objectness=True, threshold=0.1),
    Case((4, 4), 2, PAIR, layout="scores", objectness=True, background=True, threshold=0.1),
    Case((4, 6), 2, PAIR, layout="objects", objectness=True, order="xywh", threshold=0.05),
    Case((6, 4), 5, PAIR, style="anchor", variance=(0.1, 0.2), background=True, layout="apart"),
    Case((6, 4), 2, PAIR, style="anchor", layout="box", source=(20, 30, 240, 320), threshold=0.0),
    Case((3, 3), 2, source=(0, 7, 32767, 32760), candidates=256, threshold=1.0),
]


@pytest.mark.parametrize("case", CASES)
def test_a_grid_is_what_integers_and_real_numbers_say(case: Case) -> None:
    tensors = case.tensors()
    model = staged(network(*tensors), post=[case.text()])
    random = np.random.default_rng(11)
    found = 0
    for spread in (128, 40, 3):
        low = max(-128, -spread)
        values = [random.integers(low, spread, t.shape).astype(np.int8) for t in tensors]
        count, entries = model.run(*values)
        wanted = exact(case, values)
        assert entries[: count[0]].tolist() == wanted
        assert count.tolist() == [len(wanted)]
        assert not entries[count[0] :].any()
        found += len(wanted)
        check_reference(case, values, wanted)
    assert found or case.threshold == 1.0


def check_reference(case: Case, values: list[Array], wanted: list[list[int]]) -> None:
    """All entries are cells in real numbers, and what is left out is worse or below."""
    classes, scores, boxes = (part.reshape(-1, *part.shape[3:]) for part in reference(case, values))
    left = set(range(len(classes)))
    scale = max(np.max(case.source or case.size), 96) / 96
    for number, score, *box in wanted:
        match = [
            i
            for i in left
            if classes[i] == number
            and abs(scores[i] - score / 32768) < 1e-4
            and np.abs(boxes[i] - box).max() < 0.52 + 0.02 * scale
        ]
        assert match, (number, score, box)
        left.remove(match[0])
    last = wanted[-1][1] / 32768 if len(wanted) == case.candidates else case.threshold
    assert all(scores[i] < last + 1e-4 for i in left)


GRID = Case((4, 4), 3)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("detect:size=[0,96]", "size or source is no picture"),
        ("detect:size=[96,96],source=[0,0,40000,3]", "size or source is no picture"),
        ("detect:size=[96,96],source=[-1,0,40,3]", "size or source is no picture"),
        ("detect:size=[96,96],candidates=0", "candidates = 0 is impossible"),
        ("detect:size=[96,96],candidates=257", "candidates = 257 is impossible"),
        ("detect:size=[96,96],threshold=1.5", "threshold = 1.5 is not 0..1"),
        ("detect:size=[96,96],threshold=nan", "threshold = nan is not 0..1"),
        ("detect:size=[96,96],anchors=[3]", "anchors has 1 numbers"),
        ("detect:size=[96,96],anchors=[3,0]", "anchors has sizes outside"),
        ("detect:size=[96,96],anchors=[3,4,5,6,7,8]", "is not 4 x 4 cells of 3 anchors"),
        ("detect:size=[96,96],anchors=[3,inf]", "anchors has sizes outside"),
        ("detect:size=[96,96],variance=[0,1]", "variance is not above 0"),
        ("detect:size=[96,96],boxes=2", "boxes = 2, and there are 2 outputs"),
        ("detect:size=[96,96],boxes=0,scores=1", "are not 4 values of a box and scores"),
        ("detect:size=[96,96],objects=1", "there is no objectness"),
        ("detect:size=[96,96],first=box", "first has no effect, since box and scores are"),
        ("detect:size=[96,96],grid=[3,4]", "is not 3 x 4 cells"),
        ("detect:size=[96,96],grid=[0,4]", "a grid of 0 x 4 cells"),
        ("detect:size=[96,96],score=none", "are not scores of 0..1"),
        ("detect:size=[96,96],style=ssd", "is not 'cell' or 'anchor'"),
    ],
)
def test_wrong_options_are_named(text: str, why: str) -> None:
    with pytest.raises(InputError) as error:
        staged(network(*GRID.tensors()), post=[text])
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("detect:size=[96,96]", "boxes and scores can be any of the 2 outputs"),
        ("detect:size=[96,96],boxes=0", "boxes and scores can be any of the 2 outputs"),
        ("detect:size=[96,96],scores=1", "boxes and scores can be any of the 2 outputs"),
    ],
)
def test_outputs_that_could_be_either_are_to_be_named(text: str, why: str) -> None:
    """Four values for each cell are a box, or the scores of four classes."""
    tensors = Case((4, 4), 4).tensors()
    with pytest.raises(InputError) as error:
        staged(network(*tensors), post=[text])
    assert why in str(error.value)
    assert "give the numbers of both" in str(error.value)
    staged(network(*tensors), post=["detect:size=[96,96],boxes=0,scores=1"])


@pytest.mark.parametrize(
    ("crop", "window"),
    [
        ("crop=center", [0, 20, 120, 120]),
        ("crop=[5,7,96,110]", [5, 7, 96, 110]),
        ("", [0, 0, 120, 160]),
    ],
)
def test_boxes_are_in_pixels_of_the_picture_that_was_cropped(crop: str, window: list[int]) -> None:
    pre = [f"image:format=rgb565,size=[120,160],{crop}".rstrip(","), "normalize"]
    detect = "detect:boxes=0,scores=1,anchors=[20,20]"
    packages = [
        compile_model(
            (ROOT / "models" / "shapes" / "shapes.tflite").read_bytes(),
            "shapes.tflite",
            CompileOptions(pipeline=pipeline_of(pre, [detect + source])),
        )
        for source in ("", f",source={window}", ",source=[0,0,96,96]")
    ]
    assert packages[0].content.ops == packages[1].content.ops
    assert packages[0].content.ops != packages[2].content.ops


@pytest.mark.parametrize("option", ["boxes", "scores"])
def test_the_only_output_has_number_0(option: str) -> None:
    case = Case((4, 4), 2, layout="box")
    with pytest.raises(InputError, match=f"{option} = 1, and there are 1 outputs"):
        staged(network(*case.tensors()), post=[f"{case.text()},{option}=1"])
    same = [staged(network(*case.tensors()), post=[case.text() + t]) for t in ("", f",{option}=0")]
    assert same[0].package.content.ops == same[1].package.content.ops


def test_labels_are_as_many_as_classes() -> None:
    model = network(*GRID.tensors())
    with pytest.raises(InputError, match="2 labels for 3 classes"):
        staged(model, post=[GRID.text()], labels=("a", "b"))
    assert staged(model, post=[GRID.text()], labels=("a", "b", "c")).package.labels == tuple("abc")


def test_nms_follows_detect() -> None:
    """One object in neighbouring cells is found once."""
    case = Case((4, 4), 2)
    model = staged(network(*case.tensors()), post=[case.text(), "nms:iou=0.3,capacity=5"])
    scores = np.full((1, 4, 4, 2), -128, np.int8)
    boxes = np.full((1, 4, 4, 4), -5, np.int8)
    boxes[..., 2:] = 30  # large
    for x, value in ((1, 90), (2, 100)):
        scores[0, 1, x, 0] = value
    scores[0, 1, 2, 1] = -128
    scores[0, 3, 3, 1] = 80
    count, entries = model.run(scores, boxes)
    assert count.tolist() == [2]
    assert entries[:2, 0].tolist() == [0, 1]
    assert entries.shape == (5, 6)
    assert not entries[2:].any()


@pytest.mark.parametrize(
    ("stages", "why"),
    [
        (["nms"], "needs the list that detect gives"),
        ([GRID.text(), "nms:iou=2"], "iou = 2 is not 0..1"),
        ([GRID.text(), "nms:capacity=33"], "capacity = 33 of 32 candidates"),
        ([GRID.text(), "nms:capacity=0"], "capacity = 0 of 32 candidates"),
        ([GRID.text(), GRID.text()], "is not quantised int8"),
    ],
)
def test_wrong_orders_are_named(stages: list[str], why: str) -> None:
    with pytest.raises(InputError) as error:
        staged(network(*GRID.tensors()), post=stages)
    assert why in str(error.value)
