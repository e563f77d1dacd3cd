# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random tests of kernels, assembly and twin, on every Cortex-M and on this computer."""

from __future__ import annotations

import pytest
from kernel_programs import build, run

from ranvier.testing import qemu

LEAST_CASES = 1000


@pytest.mark.parametrize("cpu", ["", *qemu.MACHINES], ids=lambda cpu: cpu or "host")
def test_all_cases_hold(cpu: str) -> None:
    """On this computer the portable twins, under the address and undefined-behaviour sanitizers."""
    folder = build("kernels_fc", cpu or "host", cpu)
    stdout = run(folder / ("kernels_fc.elf" if cpu else "kernels_fc"), cpu)
    counts = dict(line.rsplit(" ", 1) for line in stdout.splitlines())
    assert int(counts["cases"]) >= LEAST_CASES
    assert int(counts["failures"]) == 0
