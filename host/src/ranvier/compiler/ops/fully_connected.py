# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""FULLY_CONNECTED, per-tensor and per-channel, over any number of rows."""

from __future__ import annotations

from collections.abc import Sequence

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand
from ranvier.compiler.ops.convolution import (
    REQUANT_PARAMS,
    operands_reasons,
    requant_words,
    scale_reasons,
    stream,
    trained_numbers,
    weights_tensor,
)

_PARAMS = ("rows", "in_c", *REQUANT_PARAMS)


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = operands_reasons(op, rank=2)
    if reasons:
        return reasons
    return scale_reasons(op) + rows_reasons(op)


def rows_reasons(op: Op) -> list[str]:
    """Why weights, input and output, which are there, do not fit each other."""
    reasons = []
    weights_format = op.attrs.get("weights_format", "DEFAULT")
    if weights_format != "DEFAULT":
        reasons.append(f"weights_format {weights_format} is not supported")
    out_c, in_c = weights_tensor(op).shape
    source, result = operand(op, 0), op.outputs[0]
    rows = result.elements // out_c
    if not result.shape or result.shape[-1] != out_c or source.elements != rows * in_c:
        reasons.append(
            f"input {source.shape} and weights {(out_c, in_c)} do not give the output "
            f"{result.shape}"
        )
    elif rows < 1 or in_c < 1:
        reasons.append(f"input {source.shape} is empty")
    return reasons


def lower(op: Op) -> Lowered:
    """The op with its rows as words and its channels as a stream."""
    out_c, in_c = weights_tensor(op).shape
    source, result = operand(op, 0), op.outputs[0]
    return Lowered(
        device="FULLY_CONNECTED_S8",
        params=(result.elements // out_c, in_c, *requant_words(op)),
        inputs=(source,),
        outputs=(result,),
        weights=stream(op),
        parameters=trained_numbers(op),
    )


def _macs(words: Sequence[int]) -> int:
    rows, in_c, out_c = words[:3]
    return rows * in_c * out_c


OPS = (OpSpec("FULLY_CONNECTED", 14, check, lower),)
DEVICE_OPS = (DeviceOp("FULLY_CONNECTED_S8", _PARAMS, _macs),)
