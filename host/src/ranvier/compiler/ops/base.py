# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What one op file of the compiler provides, and the helpers that op files share.

A module of this package describes TensorFlow Lite ops in a tuple ``OPS`` of :class:`OpSpec`, and
the device op whose parameters it knows in a tuple ``DEVICE_OPS`` of :class:`DeviceOp`. Both are
found by ``ranvier.compiler.ops`` without being listed anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ranvier.compiler.graph import DType, Op, Tensor


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
    numbers (weights and biases).
    """

    device: str
    params: tuple[int, ...]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    weights: bytes = b""
    scratch_bytes: int = 0
    inplace: tuple[int, ...] = ()
    parameters: int = 0


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
