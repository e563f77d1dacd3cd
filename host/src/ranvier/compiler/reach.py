# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows of its inputs an op reads for rows of its output: ``struct rnv_reach``."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.ops import device_ops
from ranvier.compiler.ops.base import Lowered
from ranvier.package.records import Layout

_ROW_BY_ROW = frozenset({"POINTWISE_DSP_S8", "POINTWISE_BASE_S8", "ADD_TABLES_S8"})
_WINDOWED = frozenset(
    {
        "CONV_PLANES_DSP_S8",
        "CONV_PIXELS_DSP_S8",
        "DEPTHWISE_DSP_S8",
        "DEPTHWISE_PLANES_S8",
        "WINOGRAD_DSP_S8",
        "CONV_PLANES_BASE_S8",
        "CONV_PIXELS_BASE_S8",
    }
)
_WINDOWED_DENSE = frozenset(
    {
        "CONV_2D_S8",
        "DEPTHWISE_CONV_2D_S8",
        "AVERAGE_POOL_2D_S8",
        "MAX_POOL_2D_S8",
        "CONV_2D_F32",
        "DEPTHWISE_CONV_2D_F32",
        "AVERAGE_POOL_2D_F32",
        "MAX_POOL_2D_F32",
    }
)
"""Ops that run by rows where their one image is dense."""
_FILTER = 3
"""Rows of the filter of ops whose parameters do not say it."""


@dataclass(frozen=True)
class Reach:
    """For output row y the input rows ``y * stride - before ..`` , ``extent`` of them."""

    in_rows: int
    out_rows: int
    stride: int = 1
    before: int = 0
    extent: int = 1

    def rows(self, row0: int, rows: int) -> range:
        """The input rows that exist of those for output rows ``row0 .. row0 + rows - 1``."""
        first = row0 * self.stride - self.before
        end = (row0 + rows - 1) * self.stride - self.before + self.extent
        return range(max(first, 0), min(end, self.in_rows))


def reach_of(lowered: Lowered) -> Reach | None:
    """The reach of an op that can run by rows, else None."""
    names = device_ops()[lowered.device].params
    words = dict(zip(names, lowered.params, strict=False))
    if lowered.device in _ROW_BY_ROW:
        rows = words["height"] if "height" in words else words["rows"]
        return Reach(rows, rows)
    if lowered.device in _WINDOWED_DENSE:
        images = (*lowered.inputs, *lowered.outputs)
        if words["batch"] != 1 or any(image.layout != Layout.DENSE for image in images):
            return None
    elif lowered.device not in _WINDOWED or words.get("transposed", 0):
        return None
    dilation = words.get("dilation_h", 1)
    return Reach(
        in_rows=words["in_h"],
        out_rows=words["out_h"],
        stride=words.get("stride_h", words.get("stride", 1)),
        before=words["pad_top"],
        extent=(words.get("filter_h", _FILTER) - 1) * dilation + 1,
    )


def by_rows(lowered: Lowered) -> bool:
    """True where an op can run by the rows of its output as it is stored."""
    reach = reach_of(lowered)
    output = lowered.outputs[0]
    return reach is not None and len(output.shape) == 4 and reach.out_rows == output.rows


def first_row(lowered: Lowered, row0: int) -> int:
    """The first input row that an op which can run by rows reads for its output row ``row0``."""
    reach = reach_of(lowered)
    return reach.rows(row0, 1).start if reach is not None else 0
