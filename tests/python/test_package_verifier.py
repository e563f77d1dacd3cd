# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The package verifier: every field of every record, spoilt, is refused with the right diagnosis.

Packages are sealed again after each change, so that the CRC hides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from packages import (
    Image,
    Verdict,
    deep,
    hostile_values,
    rich,
    rows,
    sealed,
    spoilt,
    verdict,
)
from ranvier.errors import PackageError
from ranvier.native import NativePackage
from ranvier.native.binding import ffi, library
from ranvier.native.session import text
from ranvier.package import format as fmt
from ranvier.package.format import Section
from ranvier.package.records import IoMode, Storage

# The tensors and ops of the rich package in kept mode that the tables below speak of.
INPUT, ARENA, CONST, REPLACED, REPLACING, OUTPUT = 0, 2, 3, 4, 5, 6
CONV, ADD = 0, 2
NONE = fmt.NO_TENSOR

HEADER = [
    ("magic", 0, "EFORMAT", "magic number (not a Ranvier package)", 0),
    ("magic", 0x4D564E53, "EFORMAT", "magic number (not a Ranvier package)", 0),
    ("format", 0, "ENOTSUP", "format version", 0),
    ("format", 2, "ENOTSUP", "format version", 0),
    ("header_bytes", 112, "EFORMAT", "header field", 6),
    ("header_bytes", 144, "EFORMAT", "header field", 6),
    ("total_bytes", 0, "EFORMAT", "size of the package", 0),
    ("total_bytes", 239, "EFORMAT", "size of the package", 0),
    ("total_bytes", 0xFFFFFFF0, "EFORMAT", "size of the package", 0),
    ("abi", 0, "ENOTSUP", "ABI version", 0),
    ("abi", 2, "ENOTSUP", "ABI version", 0),
    ("isa", 2, "ENOTSUP", "instruction-set packing", 0),
    ("isa", 4, "ENOTSUP", "instruction-set packing", 0),
    ("isa", 255, "ENOTSUP", "instruction-set packing", 0),
    ("flags", 3, "ENOTSUP", "header field", 16),
    ("flags", 4, "ENOTSUP", "header field", 16),
    ("flags", 1 << 31, "ENOTSUP", "header field", 16),
    ("arena_bytes", 0, "EFORMAT", "tensor record", ARENA),
    ("arena_bytes", 247, "EFORMAT", "tensor record", REPLACED),
    ("state_bytes", 16, "EFORMAT", "persistent state", NONE),
    ("state_layout", 1, "EFORMAT", "persistent state", NONE),
    ("io_bytes", 0, "EFORMAT", "header field", 32),
    ("io_bytes", 0xFFFFFFFF, "EFORMAT", "header field", 32),
    ("section_count", 0, "EFORMAT", "section", 0),
    ("section_count", 3, "EFORMAT", "section", 0),
    ("section_count", 0xFFFF, "EFORMAT", "section", 0),
    ("opset[0]", 0, "EFORMAT", "header field", 48),
    ("opset[31]", 0x80, "EFORMAT", "header field", 79),
    ("name[0]", 0, "EFORMAT", "header field", 80),
    ("name[1]", ord(" "), "EFORMAT", "header field", 80),
    ("name[1]", 0x7F, "EFORMAT", "header field", 80),
    ("name[1]", 0xC3, "EFORMAT", "header field", 80),
    ("external_count", 0, "EFORMAT", "tensor record", INPUT),
    ("external_count", 3, "EFORMAT", "tensor record", OUTPUT),
    ("external_count", 5, "EFORMAT", "header field", 32),
    ("external_count", 0xFFFF, "EFORMAT", "header field", 32),
    ("max_live", 0, "EFORMAT", "number of live tensors", 0),
    ("max_live", 1, "EFORMAT", "number of live tensors", 1),
    ("max_live", 33, "EFORMAT", "number of live tensors", 0),
    ("max_live", 0xFFFF, "EFORMAT", "number of live tensors", 0),
    ("reserved[0]", 1, "EFORMAT", "reserved field", 116),
    ("reserved[1]", 1, "EFORMAT", "reserved field", 120),
    ("reserved[2]", 1 << 31, "EFORMAT", "reserved field", 124),
]
HEADER_FREE = {"security_version", "version"}

