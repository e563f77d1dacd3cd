# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The two-instruction requantisation is TensorFlow Lite's for every sum that a channel can have.

The reference (packed_streams.py) is written from gemmlowp's definition, and the device's arithmetic
here with 32-bit words that wrap: neither is the solver's.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from packed_models import MODELS, optimised
from packed_streams import tflite_output, wrapped
from random_models import Maker
from ranvier.compiler.graph import Op
from ranvier.compiler.intervals import Interval, intervals
from ranvier.compiler.ops.base import data_of, operand, quant_of
from ranvier.compiler.ops.convolution import CHANNEL_AXIS
from ranvier.compiler.packed.epilogue import Epilogue, choose
from ranvier.compiler.packed.requant import Requant, Solution, Steps, proven, solve
from ranvier.compiler.packed.sums import requant_of

Values = NDArray[np.int64]


def device(sums: Values, solution: Solution, channel: int) -> Values:
    """SMMLA, the correction of negative sums, SSAT, in words of 32 bits."""
    acc = wrapped(solution.scale[channel] * sums + solution.offset[channel])
    t = wrapped(((acc * solution.multiplier[channel]) >> 32) + solution.constant[channel])
    t = wrapped(t + np.where(acc < 0, solution.correction[channel], 0))
    return np.clip(t >> solution.shift, -128, 127)


def expected(requant: Requant, channel: int, sums: Values) -> Values:
    return tflite_output(
        sums,
        int(requant.multiplier[channel]),
        int(requant.shift[channel]),
        requant.zero_point,
        requant.act_min,
        requant.act_max,
    )


def drawn(rng: np.random.Generator, channels: int, shifts: range, most: int = 3000) -> Requant:
    """Channels whose sums are few enough to try them all."""
    low = rng.integers(-most, most, channels)
    return Requant(
        low=low,
        high=low + rng.integers(0, most, channels),
        multiplier=rng.integers(1 << 30, 1 << 31, channels),
        shift=rng.integers(shifts.start, shifts.stop, channels),
        zero_point=int(rng.choice([-128, 0, 127, rng.integers(-128, 128)])),
        act_min=int(rng.choice([-128, -128, -128, -100])),
        act_max=int(rng.choice([127, 127, 127, 90])),
    )


def all_equal(requant: Requant, solution: Solution, channel: int) -> bool:
    sums = np.arange(requant.low[channel], requant.high[channel] + 1)
    return bool((device(sums, solution, channel) == expected(requant, channel, sums)).all())


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_every_sum_of_small_ranges(seed: int, linear: bool) -> None:
    rng = np.random.default_rng((2026, seed))
    requant = drawn(rng, 40, range(-31, 6) if seed % 2 else range(-12, -4))
    scale, shift = (1 << int(rng.integers(0, 9)), 10) if seed % 3 == 0 else (256, 12)
    steps = Steps.of(requant)
    solution = solve(steps, scale, shift, linear=linear)
    for channel in np.flatnonzero(solution.solved):
        assert all_equal(requant, solution, channel), (seed, channel)


def test_thresholds_are_those_of_the_reference() -> None:
    requant = drawn(np.random.default_rng(7), 200, range(-13, 3))
    steps = Steps.of(requant)
    for channel in range(200):
        sums = np.arange(requant.low[channel], requant.high[channel] + 1)
        outputs = expected(requant, channel, sums)
        found = [int(sums[outputs >= v].min(initial=sums[-1] + 1)) for v in steps.value]
        assert found == steps.at[channel].tolist(), channel


@pytest.mark.parametrize(
    ("zero_point", "act_min", "linear", "least"),
    [(-128, -128, False, 0.99), (3, -128, True, 0.98), (127, -128, True, 0.98)],
)
def test_usual_multipliers_have_solutions(
    zero_point: int, act_min: int, linear: bool, least: float
) -> None:
    """Real multipliers of 1/2048 to 1/64, as trained networks have them."""
    rng = np.random.default_rng(11)
    count = 400
    shift = rng.integers(-10, -5, count)
    span = (400 * 2.0 ** (-shift)).astype(np.int64)
    multiplier = rng.integers(1 << 30, 1 << 31, count)
    requant = Requant(-span, span, multiplier, shift, zero_point, act_min, 127)
    solution = solve(Steps.of(requant), 256, 12, linear=linear)
    assert solution.solved.mean() >= least


