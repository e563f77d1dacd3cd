# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured as Markdown: exactness, memory, code, opening, and every op."""

from __future__ import annotations

import goals
import peers
import steps
from goals import Goals
from markdown import NONE, number, table
from measure import Measured
from subjects import MODE, Subject
from variants import CPU_NAMES, MAIN

from ranvier.package.records import IoMode


def sections(measured: Measured, inputs: int, judged: Goals, missed: Goals) -> list[str]:
    """All sections after the summary."""
    every = measured.every
    packages = [(s, steps.ops_of(s, measured.own(s))) for s in measured.subjects]
    return [
        f"## Differing bytes against tflite-micro, Cortex-M in mode {MODE.name.lower()}",
        exactness(measured, inputs, missed),
        "## Predicted against counted instructions",
        steps.prediction_table(packages),
        "## RAM in bytes: arena + state + view + all inputs and outputs, by input mode",
        memory(measured, missed),
        "## Code in bytes",
        f"Goals at -Os: reader + verifier + executor {goals.CORE_BYTES:,}; with every kernel of "
        f"the MLPerf Tiny four {goals.FOUR_BYTES:,}.",
        code_totals(measured, judged),
        f"Linked with {', '.join(every.library)} of the C library. Static RAM of all objects: "
        f"{every.writable} bytes. Every object on {CPU_NAMES[MAIN.cpu]}, whole and what the linker "
        f"leaves of it, with every op and with those of one model ({MAIN.key}):",
        code_objects(measured),
        "## Opening a package, and stack: instructions and bytes",
        f"Goals at -Os: {goals.OPEN_INSTRUCTIONS:,} instructions without the CRC, "
        f"{goals.OPEN_STACK} bytes of stack.",
        opening(measured, judged),
    ]


def per_op(measured: Measured) -> list[str]:
    """A table for every package."""
    parts = []
    for subject in measured.subjects:
        parts.append(f"## {subject.title}, {subject.variant.key}, {CPU_NAMES[subject.variant.cpu]}")
        parts.append(steps.op_table(steps.ops_of(subject, measured.own(subject))))
    return parts


def exactness(measured: Measured, inputs: int, missed: Goals) -> str:
    """Differing bytes of every package, on the host and the CPUs."""
    rows = []
    for subject in measured.subjects:
        result = measured.exact[subject.key]
        if not result.passed:
            missed.missed.append(f"{subject.key}: bytes differ from the reference")
        host = [str(result.host[mode]) for mode in IoMode]
        cpus = [str(result.cpus[cpu]) if cpu in result.cpus else NONE for cpu in CPU_NAMES]
        layers = f"{result.layer_differing} of {result.layer_values:,}"
        first = [subject.title, subject.variant.key, str(inputs), str(result.distinct)]
        rows.append([*first, number(result.output_bytes), *host, *cpus, layers])
    head = ["model", "variant", "inputs", "distinct outputs", "output bytes"]
    head += [f"host, {mode.name.lower()}" for mode in IoMode]
    return table([*head, *CPU_NAMES.values(), "host, every layer"], rows, left=2)


def memory(measured: Measured, missed: Goals) -> str:
    """RAM of every package in every input mode."""
    rows = []
    for subject in measured.subjects:
        modes, cost = measured.modes[subject.key], measured.own(subject)
        view = max(c.view for c in modes.values())
        missed.at_most(f"{subject.key}: view", view, goals.VIEW_BYTES)
        peer = peers.PEERS.get(subject.model.name)
        rows.append(
            [
                subject.title,
                subject.variant.key,
                *(number(modes[mode].ram) for mode in IoMode),
                number(goals.ram(subject)),
                number(cost.sizes["arena_bytes"]),
                str(cost.sizes["state_bytes"]),
                str(cost.view),
                NONE if peer is None else number(peer.ram),
                NONE if peer is None else number(peer.bakenn_arena),
            ]
        )
    mode = MODE.name.lower()
    head = ["model", "variant", *(m.name.lower() for m in IoMode), f"goal ({mode})"]
    head += [f"arena ({mode})", "state", "view", "TFLM + CMSIS-NN", "BakeNN arena"]
    return table(head, rows, left=2)