TENSOR = [
    (INPUT, "type", 0, "EFORMAT", "element type", INPUT),
    (INPUT, "type", 10, "EFORMAT", "element type", INPUT),
    (INPUT, "type", 255, "EFORMAT", "element type", INPUT),
    (INPUT, "type", 2, "EFORMAT", "parameters of an op", CONV),
    (INPUT, "type", 3, "EFORMAT", "tensor record", INPUT),
    (ARENA, "rank", 6, "EFORMAT", "tensor record", ARENA),
    (ARENA, "rank", 255, "EFORMAT", "tensor record", ARENA),
    (ARENA, "rank", 3, "EFORMAT", "tensor record", ARENA),
    (ARENA, "rank", 5, "EFORMAT", "tensor record", ARENA),
    (ARENA, "storage", 0, "EFORMAT", "tensor record", ARENA),
    (ARENA, "storage", 2, "EFORMAT", "tensor record", ARENA),
    (ARENA, "storage", 4, "EFORMAT", "tensor record", ARENA),
    (ARENA, "storage", 5, "EFORMAT", "tensor record", ARENA),
    (INPUT, "storage", 1, "EFORMAT", "tensor record", INPUT),
    (INPUT, "storage", 3, "EFORMAT", "tensor record", INPUT),
    (CONST, "storage", 1, "EFORMAT", "tensor record", CONST),
    (ARENA, "layout", 4, "ENOTSUP", "tensor layout", ARENA),
    (ARENA, "alias", 1, "EFORMAT", "tensor record", ARENA),
    (ARENA, "alias", 2, "ENOTSUP", "leading alias", ARENA),
    (ARENA, "alias", 3, "EFORMAT", "tensor record", ARENA),
    (REPLACING, "alias", 0, "EFORMAT", "tensor record", REPLACING),
    (INPUT, "flags", 0, "EFORMAT", "tensor record", INPUT),
    (INPUT, "flags", 2, "EFORMAT", "tensor record", INPUT),
    (INPUT, "flags", 3, "EFORMAT", "tensor record", INPUT),
    (INPUT, "flags", 5, "EFORMAT", "tensor record", INPUT),
    (ARENA, "flags", 1, "EFORMAT", "entry point", 0),
    (ARENA, "flags", 2, "EFORMAT", "entry point", 0),
    (CONST, "flags", 1, "EFORMAT", "tensor record", CONST),
    (ARENA, "alias_tensor", 0, "EFORMAT", "tensor record", ARENA),
    (REPLACING, "alias_tensor", REPLACING, "EFORMAT", "tensor record", REPLACING),
    (REPLACING, "alias_tensor", OUTPUT, "EFORMAT", "tensor record", REPLACING),
    (REPLACING, "alias_tensor", ARENA, "EFORMAT", "tensor record", REPLACING),
    (REPLACING, "alias_tensor", INPUT, "EFORMAT", "tensor record", REPLACING),
    (REPLACING, "alias_tensor", NONE, "EFORMAT", "tensor record", REPLACING),
    (ARENA, "offset", 8, "EFORMAT", "tensor record", ARENA),
    (ARENA, "offset", 144, "EFORMAT", "tensor record", ARENA),
    (ARENA, "offset", 0xFFFFFFF0, "EFORMAT", "tensor record", ARENA),
    (INPUT, "offset", 1, "EFORMAT", "tensor record", INPUT),
    (INPUT, "offset", 4, "EFORMAT", "tensor record", INPUT),
    (INPUT, "offset", 0xFFFFFFFF, "EFORMAT", "tensor record", INPUT),
    (CONST, "offset", 8, "EFORMAT", "tensor record", CONST),
    (CONST, "offset", 0x10000, "EFORMAT", "tensor record", CONST),
    (ARENA, "bytes", 0, "EFORMAT", "tensor record", ARENA),
    (ARENA, "bytes", 119, "EFORMAT", "tensor record", ARENA),
    (ARENA, "bytes", 121, "EFORMAT", "tensor record", ARENA),
    (ARENA, "bytes", 0xFFFFFFFF, "EFORMAT", "tensor record", ARENA),
    (CONST, "bytes", 5, "EFORMAT", "tensor record", CONST),
    (ARENA, "alias_lead", 16, "EFORMAT", "tensor record", ARENA),
    (REPLACING, "alias_lead", 16, "EFORMAT", "tensor record", REPLACING),
    (ARENA, "ring_rows", 1, "EFORMAT", "tensor record", ARENA),
    (ARENA, "ring_rows", 0xFFFF, "EFORMAT", "tensor record", ARENA),
    (ARENA, "quant_axis", 1, "EFORMAT", "tensor record", ARENA),
    (ARENA, "quant_table", 1, "ENOTSUP", "per-channel quantisation of a tensor", ARENA),
    (ARENA, "first_step", 1, "EFORMAT", "tensor record", CONST),
    (ARENA, "first_step", 2, "EFORMAT", "tensor record", ARENA),
    (ARENA, "first_step", 0xFFFF, "EFORMAT", "tensor record", ARENA),
    (INPUT, "first_step", 1, "EFORMAT", "tensor record", INPUT),
    (ARENA, "last_step", 0, "EFORMAT", "use of a tensor outside its lifetime", ARENA),
    (ARENA, "last_step", 7, "EFORMAT", "tensor record", ARENA),
    (ARENA, "last_step", 0xFFFF, "EFORMAT", "tensor record", ARENA),
    (OUTPUT, "last_step", 5, "EFORMAT", "tensor record", OUTPUT),
    (ARENA, "dims[0]", 0, "EFORMAT", "tensor record", ARENA),
    (ARENA, "dims[1]", 5, "EFORMAT", "tensor record", ARENA),
    (ARENA, "dims[2]", 0xFFFFFFFF, "EFORMAT", "tensor record", ARENA),
    (ARENA, "dims[3]", 1 << 30, "EFORMAT", "tensor record", ARENA),
    (ARENA, "dims[4]", 1, "EFORMAT", "tensor record", ARENA),
    (ARENA, "reserved", 1, "EFORMAT", "tensor record", ARENA),
]
TENSOR_FREE = {"scale_bits", "zero_point"}

