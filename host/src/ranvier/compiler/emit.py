# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From a placed program to the content of a package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ranvier.compiler.graph import Tensor
from ranvier.compiler.lower import Run, Step, predicted_run
from ranvier.compiler.memory import MemoryPlan, Placement
from ranvier.errors import ToolError
from ranvier.native import op_codes
from ranvier.package.format import align
from ranvier.package.records import (
    Alias,
    EntryRecord,
    IoMode,
    Isa,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.state import state_bytes, state_layout

ENTRY_NAME = "infer"


@dataclass(frozen=True)
class Header:
    """What a package says about itself beside its program."""

    name: str
    io_mode: IoMode
    version: tuple[int, int, int] = (1, 0, 0)
    labels: tuple[str, ...] = ()
    isa: Isa = Isa.GENERIC
    keep_names: bool = True


def emit(plan: MemoryPlan, header: Header, meta: dict[str, Any] | None = None) -> PackageContent:
    """The content of a package with one entry point, without self-test."""
    return emit_entries({ENTRY_NAME: plan}, header, meta)


def emit_entries(
    plans: Mapping[str, MemoryPlan], header: Header, meta: dict[str, Any] | None = None
) -> PackageContent:
    """The content of a package with an entry point for each plan, without self-test.

    They share one arena, one after the other, and the state tensors that they have in common.
    """
    parts = list(_parts(plans))
    steps = sum(len(part.plan.program.schedule) for part in parts)
    states = _state_offsets(parts)
    places: dict[Tensor, _Place] = {}
    for part in parts:
        for tensor, place in part.plan.placements.items():
            if tensor.state:
                where = replace(place, offset=states[tensor], first_step=0, last_step=steps - 1)
                places[tensor] = _Place(where, part)
            else:
                places[tensor] = _Place(part.moved(tensor, place), part)
    tensors = sorted(places, key=lambda tensor: places[tensor].placement.first_step)
    numbers = {tensor: number for number, tensor in enumerate(tensors)}
    records = tuple(
        _tensor(tensor, places[tensor], numbers, header.keep_names) for tensor in tensors
    )
    return PackageContent(
        name=header.name,
        version=header.version,
        io_mode=header.io_mode,
        arena_bytes=max(part.plan.arena_bytes for part in parts),
        max_live=max(part.plan.max_live for part in parts),
        tensors=records,
        ops=tuple(
            _op(step, scratch, numbers, header)
            for part in parts
            for step, scratch in zip(
                part.plan.program.steps, part.plan.scratch_offsets, strict=True
            )
        ),
        steps=tuple(
            _step(part, run, header.isa) for part in parts for run in part.plan.program.schedule
        ),
        entries=tuple(
            EntryRecord(
                name=part.name,
                step_first=part.first_step,
                step_count=len(part.plan.program.schedule),
                inputs=tuple(numbers[tensor] for tensor in part.plan.program.inputs),
                outputs=tuple(numbers[tensor] for tensor in part.plan.program.outputs),
            )
            for part in parts
        ),
        labels=header.labels,
        meta=meta or {},
        isa=header.isa,
        state_bytes=state_bytes(records),
        state_layout=state_layout(records),
    )


@dataclass(frozen=True)
class _Part:
    """An entry point's program, and what of the package comes before it."""

    name: str
    plan: MemoryPlan
    first_step: int
    first_op: int
    first_slot: int

    def moved(self, tensor: Tensor, place: Placement) -> Placement:
        """A placement in the plan as it is in the package."""
        slot = self.first_slot if place.storage is Storage.EXTERNAL else 0
        return replace(
            place,
            offset=place.offset + slot,
            first_step=0 if tensor.is_const else place.first_step + self.first_step,
            last_step=place.last_step + self.first_step,
        )


@dataclass(frozen=True)
class _Place:
    placement: Placement
    part: _Part


def _parts(plans: Mapping[str, MemoryPlan]) -> Iterator[_Part]:
    step = op = slot = 0
    for name, plan in plans.items():
        yield _Part(name, plan, step, op, slot)
        step += len(plan.program.schedule)
        op += len(plan.program.steps)
        slot += len(plan.program.inputs) + len(plan.program.outputs)


def _state_offsets(parts: Iterable[_Part]) -> dict[Tensor, int]:
    offsets: dict[Tensor, int] = {}
    end = 0
    for part in parts:
        for tensor in part.plan.placements:
            if tensor.state and tensor not in offsets:
                offsets[tensor] = end
                end = align(end + tensor.bytes)
    return offsets


def _step(part: _Part, run: Run, isa: Isa) -> StepRecord:
    predicted = predicted_run(part.plan.program, run, isa)
    return StepRecord(part.first_op + run.step, run.row0, run.rows or None, predicted)


def _tensor(
    tensor: Tensor, placed: _Place, numbers: dict[Tensor, int], keep_name: bool
) -> TensorRecord:
    place = placed.placement
    program = placed.part.plan.program
    quant = tensor.quant if tensor.quant is not None and tensor.quant.per_tensor else None
    return TensorRecord(
        name=tensor.name if keep_name else "",
        dtype=tensor.dtype,
        shape=tensor.shape,
        storage=place.storage,
        offset=place.offset,
        bytes=tensor.bytes,
        first_step=place.first_step,
        last_step=place.last_step,
        scale=quant.scale if quant else 0.0,
        zero_point=quant.zero_point if quant else 0,
        is_input=tensor in program.inputs,
        is_output=tensor in program.outputs,
        alias=Alias.NONE if place.alias is None else Alias.SAME,
        alias_tensor=None if place.alias is None else numbers[place.alias],
        layout=tensor.layout,
        ring_rows=tensor.ring_rows,
        data=_bytes(tensor),
    )


def _bytes(tensor: Tensor) -> bytes | None:
    if tensor.data is None:
        return None
    return np.ascontiguousarray(tensor.data, tensor.dtype.numpy).tobytes()


def _op(step: Step, scratch_offset: int, numbers: dict[Tensor, int], header: Header) -> OpRecord:
    lowered = step.lowered
    if lowered.device not in op_codes():
        raise ToolError(
            f"the native core lacks the op {lowered.device}", "build and install Ranvier again"
        )
    return OpRecord(
        name=f"{step.kind}:{step.sources[-1] if step.sources else 'added'}"
        if header.keep_names
        else "",
        code=op_codes()[lowered.device],
        inputs=tuple(numbers[tensor] for tensor in lowered.inputs),
        outputs=tuple(numbers[tensor] for tensor in lowered.outputs),
        params=lowered.params,
        weights=lowered.weights,
        scratch_offset=scratch_offset,
        scratch_bytes=lowered.scratch_bytes,
        packing=lowered.packing,
    )
