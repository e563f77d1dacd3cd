# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What one op file of the compiler provides, and the helpers that op files share.

A module of this package describes TensorFlow Lite ops in a tuple ``OPS`` of :class:`OpSpec`, the
same kinds on float32 in ``F32_OPS``, and the device op whose parameters it knows in a tuple
``DEVICE_OPS`` of :class:`DeviceOp`. All are found by ``ranvier.compiler.ops`` without being listed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from ranvier.compiler.fixed_point import quantize_multiplier
from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.packed.proof import Proof
from ranvier.package.records import Isa

BYTE_TYPES = (DType.INT8, DType.UINT8)
"""Element types of one byte that are quantised."""

_MAX_SHIFT = 30
"""Largest shift to the left that a device applies."""


@dataclass(frozen=True)
class DeviceOp:
    """A row of ``ops.txt`` seen from the host.

    ``params`` names the leading int32 words of the op's parameters, in the order of the C file's
    parameter struct. ``macs`` counts multiply-accumulates from all words.
    """

    name: str
    params: tuple[str, ...]
    macs: Callable[[Sequence[int]], int] = field(default=lambda words: 0)


@dataclass(frozen=True)
class Lowered:
    """An op as the device executes it.

    ``inputs`` are the tensors that remain operands (weights are in the stream); ``inplace`` lists
    the positions in ``inputs`` that output 0 may replace in place; ``parameters`` counts trained
    numbers (weights and biases). ``packing`` is that of the stream, ``predicted`` how many
    instructions the op takes on a device for which it is packed (0: unknown).
    """

    device: str
    params: tuple[int, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    weights: bytes = b""
    scratch_bytes: int = 0
    inplace: tuple[int, ...] = ()
    parameters: int = 0
    packing: Isa = Isa.GENERIC
    predicted: int = 0
    proof: Proof | None = None


@dataclass(frozen=True)
class OpSpec:
    """How the compiler treats one kind of op.

    ``check`` returns every reason why an op cannot be executed, empty if it can; it must not raise
    for any op that the reader accepts (wrong number of operands included). ``lower`` is called only
    for ops that pass it. ``max_version`` is the newest op version whose meaning is implemented.
    """

    kind: str
    max_version: int
    check: Callable[[Op], list[str]]
    lower: Callable[[Op], Lowered]


def tensor_reasons(
    tensor: Tensor | None, what: str, dtypes: Sequence[DType], *, quantised: bool = True
) -> list[str]:
    """Why ``tensor`` is not a (per-tensor quantised) tensor of one of ``dtypes``."""
    if tensor is None:
        return [f"{what} is absent"]
    if tensor.dtype not in dtypes:
        names = " or ".join(d.name.lower() for d in dtypes)
        return [f"{what} {tensor.name!r} is {tensor.dtype.name.lower()}, needs {names}"]
    if quantised and (tensor.quant is None or not tensor.quant.per_tensor):
        return [f"{what} {tensor.name!r} has no per-tensor scale and zero point"]
    return []


def operand_reasons(op: Op, inputs: range, outputs: int = 1) -> list[str]:
    """Why the numbers of operands are not those of this kind of op."""
    if len(op.inputs) not in inputs or len(op.outputs) != outputs:
        return [f"has {len(op.inputs)} inputs and {len(op.outputs)} outputs"]
    return []


def elements_reasons(x: Tensor | None, y: Tensor) -> list[str]:
    """Why output ``y`` cannot hold exactly the elements of ``x``."""
    if x is not None and x.elements != y.elements:
        return [f"output shape {list(y.shape)} does not hold the input's {list(x.shape)}"]
    return []


def fixed_output_reasons(op: Op, scale: float, zero_point: int) -> list[str]:
    """Why the output does not have the only quantisation that the op can produce."""
    quant = quant_of(op.outputs[0])
    if (quant.scale, quant.zero_point) != (scale, zero_point):
        return [
            f"output has scale {quant.scale:g} and zero point {quant.zero_point}, "
            f"needs {scale:g} and {zero_point}"
        ]
    return []


def multiplier_reasons(reals: Iterable[float]) -> list[str]:
    """Why the output multipliers ``reals`` cannot be applied in 32 bits."""
    for real in reals:
        if not (math.isfinite(real) and real >= 0):
            return [f"the scales give the output multiplier {real}"]
        if quantize_multiplier(real)[1] > _MAX_SHIFT:
            return [f"the scales give the output multiplier {real}, which exceeds 2**{_MAX_SHIFT}"]
    return []


def operand(op: Op, index: int) -> Tensor:
    """Input ``index`` of an op whose check has demanded it."""
    tensor = op.inputs[index]
    assert tensor is not None
    return tensor


def data_of(tensor: Tensor) -> NDArray[Any]:
    """The values of a tensor of an op whose check has demanded a constant."""
    assert tensor.data is not None
    return tensor.data


def quant_of(tensor: Tensor) -> Quant:
    """The quantisation of a tensor of an op whose check has demanded one."""
    assert tensor.quant is not None
    return tensor.quant


def scale_ratio(op: Op) -> float:
    """The scale of input 0 divided by the output's, in double as the reference does."""
    return quant_of(operand(op, 0)).scale / quant_of(op.outputs[0]).scale
