# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Pooling of an image in planes: each channel is an image of its own to the portable kernels."""

from __future__ import annotations

from dataclasses import replace

from ranvier.compiler.graph import Op
from ranvier.compiler.ops import pool_2d
from ranvier.compiler.ops.base import Lowered
from ranvier.compiler.ops.window import Window
from ranvier.compiler.packed.gemm import exchanged
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.view import View
from ranvier.package.records import Isa, Layout

_PLANES = (Layout.PLANES, Layout.PLANES_TRANSPOSED)


def lower(op: Op, source: View, target: View, isa: Isa = Isa.DSP) -> Lowered | None:
    """The op on whole planes of the same orientation; None for other views.

    ``isa`` matters for the prediction only.
    """
    lowered = pool_2d.lower(op)
    words = len(Window.__dataclass_fields__)
    window = Window(*lowered.params[:words])
    whole = source.ring == source.height and target.ring == target.height
    if source.layout not in _PLANES or source.layout != target.layout or not whole:
        return None
    if source.transposed:
        window = exchanged(window)
    window = replace(window, batch=window.in_c, in_c=1)
    return predicted(replace(lowered, params=(*window.words, *lowered.params[words:])), isa)