OP = [
    ("code", 0, "ENOTSUP", "op that this build lacks", CONV),
    ("code", 255, "ENOTSUP", "op that this build lacks", CONV),
    ("code", 0xFFFF, "ENOTSUP", "op that this build lacks", CONV),
    ("code", 2, "EFORMAT", "header field", 48),
    ("code", 4, "EFORMAT", "header field", 48),
    ("version", 0, "ENOTSUP", "op record", CONV),
    ("version", 2, "ENOTSUP", "op record", CONV),
    ("packing", 1, "ENOTSUP", "op record", CONV),
    ("packing", 2, "ENOTSUP", "op record", CONV),
    ("packing", 255, "ENOTSUP", "op record", CONV),
    ("input_count", 0, "EFORMAT", "parameters of an op", CONV),
    ("input_count", 2, "EFORMAT", "parameters of an op", CONV),
    ("input_count", 255, "EFORMAT", "op record", CONV),
    ("output_count", 0, "EFORMAT", "op record", CONV),
    ("output_count", 2, "EFORMAT", "parameters of an op", CONV),
    ("output_count", 255, "EFORMAT", "op record", CONV),
    ("operand_first", 1, "EFORMAT", "parameters of an op", CONV),
    ("operand_first", 0xFFFF, "EFORMAT", "op record", CONV),
    ("params_offset", 2, "EFORMAT", "op record", CONV),
    ("params_offset", 4, "EFORMAT", "parameters of an op", CONV),
    ("params_offset", 0xFFFFFFFC, "EFORMAT", "op record", CONV),
    ("params_bytes", 0, "EFORMAT", "parameters of an op", CONV),
    ("params_bytes", 82, "EFORMAT", "op record", CONV),
    ("params_bytes", 80, "EFORMAT", "parameters of an op", CONV),
    ("params_bytes", 0xFFFC, "EFORMAT", "op record", CONV),
    ("flags", 1, "EFORMAT", "op record", CONV),
    ("flags", 0x8000, "EFORMAT", "op record", CONV),
    ("weights_offset", 4, "EFORMAT", "op record", CONV),
    ("weights_offset", 0x10000, "EFORMAT", "op record", CONV),
    ("weights_offset", 0xFFFFFFF0, "EFORMAT", "op record", CONV),
    ("weights_bytes", 0, "EFORMAT", "parameters of an op", CONV),
    ("weights_bytes", 145, "EFORMAT", "parameters of an op", CONV),
    ("weights_bytes", 0xFFFFFFFF, "EFORMAT", "op record", CONV),
    ("scratch_offset", 8, "EFORMAT", "op record", CONV),
    ("scratch_offset", 240, "EFORMAT", "op record", CONV),
    ("scratch_offset", 0xFFFFFFF0, "EFORMAT", "op record", CONV),
    ("scratch_offset", 0, "EFORMAT", "overlap of scratch with a live tensor", CONV),
    ("scratch_offset", 112, "EFORMAT", "overlap of scratch with a live tensor", CONV),
    ("scratch_bytes", 0, "EFORMAT", "parameters of an op", CONV),
    ("scratch_bytes", 26, "EFORMAT", "parameters of an op", CONV),
    ("scratch_bytes", 0xFFFFFFFF, "EFORMAT", "op record", CONV),
]

