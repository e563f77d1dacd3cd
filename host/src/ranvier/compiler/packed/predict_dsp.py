# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the kernels in kernels/dsp, loop by loop.

Numbers in formulas are instructions counted in the assembly of the loop that the function names.
Those in named constants stand for C code, and are fitted to measured counts.
"""

from __future__ import annotations

from ranvier.compiler.packed.predict_tiles import (
    LINEAR,
    OP,
    RELU,
    TEXTBOOK,
    TEXTBOOK_OUTPUT,
    Tiles,
    Words,
    fill,
    ups,
)


def _gemm(quads: int, out_c: int, epilogue: int) -> int:
    """gemm.S: a tile of four columns times pairs of outputs, an odd last one by itself."""
    rest = {RELU: 30, LINEAR: 48, TEXTBOOK: 34 + 8 * TEXTBOOK_OUTPUT}[epilogue]
    pair = 23 + 23 * (quads - 1) + 3 * ups(quads - 1, 4) + (quads > 1) + rest
    return _calls(15, pair, out_c)


def _gemm_one(quads: int, out_c: int, epilogue: int) -> int:
    """gemm_one.S: one column times pairs of outputs."""
    twos = quads // 2
    rest = {RELU: 11, LINEAR: 17, TEXTBOOK: 24 + 2 * TEXTBOOK_OUTPUT}[epilogue]
    pair = 2 + 9 * (quads % 2) + 14 * twos + 3 * ups(twos, 2) + (twos > 0) + rest
    return _calls(19, pair, out_c)


def _calls(call: int, pair: int, out_c: int) -> int:
    return (call + out_c // 2 * pair if out_c > 1 else 0) + out_c % 2 * (call + pair)


TILES = Tiles(
    width=4,
    gemm=_gemm,
    gemm_one=_gemm_one,
    planes=lambda quads: 6 + 26 * quads,
    pixels=lambda quads: 4 + 19 * quads,
    planes_one=lambda quads: 5 + 12 * quads,
    pixels_one=lambda quads: 2 + 7 * quads,
    interleave=23,
)
"""gemm.S, gemm_one.S, prepare.S and interleave.S."""


_FC_OP = 200
_FC_ROW = 40
_FC_LAST_QUAD = 60


def fully_connected(p: Words) -> float:
    """fully_connected_asm.S: blocks of 8 outputs, the last one stored through a buffer."""
    quads, blocks = ups(p["in_c"], 4), ups(p["out_c"], 8)
    rest = p["out_c"] % 8
    quad, unroll = (32, 1) if p["direct"] else (29, 4)
    end = {RELU: 34, LINEAR: 55, TEXTBOOK: 40 + 8 * TEXTBOOK_OUTPUT}[p["epilogue"]]
    block = 4 + quad * quads + 3 * ups(quads, unroll) + end
    calls = (1 if p["out_c"] >= 8 else 0) + (1 if rest else 0)
    column = 0 if p["direct"] else 10 + 7 * quads + _FC_LAST_QUAD * (p["in_c"] % 4 != 0)
    row = _FC_ROW + column + calls * 36 + blocks * block + (25 + rest if rest else 0)
    return _FC_OP + p["rows"] * row


_DEPTHWISE_OP = 430
_DEPTHWISE_CHANNEL = 19
_DEPTHWISE_WRAP = 320
"""Rows copied, or stored, in parts because a ring ends within them."""
_DEPTHWISE_ODD = 6
"""Keeping the byte after an odd row."""


def depthwise(p: Words) -> float:
    """depthwise_s1.S and the others: rows copied to scratch, tiles of 2 by 2 outputs."""
    stride, channels = p["stride"], p["channels"]
    columns = min(p["in_w"], (p["out_w"] - 1) * stride + 3 - p["pad_left"])
    rows = min(p["in_h"], (p["out_h"] - 1) * stride + 3 - p["pad_top"])
    copy = 9 + rows * (5 + 2 * ups(columns, 4))
    tiles = ups(p["out_w"], 2)
    pairs, odd = p["out_h"] // 2, p["out_h"] % 2
    tile, single = (51, 29) if stride == 1 else (65, 36)
    outputs = 24 + pairs * (6 + tile * tiles) + odd * (2 + single * tiles)
    clear = fill(64 * ((p["out_h"] - 1) * stride + 3)) / 2
    first = p.get("first", 0) % p["in_ring"], p.get("row0", 0) % p["out_ring"]
    wraps = first[0] + rows > p["in_ring"] or first[1] + p["out_h"] > p["out_ring"]
    copy += _DEPTHWISE_WRAP if wraps else 0
    each = _DEPTHWISE_CHANNEL + p["out_w"] % 2 * _DEPTHWISE_ODD + copy + outputs
    return _DEPTHWISE_OP + clear + channels * each


_WINOGRAD_ROW = 60
_WINOGRAD_GROUP = 70
_WINOGRAD_EDGE = 110


def winograd(p: Words) -> float:
    """winograd_rows.S and winograd_gemm.S, for every two rows of outputs."""
    pairs, groups = ups(p["in_c"], 2), ups(p["out_w"], 8)
    twice = ups(p["out_h"], 2)
    size = min(p["in_w"], 8 * groups + 4 - p["pad_left"])
    copy = 5 + size // 8 * 6 + size % 8 * 4
    row = _WINOGRAD_ROW + pairs * (26 + 2 * copy + 68 * groups)
    down = 8 + 4 * (22 + 35 * pairs)
    finish = {RELU: 88, LINEAR: 168}[p["epilogue"]]
    block = 314 + finish + 16 * (8 + 11 * pairs + 3 * ups(pairs, 4))
    blocks = ups(p["out_c"], 2)
    edges = groups * twice if p["out_h"] % 2 else 0
    edges = max(edges, twice if p["out_w"] % 8 else 0)
    each = _WINOGRAD_GROUP + down + 45 * (1 + p["out_c"] % 2) + blocks * block
    total = 2 * (twice + 1) * row + twice * groups * each
    return OP + total + edges * blocks * _WINOGRAD_EDGE


_ADD_OP = 60
_ADD_ROW = 45


def add_tables(p: Words) -> float:
    """add_linear_asm.S, or the tables in C."""
    quads, rest = p["row_elements"] // 4, p["row_elements"] % 4
    row = 24 * quads + 10 * rest if p["multiplier"] == 0 else 18 * p["row_elements"]
    return _ADD_OP + p["rows"] * (_ADD_ROW + row)
