# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the audio front end's ops share: TensorFlow Lite Micro's custom ops ``Signal*``.

Their options are a FlexBuffer of integers. Ops that stages of a pipeline make carry them as the
attribute ``_options``, a dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ranvier.compiler.flexbuffer import read_map
from ranvier.compiler.graph import DType, Op, Tensor

Limits = Mapping[str, tuple[int, int]]
"""Names of an op's options, each with the lowest and the highest value that is implemented."""

UINT32_MAX = 2**32 - 1


@dataclass(frozen=True)
class Operand:
    """What an op demands of an operand; ``elements`` 0 is any number."""

    what: str
    dtype: DType
    constant: bool = False
    elements: int = 0


def signal_reasons(
    op: Op, inputs: Sequence[Operand], outputs: Sequence[Operand], limits: Limits
) -> list[str]:
    """Why operands and options of ``op`` are not what they have to be."""
    if len(op.inputs) != len(inputs) or len(op.outputs) != len(outputs):
        return [f"has {len(op.inputs)} inputs and {len(op.outputs)} outputs"]
    given = zip((*op.inputs, *op.outputs), (*inputs, *outputs), strict=True)
    reasons = [reason for tensor, wanted in given for reason in _against(tensor, wanted)]
    return reasons + _option_reasons(op, limits)


def options(op: Op) -> dict[str, int]:
    """The options of an op that has no :func:`signal_reasons`."""
    if "_options" in op.attrs:
        return dict(op.attrs["_options"])
    data = op.attrs.get("custom_options", b"")
    return {key: int(value) for key, value in read_map(data).items()} if data else {}


def same_elements(op: Op) -> list[str]:
    """Why not all of the op's operands that are no constants have the same number of elements."""
    tensors = [t for t in (*op.inputs, *op.outputs) if t is not None and not t.is_const]
    if len({tensor.elements for tensor in tensors}) > 1:
        return ["its operands have different numbers of elements"]
    return []


def words(value: int) -> int:
    """A uint32 as the int32 parameter word with the same bits."""
    return value - 2**32 if value >= 2**31 else value


def _against(tensor: Tensor | None, wanted: Operand) -> list[str]:
    if tensor is None:
        return [f"{wanted.what} is absent"]
    reasons = []
    if tensor.dtype != wanted.dtype:
        names = (tensor.dtype.name.lower(), wanted.dtype.name.lower())
        reasons.append(f"{wanted.what} {tensor.name!r} is {names[0]}, needs {names[1]}")
    if wanted.constant != tensor.is_const:
        needs = "is not a constant" if wanted.constant else "is a constant"
        reasons.append(f"{wanted.what} {tensor.name!r} {needs}")
    if wanted.elements and tensor.elements != wanted.elements:
        reasons.append(
            f"{wanted.what} {tensor.name!r} has {tensor.elements} elements, needs {wanted.elements}"
        )
    return reasons


def _option_reasons(op: Op, limits: Limits) -> list[str]:
    try:
        found = options(op)
    except (ValueError, OverflowError) as error:
        return [f"its options are no map of numbers: {error}"]
    reasons = [f"option {name} is missing" for name in limits if name not in found]
    reasons += [f"option {name} is not known" for name in found if name not in limits]
    for name, (low, high) in limits.items():
        if name in found and not low <= found[name] <= high:
            reasons.append(f"option {name} is {found[name]}, needs {low} to {high}")
    return reasons
