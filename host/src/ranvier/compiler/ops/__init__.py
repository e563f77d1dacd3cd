# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The ops the compiler knows: one module each, found by looking into this folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec
from ranvier.compiler.ops.f32 import is_f32


@cache
def op_specs() -> dict[str, OpSpec]:
    """Every supported TensorFlow Lite op by kind."""
    specs = _by_kind("OPS")
    return specs | {kind: _by_type(specs[kind], f32) for kind, f32 in _by_kind("F32_OPS").items()}


@cache
def device_ops() -> dict[str, DeviceOp]:
    """Every device op by name."""
    return {op.name: op for module in _modules() for op in getattr(module, "DEVICE_OPS", ())}


def _by_kind(name: str) -> dict[str, OpSpec]:
    """Every op that modules describe in a tuple of this name."""
    return {spec.kind: spec for module in _modules() for spec in getattr(module, name, ())}


def _by_type(other: OpSpec, f32: OpSpec) -> OpSpec:
    """A kind of op as ``f32`` where its first input is float32, else as ``other``."""

    def check(op: Op) -> list[str]:
        return f32.check(op) if is_f32(op) else other.check(op)

    def lower(op: Op) -> Lowered:
        return f32.lower(op) if is_f32(op) else other.lower(op)

    return OpSpec(other.kind, max(other.max_version, f32.max_version), check, lower)


@cache
def _modules() -> tuple[object, ...]:
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)
