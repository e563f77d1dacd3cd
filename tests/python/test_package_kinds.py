# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Kinds that the format defines and this reader lacks are refused by name; others are skipped."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import replace

import pytest

from packages import Image, Row, assembled, rich, rows, spoilt, verdict
from ranvier.errors import PackageError
from ranvier.model import Model, Package
from ranvier.package.format import Section
from ranvier.package.reader import read_trailer
from ranvier.package.records import (
    Alias,
    ChannelQuant,
    EntryRecord,
    Isa,
    PackageContent,
    StepRecord,
    TensorRecord,
)
from ranvier.package.writer import write_package

ARENA = 2  # an arena tensor of the rich package
UNKNOWN = 13


def with_tensor(change: Callable[[TensorRecord], TensorRecord]) -> PackageContent:
    content = rich().content
    tensors = list(content.tensors)
    tensors[ARENA] = change(tensors[ARENA])
    return replace(content, tensors=tuple(tensors))


def sliced() -> PackageContent:
    """The last op, a softmax, which cannot run by rows, in two slices."""
    content = rich().content
    last = len(content.steps) - 1
    steps = (*content.steps[:-1], StepRecord(last, 0, 1), StepRecord(last, 1, 1))
    tensors = tuple(
        replace(t, last_step=t.last_step + (t.last_step == last)) for t in content.tensors
    )
    entry = replace(content.entries[0], step_count=len(steps))
    return replace(content, steps=steps, tensors=tensors, entries=(entry,))


def unknown_layout() -> bytes:
    def change(image: Image) -> None:
        image.tensor(ARENA).layout = 4

    return spoilt(rich().package, change)


LACKING: dict[str, tuple[Callable[[], PackageContent | bytes], str]] = {
    "slices of an op that cannot run by rows": (sliced, "sliced step"),
    "another layout": (unknown_layout, "tensor layout"),
    "leading alias": (
        lambda: with_tensor(lambda t: replace(t, alias=Alias.LEAD, alias_tensor=0, alias_lead=16)),
        "leading alias",
    ),
    "per-channel table": (
        lambda: with_tensor(
            lambda t: replace(t, channels=ChannelQuant(3, (0.5, 1.0, 1.5, 2.0), (0, 1, 2, 3)))
        ),
        "per-channel quantisation of a tensor",
    ),
    "mve": (lambda: replace(rich().content, isa=Isa.MVE), "instruction-set packing"),
}


@pytest.mark.parametrize("kind", LACKING)
def test_a_kind_that_the_reader_lacks_is_refused_by_name(kind: str) -> None:
    make, name = LACKING[kind]
    made = make()
    data = made if isinstance(made, bytes) else write_package(made)
    found = verdict(data)
    assert (found.status, found.what) == ("ENOTSUP", name)
    with pytest.raises(PackageError) as raised:
        Package(data, "new.rnv")
    assert raised.value.message.startswith(f"new.rnv: {name} is not supported")
    assert raised.value.remedy is not None
    assert "version of Ranvier that implements it" in raised.value.remedy


def test_an_op_packed_for_another_instruction_set_is_refused() -> None:
    """Case 23: the stream is not what the op's kernel decodes."""
    content = rich().content
    for isa in (Isa.DSP, Isa.MVE, Isa.BASE):
        ops = (replace(content.ops[0], packing=isa), *content.ops[1:])
        found = verdict(write_package(replace(content, ops=ops)))
        assert (found.status, found.what, found.index) == ("ENOTSUP", "op record", 0)


def test_a_newer_op_is_refused() -> None:
    content = rich().content
    ops = (replace(content.ops[0], version=2), *content.ops[1:])
    found = verdict(write_package(replace(content, ops=ops)))
    assert (found.status, found.what, found.index) == ("ENOTSUP", "op record", 0)


def test_an_op_that_this_build_lacks_is_refused() -> None:
    content = rich().content
    ops = (replace(content.ops[0], code=200), *content.ops[1:])
    found = verdict(write_package(replace(content, ops=ops)))
    assert (found.status, found.what, found.value) == (
        "ENOTSUP",
        "op that this build lacks",
        200,
    )


def with_signature(key_id: int, kind: int, signature: bytes) -> bytes:
    def change(image: Image) -> None:
        image.trailer.key_id = key_id
        image.trailer.signature_kind = kind
        image.trailer.signature[0:64] = signature

    return spoilt(rich().package, change)


