# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a package holds, as plain values; the writer and the reader are each other's inverse.

Field meanings are those of SPEC.md and of ``ranvier/package.h``.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from math import prod
from typing import Any, TypeAlias

from ranvier.package.values import DType

Blob: TypeAlias = bytes
"""``bytes``, for classes with a field of that name."""


class IoMode(enum.IntEnum):
    """How inputs and outputs are stored."""

    KEPT = 0
    DONATED = 1
    RESIDENT = 2


class Isa(enum.IntEnum):
    """Instruction-set packing of weight streams."""

    GENERIC = 0
    DSP = 1
    MVE = 2
    BASE = 3


class Storage(enum.IntEnum):
    """Where a tensor's bytes are."""

    ARENA = 1
    EXTERNAL = 2
    CONST = 3
    STATE = 4


class Layout(enum.IntEnum):
    """Order of a tensor's elements in memory."""

    DENSE = 0
    PLANES = 1
    PLANES_TRANSPOSED = 2
    ROWS = 3


class Alias(enum.IntEnum):
    """Permission to overlap another live tensor."""

    NONE = 0
    SAME = 1
    LEAD = 2


@dataclass(frozen=True)
class ChannelQuant:
    """A float32 scale and a zero point for each index of dimension ``axis``."""

    axis: int
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]


@dataclass(frozen=True)
class TensorRecord:
    """A tensor. ``offset`` is by ``storage``; for constants the writer chooses it.

    ``data`` holds the bytes of a constant and None otherwise. ``scale`` is a float32 value, 0.0
    where the tensor is not quantised; ``channels`` is its per-channel table. ``name`` goes to the
    strippable names section.
    """

    name: str
    dtype: int
    shape: tuple[int, ...]
    storage: Storage
    offset: int
    bytes: int
    first_step: int
    last_step: int
    scale: float = 0.0
    zero_point: int = 0
    is_input: bool = False
    is_output: bool = False
    alias: Alias = Alias.NONE
    alias_tensor: int | None = None
    alias_lead: int = 0
    layout: Layout = Layout.DENSE
    ring_rows: int = 0
    channels: ChannelQuant | None = None
    data: Blob | None = None

    @property
    def held_bytes(self) -> int:
        """Bytes of the elements that are stored: ``bytes`` without slack."""
        held = prod(self.shape) * DType(self.dtype).bytes
        if self.ring_rows:
            held = held // self.shape[self.rows_axis] * self.ring_rows
        return held

    @property
    def rows_axis(self) -> int:
        """The dimension whose indices are the rows of an image as it is stored."""
        return 2 if self.layout == Layout.PLANES_TRANSPOSED else 1


@dataclass(frozen=True)
class OpRecord:
    """An op: ``code`` is a row of ops.txt, ``inputs`` and ``outputs`` are tensor numbers."""

    name: str
    code: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    params: tuple[int, ...]
    weights: bytes = b""
    scratch_offset: int = 0
    scratch_bytes: int = 0
    packing: Isa = Isa.GENERIC
    version: int = 1


@dataclass(frozen=True)
class StepRecord:
    """A step; ``rows`` is None unless the step is a slice of its op.

    ``npu`` says that an accelerator may execute it.
    """

    op: int
    row0: int = 0
    rows: int | None = None
    predicted: int = 0
    npu: bool = False


@dataclass(frozen=True)
class EntryRecord:
    """An entry point: steps ``step_first .. step_first + step_count - 1``."""

    name: str
    step_first: int
    step_count: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True)
class Golden:
    """A self-test: inputs from the generator of ``seed``, or stored (``seed`` is 0 then).

    ``outputs`` are all outputs, concatenated; ``trace_crc`` is the CRC-32 of what every step
    writes, in order.
    """

    seed: int
    outputs: bytes
    trace_crc: int
    inputs: bytes | None = None


@dataclass(frozen=True)
class PackageContent:
    """Everything in a package but what the writer derives (offsets, op set, hash, CRC).

    ``tensors`` are in the order of their records (ascending ``first_step``).
    """

    name: str
    version: tuple[int, int, int]
    io_mode: IoMode
    arena_bytes: int
    max_live: int
    tensors: tuple[TensorRecord, ...]
    ops: tuple[OpRecord, ...]
    steps: tuple[StepRecord, ...]
    entries: tuple[EntryRecord, ...]
    labels: tuple[str, ...] = ()
    golden: Golden | None = None
    meta: dict[str, Any] = field(default_factory=dict)
    isa: Isa = Isa.GENERIC
    state_bytes: int = 0
    state_layout: int = 0
    security_version: int = 0

    def restartable(self, op: OpRecord) -> bool:
        """True where ``op`` may begin again after it has written some of its output.

        So it is unless it replaces an input, in place or because it is the same tensor.
        """
        return not any(
            self.tensors[output].alias is not Alias.NONE or output in op.inputs
            for output in op.outputs
        )
