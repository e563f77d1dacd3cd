# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The bare-metal port: start-up, faults, stack measurement, semihosting, instruction counts."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ranvier.errors import ToolError
from ranvier.testing import qemu
from ranvier.testing.cortexm import Firmware

EXIT_FAULT = 70
STACK_BYTES = 8192


@pytest.mark.parametrize("code", [0, 1, 37, 255])
def test_exit_code_reaches_the_host(firmware: Firmware, code: int) -> None:
    assert firmware.run("port_test", "exit", str(code)).exit_code == code


@pytest.mark.parametrize("size", [0, 1, 1000, 3500])
def test_file_survives_a_round_trip(firmware: Firmware, size: int, tmp_path: Path) -> None:
    data = random.Random(size).randbytes(size)
    (tmp_path / "in,1.bin").write_bytes(data)
    result = firmware.run("port_test", "copy", "in,1.bin", "out.bin", cwd=tmp_path).check()
    assert result.stdout == f"length: {size}\n"
    assert (tmp_path / "out.bin").read_bytes() == data


def test_missing_file_is_an_error_code(firmware: Firmware, tmp_path: Path) -> None:
    result = firmware.run("port_test", "copy", "none.bin", "out.bin", cwd=tmp_path)
    assert (result.exit_code, result.stdout) == (1, "open: -2\n")


def test_float_and_vector_instructions_execute(firmware: Firmware) -> None:
    expected = sum(range(64)) + int(1.5 * 2.25 * 1000)
    kind = "mve vector" if firmware.cpu == "m55" else "vector"
    assert firmware.run("port_test", "vector").check().stdout == f"{kind}: {expected}\n"


def test_unaligned_word_access_is_allowed(firmware: Firmware) -> None:
    firmware.run("port_test", "unaligned").check()


@pytest.mark.parametrize(
    ("kind", "name", "cfsr"),
    [
        ("bus", "BusFault", 0x00008200),
        ("undefined", "UsageFault", 0x00010000),
        ("divide", "UsageFault", 0x02000000),
    ],
)
def test_fault_is_reported(firmware: Firmware, kind: str, name: str, cfsr: int) -> None:
    result = firmware.run("port_test", "fault", kind)
    assert result.exit_code == EXIT_FAULT
    assert result.stdout.startswith(f"fault: {name} pc=0x")
    assert f"cfsr=0x{cfsr:08x}" in result.stdout


@pytest.mark.parametrize("size", [STACK_BYTES + 100, 3 * STACK_BYTES])
def test_stack_overflow_is_a_fault(firmware: Firmware, size: int) -> None:
    result = firmware.run("port_test", "stack", str(size))
    assert result.exit_code == EXIT_FAULT
    assert "(stack overflow)" in result.stdout


@pytest.mark.parametrize("size", [0, 100, 4000, 7000])
def test_stack_high_water(firmware: Firmware, size: int) -> None:
    stdout = firmware.run("port_test", "stack", str(size)).check().stdout
    frame_bytes = 64
    assert size <= int(stdout.removeprefix("stack: ")) <= size + frame_bytes


def test_dsp_instruction_executes_where_there_is_one(firmware: Firmware) -> None:
    result = firmware.run("port_test", "dsp")
    if firmware.cpu == "m33-nodsp":
        assert result.exit_code == EXIT_FAULT
        assert "UsageFault" in result.stdout
    else:
        assert result.check().stdout == f"dsp: {(7 + 11 << 16) + 3 + 5}\n"


def test_instruction_count_is_exact(firmware: Firmware) -> None:
    """A loop of two instructions a turn, run with n and 2n turns, differs by 2n."""
    turns = 12345
    result = firmware.run("port_test", "loop", str(turns), counter=firmware.counter()).check()
    if result.count_note is not None:
        pytest.skip(result.count_note)
    assert result.granularity == 1.0
    once, twice = result.counts["loop"]
    assert twice - once == 2 * turns
    assert 0 <= once - 2 * turns <= 8


def check_ticks(result: qemu.Result, turns: int) -> None:
    """Two regions of ``2 * turns`` and twice as many instructions, counted by SysTick."""
    assert result.check().stdout == ""
    assert 1.0 < result.granularity < 100.0
    assert f"one tick is {result.granularity:.2f} instructions" in str(result.count_note)
    assert set(result.counts) == {"loop"}
    for count, factor in zip(result.counts["loop"], (2, 4), strict=True):
        assert count == pytest.approx(factor * turns, rel=1e-4, abs=2 * result.granularity)


@pytest.mark.parametrize("turns", [1000, 12345, 20_000_000])
def test_systick_counts_without_a_plugin(firmware: Firmware, turns: int) -> None:
    result = firmware.run("port_test", "loop", str(turns), counter=qemu.Counter(None))
    check_ticks(result, turns)
    assert "as asked for" in str(result.count_note)


def test_systick_counts_where_the_plugin_cannot_be_built(
    firmware: Firmware, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.c"
    broken.write_text("#error broken on purpose\n")
    result = firmware.run("port_test", "loop", "1000", counter=qemu.Counter(broken))
    check_ticks(result, 1000)
    assert "broken on purpose" in str(result.count_note)


def test_systick_counts_where_qemu_refuses_the_plugin(firmware: Firmware, tmp_path: Path) -> None:
    source = tmp_path / "icount.c"
    source.write_text("int qemu_plugin_version = 99999;\nint qemu_plugin_install;\n")
    result = firmware.run("port_test", "loop", "1000", counter=qemu.Counter(source))
    check_ticks(result, 1000)
    assert "Could not load plugin" in str(result.count_note)


def test_program_that_counts_nothing_runs_all_the_same(firmware: Firmware) -> None:
    result = firmware.run("port_test", "unaligned", counter=qemu.Counter(None)).check()
    assert result.counts == {}
    assert str(result.count_note).startswith("no count")


def test_mix_of_instructions(firmware: Firmware) -> None:
    """The loop has one subtraction and one branch a turn; the mix adds up to the count."""
    turns = 12345
    result = firmware.run("port_test", "loop", str(turns), counter=firmware.counter("loop")).check()
    if result.count_note is not None:
        pytest.skip(result.count_note)
    mix = dict(result.mix)
    assert sum(mix.values()) == result.counts["loop"][-1]
    assert sorted(mix.values(), reverse=True)[:2] == [2 * turns, 2 * turns]
    assert any(name.startswith("sub") for name in mix)


def test_program_that_does_not_end_is_stopped(firmware: Firmware) -> None:
    with pytest.raises(ToolError, match="did not end within"):
        qemu.run(firmware.elf("port_test"), firmware.cpu, ["loop", "2000000000"], timeout_s=0.5)


def test_argument_with_a_space_is_refused(firmware: Firmware) -> None:
    with pytest.raises(ToolError, match="has a space"):
        firmware.run("port_test", "copy", "a b", "c")


def test_unknown_cpu_is_refused() -> None:
    with pytest.raises(ToolError, match="no QEMU machine"):
        qemu.run(Path("x.elf"), "m99")
