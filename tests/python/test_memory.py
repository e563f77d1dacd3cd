# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Memory plans, judged by painting memory: every tensor must still be whole when it is read."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ranvier.compiler.graph import DType, Tensor
from ranvier.compiler.lower import Program, Run, Step
from ranvier.compiler.memory import MemoryPlan, lowest_peak, plan_memory
from ranvier.compiler.ops.base import Lowered
from ranvier.errors import UnsupportedError
from ranvier.package.records import IoMode, Layout, Storage

MODES = list(IoMode)


def tensor(name: str, size: int) -> Tensor:
    return Tensor(name, DType.INT8, (size,))


def step(
    inputs: list[Tensor], outputs: list[Tensor], *, scratch: int = 0, inplace: tuple[int, ...] = ()
) -> Step:
    lowered = Lowered(
        "TEST", (), tuple(inputs), tuple(outputs), scratch_bytes=scratch, inplace=inplace
    )
    return Step(lowered, "TEST", ())


def chain(sizes: list[int], inplace: tuple[int, ...] = ()) -> Program:
    tensors = [tensor(f"t{i}", size) for i, size in enumerate(sizes)]
    steps = [step([a], [b], inplace=inplace) for a, b in pairwise(tensors)]
    return Program("chain", tuple(steps), (tensors[0],), (tensors[-1],))


def random_program(seed: int) -> Program:
    rng = random.Random(seed)
    inputs = [tensor(f"in{i}", rng.randint(1, 200)) for i in range(rng.randint(1, 2))]
    constant = tensor("constant", 20)
    constant.data = np.zeros(20, np.int8)
    known = [*inputs, constant]
    steps = []
    for i in range(rng.randint(1, 12)):
        reads = rng.choices(known[-5:], k=rng.randint(1, 3))
        output = tensor(f"t{i}", rng.choice([reads[0].bytes, rng.randint(1, 300)]))
        inplace = tuple(p for p in range(len(reads)) if rng.random() < 0.5)
        steps.append(step(reads, [output], scratch=rng.choice([0, 50]), inplace=inplace))
        known.append(output)
    read = {t for s in steps for t in s.lowered.inputs}
    written = [s.lowered.outputs[0] for s in steps]
    outputs = [t for t in written if t not in read or rng.random() < 0.1]
    return Program("random", tuple(steps), tuple(inputs), tuple(outputs))


class Paint:
    """Memory whose bytes remember which tensor wrote them."""

    def __init__(self, plan: MemoryPlan) -> None:
        self.plan = plan
        self.arena = np.full(plan.arena_bytes, -1)
        self.slots: dict[int, np.ndarray] = {}
        self.colours = {t: i for i, t in enumerate(plan.placements)}
        for t, place in plan.placements.items():
            outside = t in (*plan.program.inputs, *plan.program.outputs)
            if place.storage == Storage.EXTERNAL and outside:
                assert place.offset not in self.slots
                self.slots[place.offset] = np.full(t.bytes, -1)
        assert sorted(self.slots) == list(range(len(self.slots)))

    def place(self, t: Tensor) -> np.ndarray:
        place = self.plan.placements[t]
        if place.storage == Storage.EXTERNAL:
            assert t.bytes <= len(self.slots[place.offset])
            return self.slots[place.offset][: t.bytes]
        assert place.storage == Storage.ARENA
        assert place.offset % 16 == 0
        assert place.offset + t.bytes <= self.plan.arena_bytes
        return self.arena[place.offset : place.offset + t.bytes]

    def write(self, t: Tensor) -> None:
        self.place(t)[:] = self.colours[t]

    def whole(self, t: Tensor) -> bool:
        return t.is_const or bool(np.all(self.place(t) == self.colours[t]))


def judge(plan: MemoryPlan, mode: IoMode) -> None:
    """Every read finds what was written, and every record is what the verifier demands."""
    paint = Paint(plan)
    for t in plan.program.inputs:
        paint.write(t)
    for index, (each, offset) in enumerate(
        zip(plan.program.steps, plan.scratch_offsets, strict=True)
    ):
        lowered = each.lowered
        scratch = paint.arena[offset : offset + lowered.scratch_bytes]
        assert len(scratch) == lowered.scratch_bytes
        scratch[:] = -2
        assert all(paint.whole(t) for t in lowered.inputs)
        for t in lowered.outputs:
            paint.write(t)
        alias = plan.placements[lowered.outputs[0]].alias
        assert all(paint.whole(t) for t in lowered.inputs if t is not alias)
        assert np.all(scratch == -2)
        for t in lowered.inputs:
            place = plan.placements[t]
            assert place.first_step <= index <= place.last_step
        if alias is not None:
            judge_alias(plan, each, alias)
    assert all(paint.whole(t) for t in plan.program.outputs)
    if mode == IoMode.KEPT:
        assert all(paint.whole(t) for t in plan.program.inputs)
    judge_records(plan, mode)