STEP = [
    ("op", 0, "EFORMAT", "step", 1),
    ("op", 2, "EFORMAT", "step", 1),
    ("op", 0xFFFF, "EFORMAT", "step", 1),
    ("flags", 1, "EFORMAT", "step", 1),
    ("flags", 4, "EFORMAT", "step", 1),
    ("flags", 0x8000, "EFORMAT", "step", 1),
    ("row0", 1, "EFORMAT", "step", 1),
    ("rows", 1, "EFORMAT", "step", 1),
]
STEP_FREE = {"predicted"}

ENTRY = [
    ("name[0]", 0, "EFORMAT", "entry point", 0),
    ("name[15]", 1, "EFORMAT", "entry point", 0),
    ("step_first", 1, "EFORMAT", "entry point", 0),
    ("step_count", 0, "EFORMAT", "entry point", 0),
    ("step_count", 6, "EFORMAT", "entry point", 0),
    ("step_count", 8, "EFORMAT", "entry point", 0),
    ("input_first", 0, "EFORMAT", "tensor record", ARENA),
    ("input_first", 0xFFFF, "EFORMAT", "entry point", 0),
    ("input_count", 0, "EFORMAT", "tensor record", 9),
    ("input_count", 1, "EFORMAT", "tensor record", 9),
    ("input_count", 3, "EFORMAT", "tensor record", 9),
    ("input_count", 0xFFFF, "EFORMAT", "entry point", 0),
    ("output_first", 0xFFFF, "EFORMAT", "entry point", 0),
    ("output_count", 0, "EFORMAT", "entry point", 0),
    ("output_count", 1, "EFORMAT", "header field", 32),
    ("output_count", 3, "EFORMAT", "entry point", 0),
    ("output_count", 0xFFFF, "EFORMAT", "entry point", 0),
    ("flags", 1, "EFORMAT", "entry point", 0),
]

TRAILER = [
    ("key_id", 1, "EFORMAT", "signature", None),
    ("signature_kind", 1, "EFORMAT", "signature", None),
    ("signature_kind", 2, "ENOTSUP", "signature", None),
    ("signature_kind", 0xFFFFFFFF, "ENOTSUP", "signature", None),
    ("signature[0]", 1, "EFORMAT", "signature", None),
    ("signature[63]", 255, "EFORMAT", "signature", None),
    ("reserved", 1, "EFORMAT", "reserved field", 104),
]
TRAILER_FREE = {"sha256", "crc32"}  # the hash is the hosts' and the updater's to check

SECTION = [
    ("kind", 0, "ENOTSUP"),
    ("kind", 1, "EFORMAT"),
    ("kind", 3, "EFORMAT"),
    ("kind", 13, "ENOTSUP"),
    ("kind", 0xFFFF, "ENOTSUP"),
    ("offset", 8, "EFORMAT"),
    ("offset", 128, "EFORMAT"),
    ("offset", 0xFFFFFFF0, "EFORMAT"),
    ("bytes", 0, "EFORMAT"),
    ("bytes", 33, "EFORMAT"),
    ("bytes", 0xFFFFFFF0, "EFORMAT"),
    ("count", 0, "EFORMAT"),
    ("count", 6, "EFORMAT"),
    ("count", 8, "EFORMAT"),
    ("count", 0xFFFF, "EFORMAT"),
    ("count", 0x10007, "EFORMAT"),
    ("count", 0xFFFFFFFF, "EFORMAT"),
]
SECTION_FREE = {"flags"}

