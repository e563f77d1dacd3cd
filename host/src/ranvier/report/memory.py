# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What lies where in a package's memory, and when."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from ranvier.compiler.report import Report
from ranvier.package.format import align
from ranvier.package.records import Layout, PackageContent, Storage, TensorRecord
from ranvier.package.values import DType


class Place(enum.Enum):
    """Which memory a block is in."""

    ARENA = "arena"
    SCRATCH = "scratch"
    CALLER = "caller"
    STATE = "state"


@dataclass(frozen=True)
class Block:
    """A tensor or scratch in RAM, in the steps ``first`` to ``last``.

    ``offset`` is in the arena or the state; for a caller's buffer it is the buffer's number.
    ``layer`` is the op that writes it, None for an input or state. ``label`` is short.
    ``tensor`` is its number in the package, ``replaces`` that of the tensor in whose place it lies.
    """

    place: Place
    label: str
    name: str
    what: str
    offset: int
    bytes: int
    first: int
    last: int
    layer: int | None
    tensor: int | None = None
    replaces: int | None = None


def blocks(content: PackageContent, report: Report) -> tuple[Block, ...]:
    """Everything of a package that lies in RAM, tensors first; constants do not."""
    found = [
        _tensor(content, report, number)
        for number, tensor in enumerate(content.tensors)
        if tensor.storage is not Storage.CONST
    ]
    return (*found, *_scratch(content, report))


def layer_name(report: Report, number: int) -> str:
    """How pages call a layer: its number, and its op in the model or else its kernel."""
    layer = next(layer for layer in report.layers if layer.step == number)
    return f"{number} {layer.kind if layer.kind and layer.sources else layer.op}"


_PLACES = {
    Storage.ARENA: Place.ARENA,
    Storage.EXTERNAL: Place.CALLER,
    Storage.STATE: Place.STATE,
}


def described(tensor: TensorRecord) -> str:
    """Type, shape and, unless it is the plain one, order in memory of a tensor."""
    text = f"{DType(tensor.dtype).name.lower()}[{'x'.join(map(str, tensor.shape))}]"
    if tensor.layout is not Layout.DENSE:
        text += f" {tensor.layout.name.lower().replace('_', ' ')}"
    return f"{text}, {tensor.ring_rows} rows kept" if tensor.ring_rows else text


def _tensor(content: PackageContent, report: Report, number: int) -> Block:
    tensor = content.tensors[number]
    state = tensor.storage is Storage.STATE
    writer = next((i for i, op in enumerate(content.ops) if number in op.outputs), None)
    label = "state" if state else "input"
    if writer is not None and not state:
        label = layer_name(report, writer)
    return Block(
        place=_PLACES[tensor.storage],
        label=label,
        name=tensor.name,
        what=described(tensor),
        offset=tensor.offset,
        bytes=align(tensor.bytes) if tensor.storage is Storage.ARENA else tensor.bytes,
        first=0 if state else tensor.first_step,
        last=len(content.steps) - 1 if state else tensor.last_step,
        layer=None if state else writer,
        tensor=number,
        replaces=tensor.alias_tensor,
    )


def _scratch(content: PackageContent, report: Report) -> Iterable[Block]:
    """A block for every time that a layer with scratch runs, without a pause."""
    for number, op in enumerate(content.ops):
        steps = [index for index, step in enumerate(content.steps) if step.op == number]
        runs: list[list[int]] = []
        for step in steps if op.scratch_bytes else ():
            if runs and runs[-1][1] == step - 1:
                runs[-1][1] = step
            else:
                runs.append([step, step])
        for first, last in runs:
            yield Block(
                place=Place.SCRATCH,
                label="scratch",
                name=f"scratch of layer {layer_name(report, number)}",
                what="",
                offset=op.scratch_offset,
                bytes=align(op.scratch_bytes),
                first=first,
                last=last,
                layer=number,
            )


@dataclass(frozen=True)
class Use:
    """Bytes of the arena that a step uses."""

    activations: int
    scratch: int

    @property
    def bytes(self) -> int:
        """All of it."""
        return self.activations + self.scratch


def arena_use(all_blocks: Iterable[Block], steps: int) -> list[Use]:
    """What every step uses of the arena; what tensors share counts once."""
    spans: list[list[tuple[int, int]]] = [[] for _ in range(steps)]
    scratch = [0] * steps
    for block in all_blocks:
        for step in range(block.first, block.last + 1):
            if block.place is Place.ARENA:
                spans[step].append((block.offset, block.offset + block.bytes))
            elif block.place is Place.SCRATCH:
                scratch[step] += block.bytes
    return [Use(_covered(span), more) for span, more in zip(spans, scratch, strict=True)]


def _covered(spans: list[tuple[int, int]]) -> int:
    """Bytes of the union of intervals."""
    covered = end = 0
    for first, last in sorted(spans):
        covered += max(0, last - max(first, end))
        end = max(end, last)
    return covered
