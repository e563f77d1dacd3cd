# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Ops lowered to the kernels that are packed for an instruction set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ranvier.compiler.graph import Op, Tensor
from ranvier.compiler.ops import op_specs
from ranvier.compiler.ops.base import Lowered, operand
from ranvier.compiler.ops.window import WINDOW_PARAMS
from ranvier.compiler.packed import (
    add_tables,
    conv_pixels,
    conv_planes,
    depthwise,
    depthwise_planes,
    fully_connected,
    pointwise,
    pool_planes,
    winograd,
)
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa

_BAND = 4
"""Output rows of a depthwise convolution for which scratch holds the inputs, in chains."""


@dataclass(frozen=True)
class _Place:
    """An op's instruction set and its operands as they are stored."""

    isa: Isa
    images: Mapping[Tensor, Tensor]

    def source(self, op: Op) -> View:
        """Where input 0 lies."""
        return _view(self.images[operand(op, 0)])

    def target(self, op: Op) -> View:
        """Where the output lies."""
        return _view(self.images[op.outputs[0]])


def lower_packed(op: Op, kernel: str, isa: Isa, images: Mapping[Tensor, Tensor]) -> Lowered | None:
    """``op`` as its packed kernel executes it, None where that kernel cannot.

    ``images`` has the op's operands as they are stored. The operands of what is returned are
    tensors of the graph.
    """
    return _KERNELS[kernel](op, _Place(isa, images))


def _view(image: Tensor) -> View:
    return View.of(image, image.layout, image.ring_rows or None)


def _pointwise(op: Op, place: _Place) -> Lowered | None:
    ranges = op.attrs["_ranges"]
    return pointwise.lower(op, ranges, place.isa, place.source(op), place.target(op))


def _conv_planes(op: Op, place: _Place) -> Lowered | None:
    ranges = op.attrs["_ranges"]
    return conv_planes.lower(op, ranges, place.isa, place.source(op), place.target(op))


def _conv_pixels(op: Op, place: _Place) -> Lowered | None:
    return conv_pixels.lower(op, op.attrs["_ranges"], place.isa, place.target(op))


def _winograd(op: Op, place: _Place) -> Lowered | None:
    return winograd.lower(op, op.attrs["_ranges"], place.isa, place.source(op), place.target(op))


def _depthwise(op: Op, place: _Place, band: int | None = None) -> Lowered | None:
    """The kernel writes pairs of pixels, and needs a byte to put back after an odd one."""
    source, target = place.source(op), place.target(op)
    if place.images[op.outputs[0]].slack < target.width % 2:
        return None
    return depthwise.lower(op, op.attrs["_ranges"], place.isa, source, target, band=band)


def _depthwise_band(op: Op, place: _Place) -> Lowered | None:
    return _depthwise(op, place, _BAND)


def _depthwise_planes(op: Op, place: _Place) -> Lowered | None:
    return depthwise_planes.lower(op, place.source(op), place.target(op))


def _depthwise_planes_band(op: Op, place: _Place) -> Lowered | None:
    return depthwise_planes.lower(op, place.source(op), place.target(op), band=_BAND)


def _fully_connected(op: Op, place: _Place) -> Lowered | None:
    return fully_connected.lower(op, op.attrs["_ranges"], place.isa)


def _fully_connected_direct(op: Op, place: _Place) -> Lowered | None:
    return fully_connected.lower(op, op.attrs["_ranges"], place.isa, direct=True)


def _add_tables(op: Op, place: _Place) -> Lowered | None:
    inputs = (place.images[operand(op, 0)], place.images[operand(op, 1)])
    return add_tables.lower(op, inputs, place.images[op.outputs[0]], place.isa)


def _pool_planes(op: Op, place: _Place) -> Lowered | None:
    """An output of one pixel lies in any order."""
    source, target = place.source(op), place.target(op)
    if target.height == target.width == 1:
        target = replace(target, layout=source.layout)
    return pool_planes.lower(op, source, target, place.isa)


def _pick_rows(op: Op, place: _Place) -> Lowered | None:
    """A pool over single pixels: those of all channels of a row follow each other."""
    lowered = op_specs()[op.kind].lower(op)
    words = len(WINDOW_PARAMS)
    window = dict(zip(WINDOW_PARAMS, lowered.params[:words], strict=True))
    one = window["filter_h"] == window["filter_w"] == 1
    if not one or window["in_w"] % window["stride_w"] or place.source(op).ring < window["in_h"]:
        return None
    window["in_w"] *= window["in_c"]
    window["out_w"] *= window["in_c"]
    window["in_c"] = 1
    params = (*window.values(), *lowered.params[words:])
    return predicted(replace(lowered, params=params), place.isa)


def _elements(op: Op, place: _Place) -> Lowered | None:
    """Whatever only handles element by element, in any order."""
    return predicted(op_specs()[op.kind].lower(op), place.isa)


def _concatenation(op: Op, place: _Place) -> Lowered | None:
    inputs = [tensor for tensor in op.inputs if tensor is not None]
    return Lowered(
        device="CONCATENATION",
        params=(1, *(place.images[tensor].bytes for tensor in inputs)),
        inputs=tuple(inputs),
        outputs=(op.outputs[0],),
    )


_KERNELS: dict[str, Callable[[Op, _Place], Lowered | None]] = {
    "pointwise": _pointwise,
    "conv_planes": _conv_planes,
    "conv_pixels": _conv_pixels,
    "winograd": _winograd,
    "depthwise": _depthwise,
    "depthwise_band": _depthwise_band,
    "depthwise_planes": _depthwise_planes,
    "depthwise_planes_band": _depthwise_planes_band,
    "fully_connected": _fully_connected,
    "fully_connected_direct": _fully_connected_direct,
    "add_tables": _add_tables,
    "pool_planes": _pool_planes,
    "pick_rows": _pick_rows,
    "elements": _elements,
    "concatenation": _concatenation,
}
