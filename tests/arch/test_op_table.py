# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""One op is one row of ops.txt, one C file and one Python file, and these agree."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

import ranvier.compiler.ops as compiler_ops
from ranvier.compiler.ops import device_ops, op_specs

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "firmware" / "core"
KERNELS = CORE / "src" / "kernels"
KERNEL = re.compile(r"^const struct rnv_kernel (\w+) = ", re.MULTILINE)


@dataclass(frozen=True)
class Row:
    """A row of ops.txt."""

    code: int
    name: str
    source: Path
    symbol: str


def table() -> list[Row]:
    lines = (CORE / "ops.txt").read_text(encoding="utf-8").splitlines()
    fields = [line.split() for line in lines if line and not line.startswith("#")]
    return [Row(int(code), name, KERNELS / source, sym) for code, name, source, sym in fields]


ROWS = table()
per_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def test_rows_are_unique_and_ascend() -> None:
    codes = [row.code for row in ROWS]
    assert codes == sorted(set(codes))
    assert 1 <= min(codes) <= max(codes) <= 255
    for field in ("name", "source", "symbol"):
        assert max(Counter(getattr(row, field) for row in ROWS).values()) == 1


def test_codes_stay_what_they_are() -> None:
    """Codes are in packages that exist: none of these may ever change."""
    fixed = {
        "CONV_2D_S8": 1,
        "DEPTHWISE_CONV_2D_S8": 2,
        "FULLY_CONNECTED_S8": 3,
        "AVERAGE_POOL_2D_S8": 4,
        "MAX_POOL_2D_S8": 5,
        "ADD_S8": 6,
        "MUL_S8": 7,
        "SOFTMAX_S8": 8,
        "MEAN_S8": 9,
        "LUT_8": 10,
        "LUT_32": 11,
        "QUANTIZE_F32": 12,
        "COPY": 13,
        "PAD": 14,
        "CONCATENATION": 15,
        "RESIZE_NEAREST": 16,
        "POINTWISE_DSP_S8": 17,
        "CONV_PLANES_DSP_S8": 18,
        "CONV_PIXELS_DSP_S8": 19,
        "DEPTHWISE_DSP_S8": 20,
        "FULLY_CONNECTED_DSP_S8": 21,
        "WINOGRAD_DSP_S8": 22,
        "ADD_TABLES_S8": 23,
        "DEPTHWISE_PLANES_S8": 24,
        "POINTWISE_BASE_S8": 25,
        "CONV_PLANES_BASE_S8": 26,
        "CONV_PIXELS_BASE_S8": 27,
        "FULLY_CONNECTED_BASE_S8": 28,
        "WINDOW_S16": 29,
        "FFT_AUTO_SCALE": 30,
        "RFFT_S16": 31,
        "ENERGY": 32,
        "FILTER_BANK": 33,
        "FILTER_BANK_SQUARE_ROOT": 34,
        "SPECTRAL_SUBTRACTION": 35,
        "PCAN": 36,
        "FILTER_BANK_LOG": 37,
        "QUANTIZE_S16": 38,
        "STREAM_PUSH": 39,
        "CLEAR": 40,
        "MATMUL_S16": 41,
        "IMAGE": 42,
        "CHANNEL_TABLE": 43,
        "ARG_MAX_S8": 44,
        "RESIZE_BILINEAR_S8": 45,
        "TOP_K_S8": 46,
        "DETECT_S8": 47,
        "NMS": 48,
        "SMOOTH_S8": 49,
        "CONV_2D_F32": 60,
        "DEPTHWISE_CONV_2D_F32": 61,
        "FULLY_CONNECTED_F32": 62,
        "AVERAGE_POOL_2D_F32": 63,
        "MAX_POOL_2D_F32": 64,
        "ADD_F32": 65,
        "MUL_F32": 66,
        "SOFTMAX_F32": 67,
        "MEAN_F32": 68,
        "CLAMP_F32": 69,
        "LEAKY_RELU_F32": 70,
        "HARD_SWISH_F32": 71,
        "LOGISTIC_F32": 72,
        "TANH_F32": 73,
    }
    assert {row.name: row.code for row in ROWS}.items() >= fixed.items()


