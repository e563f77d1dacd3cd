# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Functions of each element of a float32 tensor: clamps, LEAKY_RELU, HARD_SWISH, LOGISTIC, TANH."""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, elements_reasons, operand
from ranvier.compiler.ops.f32 import RANGE_PARAMS, bits, image_reasons, range_words

_CLAMPS = {"RELU": 3, "RELU6": 3, "RELU_N1_TO_1": 1}
_PLAIN = {"HARD_SWISH": 1, "LOGISTIC": 3, "TANH": 3}


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    return image_reasons(op) or elements_reasons(operand(op, 0), op.outputs[0])


def lower(op: Op) -> Lowered:
    """The op with its number of elements and the words of its own."""
    x, y = operand(op, 0), op.outputs[0]
    device = f"{op.kind}_F32"
    words: tuple[int, ...] = ()
    if op.kind in _CLAMPS:
        device, words = "CLAMP_F32", range_words(op.kind)
    elif op.kind == "LEAKY_RELU":
        words = (bits(op.attrs.get("alpha", 0.0)),)
    return Lowered(device, (x.elements, *words), (x,), (y,), inplace=(0,))


_VERSIONS = {**_CLAMPS, **_PLAIN, "LEAKY_RELU": 2}
F32_OPS = tuple(OpSpec(kind, version, check, lower) for kind, version in _VERSIONS.items())
DEVICE_OPS = (
    DeviceOp("CLAMP_F32", ("elements", *RANGE_PARAMS)),
    DeviceOp("LEAKY_RELU_F32", ("elements", "alpha")),
    *(DeviceOp(f"{kind}_F32", ("elements",)) for kind in _PLAIN),
)
