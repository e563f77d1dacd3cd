# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Stages before a network that reads pictures: ``image`` and ``normalize``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.ops.base import BYTE_TYPES
from ranvier.compiler.ops.image import FORMATS, PAIRED
from ranvier.compiler.ops.resize_bilinear import SIDE_MAX
from ranvier.compiler.pipeline.stage import Builder, Stage, Values
from ranvier.package.values import quantise

Window = tuple[int, int, int, int]

PIXEL = Quant((float(np.float32(1 / 255)),), (0,))
"""What a pixel means until it is normalised: 0..1."""


@dataclass(frozen=True)
class ImageOptions:
    """Options of ``image``: from a camera's picture to one of the network's size.

    ``format`` is how the picture lies in memory, ``size`` its rows and columns. ``crop`` is the
    window that is used: first row, first column, rows, columns, or ``center`` for the largest one
    in the middle that has the network's proportions; without it the picture is distorted to
    them. ``align`` says where pixels lie when sizes change: ``half_pixel`` as TensorFlow 2 and
    most others, ``corners`` or ``top_left`` as TensorFlow 1 with and without align_corners.
    ``range`` is that of YUV: ``limited`` has Y from 16 to 235, ``full`` from 0 to 255.
    """

    format: Literal["rgb888", "bgr888", "rgb565", "rgb565be", "grey", "yuyv", "uyvy"]
    size: tuple[int, int]
    crop: tuple[int, int, int, int] | Literal["center"] | None = None
    resize: Literal["bilinear", "nearest"] = "bilinear"
    align: Literal["half_pixel", "corners", "top_left"] = "half_pixel"
    range: Literal["limited", "full"] = "limited"


def build_image(builder: Builder, options: ImageOptions, values: Values) -> Values:
    """The picture as pixels, uint8, of the network's size and channels."""
    if values:
        raise builder.error("stage image does not come first", "make it the first --pre stage")
    height, width, channels = picture_shape(builder)
    _check_format(builder, options)
    builder.window = window_of(builder, options, height, width)
    source = builder.source("picture", DType.UINT8, (*options.size, FORMATS[options.format]))
    pixels = builder.tensor("pixels", DType.UINT8, (1, height, width, channels), PIXEL)
    builder.op(
        "IMAGE",
        [source],
        [pixels],
        format=options.format,
        crop=builder.window,
        resize=options.resize,
        range=options.range,
        align_corners=options.align == "corners",
        half_pixel_centers=options.align == "half_pixel",
    )
    return (pixels,)


def picture_shape(builder: Builder) -> tuple[int, int, int]:
    """Rows, columns and channels of the network's input; an error where it is no picture."""
    shape = builder.goal.shape
    if len(shape) != 4 or shape[0] != 1 or shape[3] not in (1, 3):
        raise builder.error(
            f"stage image: the network's input {builder.goal.described} is no picture "
            "[1, rows, columns, 1 or 3]",
            "leave the stage out, or use a model that reads one grey or RGB picture",
        )
    return shape[1], shape[2], shape[3]


def _check_format(builder: Builder, options: ImageOptions) -> None:
    rows, columns = options.size
    if not (1 <= rows <= SIDE_MAX and 1 <= columns <= SIDE_MAX):
        raise builder.error(
            f"stage image: size = {list(options.size)} is impossible",
            f"give rows and columns of the camera's picture, each 1..{SIDE_MAX}",
        )
    if options.format in PAIRED and columns % 2:
        raise builder.error(
            f"stage image: {columns} columns of {options.format} are odd, pixels come in pairs",
            "give the columns as the camera stores them, an even number, and crop the last one",
        )
    if options.format not in PAIRED:
        builder.unused("image", "range", f"{options.format} is not YUV")


