# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""IMAGE and CHANNEL_TABLE against pictures that NumPy decodes and TensorFlow Lite Micro resizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ranvier.compiler.check import reasons_against
from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.ops.image import FORMATS
from vision_ops import UNIT, Array, program, resized

BT601 = {"limited": (16, 255 / 219, 255 / 224), "full": (0, 1.0, 1.0)}
KINDS = {"bilinear": "RESIZE_BILINEAR", "nearest": "RESIZE_NEAREST_NEIGHBOR"}
ALIGNMENTS = ("half_pixel_centers", "align_corners", "")


def decoded(picture: Array, format_: str, range_: str = "limited") -> Array:
    """RGB of a picture, written from the formats' descriptions; YUV from the real matrix."""
    p = picture.astype(np.int64)
    if format_ in ("rgb888", "bgr888"):
        return picture[:, :, :: 1 if format_ == "rgb888" else -1]
    if format_ == "grey":
        return np.repeat(picture, 3, axis=2)
    if format_.startswith("rgb565"):
        low, high = (0, 1) if format_ == "rgb565" else (1, 0)
        word = p[:, :, low] + 256 * p[:, :, high]
        parts = [(word // 2048, 5), (word // 32 % 64, 6), (word % 32, 5)]
        return np.stack([v * 2 ** (8 - n) + v // 2 ** (2 * n - 8) for v, n in parts], 2).astype(
            np.uint8
        )
    return decoded_yuv(p, format_, range_)


def decoded_yuv(p: Array, format_: str, range_: str) -> Array:
    luma, chroma = (0, 1) if format_ == "yuyv" else (1, 0)
    y = p[:, :, luma].astype(np.float64)
    u, v = (np.repeat(p[:, i::2, chroma], 2, axis=1) - 128.0 for i in (0, 1))
    black, gain, chroma_gain = BT601[range_]
    y = (y - black) * gain
    r, b = 1.402 * chroma_gain, 1.772 * chroma_gain
    rgb = [y + r * v, y - (0.114 * b * u + 0.299 * r * v) / 0.587, y + b * u]
    return np.clip(np.stack(rgb, 2), 0, 255)


def grey_of(rgb: Array) -> Array:
    weights = np.array([77, 150, 29])
    return ((rgb.astype(np.int64) @ weights + 128) // 256)[:, :, None].astype(np.uint8)


def run(picture: Array, format_: str, out: tuple[int, ...], dtype: DType, **attrs: Any) -> Array:
    x = Tensor("x", DType.UINT8, picture.shape)
    y = Tensor("y", dtype, (1, *out))
    (result,) = program("IMAGE", [x], [y], format=format_, **attrs).run(picture)
    return result


@pytest.mark.parametrize("format_", ["rgb888", "bgr888", "rgb565", "rgb565be", "grey"])
@pytest.mark.parametrize("resize", KINDS)
def test_windows_of_any_size_are_resized_as_the_reference_does(format_: str, resize: str) -> None:
    random = np.random.default_rng([5, len(format_), len(resize)])
    for case in range(24):
        rows, columns = (int(n) for n in random.integers(1, 40, 2))
        picture = random.integers(0, 256, (rows, columns, FORMATS[format_]), np.uint8)
        top, left = int(random.integers(rows)), int(random.integers(columns))
        height, width = (
            int(random.integers(1, rows - top + 1)),
            int(random.integers(1, columns - left + 1)),
        )
        size = (int(random.integers(1, 30)), int(random.integers(1, 30)))
        rule = ALIGNMENTS[case % 3]
        rules = {name: name == rule for name in ALIGNMENTS if name}
        window = decoded(picture, format_)[top : top + height, left : left + width]
        channels = 1 if case % 4 == 3 else 3
        if channels == 1:
            window = window[:, :, :1] if format_ == "grey" else grey_of(window)
        expected = resized(window, size, KINDS[resize], **rules)
        crop = (top, left, height, width)
        out = (*size, channels)
        attrs = {"crop": crop, "resize": resize, **rules}
        got = run(picture, format_, out, DType.UINT8, **attrs)
        assert np.array_equal(got, expected), (case, picture.shape, crop, size, rule)
        signed = run(picture, format_, out, DType.INT8, **attrs)
        assert np.array_equal(signed, (expected.astype(np.int16) - 128).astype(np.int8))


@pytest.mark.parametrize("format_", ["yuyv", "uyvy"])
@pytest.mark.parametrize("range_", ["limited", "full"])
def test_yuv_is_the_matrix_of_bt601(format_: str, range_: str) -> None:
    """Within 2 of the real matrix for every brightness and random colours; at odd columns too."""
    random = np.random.default_rng(3)
    picture = random.integers(0, 256, (64, 32, 2), np.uint8)
    picture[:8, :, 0] = np.arange(256).reshape(8, 32)
    attrs = {"resize": "nearest", "range": range_, "half_pixel_centers": True}
    got = run(picture, format_, (64, 32, 3), DType.UINT8, **attrs)[0].astype(np.float64)
    assert np.abs(got - decoded(picture, format_, range_)).max() < 2
    window = run(picture, format_, (60, 27, 3), DType.UINT8, crop=(3, 5, 60, 27), **attrs)
    assert np.array_equal(window[0], got[3:63, 5:32])
    grey = run(picture, format_, (64, 32, 1), DType.UINT8, **attrs)[0, :, :, 0]
    black, gain, _ = BT601[range_]
    luma = picture[:, :, 0 if format_ == "yuyv" else 1].astype(np.float64)
    assert np.abs(grey - np.clip((luma - black) * gain, 0, 255)).max() < 1


@pytest.mark.parametrize("format_", ["yuyv", "uyvy"])
def test_yuv_is_resized_as_the_decoded_picture(format_: str) -> None:
    random = np.random.default_rng(4)
    picture = random.integers(0, 256, (18, 22, 2), np.uint8)
    exact = {"resize": "nearest", "half_pixel_centers": True}
    for channels in (1, 3):
        rgb = run(picture, format_, (18, 22, channels), DType.UINT8, **exact)[0]
        expected = resized(rgb, (13, 9), "RESIZE_BILINEAR", half_pixel_centers=True)
        attrs = {"resize": "bilinear", "half_pixel_centers": True}
        got = run(picture, format_, (13, 9, channels), DType.UINT8, **attrs)
        assert np.array_equal(got, expected)


def test_primary_colours_in_each_format() -> None:
    """Bytes written by hand from the descriptions of the formats."""
    red = {
        "rgb888": [255, 0, 0],
        "bgr888": [0, 0, 255],
        "rgb565": [0x00, 0xF8],
        "rgb565be": [0xF8, 0x00],
    }
    for format_, pixel in red.items():
        picture = np.array([[pixel]], np.uint8)
        got = run(picture, format_, (1, 1, 3), DType.UINT8, resize="bilinear")
        assert got.reshape(3).tolist() == [255, 0, 0], format_
    yuyv = np.array([[[82, 90], [235, 240]]], np.uint8)  # BT.601's red, then white's brightness
    got = run(yuyv, "yuyv", (1, 2, 3), DType.UINT8, resize="nearest")
    assert np.abs(got[0, 0, 0].astype(int) - [255, 0, 0]).max() <= 2


def refused(shape: tuple[int, ...], out: tuple[int, ...], **attrs: Any) -> str:
    x = Tensor("x", DType.UINT8, shape)
    y = Tensor("y", DType.UINT8, out)
    given = {"format": "rgb888", "resize": "bilinear", **attrs}
    return "; ".join(reasons_against(Op("IMAGE", [x], [y], given)))


@pytest.mark.parametrize(
    ("shape", "out", "attrs", "why"),
    [
        ((4, 4, 3), (1, 2, 2, 3), {"format": "jpeg"}, "format 'jpeg' is none of"),
        ((4, 4, 3), (1, 2, 2, 3), {"resize": "cubic"}, "neither bilinear nor nearest"),
        ((4, 4, 3), (1, 2, 2, 3), {"range": "tv"}, "neither limited nor full"),
        ((4, 4, 2), (1, 2, 2, 3), {}, "is not [rows, columns, 3]"),
        ((4, 4, 3), (1, 2, 2, 2), {}, "is not [1, rows, columns, 1 or 3]"),
        ((4, 4, 3), (2, 2, 2, 3), {}, "is not [1, rows, columns, 1 or 3]"),
        ((4, 5, 2), (1, 2, 2, 3), {"format": "yuyv"}, "5 columns of yuyv are odd"),
        ((1, 65536, 3), (1, 2, 2, 3), {}, "a side that is not 1..65535"),
        ((4, 4, 3), (1, 2, 2, 3), {"crop": (1, 0, 4, 4)}, "is not inside of the picture's"),
        ((4, 4, 3), (1, 2, 2, 3), {"crop": (0, -1, 4, 4)}, "is not inside of the picture's"),
        ((4, 4, 3), (1, 2, 2, 3), {"crop": (0, 0, 4, 0)}, "is not inside of the picture's"),
    ],
)
def test_what_cannot_be_is_refused(
    shape: tuple[int, ...], out: tuple[int, ...], attrs: dict[str, Any], why: str
) -> None:
    assert why in refused(shape, out, **attrs)


@pytest.mark.parametrize("dtypes", [(DType.UINT8, DType.INT8), (DType.INT8, DType.UINT8)])
def test_a_table_for_each_channel(dtypes: tuple[DType, DType]) -> None:
    random = np.random.default_rng(8)
    for channels in (1, 2, 3, 7):
        tables = random.integers(0, 256, (channels, 256), np.uint8)
        x = Tensor("x", dtypes[0], (1, 5, 4, channels), UNIT)
        y = Tensor("y", dtypes[1], (1, 5, 4, channels), Quant((0.5,), (3,)))
        values = random.integers(0, 256, x.shape, np.uint8)
        model = program("CHANNEL_TABLE", [x], [y], tables=tables.tobytes())
        (got,) = model.run(values.view(dtypes[0].numpy))
        expected = [tables[c][values[..., c]] for c in range(channels)]
        assert np.array_equal(got.view(np.uint8), np.stack(expected, -1))
