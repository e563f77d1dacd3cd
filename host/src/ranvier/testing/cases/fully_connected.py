# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Cases of FULLY_CONNECTED."""

from __future__ import annotations

from math import prod

from ranvier.testing.cases.draw import ACTIVATIONS, Draw, single_op
from ranvier.testing.cases.registry import Sketch, register
from ranvier.testing.cases.weights import draw_weights


@register("FULLY_CONNECTED")
def fully_connected(draw: Draw, op: str) -> Sketch:
    """Input of rank 2 to 4; rows are the last dimension, or any equal split of the elements."""
    rank = draw.integer(2, 4)
    keep_num_dims = draw.chance(0.3)
    outputs = draw.channels()
    shape = draw.shape(rank, largest=5)
    if rank == 2:
        shape = (draw.batch(), draw.pick((draw.integer(1, 40), draw.integer(100, 400))))
    elements = prod(shape)
    depth = shape[-1]
    if not keep_num_dims and draw.chance(0.5):
        depth = draw.pick([n for n in range(1, elements + 1) if elements % n == 0])
    output_shape = (*shape[:-1], outputs) if keep_num_dims else (elements // depth, outputs)
    x, y = draw.tensor("input", shape), draw.tensor("output", output_shape)
    assert x.quant is not None
    assert y.quant is not None
    per_channel = draw.chance(0.5)
    weights = draw_weights(draw, (outputs, depth), 0, x.quant, y.quant, per_channel)
    activation = draw.pick(ACTIVATIONS)
    attrs = {
        "fused_activation_function": activation,
        "weights_format": "DEFAULT",
        "keep_num_dims": keep_num_dims,
        "asymmetric_quantize_inputs": False,
    }
    inputs = [x, weights.filter, weights.bias]
    if weights.bias is None and draw.chance(0.5):
        inputs.pop()
    description = (
        f"{op} input {shape} filter {weights.filter.shape} output {output_shape}, {activation}, "
        f"{weights.summary}"
    )
    version = 12 if per_channel else 6
    return Sketch(single_op(op, inputs, y, attrs, version), description)
