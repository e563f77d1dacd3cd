# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""TOP_K, NMS, SMOOTH and ARG_MAX against plain Python, hostile data included."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from ranvier.compiler.check import reasons_against
from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.ops.smooth import state_words
from ranvier.native.binding import ffi
from ranvier.package.records import IoMode
from vision_ops import Array, a_list, program

Entry = tuple[int, ...]
PROBABILITY = Quant((1 / 256,), (-128,))


def filled(entries: list[Entry], capacity: int) -> tuple[list[int], list[list[int]]]:
    """A list as its two tensors should be."""
    rows = [[*entry, *[0] * (6 - len(entry))] for entry in entries]
    return [len(entries)], rows + [[0] * 6] * (capacity - len(entries))


def as_lists(arrays: list[Array]) -> tuple[list[int], list[list[int]]]:
    count, entries = arrays
    return count.tolist(), entries.tolist()


def table(random: np.random.Generator) -> Array:
    """Scores by raw byte, which need not rise."""
    return random.integers(0, 32768, 256).astype("<i2")


@pytest.mark.parametrize("mode", IoMode)
def test_top_k_is_a_stable_sort(mode: IoMode) -> None:
    random = np.random.default_rng(1)
    for _ in range(40):
        classes = int(random.integers(1, 40))
        k = int(random.integers(1, classes + 1))
        threshold = int(random.choice([0, 1, 16384, 32767]))
        scores = table(random)
        x = Tensor("x", DType.INT8, (1, classes), PROBABILITY)
        attrs: dict[str, Any] = {"k": k, "threshold": threshold, "scores": scores}
        model = program("TOP_K", [x], a_list("top", k), mode, **attrs)
        for spread in (1, 4, 256):  # with many ties, and few
            values = random.integers(0, spread, (1, classes)).astype(np.uint8).view(np.int8)
            real = [int(scores[v]) for v in values.view(np.uint8)[0]]
            order = sorted(range(classes), key=lambda c: (-real[c], c))
            best = [(c, real[c]) for c in order if real[c] >= threshold][:k]
            assert as_lists(model.run(values)) == filled(best, k)


def area(box: Entry) -> int:
    y0, x0, y1, x1 = box
    return max(y1 - y0, 0) * max(x1 - x0, 0)


def greedy(entries: list[Entry], capacity: int, iou: int, per_class: bool) -> list[Entry]:
    kept: list[Entry] = []
    for entry in entries:
        clear = True
        for other in kept:
            a, b = entry[2:], other[2:]
            common = area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
            if area(a) == 0 or area(b) == 0:
                common = 0
            union = area(a) + area(b) - common
            same = not per_class or entry[0] == other[0]
            clear &= not (same and union and Fraction(common, union) > Fraction(iou, 32768))
        if clear:
            kept.append(entry)
    return kept[:capacity]


def nms(candidates: int, capacity: int, iou: int, per_class: bool) -> Any:
    attrs = {"iou": iou, "per_class": int(per_class)}
    return program("NMS", a_list("in", candidates), a_list("out", capacity), **attrs)


@pytest.mark.parametrize("per_class", [False, True])
def test_nms_is_greedy_with_exact_overlaps(per_class: bool) -> None:
    random = np.random.default_rng([2, per_class])
    for _ in range(60):
        candidates = int(random.integers(1, 40))
        capacity = int(random.integers(1, candidates + 1))
        iou = int(random.choice([0, 8192, 10923, 16384, 29491, 32767]))
        count = int(random.integers(0, candidates + 1))
        corner = random.integers(0, 20, (candidates, 2))
        boxes = np.concatenate([corner, corner + random.integers(0, 12, (candidates, 2))], 1)
        scores = -np.sort(-random.integers(0, 32768, candidates))
        columns = [random.integers(0, 3, candidates), scores]
        entries = np.concatenate([np.stack(columns, 1), boxes], 1).astype(np.int16)
        expected = greedy([tuple(e) for e in entries[:count].tolist()], capacity, iou, per_class)
        got = nms(candidates, capacity, iou, per_class).run(np.array([count], np.int32), entries)
        assert as_lists(got) == filled(expected, capacity)


