# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packed streams, decoded as a device reads them, give TensorFlow Lite's outputs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from packed_models import MODELS, optimised
from packed_streams import (
    Channel,
    Ints,
    Taps,
    base_channels,
    channels_of,
    tflite_output,
    winograd_channels,
    wrapped,
)
from random_models import Maker
from ranvier.compiler.graph import Op, Quant, Tensor
from ranvier.compiler.intervals import FULL, intervals
from ranvier.compiler.ops.activation import activation_range
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.ops.convolution import folded_bias, quantised_multipliers
from ranvier.compiler.packed import (
    conv_pixels,
    conv_planes,
    depthwise,
    depthwise_planes,
    fully_connected,
    pointwise,
    winograd,
)
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa, Layout

LAYOUTS = (Layout.PLANES, Layout.PLANES_TRANSPOSED, Layout.ROWS)


def finished(maker: Maker, activation: str) -> Op:
    """The last op, as passes leave it, with a quantisation for its output that has solutions."""
    op = maker.ops[-1]
    zero_point = -128 if activation == "RELU" else maker.rng.randint(-60, 60)
    if maker.rng.random() < 0.2:
        zero_point = maker.rng.randint(-60, 60)
    scale = float(np.float32(maker.rng.uniform(0.05, 0.6)))
    op.outputs[0].quant = Quant((scale,), (zero_point,))
    op.attrs["fused_activation_function"] = activation
    op.attrs["_bias"] = folded_bias(op)
    return op


