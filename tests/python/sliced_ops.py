# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Models of a single op, compiled so that it runs in slices of a given number of rows."""

from __future__ import annotations

from dataclasses import replace

from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.package.costs import CostTable

WINDOWED = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D")
"""Generic ops that run by rows."""


def in_slices(
    model: bytes, part: float = 0.0, options: CompileOptions | None = None
) -> CompileResult:
    """Every op in slices of at most this part of its rows, and at least one row."""
    options = options or CompileOptions(drop_constant_channels=False)
    whole = compile_model(model, "whole.tflite", options)
    costs = CostTable.of(whole.package, whole.content, [1.0] * len(whole.content.steps), 1.0)
    limit = part + 1e-6
    return compile_model(model, "sliced.tflite", replace(options, max_step_us=limit, costs=costs))


def slices(result: CompileResult) -> list[tuple[int, int]]:
    """First row and number of rows of every step, 0 rows for a whole op."""
    return [(step.row0, step.rows or 0) for step in result.content.steps]
