# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Pre- and post-processing that becomes part of a package: one module for each family of stages."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from ranvier.compiler.pipeline.stage import Stage


@cache
def stages() -> dict[str, Stage]:
    """Every stage by name."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__))
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {stage.name: stage for module in modules for stage in getattr(module, "STAGES", ())}
