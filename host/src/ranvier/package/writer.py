# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes packages. The same content always gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from ranvier.errors import PackageError
from ranvier.package import format as fmt
from ranvier.package.format import Section
from ranvier.package.records import (
    Alias,
    ChannelQuant,
    EntryRecord,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)

_SMALLER = "make the model smaller, or split it into several"


def write_package(content: PackageContent) -> bytes:
    """The package's bytes, unsigned.

    Raises :class:`PackageError` where the content exceeds what the format can hold.
    """
    try:
        return _write(content)
    except struct.error as error:
        raise PackageError(
            f"package {content.name!r}: a value exceeds its field: {error}",
            remedy=_SMALLER,
        ) from None
    except UnicodeEncodeError as error:
        raise PackageError(
            f"package {content.name!r}: {error.object!r} cannot be written as UTF-8",
            remedy="take the characters out that are no Unicode text (lone surrogates)",
        ) from None


@dataclass
class _Pool:
    """A section that records point into; equal blobs are stored once."""

    alignment: int
    data: bytearray = field(default_factory=bytearray)
    _seen: dict[bytes, int] = field(default_factory=dict)

    def add(self, blob: bytes) -> int:
        """Offset of ``blob`` in the section."""
        if not blob:
            return 0
        if blob not in self._seen:
            self.data.extend(bytes(fmt.align(len(self.data), self.alignment) - len(self.data)))
            self._seen[blob] = len(self.data)
            self.data.extend(blob)
        return self._seen[blob]


@dataclass
class _Operands:
    """The operand section: lists of tensor numbers."""

    data: list[int] = field(default_factory=list)

    def add(self, numbers: Sequence[int]) -> int:
        first = len(self.data)
        self.data.extend(numbers)
        return first