def judge_alias(plan: MemoryPlan, each: Step, alias: Tensor) -> None:
    output = plan.placements[each.lowered.outputs[0]]
    replaced = plan.placements[alias]
    assert (output.storage, output.offset) == (replaced.storage, replaced.offset)
    assert replaced.last_step == output.first_step
    positions = [i for i, t in enumerate(each.lowered.inputs) if t is alias]
    assert positions
    assert set(positions) <= set(each.lowered.inplace)


def judge_records(plan: MemoryPlan, mode: IoMode) -> None:
    last = len(plan.program.steps) - 1
    for t in (*plan.program.inputs, *plan.program.outputs):
        resident = plan.placements[t].storage == Storage.ARENA
        assert resident == (mode == IoMode.RESIDENT)
    for t in plan.program.outputs:
        assert plan.placements[t].last_step == last
    assert plan.arena_bytes % 16 == 0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed: int, mode: IoMode) -> None:
    program = random_program(seed)
    plan = plan_memory(program, mode)
    judge(plan, mode)
    assert sorted(map(id, plan.program.steps)) == sorted(map(id, program.steps))


def test_same_plan_every_time() -> None:
    first, second = (plan_memory(random_program(7), IoMode.RESIDENT) for _ in range(2))
    assert [(t.name, p.offset) for t, p in first.placements.items()] == [
        (t.name, p.offset) for t, p in second.placements.items()
    ]


def test_chain_needs_its_two_largest_neighbours() -> None:
    sizes = [160, 320, 480, 160, 16]
    assert plan_memory(chain(sizes), IoMode.RESIDENT).arena_bytes == 800
    assert plan_memory(chain(sizes), IoMode.KEPT).arena_bytes == 800


def test_kept_chain_of_one_step_needs_no_arena() -> None:
    plan = plan_memory(chain([100, 100]), IoMode.KEPT)
    assert plan.arena_bytes == 0
    assert [p.offset for p in plan.placements.values()] == [0, 1]


def test_in_place_chain_is_one_buffer() -> None:
    plan = plan_memory(chain([160, 160, 160, 160], (0,)), IoMode.RESIDENT)
    judge(plan, IoMode.RESIDENT)
    assert plan.arena_bytes == 160
    assert all(place.offset == 0 for place in plan.placements.values())


def test_kept_input_is_never_replaced() -> None:
    plan = plan_memory(chain([160, 160, 160, 160], (0,)), IoMode.KEPT)
    judge(plan, IoMode.KEPT)
    _, second, third, last = plan.placements.values()
    assert second.alias is None
    assert (second.storage, third.offset) == (Storage.ARENA, second.offset)
    assert last.storage == Storage.EXTERNAL
    assert plan.arena_bytes == 160


def test_donated_input_holds_what_replaces_it() -> None:
    plan = plan_memory(chain([160, 160, 80, 160], (0,)), IoMode.DONATED)
    judge(plan, IoMode.DONATED)
    assert plan.arena_bytes == 0
    assert [p.offset for p in plan.placements.values()] == [0, 0, 0, 1]


def test_donated_input_that_is_too_small_is_not_replaced() -> None:
    plan = plan_memory(chain([160, 176, 160], (0,)), IoMode.DONATED)
    judge(plan, IoMode.DONATED)
    assert plan.arena_bytes == 176


def test_replacing_is_left_out_where_it_raises_the_peak() -> None:
    """A small long-lived output must not hold the large buffer of the input it could replace."""
    large, small, other, end = (
        tensor(n, s) for n, s in [("l", 800), ("s", 16), ("o", 800), ("e", 16)]
    )
    start = tensor("start", 16)
    steps = (
        step([start], [large]),
        step([large], [small], inplace=(0,)),
        step([small], [other]),
        step([other, small], [end]),
    )
    plan = plan_memory(Program("p", steps, (start,), (end,)), IoMode.KEPT)
    judge(plan, IoMode.KEPT)
    assert plan.arena_bytes == 816


def test_what_replaces_a_large_tensor_keeps_only_its_own_bytes() -> None:
    """As above, and the other large tensor is replaced in place."""
    start, small, end = (tensor(name, 16) for name in ("start", "small", "end"))
    large, other, same = (tensor(name, 800) for name in ("large", "other", "same"))
    steps = (
        step([start], [large]),
        step([large], [small], inplace=(0,)),
        step([small], [other]),
        step([other], [same], inplace=(0,)),
        step([same, small], [end]),
    )
    plan = plan_memory(Program("p", steps, (start,), (end,)), IoMode.KEPT)
    judge(plan, IoMode.KEPT)
    assert plan.arena_bytes == 816
    assert plan.placements[same].alias is other
    assert plan.placements[small].alias is large
    assert plan.placements[small].offset == plan.placements[large].offset


def test_the_larger_of_two_inputs_is_replaced() -> None:
    start, end = tensor("start", 16), tensor("end", 16)
    large, small, result = tensor("large", 800), tensor("small", 160), tensor("result", 800)
    steps = (
        step([start], [large]),
        step([start], [small]),
        step([small, large], [result], inplace=(0, 1)),
        step([result], [end]),
    )
    plan = plan_memory(Program("p", steps, (start,), (end,)), IoMode.KEPT)
    judge(plan, IoMode.KEPT)
    assert plan.arena_bytes == 960


