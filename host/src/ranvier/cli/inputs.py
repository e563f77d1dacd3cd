# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Input files of ``ranvier run`` and ``ranvier validate``: NumPy, PNG, raw bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.model import TensorInfo, encode
from ranvier.pixels import has_16_bits


@dataclass(frozen=True)
class Pixels:
    """How the pixels of an image become real numbers: ``value * scale + offset``."""

    scale: float = 1 / 255
    offset: float = 0.0


def load_inputs(
    paths: Sequence[str], infos: Sequence[TensorInfo], pixels: Pixels
) -> list[NDArray[Any]]:
    """One file per model input, in order; each array has its input's type and shape."""
    if len(paths) != len(infos):
        names = ", ".join(repr(info.name) for info in infos)
        raise InputError(
            f"the model has {len(infos)} inputs ({names}), {len(paths)} files were given",
            remedy="give --input once for each, in this order",
        )
    return [load_input(path, info, pixels) for path, info in zip(paths, infos, strict=True)]


def load_input(path: str, info: TensorInfo, pixels: Pixels) -> NDArray[Any]:
    """The file's contents for one input. The name's ending tells the format; raw is the default."""
    return input_of(path, read_bytes(path), info, pixels)


def input_of(path: str, data: bytes, info: TensorInfo, pixels: Pixels) -> NDArray[Any]:
    """As :func:`load_input`, of bytes that are at hand."""
    ending = Path(path).suffix.lower()
    if ending == ".npy":
        values = _npy(path, data)
    elif ending == ".png":
        values = _png(path, data, info, pixels)
    else:
        values = _raw(path, data, info)
    try:
        encoded = encode(info, values)
    except InputError as error:
        raise InputError(f"{path}: {error.message}", error.remedy) from None
    return np.frombuffer(encoded, info.dtype).reshape(info.shape)


def _npy(path: str, data: bytes) -> NDArray[Any]:
    if data.startswith(b"PK"):
        raise InputError(f"{path}: holds several arrays", remedy="save one array with numpy.save")
    try:
        array: NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, SyntaxError, TokenError, MemoryError, OverflowError) as error:
        raise InputError(
            f"{path}: is not a NumPy array file: {error}",
            remedy="save one array of numbers with numpy.save; raw bytes need a name other than "
            ".npy and .png",
        ) from None
    return array


def _png(path: str, data: bytes, info: TensorInfo, pixels: Pixels) -> NDArray[Any]:
    height, width, channels = _image_shape(path, info)
    try:
        image = Image.open(io.BytesIO(data), formats=["PNG"])
        if image.size != (width, height):
            raise InputError(
                f"{path}: is {image.size[0]}x{image.size[1]} pixels, the model takes "
                f"{width}x{height}",
                remedy="scale or crop the image to that size",
            )
        if has_16_bits(image):
            raise InputError(f"{path}: has 16 bits a channel", remedy="save it with 8 bits")
        array = np.asarray(image.convert("L" if channels == 1 else "RGB"))
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise InputError(
            f"{path}: is not a readable PNG image: {_other_format(data) or error}",
            remedy="save the image as PNG again; raw bytes need a name other than .npy and .png",
        ) from None
    real = array.astype(np.float32) * np.float32(pixels.scale) + np.float32(pixels.offset)
    return np.asarray(real.reshape(info.shape))


def _image_shape(path: str, info: TensorInfo) -> tuple[int, int, int]:
    shape = info.shape[1:] if len(info.shape) == 4 else info.shape
    if len(shape) == 2:
        shape = (*shape, 1)
    if len(shape) != 3 or shape[2] not in (1, 3) or int(np.prod(info.shape)) != int(np.prod(shape)):
        raise InputError(
            f"{path}: input {info.name!r} of shape {info.shape} is not one grey or RGB image",
            remedy="give the input as .npy or raw bytes",
        )
    return shape[0], shape[1], shape[2]


_FORMATS = {
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"II*\0": "a TIFF image",
    b"MM\0*": "a TIFF image",
    b"BM": "a BMP image",
    b"\x89PNG": "a PNG image without the ending .png",
    b"\x93NUMPY": "a NumPy array without the ending .npy",
    b"PK\3\4": "an archive",
    b"RNVM": "a package",
}


def format_of(data: bytes) -> str | None:
    """What a file is whose beginning tells it."""
    if data.startswith(b"RIFF"):
        return {b"WAVE": "a WAV file", b"WEBP": "a WebP image"}.get(data[8:12], "a RIFF file")
    return next((name for start, name in _FORMATS.items() if data.startswith(start)), None)


def _other_format(data: bytes) -> str | None:
    return None if data.startswith(b"\x89PNG") else format_of(data)


def _raw(path: str, data: bytes, info: TensorInfo) -> NDArray[Any]:
    count = int(np.prod(info.shape))
    fits = len(data) == count * info.dtype.itemsize
    found = format_of(data)
    if found is not None and not fits:
        raise InputError(
            f"{path}: is {found}; inputs are .png images, .npy arrays or raw bytes",
            remedy="save images as .png and arrays as .npy",
        )
    if not fits:
        raise InputError(
            f"{path}: has {len(data)} bytes, input {info.name!r} takes "
            f"{count * info.dtype.itemsize} ({info.dtype}{list(info.shape)})",
            remedy="give exactly the input's elements, little-endian, or a .npy or .png file",
        )
    return np.frombuffer(data, info.dtype).reshape(info.shape)