def windows_of(op: Op, image: Ints, filter_h: int, filter_w: int) -> Ints:
    """Windows [out_h][out_w][filter_h][filter_w][in_c] of an NHWC image, by SAME or VALID."""
    _, out_h, out_w, _ = op.outputs[0].shape
    stride_h, stride_w = op.attrs["stride_h"], op.attrs["stride_w"]
    need_h = (out_h - 1) * stride_h + filter_h - image.shape[0]
    need_w = (out_w - 1) * stride_w + filter_w - image.shape[1]
    same = op.attrs["padding"] == "SAME"
    top, left = (max(need_h, 0) // 2, max(need_w, 0) // 2) if same else (0, 0)
    zero = op.inputs[0].quant.zero_point
    padded = np.full(
        (top + image.shape[0] + filter_h, left + image.shape[1] + filter_w, image.shape[2]), zero
    )
    padded[top : top + image.shape[0], left : left + image.shape[1]] = image
    return np.array(
        [
            [
                padded[
                    y * stride_h : y * stride_h + filter_h, x * stride_w : x * stride_w + filter_w
                ]
                for x in range(out_w)
            ]
            for y in range(out_h)
        ]
    )


def reference(op: Op, windows: Ints, weights: Ints) -> Ints:
    """[out_h][out_w][out_c] of windows, for weights [out_c][filter_h][filter_w][in_c]."""
    zero = op.inputs[0].quant.zero_point
    bias = op.inputs[2].data.astype(np.int64)
    sums = np.einsum("yxijc,oijc->yxo", windows - zero, weights) + bias
    return requantised(op, sums)


def requantised(op: Op, sums: Ints) -> Ints:
    pairs = quantised_multipliers(op)
    zero_point, limits = op.outputs[0].quant.zero_point, activation_range(op)
    return np.stack(
        [
            tflite_output(sums[..., c], *pairs[c % len(pairs)], zero_point, *limits)
            for c in range(sums.shape[-1])
        ],
        axis=-1,
    )


def image_of(rng: np.random.Generator, tensor: Tensor) -> Ints:
    shape = tensor.shape[1:]
    if rng.random() < 0.3:
        return rng.choice([-128, 127], shape).astype(np.int64)
    return rng.integers(-128, 128, shape)


def drawn_conv(
    maker: Maker, kernel: int, stride: int, in_c: int, out_c: int, activation: str
) -> Op:
    rng = maker.rng
    size = (rng.randint(kernel, 9), rng.randint(kernel, 9))
    x = maker.input((1, *size, in_c))
    maker.conv(x, out_c, kernel, rng.choice(["SAME", "VALID"]), activation, stride)
    return finished(maker, activation)


def weights_of(op: Op) -> Ints:
    return op.inputs[1].data.astype(np.int64)


def compare(
    op: Op,
    lowered: Lowered,
    columns: Ints,
    expected: Ints,
    outputs: int,
    shifts: tuple[int, int, int],
) -> str:
    """Compare the decoded stream over ``columns[pixel][K]`` with ``expected[pixel][out_c]``."""
    epilogue = lowered.params[-1] if outputs == 2 else lowered.params[3]
    quads = -(-columns.shape[1] // 4)
    channels = channels_of(
        lowered.weights,
        expected.shape[1],
        quads,
        epilogue,
        outputs=outputs,
        missing_first=outputs == 2,
    )
    for number, channel in enumerate(channels):
        found = channel.outputs(columns, epilogue, shifts[epilogue])
        assert (found == expected[:, number]).all(), (op.where, number)
    assert lowered.packing == Isa.DSP
    assert lowered.proof is not None
    return lowered.proof.epilogue


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pointwise(layout: Layout) -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        maker = Maker(seed)
        activation = ("RELU", "NONE", "RELU6")[seed % 3]
        op = drawn_conv(maker, 1, 1, maker.rng.randint(4, 20), maker.rng.randint(1, 9), activation)
        image = image_of(maker.data, op.inputs[0])
        views = [View.of(t, layout) for t in (op.inputs[0], op.outputs[0])]
        lowered = pointwise.lower(op, FULL, Isa.DSP, *views)
        assert lowered is not None
        pixels = image.reshape(-1, image.shape[-1])
        in_c = pixels.shape[1]
        whole = (in_c - 1) // 4 * 4
        order = [*range(whole), *range(in_c - 4, in_c)]  # the last quad is the last four channels
        expected = reference(op, image[:, :, None, None, :], weights_of(op))
        seen[
            compare(
                op, lowered, pixels[:, order], expected.reshape(len(pixels), -1), 2, (12, 12, 0)
            )
        ] += 1
        assert lowered.scratch_bytes == 8 * len(order)
        same = layout != Layout.ROWS or op.outputs[0].shape[3] == in_c
        assert lowered.inplace == ((0,) if same else ())
    assert set(seen) == {"RELU", "LINEAR", "TEXTBOOK"}, seen


@pytest.mark.parametrize("layout", LAYOUTS)
def test_conv_planes(layout: Layout) -> None:
    seen: Counter[str] = Counter()
    for seed in range(30):
        maker = Maker(1000 + seed)
        activation = ("RELU", "NONE")[seed % 2]
        kernel, stride = maker.rng.randint(1, 4), maker.rng.randint(1, 3)
        op = drawn_conv(
            maker, kernel, stride, maker.rng.randint(1, 9), maker.rng.randint(1, 5), activation
        )
        image = image_of(maker.data, op.inputs[0])
        views = [View.of(t, layout) for t in (op.inputs[0], op.outputs[0])]
        lowered = conv_planes.lower(op, FULL, Isa.DSP, *views)
        assert lowered is not None
        windows = windows_of(op, image, kernel, kernel)
        expected = reference(op, windows, weights_of(op))
        if layout == Layout.PLANES_TRANSPOSED:  # stored and walked with x and y exchanged
            windows = windows.transpose(1, 0, 3, 2, 4)
            expected = expected.swapaxes(0, 1)
        lacking = -windows.shape[-1] % 4
        columns = np.pad(windows, [(0, 0)] * 4 + [(0, lacking)], constant_values=77)
        columns = columns.reshape(windows.shape[0] * windows.shape[1], -1)
        flat = expected.reshape(len(columns), -1)
        seen[compare(op, lowered, columns, flat, 2, (12, 12, 0))] += 1
        check_geometry(op, lowered, layout)
    assert set(seen) >= {"RELU", "LINEAR"}, seen


def check_geometry(op: Op, lowered: Lowered, layout: Layout) -> None:
    words = dict(zip(conv_planes.PARAMS, lowered.params, strict=True))
    (_, in_h, in_w, in_c), (_, out_h, out_w, out_c) = op.inputs[0].shape, op.outputs[0].shape
    if layout == Layout.PLANES_TRANSPOSED:
        in_h, in_w, out_h, out_w = in_w, in_h, out_w, out_h
    sizes = (in_h, in_w, in_c, out_h, out_w, out_c)
    assert tuple(words[n] for n in ("in_h", "in_w", "in_c", "out_h", "out_w", "out_c")) == sizes
    view = (in_w, in_c * in_w, in_h) if layout == Layout.ROWS else (in_h * in_w, in_w, in_h)
    assert (words["in_channel"], words["in_row"], words["in_ring"]) == view


@pytest.mark.parametrize("layout", LAYOUTS)
def test_conv_pixels(layout: Layout) -> None:
    for seed in range(30):
        maker = Maker(2000 + seed)
        activation = ("RELU", "NONE")[seed % 2]
        kernel, stride = maker.rng.randint(1, 4), maker.rng.randint(1, 3)
        op = drawn_conv(
            maker, kernel, stride, maker.rng.randint(1, 4), maker.rng.randint(1, 5), activation
        )
        image = image_of(maker.data, op.inputs[0])
        lowered = conv_pixels.lower(op, FULL, Isa.DSP, View.of(op.outputs[0], layout))
        assert lowered is not None
        windows = windows_of(op, image, kernel, kernel)
        expected = reference(op, windows, weights_of(op))
        # A column runs along the row of the output: down the image where that is transposed.
        down = layout == Layout.PLANES_TRANSPOSED
        along = windows if down else windows.swapaxes(2, 3)
        columns = along.reshape(windows.shape[0] * windows.shape[1], -1)
        compare(op, lowered, columns, expected.reshape(len(columns), -1), 2, (12, 12, 0))
        words = dict(zip(conv_pixels.PARAMS, lowered.params, strict=True))
        assert words["transposed"] == int(down)
        assert (words["in_h"], words["in_w"]) == op.inputs[0].shape[1:3]


def test_orientation_of_filters_that_are_not_square() -> None:
    """Rows and columns of weights, strides and padding: a 2x3 filter, stride 1x2."""
    for layout in LAYOUTS:
        maker = Maker(5)
        x = maker.input((1, 6, 8, 5))
        filters, bias = maker.weights((3, 2, 3, 5), x, 0)
        attrs = {
            "padding": "SAME",
            "stride_h": 1,
            "stride_w": 2,
            "dilation_h_factor": 1,
            "dilation_w_factor": 1,
        }
        maker.op("CONV_2D", [x, filters, bias], maker.tensor((1, 6, 4, 3)), attrs, 3)
        op = finished(maker, "NONE")
        image = image_of(maker.data, x)
        windows = windows_of(op, image, 2, 3)
        expected = reference(op, windows, weights_of(op))
        lowered = conv_planes.lower(
            op, FULL, Isa.DSP, View.of(x, layout), View.of(op.outputs[0], layout)
        )
        assert lowered is not None
        columns = np.pad(windows, [(0, 0)] * 4 + [(0, 3)])
        words = dict(zip(conv_planes.PARAMS, lowered.params, strict=True))
        if layout == Layout.PLANES_TRANSPOSED:
            columns = columns.swapaxes(2, 3)
            assert (words["filter_h"], words["stride_h"], words["pad_top"]) == (3, 2, 0)
        else:
            assert (words["filter_w"], words["stride_w"], words["filter_h"]) == (3, 2, 2)
        compare(op, lowered, columns.reshape(24, -1), expected.reshape(24, -1), 2, (12, 12, 0))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("stride", [1, 2])
def test_depthwise(layout: Layout, stride: int) -> None:
    solved = 0
    for seed in range(20):
        maker = Maker(3000 + seed)
        channels = maker.rng.randint(1, 7)
        x = maker.input((1, maker.rng.randint(3, 8), maker.rng.randint(3, 8), channels))
        filters, bias = maker.weights((1, 3, 3, channels), x, 3)
        padding = maker.rng.choice(["SAME", "VALID"])
        sizes = [
            -(-n // stride) if padding == "SAME" else (n - 3) // stride + 1 for n in x.shape[1:3]
        ]
        attrs = {"padding": padding, "stride_h": stride, "stride_w": stride, "depth_multiplier": 1}
        maker.op(
            "DEPTHWISE_CONV_2D", [x, filters, bias], maker.tensor((1, *sizes, channels)), attrs, 3
        )
        op = finished(maker, "RELU")
        views = [View.of(t, layout) for t in (x, op.outputs[0])]
        lowered = depthwise.lower(op, FULL, Isa.DSP, *views)
        if lowered is None:
            assert op.outputs[0].quant.zero_point != -128
            continue
        solved += 1
        windows = windows_of(op, image_of(maker.data, x), 3, 3)
        zero = x.quant.zero_point
        sums = np.einsum("yxijc,ijc->yxc", windows - zero, weights_of(op)[0]) + bias.data
        expected = requantised(op, sums)
        if layout == Layout.PLANES_TRANSPOSED:
            windows = windows.swapaxes(2, 3)
        words = np.frombuffer(lowered.weights, "<i4").astype(np.int64).reshape(channels, 8)
        for channel in range(channels):
            found = Taps.of(words[channel]).outputs(windows[..., channel].reshape(-1, 3, 3))
            assert (found == expected[..., channel].reshape(-1)).all(), (seed, channel)
    assert solved >= 10


@pytest.mark.parametrize("direct", [False, True])
def test_fully_connected(direct: bool) -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        maker = Maker(4000 + seed)
        in_c = maker.rng.randint(1, 40)
        x = maker.input((maker.rng.randint(1, 3), in_c))
        maker.fully_connected(x, maker.rng.randint(1, 20))
        op = finished(maker, ("RELU", "NONE")[seed % 2])
        lowered = fully_connected.lower(op, FULL, Isa.DSP, direct=direct)
        if direct and in_c % 4:
            assert lowered is None
            continue
        assert lowered is not None
        rows = maker.data.integers(-128, 128, x.shape)
        sums = (rows - x.quant.zero_point) @ weights_of(op).T + op.inputs[2].data
        seen[compare(op, lowered, rows, requantised(op, sums), 8, (9, 12, 0))] += 1
        assert lowered.params[:3] == (*x.shape, op.outputs[0].shape[1])
    assert set(seen) == {"RELU", "LINEAR", "TEXTBOOK"}, seen


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize(("rows", "out_c"), [(1, 9), (2, 7), (2, 8), (2, 9)])
def test_fully_connected_in_place(rows: int, out_c: int, direct: bool) -> None:
    """A row is copied before its outputs, which must not reach into the next row, replace it.

    Without scratch there is no copy.
    """
    maker = Maker(5)
    maker.fully_connected(maker.input((rows, 8)), out_c)
    lowered = fully_connected.lower(finished(maker, "NONE"), FULL, Isa.DSP, direct=direct)
    assert lowered is not None
    reaches = any((row + 1) * out_c > (row + 1) * 8 for row in range(rows - 1))
    assert lowered.inplace == (() if direct or reaches else (0,))


def test_a_convolution_of_one_pixel_is_fully_connected() -> None:
    maker = Maker(8)
    x = maker.input((1, 1, 1, 13))
    maker.conv(x, 5, 1, "VALID", "NONE", 1)
    op = finished(maker, "NONE")
    lowered = fully_connected.lower(op, FULL, Isa.DSP)
    assert lowered is not None
    image = image_of(maker.data, x)
    expected = reference(op, image[:, :, None, None, :], weights_of(op))
    compare(op, lowered, image.reshape(1, -1), expected.reshape(1, -1), 8, (9, 12, 0))


def test_weights_that_do_not_fit_are_refused() -> None:
    """Halves w0 + 256 w1 leave 16 bits for w1 = -128 with w0 below 0, and only then."""
    for low, high, fits in [
        (-1, -128, False),
        (0, -128, True),
        (-128, -127, True),
        (127, 127, True),
    ]:
        maker = Maker(1)
        x = maker.input((1, 4))
        maker.fully_connected(x, 2)
        op = finished(maker, "NONE")
        op.inputs[1].data[1, 2:4] = low, high
        op.attrs["_bias"] = folded_bias(op)
        assert (fully_connected.lower(op, FULL, Isa.DSP) is not None) == fits, (low, high)


@pytest.mark.parametrize(("in_c", "fits"), [(516, True), (517, False)])
def test_sums_beyond_the_bound_are_refused(in_c: int, fits: bool) -> None:
    """517 products of 127 and -128 reach beyond -2^23, which 256 times does not fit."""
    maker = Maker(2)
    x = maker.input((1, in_c))
    x.quant = Quant((0.5,), (0,))
    maker.fully_connected(x, 2)
    op = finished(maker, "NONE")
    op.inputs[1].data[:] = 127
    op.inputs[2].data[:] = 0
    op.inputs[1].quant = Quant((0.25,), (0,))
    op.outputs[0].quant = Quant((float(1 << 14),), (0,))
    op.attrs["_bias"] = folded_bias(op)
    assert (fully_connected.lower(op, FULL, Isa.DSP) is not None) == fits


@pytest.mark.parametrize("change", ["batch", "dilation", "groups"])
def test_what_tile_kernels_cannot_do(change: str) -> None:
    maker = Maker(3)
    batch = 2 if change == "batch" else 1
    x = maker.input((batch, 8, 8, 8))
    maker.conv(x, 8, 3, "SAME")
    op = finished(maker, "NONE")
    if change == "dilation":
        op.attrs |= {"dilation_h_factor": 2, "dilation_w_factor": 2}
    if change == "groups":
        op.inputs[1] = maker.constant(
            op.inputs[1].data[..., :4], op.inputs[1].dtype, op.inputs[1].quant
        )
    views = [View(Layout.PLANES, 8, 8, 8, 8)] * 2
    assert conv_planes.lower(op, FULL, Isa.DSP, *views) is None
    assert conv_pixels.lower(op, FULL, Isa.DSP, views[1]) is None
    assert pointwise.lower(op, FULL, Isa.DSP, *views) is None


def compare_base(lowered: Lowered | None, columns: Ints, expected: Ints, at: int) -> str:
    assert lowered is not None
    assert lowered.packing == Isa.BASE
    assert lowered.proof is not None
    epilogue = lowered.params[at]
    channels = base_channels(
        lowered.weights, expected.shape[1], -(-columns.shape[1] // 4), epilogue
    )
    for number, channel in enumerate(channels):
        assert (channel.outputs(columns, epilogue) == expected[:, number]).all(), number
    return lowered.proof.epilogue


def test_base_streams() -> None:
    """All kernels of packing base: words for two channels, blocks of two pairs, what is left."""
    seen: Counter[str] = Counter()
    for seed in range(36):
        maker = Maker(9000 + seed)
        activation = ("RELU", "NONE")[seed % 2]
        out_c = 1 + seed % 9
        kernel = maker.rng.randint(1, 3)
        op = drawn_conv(maker, kernel, 1, maker.rng.randint(1, 6), out_c, activation)
        image = image_of(maker.data, op.inputs[0])
        windows = windows_of(op, image, kernel, kernel)
        pixels = windows.shape[0] * windows.shape[1]
        expected = reference(op, windows, weights_of(op)).reshape(pixels, -1)
        views = [View.of(t, Layout.PLANES) for t in (op.inputs[0], op.outputs[0])]
        planes = np.pad(windows, [(0, 0)] * 4 + [(0, -windows.shape[-1] % 4)])
        lowered = conv_planes.lower(op, FULL, Isa.BASE, *views)
        seen[compare_base(lowered, planes.reshape(pixels, -1), expected, -1)] += 1
        lowered = conv_pixels.lower(op, FULL, Isa.BASE, views[1])
        compare_base(lowered, windows.swapaxes(2, 3).reshape(pixels, -1), expected, -1)
        x = maker.input((2, maker.rng.randint(1, 30)))
        maker.fully_connected(x, out_c)
        op = finished(maker, activation)
        rows = maker.data.integers(-128, 128, x.shape)
        sums = (rows - x.quant.zero_point) @ weights_of(op).T + op.inputs[2].data
        lowered = fully_connected.lower(op, FULL, Isa.BASE)
        seen[compare_base(lowered, rows, requantised(op, sums), 3)] += 1
    assert min(seen[name] for name in ("RELU", "LINEAR", "TEXTBOOK")) >= 3, seen


def test_base_channels_of_one_output_do_not_disturb_their_partner() -> None:
    """Their sums exceed 24 bits, as biases of dead filters do."""
    maker = Maker(4)
    x = maker.input((1, 6))
    maker.fully_connected(x, 4)
    op = finished(maker, "NONE")
    op.outputs[0].quant = Quant((0.2,), (3,))
    op.inputs[2].data[[0, 3]] = 1 << 30, -(1 << 30)
    op.attrs["_bias"] = folded_bias(op)
    rows = maker.data.integers(-128, 128, (20, 6))
    sums = (rows - x.quant.zero_point) @ weights_of(op).T + op.inputs[2].data
    lowered = fully_connected.lower(op, FULL, Isa.BASE)
    assert compare_base(lowered, rows, requantised(op, sums), 3) == "LINEAR"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_winograd(layout: Layout) -> None:
    seen: Counter[str] = Counter()
    for seed in range(24):
        maker = Maker(7000 + seed)
        activation = ("RELU", "NONE")[seed % 2]
        in_c, out_c = maker.rng.randint(1, 9), maker.rng.randint(1, 5)
        op = drawn_conv(maker, 3, 1, in_c, out_c, activation)
        op.outputs[0].quant = replace(op.outputs[0].quant, scales=(op.outputs[0].quant.scale * 2,))
        views = [View.of(t, layout) for t in (op.inputs[0], op.outputs[0])]
        lowered = winograd.lower(op, FULL, Isa.DSP, *views)
        if lowered is None:
            continue
        windows = windows_of(op, image_of(maker.data, op.inputs[0]), 3, 3)
        weights, zero = weights_of(op), op.inputs[0].quant.zero_point
        exact = np.einsum("yxijc,oijc->yxo", windows - zero, weights) + op.inputs[2].data
        expected = requantised(op, exact)
        if layout == Layout.PLANES_TRANSPOSED:
            windows, exact = windows.transpose(1, 0, 3, 2, 4), exact.swapaxes(0, 1)
            expected = expected.swapaxes(0, 1)
        tiles, ys, xs = winograd_tiles(windows)
        if not len(tiles):
            continue
        for number, channel in enumerate(
            winograd_channels(lowered.weights, out_c, in_c, lowered.params[-1])
        ):
            acc = channel.sums(tiles)
            error = acc - 64 * exact[ys, xs, number]
            assert (error == error.flat[0]).all(), (seed, number)
            m, k = channel.tail[:2]
            t = wrapped(((acc * m) >> 32) + k)
            if lowered.params[-1] == 1:
                t = wrapped(t + np.where(acc < 0, channel.tail[2], 0))
            found = np.clip(t >> 12, -128, 127)
            assert (found == expected[ys, xs, number]).all(), (seed, number)
        seen[lowered.proof.epilogue if lowered.proof else ""] += 1
    assert min(seen["RELU"], seen["LINEAR"]) >= 4, seen


def winograd_tiles(windows: Ints) -> tuple[Ints, Ints, Ints]:
    """Inputs of every whole tile of 2x2 outputs, and the outputs' rows and columns [n][2][2]."""
    tiles, ys, xs = [], [], []
    for y in range(0, windows.shape[0] - 1, 2):
        for x in range(0, windows.shape[1] - 1, 2):
            tile = np.zeros((4, 4, windows.shape[-1]), np.int64)
            for i in range(2):
                for j in range(2):
                    tile[i : i + 3, j : j + 3] = windows[y + i, x + j]
            tiles.append(tile)
            ys.append([[y, y], [y + 1, y + 1]])
            xs.append([[x, x + 1], [x, x + 1]])
    return np.array(tiles), np.array(ys), np.array(xs)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_depthwise_planes(layout: Layout) -> None:
    """Any window and multiplier: the portable stream, one filter after the other."""
    for seed in range(12):
        maker = Maker(8000 + seed)
        in_c, each, kernel = (
            maker.rng.randint(1, 4),
            maker.rng.randint(1, 3),
            maker.rng.randint(1, 4),
        )
        x = maker.input((1, maker.rng.randint(kernel, 8), maker.rng.randint(kernel, 8), in_c))
        filters, bias = maker.weights((1, kernel, kernel, in_c * each), x, 3)
        sizes = [n - kernel + 1 for n in x.shape[1:3]]
        attrs = {"padding": "VALID", "stride_h": 1, "stride_w": 1, "depth_multiplier": each}
        maker.op(
            "DEPTHWISE_CONV_2D",
            [x, filters, bias],
            maker.tensor((1, *sizes, in_c * each)),
            attrs,
            3,
        )
        op = finished(maker, "NONE")
        lowered = depthwise_planes.lower(op, *(View.of(t, layout) for t in (x, op.outputs[0])))
        assert lowered is not None
        words = dict(zip(depthwise_planes.PARAMS, lowered.params, strict=True))
        head = 4 * words["out_c"] + 5 * words["channels_q"] + -words["channels_q"] % 4
        taps = np.frombuffer(lowered.weights, np.int8)[head:].reshape(-1, kernel, kernel)
        expected = filters.data[0].transpose(2, 0, 1)
        if layout == Layout.PLANES_TRANSPOSED:
            expected = expected.swapaxes(1, 2)
            assert (words["in_h"], words["in_w"]) == x.shape[2:0:-1]
        assert (taps == expected).all()
        folded = np.frombuffer(lowered.weights, "<i4", words["out_c"])
        assert (folded == folded_bias(op)).all()
        assert words["depth_multiplier"] == each
        columns = sizes[0] if layout == Layout.PLANES_TRANSPOSED else sizes[1]
        rows = sum(sizes) - columns
        assert lowered.scratch_bytes == (columns + kernel - 1) * (rows + kernel - 1) + 8


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_streams_of_the_models_hold_the_weights(model: Any) -> None:
    """The sum that each stream's start and words give for random columns is 256 times the op's."""
    graph = optimised(model)
    bounds = intervals(graph)
    rng = np.random.default_rng(1)
    for op in graph.ops:
        if op.kind != "FULLY_CONNECTED":
            continue
        lowered = fully_connected.lower(op, bounds[op.inputs[0]], Isa.DSP)
        assert lowered is not None
        out_c, in_c = op.inputs[1].shape
        columns = rng.integers(-128, 128, (5, in_c))
        exact = (columns - op.inputs[0].quant.zero_point) @ weights_of(op).T + op.inputs[2].data
        channels: list[Channel] = channels_of(
            lowered.weights, out_c, -(-in_c // 4), lowered.params[3], outputs=8, missing_first=False
        )
        for number, channel in enumerate(channels):
            if channel.tail[0]:
                error = channel.sums(columns) - 256 * exact[:, number]
                assert len(set(error.tolist())) == 1
                assert abs(error[0]) <= 1 << 16
