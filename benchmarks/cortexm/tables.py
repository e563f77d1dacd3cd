# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured as Markdown, and the goals that it misses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import peers
from code_size import Code
from device import MODE, Cost, Exactness
from host_times import HostTime
from subjects import Subject

from ranvier.errors import ToolError
from ranvier.native import op_codes
from ranvier.package.records import IoMode

#: Name of the ops of the MLPerf Tiny models together in the table of code sizes.
THE_FOUR = "the four"
_NONE = "-"
_CPU_NAMES = {"m4": "Cortex-M4", "m33": "Cortex-M33", "m55": "Cortex-M55"}


@dataclass
class Goals:
    """Collects the goals that are missed."""

    missed: list[str] = field(default_factory=list)

    def at_most(self, what: str, value: int, limit: int) -> None:
        """Record a miss where ``value`` exceeds ``limit``."""
        if value > limit:
            self.missed.append(f"{what}: {value:,}, goal {limit:,}")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table with columns of even width: the first to the left, others to the right."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def text(cells: Sequence[str]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        aligned = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        return f"| {' | '.join(aligned)} |"

    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join([text(lines[0]), f"| {' | '.join(rule)} |", *map(text, lines[1:])])


def exactness(results: Mapping[str, Exactness], inputs: int, goals: Goals) -> str:
    """Differing bytes for every model, host and CPU."""
    rows = []
    for name, result in results.items():
        if not result.passed:
            goals.missed.append(f"{name}: bytes differ from the reference")
        rows.append(
            [
                name,
                str(inputs),
                str(result.distinct),
                f"{result.output_bytes:,}",
                *(str(result.host[mode]) for mode in IoMode),
                *(str(count) for count in result.cpus.values()),
                f"{result.layer_differing} of {result.layer_values:,}",
            ]
        )
    cpus = next(iter(results.values())).cpus
    head = ["model", "inputs", "distinct outputs", "output bytes"]
    head += [f"host, {mode.name.lower()}" for mode in IoMode]
    head += [_CPU_NAMES[cpu] for cpu in cpus]
    return table([*head, "host, every layer"], rows)


def memory(costs: Mapping[str, Mapping[IoMode, Cost]], goals: Goals) -> str:
    """RAM for every model and input mode."""
    rows = []
    for name, modes in costs.items():
        peer = peers.PEERS.get(name)
        row = [name, *(f"{modes[mode].ram:,}" for mode in IoMode)]
        cost = modes[MODE]
        goals.at_most(f"{name}: view", max(c.view for c in modes.values()), peers.VIEW_BYTES_GOAL)
        parts = [f"{cost.sizes['arena_bytes']:,}", str(cost.sizes["state_bytes"]), str(cost.view)]
        if peer is None:
            rows.append([*row, _NONE, *parts, _NONE, _NONE])
            continue
        goals.at_most(f"{name}: RAM, {MODE.name.lower()}", cost.ram, peer.ram_goal)
        rows.append([*row, f"{peer.ram_goal:,}", *parts, f"{peer.ram:,}", f"{peer.bakenn_arena:,}"])
    mode = MODE.name.lower()
    head = ["model", *(m.name.lower() for m in IoMode), f"goal ({mode})", f"arena ({mode})"]
    return table([*head, "state", "view", "TFLM + CMSIS-NN", "BakeNN arena"], rows)


def code_totals(codes: Mapping[str, Code], goals: Goals | None) -> str:
    """Bytes of code by set of ops; goals are judged where given."""
    rows = []
    for name, code in codes.items():
        peer = peers.PEERS.get(name)
        theirs = [_NONE] * 3
        if peer is not None:
            theirs = [f"{n:,}" for n in (peer.reference_code, peer.code, peer.bakenn_code)]
        rows.append([name, f"{code.core:,}", f"{code.total:,}", f"{code.linked:,}", *theirs])
        if goals is not None:
            goals.at_most(f"code of the core ({name})", code.core, peers.CORE_BYTES_GOAL)
    four = codes.get(THE_FOUR)
    if goals is not None and four is not None:
        most = max(four.total, four.linked)
        goals.at_most("code with every kernel of the four", most, peers.FOUR_BYTES_GOAL)
    head = ["ops of", "reader + verifier + executor", "objects", "linked"]
    return table([*head, "TFLM reference", "TFLM + CMSIS-NN", "BakeNN"], rows)


