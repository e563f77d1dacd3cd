# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From a placed program to the content of a package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ranvier.compiler.graph import Tensor
from ranvier.compiler.lower import Program, Run, Step, predicted_run
from ranvier.compiler.memory import MemoryPlan, Placement
from ranvier.errors import ToolError
from ranvier.native import op_codes
from ranvier.package.records import (
    Alias,
    EntryRecord,
    IoMode,
    Isa,
    OpRecord,
    PackageContent,
    StepRecord,
    TensorRecord,
)

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
    program = plan.program
    tensors = sorted(plan.placements, key=lambda tensor: plan.placements[tensor].first_step)
    numbers = {tensor: number for number, tensor in enumerate(tensors)}
    return PackageContent(
        name=header.name,
        version=header.version,
        io_mode=header.io_mode,
        arena_bytes=plan.arena_bytes,
        max_live=plan.max_live,
        tensors=tuple(_tensor(tensor, plan, numbers, header.keep_names) for tensor in tensors),
        ops=tuple(
            _op(step, scratch, numbers, header)
            for step, scratch in zip(program.steps, plan.scratch_offsets, strict=True)
        ),
        steps=tuple(_step(program, run, header.isa) for run in program.schedule),
        entries=(
            EntryRecord(
                name=ENTRY_NAME,
                step_first=0,
                step_count=len(program.schedule),
                inputs=tuple(numbers[tensor] for tensor in program.inputs),
                outputs=tuple(numbers[tensor] for tensor in program.outputs),
            ),
        ),
        labels=header.labels,
        meta=meta or {},
        isa=header.isa,
    )


def _step(program: Program, run: Run, isa: Isa) -> StepRecord:
    return StepRecord(run.step, run.row0, run.rows or None, predicted_run(program, run, isa))


def _tensor(
    tensor: Tensor, plan: MemoryPlan, numbers: dict[Tensor, int], keep_name: bool
) -> TensorRecord:
    place: Placement = plan.placements[tensor]
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
        is_input=tensor in plan.program.inputs,
        is_output=tensor in plan.program.outputs,
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
