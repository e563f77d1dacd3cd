# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the verifier proves of layouts, rings, slices, and replacing in place by rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from packages import Image, verdict
from ranvier.native import NativePackage
from ranvier.package.records import Layout, PackageContent, StepRecord, Storage
from ranvier.package.writer import write_package
from row_programs import (
    IN_STEP,
    SCRATCH,
    H,
    Run,
    W,
    add,
    added,
    blur,
    blurred,
    copy,
    given,
    image,
    in_place,
    picture,
    program,
    rolled,
    taken,
    two_blurs,
)

OK = ("OK", "nothing")
SLICE = ("EFORMAT", "sliced step")
STEP = ("EFORMAT", "step")
OVERLAP = ("EFORMAT", "overlap of live tensors")
RECORD = ("EFORMAT", "tensor record")
PARAMS = ("EFORMAT", "parameters of an op")
LIFETIME = ("EFORMAT", "use of a tensor outside its lifetime")
RING = ("EFORMAT", "ring storage")


def judge(content: PackageContent) -> tuple[str, str]:
    """Status and diagnosis of the verifier."""
    found = verdict(write_package(content))
    return found.status, found.what


def run(content: PackageContent, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The one output of an accepted package."""
    assert judge(content) == OK
    (output,) = NativePackage(write_package(content)).run([x.tobytes() for x in inputs])
    return np.frombuffer(output, np.int8).reshape(H, W)


# Two blurs one after the other, in step: the image between them is a ring.

ROLLED = rolled()


@pytest.mark.parametrize("layout", [Layout.PLANES, Layout.ROWS])
@pytest.mark.parametrize("ring", [3, 4, H, 0])
def test_a_ring_of_enough_rows_is_accepted_and_right(ring: int, layout: Layout) -> None:
    x = picture()
    assert (run(two_blurs(ROLLED, ring, layout), x) == blurred(blurred(x))).all()


@pytest.mark.parametrize("ring", [1, 2])
def test_a_row_that_its_ring_has_overwritten_is_refused(ring: int) -> None:
    assert judge(two_blurs(ROLLED, ring)) == SLICE


def test_running_ahead_overwrites_rows_of_a_ring() -> None:
    ahead: list[Run] = [(0, 0, 3), (1, 0, 1)]
    for row in range(1, H - 2):
        ahead += [(0, row + 2, 1), (1, row, 1)]
    ahead += [(1, H - 2, 2)]
    assert judge(two_blurs(ahead, 3)) == SLICE
    x = picture(1)
    assert (run(two_blurs(ahead, 4), x) == blurred(blurred(x))).all()


def test_the_first_row_is_lost_before_the_first_slice() -> None:
    """Padding above it or not: row 0 is read by the first slice alone."""
    late: list[Run] = [(0, 0, 5), (1, 0, 3), (1, 3, 1)]
    for row in range(5, H):
        late += [(0, row, 1), (1, row - 1, 1)]
    late += [(1, H - 1, 1)]
    assert judge(two_blurs(late, 4)) == SLICE
    x = picture(2)
    assert (run(two_blurs(late, 5), x) == blurred(blurred(x))).all()


def test_a_ring_that_holds_everything_may_be_read_by_whole_ops() -> None:
    x = picture()
    assert (run(two_blurs([0, 1], H), x) == blurred(blurred(x))).all()
    assert judge(two_blurs([0, 1], H - 1)) == SLICE


@pytest.mark.parametrize(
    ("index", "step", "found"),
    [
        (1, (1, 0, 2), SLICE),  # a row more than its input has
        (2, (0, 1, 1), SLICE),  # a row twice
        (2, (0, 3, 1), SLICE),  # a gap
        (2, (0, 2, 0), STEP),  # no rows
        (len(ROLLED) - 1, (1, H - 1, 2), SLICE),  # beyond the last row
        (len(ROLLED) - 1, (1, H, 1), SLICE),
        (len(ROLLED) - 1, (1, H - 2, 1), SLICE),
        (len(ROLLED) - 1, (1, 0, 1), STEP),  # begun once more
        (len(ROLLED) - 1, (1, 0, H), STEP),
        (len(ROLLED) - 1, (0, 1, 1), SLICE),  # of an op that is complete
        (len(ROLLED) - 1, (1, 0x10000 + H - 1, 1), STEP),
    ],
)
def test_slices_follow_each_other(index: int, step: Run, found: tuple[str, str]) -> None:
    runs = [*ROLLED]
    runs[index] = step
    assert judge(two_blurs(runs)) == found


def test_every_row_must_be_computed() -> None:
    assert judge(two_blurs(ROLLED[:-1])) == STEP
    assert judge(two_blurs([(0, 0, H), (1, 0, H - 1)], 0)) == STEP
    assert judge(two_blurs([(0, 0, H)], 0)) in (STEP, LIFETIME, RECORD)


def test_ops_begin_in_the_order_of_their_records() -> None:
    """Here the second one could begin, as it does not read what the first one writes."""
    tensors = [given(), taken(1), taken(2)]
    ops = [blur(0, 1, scratch=SCRATCH), blur(0, 2, scratch=SCRATCH)]
    for runs, found in (([0, 1], OK), ([1, 0], STEP), ([(1, 0, H), 0], STEP), ([0, 0, 1], STEP)):
        content = program(tensors, ops, runs)
        placed = [replace(t, first_step=0) for t in content.tensors]
        placed[2] = replace(placed[2], first_step=1 if found == OK else 0)
        assert judge(replace(content, tensors=tuple(placed))) == found


@pytest.mark.parametrize(
    ("flags", "row0", "rows"), [(0, 0, 2), (1, 0, 0), (0, 1, 0), (2, 0, 2), (3, 0, 2)]
)
def test_flag_and_rows_of_a_step_go_together(flags: int, row0: int, rows: int) -> None:
    bytes_of = Image(write_package(two_blurs(ROLLED)))
    step = bytes_of.step(2)
    step.flags, step.row0, step.rows = flags, row0, rows
    found = verdict(bytes_of.sealed())
    assert (found.status, found.what) == STEP


def test_an_op_does_not_run_again_from_a_row_on() -> None:
    """A whole op with a first row: neither a slice nor the op's one step."""
    content = two_blurs([0, 1, 1], 0)
    image_of = Image(write_package(content))
    image_of.step(2).row0 = 3
    found = verdict(image_of.sealed())
    assert (found.status, found.what, found.index) == (*STEP, 2)


def test_a_slice_of_one_op_that_is_all_of_it() -> None:
    x = picture()
    assert (run(two_blurs([(0, 0, H), (1, 0, H)], 0), x) == blurred(blurred(x))).all()


# Ops under way


def many_blurs(count: int) -> PackageContent:
    """A chain of blurs; first the upper rows of all of them, then the lower ones."""
    tensors = [given(), *(image(64 * i) for i in range(count - 1)), taken()]
    ops = [blur(i, i + 1, scratch=SCRATCH) for i in range(count)]
    upper: list[Run] = [(i, 0, H - 1 - i) for i in range(count)]
    lower: list[Run] = [(i, H - 1 - i, 1 + i) for i in range(count)]
    return program(tensors, ops, upper + lower)


def test_at_most_six_ops_are_under_way() -> None:
    x = picture()
    expected = x
    for _ in range(6):
        expected = blurred(expected)
    assert (run(many_blurs(6), x) == expected).all()
    assert judge(many_blurs(7)) == SLICE


@pytest.mark.parametrize("reader", [copy(1, 3), add(1, 1, 3), blur(1, 3, scratch=SCRATCH)])
def test_a_whole_op_reads_only_complete_images(reader: Any) -> None:
    """Its input is dense: of one channel, it is the same in all layouts."""
    middle = image(0, layout=Layout.DENSE)
    tensors = [given(), middle, taken(1), taken(2)]
    ops = [blur(0, 1, scratch=SCRATCH), blur(1, 2, scratch=SCRATCH), reader]
    complete: list[Run] = [(0, 0, 5), (1, 0, 4), (0, 5, 3), 2, (1, 4, 4)]
    assert judge(program(tensors, ops, complete)) == OK
    early: list[Run] = [(0, 0, 5), (1, 0, 4), 2, (0, 5, 3), (1, 4, 4)]
    assert judge(program(tensors, ops, early)) in (SLICE, RING)


def test_readers_count_the_rows_that_the_writer_counts() -> None:
    """Four rows of ten bytes where two were to be: half of each is not there yet."""
    tensors = [given(), image(0, layout=Layout.DENSE), image(64, layout=Layout.DENSE), taken()]
    ops = [add(0, 0, 1), add(1, 1, 2, (4, 4, 4), rows=4), copy(2, 3)]
    runs: list[Run] = [(0, 0, 5), (1, 0, 2), (0, 5, 3), (1, 2, 2), 2]
    assert judge(program(tensors, ops, runs)) == SLICE
    ops[1] = add(1, 1, 2)
    runs[3] = (1, 2, 6)
    x = picture()
    double = added(x, x)
    assert (run(program(tensors, ops, runs), x) == added(double, double)).all()


def test_more_rows_than_a_step_can_count_are_refused_in_slices() -> None:
    size = 70000
    tensors = [given(shape=(1, size, 1, 1)), taken(shape=(1, size, 1, 1))]
    op = replace(add(0, 0, 1), params=(size, 1, size, size, size, 1 << 12, 0, 0))
    assert judge(program(tensors, [op], [0])) == OK
    assert judge(program(tensors, [op], [(0, 0, 60000), (0, 60000, 10000)])) == SLICE


# Lifetimes and scratch of slices


def test_an_output_lives_as_long_as_its_slices() -> None:
    content = two_blurs(ROLLED)
    tensors = list(content.tensors)
    tensors[1] = replace(tensors[1], last_step=tensors[1].last_step - 1)
    assert judge(replace(content, tensors=tuple(tensors))) == LIFETIME


def test_scratch_overlaps_nothing_that_is_live_in_any_slice() -> None:
    """The other image begins after the first slice; it would be overwritten by the second."""
    tensors = [given(), image(0), image(64), taken(1), taken(2)]
    ops = [
        blur(0, 1, scratch=SCRATCH),
        add(0, 0, 2, rows=1, rings=(1, 1, 1)),
        copy(1, 3),
        copy(2, 4),
    ]
    runs: list[Run] = [(0, 0, 4), 1, (0, 4, 4), 2, 3]
    assert judge(program(tensors, ops, runs)) == OK
    tensors[2] = replace(tensors[2], offset=SCRATCH)
    assert judge(program(tensors, ops, runs)) == (
        "EFORMAT",
        "overlap of scratch with a live tensor",
    )


# In place by rows


def test_rows_that_are_not_needed_any_more_may_be_replaced() -> None:
    x = picture(3)
    a = blurred(x)
    assert (run(in_place(IN_STEP), x) == added(a, blurred(a))).all()


def test_a_row_that_was_replaced_is_not_read_again() -> None:
    """Row 1 of the sum lies where row 2 of the blur still has to be read from."""
    runs: list[Run] = [0, (1, 0, 2), (2, 0, 2), (1, 2, 3), (2, 2, 2), (1, 5, 3), (2, 4, 4), 3]
    assert judge(in_place(runs)) == SLICE


def test_what_was_replaced_is_gone_when_the_op_is_complete() -> None:
    tensors = [given(), image(0, layout=Layout.ROWS), image(0, layout=Layout.ROWS, same=1)]
    tensors += [taken(1), taken(2)]
    for copies in ([copy(2, 3), copy(1, 4)], [copy(1, 3), copy(2, 4)]):
        ops = [add(0, 0, 1), add(1, 0, 2), *copies]
        assert judge(program(tensors, ops, [0, (1, 0, 4), (1, 4, 4), 2, 3])) == OVERLAP
        assert judge(program(tensors, ops, [0, 1, 2, 3])) == OVERLAP


@pytest.mark.parametrize(
    "more",
    [
        {"layout": Layout.PLANES},
        {"layout": Layout.DENSE},
        {"shape": (1, W, H, 1)},
        {"shape": (1, H, 1, W)},
    ],
)
def test_only_rows_that_lie_alike_replace_each_other(more: dict[str, Any]) -> None:
    assert judge(in_place(IN_STEP, **more)) in (OVERLAP, PARAMS)


def test_rings_are_not_replaced_by_rows() -> None:
    tensors = [
        given(),
        image(0, layout=Layout.ROWS, ring_rows=4),
        image(0, layout=Layout.ROWS, ring_rows=4, same=1),
        taken(),
    ]
    ops = [add(0, 0, 1, (H, H, 4)), add(1, 1, 2, (4, 4, 4)), blur(2, 3, (4, H), SCRATCH, "in")]
    runs: list[Run] = [(0, 0, 2), (1, 0, 2), (2, 0, 1)]
    for row in range(1, H - 1):
        runs += [(0, row + 1, 1), (1, row + 1, 1), (2, row, 1)]
    runs += [(2, H - 1, 1)]
    assert judge(program(tensors, ops, runs)) == OVERLAP
    apart = [*tensors[:2], image(64, layout=Layout.ROWS, ring_rows=4), tensors[3]]
    x = picture()
    double = added(x, x)
    assert (run(program(apart, ops, runs), x) == blurred(added(double, double))).all()


def test_a_filter_with_neighbours_runs_in_place_whole_but_not_by_rows() -> None:
    """Whole it keeps what it overwrites; the next slice would need the row above."""
    tensors = [given(), image(0), image(0, same=1), taken()]
    ops = [add(0, 0, 1, (1, 1, 1), rows=1), blur(1, 2, scratch=SCRATCH), copy(2, 3)]
    x = picture()
    assert (run(program(tensors, ops, [0, 1, 2]), x) == blurred(added(x, x))).all()
    assert judge(program(tensors, ops, [0, (1, 0, 4), (1, 4, 4), 2])) == SLICE
    one: list[Run] = [0, (1, 0, H), 2]
    assert (run(program(tensors, ops, one), x) == blurred(added(x, x))).all()


# Records


def lone(**more: Any) -> PackageContent:
    """in -> blur -> the image -> blur -> out, whole."""
    tensors = [given(), image(0, **more), taken()]
    return program(tensors, [blur(0, 1, scratch=SCRATCH), blur(1, 2, scratch=SCRATCH)], [0, 1])


@pytest.mark.parametrize(
    "more",
    [{}, {"bytes": H * W + 1}, {"bytes": H * W + 16}, {"layout": Layout.DENSE}],
)
def test_records_of_images(more: dict[str, Any]) -> None:
    x = picture()
    assert (run(lone(**more), x) == blurred(blurred(x))).all()


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"bytes": H * W - 1}, RECORD),
        ({"bytes": H * W + 17}, RECORD),
        ({"bytes": H * W + 1, "layout": Layout.DENSE}, RECORD),
        ({"ring_rows": 3, "layout": Layout.DENSE}, RECORD),
        ({"ring_rows": H + 1}, RECORD),
        ({"ring_rows": 3, "bytes": 3 * W - 1}, RECORD),
        ({"ring_rows": W + 1, "layout": Layout.PLANES_TRANSPOSED}, RECORD),
        ({"shape": (2, 4, W, 1)}, RECORD),
        ({"shape": (H, W, 1)}, RECORD),
        ({"shape": (1, H, W, 1, 1)}, RECORD),
        ({"dtype": 2}, RECORD),
        ({"dtype": 3, "bytes": 2 * H * W}, RECORD),
        ({"storage": Storage.EXTERNAL}, RECORD),
        ({"shape": (1, W, H, 1)}, PARAMS),
        ({"shape": (1, H, 1, W)}, PARAMS),
        ({"shape": (1, H, 1, W), "layout": Layout.DENSE}, OK),
        ({"layout": Layout.PLANES_TRANSPOSED}, PARAMS),
        ({"ring_rows": 3}, PARAMS),
    ],
)
def test_records_and_views_agree(more: dict[str, Any], found: tuple[str, str]) -> None:
    assert judge(lone(**more)) == found


