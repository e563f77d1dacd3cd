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


def test_instruction_count_is_exact(firmware: Firmware) -> None:
    """A loop of two instructions a turn, run with n and 2n turns, differs by 2n."""
    turns = 12345
    result = firmware.run("port_test", "loop", str(turns), count=True).check()
    if result.count_note is not None:
        pytest.skip(result.count_note)
    once, twice = result.counts["loop"]
    assert twice - once == 2 * turns
    assert 0 <= once - 2 * turns <= 8


def test_program_runs_without_a_plugin(firmware: Firmware, tmp_path: Path) -> None:
    """Where the plugin cannot be built, the program runs and the note says why."""
    broken = tmp_path / "broken.c"
    broken.write_text("#error broken on purpose\n")
    result = qemu.run(firmware.elf("port_test"), firmware.cpu, ["exit", "5"], icount=broken)
    assert result.exit_code == 5
    assert result.counts == {}
    assert result.count_note is not None
    assert "broken on purpose" in result.count_note


def test_plugin_that_qemu_refuses_is_no_failure(firmware: Firmware, tmp_path: Path) -> None:
    source = tmp_path / "icount.c"
    source.write_text("int qemu_plugin_version = 99999;\nint qemu_plugin_install;\n")
    result = qemu.run(firmware.elf("port_test"), firmware.cpu, ["exit", "5"], icount=source)
    assert result.exit_code == 5
    assert result.count_note is not None
    assert "Could not load plugin" in result.count_note


def test_program_that_does_not_end_is_stopped(firmware: Firmware) -> None:
    with pytest.raises(ToolError, match="did not end within"):
        qemu.run(firmware.elf("port_test"), firmware.cpu, ["loop", "2000000000"], timeout_s=0.5)


def test_argument_with_a_space_is_refused(firmware: Firmware) -> None:
    with pytest.raises(ToolError, match="has a space"):
        firmware.run("port_test", "copy", "a b", "c")


def test_unknown_cpu_is_refused() -> None:
    with pytest.raises(ToolError, match="no QEMU machine"):
        qemu.run(Path("x.elf"), "m7")
