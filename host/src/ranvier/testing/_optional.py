# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Lazy import of the packages that only testing needs."""

from __future__ import annotations

import importlib
from types import ModuleType

from ranvier.errors import ToolError


def require(module: str, package: str) -> ModuleType:
    """Import ``module``, which the PyPI package ``package`` provides; else :class:`ToolError`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ToolError(
            f"the Python module {module!r} cannot be imported: {error}", f"pip install {package}"
        ) from error
