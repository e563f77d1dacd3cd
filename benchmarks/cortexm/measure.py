# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the firmware and measures every subject."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import code_size
import device
from subjects import MLPERF, MODE, Subject
from variants import MAIN

from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[2]
BUILD_TYPES = {"Os": "MinSizeRel", "O2": "RelWithDebInfo", "O3": "Release"}


def progress(text: str) -> None:
    """Say what is being done."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


@functools.cache
def _built(cpu: str, ops: tuple[str, ...], build_type: str) -> cortexm.Firmware:
    return cortexm.build(ROOT, cpu, ops=ops, build_type=build_type)


@dataclass(frozen=True)
class Bench:
    """How to build and to count. ``build_type`` is one of BUILD_TYPES."""

    build_type: str
    systick: bool

    def build(self, cpu: str, ops: Sequence[str] = ()) -> cortexm.Firmware:
        """The firmware for a CPU, with the ops named (none: all)."""
        return _built(cpu, tuple(ops), BUILD_TYPES[self.build_type])

    def counter(self, firmware: cortexm.Firmware, mix: str | None = None) -> qemu.Counter:
        """The exact counter, or SysTick where that is asked for."""
        return qemu.Counter(None) if self.systick else firmware.counter(mix)

    def cost(self, subject: Subject, mode: IoMode, cpu: str) -> device.Cost:
        """What a subject needs on a CPU."""
        firmware = self.build(cpu)
        return device.cost(subject, mode, firmware, self.counter(firmware))


@dataclass(frozen=True)
class Measured:
    """All results, by the subject's key.

    ``costs`` are by CPU in one mode, ``modes`` by mode on the variant's own CPU, where ``codes``
    are too. ``every`` is the code with every op on that of ``MAIN``, ``four`` with the ops of the
    MLPerf Tiny four in all variants of its instruction set.
    """

    subjects: tuple[Subject, ...]
    exact: Mapping[str, device.Exactness]
    costs: Mapping[str, Mapping[str, device.Cost]]
    modes: Mapping[str, Mapping[IoMode, device.Cost]]
    codes: Mapping[str, code_size.Code]
    every: code_size.Code
    four: code_size.Code | None

    def own(self, subject: Subject) -> device.Cost:
        """Cost on the variant's own CPU."""
        return self.costs[subject.key][subject.variant.cpu]

    def speed(self, subject: Subject) -> int | None:
        """Instructions of the same model in the same instruction set, made for speed."""
        for other in self.subjects:
            same = (other.title, other.variant.isa) == (subject.title, subject.variant.isa)
            if same and other.variant.optimize == "speed":
                return self.own(other).infer
        return None

    def note(self) -> str | None:
        """How instructions were counted, where that was not by the exact plugin."""
        notes = (cost.note for cpus in self.costs.values() for cost in cpus.values())
        return next((note for note in notes if note is not None), None)


def measure(subjects: Sequence[Subject], bench: Bench) -> Measured:
    """Measure everything."""
    for cpu in sorted({cpu for subject in subjects for cpu in subject.variant.cpus}):
        progress(f"building for {cpu}")
        bench.build(cpu)
    exact: dict[str, device.Exactness] = {}
    costs: dict[str, Mapping[str, device.Cost]] = {}
    modes: dict[str, Mapping[IoMode, device.Cost]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda subject: _measure_one(subject, bench), subjects)
        for subject, result in zip(subjects, results, strict=True):
            exact[subject.key], costs[subject.key], modes[subject.key] = result
    codes = {}
    for subject in subjects:
        progress(f"{subject.key}: code")
        codes[subject.key] = code_size.measure(bench.build(subject.variant.cpu, subject.ops))
    every = code_size.measure(bench.build(MAIN.cpu))
    four = _four(subjects, bench)
    return Measured(tuple(subjects), exact, costs, modes, codes, every, four)


def _measure_one(
    subject: Subject, bench: Bench
) -> tuple[device.Exactness, dict[str, device.Cost], dict[IoMode, device.Cost]]:
    progress(f"{subject.key}: host, {', '.join(subject.variant.cpus)}")
    firmware = {cpu: bench.build(cpu) for cpu in subject.variant.cpus}
    exact = device.exactness(subject, firmware)
    costs = {cpu: bench.cost(subject, MODE, cpu) for cpu in firmware}
    modes = {mode: bench.cost(subject, mode, subject.variant.cpu) for mode in subject.compiled}
    return exact, costs, modes


def _four(subjects: Sequence[Subject], bench: Bench) -> code_size.Code | None:
    own = [s for s in subjects if s.variant.isa == MAIN.isa and s.model.name in MLPERF]
    if {subject.model.name for subject in own} != set(MLPERF):
        return None
    used = {op for subject in own for op in subject.ops}
    return code_size.measure(bench.build(MAIN.cpu, [op for op in op_codes() if op in used]))
