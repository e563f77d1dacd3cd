# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packing base against plain formulas: assembly and twins under QEMU, twins on the desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_programs import BUILDS, ROOT, build, run

#: Rounds of random parameters for each program.
ROUNDS = {"gemm_test": 1000, "ops_test": 800}
SEEDS = (1, 2026)

#: Mnemonics that a Cortex-M without the DSP extension does not have begin so.
DSP = ("smlad", "smmla", "smmul", "smlab", "smulb", "sxtb16", "uxtb16", "pkh", "sel", "sadd")


@pytest.fixture(scope="session", params=list(BUILDS))
def programs(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Build the programs; the CPU ("" for the desk) and the folder."""
    cpu, options = BUILDS[request.param]
    cpu = "m33-nodsp" if request.param == "portable" else cpu
    return cpu, build("kernels_base", request.param, cpu, options)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", list(ROUNDS))
def test_every_output_equals_the_plain_formula(
    programs: tuple[str, Path], program: str, seed: int
) -> None:
    cpu, folder = programs
    stdout = run(folder / f"{program}.elf", cpu, str(seed), str(ROUNDS[program]))
    assert stdout.strip().endswith(f"rounds {ROUNDS[program]}")


def test_assembly_needs_no_extension() -> None:
    """On a core with the DSP extension the assembler takes its instructions, so look for them."""
    sources = sorted((ROOT / "firmware/core/src/kernels/base").glob("*.S"))
    words = {word for source in sources for word in source.read_text().split()}
    assert "smlal" in words
    assert not [word for word in words if word.startswith(DSP)]