def _write(content: PackageContent) -> bytes:
    _check(content)
    weights = _Pool(fmt.ALIGN)
    params = _Pool(4)
    quant = _Pool(4)
    operands = _Operands()
    ops = b"".join(_op(op, operands, params, weights) for op in content.ops)
    entries = b"".join(_entry(entry, operands) for entry in content.entries)
    tensors = b"".join(_tensor(tensor, weights, quant) for tensor in content.tensors)
    steps = b"".join(_step(step) for step in content.steps)
    labels = b"".join(label.encode() + b"\0" for label in content.labels)
    names = {
        "tensors": [tensor.name for tensor in content.tensors],
        "ops": [op.name for op in content.ops],
    }
    sections: list[tuple[Section, bytes, int]] = [
        (Section.TENSORS, tensors, len(content.tensors)),
        (
            Section.OPERANDS,
            struct.pack(f"<{len(operands.data)}H", *operands.data),
            len(operands.data),
        ),
        (Section.OPS, ops, len(content.ops)),
        (Section.STEPS, steps, len(content.steps)),
        (Section.ENTRIES, entries, len(content.entries)),
        (Section.PARAMS, bytes(params.data), len(params.data) // 4),
        (Section.WEIGHTS, bytes(weights.data), 0),
        (Section.QUANT, bytes(quant.data), 0),
        (Section.LABELS, labels, len(content.labels)),
        (Section.GOLDEN, _golden(content), 0),
        (Section.META, _json(content.meta) if content.meta else b"", 0),
        (Section.NAMES, _json(names) if any(map(any, names.values())) else b"", 0),
    ]
    return _assemble(content, [s for s in sections if s[1]])


def _check(content: PackageContent) -> None:
    if not fmt.MODEL_NAME.fullmatch(content.name):
        raise PackageError(
            f"model name {content.name!r} is not 1 to 31 of A-Z a-z 0-9 _ . -",
            remedy="give another with --name",
        )
    for label in content.labels:
        if "\0" in label:
            raise PackageError(
                f"label {label!r} contains a zero byte", remedy="take it out of the labels file"
            )
    lists = [(op.inputs, op.outputs) for op in content.ops]
    lists += [(entry.inputs, entry.outputs) for entry in content.entries]
    counts = {
        "tensors": len(content.tensors),
        "operands": sum(len(inputs) + len(outputs) for inputs, outputs in lists),
        "ops": len(content.ops),
        "steps": len(content.steps),
        "labels": len(content.labels),
    }
    for what, count in counts.items():
        if count > fmt.MAX_RECORDS:
            raise PackageError(
                f"package {content.name!r}: {count} {what}, "
                f"a package holds at most {fmt.MAX_RECORDS}",
                remedy="give fewer labels" if what == "labels" else _SMALLER,
            )


def _assemble(content: PackageContent, sections: list[tuple[Section, bytes, int]]) -> bytes:
    offset = fmt.HEADER.size + len(sections) * fmt.SECTION.size
    table = bytearray()
    body = bytearray()
    for kind, data, count in sections:
        flags = fmt.SECTION_OPTIONAL if kind in fmt.HOST_SECTIONS else 0
        start = fmt.align(offset)
        body += bytes(start - offset) + data
        table += fmt.SECTION.pack(kind, flags, start, len(data), count)
        offset = start + len(data)
    body += bytes(fmt.align(offset) - offset)
    total = fmt.align(offset) + fmt.TRAILER_BYTES
    head = _header(content, total, len(sections)) + bytes(table) + bytes(body)
    trailer = fmt.TRAILER.pack(hashlib.sha256(head).digest(), 0, 0, bytes(64), 0, 0)[:-4]
    return head + trailer + struct.pack("<I", zlib.crc32(head + trailer))


def _header(content: PackageContent, total: int, sections: int) -> bytes:
    opset = 0
    for op in content.ops:
        opset |= 1 << op.code
    external = [t for t in content.tensors if t.storage is Storage.EXTERNAL]
    io = [t for t in external if t.is_input or t.is_output]
    return fmt.HEADER.pack(
        fmt.MAGIC,
        fmt.FORMAT,
        fmt.HEADER.size,
        total,
        fmt.ABI,
        content.isa,
        content.io_mode,
        content.security_version,
        content.arena_bytes,
        content.state_bytes,
        sum(t.bytes for t in io),
        content.state_layout,
        *content.version,
        sections,
        opset.to_bytes(32, "little"),
        content.name.encode(),
        len(io),
        content.max_live,
        0,
        0,
        0,
    )


def _tensor(t: TensorRecord, weights: _Pool, quant: _Pool) -> bytes:
    offset = t.offset
    if t.storage is Storage.CONST:
        if t.data is None:
            raise PackageError(
                f"constant tensor {t.name!r} has no data", remedy="give the record its bytes"
            )
        offset = weights.add(t.data)
    flags = fmt.TENSOR_INPUT * t.is_input | fmt.TENSOR_OUTPUT * t.is_output
    alias_tensor = fmt.NO_TENSOR if t.alias_tensor is None else t.alias_tensor
    return fmt.TENSOR.pack(
        t.dtype,
        len(t.shape),
        t.storage,
        t.layout,
        t.alias,
        flags,
        alias_tensor if t.alias is not Alias.NONE else fmt.NO_TENSOR,
        offset,
        t.bytes,
        t.alias_lead,
        t.ring_rows,
        t.channels.axis if t.channels else 0,
        t.scale,
        t.zero_point,
        quant.add(_channels(t.channels)) + 1 if t.channels else 0,
        t.first_step,
        t.last_step,
        *t.shape,
        *(0,) * (fmt.MAX_RANK - len(t.shape)),
        0,
    )


def _channels(channels: ChannelQuant) -> bytes:
    count = len(channels.scales)
    values = (*channels.scales, *channels.zero_points)
    return struct.pack(f"<I{count}f{count}i", count, *values)


def _op(op: OpRecord, operands: _Operands, params: _Pool, weights: _Pool) -> bytes:
    words = struct.pack(f"<{len(op.params)}i", *op.params)
    return fmt.OP.pack(
        op.code,
        op.version,
        op.packing,
        len(op.inputs),
        len(op.outputs),
        operands.add((*op.inputs, *op.outputs)),
        params.add(words),
        len(words),
        0,
        weights.add(op.weights),
        len(op.weights),
        op.scratch_offset,
        op.scratch_bytes,
    )


def _step(step: StepRecord) -> bytes:
    flags = fmt.STEP_SLICE * (step.rows is not None) | fmt.STEP_NPU * step.npu
    return fmt.STEP.pack(step.op, flags, step.row0, step.rows or 0, step.predicted)


def _entry(entry: EntryRecord, operands: _Operands) -> bytes:
    name = entry.name.encode()
    if not 0 < len(name) < fmt.ENTRY_NAME_BYTES:
        raise PackageError(
            f"entry point name {entry.name!r} is not 1 to 15 bytes", remedy="give a shorter name"
        )
    return fmt.ENTRY.pack(
        name,
        entry.step_first,
        entry.step_count,
        operands.add(entry.inputs),
        len(entry.inputs),
        operands.add(entry.outputs),
        len(entry.outputs),
        0,
    )


def _golden(content: PackageContent) -> bytes:
    golden = content.golden
    if golden is None:
        return b""
    kind = fmt.GOLDEN_SEEDED if golden.inputs is None else fmt.GOLDEN_STORED
    inputs = golden.inputs or b""
    head = fmt.GOLDEN.pack(
        kind, golden.seed, len(inputs), len(golden.outputs), golden.trace_crc, 0, 0, 0
    )
    return head + inputs + golden.outputs


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
