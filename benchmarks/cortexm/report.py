# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured as Markdown: the summary and the tables that carry goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import code_size
import details
import goals
import peers
from goals import Goals
from markdown import NONE, number, per, table, times
from measure import Measured
from subjects import MLPERF, MODE, SEED, Subject
from variants import CPU_NAMES, MAIN, VARIANTS, Variant

from ranvier.testing import qemu

_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# Ranvier on Cortex-M

Written by `make bench`; [README.md](../README.md) says what the figures mean, how far they go and
where the figures of others come from. All of them are counts: the same on every run. *All
channels*: the compiler was told to keep the channels that have one value for every input. The
instructions of every op are in [PER_OP.md](PER_OP.md)."""
_PER_OP_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# Instructions of every op

Written by `make bench`; see [RESULTS.md](RESULTS.md). Error: predicted against counted."""


@dataclass(frozen=True)
class Options:
    """What the report says of how it was made; ``judged``: all goals apply to this build."""

    inputs: int
    build_type: str
    judged: bool


def report(measured: Measured, options: Options, missed: Goals) -> str:
    """The whole of RESULTS.md; goals that are missed are added to ``missed``."""
    judged = missed if options.judged else Goals()
    sections = [
        f"## Summary: {CPU_NAMES[MAIN.cpu]} with DSP",
        "Instructions of one inference, RAM in input mode `resident`, bytes of the whole runtime "
        "with the ops of the model. TFLM: TensorFlow Lite Micro with CMSIS-NN.",
        _summary(measured, judged, missed),
        "## Instructions of one inference on every CPU",
        f"Per MAC and goal: on {CPU_NAMES[MAIN.cpu]} where there are several CPUs.",
        *_instructions(measured, judged),
        "## Build and tools",
        _setting(measured, options),
        *details.sections(measured, options.inputs, judged, missed),
    ]
    scope = "Goals" if options.judged else "Goals of exactness and RAM (the others are for -Os)"
    lines = "\n".join(f"- {goal}" for goal in missed.missed)
    verdict = f"{scope} that are MISSED:\n\n{lines}" if lines else f"{scope}: all met."
    return "\n\n".join([_HEAD, *_left_out(measured.subjects), verdict, *sections])


def per_op(measured: Measured) -> str:
    """The whole of PER_OP.md."""
    return "\n\n".join([_PER_OP_HEAD, *details.per_op(measured)])


def _setting(measured: Measured, options: Options) -> str:
    machines = ", ".join(f"{cpu} {machine}" for cpu, machine in qemu.MACHINES.items())
    codes = {s.variant.cpu: measured.codes[s.key] for s in measured.subjects}
    flags = []
    for cpu, code in codes.items():
        flags.append(f"- flags, {CPU_NAMES[cpu]}: `{code.flags}`")
        if code.assembler_flags != code.flags:
            flags.append(f"- flags, {CPU_NAMES[cpu]}, assembler: `{code.assembler_flags}`")
    return "\n".join(
        [
            f"- compiler: {code_size.version('arm-none-eabi-gcc')}",
            *flags,
            f"- emulator: {code_size.version(qemu.find_qemu())}; machines: {machines}",
            f"- counter: {measured.note() or 'TCG plugin, every instruction (granularity 1)'}",
            f"- reference: tflite-micro {version('tflite-micro')}, reference kernels on the host",
            f"- inputs of each model: {options.inputs}: all lowest, all highest, the rest random "
            f"(seed {SEED})",
        ]
    )


def _left_out(subjects: Sequence[Subject]) -> list[str]:
    present = {subject.model.name for subject in subjects}
    missing = [name for name in MLPERF if name not in present]
    return [f"Left out: {', '.join(missing)}."] if missing else []


def _summary(measured: Measured, judged: Goals, missed: Goals) -> str:
    rows = []
    for subject in measured.subjects:
        cost, code = measured.own(subject), measured.codes[subject.key]
        ram, instructions = (
            goals.ram(subject),
            goals.instructions(subject, measured.speed(subject)),
        )
        missed.at_most(f"{subject.key}: RAM, {MODE.name.lower()}", cost.ram, ram)
        judged.at_most(f"{subject.key}: code", code.linked, goals.code(subject))
        if subject.variant.isa != MAIN.isa:
            continue
        peer = peers.PEERS.get(subject.model.name)
        theirs = None if peer is None else peer.m33
        rows.append(
            [
                subject.title,
                subject.variant.optimize,
                number(cost.infer),
                number(instructions),
                number(theirs),
                times(theirs, cost.infer),
                per(cost.infer, subject.nominal_macs),
                per(cost.infer, subject.macs),
                number(cost.ram),
                number(ram),
                NONE if peer is None else number(peer.ram),
                number(code.linked),
                number(goals.code(subject)),
                NONE if peer is None else number(peer.code),
            ]
        )
    head = ["model", "optimize", "instructions", "goal", "TFLM", "TFLM / ours", "per nominal MAC"]
    head += ["per MAC left", "RAM", "goal", "TFLM", "code", "goal", "TFLM"]
    return table(head, rows, left=2)


def _instructions(measured: Measured, judged: Goals) -> list[str]:
    """A table for every set of CPUs that run the same variants."""
    groups: dict[tuple[str, ...], list[Variant]] = {}
    for variant in VARIANTS:
        groups.setdefault(variant.cpus, []).append(variant)
    parts = []
    for cpus, variants in groups.items():
        subjects = [subject for subject in measured.subjects if subject.variant in variants]
        if subjects:
            parts.append(_instruction_table(measured, subjects, cpus, judged))
    return parts


def _instruction_table(
    measured: Measured, subjects: Sequence[Subject], cpus: Sequence[str], judged: Goals
) -> str:
    own = subjects[0].variant.cpu
    with_peer = [cpu for cpu in cpus if peers.PEERS["kws"].instructions(cpu) is not None]
    rows = []
    for subject in subjects:
        costs = measured.costs[subject.key]
        speed = measured.speed(subject)
        goals.judge_instructions(judged, subject, costs, speed)
        row = [subject.title, subject.variant.key]
        row += [number(subject.nominal_macs), number(subject.macs)]
        row += [number(costs[cpu].infer) for cpu in cpus]
        row += [per(costs[own].infer, macs) for macs in (subject.nominal_macs, subject.macs)]
        row.append(number(goals.instructions(subject, speed)))
        peer = peers.PEERS.get(subject.model.name)
        for cpu in with_peer:
            theirs = None if peer is None else peer.instructions(cpu)
            row += [number(theirs), times(theirs, costs[cpu].infer)]
        rows.append([*row, f"{max(c.spread for c in costs.values()):.2%}"])
    head = ["model", "variant", "nominal MACs", "MACs left", *(CPU_NAMES[cpu] for cpu in cpus)]
    head += ["per nominal MAC", "per MAC left", "goal"]
    for cpu in with_peer:
        head += [f"TFLM, {cpu.upper()}", "TFLM / ours"]
    return table([*head, "spread"], rows, left=2)


def host(measured: Mapping[str, tuple[float, float]]) -> str:
    """Medians of wall-clock time on this host, ours and the reference's, in milliseconds."""
    rows = [[name, f"{ours:.3f}", f"{theirs:.3f}"] for name, (ours, theirs) in measured.items()]
    return table(["package", "Ranvier, ms", "tflite-micro, ms"], rows)
