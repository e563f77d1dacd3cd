# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions over windows against plain formulas: under QEMU, and the twins on the desk."""

from __future__ import annotations

import re

import pytest
from kernel_programs import BUILDS, build, run

#: Rounds of random parameters; a CPU without DSP instructions has only the twins.
ROUNDS = {"host": 3000, "portable": 100}
CPU_ROUNDS = 300


@pytest.mark.parametrize("name", list(BUILDS))
def test_every_output_equals_the_plain_formula(name: str) -> None:
    """Whole ops, in place and by slices; nothing but outputs and scratch is written."""
    cpu, options = BUILDS[name]
    rounds = ROUNDS.get(name, CPU_ROUNDS)
    elf = build("kernels_conv", name, cpu, options) / "conv_test.elf"
    stdout = run(elf, cpu, "1", str(rounds))
    counts = {key: int(value) for key, value in re.findall(r"^(\w+) (\d+)$", stdout, re.MULTILINE)}
    assert counts.keys() == {"in_place", "failures", "rounds"}
    assert (counts["failures"], counts["rounds"]) == (0, rounds)
    assert counts["in_place"] > rounds // 3