GOLDEN = [(0, 2, "ENOTSUP"), (2, 1, "EFORMAT"), (3, 0, "EFORMAT"), (3, 127, "EFORMAT")]


def assign(record: Any, field: str, value: int) -> None:
    """Set ``field``, which may be an element of an array, to another value."""
    name, _, index = field.partition("[")
    if index:
        array, place = getattr(record, name), int(index.rstrip("]"))
        assert array[place] != value
        array[place] = value
    else:
        assert getattr(record, name) != value
        setattr(record, name, value)


def refused(image: Image) -> Verdict:
    """The verdict of the package with a right CRC, which must be that of the skipped CRC too."""
    data = image.sealed()
    found = verdict(data)
    assert found == verdict(data, check_crc=False)
    return found


def test_the_packages_are_accepted() -> None:
    for mode in IoMode:
        for result in (rich(mode), deep(mode)):
            assert verdict(result.package) == Verdict("OK", "nothing", 0, 0)
            assert sealed(result.package) == result.package


def test_the_tables_speak_of_the_right_records() -> None:
    content = rich().content
    assert content.tensors[INPUT].is_input
    assert content.tensors[OUTPUT].is_output
    assert content.tensors[CONST].storage is Storage.CONST
    assert content.tensors[REPLACING].alias_tensor == REPLACED
    assert content.ops[CONV].scratch_bytes == 27
    assert content.arena_bytes == 256


@pytest.mark.parametrize(("field", "value", "status", "what", "index"), HEADER)
def test_header(field: str, value: int, status: str, what: str, index: int) -> None:
    image = Image(rich().package)
    assign(image.header, field, value)
    found = refused(image)
    assert (found.status, found.what, found.index) == (status, what, index)


@pytest.mark.parametrize(("tensor", "field", "value", "status", "what", "index"), TENSOR)
def test_tensor(tensor: int, field: str, value: int, status: str, what: str, index: int) -> None:
    image = Image(rich().package)
    assign(image.tensor(tensor), field, value)
    found = refused(image)
    assert (found.status, found.what, found.index) == (status, what, index)


@pytest.mark.parametrize(("field", "value", "status", "what", "index"), OP)
def test_op(field: str, value: int, status: str, what: str, index: int) -> None:
    image = Image(rich().package)
    assign(image.op(CONV), field, value)
    found = refused(image)
    assert (found.status, found.what, found.index) == (status, what, index)


@pytest.mark.parametrize(("field", "value", "status", "what", "index"), STEP)
def test_step(field: str, value: int, status: str, what: str, index: int) -> None:
    image = Image(rich().package)
    assign(image.step(1), field, value)
    found = refused(image)
    assert (found.status, found.what, found.index) == (status, what, index)


@pytest.mark.parametrize(("field", "value", "status", "what", "index"), ENTRY)
def test_entry(field: str, value: int, status: str, what: str, index: int) -> None:
    image = Image(rich().package)
    assign(image.entry(), field, value)
    found = refused(image)
    assert (found.status, found.what, found.index) == (status, what, index)


@pytest.mark.parametrize(("field", "value", "status", "what", "offset"), TRAILER)
def test_trailer(field: str, value: int, status: str, what: str, offset: int | None) -> None:
    image = Image(rich().package)
    assign(image.trailer, field, value)
    found = refused(image)
    assert (found.status, found.what) == (status, what)
    assert found.index == (0 if offset is None else len(image.data) - 112 + offset)


def test_a_name_ends_inside_of_its_field() -> None:
    """Also where the byte behind the field, a count of external tensors, is zero."""
    for mode in IoMode:
        image = Image(rich(mode).package)
        image.header.name[0:32] = b"a" * 32
        assert refused(image) == Verdict("EFORMAT", "header field", 80, ord("a"))