@pytest.mark.parametrize("linear", [False, True])
def test_proof_accepts_exactly_what_is_equal_everywhere(linear: bool) -> None:
    """Mutants of solutions: the proof says of each what trying every sum says."""
    rng = np.random.default_rng(99)
    verdicts = {True: 0, False: 0}
    for _ in range(30):
        requant = drawn(rng, 30, range(-11, -4))
        steps = Steps.of(requant)
        solution = solve(steps, 256, 12, linear=linear)
        for name, step in (
            ("multiplier", 1), ("multiplier", -1), ("constant", 1), ("constant", -1),
            ("offset", 9), ("offset", -9), ("correction", 1), ("correction", -1),
            ("constant", 1 << 12),
        ):  # fmt: skip
            mutant = replace(solution, **{name: getattr(solution, name) + step})
            verdict = proven(steps, mutant)
            for channel in np.flatnonzero(solution.solved & (solution.multiplier != 0)):
                equal = all_equal(requant, mutant, channel)
                signs = np.array([requant.low[channel], requant.high[channel], -1, 0])
                signs = signs.clip(requant.low[channel], requant.high[channel])
                acc = mutant.scale[channel] * signs + mutant.offset[channel]
                if mutant.correction[channel] and ((acc < 0) != (signs < 0)).any():
                    assert not verdict[channel]  # the proof demands that signs agree
                    continue
                assert bool(verdict[channel]) == equal, (name, step, channel)
                verdicts[equal] += 1
    assert min(verdicts.values()) > 200, verdicts


def one(
    low: int, high: int, multiplier: int, shift: int, zero: int, act: tuple[int, int]
) -> Requant:
    values = (np.array([v], np.int64) for v in (low, high, multiplier, shift))
    return Requant(*values, zero, *act)


@pytest.mark.parametrize(
    ("case", "why"),
    [
        (one(-9000, 60000, 1 << 30, -7, -128, (-128, 60)), "clamped below 127"),
        (one(-9000, 9000, 1 << 30, -7, 5, (5, 127)), "clamped above -128"),
        (one(-9000, 9000, 0x55555555, -2, -128, (-128, 127)), "multiplier beyond 31 bits"),
        (one(-(1 << 23) - 1, 9000, 1 << 30, -7, -128, (-128, 127)), "accumulator beyond 32 bits"),
        (one(-9000, 1 << 31, 1 << 30, -7, -128, (-128, 127)), "sum beyond 32 bits"),
        (one(-9000, 1 << 28, 1 << 30, 4, -128, (-128, 127)), "sum beyond 32 bits when shifted"),
    ],
)
def test_what_has_no_solution_is_detected(case: Requant, why: str) -> None:
    for linear in (False, True):
        assert not solve(Steps.of(case), 256, 12, linear=linear).solved.any(), why


WORD = 1 << 31
SUM = WORD // 256


