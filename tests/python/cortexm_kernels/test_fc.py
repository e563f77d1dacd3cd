# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random tests of kernels, assembly and twin, on every Cortex-M and on this computer."""

from __future__ import annotations

import fcntl
import subprocess
from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "tests" / "cortexm" / "kernels_fc"
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
LEAST_CASES = 1000


def build(name: str, *options: str) -> Path:
    """Build the test program in the repository's build folder; the path without its suffix."""
    directory = ROOT / "build" / "kernels_fc" / name
    directory.mkdir(parents=True, exist_ok=True)
    configure = ["cmake", "-S", str(SOURCE), "-B", str(directory), "-G", "Ninja", *options]
    with (directory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(directory)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return directory / "kernels_fc"


def assert_all_hold(exit_code: int, stdout: str) -> None:
    assert exit_code == 0, stdout
    counts = dict(line.rsplit(" ", 1) for line in stdout.splitlines())
    assert int(counts["cases"]) >= LEAST_CASES
    assert int(counts["failures"]) == 0


def test_on_this_computer() -> None:
    """The portable twins, under the address and undefined-behaviour sanitizers."""
    done = subprocess.run([build("host")], capture_output=True, text=True, check=False)
    assert_all_hold(done.returncode, done.stdout + done.stderr)


@pytest.mark.parametrize("cpu", list(qemu.MACHINES))
def test_on_cortex_m(cpu: str) -> None:
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    program = build(
        cpu,
        f"-DRNV_CPU={cpu}",
        "-DCMAKE_BUILD_TYPE=MinSizeRel",
        f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}",
    )
    result = qemu.run(program.with_suffix(".elf"), cpu)
    assert_all_hold(result.exit_code, result.stdout)