@pytest.mark.parametrize(("field", "value", "status"), SECTION)
def test_section(field: str, value: int, status: str) -> None:
    row = list(Section).index(Section.STEPS)
    image = Image(rich().package)
    assert image.row(row).kind == Section.STEPS
    assign(image.row(row), field, value)
    found = refused(image)
    assert (found.status, found.what) == (status, "section")
    assert found.index in (row, row + 1)


@pytest.mark.parametrize(("word", "value", "status"), GOLDEN)
def test_golden(word: int, value: int, status: str) -> None:
    image = Image(rich().package)
    assert image.golden[word] != value
    image.golden[word] = value
    found = refused(image)
    assert (found.status, found.what, found.value) == (status, "section", Section.GOLDEN)


def test_the_tables_cover_every_field() -> None:
    """A field that is added to a struct must be added to a table, or be declared free."""
    tables = {
        "rnv_header": ({row[0] for row in HEADER}, HEADER_FREE),
        "rnv_tensor_rec": ({row[1] for row in TENSOR}, TENSOR_FREE),
        "rnv_op_rec": ({row[0] for row in OP}, set()),
        "rnv_step_rec": ({row[0] for row in STEP}, STEP_FREE),
        "rnv_entry_rec": ({row[0] for row in ENTRY}, set()),
        "rnv_trailer": ({row[0] for row in TRAILER}, TRAILER_FREE),
        "rnv_section_rec": ({row[0] for row in SECTION}, SECTION_FREE),
    }
    for name, (spoilt_fields, free) in tables.items():
        fields = {field for field, _ in ffi.typeof(f"struct {name}").fields}
        covered = {field.partition("[")[0] for field in spoilt_fields}
        assert covered | free == fields, name
        assert not covered & free, name


def name_with_slash(image: Image) -> None:
    image.header.name[1] = ord("/")


def name_with_more(image: Image) -> None:
    image.header.name[31 - 1] = 1


def entry_name_with_more(image: Image) -> None:
    image.entry().name[14] = 1


def golden_seed_zero(image: Image) -> None:
    image.golden[1] = 0


def padding(image: Image) -> None:
    row = image.section(Section.PARAMS)
    while (row.offset + row.bytes) % 16 == 0:
        row = image.at(ffi.cast("char *", row + 1) - ffi.cast("char *", image.header), ROW)
    image.data[row.offset + row.bytes] = 1


def count_of_bytes(image: Image) -> None:
    image.section(Section.WEIGHTS).count = 1


def unknown_section_flag(image: Image) -> None:
    image.section(Section.STEPS).flags = 2


def unused_op_in_the_set(image: Image) -> None:
    image.header.opset[31] = 0x80


ROW = "struct rnv_section_rec"


@pytest.mark.parametrize(
    "change",
    [
        name_with_slash,
        name_with_more,
        entry_name_with_more,
        golden_seed_zero,
        padding,
        count_of_bytes,
        unknown_section_flag,
        unused_op_in_the_set,
    ],
)
def test_what_the_specification_fixes(change: Callable[[Image], None]) -> None:
    assert verdict(spoilt(rich().package, change)).status == "EFORMAT"


def test_free_fields_are_accepted() -> None:
    def change(image: Image) -> None:
        image.header.security_version = 7
        image.header.version[1] = 65535
        image.tensor(ARENA).scale_bits = 0x7FC00000
        image.tensor(ARENA).zero_point = -(1 << 31)
        image.step(2).predicted = 0xFFFFFFFF

    assert verdict(spoilt(rich().package, change)).status == "OK"


def test_every_operand_must_name_a_tensor() -> None:
    count = Image(rich().package).section(Section.OPERANDS).count
    tensors = len(rich().content.tensors)
    for operand in range(count):
        for value in (tensors, 0x7FFF, 0xFFFF):
            image = Image(rich().package)
            image.operand(operand)[0] = value
            assert refused(image) == Verdict("EFORMAT", "operand", operand, value)


def test_every_other_operand_is_refused_or_harmless() -> None:
    """Any other tensor in an operand's place: refused, or the package can still be executed."""
    inputs = [bytes(90), bytes(120)]
    count = Image(rich().package).section(Section.OPERANDS).count
    accepted = 0
    for operand in range(count):
        for tensor in range(len(rich().content.tensors)):
            image = Image(rich().package)
            image.operand(operand)[0] = tensor
            try:
                NativePackage(image.sealed()).run(inputs)
            except PackageError:
                continue
            accepted += 1
    assert count <= accepted <= 2 * count