@per_row
def test_a_row_has_its_kernel(row: Row) -> None:
    assert KERNEL.findall(row.source.read_text(encoding="utf-8")) == [row.symbol]
    assert row.symbol == f"rnv_{row.name.lower()}"
    portable = row.source.parent.name in ("s8", "signal", "vision")
    packing = "" if portable else f"_{row.source.parent.name}"
    assert packing in ("", "_dsp", "_base", "_f32")
    assert row.name.lower().removesuffix("_s8") == f"{row.source.stem}{packing}"


def test_every_kernel_has_a_row() -> None:
    """Its own file, or one of the same name as a portable one in the folder of a variant."""
    rows = {row.source: row for row in ROWS}
    for path in sorted(KERNELS.rglob("*.c")):
        symbols = KERNEL.findall(path.read_text(encoding="utf-8"))
        if symbols:
            row = rows.get(path) or rows[KERNELS / "s8" / path.name]
            assert symbols == [row.symbol], path


def with_headers(path: Path) -> str:
    """A source and all of the kernels' headers that it includes, each once."""
    texts: dict[Path, str] = {}
    waiting = [path]
    while waiting:
        name = waiting.pop(0)
        if name not in texts:
            texts[name] = name.read_text(encoding="utf-8")
            included = re.findall(r'^#include "(kernels/\w+/\w+\.h)"', texts[name], re.MULTILINE)
            waiting += [CORE / "src" / header for header in included]
    return "".join(texts.values())


def struct_words(name: str, text: str) -> list[str]:
    """Names of a struct's int32 words, in order; ``text`` also has the structs inside of it.

    The words of a view have the view's name before them: an op has several.
    """
    match = re.search(rf"^struct {name} \{{\n(.*?)^\}};", text, re.MULTILINE | re.DOTALL)
    assert match is not None, name
    body = re.sub(r"/\*.*?\*/", "", match[1], flags=re.DOTALL)
    fields = re.findall(r"^\t(int32_t|struct \w+) (\w+);", body, re.MULTILINE)
    assert len(fields) == body.count(";")
    words = []
    for kind, field in fields:
        if kind == "int32_t":
            words.append(field)
            continue
        inner = struct_words(kind.split()[1], text)
        words += [f"{field}_{word}" for word in inner] if kind == "struct rnv_view" else inner
    return words


@per_row
def test_parameters_have_the_same_names_in_c_and_python(row: Row) -> None:
    """The struct's int32 fields, in order, are the words that the compiler writes.

    The struct is the op's own or, where ops share it, in a header that the op's file includes.
    """
    text = with_headers(row.source)
    stem, packing = row.source.stem, row.source.parent.name
    names = {stem, f"rnv_{stem}", f"{stem}_{packing}"}
    names |= {"rnv_pool"} if stem.endswith("_pool_2d") else set()
    names |= {"rnv_f32_conv"} if row.source.parent.name == "f32" else set()
    structs = re.findall(r"^struct (\w+)_params \{", text, re.MULTILINE)
    (struct,) = [name for name in structs if name in names]
    words = struct_words(f"{struct}_params", text)
    if struct == "rnv_f32_conv":  # the word that says how channels are divided among filters
        word = "depth_multiplier" if stem.startswith("depthwise") else "groups"
        words[words.index("split")] = word
    assert tuple(words) == device_ops()[row.name].params


def test_the_compiler_knows_exactly_the_rows() -> None:
    assert set(device_ops()) == {row.name for row in ROWS}


def test_every_op_is_described_once() -> None:
    found: Counter[str] = Counter()
    for info in pkgutil.iter_modules(compiler_ops.__path__):
        module = importlib.import_module(f"{compiler_ops.__name__}.{info.name}")
        found.update(f"device {op.name}" for op in getattr(module, "DEVICE_OPS", ()))
        found.update(op.kind for op in getattr(module, "OPS", ()))
    assert max(found.values()) == 1
    assert len(found) == len(device_ops()) + len(op_specs())


def test_the_build_lists_every_source_of_the_core() -> None:
    listed = set(
        re.findall(r"\$\{RNV_CORE_DIR\}/(src/[\w/]+\.c)", (CORE / "sources.cmake").read_text())
    )
    present = {
        str(path.relative_to(CORE))
        for path in (CORE / "src").rglob("*.c")
        if path.parent.parent != KERNELS  # those are found by their folders
    }
    assert listed == present
