# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finds every op that cannot be executed, with all reasons, before anything is changed."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.ops import op_specs
from ranvier.errors import UnsupportedError

_UNKNOWN = "this kind of op is not implemented"
_NEWER = "is newer than"
_TYPE = "needs int8"
_INTERNAL = frozenset({"LUT"})  # kinds that only passes make


@dataclass(frozen=True)
class UnsupportedOp:
    """An op of the source file, its tensors in words, and every reason against it."""

    index: int
    kind: str
    version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        lines = [
            f"op {self.index} {self.kind} version {self.version}",
            f"  inputs:  {', '.join(self.inputs) or 'none'}",
            f"  outputs: {', '.join(self.outputs) or 'none'}",
            *(f"  - {reason}" for reason in self.reasons),
        ]
        return "\n".join(lines)


def unsupported_ops(graph: Graph) -> tuple[UnsupportedOp, ...]:
    """Every op of ``graph`` that cannot be executed."""
    found = ((op, reasons_against(op)) for op in graph.ops)
    return tuple(
        UnsupportedOp(
            index=op.index,
            kind=op.kind,
            version=op.version,
            inputs=tuple(_described(tensor) for tensor in op.inputs),
            outputs=tuple(_described(tensor) for tensor in op.outputs),
            reasons=tuple(reasons),
        )
        for op, reasons in found
        if reasons
    )


def reasons_against(op: Op) -> list[str]:
    """Every reason why ``op`` cannot be executed; empty if it can."""
    spec = op_specs().get(op.kind)
    if spec is None:
        return [_UNKNOWN]
    reasons = spec.check(op)
    if op.version > spec.max_version:
        reasons = [
            f"version {op.version} {_NEWER} {spec.max_version}, the newest implemented",
            *reasons,
        ]
    return reasons


def refuse(name: str, unsupported: tuple[UnsupportedOp, ...], count: int) -> UnsupportedError:
    """The error that lists all unsupported ops of the file ``name``, which has ``count`` ops."""
    lines = [f"{name}: {len(unsupported)} of {count} ops cannot be executed"]
    for op in unsupported:
        lines += [f"  {line}" for line in str(op).splitlines()]
    reasons = "\n".join(reason for op in unsupported for reason in op.reasons)
    remedies = []
    if _UNKNOWN in reasons:
        kinds = sorted(kind for kind in op_specs() if kind not in _INTERNAL)
        remedies.append(f"use only ops of these kinds: {', '.join(kinds)}")
    if _NEWER in reasons:
        remedies.append("convert the model with an earlier TensorFlow, which writes older versions")
    if _TYPE in reasons:
        remedies.append("quantise all of the model to int8 (the converter's TFLITE_BUILTINS_INT8)")
    remedy = "; ".join(remedies) or "change these ops in the source model and convert it again"
    return UnsupportedError("\n".join(lines), remedy)


def _described(tensor: Tensor | None) -> str:
    if tensor is None:
        return "(absent)"
    return f"{tensor.name!r} {tensor.dtype.name.lower()} {list(tensor.shape)}"
