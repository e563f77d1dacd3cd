# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the kernels in kernels/base, loop by loop, as in predict_dsp.py."""

from __future__ import annotations

from ranvier.compiler.packed.predict_tiles import (
    LINEAR,
    RELU,
    TEXTBOOK,
    TEXTBOOK_OUTPUT,
    Tiles,
    Words,
    ups,
)

_CALL = 19
_FC_OP = 110
_FC_ROW = 45
_FC_LAST_QUAD = 45


def _blocks(four: int, two: int, out_c: int) -> int:
    """Calls for all full pairs and for an odd last channel; a block is two pairs, or one."""
    full = _CALL + out_c // 4 * four + out_c // 2 % 2 * two if out_c > 1 else 0
    return full + out_c % 2 * (_CALL + two)


def _gemm(quads: int, out_c: int, epilogue: int) -> int:
    """gemm.S: a tile of two columns."""
    pair = {RELU: 28, LINEAR: 38, TEXTBOOK: 28 + 4 * TEXTBOOK_OUTPUT}[epilogue]
    four = 1 + 24 * quads + 3 * ups(quads, 8) + 2 * pair
    return _blocks(four, 3 + 14 * quads + pair, out_c)


def _one(quads: int, out_c: int, epilogue: int, values: int) -> int:
    """gemm_one.S: one column, of which the values of a quad take so many instructions to load."""
    pair = {RELU: 16, LINEAR: 23, TEXTBOOK: 24 + 2 * TEXTBOOK_OUTPUT}[epilogue]
    four = 2 + (10 + values) * quads + 3 * ups(quads, 4) + 2 * pair
    return _blocks(four, 4 + (8 + values) * quads + pair, out_c)


TILES = Tiles(
    width=2,
    gemm=_gemm,
    gemm_one=lambda quads, out_c, epilogue: _one(quads, out_c, epilogue, 1),
    planes=lambda quads: 8 + 11 * quads + 2 * ups(quads, 2),
    pixels=lambda quads: 7 + 9 * quads + 2 * ups(quads, 2),
    planes_one=lambda quads: 4 + 8 * quads,
    pixels_one=lambda quads: 7 + 5 * quads + 2 * ups(quads, 2),
    interleave=37,
)
"""gemm.S, gemm_one.S, prepare.S; interleave.c."""


def fully_connected(p: Words) -> float:
    """One column after the other, prepared or as it is."""
    quads = ups(p["in_c"], 4)
    column = 0 if p["direct"] else 10 + TILES.pixels_one(quads)
    column += _FC_LAST_QUAD * (p["in_c"] % 4 != 0)
    row = _FC_ROW + column + _one(quads, p["out_c"], p["epilogue"], 4 if p["direct"] else 1)
    return _FC_OP + p["rows"] * row


def add_tables(p: Words) -> float:
    """The same arithmetic in C."""
    each = 22 if p["multiplier"] == 0 else 18
    return 100 + p["rows"] * (20 + each * p["row_elements"])