def code_objects(code: Code) -> str:
    """Bytes of each object of a build."""
    objects = sorted(code.objects, key=lambda item: (not item.is_core, item.folder, item.source))
    rows = []
    for is_core, title in ((True, "reader, verifier, executor"), (False, "kernels")):
        part = [item for item in objects if item.is_core == is_core]
        rows += [[f"{item.folder}/{item.source}", f"{item.text:,}"] for item in part]
        rows.append([f"**{title}**", f"**{sum(item.text for item in part):,}**"])
    return table(["object", "text"], rows)


def opening(subjects: Mapping[str, Subject], costs: Mapping[str, Cost], goals: Goals | None) -> str:
    """Instructions and stack of opening, stack of inference."""
    rows = []
    for name, cost in costs.items():
        peer = peers.PEERS.get(name)
        instructions, stack = cost.counts["verify"][0], cost.sizes["open_stack_bytes"]
        if goals is not None:
            goals.at_most(f"{name}: opening", instructions, peers.OPEN_INSTRUCTIONS_GOAL)
            goals.at_most(f"{name}: stack of opening", stack, peers.OPEN_STACK_GOAL)
        rows.append(
            [
                name,
                str(len(subjects[name].compiled[MODE].content.ops)),
                f"{cost.sizes['package_bytes']:,}",
                f"{instructions:,}",
                f"{cost.crc:,}",
                f"{stack:,}",
                f"{cost.sizes['infer_stack_bytes']:,}",
                _NONE if peer is None else f"{peer.start:,}",
            ]
        )
    head = ["model", "ops", "package bytes", "opening", "CRC", "stack, opening"]
    return table([*head, "stack, inference", "TFLM start-up"], rows)


def inference(subjects: Mapping[str, Subject], costs: Mapping[str, Mapping[str, Cost]]) -> str:
    """Instructions of one inference on each CPU, and the peer's."""
    rows = []
    for name, cpus in costs.items():
        macs = subjects[name].macs
        peer = peers.PEERS.get(name)
        theirs = [_NONE] * 5
        if peer is not None:
            figures = (peer.reference_m33, peer.m33_plain, peer.m4, peer.m33, peer.m55)
            theirs = [f"{n:,}" for n in figures]
        ours = [f"{cost.infer:,} ({cost.infer / macs:.2f})" for cost in cpus.values()]
        spread = max(cost.spread for cost in cpus.values())
        rows.append([name, f"{macs:,}", *ours, f"{spread:.2%}", *theirs])
    cpus = next(iter(costs.values()))
    head = ["model", "MACs", *(_CPU_NAMES[cpu] for cpu in cpus), "spread"]
    head += ["TFLM reference, M33", "CMSIS-NN, M33 without DSP", "CMSIS-NN, M4"]
    return table([*head, "CMSIS-NN, M33", "CMSIS-NN, M55"], rows)


def steps(subject: Subject, cost: Cost) -> str:
    """Instructions of every step of one model, on the last counted input."""
    names = {code: name for name, code in op_codes().items()}
    layers = subject.compiled[MODE].report.layers
    ops = subject.compiled[MODE].content.ops
    counts = cost.counts.get("step", ())[-len(layers) :]
    if not counts:
        raise ToolError("tests/cortexm/runner.c has no region 'step' to count")
    rows = []
    for layer, op, count in zip(layers, ops, counts, strict=True):
        shape = "x".join(map(str, layer.shape))
        per_mac = f"{count / layer.macs:.2f}" if layer.macs else _NONE
        rows.append(
            [f"{layer.step} {names[op.code]}", shape, f"{layer.macs:,}", f"{count:,}", per_mac]
        )
    rows.append(["all steps", "", f"{subject.macs:,}", f"{sum(counts):,}", ""])
    return table(["step", "output", "MACs", "instructions", "per MAC"], rows)


def host(times: Mapping[str, HostTime]) -> str:
    """Medians of wall-clock time on this host."""
    rows = [[n, f"{t.ranvier_ms:.3f}", f"{t.tflite_micro_ms:.3f}"] for n, t in times.items()]
    return table(["model", "Ranvier, ms", "tflite-micro, ms"], rows)
