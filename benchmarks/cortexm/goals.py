# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The figures to reach, and what misses them. A KB is 1,000 bytes, as in the figures of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import peers
from device import Cost
from subjects import Subject

#: Bytes of text on Cortex-M33 at -Os for reader, verifier and executor.
CORE_BYTES = 8 * 1024
#: Bytes of text on Cortex-M33 at -Os with every kernel that the MLPerf Tiny four need.
FOUR_BYTES = 32 * 1024
#: Instructions to open any of the packages on Cortex-M33, CRC apart.
OPEN_INSTRUCTIONS = 100_000
#: Bytes of stack to open a package.
OPEN_STACK = 256
#: Bytes of RAM for an opened package beside arena, state, inputs and outputs.
VIEW_BYTES = 256
#: Instructions on Cortex-M4 and M7 for each one on Cortex-M33.
OTHER_CPUS = 1.05
#: Instructions of ``memory`` for each one of ``speed``.
MEMORY_INSTRUCTIONS = 1.5

#: Instructions by isa, what was optimised for, and model; vww also with all its channels.
_INSTRUCTIONS: Mapping[tuple[str, str], Mapping[str, int]] = {
    ("dsp", "speed"): {
        "kws": 2_600_000,
        "vww": 4_600_000,
        "vww, all channels": 7_600_000,
        "ic": 9_000_000,
        "ad": 265_000,
    },
    ("dsp", "balanced"): {
        "kws": 2_750_000,
        "vww": 8_000_000,
        "vww, all channels": 8_000_000,
        "ic": 11_500_000,
        "ad": 280_000,
    },
    ("base", "balanced"): {
        "kws": peers.PEERS["kws"].m33_nodsp // 2,
        "vww": peers.PEERS["vww"].m33_nodsp // 2,
        "vww, all channels": peers.PEERS["vww"].m33_nodsp // 2,
        "ic": peers.PEERS["ic"].m33_nodsp // 2,
        "ad": peers.PEERS["ad"].m33_nodsp // 2,
    },
    ("generic", "balanced"): {  # Cortex-M55
        "kws": 1_000_000,
        "vww": 3_000_000,
        "vww, all channels": 3_000_000,
        "ic": 2_600_000,
        "ad": 90_000,
    },
}
#: Bytes of RAM in mode ``resident``; ``speed`` may take what it needs; what is not named has
#: the goals of the portable kernels.
_RAM: Mapping[tuple[str, str], Mapping[str, int]] = {
    ("dsp", "speed"): {},
    ("dsp", "balanced"): {"kws": 10_500, "vww": 52_000, "ic": 36_000, "ad": 2_600},
    ("dsp", "memory"): {"kws": 10_000, "vww": 34_000, "ic": 24_000, "ad": 1_300},
}
_PORTABLE_RAM: Mapping[str, int] = {"kws": 16_700, "vww": 56_300, "ic": 50_000, "ad": 1_400}
#: Bytes of the whole runtime with the ops of one model, Cortex-M33 with DSP.
_CODE: Mapping[str, int] = {"kws": 20_000, "vww": 20_000, "ic": 20_000, "ad": 10_000}


@dataclass
class Goals:
    """Collects the goals that are missed."""

    missed: list[str] = field(default_factory=list)

    def at_most(self, what: str, value: int, limit: int | None) -> None:
        """Record a miss where ``value`` exceeds ``limit``."""
        if limit is not None and value > limit:
            self.missed.append(f"{what}: {value:,}, goal {limit:,}")


def instructions(subject: Subject, speed: int | None) -> int | None:
    """Most instructions on the variant's own CPU; ``speed`` are those of variant speed."""
    variant = subject.variant
    if (variant.isa, variant.optimize) == ("dsp", "memory"):
        known = speed is not None and subject.model.name in _CODE
        return int(speed * MEMORY_INSTRUCTIONS) if known and speed is not None else None
    return _INSTRUCTIONS.get((variant.isa, variant.optimize), {}).get(subject.title)


def ram(subject: Subject) -> int | None:
    """Most bytes of RAM in mode resident."""
    variant = subject.variant
    goals = _RAM.get((variant.isa, variant.optimize), _PORTABLE_RAM)
    return goals.get(subject.model.name)


def code(subject: Subject) -> int | None:
    """Most bytes of the whole runtime."""
    return _CODE.get(subject.model.name) if subject.variant.isa == "dsp" else None


def judge_opening(goals: Goals, subject: Subject, cost: Cost) -> None:
    """Instructions and stack of opening a package."""
    goals.at_most(f"{subject.key}: opening", cost.counts["verify"][0], OPEN_INSTRUCTIONS)
    goals.at_most(f"{subject.key}: stack of opening", cost.sizes["open_stack_bytes"], OPEN_STACK)


def judge_instructions(
    goals: Goals, subject: Subject, costs: Mapping[str, Cost], speed: int | None
) -> None:
    """Instructions on the variant's own CPU, and on the others beside it."""
    own = costs[subject.variant.cpu].infer
    goals.at_most(f"{subject.key}: instructions", own, instructions(subject, speed))
    if subject.model.name in _CODE:
        for cpu, cost in costs.items():
            limit = int(own * OTHER_CPUS)
            goals.at_most(f"{subject.key}: instructions on {cpu}", cost.infer, limit)
