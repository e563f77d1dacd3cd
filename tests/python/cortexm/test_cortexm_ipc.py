# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a second core's request costs on a Cortex-M33, and that it stays so."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ranvier.testing import cortexm, path_counts

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks" / "ipc"


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark, which is run as a script in its own folder."""
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("service_bench")
    finally:
        sys.path.remove(str(FOLDER))


def test_paths_stay_within_goals_and_budget(bench: ModuleType) -> None:
    """With them: an inference costs the same with 1 byte of input and with 27 KB."""
    measured = bench.measure()
    assert bench.above_goal(measured) == []
    assert path_counts.above_budget(measured, path_counts.read_budget(bench.BUDGET)) == []


def test_a_payload_that_is_copied_is_found(bench: ModuleType) -> None:
    measured = {row.name: 1 for row in bench.PATHS}
    assert bench.above_goal(measured) == []
    assert bench.above_goal({**measured, "infer_large": 2}) != []
    assert bench.above_goal({**measured, "status": 901}) != []