def window_of(builder: Builder, options: ImageOptions, height: int, width: int) -> Window:
    """The window of the picture that becomes ``height`` x ``width``; an error where it is none."""
    rows, columns = options.size
    if options.crop is None:
        return 0, 0, rows, columns
    if options.crop == "center":
        used_rows = max(1, min(rows, columns * height // width))
        used_columns = max(1, min(columns, rows * width // height))
        return (rows - used_rows) // 2, (columns - used_columns) // 2, used_rows, used_columns
    top, left, used_rows, used_columns = options.crop
    inside = top + used_rows <= rows and left + used_columns <= columns
    if min(top, left) < 0 or min(used_rows, used_columns) < 1 or not inside:
        raise builder.error(
            f"stage image: crop = {list(options.crop)} is not inside of the picture's "
            f"{rows} rows and {columns} columns",
            "give first row, first column, rows, columns, or center",
        )
    return options.crop


@dataclass(frozen=True)
class NormalizeOptions:
    """Options of ``normalize``: from pixels to what the network was trained with.

    The network is given ``(pixel / divisor - mean) / std``, computed in float32 and quantised as
    its input is. ``mean`` and ``std`` are one number or one for each channel.
    """

    divisor: float = 255.0
    mean: float | tuple[float, ...] = 0.0
    std: float | tuple[float, ...] = 1.0


def build_normalize(builder: Builder, options: NormalizeOptions, values: Values) -> Values:
    """Pixels as the network's input is quantised."""
    if len(values) != 1 or values[0].dtype != DType.UINT8 or not values[0].shape:
        raise builder.error("stage normalize needs the pixels of image", "put image before it")
    goal, pixels = builder.goal, values[0]
    if goal.dtype not in BYTE_TYPES or goal.quant is None or not goal.quant.per_tensor:
        raise builder.error(
            f"stage normalize: the network's input {goal.described} is not quantised to 8 bits",
            "quantise the model to int8",
        )
    tables = _tables(builder, options, pixels.shape[-1])
    result = builder.tensor("normalized", goal.dtype, pixels.shape, goal.quant)
    source = builder.ops.get(builder.current, [])[-1:]
    if _is_plain(tables, goal) and source and _writes(source[0], pixels):
        source[0].outputs = [result]  # pixels are written like that at once
    elif (tables == tables[0]).all():
        builder.op("LUT", [pixels], [result], _table=tables[0].tobytes(), _kind="NORMALIZE")
    else:
        builder.op("CHANNEL_TABLE", [pixels], [result], tables=tables.tobytes())
    return (result,)


def _writes(op: Op, pixels: Tensor) -> bool:
    return op.kind == "IMAGE" and op.outputs == [pixels]


def _is_plain(tables: NDArray[np.uint8], goal: Tensor) -> bool:
    """True where the network's values are the pixels, or the pixels - 128 as int8."""
    plain = np.arange(256) ^ (128 if goal.dtype == DType.INT8 else 0)
    return bool((tables == plain).all())


def _tables(builder: Builder, options: NormalizeOptions, channels: int) -> NDArray[np.uint8]:
    """The raw byte that each pixel value becomes, for every channel."""
    quant = builder.goal.quant
    assert quant is not None
    mean = _each(builder, "mean", options.mean, channels)
    std = _each(builder, "std", options.std, channels)
    with np.errstate(over="ignore"):
        divisor = np.float32(options.divisor)
    if not (np.isfinite(divisor) and divisor > 0 and (std > 0).all()):
        raise builder.error(
            "stage normalize: divisor and std have to be above 0", "give finite numbers above 0"
        )
    with np.errstate(over="ignore"):
        real = ((np.arange(256, dtype=np.float32) / divisor)[None] - mean[:, None]) / std[:, None]
    if not np.isfinite(real).all():
        raise builder.error(
            "stage normalize: some pixels have no finite value", "give a larger divisor or std"
        )
    dtype = builder.goal.dtype.numpy
    return quantise(real, dtype, quant.scale, quant.zero_point).view(np.uint8)


def _each(
    builder: Builder, name: str, given: float | tuple[float, ...], channels: int
) -> NDArray[np.float32]:
    """One number for each channel."""
    numbers = (given,) * channels if isinstance(given, float) else given
    if len(numbers) != channels:
        raise builder.error(
            f"stage normalize: {name} has {len(numbers)} numbers, the picture {channels} channels",
            f"give one number, or {channels}",
        )
    if not all(math.isfinite(number) for number in numbers):
        raise builder.error(f"stage normalize: {name} is not finite", "give finite numbers")
    with np.errstate(over="ignore"):
        return np.array(numbers, np.float32)


STAGES = (
    Stage("image", "pre", ImageOptions, build_image),
    Stage("normalize", "pre", NormalizeOptions, build_normalize),
)
