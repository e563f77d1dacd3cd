# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the verifier proves of generic convolutions and pools that run by rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from ranvier.package.records import Layout, OpRecord, PackageContent
from row_programs import (
    IN_STEP,
    SCRATCH,
    H,
    Image,
    Run,
    W,
    add,
    added,
    blur,
    blurred,
    copy,
    given,
    image,
    picture,
    program,
    rolled,
    taken,
    window,
)
from test_package_rows import OK, OVERLAP, SLICE, judge, run

ALL = ("CONV_2D_S8", "DEPTHWISE_CONV_2D_S8", "AVERAGE_POOL_2D_S8", "MAX_POOL_2D_S8")
CONVOLUTIONS = ALL[:2]
MIDDLE = image(0, layout=Layout.DENSE)
ROLLED = rolled()


def two(first: OpRecord, second: OpRecord, runs: Sequence[Run]) -> PackageContent:
    """in -> first -> dense image -> second -> out."""
    return program([given(), MIDDLE, taken()], [first, second], runs)


def pair(device: str, runs: Sequence[Run]) -> PackageContent:
    """Twice the same op."""
    return two(window(device, 0, 1), window(device, 1, 2), runs)


def computed(device: str, x: Image) -> Image:
    """What an op with a window of 3 x 3 computes, with NumPy."""
    if "CONV" in device:
        return blurred(x)
    rows = [
        [x[max(y - 1, 0) : y + 2, max(c - 1, 0) : c + 2].astype(int) for c in range(W)]
        for y in range(H)
    ]
    if "MAX" in device:
        return np.array([[part.max() for part in row] for row in rows], np.int8)
    means = np.array([[part.mean() for part in row] for row in rows])
    rounded: Image = (np.sign(means) * np.floor(np.abs(means) + 0.5)).astype(np.int8)
    return rounded


@pytest.mark.parametrize("device", ALL)
def test_two_in_step_are_accepted_and_right(device: str) -> None:
    x = picture()
    expected = computed(device, computed(device, x))
    assert (run(pair(device, ROLLED), x) == expected).all()
    assert (run(pair(device, [(0, 0, 5), (1, 0, 4), (0, 5, 3), (1, 4, 4)]), x) == expected).all()
    assert (run(pair(device, [0, (1, 0, H)]), x) == expected).all()


@pytest.mark.parametrize("device", ALL)
@pytest.mark.parametrize(
    ("index", "step"),
    [
        (1, (1, 0, 2)),  # a row more than its input has
        (2, (0, 1, 1)),  # a row twice
        (2, (0, 3, 1)),  # a gap
        (len(ROLLED) - 1, (1, H - 1, 2)),  # beyond the last row
        (len(ROLLED) - 1, (1, H, 1)),
        (0, (0, 0, H + 1)),
    ],
)
def test_slices_that_are_refused(device: str, index: int, step: Run) -> None:
    runs = [*ROLLED]
    runs[index] = step
    assert judge(pair(device, runs)) == SLICE


@pytest.mark.parametrize("device", ALL)
def test_a_whole_op_reads_all_rows(device: str) -> None:
    tensors = [given(), MIDDLE, taken(1), taken(2)]
    ops = [window(device, 0, 1), window(device, 1, 2), window(device, 1, 3)]
    complete: list[Run] = [(0, 0, 5), (1, 0, 4), (0, 5, 3), 2, (1, 4, 4)]
    assert judge(program(tensors, ops, complete)) == OK
    early: list[Run] = [(0, 0, 5), (1, 0, 4), 2, (0, 5, 3), (1, 4, 4)]
    assert judge(program(tensors, ops, early)) == SLICE


@pytest.mark.parametrize("device", CONVOLUTIONS)
def test_dilation_reaches_further(device: str) -> None:
    """Of a window of 3 rows, two apart, the last one is 2 rows below."""
    wide = window(device, 1, 2, dilation=2)
    enough: list[Run] = [(0, 0, 3), (1, 0, 1), (0, 3, 4), (1, 1, 4), (0, 7, 1), (1, 5, 3)]
    assert judge(two(window(device, 0, 1), wide, enough)) == OK
    assert judge(two(window(device, 0, 1), wide, ROLLED)) == SLICE
    x = picture(4)
    padded = np.pad(blurred(x).astype(int), 2)
    taps = [(y, c) for y in (0, 2, 4) for c in (0, 2, 4)]
    total = sum(padded[y : y + H, c : c + W] for y, c in taps)
    found = run(two(window(device, 0, 1), wide, enough), x)
    assert (found == np.clip(total, -128, 127)).all()


