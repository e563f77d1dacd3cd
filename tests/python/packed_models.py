# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The models that tests of packed kernels compile, and their graphs after all passes."""

from __future__ import annotations

from pathlib import Path

from ranvier.compiler.driver import PASSES, PASSES_BEFORE_CHECK
from ranvier.compiler.graph import Graph
from ranvier.compiler.passes import drop_constant_channels, fold_zero_points
from ranvier.compiler.tflite import read_tflite

REPOSITORY = Path(__file__).parents[2]
MODELS = [
    REPOSITORY / "models" / "digits" / "digits.tflite",
    *sorted((REPOSITORY.parent / "shared" / "models").glob("mlperf_*.tflite")),
]


def optimised(model: Path, *, keep_constant: bool = False) -> Graph:
    """The graph that is lowered."""
    graph = read_tflite(model.read_bytes(), model.name)
    for change in (*PASSES_BEFORE_CHECK, *PASSES):
        change(graph)
    if not keep_constant:
        drop_constant_channels.run(graph)
    fold_zero_points.run(graph)
    return graph