@pytest.mark.parametrize(
    ("ends", "multiplier", "constant", "correction", "fits"),
    [
        ((SUM - 9, SUM - 1), 1 << 20, 127 << 12, 0, True),
        ((SUM - 9, SUM), 1 << 20, 127 << 12, 0, False),
        ((-SUM, 9 - SUM), 1 << 20, -128 << 12, 0, True),
        ((-SUM - 1, 9 - SUM), 1 << 20, -128 << 12, 0, False),
        ((0, 9), 0, WORD - 1, 0, True),
        ((0, 9), 0, WORD, 0, False),
        ((0, 9), 0, -WORD, 0, True),
        ((0, 9), 0, -WORD - 1, 0, False),
        ((-9, -1), 0, WORD - 2, 1, True),
        ((-9, -1), 0, WORD - 1, 1, False),
        ((-9, -1), 0, 1 - WORD, -1, True),
        ((-9, -1), 0, -WORD, -1, False),
        ((0, 9), 0, WORD - 1, 1, True),
    ],
)
def test_proof_refuses_words_of_more_than_32_bits(
    ends: tuple[int, int], multiplier: int, constant: int, correction: int, fits: bool
) -> None:
    """Accumulators, and what follows, that saturate to the one right output unless they wrap."""
    case = one(*ends, 1 << 30, -20, 127 if constant > 0 else -128, (-128, 127))
    numbers = (256, multiplier, constant, correction, 0)
    scale, *words = (np.array([number], np.int64) for number in numbers)
    solution = Solution(12, scale, np.array([True]), np.array([True]), *words)
    assert all_equal(case, solution, 0) == fits
    assert bool(proven(Steps.of(case), solution)[0]) == fits


def test_range_decides_whether_there_is_a_solution() -> None:
    """The clamp that is not reached, and the sums that do not occur, do not matter."""
    clamped = one(-9000, 40000, 1 << 30, -7, -128, (-128, 60))
    assert solve(Steps.of(clamped), 256, 12).solved.all()
    assert not solve(Steps.of(replace(clamped, high=clamped.high + 20000)), 256, 12).solved.any()


@pytest.mark.parametrize("more", range(9))
def test_exact_multipliers_are_those_that_lost_no_bits(more: int) -> None:
    """The device's factor, 256 m / 2**44, is the reference's, M / 2**38, where m is M / 4."""
    case = one(-9000, 9000, (1 << 30) + more, -7, -128, (-128, 127))
    solution = solve(Steps.of(case), 256, 12)
    assert solution.solved.all()
    assert bool(solution.exact[0]) == (more % 4 == 0)
    assert bool(4 * solution.multiplier[0] == (1 << 30) + more) == (more % 4 == 0)


def test_rounding_of_negative_ties_needs_the_correction() -> None:
    """Powers of two tie: away from zero on both sides is no single line over a wide range."""
    case = one(-16000, 16000, 1 << 30, -6, 0, (-128, 127))
    steps = Steps.of(case)
    assert not solve(steps, 256, 12).solved.any()
    solution = solve(steps, 256, 12, linear=True)
    assert solution.solved.all()
    assert (solution.correction != 0).all()
    assert all_equal(case, solution, 0)
    # The same line from 256 more on: the sum -1 would be taken for one that is not negative.
    more = (256 * solution.multiplier) >> 32
    moved = replace(solution, offset=solution.offset + 256, constant=solution.constant - more)
    assert not proven(steps, moved).any()
    assert proven(steps, replace(moved, correction=0 * more)).any() == all_equal(
        case, replace(moved, correction=0 * more), 0
    )


def test_epilogue_falls_back_for_the_whole_op() -> None:
    rng = np.random.default_rng(3)
    good = Requant(
        np.full(8, -9000), np.full(8, 9000), rng.integers(1 << 30, 1 << 31, 8), np.full(8, -7),
        -128, -128, 127,
    )  # fmt: skip
    shifts = {Epilogue.RELU: 12, Epilogue.LINEAR: 12}
    chosen = choose(good, 256, shifts)
    assert chosen is not None
    assert chosen.epilogue == Epilogue.RELU
    assert sum(count for _, count in chosen.proof.kinds) == 8
    one_wide = replace(good, shift=np.array([-7] * 7 + [-2]))
    chosen = choose(one_wide, 256, shifts)
    assert chosen is not None
    assert chosen.epilogue == Epilogue.TEXTBOOK
    assert chosen.proof.kinds == (("textbook", 8),)
    facts = chosen.proof
    assert (facts.shift, facts.thresholds) == (0, 0)  # of no solution
    assert (facts.low, facts.high, facts.bound) == (-9000, 9000, 256 * 9000)
    assert choose(replace(one_wide, high=np.array([9000] * 7 + [1 << 23])), 256, shifts) is None


