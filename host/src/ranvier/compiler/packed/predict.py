# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How many instructions a device op takes, by its parameters.

For a Cortex-M33, M4 or M7, with the DSP extension unless the packing is base. Loops are counted
from the assembly; what the C code around them takes is fitted to counts under QEMU (GCC 12, a
release build).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ranvier.compiler.ops import device_ops
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.packed import predict_base as base
from ranvier.compiler.packed import predict_dsp as dsp
from ranvier.compiler.packed import predict_tiles
from ranvier.package.records import Isa

Words = Mapping[str, int]


def predicted(lowered: Lowered, isa: Isa = Isa.DSP) -> Lowered:
    """The op with its prediction for a machine of an instruction set, 0 where there is no model."""
    return replace(lowered, predicted=_estimate(lowered.device, _words(lowered), isa))


def predicted_rows(lowered: Lowered, row0: int, rows: int, isa: Isa = Isa.DSP) -> int:
    """Instructions for the output rows ``row0 .. row0 + rows - 1`` alone; 0 without a model."""
    words = dict(_words(lowered))
    before = row0 * words.get("stride_h", words.get("stride", 1)) - words.get("pad_top", 0)
    words |= {name: rows for name in ("height", "out_h", "rows") if name in words}
    words |= {"pad_top": max(-before, 0), "row0": row0, "first": max(before, 0)}
    return _estimate(lowered.device, words, isa)


def _words(lowered: Lowered) -> Words:
    names = device_ops()[lowered.device].params
    return dict(zip(names, lowered.params, strict=False))


def _estimate(device: str, words: Words, isa: Isa) -> int:
    model = _WITHOUT_DSP.get(device) if isa == Isa.BASE else None
    model = model or _MODELS.get(device)
    return 0 if model is None else max(round(model(words)), 1)


def _softmax(p: Words) -> float:
    return 60 + p["rows"] * (170 + 43 * p["depth"])


def _average_pool(p: Words) -> float:
    """A channel with one window has a loop of its own."""
    area = p["filter_h"] * p["filter_w"]
    windows = p["batch"] * p["out_h"] * p["out_w"] * p["in_c"]
    if p["in_c"] == p["out_h"] == p["out_w"] == 1:
        words = area // 4
        return 60 + windows * (34 + words // 2 * 8 + words % 2 * 3 + area % 4 * 3)
    return 100 + windows * (70 + 7 * area)


def _average_pool_bytes(p: Words) -> float:
    """The same without the DSP extension."""
    if p["in_c"] == p["out_h"] == p["out_w"] == 1:
        return 60 + p["batch"] * (21 + 4 * p["filter_h"] * p["filter_w"])
    return _average_pool(p)


def _max_pool(p: Words) -> float:
    windows = p["batch"] * p["out_h"] * p["out_w"] * p["in_c"]
    return 100 + windows * (64 + 8 * p["filter_h"] * p["filter_w"])


def _table(p: Words) -> float:
    return 40 + 6 * p["elements"]


def _copy(p: Words) -> float:
    return 40 + 1.3 * p["bytes"]


def _depthwise_planes(p: Words) -> float:
    """depthwise_planes.c, which has loops for filters of three columns."""
    outputs = p["out_h"] * p["out_w"]
    taps = p["filter_h"] * p["filter_w"]
    if p["filter_w"] == 3 and p["stride_w"] == 1:
        channel, each = 280, 10 + 3.04 * taps
    elif p["filter_w"] == 3:
        channel, each = 600, 10 + 3.9 * taps
    else:
        channel, each = 600, 10 + 5.5 * taps
    return 300 + p["out_c"] * (channel + 100 * p["out_h"] + each * outputs)


def _tiles(
    model: Callable[[Words, predict_tiles.Tiles], float], tiles: predict_tiles.Tiles
) -> Callable[[Words], float]:
    return lambda words: model(words, tiles)


_WITHOUT_DSP: dict[str, Callable[[Words], float]] = {
    "ADD_TABLES_S8": base.add_tables,
    "AVERAGE_POOL_2D_S8": _average_pool_bytes,
}

_MODELS: dict[str, Callable[[Words], float]] = {
    "ADD_TABLES_S8": dsp.add_tables,
    "AVERAGE_POOL_2D_S8": _average_pool,
    "CONV_PIXELS_BASE_S8": _tiles(predict_tiles.conv_pixels, base.TILES),
    "CONV_PIXELS_DSP_S8": _tiles(predict_tiles.conv_pixels, dsp.TILES),
    "CONV_PLANES_BASE_S8": _tiles(predict_tiles.conv_planes, base.TILES),
    "CONV_PLANES_DSP_S8": _tiles(predict_tiles.conv_planes, dsp.TILES),
    "COPY": _copy,
    "DEPTHWISE_DSP_S8": dsp.depthwise,
    "DEPTHWISE_PLANES_S8": _depthwise_planes,
    "FULLY_CONNECTED_BASE_S8": base.fully_connected,
    "FULLY_CONNECTED_DSP_S8": dsp.fully_connected,
    "LUT_8": _table,
    "MAX_POOL_2D_S8": _max_pool,
    "POINTWISE_BASE_S8": _tiles(predict_tiles.pointwise, base.TILES),
    "POINTWISE_DSP_S8": _tiles(predict_tiles.pointwise, dsp.TILES),
    "SOFTMAX_S8": _softmax,
    "WINOGRAD_DSP_S8": dsp.winograd,
}
