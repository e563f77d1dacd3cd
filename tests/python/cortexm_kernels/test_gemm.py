# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packed inner loops against plain formulas: assembly and twins under QEMU, twins on the desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_programs import BUILDS, build, run

#: Rounds of random parameters for each program.
ROUNDS = {"gemm_test": 2000, "pointwise_test": 600}
SEEDS = (1, 2026)


@pytest.fixture(scope="session", params=list(BUILDS))
def programs(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Build the programs; the CPU ("" for the desk) and the folder."""
    cpu, options = BUILDS[request.param]
    return cpu, build("kernels", request.param, cpu, options)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", list(ROUNDS))
def test_every_output_equals_the_plain_formula(
    programs: tuple[str, Path], program: str, seed: int
) -> None:
    cpu, folder = programs
    stdout = run(folder / f"{program}.elf", cpu, str(seed), str(ROUNDS[program]))
    assert stdout.strip().endswith(f"rounds {ROUNDS[program]}")
