# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The memory planner against oracles of its own: painted memory, exhaustive search, the C core."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from ranvier.compiler import planner
from ranvier.compiler.planner import Buffer, Plan, first_fit, plan, quick_peak
from ranvier.errors import RanvierError

CORE = Path(__file__).resolve().parents[2] / "firmware" / "core"


def units(*triples: tuple[int, int, int]) -> list[Buffer]:
    """Buffers from (size in units of 16 bytes, first, last)."""
    return [Buffer(16 * size, first, last) for size, first, last in triples]


# Eight steps, six units live in each; any order of one key is beaten by a careful packing.
NEEDS_SEARCH = units((3, 0, 0), (1, 0, 3), (2, 1, 3), (2, 0, 4), (1, 1, 4), (3, 4, 4))

# No more than six units live in any step, yet no plan needs less than seven.
ABOVE_ITS_BOUND = units(
    (3, 0, 0), (3, 0, 1), (2, 1, 2), (1, 1, 3), (1, 2, 3), (3, 3, 4),
    (1, 4, 5), (1, 4, 5), (1, 5, 6), (1, 3, 6), (2, 6, 6), (2, 5, 6),
)  # fmt: skip


def random_intervals(seed: int, count: int, steps: int = 12, most: int = 300) -> list[Buffer]:
    """Any sizes, zero among them, and any ranges."""
    random = Random(seed)
    buffers = []
    for _ in range(count):
        first = random.randrange(steps)
        buffers.append(Buffer(random.randrange(most), first, random.randrange(first, steps)))
    return buffers


def shrinking(seed: int, count: int, steps: int = 12, most: int = 300) -> list[Buffer]:
    """As above; most of them need less in some steps."""
    random = Random(seed)
    buffers = []
    for buffer in random_intervals(seed, count, steps, most):
        sizes = tuple(random.randrange(most) for _ in range(buffer.first, buffer.last + 1))
        if random.random() < 0.7:
            buffer = replace(buffer, bytes=max(sizes), sizes=sizes)
        buffers.append(buffer)
    return buffers


def random_dag(seed: int, count: int) -> list[Buffer]:
    """The outputs of a graph's ops: each read by the next op, some again by later ones."""
    random = Random(seed)
    last = list(range(count))
    for op in range(1, count):
        last[op - 1] = op
        for _ in range(random.randrange(3)):
            last[max(0, op - 1 - random.randrange(12))] = op
    return [Buffer(16 * random.randrange(1, 200), op, last[op]) for op in range(count)]


