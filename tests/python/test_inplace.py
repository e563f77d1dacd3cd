# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Outputs replace inputs exactly where the kernels' ``check()`` permits it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from random_models import Maker
from ranvier.compiler.emit import Header, emit
from ranvier.compiler.exchange import exchange
from ranvier.compiler.graph import Op, Quant, Tensor
from ranvier.compiler.intervals import FULL
from ranvier.compiler.layouts import stored_as
from ranvier.compiler.lower import Program, Step
from ranvier.compiler.memory import plan_memory
from ranvier.compiler.ops.base import Lowered, operand
from ranvier.compiler.ops.convolution import folded_bias
from ranvier.compiler.ops.window import Window, window_of
from ranvier.compiler.packed import conv_pixels, conv_planes, depthwise_planes, winograd
from ranvier.compiler.packed.inplace import depthwise_in_place, pixels_in_place, planes_in_place
from ranvier.compiler.packed.view import View
from ranvier.errors import PackageError
from ranvier.native import NativePackage
from ranvier.package.records import IoMode, Isa, Layout
from ranvier.package.writer import write_package

LAYOUTS = (Layout.PLANES, Layout.PLANES_TRANSPOSED, Layout.ROWS)
PAIRS = (
    *((layout, layout) for layout in LAYOUTS),
    (Layout.PLANES, Layout.ROWS),
    (Layout.ROWS, Layout.PLANES),
)


def permitted(lowered: Lowered, source: Tensor, target: Tensor) -> bool:
    """True where the core loads a package in which the op replaces its input."""
    op = replace(lowered, inputs=(source,), outputs=(target,), inplace=(0,))
    given, taken = replace(source, name="given"), replace(target, name="taken")
    steps = [op, exchange(target, stored_as(taken, Layout.DENSE))]
    if source.layout != Layout.DENSE:
        given = stored_as(given, Layout.DENSE)
        steps.insert(0, exchange(given, source))
    else:
        given = source
    program = Program("one", tuple(Step(s, "TEST", ()) for s in steps), (given,), steps[-1].outputs)
    plan = plan_memory(program, IoMode.RESIDENT)
    assert plan.placements[target].alias is source
    content = emit(plan, Header(name="one", io_mode=IoMode.RESIDENT, isa=Isa.DSP))
    try:
        NativePackage(write_package(content))
    except PackageError:
        return False
    return True


def drawn_conv(maker: Maker) -> Op:
    """Strides, paddings and channels of all kinds."""
    rng = maker.rng
    x = maker.input((1, rng.randint(3, 9), rng.randint(3, 9), rng.randint(1, 6)))
    filters, bias = maker.weights(
        (rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 3), x.shape[3]), x, 0
    )
    attrs: dict[str, Any] = {
        "padding": rng.choice(["SAME", "VALID"]),
        "stride_h": rng.randint(1, 3),
        "stride_w": rng.randint(1, 2),
    }
    if rng.random() < 0.4:
        attrs["_pad"] = tuple(rng.randint(0, 3) for _ in range(4))
    op = Op("CONV_2D", [x, filters, bias], [], attrs)
    window = window_of(op, *filters.shape[1:3])
    op.outputs = [maker.tensor((1, window.out_h, window.out_w, filters.shape[0]))]
    op.attrs["_bias"] = folded_bias(op)
    return op


def compare(lowered: Lowered | None, op: Op, layouts: tuple[Layout, Layout]) -> str:
    """Compare what the compiler says with what the kernel does; the former."""
    assert lowered is not None
    source, target = operand(op, 0), op.outputs[0]
    if layouts[0] != Layout.DENSE:
        source = stored_as(source, layouts[0])
    found = bool(lowered.inplace)
    assert permitted(lowered, source, stored_as(target, layouts[1])) == found, op.attrs
    return "replaced" if found else "kept"


def views(op: Op, layouts: tuple[Layout, Layout]) -> tuple[View, View]:
    """The image and the output as they are stored."""
    return View.of(operand(op, 0), layouts[0]), View.of(op.outputs[0], layouts[1])