@pytest.mark.parametrize("count", [-(2**31), -1, 9, 2**31 - 1])
def test_a_count_out_of_range_is_clamped(count: int) -> None:
    boxes = [(c, 1000, 10 * c, 0, 10 * c + 5, 5) for c in range(8)]
    got = nms(8, 8, 16384, False).run(np.array([count], np.int32), np.array(boxes, np.int16))
    assert as_lists(got) == filled(boxes if count > 0 else [], 8)


def test_boxes_of_any_numbers() -> None:
    """Inside out, of the largest size, and both: as exact arithmetic has it."""
    random = np.random.default_rng(3)
    extremes = np.array([-32768, -32767, -1, 0, 1, 32767], np.int16)
    for iou in (0, 1, 16384, 32767):
        entries = random.choice(extremes, (64, 6))
        entries[:, 0] = random.integers(-3, 3, 64)
        expected = greedy([tuple(e) for e in entries.tolist()], 64, iou, True)
        got = nms(64, 64, iou, True).run(np.array([64], np.int32), entries)
        assert as_lists(got) == filled(expected, 64)


def test_two_boxes_of_exactly_the_limit_both_stay() -> None:
    boxes = np.array([[0, 9, 0, 0, 2, 2], [0, 8, 0, 1, 2, 3]], np.int16)  # 2 of 6 pixels
    for iou, stays in ((10922, 1), (10923, 2)):  # 1/3 is 10922.67
        got = nms(2, 2, iou, True).run(np.array([2], np.int32), boxes)
        assert got[0].tolist() == [stays]


class Smoother:
    """What SMOOTH should do, with lists and fractions."""

    def __init__(self, attrs: dict[str, Any], scores: Array) -> None:
        self.attrs, self.scores = attrs, scores
        self.history: deque[list[int]] = deque(maxlen=attrs["window"])
        self.runs = 0
        self.until = -1  # the last run that an event keeps quiet
        self.latest = -1

    def run(self, values: Array) -> list[Entry]:
        a = self.attrs
        self.history.append([int(self.scores[v]) for v in values.view(np.uint8).reshape(-1)])
        self.runs += 1
        sums = [sum(column) for column in zip(*self.history, strict=True)]
        best = sums.index(max(sums))
        mean = int(Fraction(sums[best], len(self.history)) + Fraction(1, 2))
        quiet = self.runs <= self.until and (a["any_class"] or best == self.latest)
        if a["ignored"][best] or quiet or mean < a["threshold"] or self.runs < a["minimum"]:
            return []
        self.until, self.latest = self.runs + a["refractory"], best
        return [(best, mean)]


def smooth(attrs: dict[str, Any], scores: Array, classes: int) -> Any:
    x = Tensor("x", DType.INT8, (1, classes), PROBABILITY)
    words = state_words(classes, attrs["window"])
    state = Tensor("state", DType.INT16, (words,), state=True)
    given = {**attrs, "scores": scores}
    return program("SMOOTH", [x, state], [state, *a_list("event", 1)], **given)


def test_smoothing_over_many_runs() -> None:
    random = np.random.default_rng(4)
    events = 0
    for _ in range(30):
        classes = int(random.integers(1, 7))
        attrs: dict[str, Any] = {
            "window": int(random.integers(1, 9)),
            "threshold": int(random.integers(0, 20000)),
            "refractory": int(random.integers(0, 9)),
            "minimum": int(random.integers(1, 12)),
            "any_class": int(random.integers(2)),
            "ignored": random.integers(0, 2, classes).astype(np.uint8) * (random.random() < 0.5),
        }
        attrs["ignored"] = attrs["ignored"].astype(np.uint8)
        scores = table(random)
        model = smooth(attrs, scores, classes)
        for _ in range(2):  # a reset makes all as it was at first
            expected = Smoother(attrs, scores)
            for _ in range(60):
                values = random.integers(-128, 128, (1, classes)).astype(np.int8)
                wanted = expected.run(values)
                events += len(wanted)
                assert as_lists(model.run(values)) == filled(wanted, 1)
            model.reset()
    assert events > 200


