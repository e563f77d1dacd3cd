# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""SPEC.md, the C structs, the cffi binding and the Python writer agree on every byte."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest

from ranvier.compiler.ops import device_ops
from ranvier.native.binding import ffi, library
from ranvier.native.session import op_codes, text
from ranvier.package import format as fmt

CORE = Path(__file__).parents[2] / "firmware" / "core"
STRUCTS = {
    "rnv_header": fmt.HEADER,
    "rnv_section_rec": fmt.SECTION,
    "rnv_tensor_rec": fmt.TENSOR,
    "rnv_op_rec": fmt.OP,
    "rnv_step_rec": fmt.STEP,
    "rnv_entry_rec": fmt.ENTRY,
    "rnv_trailer": fmt.TRAILER,
}
ROW = re.compile(r"^\| (\d+) \| ([ui]\d+(?:\[\d+\])?) \| (\w+) \|", re.MULTILINE)
CODES = {"u8": "B", "u16": "H", "u32": "I", "i32": "i"}


OP_ROW = re.compile(r"^\| (\d+) \| ([A-Z0-9_]+) \| (.*) \|$", re.MULTILINE)
FIRST_WITHOUT_OPERANDS = 17
"""Code from which on the table of ops has no column of operands."""


def names_in(words: str) -> tuple[str, ...]:
    return tuple(re.findall(r"`(\w+)`", words))


def parameter_groups(spec: str) -> dict[str, tuple[str, ...]]:
    """The words that the tables of ops name together, as SPEC.md defines them."""
    window = spec.split("### 2.1 ")[1].split("\n###")[0]
    views = re.split(r"\*Views\* are the words|\*out view\*", spec)[1]
    return {
        "window": tuple(
            re.findall(r"\w+", "".join(re.findall(r"^\| [\d, ]+(\|[^|]+)", window, re.M)))
        ),
        "channels": names_in(re.split(r"### 2.2 Channels: words|, and the stream", spec)[1]),
        "views": names_in(views),
        "out view": names_in(views)[3:],
        "slide": names_in(re.split(r"\*Slide\* is|`epilogue` is", spec)[1]),
        "box": (),
    }


def spec_rows(name: str) -> list[tuple[int, str, str]]:
    """``(offset, type, field)`` of the table under the heading that names the struct."""
    section = (CORE / "SPEC.md").read_text().split(f"`struct {name}`")[1].split("\n###")[0]
    return [(int(offset), kind, field) for offset, kind, field in ROW.findall(section)]


def c_layout() -> dict[tuple[str, str], tuple[int, int]]:
    """``(struct, field)`` to ``(offset, size)`` as the C compiler sees it."""
    lib = library()
    rows = [lib.rnv_layout[i] for i in range(lib.rnv_layout_count)]
    return {(text(r.type), text(r.field)): (int(r.offset), int(r.size)) for r in rows}


def size_of(kind: str) -> int:
    base, _, count = kind.partition("[")
    return struct.calcsize("<" + CODES[base]) * int(count.rstrip("]") or 1)


@pytest.mark.parametrize("name", STRUCTS)
def test_spec_matches_c(name: str) -> None:
    layout = c_layout()
    expected = {
        field: layout[name, field] for struct_name, field in layout if struct_name == name and field
    }
    assert {field: (offset, size_of(kind)) for offset, kind, field in spec_rows(name)} == expected


@pytest.mark.parametrize("name", STRUCTS)
def test_spec_matches_python(name: str) -> None:
    """The writer's struct format, cut at the spec's offsets, has the spec's types."""
    pattern = STRUCTS[name]
    assert pattern.size == c_layout()[name, ""][1]
    codes = []
    for _, kind, field in spec_rows(name):
        base, _, count = kind.partition("[")
        number = int(count.rstrip("]") or 1)
        code = "f" if field == "scale_bits" else CODES[base]
        codes.append(f"{number}s" if base == "u8" and number > 1 else code * number)
    flat = re.sub(r"(\d+)([A-Zaf-r])", lambda m: m[2] * int(m[1]), pattern.format.lstrip("<"))
    assert "".join(codes) == flat


def test_binding_matches_c() -> None:
    """cffi's sizes and offsets are the compiler's, for every public struct and field."""
    seen = set()
    for (name, field), (offset, size) in c_layout().items():
        kind = ffi.typeof(f"struct {name}")
        if not field:
            assert ffi.sizeof(kind) == size, name
            seen.add(name)
            continue
        member = dict(kind.fields)[field]
        assert (member.offset, ffi.sizeof(member.type)) == (offset, size), (name, field)
    assert seen >= set(STRUCTS)
    opaque = {"rnv_posix_driver", "rnv_ota_unpacker"}
    assert seen == {name for name in ffi.list_types()[1] if name.startswith("rnv_")} - opaque


def test_constants_match_headers() -> None:
    lib = library()
    assert fmt.MAGIC == lib.RNV_PACKAGE_MAGIC
    assert fmt.FORMAT == lib.RNV_PACKAGE_FORMAT
    assert fmt.ABI == lib.RNV_PACKAGE_ABI
    assert fmt.ALIGN == lib.RNV_PACKAGE_ALIGN
    assert fmt.MAX_RANK == lib.RNV_MAX_RANK
    assert fmt.MAX_LIVE == lib.RNV_MAX_LIVE
    assert fmt.NO_TENSOR == lib.RNV_NO_TENSOR
    assert fmt.TRAILER_BYTES == lib.RNV_TRAILER_BYTES
    assert {s.name: s.value for s in fmt.Section} == {
        name.removeprefix("RNV_SECTION_"): value
        for value, name in ffi.typeof("enum rnv_section").elements.items()
    }


def test_ops_table_is_what_the_library_reports() -> None:
    rows = [
        line.split()
        for line in (CORE / "ops.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert op_codes() == {row[1]: int(row[0]) for row in rows}
    assert all((CORE / "src" / "kernels" / row[2]).is_file() for row in rows)


def test_spec_describes_every_op() -> None:
    """Codes, names and parameters of the tables in section 2."""
    spec = (CORE / "SPEC.md").read_text().split("## 2. Ops")[1].split("## 3. ")[0]
    groups = parameter_groups(spec)
    codes: dict[str, int] = {}
    parameters: dict[int, tuple[str, ...]] = {}
    for code, name, rest in OP_ROW.findall(spec):
        codes[name] = int(code)
        cell = rest.split(" | ")[int(int(code) < FIRST_WITHOUT_OPERANDS)]
        words: tuple[str, ...] = ()
        for item in re.sub(r" \([\d.]+\)|, then.*", "", cell).split(", "):
            same = re.fullmatch(r"as (\d+)", item)
            words += parameters[int(same[1])] if same else groups.get(item) or names_in(item)
        parameters[int(code)] = words
    assert codes == op_codes()
    assert parameters == {op_codes()[name]: op.params for name, op in device_ops().items()}


def test_every_diagnosis_has_words() -> None:
    whats = ffi.typeof("enum rnv_what").elements
    words = [text(library().rnv_what_name(what)) for what in whats]
    assert "unknown" not in words
    assert len(set(words)) == len(words)
    assert text(library().rnv_what_name(len(words))) == "unknown"


def test_generator_is_xorshift32() -> None:
    """Against Marsaglia's published first outputs of the 13, 17, 5 triple for seed 2463534242."""
    state, published = 2463534242, [723471715, 2497366906, 2064144800]
    assert fmt.golden_bytes(state, 3) == bytes(value >> 24 for value in published)
