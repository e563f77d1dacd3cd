# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Element-wise ops of two int8 tensors: broadcasting as a box of sizes and strides.

The box is what ``kernels/s8/binary.h`` describes: the output's sizes, outermost first, and each
input's strides, where 0 repeats an input's elements. Neighbouring dimensions that both inputs walk
through alike are one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from ranvier.compiler.graph import DType, Op
from ranvier.compiler.ops.activation import activation_reasons
from ranvier.compiler.ops.base import operand, operand_reasons, tensor_reasons
from ranvier.package.format import MAX_RANK


@dataclass(frozen=True)
class Box:
    """Sizes of the output and strides of the two inputs."""

    sizes: tuple[int, ...]
    strides: tuple[tuple[int, ...], tuple[int, ...]]

    @property
    def words(self) -> tuple[int, ...]:
        """The box as the device op's last parameters."""
        return self.sizes + self.strides[0] + self.strides[1]


def binary_reasons(op: Op) -> list[str]:
    """Why ``op`` is not an element-wise op of two int8 tensors with an int8 result."""
    reasons = operand_reasons(op, range(2, 3))
    if reasons:
        return reasons
    x, y, out = *op.inputs, op.outputs[0]
    reasons += tensor_reasons(x, "input 0", (DType.INT8,))
    reasons += tensor_reasons(y, "input 1", (DType.INT8,))
    reasons += tensor_reasons(out, "output", (DType.INT8,))
    return reasons or broadcast_reasons(op) or activation_reasons(op)


def broadcast_reasons(op: Op) -> list[str]:
    """Why the shapes of two inputs, which are there, do not broadcast to the output's."""
    x, y, out = operand(op, 0), operand(op, 1), op.outputs[0]
    for a, b, n in zip(_extended(x.shape), _extended(y.shape), _extended(out.shape), strict=True):
        if (a != b and 1 not in (a, b)) or n != max(a, b):
            return [
                f"shapes {list(x.shape)} and {list(y.shape)} do not broadcast to {list(out.shape)}"
            ]
    return []


def broadcast_box(op: Op) -> Box:
    """The box of an op that has no :func:`binary_reasons`."""
    shapes = [_extended(t.shape) for t in (operand(op, 0), operand(op, 1), op.outputs[0])]
    levels: list[tuple[int, int, int]] = []  # innermost first: size, stride of input 0 and 1
    step_x = step_y = 1
    for a, b, size in reversed(list(zip(*shapes, strict=True))):
        stride_x, stride_y = (step_x if a == size else 0), (step_y if b == size else 0)
        step_x, step_y = step_x * a, step_y * b
        if size == 1:
            continue
        if levels:
            inner, inner_x, inner_y = levels[-1]
            if (stride_x, stride_y) == (inner * inner_x, inner * inner_y):
                levels[-1] = (inner * size, inner_x, inner_y)
                continue
        levels.append((size, stride_x, stride_y))
    sizes, strides_x, strides_y = zip(*reversed(levels or [(1, 1, 1)]), strict=True)
    return Box(sizes, (strides_x, strides_y))


def inplace_inputs(op: Op, box: Box) -> tuple[int, ...]:
    """Inputs that the output may replace in place: those read in the order of the output."""
    dense = tuple(prod(box.sizes[i + 1 :]) for i in range(len(box.sizes)))
    inputs = tuple(i for i, strides in enumerate(box.strides) if strides == dense)
    return inputs if op.inputs[0] is not op.inputs[1] or len(inputs) == 2 else ()


def _extended(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape with ones in front, up to the largest rank."""
    return (1,) * (MAX_RANK - len(shape)) + shape
