# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier run`` does with packages that take a camera's picture, or find objects on one."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ranvier.cli.inputs import Pixels as PixelValues
from ranvier.cli.inputs import format_of, input_of
from ranvier.errors import InputError, PackageError
from ranvier.files import read_bytes, write_bytes
from ranvier.model import Package
from ranvier.pixels import encode_frame, read_picture
from ranvier.results import Detection

_COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#808000")


def load_picture(path: str, package: Package, pixel_format: str) -> NDArray[np.uint8]:
    """A PNG file as the frame that the package takes; other files are raw frames, or .npy."""
    return picture_of(path, read_bytes(path), package, pixel_format)


def picture_of(path: str, data: bytes, package: Package, pixel_format: str) -> NDArray[np.uint8]:
    """As :func:`load_picture`, of bytes that are at hand."""
    shape = package.inputs[0].shape if package.inputs else ()
    if len(shape) != 3 or package.inputs[0].dtype != np.uint8:
        raise PackageError(
            f"{package.source}: its first input is no picture, as its stage image says",
            "compile the model again",
        )
    rows, columns, pixel_bytes = shape
    ending = Path(path).suffix.lower()
    if ending == ".npy":
        return input_of(path, data, package.inputs[0], PixelValues())
    if ending != ".png":
        fits = len(data) == rows * columns * pixel_bytes
        if (found := format_of(data)) is not None and not fits:
            raise InputError(
                f"{path}: is {found}; pictures are read from .png files",
                "save the picture as PNG, or give one raw frame, or an array as .npy",
            )
        if not fits:
            raise InputError(
                f"{path}: has {len(data)} bytes, a frame of {columns}x{rows} {pixel_format} has "
                f"{rows * columns * pixel_bytes}",
                "give one raw frame, a PNG picture, or an array as .npy",
            )
        return np.frombuffer(data, np.uint8).reshape(rows, columns, pixel_bytes)
    return encode_frame(read_picture(data, path, (rows, columns)), pixel_format)


def draw_boxes(source: str, target: str, objects: list[Detection]) -> None:
    """Write the picture ``source`` with the boxes of ``objects`` as PNG to ``target``."""
    rgb = read_picture(read_bytes(source), source)
    scale = max(1, 480 // max(rgb.shape[:2]))
    image = Image.fromarray(rgb).resize(
        (rgb.shape[1] * scale, rgb.shape[0] * scale), Image.Resampling.NEAREST
    )
    draw = ImageDraw.Draw(image)
    for found in objects:
        if found.box is None:
            continue
        y0, x0, y1, x1 = (side * scale for side in found.box)
        colour = _COLOURS[found.class_index % len(_COLOURS)]
        draw.rectangle((x0, y0, max(x1 - 1, x0), max(y1 - 1, y0)), outline=colour, width=2)
        text = f"{found.label} {found.score:.2f}"
        left, top, right, bottom = draw.textbbox((x0, y0), text)
        lift = min(y0, bottom - top + 4)
        draw.rectangle((left, top - lift, right + 4, bottom - lift + 4), fill=colour)
        draw.text((x0 + 2, y0 - lift), text, fill="white")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    write_bytes(target, buffer.getvalue())
