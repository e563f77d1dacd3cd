# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Ranvier: neural networks on microcontrollers, from the desk.

:func:`compile` makes a package of a ``.tflite`` model, :class:`Package` opens one, :class:`Model`
runs it with the same C core that runs on the device::

    result = ranvier.compile("digits.tflite", output="digits.rnv")
    (scores,) = ranvier.Model("digits.rnv").run(frame)
"""

from __future__ import annotations

from pathlib import Path

from ranvier._version import __version__
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.errors import RanvierError
from ranvier.files import read_bytes, write_bytes
from ranvier.model import Model, Package

__all__ = [
    "CompileOptions",
    "CompileResult",
    "Model",
    "Package",
    "RanvierError",
    "__version__",
    "compile",
]


def compile(
    model: str | Path,
    options: CompileOptions | None = None,
    *,
    output: str | Path | None = None,
) -> CompileResult:
    """Compile the ``.tflite`` file ``model``; write the package to ``output`` where given.

    Raises :class:`ranvier.errors.ModelError` for a malformed file and
    :class:`ranvier.errors.UnsupportedError`, which lists everything that cannot be executed.
    ``output`` is written whole or not at all.
    """
    result = compile_model(read_bytes(model), str(model), options)
    if output is not None:
        write_bytes(output, result.package)
    return result
