# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The Cortex-M test programs, built once per session for each CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu


@pytest.fixture(scope="session", params=list(qemu.MACHINES))
def firmware(request: pytest.FixtureRequest) -> cortexm.Firmware:
    """All test programs for one CPU, with every op linked."""
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    return cortexm.build(Path(__file__).resolve().parents[3], request.param)