def live_sum(buffers: Sequence[Buffer]) -> int:
    """The lower bound, step by step."""
    bound = 0
    for step in range(max((b.last for b in buffers), default=0) + 1):
        sizes = (b.at(step) for b in buffers if b.first <= step <= b.last)
        bound = max(bound, sum((size + 15) // 16 * 16 for size in sizes))
    return bound


def check(buffers: Sequence[Buffer], result: Plan) -> None:
    """Paints every step's memory, a byte at a time, and checks all that a plan promises."""
    assert len(result.offsets) == len(buffers)
    top = 0
    for buffer, offset in zip(buffers, result.offsets, strict=True):
        assert offset % 16 == 0
        assert offset >= 0
        top = max(top, offset + buffer.bytes if buffer.bytes else 0)
    assert result.peak == (top + 15) // 16 * 16
    for step in range(max((b.last for b in buffers), default=0) + 1):
        painted: set[int] = set()
        for buffer, offset in zip(buffers, result.offsets, strict=True):
            if buffer.first <= step <= buffer.last:
                cells = range(offset, offset + buffer.at(step))
                assert painted.isdisjoint(cells)
                painted.update(cells)
    assert result.lower_bound == live_sum(buffers)
    assert result.gap == result.peak - result.lower_bound >= 0
    assert result.exact or result.gap > 0


def together(one: Buffer, other: Buffer) -> int:
    """The most bytes that ``one`` needs while ``other`` is live."""
    steps = range(max(one.first, other.first), min(one.last, other.last) + 1)
    return max(one.at(step) for step in steps)


def fits(buffers: Sequence[Buffer], peak: int) -> bool:
    """Whether any offsets at all, in steps of 16, keep every buffer below ``peak``.

    Two buffers are kept apart by the most that each needs while both are live.
    """
    placed: list[tuple[Buffer, int]] = []

    def place(rest: Sequence[Buffer]) -> bool:
        if not rest:
            return True
        new = rest[0]
        for offset in range(0, peak - new.bytes + 1, 16):
            if all(
                other.last < new.first
                or new.last < other.first
                or offset + together(new, other) <= at
                or at + together(other, new) <= offset
                for other, at in placed
            ):
                placed.append((new, offset))
                if place(rest[1:]):
                    return True
                placed.pop()
        return False

    return place(sorted((b for b in buffers if b.bytes), key=lambda b: b.first))


@pytest.mark.parametrize("rule", [plan, first_fit])
def test_plans_hold_what_they_promise(rule: Callable[..., Plan]) -> None:
    for seed in range(150):
        buffers = random_intervals(seed, count=seed % 22)
        check(buffers, rule(buffers))


def test_small_plans_are_optimal() -> None:
    for seed in range(200):
        buffers = random_intervals(seed, count=2 + seed % 5, steps=5, most=70)
        result = plan(buffers)
        assert result.exact
        assert fits(buffers, result.peak)
        assert not fits(buffers, result.peak - 16)


def test_plans_of_buffers_that_shrink_hold_what_they_promise() -> None:
    for seed in range(24):
        buffers = shrinking(seed, count=seed % 12)
        result = plan(buffers)
        check(buffers, result)
        assert result.peak <= quick_peak(buffers)


def test_small_plans_of_buffers_that_shrink_are_optimal() -> None:
    for seed in range(200):
        buffers = shrinking(seed, count=2 + seed % 5, steps=5, most=70)
        result = plan(buffers)
        check(buffers, result)
        assert result.exact
        assert fits(buffers, result.peak)
        assert result.gap == 0 or not fits(buffers, result.peak - 16)


def test_what_a_buffer_does_not_need_any_more_is_given_to_another() -> None:
    """160 bytes, then 32 of them; beside these there is room for 128."""
    shrinks = Buffer(160, 0, 3, (160, 160, 32, 32))
    assert plan([shrinks, Buffer(128, 2, 3)]).peak == 160
    assert plan([shrinks, Buffer(128, 1, 3)]).peak == 288
    assert plan([replace(shrinks, sizes=()), Buffer(128, 2, 3)]).peak == 288


def test_search_beats_every_simple_order() -> None:
    result = plan(NEEDS_SEARCH)
    check(NEEDS_SEARCH, result)
    assert first_fit(NEEDS_SEARCH).peak == 7 * 16
    assert result.peak == 6 * 16
    assert result.exact


def test_search_alone_is_optimal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Started from a poor plan, the branch and bound reaches the optimum, and no less."""
    monkeypatch.setattr(planner, "_orders", lambda problem: [sorted(problem.live)])
    for seed in range(150):
        buffers = random_intervals(seed, count=4 + seed % 3, steps=5, most=70)
        result = plan(buffers)
        check(buffers, result)
        assert result.exact
        assert not fits(buffers, result.peak - 16)
    for seed in range(15):
        buffers = random_dag(seed, 14)
        assert plan(buffers).gap == 0


def test_nothing_is_proven_without_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "_SEARCH_BUDGET", 30)
    monkeypatch.setattr(planner, "_IMPROVE_BUDGET", 1000)
    result = plan(ABOVE_ITS_BOUND)
    check(ABOVE_ITS_BOUND, result)
    assert result.gap > 0
    assert not result.exact


def test_optimum_above_the_lower_bound_is_proven() -> None:
    assert not fits(ABOVE_ITS_BOUND, 6 * 16)
    result = plan(ABOVE_ITS_BOUND)
    check(ABOVE_ITS_BOUND, result)
    assert (result.peak, result.lower_bound, result.gap) == (7 * 16, 6 * 16, 16)
    assert result.exact


def test_greedy_by_size_is_not_enough() -> None:
    """The large ones are at the ends; placed first, they leave holes that nothing fits in."""
    buffers = units((5, 1, 1), (5, 3, 3), (4, 0, 2), (4, 2, 3))
    assert first_fit(buffers).peak == 13 * 16
    result = plan(buffers)
    check(buffers, result)
    assert result.peak == 9 * 16
    assert result.exact


def test_typical_graphs_of_20_buffers_are_exact() -> None:
    for seed in range(25):
        buffers = random_dag(seed, 20)
        result = plan(buffers)
        check(buffers, result)
        assert result.exact


def test_large_graphs_are_near_optimal() -> None:
    for seed, count in [(0, 60), (1, 100), (2, 200), (3, 300)]:
        buffers = random_dag(seed, count)
        result = plan(buffers)
        check(buffers, result)
        assert result.peak <= first_fit(buffers).peak
        assert result.gap <= result.lower_bound // 50


def test_each_half_of_the_local_search_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moving what is at the peak to the front lowers peaks, and so do random moves after that."""
    problems = [planner._Problem(random_dag(seed, 60)) for seed in range(12)]
    starts = [
        min((planner._place(p, order) for order in planner._orders(p)), key=lambda x: x.peak)
        for p in problems
    ]
    monkeypatch.setattr(planner, "_IMPROVE_BUDGET", 60_000)
    both = [planner._improve(p, start).peak for p, start in zip(problems, starts, strict=True)]
    monkeypatch.setattr(planner, "_moved", lambda order, tops, sequence: order)
    first = [planner._improve(p, start).peak for p, start in zip(problems, starts, strict=True)]
    assert sum(both) < sum(first) < sum(start.peak for start in starts)


def test_no_buffers_and_none_with_bytes() -> None:
    for rule in (plan, first_fit):
        assert rule([]) == Plan((), 0, 0, exact=True)
        assert rule([Buffer(0, 3, 9), Buffer(0, 0, 9)]) == Plan((0, 0), 0, 0, exact=True)
        result = rule([Buffer(0, 0, 9), Buffer(20, 2, 2), Buffer(0, 2, 2)])
        assert result == Plan((0, 0, 0), 32, 32, exact=True)


def test_ends_are_inclusive() -> None:
    assert plan([Buffer(16, 0, 1), Buffer(16, 1, 2)]).peak == 32
    assert plan([Buffer(16, 0, 1), Buffer(16, 2, 2)]).peak == 16


def test_less_never_needs_more() -> None:
    """The optimal peak grows with each size and range and falls with each buffer left out."""
    for seed in range(60):
        random = Random(seed)
        buffers = random_intervals(seed, count=8, steps=8)
        result = plan(buffers)
        at = random.randrange(len(buffers))
        grown = replace(buffers[at], bytes=buffers[at].bytes + 16, last=buffers[at].last + 1)
        larger = plan([*buffers[:at], grown, *buffers[at + 1 :]])
        smaller = plan([*buffers[:at], *buffers[at + 1 :]])
        assert all(p.exact for p in (smaller, result, larger))
        assert smaller.peak <= result.peak <= larger.peak


def test_the_same_input_gives_the_same_plan() -> None:
    for buffers in (random_dag(7, 24), random_dag(8, 60), random_intervals(9, 30)):
        assert plan(buffers) == plan(tuple(buffers))
        assert first_fit(buffers) == first_fit(tuple(buffers))


def test_steps_may_be_any_numbers() -> None:
    """Only the order of the steps counts, not where they begin or how far apart they are."""
    buffers = random_dag(3, 18)
    spread = [Buffer(b.bytes, 1000 * b.first - 5000, 1000 * b.last - 5000) for b in buffers]
    assert plan(spread) == plan(buffers)


@pytest.mark.parametrize(
    ("buffers", "message"),
    [
        ([Buffer(16, 0, 1), Buffer(-1, 0, 1)], "buffer 1 has -1 bytes"),
        ([Buffer(16, 2, 1)], "buffer 0 is live from step 2 to 1"),
    ],
)
def test_bad_input_is_refused(buffers: list[Buffer], message: str) -> None:
    for rule in (plan, first_fit):
        with pytest.raises(RanvierError, match=message) as caught:
            rule(buffers)
        assert caught.value.remedy


class CBuffer(ctypes.Structure):
    """``struct rnv_plan_buffer``."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("bytes", "first", "last", "offset")]


class CResult(ctypes.Structure):
    """``struct rnv_plan_result``."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("peak_bytes", "lower_bound_bytes")]


@pytest.fixture(scope="module")
def core_planner(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The C planner alone, as a shared library."""
    library = tmp_path_factory.mktemp("plan") / "libplan.so"
    source = CORE / "src" / "mem" / "plan.c"
    subprocess.run(
        ["cc", "-std=c11", "-O1", "-shared", "-fPIC", f"-I{CORE}/include", "-o", library, source],
        check=True,
    )
    loaded = ctypes.CDLL(str(library))
    loaded.rnv_plan_workspace_bytes.argtypes = [ctypes.c_uint32]
    loaded.rnv_plan_workspace_bytes.restype = ctypes.c_size_t
    loaded.rnv_plan_first_fit.argtypes = [
        ctypes.POINTER(CBuffer),
        ctypes.c_uint32,
        ctypes.c_void_p,
        ctypes.c_size_t,
        ctypes.POINTER(CResult),
    ]
    return loaded


def plan_in_c(core: ctypes.CDLL, buffers: Sequence[Buffer]) -> tuple[tuple[int, ...], int, int]:
    """Offsets, peak and lower bound by ``rnv_plan_first_fit``."""
    count = len(buffers)
    array = (CBuffer * count)(*(CBuffer(b.bytes, b.first, b.last, 0xFFFF) for b in buffers))
    workspace = (ctypes.c_uint16 * count)()
    result = CResult()
    size = core.rnv_plan_workspace_bytes(count)
    assert size <= ctypes.sizeof(workspace)
    status = core.rnv_plan_first_fit(array, count, workspace, size, ctypes.byref(result))
    assert status == 0
    return tuple(b.offset for b in array), result.peak_bytes, result.lower_bound_bytes


def test_c_and_python_place_alike(core_planner: ctypes.CDLL) -> None:
    cases = [random_dag(seed, 1 + seed % 60) for seed in range(200)]
    cases += [random_intervals(seed, seed % 50) for seed in range(200)]
    cases += [random_intervals(seed, 30, most=40) for seed in range(100)]
    cases += [NEEDS_SEARCH, ABOVE_ITS_BOUND, random_dag(1, 1000)]
    for buffers in cases:
        result = first_fit(buffers)
        expected = (result.offsets, result.peak, result.lower_bound)
        assert plan_in_c(core_planner, buffers) == expected