def test_inputs_and_outputs_are_dense() -> None:
    for number in (0, 2):
        content = lone()
        tensors = list(content.tensors)
        tensors[number] = replace(tensors[number], layout=Layout.PLANES)
        assert judge(replace(content, tensors=tuple(tensors))) == RECORD


@pytest.mark.parametrize("word", range(15, 21))
@pytest.mark.parametrize("change", [-1, 1])
def test_a_view_is_exactly_where_the_record_says(word: int, change: int) -> None:
    """Channel, row and ring of input and output."""
    content = lone(bytes=H * W + 16)
    for number in (0, 1):
        op = content.ops[number]
        params = list(op.params)
        params[word] += change
        ops = list(content.ops)
        ops[number] = replace(op, params=tuple(params))
        assert judge(replace(content, ops=tuple(ops))) == PARAMS


@pytest.mark.parametrize(
    ("layout", "rows", "found"),
    [
        (Layout.ROWS, H, OK),
        (Layout.ROWS, 4, PARAMS),
        (Layout.ROWS, 1, OK),
        (Layout.PLANES, 1, OK),
        (Layout.PLANES, H, PARAMS),
        (Layout.PLANES_TRANSPOSED, W, PARAMS),
        (Layout.DENSE, 4, OK),
    ],
)
def test_rows_of_a_sum_are_the_rows_of_its_images(
    layout: Layout, rows: int, found: tuple[str, str]
) -> None:
    tensors = [given(), image(0, layout=layout), taken()]
    rings = (rows, rows, rows)
    ops = [add(0, 0, 1, rings, rows), add(1, 1, 2, rings, rows)]
    assert judge(program(tensors, ops, [0, 1])) == found


def test_steps_without_ops_and_ops_without_steps_are_refused() -> None:
    content = lone()
    assert judge(replace(content, steps=(StepRecord(0), StepRecord(2)))) == STEP
    assert judge(program(content.tensors, [*content.ops, content.ops[1]], [0, 1])) == STEP