SIGNATURE = bytes(63) + b"\1"


def test_a_signed_package_is_accepted_and_its_trailer_can_be_read() -> None:
    """Whose signature it is, and of what, is checked where a public key is known."""
    for key_id, signature in ((1, SIGNATURE), (0xFFFFFFFF, bytes(range(64)))):
        data = with_signature(key_id, 1, signature)
        assert verdict(data).status == "OK"
        trailer = read_trailer(data, "signed.rnv")
        assert trailer.signed
        assert (trailer.key_id, trailer.signature) == (key_id, signature)
    assert not read_trailer(rich().package, "plain.rnv").signed


@pytest.mark.parametrize(
    ("key_id", "kind", "signature"),
    [
        (0, 1, SIGNATURE),
        (1, 1, bytes(64)),
        (1, 0, bytes(64)),
        (0, 0, SIGNATURE),
        (1, 0, SIGNATURE),
        (0, 1, bytes(64)),
    ],
)
def test_half_a_signature_is_refused(key_id: int, kind: int, signature: bytes) -> None:
    data = with_signature(key_id, kind, signature)
    found = verdict(data)
    assert (found.status, found.what, found.value) == ("EFORMAT", "signature", kind)
    with pytest.raises(PackageError, match="signature"):
        read_trailer(data, "half.rnv")


def test_an_unknown_kind_of_signature_is_refused() -> None:
    data = with_signature(1, 2, SIGNATURE)
    found = verdict(data)
    assert (found.status, found.what, found.value) == ("ENOTSUP", "signature", 2)
    with pytest.raises(PackageError, match="signature kind: 2"):
        read_trailer(data, "other.rnv")


# Sections


def test_taking_a_package_apart_and_together_changes_nothing() -> None:
    assert assembled(rich().package, rows(rich().package)) == rich().package


def test_an_unknown_section_is_refused_unless_optional() -> None:
    sections = rows(rich().package)
    for kind in (UNKNOWN, 0x8000, 0xFFFF):
        unknown = Row(kind, 0, 0, b"future")
        found = verdict(assembled(rich().package, [*sections, unknown]))
        assert (found.status, found.what, found.index, found.value) == (
            "ENOTSUP",
            "section",
            len(sections),
            kind,
        )
        data = assembled(rich().package, [*sections, replace(unknown, flags=1)])
        assert verdict(data).status == "OK"
        assert Package(data).content == rich().content


def test_several_unknown_optional_sections_are_skipped() -> None:
    sections = [*rows(rich().package), *(Row(kind, 1, 3, b"abc") for kind in (UNKNOWN, 20, 300))]
    data = assembled(rich().package, sections)
    assert verdict(data).status == "OK"
    assert Model(Package(data)).selftest()


NEEDED = [Section.TENSORS, Section.OPERANDS, Section.OPS, Section.STEPS, Section.ENTRIES]
USED = [Section.PARAMS, Section.WEIGHTS]
OPTIONAL = [Section.LABELS, Section.GOLDEN, Section.META, Section.NAMES]


@pytest.mark.parametrize("kind", NEEDED + USED)
def test_a_missing_section_is_refused(kind: Section) -> None:
    sections = [row for row in rows(rich().package) if row.kind != kind]
    found = verdict(assembled(rich().package, sections))
    expected = {
        Section.OPS: "header field",  # the op set
        Section.PARAMS: "op record",
        Section.WEIGHTS: "tensor record",  # the constant's
    }
    assert (found.status, found.what) == ("EFORMAT", expected.get(kind, "section"))


@pytest.mark.parametrize("kind", OPTIONAL)
def test_a_package_can_do_without(kind: Section) -> None:
    sections = [row for row in rows(rich().package) if row.kind != kind]
    data = assembled(rich().package, sections)
    assert verdict(data).status == "OK"
    inputs = [bytes(90), bytes(120)]
    assert Package(data).native.run(inputs) == Package(rich().package).native.run(inputs)


def test_every_two_sections_in_the_wrong_order_are_refused() -> None:
    sections = rows(rich().package)
    for i in range(len(sections) - 1):
        swapped = [*sections[:i], sections[i + 1], sections[i], *sections[i + 2 :]]
        found = verdict(assembled(rich().package, swapped))
        assert (found.status, found.what, found.index) == ("EFORMAT", "section", i + 1)