def op_with_ranges(kind: str, maker: Maker) -> tuple[Op, Interval]:
    """An op whose inputs have bounds of their own: three channels, or twelve elements."""
    x = maker.input((1, 2, 2, 3) if kind == "FULLY_CONNECTED" else (1, 6, 5, 3))
    if kind == "FULLY_CONNECTED":
        inputs = [x, *maker.weights((4, 12), x, 0)]
        op = Op(kind, list(inputs), [maker.tensor((1, 4))])
    elif kind == "DEPTHWISE_CONV_2D":
        inputs = [x, *maker.weights((1, 2, 3, 6), x, 3)]
        attrs = {"padding": "VALID", "stride_h": 1, "stride_w": 1, "depth_multiplier": 2}
        op = Op(kind, list(inputs), [maker.tensor((1, 5, 3, 6))], attrs)
    else:
        maker.conv(x, 4, 3, kind)
        op = maker.ops[-1]
    low = maker.data.integers(-128, 60, 12 if kind == "FULLY_CONNECTED" else 3)
    return op, Interval(low, low + maker.data.integers(0, 60, low.shape))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", ["SAME", "VALID", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_bounds_of_sums_are_those_of_the_extreme_inputs(kind: str, bias: bool) -> None:
    """Each input takes whichever of its bounds suits its weight, and zero outside of the image."""
    maker = Maker(17)
    op, ranges = op_with_ranges(kind, maker)
    zero_point = quant_of(operand(op, 0)).zero_point
    filters, added = (data_of(operand(op, i)).astype(np.int64) for i in (1, 2))
    if not bias:
        op.inputs[2] = None
    found = requant_of(op, ranges)
    choices = [ranges.low - zero_point, ranges.high - zero_point]
    if kind == "SAME":
        choices.append(np.zeros(3, np.int64))
    for channel in range(op.outputs[0].shape[-1]):
        if kind == "DEPTHWISE_CONV_2D":
            weights = filters[..., channel].reshape(-1, 1)
            values = [part[channel // 2 : channel // 2 + 1] for part in choices]
        else:
            weights = filters[channel].reshape(-1, len(ranges.low))
            values = choices
        products = np.stack([weights * part for part in values])
        start = added[channel] if bias else 0
        assert found.low[channel] == products.min(axis=0).sum() + start
        assert found.high[channel] == products.max(axis=0).sum() + start


@pytest.mark.parametrize("keep_constant", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_every_channel_of_the_models(model: Path, keep_constant: bool) -> None:
    """All thresholds +-2 and random sums, each channel with what its kernel would use."""
    graph = optimised(model, keep_constant=keep_constant)
    bounds = intervals(graph)
    rng = np.random.default_rng(20260101)
    for op in graph.ops:
        if op.kind not in CHANNEL_AXIS:
            continue
        requant = requant_of(op, bounds[op.inputs[0]])
        solution = kernel_solution(op.kind, requant)
        assert solution.solved.all(), op.where
        at = Steps.of(requant).at
        for channel, (low, high) in enumerate(zip(requant.low, requant.high, strict=True)):
            near = (at[channel][:, None] + np.arange(-2, 3)).reshape(-1)
            sums = np.concatenate([near, rng.integers(low, high, 500, endpoint=True), [low, high]])
            sums = sums.clip(low, high)
            wrong = device(sums, solution, channel) != expected(requant, channel, sums)
            assert not wrong.any(), (op.where, channel, sums[wrong][:5])


def kernel_solution(kind: str, requant: Requant) -> Solution:
    steps = Steps.of(requant)
    if kind == "DEPTHWISE_CONV_2D":
        found = solve(steps, 1, 10)
        for exponent in range(1, 9):
            found = found.merged(solve(steps, 1 << exponent, 10))
        return found
    relu = solve(steps, 256, 9 if kind == "FULLY_CONNECTED" else 12)
    return relu if relu.solved.all() else solve(steps, 256, 12, linear=True)
