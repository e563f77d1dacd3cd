# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What each step of a model took, beside what it is."""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.report import analyze_package
from ranvier.errors import InputError
from ranvier.model import Package
from ranvier.package.costs import package_crc
from ranvier.profile.trace import SlotProfile, Trace


@dataclass(frozen=True)
class StepRow:
    """A step: what it is (where the package is at hand) and what it took.

    ``share`` is its part of the CPU's time for all steps. ``row0`` and ``rows`` are 0 unless it is
    a slice of its op; ``macs`` are the slice's. ``npu_max_us`` is the longest run of the
    accelerator.
    """

    step: int
    layer: str
    op: str
    row0: int
    rows: int
    macs: int
    predicted: int
    runs: int
    min_us: float
    mean_us: float
    max_us: float
    mean_cycles: float
    share: float
    npu_runs: int
    npu_max_us: float


@dataclass(frozen=True)
class _What:
    layer: str = ""
    op: str = ""
    row0: int = 0
    rows: int = 0
    macs: int = 0
    predicted: int = 0


def step_rows(trace: Trace, slot: SlotProfile, package: Package | None) -> tuple[StepRow, ...]:
    """A row for each step of a slot's model; ``package`` is what the slot runs, if it is known."""
    named = _named(package) if package else [_What()] * len(slot.steps)
    if len(named) != len(slot.steps):
        raise InputError(
            f"slot {slot.slot} has {len(slot.steps)} steps, the package {len(named)}",
            remedy="give the package that the device runs",
        )
    total = sum(step.total for step in slot.steps)
    rows = []
    for number, (what, step) in enumerate(zip(named, slot.steps, strict=True)):
        mean = step.total / step.runs if step.runs else 0.0
        rows.append(
            StepRow(
                step=number,
                layer=what.layer,
                op=what.op,
                row0=what.row0,
                rows=what.rows,
                macs=what.macs,
                predicted=what.predicted,
                runs=step.runs,
                min_us=trace.us(step.min),
                mean_us=trace.us(mean),
                max_us=trace.us(step.max),
                mean_cycles=mean,
                share=step.total / total if total else 0.0,
                npu_runs=step.npu_runs,
                npu_max_us=trace.us(step.npu_max),
            )
        )
    return tuple(rows)


def _named(package: Package) -> list[_What]:
    content = package.content
    layers = {layer.step: layer for layer in analyze_package(content, len(package.data)).layers}
    all_rows: dict[int, int] = {}
    for step in content.steps:
        all_rows[step.op] = all_rows.get(step.op, 0) + (step.rows or 0)
    found = []
    for step in content.steps:
        layer = layers[step.op]
        macs = layer.macs * step.rows // all_rows[step.op] if step.rows else layer.macs
        found.append(
            _What(layer.kind or "-", layer.op, step.row0, step.rows or 0, macs, step.predicted)
        )
    return found


def slot_of(trace: Trace, package: Package) -> SlotProfile:
    """The slot that ran a package; raises :class:`InputError` where none did."""
    crc = package_crc(package.data)
    for slot in trace.slots:
        if slot.package_crc == crc:
            return slot
    ran = ", ".join(f"{slot.package_crc:08x}" for slot in trace.slots) or "none"
    raise InputError(
        f"{package.source}: is package {crc:08x}, the trace has {ran}",
        remedy="give the package that the device runs, as it was written to the device",
    )


def max_us(trace: Trace, slot: SlotProfile) -> tuple[float, ...]:
    """The longest time of each step, for a table of costs.

    Raises :class:`InputError` where a step has never run.
    """
    never = [number for number, step in enumerate(slot.steps) if not step.runs + step.npu_runs]
    if never:
        raise InputError(
            f"steps {', '.join(map(str, never[:8]))}{', ...' if len(never) > 8 else ''} have "
            "never run, so their costs are not known",
            remedy="profile some whole runs of every entry point",
        )
    return tuple(trace.us(max(step.max, step.npu_max)) for step in slot.steps)
