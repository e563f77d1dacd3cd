# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finds every op that cannot be executed, with all reasons, before anything is changed."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.graph import Graph, Op, Tensor
from ranvier.compiler.ops import op_specs
from ranvier.compiler.tflite import UnreadableError, UnreadOp
from ranvier.errors import UnsupportedError

_UNKNOWN = "this kind of op is not implemented"
_NEWER = "is newer than"
_TYPE = "needs int8"
_FLOAT_TYPE = "needs float32"
_CUT = "compute what the custom ops do in the application, and convert the model without them"
_INTERNAL = frozenset(
    {"LUT", "STEPS", "MATRIX", "STREAM_PUSH", "CLEAR"}
    | {"IMAGE", "CHANNEL_TABLE", "TOP_K", "DETECT", "NMS", "SMOOTH"}
)  # kinds that only passes make


@dataclass(frozen=True)
class UnsupportedOp:
    """An op of the source file, its tensors in words, and every reason against it.

    ``remedies`` are those that its tensors ask for.
    """

    index: int
    kind: str
    version: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    reasons: tuple[str, ...]
    remedies: tuple[str, ...] = ()

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


def unread_ops(error: UnsupportedError) -> tuple[UnsupportedOp, ...]:
    """Every op that cannot be executed of a model that cannot even be read because of its ops."""
    if not isinstance(error, UnreadableError):
        return ()
    return tuple(
        UnsupportedOp(
            index=unread.op.index,
            kind=unread.op.kind,
            version=unread.op.version,
            inputs=unread.inputs,
            outputs=unread.outputs,
            reasons=tuple(reasons),
            remedies=tuple(dict.fromkeys(remedies)),
        )
        for unread in error.ops
        for reasons, remedies in [_against_unread(unread)]
        if reasons
    )


def explained(error: UnsupportedError, name: str) -> UnsupportedError:
    """An error of reading the file ``name``; if its ops are to blame, one that lists them all."""
    if not isinstance(error, UnreadableError):
        return error
    return refuse(name, unread_ops(error), len(error.ops))


def _against_unread(unread: UnreadOp) -> tuple[list[str], list[str]]:
    """Reasons, and what is to be done about those that lie in its tensors."""
    known = unread.op.kind in op_specs()
    counted = [r for r in unread.refused if known or not r.label]  # else its tensors do not matter
    reasons = [f"{r.label}: {r.reason}" if r.label else r.reason for r in counted]
    if not known or not unread.refused:
        reasons = [*reasons_against(unread.op), *reasons]
    return reasons, [refusal.remedy for refusal in counted]


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
    return UnsupportedError("\n".join(lines), remedy_for(unsupported))


def remedy_for(unsupported: tuple[UnsupportedOp, ...]) -> str:
    """What to try with a model that has these ops."""
    reasons = "\n".join(reason for op in unsupported for reason in op.reasons)
    remedies = []
    if _UNKNOWN in reasons:
        kinds = sorted(kind for kind in op_specs() if kind not in _INTERNAL)
        remedies.append(f"use only ops of these kinds: {', '.join(kinds)}")
    if _NEWER in reasons:
        remedies.append("convert the model with an earlier TensorFlow, which writes older versions")
    if _TYPE in reasons:
        remedies.append("quantise all of the model to int8 (the converter's TFLITE_BUILTINS_INT8)")
    if _FLOAT_TYPE in reasons:
        remedies.append(
            "convert the model without optimisations, so that all of it is float32, or quantise "
            "all of it to int8"
        )
    for op in unsupported:
        remedies += op.remedies
    remedies += [_CUT] * any(op.kind.startswith("CUSTOM:") for op in unsupported)
    remedy = "; ".join(dict.fromkeys(remedies))
    return remedy or "change these ops in the source model and convert it again"


def _described(tensor: Tensor | None) -> str:
    return "(absent)" if tensor is None else tensor.described
