# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the kernels in kernels/planes, which call the inner loops of a packing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

Words = Mapping[str, int]

RELU, LINEAR, TEXTBOOK = range(3)

OP = 110
"""Entering an op: parameters, the tile functions, addresses."""

TEXTBOOK_OUTPUT = 45
"""One output by the reference's formula, in C."""

_POINTWISE_TILE = 36
_POINTWISE_TILE_ODD = 42
_POINTWISE_RUN = 60
_CONV_ROW = 90
_CONV_TILE = 30
_CONV_PART = 11
_COPY_ROW = 45
_INTERLEAVE = 30
_PIECE = 14
_BAND = 60


@dataclass(frozen=True)
class Tiles:
    """What the inner loops of a packing take.

    ``gemm(quads, out_c, epilogue)`` is all outputs of a tile of ``width`` pixels, ``planes`` and
    ``pixels`` are preparing so many quads of it; ``.._one`` the same for a single pixel.
    ``interleave`` is a block of four pixels and channels.
    """

    width: int
    gemm: Callable[[int, int, int], int]
    gemm_one: Callable[[int, int, int], int]
    planes: Callable[[int], int]
    pixels: Callable[[int], int]
    planes_one: Callable[[int], int]
    pixels_one: Callable[[int], int]
    interleave: int


def ups(count: int, size: int) -> int:
    """Parts of a size that hold a count."""
    return -(-count // size)


def fill(size: int) -> float:
    """Bytes of one value."""
    return 12 + size // 16 * 7 + size % 16 * 3


def pointwise(p: Words, tiles: Tiles) -> float:
    """Tiles of a run of pixels: the whole image, or each row."""
    quads = ups(p["in_c"], 4)
    width, rows = p["width"], p["height"]
    together = p["in_row"] == width == p["out_row"]
    ring = min(p["in_ring"], p["out_ring"], rows)
    run, runs = (width * ring, ups(rows, ring)) if together else (width, rows)
    whole, single = run // tiles.width, run % tiles.width
    split = p["in_c"] % 4 != 0
    plain = not split and p["out_c"] % 2 == 0
    tile = _POINTWISE_TILE if plain else _POINTWISE_TILE_ODD
    prepare = tile + tiles.planes(quads) + (15 if split else 0)
    prepare_one = tile + tiles.planes_one(quads) + (8 if split else 0)
    full = prepare + tiles.gemm(quads, p["out_c"], p["epilogue"])
    one = prepare_one + tiles.gemm_one(quads, p["out_c"], p["epilogue"])
    return OP + runs * (_POINTWISE_RUN + whole * full + single * one)


def _conv_row(count: int, parts: int, part_quads: int, p: Words, tiles: Tiles) -> int:
    """conv_tiles.c: one row of outputs."""
    quads = parts * part_quads
    full = _CONV_TILE + parts * (_CONV_PART + tiles.pixels(part_quads))
    full += tiles.gemm(quads, p["out_c"], p["epilogue"])
    one = _CONV_TILE + parts * (_CONV_PART + tiles.pixels_one(part_quads))
    one += tiles.gemm_one(quads, p["out_c"], p["epilogue"])
    return _CONV_ROW + count // tiles.width * full + count % tiles.width * one


def conv_planes(p: Words, tiles: Tiles) -> float:
    """Input rows interleaved once, then windows of the rows in the ring."""
    part_quads = p["filter_w"] * ups(p["in_c"], 4)
    padded_w = (p["out_w"] - 1) * p["stride_w"] + p["filter_w"]
    rows = min(p["in_h"], (p["out_h"] - 1) * p["stride_h"] + p["filter_h"] - p["pad_top"])
    if p["stride_h"] > p["filter_h"]:
        rows = p["out_h"] * p["filter_h"]
    width = min(p["in_w"], padded_w - p["pad_left"])
    block = tiles.interleave * ups(width, 4) + (5 if width % 4 else 0)
    copies = rows * (_COPY_ROW + ups(p["in_c"], 4) * (_INTERLEAVE + block))
    each = _conv_row(p["out_w"], p["filter_h"], part_quads, p, tiles)
    ring = fill(p["filter_h"] * padded_w * 4 * ups(p["in_c"], 4))
    return OP + ring + copies + p["out_h"] * each


def conv_pixels(p: Words, tiles: Tiles) -> float:
    """A band of the image for every row of outputs, then its windows."""
    down = p["transposed"]
    rows, count = (p["out_w"], p["out_h"]) if down else (p["out_h"], p["out_w"])
    along, across = (p["filter_h"], p["filter_w"]) if down else (p["filter_w"], p["filter_h"])
    stride = p["stride_h"] if down else p["stride_w"]
    length = (count - 1) * stride + along
    quads = ups(along * across * p["in_c"], 4)
    if down:
        piece = across * p["in_c"]
        band = (piece // 4 + piece % 4) * (_PIECE + 6 * min(p["in_h"], length))
    elif across == 3 and p["in_c"] == 3:
        band = 11 * min(p["in_w"], length) + 60
    else:
        piece = p["in_c"]
        each = (piece // 4 + piece % 4) * (_PIECE + 6 * min(p["in_w"], length))
        band = across * (20 + each)
    row = _BAND + band + _conv_row(count, 1, quads, p, tiles)
    return OP + fill(length * across * p["in_c"]) + rows * row
