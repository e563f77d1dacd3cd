# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The ops the compiler knows: one module each, found by looking into this folder."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ranvier.compiler.ops.base import DeviceOp, OpSpec


@cache
def op_specs() -> dict[str, OpSpec]:
    """Every supported TensorFlow Lite op by kind."""
    return {spec.kind: spec for module in _modules() for spec in getattr(module, "OPS", ())}


@cache
def device_ops() -> dict[str, DeviceOp]:
    """Every device op by name."""
    return {op.name: op for module in _modules() for op in getattr(module, "DEVICE_OPS", ())}


@cache
def _modules() -> tuple[object, ...]:
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in names)
