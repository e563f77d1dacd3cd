# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a package costs: work and memory per layer, RAM and flash in total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from ranvier.compiler.graph import DType
from ranvier.compiler.ops import device_ops
from ranvier.native import op_codes, ram_bytes_32, view_bytes_32
from ranvier.package.format import align
from ranvier.package.records import EntryRecord, PackageContent, Storage, TensorRecord


@dataclass(frozen=True)
class Layer:
    """One op of a package; ``step`` is its position among the ops.

    ``kind`` is the source op (None where the package does not say), ``sources`` the positions in
    the source file of that op and of those fused into it, of which the last one made the output.
    ``activation_bytes`` are the most that lies in the arena while it runs, without
    ``scratch_bytes``. ``slices`` is the number of steps in which it runs, by rows if more than one,
    ``step_macs`` are the ``macs`` of the largest of these, and an accelerator may execute
    ``npu_steps`` of them. ``predicted`` is how many instructions the op takes on a device for which
    it is packed (0: unknown).
    """

    step: int
    op: str
    kind: str | None
    sources: tuple[int, ...]
    output: str
    dtype: str
    shape: tuple[int, ...]
    macs: int
    parameters: int | None
    weight_bytes: int
    activation_bytes: int
    scratch_bytes: int
    in_place: bool
    slices: int
    predicted: int
    step_macs: int
    npu_steps: int

    @property
    def arena_bytes(self) -> int:
        """What the op needs of the arena."""
        return self.activation_bytes + self.scratch_bytes


@dataclass(frozen=True)
class EntryReport:
    """An entry point: the layers that a run of it executes, and what it is given and gives."""

    name: str
    layers: tuple[int, ...]
    macs: int
    predicted: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class LimitReport:
    """What a limit of what a step may cost (``most``, in ``unit``: macs or us) led to.

    ``over`` lists layers of which a step exceeds it because it cannot be split, and what that step
    costs. ``whole_...`` are the steps, the arena and the predicted instructions (of the ops for
    which they are known) of the same program without slices made for the limit.
    """

    unit: str
    most: float
    over: tuple[tuple[int, float], ...]
    whole_steps: int
    whole_arena_bytes: int
    whole_predicted: int

    @classmethod
    def of(cls, value: dict[str, Any]) -> LimitReport:
        """From the meta section; KeyError, TypeError or ValueError where it makes no sense."""
        return cls(
            unit=str(value["unit"]),
            most=float(value["most"]),
            over=tuple((int(layer), float(cost)) for layer, cost in value["over"]),
            whole_steps=int(value["whole_steps"]),
            whole_arena_bytes=int(value["whole_arena_bytes"]),
            whole_predicted=int(value["whole_predicted"]),
        )