@pytest.mark.parametrize("device", CONVOLUTIONS)
def test_the_largest_windows_reach_everything(device: str) -> None:
    """The second of four taps is on the output's own row, 32767 below the first one."""
    words = {"pad_top": 32767, "dilation_h": 32767, "filter_h": 4}
    far = window(device, 1, 2, size=1, **words)
    assert judge(two(window(device, 0, 1), far, [0, (1, 0, 3), (1, 3, 5)])) == OK
    assert judge(two(window(device, 0, 1), far, ROLLED)) == SLICE
    x = picture(5)
    found = run(two(window(device, 0, 1), far, [0, (1, 0, 3), (1, 3, 5)]), x)
    assert (found == blurred(x)).all()


@pytest.mark.parametrize("device", ALL)
def test_several_images_stay_whole(device: str) -> None:
    one, several = window(device, 0, 1), window(device, 1, 2, batch=2, height=4)
    assert judge(two(one, several, [0, 1])) == OK
    assert judge(two(one, several, [(0, 0, 5), (0, 5, 3), 1])) == OK
    refused: list[list[Run]] = [[0, (1, 0, 4), (1, 4, 4)], [0, (1, 0, H)], [0, (1, 0, 1)]]
    for runs in refused:
        assert judge(two(one, several, runs)) == SLICE
    reads_early: list[Run] = [(0, 0, 5), 1, (0, 5, 3)]
    assert judge(two(one, several, reads_early)) == SLICE
    assert judge(two(one, several, [(0, 0, 5), (1, 0, 1), (0, 5, 3)])) == SLICE


@pytest.mark.parametrize("device", ALL)
def test_rows_are_those_that_the_writer_counts(device: str) -> None:
    """Four rows of ten pixels where eight of five were written."""
    halved = window(device, 1, 2, height=4)
    assert judge(two(window(device, 0, 1), halved, [0, (1, 0, 2), (1, 2, 2)])) == OK
    runs: list[Run] = [(0, 0, 7), (1, 0, 1), (0, 7, 1), (1, 1, 3)]
    assert judge(two(window(device, 0, 1), halved, runs)) == SLICE


@pytest.mark.parametrize("device", ALL)
@pytest.mark.parametrize("layout", [Layout.PLANES, Layout.ROWS, Layout.PLANES_TRANSPOSED])
def test_only_dense_images_run_by_rows(device: str, layout: Layout) -> None:
    """Two channels, which the op sees as one."""
    tensors = [given(), image(0, shape=(1, 4, 5, 2), layout=layout), taken()]
    ops = [window(device, 0, 1), window(device, 1, 2)]
    assert judge(program(tensors, ops, [0, 1])) == OK
    assert judge(program(tensors, ops, [(0, 0, 4), (0, 4, 4), 1])) == SLICE
    assert judge(program(tensors, ops, [0, (1, 0, 4), (1, 4, 4)])) == SLICE


@pytest.mark.parametrize("device", ALL)
def test_generic_and_packed_ops_in_step(device: str) -> None:
    """A blur on planes of one channel, which are dense, too."""
    x = picture(6)
    first = two(blur(0, 1, scratch=SCRATCH), window(device, 1, 2), ROLLED)
    assert (run(first, x) == computed(device, blurred(x))).all()
    second = two(window(device, 0, 1), blur(1, 2, scratch=SCRATCH), ROLLED)
    assert (run(second, x) == blurred(computed(device, x))).all()


# In place


@pytest.mark.parametrize("device", ALL)
@pytest.mark.parametrize("size", [1, 3])
def test_no_window_replaces_its_input(device: str, size: int) -> None:
    """Not even one of a single pixel, whole or by rows."""
    tensors = [given(), MIDDLE, image(0, same=1, layout=Layout.DENSE), taken()]
    ops = [window(device, 0, 1), window(device, 1, 2, size=size), copy(2, 3)]
    orders: list[list[Run]] = [[0, 1, 2], [0, (1, 0, 4), (1, 4, 4), 2], [0, (1, 0, H), 2]]
    for runs in orders:
        assert judge(program(tensors, ops, runs)) == OVERLAP


@pytest.mark.parametrize("device", ALL)
def test_rows_that_another_op_replaces(device: str) -> None:
    """a = op(in); b = op(a); a + b over a, in step: no row of a is read once it is replaced."""
    dense = {"layout": Layout.DENSE}
    tensors = [given(), MIDDLE, image(64, **dense), image(0, same=1, **dense), taken()]
    ops = [window(device, 0, 1), window(device, 1, 2), add(1, 2, 3), copy(3, 4)]
    x = picture(7)
    a = computed(device, x)
    expected = added(a, computed(device, a))
    assert (run(program(tensors, ops, IN_STEP), x) == expected).all()
    early: list[Run] = [0, (1, 0, 2), (2, 0, 2), (1, 2, 3), (2, 2, 2), (1, 5, 3), (2, 4, 4), 3]
    assert judge(program(tensors, ops, early)) == SLICE