def code_totals(measured: Measured, judged: Goals) -> str:
    """Bytes of code by set of ops."""
    rows = []
    for subject in measured.subjects:
        code = measured.codes[subject.key]
        judged.at_most(f"{subject.key}: code of the core", code.core, goals.CORE_BYTES)
        peer = peers.PEERS.get(subject.model.name)
        theirs = [NONE] * 3
        if peer is not None:
            theirs = [number(n) for n in (peer.reference_code, peer.code, peer.bakenn_code)]
        cpu = CPU_NAMES[subject.variant.cpu]
        ours = [number(n) for n in (code.core, code.total, code.linked, goals.code(subject))]
        rows.append([subject.title, subject.variant.key, cpu, *ours, *theirs])
    whole = {"the MLPerf Tiny four": measured.four, "every op": measured.every}
    for title, code_or_none in whole.items():
        if code_or_none is not None:
            code = code_or_none
            ours = [number(n) for n in (code.core, code.total, code.linked)]
            variant = MAIN.isa if code is measured.four else ""
            rows.append([title, variant, CPU_NAMES[MAIN.cpu], *ours, *[NONE] * 4])
    if measured.four is not None:
        most = max(measured.four.total, measured.four.linked)
        judged.at_most("code with every kernel of the four", most, goals.FOUR_BYTES)
    head = ["ops of", "variant", "CPU", "reader + verifier + executor", "whole objects", "linked"]
    return table([*head, "goal", "TFLM reference", "TFLM + CMSIS-NN", "BakeNN"], rows, left=3)


def code_objects(measured: Measured) -> str:
    """Bytes of each object: whole, linked with every op, and with the ops of each model."""
    shown = [s for s in measured.subjects if s.variant == MAIN and not s.all_channels]
    builds = {"every op": measured.every}
    builds |= {subject.model.name: measured.codes[subject.key] for subject in shown}
    linked = {
        title: {item.name: item.linked for item in code.objects} for title, code in builds.items()
    }
    objects = sorted(measured.every.objects, key=lambda item: (not item.is_core, item.name))
    rows = []
    for is_core, title in ((True, "reader, verifier, executor"), (False, "kernels")):
        part = [item for item in objects if item.is_core == is_core]
        for item in part:
            sizes = [number(sizes.get(item.name)) for sizes in linked.values()]
            rows.append([item.name, number(item.text), *sizes])
        sums = [sum(sizes.get(item.name, 0) for item in part) for sizes in linked.values()]
        cells = [f"**{n:,}**" for n in (sum(item.text for item in part), *sums)]
        rows.append([f"**{title}**", *cells])
    return table(["object", "whole", *(f"linked, {title}" for title in builds)], rows)


def opening(measured: Measured, judged: Goals) -> str:
    """Instructions and stack of opening, stack of inference."""
    rows = []
    for subject in measured.subjects:
        cost = measured.own(subject)
        peer = peers.PEERS.get(subject.model.name)
        goals.judge_opening(judged, subject, cost)
        rows.append([*_opening_row(subject), number(cost.counts["verify"][0]), number(cost.crc)])
        rows[-1] += [number(cost.sizes[f"{part}_stack_bytes"]) for part in ("open", "infer")]
        rows[-1].append(NONE if peer is None else number(peer.start))
    head = ["model", "variant", "CPU", "ops", "steps", "package bytes", "opening", "CRC"]
    head += ["stack, opening", "stack, inference", "TFLM start-up, M33"]
    return table(head, rows, left=3)


def _opening_row(subject: Subject) -> list[str]:
    content = subject.result.content
    counts = [len(content.ops), len(content.steps), len(subject.result.package)]
    row = [subject.title, subject.variant.key, CPU_NAMES[subject.variant.cpu]]
    return [*row, *(number(count) for count in counts)]