def test_smoothing_trusts_no_state() -> None:
    """Any bytes as state: no access beyond it (ASan sees the unit test), scores stay Q15."""
    random = np.random.default_rng(5)
    attrs: dict[str, Any] = {
        "window": 3,
        "threshold": 0,
        "refractory": 2,
        "minimum": 1,
        "any_class": 0,
        "ignored": np.zeros(4, np.uint8),
    }
    model = smooth(attrs, table(random), 4)
    for _ in range(200):
        junk = random.choice(np.array([-32768, -1, 0, 1, 2, 3, 32767], np.int16), 16)
        ffi.buffer(model._session._state, 32)[:] = junk.tobytes()
        count, entries = model.run(np.zeros((1, 4), np.int8))
        assert 0 <= count[0] <= 1
        assert 0 <= entries[0, 1] <= 32767
        assert 0 <= entries[0, 0] < 4


@pytest.mark.parametrize("shape", [(1,), (9,)])
def test_the_largest_of_a_vector(shape: tuple[int, ...]) -> None:
    x = Tensor("x", DType.INT8, shape, PROBABILITY)
    axis = Tensor("axis", DType.INT32, (1,), data=np.array([0], np.int32))
    model = program("ARG_MAX", [x, axis], [Tensor("y", DType.INT32, ())])
    values = np.random.default_rng(6).integers(-2, 2, shape).astype(np.int8)
    assert int(model.run(values)[0]) == int(np.argmax(values))


GOOD: dict[str, dict[str, Any]] = {
    "TOP_K": {"k": 2, "threshold": 5, "scores": np.zeros(256, "<i2")},
    "NMS": {"iou": 5, "per_class": 1},
    "SMOOTH": {
        "window": 2,
        "threshold": 1,
        "refractory": 1,
        "minimum": 1,
        "any_class": 1,
        "scores": np.zeros(256, "<i2"),
        "ignored": np.zeros(4, np.uint8),
    },
}


def op_of(kind: str, **changes: Any) -> Op:
    x = Tensor("x", DType.INT8, (1, 4), PROBABILITY)
    attrs = {**GOOD[kind], **changes}
    if kind == "TOP_K":
        return Op(kind, [x], a_list("top", 2), attrs)
    if kind == "NMS":
        return Op(kind, [*a_list("in", 4)], a_list("out", 2), attrs)
    state = Tensor("state", DType.INT16, (state_words(4, 2),), state=True)
    return Op(kind, [x, state], [state, *a_list("event", 1)], attrs)


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("TOP_K", {"k": 0}, "k is 0, not 1..4"),
        ("TOP_K", {"k": 5}, "k is 5, not 1..4"),
        ("TOP_K", {"k": 3}, "a list of 3 entries is not"),
        ("TOP_K", {"threshold": 40000}, "threshold is 40000"),
        ("TOP_K", {"scores": np.zeros(255, "<i2")}, "scores is not an array of [256]"),
        ("NMS", {"iou": -1}, "iou is -1"),
        ("NMS", {"per_class": 2}, "per_class is 2"),
        ("SMOOTH", {"window": 0}, "window is 0"),
        ("SMOOTH", {"window": 3}, "output 0 is not state of 16 int16"),
        ("SMOOTH", {"minimum": 0}, "minimum is 0"),
        ("SMOOTH", {"refractory": 32768}, "refractory is 32768"),
        ("SMOOTH", {"ignored": np.zeros(3, np.uint8)}, "ignored is not an array of [4]"),
    ],
)
def test_what_cannot_be_is_refused(kind: str, changes: dict[str, Any], why: str) -> None:
    assert reasons_against(op_of(kind)) == []
    assert why in "; ".join(reasons_against(op_of(kind, **changes)))
