# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures as a camera gives them: for packages whose first stage is ``image``."""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, UnidentifiedImageError

from ranvier.errors import InputError

FORMATS = ("rgb888", "bgr888", "rgb565", "rgb565be", "grey", "yuyv", "uyvy")
"""The formats that :func:`encode_frame` makes."""

_UNREADABLE = (OSError, SyntaxError, ValueError, IndexError, struct.error, zlib.error)
"""What Pillow raises for damaged files."""

Pixels = NDArray[np.uint8]


MOST_PIXELS = 1 << 24
"""Pixels of the largest picture that is decoded."""


def read_picture(data: bytes, name: str, size: tuple[int, int] | None = None) -> Pixels:
    """The PNG file's bytes as RGB ``[rows, columns, 3]``; InputError for anything else.

    ``size`` is the rows and columns that it has to have. Transparency is left out.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # see MOST_PIXELS
            image = Image.open(io.BytesIO(data), formats=["PNG"])
        _check_size(image, name, size)
        if has_16_bits(image):
            raise InputError(f"{name}: has 16 bits a channel", "save it with 8 bits")
        image.load()
        image.info.pop("transparency", None)
        return np.asarray(image.convert("RGB"))
    except UnidentifiedImageError:
        why = "it does not begin as one"
    except (*_UNREADABLE, Image.DecompressionBombError) as error:
        why = str(error)
    raise InputError(f"{name}: is not a readable PNG image: {why}", "save the picture as PNG again")


def has_16_bits(image: Image.Image) -> bool:
    """True for a PNG image, just opened, of 16 bits a channel; Pillow would cut colours to 8."""
    tiles = image.tile if isinstance(image, ImageFile.ImageFile) else ()
    return any("16" in str(tile[3]) for tile in tiles)


def _check_size(image: Image.Image, name: str, size: tuple[int, int] | None) -> None:
    columns, rows = image.size
    if size is not None and (rows, columns) != size:
        raise InputError(
            f"{name}: is {columns}x{rows} pixels, the package takes {size[1]}x{size[0]}",
            "scale or crop the picture to that size, or compile with another size of the stage "
            "image",
        )
    if rows * columns > MOST_PIXELS:
        raise InputError(
            f"{name}: is {columns}x{rows} pixels, at most {MOST_PIXELS:,} are read",
            "scale the picture down",
        )


def encode_frame(rgb: Pixels, pixel_format: str) -> Pixels:
    """RGB pixels as ``uint8 [rows, columns, bytes of a pixel]`` in a format of :data:`FORMATS`.

    YUV is BT.601 with Y of 16 to 235; two pixels share the mean of their colours. Raises InputError
    for an unknown format, and for an odd number of columns where pixels come in pairs.
    """
    if pixel_format not in FORMATS:
        raise InputError(f"{pixel_format!r} is no format of pixels", f"one of {', '.join(FORMATS)}")
    wide = rgb.astype(np.int64)
    if pixel_format == "rgb888":
        return rgb
    if pixel_format == "bgr888":
        return np.ascontiguousarray(rgb[..., ::-1])
    if pixel_format.startswith("rgb565"):
        words = (wide[..., 0] >> 3 << 11) | (wide[..., 1] >> 2 << 5) | wide[..., 2] >> 3
        order = ">u2" if pixel_format == "rgb565be" else "<u2"
        return words.astype(order)[..., None].view(np.uint8)
    if pixel_format == "grey":
        return _rounded(wide @ np.array([0.299, 0.587, 0.114]))[..., None]
    return _yuv(wide, first=0 if pixel_format == "yuyv" else 1)


def _yuv(rgb: NDArray[np.int64], first: int) -> Pixels:
    rows, columns = rgb.shape[:2]
    if columns % 2:
        raise InputError(
            f"a picture of {columns} columns has no pairs of pixels", "crop it to an even number"
        )
    luma = 16 + rgb @ np.array([65.481, 128.553, 24.966]) / 255
    pairs = rgb.reshape(rows, columns // 2, 2, 3).mean(axis=2)
    blue = 128 + pairs @ np.array([-37.797, -74.203, 112.0]) / 255
    red = 128 + pairs @ np.array([112.0, -93.786, -18.214]) / 255
    out = np.empty((rows, columns, 2), np.uint8)
    out[..., first] = _rounded(luma)
    out[:, 0::2, 1 - first] = _rounded(blue)
    out[:, 1::2, 1 - first] = _rounded(red)
    return out


def _rounded(values: NDArray[Any]) -> Pixels:
    return np.clip(np.floor(values + 0.5), 0, 255).astype(np.uint8)