@dataclass(frozen=True)
class Report:
    """What a package needs. All sizes are bytes.

    RAM is ``arena_bytes + state_bytes + input_bytes + output_bytes + view_bytes`` for the stated
    input mode (in resident mode inputs and outputs are part of the arena and their bytes count
    once, there). ``view_bytes`` is the opened package on a 32-bit device. ``lower_bound`` is the
    most that any layer has live, ``peak_step`` the first layer that has it, and ``gap`` what the
    arena needs above it. ``removed_channels`` counts filters left out because their outputs never
    change; ``macs_before`` are the multiply-accumulates with them. ``predicted`` is the sum of the
    layers' where all are known, else 0. ``largest_step`` is the layer that has the step of most
    multiply-accumulates, and ``step_limit`` what a limit of steps led to. Sums are over all entry
    points; ``entries`` has each.
    """

    name: str
    version: tuple[int, int, int]
    input_mode: str
    layers: tuple[Layer, ...]
    macs: int
    parameters: int | None
    weight_bytes: int
    arena_bytes: int
    state_bytes: int
    input_bytes: int
    output_bytes: int
    view_bytes: int
    ram_bytes: int
    flash_bytes: int
    lower_bound: int
    gap: int
    peak_step: int
    max_live: int
    removed_channels: int
    macs_before: int
    isa: str
    predicted: int
    largest_step: int
    step_limit: LimitReport | None
    entries: tuple[EntryReport, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values."""
        return asdict(self)


def analyze_package(content: PackageContent, package_bytes: int) -> Report:
    """What the package ``content``, a file of ``package_bytes``, needs."""
    layers = tuple(_layers(content))
    lower_bound = max((layer.arena_bytes for layer in layers), default=0)
    external = [t for t in content.tensors if t.storage == Storage.EXTERNAL]
    inputs = sum(tensor.bytes for tensor in external if tensor.is_input)
    outputs = sum(tensor.bytes for tensor in external if tensor.is_output)
    slots = sum(tensor.is_input or tensor.is_output for tensor in external)
    counts = [layer.parameters for layer in layers]
    macs = sum(layer.macs for layer in layers)
    removed_channels, macs_before = _reduction(content, macs)
    return Report(
        name=content.name,
        version=content.version,
        input_mode=content.io_mode.name.lower(),
        layers=layers,
        macs=macs,
        parameters=None if None in counts else sum(count or 0 for count in counts),
        weight_bytes=sum(layer.weight_bytes for layer in layers),
        arena_bytes=content.arena_bytes,
        state_bytes=content.state_bytes,
        input_bytes=inputs,
        output_bytes=outputs,
        view_bytes=view_bytes_32(slots),
        ram_bytes=ram_bytes_32(content.arena_bytes, content.state_bytes, inputs + outputs, slots),
        flash_bytes=package_bytes,
        lower_bound=lower_bound,
        gap=content.arena_bytes - lower_bound,
        peak_step=next((x.step for x in layers if x.arena_bytes == lower_bound), 0),
        max_live=content.max_live,
        removed_channels=removed_channels,
        macs_before=macs_before,
        isa=content.isa.name.lower(),
        predicted=sum(x.predicted for x in layers) if all(x.predicted for x in layers) else 0,
        largest_step=max(layers, key=lambda layer: layer.step_macs).step if layers else 0,
        step_limit=_limit(content, len(layers)),
        entries=tuple(_entry(entry, content, layers) for entry in content.entries),
    )


def _entry(entry: EntryRecord, content: PackageContent, layers: tuple[Layer, ...]) -> EntryReport:
    steps = content.steps[entry.step_first : entry.step_first + entry.step_count]
    numbers = tuple(dict.fromkeys(step.op for step in steps))
    found = [layer for layer in layers if layer.step in numbers]
    return EntryReport(
        name=entry.name,
        layers=numbers,
        macs=sum(layer.macs for layer in found),
        predicted=sum(x.predicted for x in found) if all(x.predicted for x in found) else 0,
        inputs=tuple(_described(content.tensors[number]) for number in entry.inputs),
        outputs=tuple(_described(content.tensors[number]) for number in entry.outputs),
    )


def _described(tensor: TensorRecord) -> str:
    return f"{DType(tensor.dtype).name.lower()}[{'x'.join(map(str, tensor.shape))}]"


def _limit(content: PackageContent, layers: int) -> LimitReport | None:
    """The limit of steps, as far as the meta section says."""
    value = content.meta.get("step_limit")
    try:
        limit = None if value is None else LimitReport.of(value)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    known = limit is None or all(0 <= layer < layers for layer, _ in limit.over)
    return limit if known else None


def _reduction(content: PackageContent, macs: int) -> tuple[int, int]:
    """Removed channels and multiply-accumulates with them, as far as the meta section says."""
    reduction = content.meta.get("constant_channels")
    values = reduction if isinstance(reduction, dict) else {}
    removed, before = values.get("removed"), values.get("macs_before")
    if isinstance(removed, int) and isinstance(before, int):
        return removed, before
    return 0, macs


def _layers(content: PackageContent) -> Iterable[Layer]:
    names = {code: name for name, code in op_codes().items()}
    origins = _origins(content)
    live = _live_bytes(content)
    steps_of: dict[int, list[int]] = {}
    for number, step in enumerate(content.steps):
        steps_of.setdefault(step.op, []).append(number)
    for index, steps in sorted(steps_of.items()):
        op = content.ops[index]
        output = content.tensors[op.outputs[0]]
        origin = origins[index] if index < len(origins) else _Origin()
        name = names.get(op.code, f"op code {op.code}")
        device = device_ops().get(name)
        macs = device.macs(op.params) if device else 0
        yield Layer(
            step=index,
            op=name,
            kind=origin.kind,
            sources=origin.ops,
            output=output.name,
            dtype=DType(output.dtype).name.lower(),
            shape=output.shape,
            macs=macs,
            parameters=origin.parameters,
            weight_bytes=len(op.weights),
            activation_bytes=max(live[step] for step in steps),
            scratch_bytes=align(op.scratch_bytes),
            in_place=output.alias_tensor is not None,
            slices=len(steps),
            predicted=sum(content.steps[step].predicted for step in steps),
            step_macs=_largest(macs, [content.steps[step].rows or 0 for step in steps]),
            npu_steps=sum(content.steps[step].npu for step in steps),
        )


def _largest(macs: int, rows: list[int]) -> int:
    """Multiply-accumulates of the slice of most rows; rounded up, as rows share them evenly."""
    return -(-macs * max(rows) // sum(rows)) if any(rows) else macs


@dataclass(frozen=True)
class _Origin:
    """What the package's meta section says of a step, as far as it makes sense."""

    kind: str | None = None
    ops: tuple[int, ...] = ()
    parameters: int | None = None


def _origins(content: PackageContent) -> list[_Origin]:
    steps = content.meta.get("steps")
    rows = (
        [row if isinstance(row, dict) else {} for row in steps] if isinstance(steps, list) else []
    )
    return [_origin(row.get("kind"), row.get("ops"), row.get("parameters")) for row in rows]


def _origin(kind: object, ops: object, parameters: object) -> _Origin:
    return _Origin(
        kind if isinstance(kind, str) else None,
        tuple(i for i in ops if isinstance(i, int)) if isinstance(ops, list) else (),
        parameters if isinstance(parameters, int) else None,
    )


def _live_bytes(content: PackageContent) -> list[int]:
    """Bytes of the arena that tensors occupy at every step.

    Of a chain of aliases it is the largest tensor that is live.
    """
    root: dict[int, int] = {}
    live: list[dict[int, int]] = [{} for _ in content.steps]  # first of the chain -> bytes
    for number, tensor in enumerate(content.tensors):
        root[number] = root.get(
            number if tensor.alias_tensor is None else tensor.alias_tensor, number
        )
        if tensor.storage == Storage.ARENA:
            for chains in live[tensor.first_step : tensor.last_step + 1]:
                chains[root[number]] = max(chains.get(root[number], 0), align(tensor.bytes))
    return [sum(chains.values()) for chains in live]
