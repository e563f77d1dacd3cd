# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Lazy import of the packages that only testing needs."""

from __future__ import annotations

import importlib
import shlex
import sys
from types import ModuleType

from ranvier.errors import ToolError


def require(module: str, package: str) -> ModuleType:
    """Import ``module``, which the PyPI package ``package`` provides; else :class:`ToolError`."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ToolError(
            f"the Python module {module!r} cannot be imported: {error}", pip_install(package)
        ) from error


def pip_install(package: str) -> str:
    """The command that installs a package where this interpreter finds it."""
    return f"{shlex.quote(sys.executable)} -m pip install {package}"