@pytest.mark.parametrize(
    ("seed", "mode", "arena"), [(58, IoMode.KEPT, 384), (86, IoMode.RESIDENT, 784)]
)
def test_nothing_is_replaced_where_all_of_it_only_costs(
    seed: int, mode: IoMode, arena: int
) -> None:
    """Leaving out any one replacement gains nothing here, leaving out all does."""
    assert plan_memory(random_program(seed), mode).arena_bytes <= arena


@pytest.mark.parametrize(("seed", "arena"), [(86, 752), (617, 336)])
def test_replacing_is_left_out_where_it_keeps_the_peak_from_being_reached(
    seed: int, arena: int
) -> None:
    """Fewer replacements have the same peak, but lie better."""
    program = random_program(seed)
    plan = plan_memory(program, IoMode.RESIDENT)
    judge(plan, IoMode.RESIDENT)
    assert lowest_peak(program, IoMode.RESIDENT)[0] == arena
    assert plan.arena_bytes == arena


@pytest.mark.parametrize(
    ("runs", "layout", "replaced"),
    [
        ("0 2 1a 1b 3", Layout.PLANES, True),
        ("0 1a 2 1b 3", Layout.PLANES, False),
        ("0 2a 1a 2b 1b 3", Layout.PLANES, True),
        ("0 1a 2a 2b 1b 3", Layout.PLANES, False),
        ("0 2 1a 1b 3", Layout.ROWS, False),
    ],
)
def test_rows_are_replaced_that_nothing_reads_any_more(
    runs: str, layout: Layout, replaced: bool
) -> None:
    """Step 1 runs in two slices, and may replace the image, which step 2 reads too.

    What the output's rows replace are rows of the image only where both are stored alike.
    """
    start, image, first, second, end = (
        replace(tensor(name, 16), shape=(1, 4, 4, 1), layout=Layout.PLANES)
        for name in ("start", "image", "first", "second", "end")
    )
    first = replace(first, layout=layout)
    operands = [(start, start, image), (image, image, first), (image, image, second)]
    steps = []
    for number, (*inputs, output) in enumerate([*operands, (first, second, end)]):
        inplace = (0, 1) if number == 1 else ()
        words = Lowered("ADD_TABLES_S8", (4, 4, 4, 4, 4), tuple(inputs), (output,), inplace=inplace)
        steps.append(Step(words, "TEST", ()))
    rows = {"": (0, 0), "a": (0, 2), "b": (2, 2)}
    schedule = tuple(Run(int(run[0]), *rows[run[1:]]) for run in runs.split())
    program = Program("p", tuple(steps), (start,), (end,), schedule)
    plan = plan_memory(program, IoMode.KEPT)
    assert plan.placements[first].alias is (image if replaced else None)


def test_value_read_at_a_forbidden_position_too_is_not_replaced() -> None:
    start, twice, end = tensor("start", 160), tensor("twice", 160), tensor("end", 160)
    more = tensor("more", 160)
    steps = (
        step([start], [twice]),
        step([twice, twice], [more], inplace=(0,)),
        step([more], [end]),
    )
    plan = plan_memory(Program("p", steps, (start,), (end,)), IoMode.KEPT)
    judge(plan, IoMode.KEPT)
    assert plan.arena_bytes == 320


def test_resident_input_that_nothing_reads_has_memory_at_the_start() -> None:
    program = chain([160, 160])
    unread = tensor("unread", 64)
    plan = plan_memory(
        Program("p", program.steps, (*program.inputs, unread), program.outputs), IoMode.RESIDENT
    )
    judge(plan, IoMode.RESIDENT)
    assert plan.arena_bytes == 384


def wide(branches: int) -> Program:
    start, end = tensor("start", 16), tensor("end", 16)
    middle = [tensor(f"m{i}", 16) for i in range(branches)]
    steps = [step([start], [t]) for t in middle]
    return Program("wide.tflite", (*steps, step(middle, [end])), (start,), (end,))


def test_most_live_tensors() -> None:
    assert plan_memory(wide(32), IoMode.KEPT).max_live == 32
    with pytest.raises(UnsupportedError, match=r"wide\.tflite: 33 tensors are live in.* 32"):
        plan_memory(wide(33), IoMode.KEPT)
    assert plan_memory(wide(31), IoMode.RESIDENT).max_live == 32


def test_most_inputs_and_outputs() -> None:
    pairs = [(tensor(f"in{i}", 16), tensor(f"out{i}", 16)) for i in range(17)]
    steps = tuple(step([x], [y]) for x, y in pairs)
    for count, allowed in ((16, True), (17, False)):
        inputs, outputs = zip(*pairs[:count], strict=True)
        program = Program("many.tflite", steps[:count], inputs, outputs)
        if allowed:
            plan_memory(program, IoMode.KEPT)
        else:
            with pytest.raises(UnsupportedError, match=r"many\.tflite: .* 34 inputs and outputs"):
                plan_memory(program, IoMode.KEPT)
