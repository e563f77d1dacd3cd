# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reads packages back into :class:`PackageContent`.

This reader serves ``analyze`` and the tests; it decodes every kind that SPEC.md defines, also those
that a device's reader refuses. It checks all bounds but proves nothing about memory: that is the C
verifier's, which :class:`ranvier.Package` runs as well.
"""

from __future__ import annotations

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from typing import Any, NoReturn

from ranvier.errors import PackageError
from ranvier.package import format as fmt
from ranvier.package.format import Section
from ranvier.package.records import (
    Alias,
    ChannelQuant,
    EntryRecord,
    Golden,
    IoMode,
    Isa,
    Layout,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)


@dataclass(frozen=True)
class Trailer:
    """A package's trailer; ``signed`` says only that a signature is present.

    Whether it is good: :func:`ranvier.package.signing.verify_package`.
    """

    sha256: bytes
    key_id: int
    signature_kind: int
    signature: bytes

    @property
    def signed(self) -> bool:
        """True where the trailer names a signature."""
        return self.signature_kind != 0


def read_package(data: bytes, name: str) -> PackageContent:
    """Decode a package; ``name`` is the file's name for messages.

    Raises :class:`PackageError` for anything that is not a whole, consistent package.
    """
    return _Reader(data, name).content()


def read_trailer(data: bytes, name: str) -> Trailer:
    """The trailer of a package whose CRC and SHA-256 are right; else :class:`PackageError`."""
    return _Reader(data, name).trailer


class _Reader:
    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        if len(data) < fmt.HEADER.size + fmt.TRAILER_BYTES:
            self.fail("size", f"{len(data)} bytes are fewer than a header and a trailer")
        self.header = fmt.HEADER.unpack_from(data)
        self.total = self.header[3]
        self.check_header()
        self.data = data[: self.total]
        self.trailer = self.check_trailer()
        self.sections = self.read_sections()

    def fail(self, field: str, reason: str) -> NoReturn:
        raise PackageError(
            f"{self.name}: {field}: {reason}", remedy="compile the model again with ranvier compile"
        )

    def check_header(self) -> None:
        magic, version, header_bytes = self.header[:3]
        if magic != fmt.MAGIC:
            self.fail("magic number", "not a Ranvier package")
        if version != fmt.FORMAT:
            self.fail("format version", f"{version}, this reader knows {fmt.FORMAT}")
        if header_bytes != fmt.HEADER.size:
            self.fail("header size", str(header_bytes))
        least = fmt.HEADER.size + fmt.TRAILER_BYTES
        if not least <= self.total <= len(self.data) or self.total % fmt.ALIGN:
            self.fail("size", f"{self.total} bytes declared, {len(self.data)} present")

    def check_trailer(self) -> Trailer:
        start = self.total - fmt.TRAILER_BYTES
        sha256, key_id, kind, signature, _, crc = fmt.TRAILER.unpack_from(self.data, start)
        if crc != zlib.crc32(self.data[:-4]):
            self.fail("CRC-32", "does not match the contents")
        if sha256 != hashlib.sha256(self.data[:start]).digest():
            self.fail("SHA-256", "does not match the contents")
        if kind not in (fmt.SIGNATURE_NONE, fmt.SIGNATURE_ECDSA_P256):
            self.fail("signature kind", f"{kind}, this reader knows {fmt.SIGNATURE_ECDSA_P256}")
        if {bool(key_id), any(signature)} != {bool(kind)}:
            self.fail("signature", "kind, key id and signature do not fit each other")
        return Trailer(sha256, key_id, kind, signature)

    def read_sections(self) -> dict[int, tuple[bytes, int]]:
        sections: dict[int, tuple[bytes, int]] = {}
        limit = self.total - fmt.TRAILER_BYTES
        count = self.header[15]
        if fmt.HEADER.size + count * fmt.SECTION.size > limit:
            self.fail("section table", f"{count} rows do not fit")
        for row in range(count):
            kind, flags, offset, size, records = fmt.SECTION.unpack_from(
                self.data, fmt.HEADER.size + row * fmt.SECTION.size
            )
            if offset % fmt.ALIGN or offset > limit or size > limit - offset:
                self.fail(f"section {row}", f"{size} bytes at {offset} lie outside of the package")
            if kind in sections:
                self.fail(f"section {row}", f"kind {kind} appears twice")
            if kind not in Section.__members__.values() and not flags & fmt.SECTION_OPTIONAL:
                self.fail(f"section {row}", f"kind {kind} is not known to this reader")
            sections[kind] = (self.data[offset : offset + size], records)
        return sections

    def rows(self, kind: Section, layout: struct.Struct) -> list[tuple[Any, ...]]:
        data, count = self.sections.get(kind, (b"", 0))
        if len(data) != count * layout.size:
            self.fail(f"section {kind.name.lower()}", f"{len(data)} bytes for {count} records")
        return list(layout.iter_unpack(data))

    def bytes_of(self, kind: Section) -> bytes:
        return self.sections.get(kind, (b"", 0))[0]

    def json_of(self, kind: Section) -> dict[str, Any]:
        raw = self.bytes_of(kind)
        if not raw:
            return {}
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            self.fail(f"section {kind.name.lower()}", "is not a JSON object")
        return dict(value)

    def slice(self, data: bytes, offset: int, size: int, field: str) -> bytes:
        if offset > len(data) or size > len(data) - offset:
            self.fail(field, f"{size} bytes at {offset} lie outside of their section")
        return data[offset : offset + size]

    def enum(self, kind: Any, value: int, field: str) -> Any:
        try:
            return kind(value)
        except ValueError:
            self.fail(field, f"unknown value {value}")

    def content(self) -> PackageContent:
        header = self.header
        operands = [row[0] for row in self.rows(Section.OPERANDS, struct.Struct("<H"))]
        names = self.json_of(Section.NAMES)
        tensors = self.tensors(_names(names, "tensors"))
        if any(number >= len(tensors) for number in operands):
            self.fail("operand", f"names a tensor beyond the {len(tensors)} present")
        return PackageContent(
            name=header[17].rstrip(b"\0").decode("ascii", "replace"),
            version=(header[12], header[13], header[14]),
            io_mode=self.enum(IoMode, header[6], "header flags"),
            arena_bytes=header[8],
            max_live=header[19],
            tensors=tensors,
            ops=self.ops(operands, _names(names, "ops")),
            steps=tuple(_step(*row) for row in self.rows(Section.STEPS, fmt.STEP)),
            entries=self.entries(operands),
            labels=self.labels(),
            golden=self.golden(),
            meta=self.json_of(Section.META),
            isa=self.enum(Isa, header[5], "instruction-set packing"),
            state_bytes=header[9],
            state_layout=header[11],
            security_version=header[7],
        )

    def tensors(self, names: list[str]) -> tuple[TensorRecord, ...]:
        weights = self.bytes_of(Section.WEIGHTS)
        return tuple(
            self.tensor(row, i, names[i] if i < len(names) else f"tensor_{i}", weights)
            for i, row in enumerate(self.rows(Section.TENSORS, fmt.TENSOR))
        )

    def tensor(self, row: tuple[Any, ...], index: int, name: str, weights: bytes) -> TensorRecord:
        where = f"tensor {index}"
        dtype, rank, storage, layout, alias, flags, alias_tensor, offset, size = row[:9]
        if rank > fmt.MAX_RANK:
            self.fail(where, f"rank {rank}, at most {fmt.MAX_RANK}")
        kind = self.enum(Storage, storage, f"{where} storage")
        const = kind is Storage.CONST
        return TensorRecord(
            name=name,
            dtype=dtype,
            shape=tuple(row[17 : 17 + rank]),
            storage=kind,
            offset=0 if const else offset,
            bytes=size,
            first_step=row[15],
            last_step=row[16],
            scale=row[12],
            zero_point=row[13],
            is_input=bool(flags & fmt.TENSOR_INPUT),
            is_output=bool(flags & fmt.TENSOR_OUTPUT),
            alias=self.enum(Alias, alias, f"{where} alias"),
            alias_tensor=None if alias_tensor == fmt.NO_TENSOR else alias_tensor,
            alias_lead=row[9],
            layout=self.enum(Layout, layout, f"{where} layout"),
            ring_rows=row[10],
            channels=self.channels(row[11], row[14], where) if row[14] else None,
            data=self.slice(weights, offset, size, where) if const else None,
        )

    def channels(self, axis: int, table: int, where: str) -> ChannelQuant:
        data = self.bytes_of(Section.QUANT)
        (count,) = struct.unpack("<I", self.slice(data, table - 1, 4, where))
        words = self.slice(data, table + 3, 8 * count, where)
        values = struct.unpack(f"<{count}f{count}i", words)
        return ChannelQuant(axis, values[:count], values[count:])

    def ops(self, operands: list[int], names: list[str]) -> tuple[OpRecord, ...]:
        params = self.bytes_of(Section.PARAMS)
        weights = self.bytes_of(Section.WEIGHTS)
        ops = []
        for i, row in enumerate(self.rows(Section.OPS, fmt.OP)):
            where = f"op {i}"
            code, version, packing, inputs, outputs, first = row[:6]
            if first + inputs + outputs > len(operands):
                self.fail(where, "its operands lie outside of the operand section")
            words = self.slice(params, row[6], row[7], where)
            if len(words) % 4:
                self.fail(where, f"{len(words)} bytes of parameters")
            ops.append(
                OpRecord(
                    name=names[i] if i < len(names) else "",
                    code=code,
                    inputs=tuple(operands[first : first + inputs]),
                    outputs=tuple(operands[first + inputs : first + inputs + outputs]),
                    params=struct.unpack(f"<{len(words) // 4}i", words),
                    weights=self.slice(weights, row[9], row[10], where),
                    scratch_offset=row[11],
                    scratch_bytes=row[12],
                    packing=self.enum(Isa, packing, f"{where} packing"),
                    version=version,
                )
            )
        return tuple(ops)

    def entries(self, operands: list[int]) -> tuple[EntryRecord, ...]:
        entries = []
        for i, row in enumerate(self.rows(Section.ENTRIES, fmt.ENTRY)):
            name, step_first, step_count, in_first, in_count, out_first, out_count, _ = row
            if max(in_first + in_count, out_first + out_count) > len(operands):
                self.fail(f"entry point {i}", "its operands lie outside of the operand section")
            entries.append(
                EntryRecord(
                    name=name.rstrip(b"\0").decode("utf-8", "replace"),
                    step_first=step_first,
                    step_count=step_count,
                    inputs=tuple(operands[in_first : in_first + in_count]),
                    outputs=tuple(operands[out_first : out_first + out_count]),
                )
            )
        return tuple(entries)

    def labels(self) -> tuple[str, ...]:
        data, count = self.sections.get(Section.LABELS, (b"", 0))
        labels = data.split(b"\0")[:-1]
        if len(labels) != count:
            self.fail("labels", f"{len(labels)} strings for a count of {count}")
        try:
            return tuple(label.decode() for label in labels)
        except UnicodeDecodeError:
            self.fail("labels", "are not UTF-8")

    def golden(self) -> Golden | None:
        data = self.bytes_of(Section.GOLDEN)
        if not data:
            return None
        if len(data) < fmt.GOLDEN.size:
            self.fail("self-test", f"{len(data)} bytes")
        kind, seed, in_bytes, out_bytes, trace_crc = fmt.GOLDEN.unpack_from(data)[:5]
        if len(data) != fmt.GOLDEN.size + in_bytes + out_bytes:
            self.fail("self-test", f"{len(data)} bytes for {in_bytes} + {out_bytes} of data")
        inputs = data[fmt.GOLDEN.size : fmt.GOLDEN.size + in_bytes]
        outputs = data[fmt.GOLDEN.size + in_bytes :]
        return Golden(seed, outputs, trace_crc, inputs if kind == fmt.GOLDEN_STORED else None)


def _step(op: int, flags: int, row0: int, rows: int, predicted: int) -> StepRecord:
    sliced = rows if flags & fmt.STEP_SLICE else None
    return StepRecord(op, row0, sliced, predicted, npu=bool(flags & fmt.STEP_NPU))


def _names(names: dict[str, Any], key: str) -> list[str]:
    value = names.get(key, [])
    return [str(name) for name in value] if isinstance(value, list) else []
