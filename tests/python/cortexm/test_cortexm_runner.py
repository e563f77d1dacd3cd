# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The runner program: hand-made packages of two table look-ups, computed again in Python."""

from __future__ import annotations

import random
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

from ranvier.errors import ToolError
from ranvier.native.session import VIEW_BYTES_32
from ranvier.package.format import golden_bytes
from ranvier.package.records import (
    EntryRecord,
    Golden,
    IoMode,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.writer import write_package
from ranvier.testing import qemu
from ranvier.testing.cortexm import Firmware, run_package

INT8 = 1
LUT_8 = 10
ELEMENTS = 100
SETS = 5
SEED = 7
EBADMSG = -74
EINVAL = -22

_RANDOM = random.Random(1)
TABLES = [bytes(_RANDOM.choices(range(256), k=256)) for _ in range(2)]
INPUTS = _RANDOM.randbytes(SETS * ELEMENTS)


def look_up(data: bytes) -> bytes:
    """Compute what the packages of this file compute."""
    return bytes(TABLES[1][TABLES[0][byte]] for byte in data)


def golden(outputs: bytes) -> Golden:
    """The self-test of the seed that expects ``outputs``."""
    between = bytes(TABLES[0][byte] for byte in golden_bytes(SEED, ELEMENTS))
    return Golden(
        SEED, outputs, zlib.crc32(look_up(golden_bytes(SEED, ELEMENTS)), zlib.crc32(between))
    )


def content(mode: IoMode) -> PackageContent:
    """Input -> table -> arena -> table -> output; each tensor at a place of its own."""
    shape = (1, ELEMENTS)
    padded = (ELEMENTS + 15) // 16 * 16
    io = Storage.ARENA if mode is IoMode.RESIDENT else Storage.EXTERNAL
    places = [padded, 2 * padded] if mode is IoMode.RESIDENT else [0, 1]
    tensors = (
        TensorRecord("in", INT8, shape, io, places[0], ELEMENTS, 0, 0, is_input=True),
        TensorRecord("between", INT8, shape, Storage.ARENA, 0, ELEMENTS, 0, 1),
        TensorRecord("out", INT8, shape, io, places[1], ELEMENTS, 1, 1, is_output=True),
    )
    ops = tuple(
        OpRecord(f"table{i}", LUT_8, (i,), (i + 1,), (ELEMENTS,), TABLES[i]) for i in range(2)
    )
    return PackageContent(
        name="tables",
        version=(1, 0, 0),
        io_mode=mode,
        arena_bytes=(3 if mode is IoMode.RESIDENT else 1) * padded,
        max_live=3,
        tensors=tensors,
        ops=ops,
        steps=(StepRecord(0), StepRecord(1)),
        entries=(EntryRecord("infer", 0, 2, (0,), (2,)),),
        golden=golden(look_up(golden_bytes(SEED, ELEMENTS))),
    )


@pytest.mark.parametrize("mode", list(IoMode))
def test_outputs_and_sizes(firmware: Firmware, mode: IoMode, tmp_path: Path) -> None:
    package = content(mode)
    data = write_package(package)
    run = run_package(firmware, data, INPUTS, tmp_path)
    assert run.outputs == look_up(INPUTS)
    assert run.sizes["package_bytes"] == len(data)
    assert run.sizes["arena_bytes"] == package.arena_bytes
    assert run.sizes["io_bytes"] == (0 if mode is IoMode.RESIDENT else 2 * ELEMENTS)
    assert run.sizes["sets"] == SETS
    assert run.sizes["selftest"] == 0
    assert run.sizes["view_bytes"] + run.sizes["exec_bytes"] == VIEW_BYTES_32
    assert run.sizes["externals_bytes"] == (0 if mode is IoMode.RESIDENT else 2 * 4)
    assert VIEW_BYTES_32 <= 256
    assert 0 < run.sizes["open_stack_bytes"] <= 256
    assert 0 < run.sizes["infer_stack_bytes"] < 4096


def test_instructions_are_counted_for_each_set(firmware: Firmware, tmp_path: Path) -> None:
    data = write_package(content(IoMode.KEPT))
    run = run_package(firmware, data, INPUTS, tmp_path, counter=firmware.counter())
    assert run.outputs == look_up(INPUTS)
    if run.result.count_note is not None:
        pytest.skip(run.result.count_note)
    counts = run.result.counts
    assert len(counts["infer"]) == SETS
    assert len(set(counts["infer"])) == 1, "the same work takes the same number of instructions"
    assert counts["infer"][0] > 2 * 2 * ELEMENTS
    assert counts["open"][0] > counts["verify"][0] > 0


def test_systick_agrees_with_the_plugin(firmware: Firmware, tmp_path: Path) -> None:
    data = write_package(content(IoMode.KEPT))
    exact = run_package(firmware, data, INPUTS, tmp_path, counter=firmware.counter()).result
    if exact.count_note is not None:
        pytest.skip(exact.count_note)
    run = run_package(firmware, data, INPUTS, tmp_path, counter=qemu.Counter(None))
    assert run.outputs == look_up(INPUTS)
    assert run.sizes["sets"] == SETS
    noting = 100  # instructions of a region's two notes, and of those of the regions in it
    for region, counts in exact.counts.items():
        for count, coarse in zip(counts, run.result.counts[region], strict=True):
            assert -run.result.granularity <= coarse - count
            assert coarse - count <= run.result.granularity + 3 * noting


def test_package_without_selftest(firmware: Firmware, tmp_path: Path) -> None:
    data = write_package(replace(content(IoMode.KEPT), golden=None))
    assert run_package(firmware, data, b"", tmp_path).sizes["selftest"] == EINVAL


def test_wrong_selftest_is_reported(firmware: Firmware, tmp_path: Path) -> None:
    outputs = bytearray(look_up(golden_bytes(SEED, ELEMENTS)))
    outputs[-1] ^= 1
    data = write_package(replace(content(IoMode.KEPT), golden=golden(bytes(outputs))))
    with pytest.raises(ToolError, match=f"self-test of the package: {EBADMSG}"):
        run_package(firmware, data, INPUTS, tmp_path)


def test_damaged_package_is_refused(firmware: Firmware, tmp_path: Path) -> None:
    data = bytearray(write_package(content(IoMode.KEPT)))
    data[data.index(TABLES[0]) + 100] ^= 0x10
    with pytest.raises(ToolError, match=f"CRC-32: {EBADMSG}"):
        run_package(firmware, bytes(data), INPUTS, tmp_path)


def test_inputs_that_end_inside_a_set_are_refused(firmware: Firmware, tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="inputs end inside a set; bytes missing: 1"):
        run_package(firmware, write_package(content(IoMode.KEPT)), INPUTS[:-1], tmp_path)
