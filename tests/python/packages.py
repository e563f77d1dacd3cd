# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages for tests of the verifier: a rich one, means to spoil one field, and the verdict."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from random_models import Maker
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.graph import DType
from ranvier.native.binding import ffi, library
from ranvier.native.session import text
from ranvier.package import format as fmt
from ranvier.package.format import Section
from ranvier.package.records import IoMode
from ranvier.testing.tflite_builder import build_tflite

library()  # declares the structs below to cffi, whichever test runs first

RECORDS = {
    Section.TENSORS: "rnv_tensor_rec",
    Section.OPS: "rnv_op_rec",
    Section.STEPS: "rnv_step_rec",
    Section.ENTRIES: "rnv_entry_rec",
}


@dataclass(frozen=True)
class Verdict:
    """What the core's verifier answers: status, what it is about, which record, which value."""

    status: str
    what: str
    index: int
    value: int


@dataclass(frozen=True)
class Row:
    """A section: its record in the table, and its bytes."""

    kind: int
    flags: int
    count: int
    data: bytes


def verdict(data: bytes, *, check_crc: bool = True, shift: int = 0) -> Verdict:
    """Open the package ``shift`` bytes past an aligned address; exactly its bytes are given."""
    owner = ffi.new("char[]", len(data) + 32)
    address = owner + (-int(ffi.cast("uintptr_t", owner))) % 16 + shift
    ffi.memmove(address, data, len(data))
    diag = ffi.new("struct rnv_diag *")
    status = library().rnv_package_open(
        ffi.new("struct rnv_package *"), address, len(data), 0 if check_crc else 1, diag
    )
    name = ffi.typeof("enum rnv_status").elements[status].removeprefix("RNV_")
    return Verdict(name, text(library().rnv_what_name(diag.what)), diag.index, diag.value)


def sealed(data: bytes) -> bytes:
    """The package with the hash and the CRC that its bytes should have."""
    start = len(data) - fmt.TRAILER_BYTES
    trailer = hashlib.sha256(data[:start]).digest() + data[start + 32 : -4]
    return data[:start] + trailer + struct.pack("<I", zlib.crc32(data[:start] + trailer))


class Image:
    """A package whose fields can be changed in place: ``image.tensor(3).rank = 9``."""

    def __init__(self, data: bytes) -> None:
        self.data = bytearray(data)
        self._base = ffi.from_buffer("uint8_t[]", self.data)

    def at(self, offset: int, kind: str) -> Any:
        """A pointer to ``kind`` at ``offset``."""
        return ffi.cast(f"{kind} *", self._base + offset)

    @property
    def header(self) -> Any:
        return self.at(0, "struct rnv_header")

    @property
    def trailer(self) -> Any:
        return self.at(len(self.data) - fmt.TRAILER_BYTES, "struct rnv_trailer")

    @property
    def golden(self) -> Any:
        """The four words of the self-test's head."""
        return self.at(self.section(Section.GOLDEN).offset, "uint32_t")

    def row(self, row: int) -> Any:
        """A row of the section table."""
        return self.at(fmt.HEADER.size + row * fmt.SECTION.size, "struct rnv_section_rec")

    def section(self, kind: Section) -> Any:
        """The row of the section of this kind."""
        rows = (self.row(i) for i in range(self.header.section_count))
        return next(row for row in rows if row.kind == kind)

    def record(self, kind: Section, index: int) -> Any:
        """A record of a section that is an array of structs."""
        name = f"struct {RECORDS[kind]}"
        return self.at(self.section(kind).offset + index * ffi.sizeof(name), name)

    def tensor(self, index: int) -> Any:
        return self.record(Section.TENSORS, index)

    def op(self, index: int) -> Any:
        return self.record(Section.OPS, index)

    def step(self, index: int) -> Any:
        return self.record(Section.STEPS, index)

    def entry(self, index: int = 0) -> Any:
        return self.record(Section.ENTRIES, index)

    def operand(self, index: int) -> Any:
        """A pointer to the u16 of an operand."""
        return self.at(self.section(Section.OPERANDS).offset + 2 * index, "uint16_t")

    def params(self, op: int) -> Any:
        """A pointer to the words of an op's parameters."""
        offset = self.section(Section.PARAMS).offset + self.op(op).params_offset
        return self.at(offset, "int32_t")

    def sealed(self) -> bytes:
        """The bytes with a right hash and CRC."""
        return sealed(bytes(self.data))


