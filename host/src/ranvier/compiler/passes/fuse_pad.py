# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Lets a convolution pad its input itself.

PAD writes the zero point, which is what a convolution takes for values outside of its input; so a
PAD of height and width before a convolution moves into the attribute ``_pad``:
``(top, bottom, left, right)``. SAME padding then counts from the padded size as before.
"""

from __future__ import annotations

from ranvier.compiler.check import reasons_against
from ranvier.compiler.graph import Graph, Op
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops.base import data_of, operand

_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})


def run(graph: Graph) -> int:
    """Fuse every PAD into each convolution that reads it; the number of changed convolutions."""
    return sum(_fuse(graph, op) for op in graph.ops if op.kind in _CONVOLUTIONS)


def _fuse(graph: Graph, op: Op) -> bool:
    padded = op.inputs[0]
    pad = graph.producer(padded) if padded is not None else None
    amounts = _spatial_padding(pad) if pad is not None and pad.kind == "PAD" else None
    if pad is None or amounts is None:
        return False
    op.inputs[0] = pad.inputs[0]
    op.attrs["_pad"] = amounts
    if reasons_against(op):  # beyond what a convolution can pad
        op.inputs[0] = padded
        del op.attrs["_pad"]
        return False
    op.attrs["_sources"] = sources_of(pad) + sources_of(op)
    return True


def _spatial_padding(pad: Op) -> tuple[int, int, int, int] | None:
    """Top, bottom, left and right of a PAD that leaves batch and channels alone."""
    source = operand(pad, 0)
    if len(source.shape) != 4 or source.quant != pad.outputs[0].quant:
        return None
    batch, height, width, channels = data_of(operand(pad, 1)).tolist()
    if any(batch) or any(channels):
        return None
    return (height[0], height[1], width[0], width[1])
