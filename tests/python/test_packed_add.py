# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""ADD from constants gives TensorFlow Lite's output for every pair; pools work plane by plane."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from packed_streams import Ints, tflite_output, wrapped
from random_models import Maker
from ranvier.compiler.graph import Op, Quant
from ranvier.compiler.ops.activation import activation_range
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.packed import add_tables, pool_planes
from ranvier.compiler.packed.view import View
from ranvier.package.records import Layout

ADD_BYTES = np.arange(-128, 128)


def add_outputs(lowered: Lowered) -> Ints:
    """What add_tables.c computes for all pairs."""
    words = dict(zip(add_tables.PARAMS, lowered.params, strict=True))
    stream = np.frombuffer(lowered.weights, "<i4").astype(np.int64)
    if len(stream) == 2:
        assert (words["multiplier"], words["shift"]) == (0, 21)
        parts = [(factor * ADD_BYTES) >> 8 for factor in stream]
        t = wrapped(parts[0][:, None] + parts[1] + words["offset"])
    else:
        parts = [table[ADD_BYTES & 255] for table in stream.reshape(2, 256)]
        total = wrapped(parts[0][:, None] + parts[1])
        t = wrapped(((total * words["multiplier"]) >> 32) + words["offset"])
    return np.clip(t >> words["shift"], -128, 127)


def add_reference(op: Op) -> Ints:
    """TensorFlow Lite's int8 ADD for all pairs, from its definition."""
    scales = [t.quant.scale for t in (*op.inputs, op.outputs[0])]
    twice = 2.0 * max(scales[:2])
    ones = [
        tflite_output(
            (ADD_BYTES - op.inputs[i].quant.zero_point) << 20,
            *quantised(scales[i] / twice),
            0,
            -(1 << 31),
            (1 << 31) - 1,
        )
        for i in range(2)
    ]
    multiplier, shift = quantised(twice / ((1 << 20) * scales[2]))
    zero_point, limits = op.outputs[0].quant.zero_point, activation_range(op)
    return tflite_output(ones[0][:, None] + ones[1], multiplier, shift, zero_point, *limits)


def quantised(real: float) -> tuple[int, int]:
    fraction, exponent = np.frexp(real)
    return round(float(fraction) * (1 << 31)), int(exponent)


def drawn_add(seed: int) -> tuple[Maker, Op]:
    maker = Maker(6000 + seed)
    x, y = maker.input((1, 4, 3, 5)), maker.input((1, 4, 3, 5))
    maker.binary("ADD", x, y)
    op = maker.ops[-1]
    op.outputs[0].quant = Quant(
        (float(np.float32(maker.rng.uniform(0.02, 0.3))),), (maker.rng.randint(-128, 127),)
    )
    if seed % 2:
        op.outputs[0].quant = replace(op.outputs[0].quant, zero_points=(-128,))
        op.attrs["fused_activation_function"] = "RELU"
    return maker, op


def test_add_constants_are_right_for_every_pair() -> None:
    forms: Counter[str] = Counter()
    for seed in (*range(24), 38):  # the last one has no tables
        _, op = drawn_add(seed)
        expected = add_reference(op)
        sums = add_tables.sums_of(op)
        assert (sums.output == expected).all()
        lowered = add_tables.lower(op, [t for t in op.inputs if t], op.outputs[0])
        if lowered is not None:
            assert (add_outputs(lowered) == expected).all(), seed
            forms["linear" if len(lowered.weights) == 8 else "tables"] += 1
        constants = add_tables.tables(sums)
        if constants is not None:
            table = replace(
                lowered, params=(*lowered.params[:5], *constants.words), weights=constants.stream
            )
            assert (add_outputs(table) == expected).all(), seed
            forms["tables too"] += 1
    assert forms["linear"] >= 12, forms
    assert forms["tables too"] >= 6, forms


def test_add_to_one_output() -> None:
    """A scale so large that the reference's multiplier is 0: the first to be tried cannot be."""
    _, op = drawn_add(0)
    op.outputs[0].quant = Quant((1e6,), (5,))
    sums = add_tables.sums_of(op)
    assert sums.multiplier == 0
    assert (sums.output == 5).all()
    constants = add_tables.tables(sums)
    assert constants is not None
    lowered = Lowered("", (1, 60, 1, 1, 1, *constants.words), (), (), constants.stream)
    assert (add_outputs(lowered) == 5).all()


def test_add_rows_and_rings() -> None:
    _, op = drawn_add(1)
    for layout, ring, words in [
        (Layout.PLANES, 0, (1, 60, 1, 1, 1)),
        (Layout.ROWS, 0, (4, 15, 4, 4, 4)),
        (Layout.ROWS, 2, (4, 15, 4, 4, 2)),
    ]:
        images = [replace(t, layout=layout) for t in (*op.inputs, op.outputs[0]) if t]
        images[2].ring_rows = ring
        lowered = add_tables.lower(op, images[:2], images[2])
        assert lowered is not None
        assert lowered.params[:5] == words
        assert lowered.inplace == (() if ring else (0, 1))


def test_pool_is_one_image_a_channel() -> None:
    maker = Maker(0)
    x = maker.input((1, 6, 8, 5))
    attrs = {
        "padding": "VALID",
        "stride_h": 2,
        "stride_w": 4,
        "filter_height": 3,
        "filter_width": 4,
    }
    maker.op("AVERAGE_POOL_2D", [x], maker.tensor((1, 2, 2, 5), x.quant), attrs, 2)
    op = maker.ops[-1]
    for layout, words in [
        (Layout.PLANES, (5, 6, 8, 1, 2, 2, 3, 4, 2, 4, 0, 0)),
        (Layout.PLANES_TRANSPOSED, (5, 8, 6, 1, 2, 2, 4, 3, 4, 2, 0, 0)),
    ]:
        lowered = pool_planes.lower(op, View.of(x, layout), View.of(op.outputs[0], layout))
        assert lowered is not None
        assert lowered.params[:12] == words
    planes, turned, rows = Layout.PLANES, Layout.PLANES_TRANSPOSED, Layout.ROWS
    for layouts in [(rows, rows), (planes, rows), (rows, planes), (planes, turned)]:
        views = [View.of(t, at) for t, at in zip((x, op.outputs[0]), layouts, strict=True)]
        assert pool_planes.lower(op, *views) is None
    for rings in [(3, 2), (6, 1), (3, 1)]:
        source, target = View.of(x, planes, rings[0]), View.of(op.outputs[0], planes, rings[1])
        assert pool_planes.lower(op, source, target) is None