def spoilt(data: bytes, change: Callable[[Image], object]) -> bytes:
    """The package after ``change``, sealed."""
    image = Image(data)
    change(image)
    return image.sealed()


def rows(data: bytes) -> list[Row]:
    """The sections of a package."""
    image = Image(data)
    found = []
    for i in range(image.header.section_count):
        row = image.row(i)
        found.append(Row(row.kind, row.flags, row.count, data[row.offset : row.offset + row.bytes]))
    return found


def assembled(data: bytes, sections: Sequence[Row]) -> bytes:
    """The package with other sections, in the order given."""
    offset = fmt.HEADER.size + len(sections) * fmt.SECTION.size
    table, body = b"", b""
    for section in sections:
        start = fmt.align(offset)
        body += bytes(start - offset) + section.data
        table += fmt.SECTION.pack(
            section.kind, section.flags, start, len(section.data), section.count
        )
        offset = start + len(section.data)
    body += bytes(fmt.align(offset) - offset)
    image = Image(data[: fmt.HEADER.size] + table + body + data[-fmt.TRAILER_BYTES :])
    image.header.section_count = len(sections)
    image.header.total_bytes = len(image.data)
    return image.sealed()


def rich_model() -> bytes:
    """Two inputs, a convolution with scratch, an in-place op, a constant operand, two outputs."""
    make = Maker(3)
    x, y = make.input((1, 6, 5, 3)), make.input((1, 6, 5, 4))
    convolved = make.conv(x, 4, activation="RELU")
    added = make.binary("ADD", make.depthwise(convolved), y)
    scaled = make.binary("MUL", added, make.int8_constant((1, 1, 1, 4)))
    pooled = make.max_pool(scaled)
    dense = make.fully_connected(make.reshape(pooled, (1, pooled.elements)), 6)
    return build_tflite(make.graph(make.unary("SOFTMAX", dense), scaled))


def deep_model() -> bytes:
    """Floats in and out, a concatenation and a mean: what the rich model lacks."""
    make = Maker(5)
    real = make.input((1, 4, 4, 2), DType.FLOAT32)
    x = make.op("QUANTIZE", [real], make.tensor(real.shape))
    parts = make.concatenation([x, make.clamp("RELU", x), make.clamp("RELU6", x)])
    attrs = {"keep_dims": False}
    axes = make.constant([1, 2])
    mean = make.op("MEAN", [parts, axes], make.tensor((1, 6)), attrs)
    output = make.tensor(mean.shape, dtype=DType.FLOAT32)
    return build_tflite(make.graph(make.op("DEQUANTIZE", [mean], output, version=2)))


@cache
def rich(mode: IoMode = IoMode.KEPT) -> CompileResult:
    """The rich model, compiled with six labels."""
    labels = ("zero", "one", "two", "thrée", "four", "五")
    options = CompileOptions(input_mode=mode, labels=labels, version=(1, 2, 3))
    return compile_model(rich_model(), "rich.tflite", options)


@cache
def deep(mode: IoMode = IoMode.KEPT) -> CompileResult:
    """The deep model, compiled."""
    return compile_model(deep_model(), "deep.tflite", CompileOptions(input_mode=mode))


def hostile_values(bits: int, signed: bool, present: int) -> list[int]:
    """Values of a field that parsers get wrong, other than the present one."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    near = [present + step for step in (-16, -4, -1, 1, 4, 16)]
    ends = [low, low + 1, high, high - 1, high // 2, high // 2 + 1, 0, 1, 2, -1, 16]
    return sorted({v for v in near + ends if low <= v <= high and v != present})


def random_bytes(seed: int, count: int) -> bytes:
    """Seeded bytes for inputs."""
    return np.random.default_rng(seed).integers(0, 256, count, np.uint8).tobytes()
