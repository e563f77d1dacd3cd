# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Depthwise convolutions over views against plain formulas: under QEMU and on the desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_programs import BUILDS, build, run

ROUNDS = 400
SEEDS = (1, 2026)


@pytest.fixture(scope="session", params=list(BUILDS))
def program(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Build the program; the CPU ("" for the desk) and its path."""
    cpu, options = BUILDS[request.param]
    return cpu, build("kernels_depthwise", request.param, cpu, options) / "depthwise_test.elf"


@pytest.mark.parametrize("seed", SEEDS)
def test_every_output_equals_the_plain_formula(program: tuple[str, Path], seed: int) -> None:
    """Whole, in place and in slices; the assembly against its twins, byte for byte."""
    cpu, elf = program
    assert run(elf, cpu, str(seed), str(ROUNDS)) == f"rounds {ROUNDS}\n"