def test_a_section_that_appears_twice_is_refused() -> None:
    sections = rows(rich().package)
    for i in range(len(sections)):
        data = assembled(rich().package, [*sections[: i + 1], *sections[i:]])
        assert verdict(data).status == "EFORMAT"
        with pytest.raises(PackageError):
            Package(data)


def test_sections_that_overlap_are_refused() -> None:
    count = len(rows(rich().package))
    for i in range(1, count):
        image = Image(rich().package)
        image.row(i).offset = image.row(i - 1).offset
        found = verdict(image.sealed())
        assert (found.status, found.what, found.index) == ("EFORMAT", "section", i)


# Labels


def with_labels(data: bytes, count: int) -> bytes:
    sections = [
        replace(row, data=data, count=count) if row.kind == Section.LABELS else row
        for row in rows(rich().package)
    ]
    return assembled(rich().package, sections)


@pytest.mark.parametrize(
    ("data", "count"),
    [
        (b"a\0b\0", 1),
        (b"a\0b\0", 3),
        (b"a\0b", 2),
        (b"a\0b", 1),
        (b"ab", 0),
        (b"\0\0", 1),
        (b"a\0", 0x10001),
    ],
)
def test_labels_that_do_not_add_up_are_refused(data: bytes, count: int) -> None:
    package = with_labels(data, count)
    found = verdict(package)
    assert (found.status, found.what) == ("EFORMAT", "section")
    with pytest.raises(PackageError):
        Package(package)


@pytest.mark.parametrize(("count", "status"), [(0xFFFE, "OK"), (0xFFFF, "EFORMAT")])
def test_the_most_labels(count: int, status: str) -> None:
    assert verdict(with_labels(bytes(count), count)).status == status


def test_labels_that_are_not_utf8_are_refused_by_hosts() -> None:
    with pytest.raises(PackageError, match="labels: are not UTF-8"):
        Package(with_labels(b"\xff\xfe\0", 1))


def test_empty_and_foreign_labels_survive() -> None:
    labels = ("", "zwölf", "七", "\N{GRINNING FACE}", "a b\tc", "x" * 1000)
    data = with_labels(b"".join(label.encode() + b"\0" for label in labels), len(labels))
    assert Package(data).labels == labels


# What hosts read only


@pytest.mark.parametrize("kind", [Section.META, Section.NAMES])
@pytest.mark.parametrize("text", [b"\xff", b"[]", b"{", b"null", b"[" * 100000])
def test_a_host_section_that_is_no_json_object_is_refused_by_hosts(
    kind: Section, text: bytes
) -> None:
    sections = [
        replace(row, data=text) if row.kind == kind else row for row in rows(rich().package)
    ]
    data = assembled(rich().package, sections)
    assert verdict(data).status == "OK"
    with pytest.raises(PackageError, match=f"section {kind.name.lower()}: is not a JSON object"):
        Package(data)


@pytest.mark.parametrize(
    "text", [b"{}", b'{"tensors": 1}', b'{"tensors": [1, null], "ops": {}}', b'{"other": []}']
)
def test_odd_names_do_no_harm(text: bytes) -> None:
    sections = [
        replace(row, data=text) if row.kind == Section.NAMES else row
        for row in rows(rich().package)
    ]
    package = Package(assembled(rich().package, sections))
    assert all(isinstance(tensor.name, str) for tensor in package.content.tensors)
    assert Model(package).selftest()


def test_the_alphabet_of_a_models_name() -> None:
    alphabet = string.ascii_letters + string.digits + "_.-"
    for code in range(1, 256):
        image = Image(rich().package)
        image.header.name[1] = code
        status = "OK" if chr(code) in alphabet else "EFORMAT"
        assert verdict(image.sealed()).status == status, chr(code)


def test_the_name_of_an_entry_point_ends_inside_of_its_field() -> None:
    for length, status in ((15, "OK"), (16, "EFORMAT")):
        image = Image(rich().package)
        image.entry().name[0:length] = b"a" * length
        assert verdict(image.sealed()).status == status


def test_an_entry_point_needs_a_name() -> None:
    content = rich().content
    for name in ("", "sixteen bytes!!!"):
        entry = replace(content.entries[0], name=name)
        with pytest.raises(PackageError, match="entry point name"):
            write_package(replace(content, entries=(entry,)))
    longest = replace(content.entries[0], name="fünfzehn bytes")
    assert isinstance(longest, EntryRecord)
    assert verdict(write_package(replace(content, entries=(longest,)))).status == "OK"
