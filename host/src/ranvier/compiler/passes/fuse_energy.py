# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Joins SignalEnergy with the ops that make the energies it leaves unwritten zero.

Models have CAST, STRIDED_SLICE, CONCATENATION with zeros and CAST for that; the device op writes
zeros there by itself.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.lower import sources_of
from ranvier.compiler.ops.signal import options
from ranvier.compiler.ops.signal_fft import ENERGY, check_energy

_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


def run(graph: Graph) -> int:
    """Join every such group; the number of groups."""
    found = [
        (op, chain)
        for op in graph.ops
        if op.kind == ENERGY and not check_energy(op) and (chain := _chain(graph, op))
    ]
    for op, chain in found:
        op.attrs["_sources"] = tuple(i for part in (op, *chain) for i in sources_of(part))
        op.outputs = [chain[-1].outputs[0]]
        graph.ops = [other for other in graph.ops if other not in chain]
    return len(found)


def _chain(graph: Graph, energy: Op) -> tuple[Op, ...]:
    """CAST, STRIDED_SLICE, CONCATENATION and CAST that only write zeros; else nothing."""
    chain: list[Op] = []
    tensor = energy.outputs[0]
    for kind in ("CAST", "STRIDED_SLICE", "CONCATENATION", "CAST"):
        readers = graph.consumers(tensor)
        if len(readers) != 1 or readers[0].kind != kind or tensor in graph.outputs:
            return ()
        if len(readers[0].outputs) != 1:
            return ()
        chain.append(readers[0])
        tensor = readers[0].outputs[0]
    first, cut, joined, last = chain
    types = (first.outputs[0].dtype, joined.outputs[0].dtype, last.outputs[0].dtype)
    if types != (DType.INT32, DType.INT32, DType.UINT32) or tensor.shape != energy.outputs[0].shape:
        return ()
    return (first, cut, joined, last) if _keeps_places(energy, cut, joined) else ()


def _keeps_places(energy: Op, cut: Op, joined: Op) -> bool:
    """True where what is cut out returns to its place, between zeros, and has all energies."""
    bins = energy.outputs[0].elements
    bounds = [_scalar(tensor) for tensor in cut.inputs[1:]]
    if len(bounds) != 3 or None in bounds or any(cut.attrs.get(mask) for mask in _MASKS):
        return False
    begin, end, stride = (int(bound) for bound in bounds if bound is not None)
    first, last = options(energy)["start_index"], options(energy)["end_index"]
    if stride != 1 or not 0 <= begin <= first <= last <= end <= bins:
        return False
    if energy.outputs[0].shape != (bins,) or joined.attrs.get("axis") not in (0, -1):
        return False
    if joined.attrs.get("fused_activation_function", "NONE") != "NONE":
        return False
    position = [i for i, tensor in enumerate(joined.inputs) if tensor is cut.outputs[0]]
    if len(position) != 1:
        return False
    before = [_zeros(tensor) for tensor in joined.inputs[: position[0]]]
    after = [_zeros(tensor) for tensor in joined.inputs[position[0] + 1 :]]
    if None in before or None in after:
        return False
    return (sum(n or 0 for n in before), sum(n or 0 for n in after)) == (begin, bins - end)


def _scalar(tensor: Tensor | None) -> int | None:
    if tensor is None or tensor.data is None or tensor.data.size != 1:
        return None
    return int(tensor.data.ravel()[0])


def _zeros(tensor: Tensor | None) -> int | None:
    """Number of elements of a constant of zeros, None for anything else."""
    if tensor is None or tensor.data is None or np.any(tensor.data):
        return None
    return tensor.elements