@pytest.mark.parametrize("layouts", PAIRS)
def test_conv_planes(layouts: tuple[Layout, Layout]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        op = drawn_conv(Maker(seed))
        lowered = conv_planes.lower(op, FULL, Isa.DSP, *views(op, layouts))
        seen[compare(lowered, op, layouts)] += 1
    assert set(seen) == {"kept", "replaced"}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_conv_pixels(layout: Layout) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        op = drawn_conv(Maker(seed))
        lowered = conv_pixels.lower(op, FULL, Isa.DSP, View.of(op.outputs[0], layout))
        seen[compare(lowered, op, (Layout.DENSE, layout))] += 1
    assert set(seen) == ({"kept"} if layout == Layout.PLANES_TRANSPOSED else {"kept", "replaced"})


@pytest.mark.parametrize("layouts", PAIRS)
def test_depthwise_planes(layouts: tuple[Layout, Layout]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        maker = Maker(seed)
        conv = drawn_conv(maker)
        x, each = operand(conv, 0), maker.rng.choice([1, 1, 2])
        kernel = operand(conv, 1).shape[1:3]
        channels = x.shape[3] * each
        inputs = [x, *maker.weights((1, *kernel, channels), x, 3)]
        target = replace(conv.outputs[0], shape=(*conv.outputs[0].shape[:3], channels))
        op = Op("DEPTHWISE_CONV_2D", inputs, [target], conv.attrs | {"depth_multiplier": each})
        op.attrs["_bias"] = folded_bias(op)
        seen[compare(depthwise_planes.lower(op, *views(op, layouts)), op, layouts)] += 1
    assert set(seen) == ({"kept", "replaced"} if layouts[0] == layouts[1] else {"kept"})


@pytest.mark.parametrize("layouts", PAIRS[:4])
def test_winograd(layouts: tuple[Layout, Layout]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(30):
        maker = Maker(seed)
        rng = maker.rng
        x = maker.input((1, rng.randint(4, 7), rng.randint(4, 7), rng.randint(1, 3)))
        maker.conv(x, rng.randint(1, 3), 3, rng.choice(["SAME", "VALID"]), "RELU")
        op = maker.ops[-1]
        op.outputs[0].quant = Quant((0.5,), (-128,))
        op.attrs["_bias"] = folded_bias(op)
        lowered = winograd.lower(op, FULL, Isa.DSP, *views(op, layouts))
        seen[compare(lowered, op, layouts)] += 1
    assert set(seen) == ({"kept", "replaced"} if layouts[0] == layouts[1] else {"kept"})


@pytest.mark.parametrize("side", [0, 2])
def test_padding_that_winograd_takes(side: int) -> None:
    """What is accepted here loads; the kernel's ring has no more rows."""
    for padding in (2, 3):
        maker = Maker(side)
        x = maker.input((1, 6, 6, 2))
        maker.conv(x, 2, 3, "VALID", "RELU")
        op = maker.ops[-1]
        op.attrs["_pad"] = tuple(padding if at == side else 0 for at in range(4))
        size = (4, 4 + padding) if side else (4 + padding, 4)
        op.outputs[0] = maker.tensor((1, *size, 2), Quant((0.5,), (-128,)))
        op.attrs["_bias"] = folded_bias(op)
        layouts = (Layout.PLANES, Layout.PLANES)
        lowered = winograd.lower(op, FULL, Isa.DSP, *views(op, layouts))
        assert (lowered is not None) == (padding <= 2)
        assert lowered is None or compare(lowered, op, layouts) == "kept"


def test_images_of_which_some_rows_are_held_are_not_replaced() -> None:
    """Whole, both conditions hold; the rows of a ring replace each other."""
    window = Window(1, 6, 4, 3, 6, 4, 3, 3, 1, 1, 1, 1)
    for layout in (Layout.PLANES, Layout.ROWS):
        whole, ring = (View(layout, 3, 6, 4, rows) for rows in (6, 4))
        for source, target in [(whole, whole), (ring, whole), (whole, ring), (ring, ring)]:
            both = source is target is whole
            assert planes_in_place(window, source, target) == both
            assert depthwise_in_place(source, target) == both
    valid = replace(window, pad_top=0, out_h=4)
    assert pixels_in_place(valid, View(Layout.ROWS, 3, 4, 4, 4))
    assert not pixels_in_place(valid, View(Layout.ROWS, 3, 4, 4, 3))