@pytest.mark.parametrize("result", [rich(), deep()], ids=["rich", "deep"])
def test_hostile_parameters(result: Any) -> None:
    """Every parameter word of every op, at every extreme: refused as the op's, or executed."""
    content = result.content
    owners: dict[int, set[int]] = {}  # equal parameters of several ops are stored once
    for op in range(len(content.ops)):
        owners.setdefault(Image(result.package).op(op).params_offset, set()).add(op)
    inputs = [bytes(content.tensors[t].bytes) for t in content.entries[0].inputs]
    refusals = 0
    for op, record in enumerate(content.ops):
        sharers = owners[Image(result.package).op(op).params_offset]
        for word, present in enumerate(record.params):
            for value in hostile_values(32, True, present):
                image = Image(result.package)
                image.params(op)[word] = value
                data = image.sealed()
                found = verdict(data)
                if found.status == "OK":
                    NativePackage(data).run(inputs)
                else:
                    refusals += 1
                    assert found.what == "parameters of an op"
                    assert found.index in sharers
    assert refusals > 100


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("make", [rich, deep])
def test_hostile_values_everywhere(make: Any, mode: IoMode) -> None:
    """No value of any field crashes the verifier; what it accepts can be executed."""
    result = make(mode)
    content = result.content
    inputs = [bytes(content.tensors[t].bytes) for t in content.entries[0].inputs]
    layout = [library().rnv_layout[i] for i in range(library().rnv_layout_count)]
    fields = [(text(r.type), text(r.field), r.offset, r.size) for r in layout if text(r.field)]
    starts = {
        "rnv_header": [0],
        "rnv_section_rec": [128 + 16 * i for i in range(len(rows(result.package)))],
        "rnv_tensor_rec": starts_of(result.package, Section.TENSORS, 64),
        "rnv_op_rec": starts_of(result.package, Section.OPS, 32),
        "rnv_step_rec": starts_of(result.package, Section.STEPS, 16),
        "rnv_entry_rec": starts_of(result.package, Section.ENTRIES, 32),
    }
    for name, field, offset, size in fields:
        for start in starts.get(name, []):
            width = {2: 2, 4: 4, 20: 4, 12: 4, 6: 2}.get(size, 1)
            for part in range(0, min(size, 5 * width), width):
                at = start + offset + part
                present = int.from_bytes(result.package[at : at + width], "little")
                for value in hostile_values(8 * width, False, present):
                    data = bytearray(result.package)
                    data[at : at + width] = value.to_bytes(width, "little")
                    found = verdict(bytes(data), check_crc=False)
                    assert (found.status == "OK") == (found.what == "nothing"), (name, field)
                    if found.status == "OK" and Image(bytes(data)).header.arena_bytes < 1 << 20:
                        NativePackage(bytes(data), check_crc=False).run(inputs)


def starts_of(data: bytes, kind: Section, size: int) -> list[int]:
    """Where the records of a section are."""
    image = Image(data)  # the section's row lies in its memory
    section = image.section(kind)
    return [section.offset + size * i for i in range(section.count)]


def test_a_wrong_crc_is_damage() -> None:
    data = bytearray(rich().package)
    data[1000] ^= 1
    assert verdict(bytes(data)).status == "EBADMSG"
    with pytest.raises(PackageError, match=r"^m\.rnv: CRC-32 is wrong .*EBADMSG") as raised:
        NativePackage(bytes(data), "m.rnv")
    assert raised.value.remedy is not None
    assert "damaged" in raised.value.remedy


def test_the_message_names_file_field_and_remedy() -> None:
    def slice_step(image: Image) -> None:
        image.step(3).flags, image.step(3).rows = 1, 1

    with pytest.raises(PackageError) as raised:
        NativePackage(spoilt(rich().package, slice_step), "m.rnv")
    assert re.match(
        r"m\.rnv: sliced step is not supported \(index 3, .*ENOTSUP\)", str(raised.value)
    )
    assert raised.value.remedy is not None
    assert "version of Ranvier" in raised.value.remedy
