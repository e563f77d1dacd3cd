# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Copies that change the order of an image's elements.

The device op PAD writes a box of elements with any strides, so it does this too.
"""

from __future__ import annotations

from math import prod

from ranvier.compiler.graph import Tensor
from ranvier.compiler.ops.base import Lowered
from ranvier.package.records import Layout

_ORDERS = {
    Layout.DENSE: "hwc",
    Layout.PLANES: "chw",
    Layout.PLANES_TRANSPOSED: "cwh",
    Layout.ROWS: "hcw",
}
"""Dimensions of one image in memory, the outermost first."""


def exchange(source: Tensor, target: Tensor) -> Lowered:
    """A copy of ``source`` in the layout of ``target``; both are whole int8 images."""
    sizes = dict(zip("hwc", source.shape[1:], strict=True))
    to = _ORDERS[target.layout]
    strides = {axis: prod(sizes[inner] for inner in to[at + 1 :]) for at, axis in enumerate(to)}
    order = _ORDERS[source.layout]
    box = (*(sizes[axis] for axis in order), 1)
    steps = (*(strides[axis] for axis in order), 1)
    return Lowered(
        device="PAD",
        params=(0, 0, 0, target.elements, *box, *steps),
        inputs=(source,),
        outputs=(target,),
    )
