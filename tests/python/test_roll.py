# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Chains that run by rows, judged by keeping account of every row of every image."""

from __future__ import annotations

import pytest

from random_models import Maker
from ranvier.compiler.graph import Graph
from ranvier.compiler.layouts import Choice
from ranvier.compiler.lower import Program
from ranvier.compiler.passes import bound_inputs, fold_zero_points
from ranvier.compiler.roll import Chain, rerolled
from ranvier.package.records import Isa

#: Stride and rows of padding above of the chain's convolutions of 3 by 3.
STAGES = ((1, 1), (1, 1), (2, 0))
HEIGHT = 20


def network() -> Graph:
    """The last convolution does not read the last row: 9 windows cover 19 of 20 rows."""
    make = Maker(3)
    x = make.input((1, HEIGHT, 7, 3))
    for stride, padding in STAGES:
        x = make.conv(x, 4, 3, "SAME" if padding else "VALID", "RELU", stride)
    graph = make.graph(x)
    fold_zero_points.run(graph)
    bound_inputs.run(graph)
    return graph


def judge(program: Program) -> list[int]:
    """Every row is computed once, in order, from rows that are there; how many rows are held."""
    done = [0] * len(STAGES)
    outputs = [program.steps[stage].lowered.outputs[0] for stage in range(len(STAGES))]
    heights = [output.shape[1] for output in outputs]
    for run in program.runs:
        if run.step >= len(STAGES):
            assert done == heights  # the copy of the output to a dense one
            continue
        assert run.row0 == done[run.step]
        done[run.step] += run.rows or heights[run.step]
        if run.step:
            stride, padding = STAGES[run.step]
            above = run.step - 1
            first = max(run.row0 * stride - padding, 0)
            last = min((done[run.step] - 1) * stride - padding + 2, heights[above] - 1)
            held = outputs[above].ring_rows or heights[above]
            assert done[above] - held <= first
            assert last < done[above]
    assert done == heights
    return [output.ring_rows for output in outputs]


@pytest.mark.parametrize(("chunk", "rings"), [(1, [4, 3, 0]), (2, [6, 5, 0]), (9, [0, 19, 0])])
def test_rows_of_a_chain(chunk: int, rings: list[int]) -> None:
    program = rerolled(network(), Choice(Isa.DSP), (Chain(0, 2, chunk),))
    assert program is not None
    assert judge(program) == rings


def test_a_depthwise_convolution_in_a_chain_copies_four_rows_at_a_time() -> None:
    """Its scratch holds the inputs of four rows of output, else those of all."""
    make = Maker(4)
    y = make.depthwise(make.conv(make.input((1, HEIGHT, 7, 3))), 5)
    graph = make.graph(y)
    fold_zero_points.run(graph)
    bound_inputs.run(graph)
    for chains, rows in [((), HEIGHT), ((Chain(0, 1, 2),), 4)]:
        program = rerolled(graph, Choice(Isa.DSP), chains)
        assert program is not None
        assert program.steps[1].lowered.scratch_bytes == (7 + 4) * (rows + 4) + 8
