# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packed inner loops against plain formulas: assembly and twins under QEMU, twins on the desk."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "tests/cortexm/kernels"
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"

#: Rounds of random parameters for each program.
ROUNDS = {"gemm_test": 2000, "pointwise_test": 600}
SEEDS = (1, 2026)

#: Builds: the CPU ("": the desk) and further arguments. "portable" leaves the assembly out.
BUILDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "host": ("", ()),
    "portable": ("m33", ("-DRNV_PORTABLE=ON",)),
    **{cpu: (cpu, ()) for cpu in qemu.MACHINES},
}


def make(*command: str) -> None:
    """Run a build command; its output is the message where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session", params=list(BUILDS))
def programs(request: pytest.FixtureRequest) -> tuple[str, Path]:
    """Build the programs; the CPU ("" for the desk) and the folder."""
    cpu, extra = BUILDS[request.param]
    if cpu:
        missing = cortexm.missing_tool()
    else:
        tools = [tool for tool in ("cc", "cmake", "ninja") if shutil.which(tool) is None]
        missing = f"{tools[0]} is not installed" if tools else None
    if missing is not None:
        pytest.skip(missing)
    folder = ROOT / "build" / "kernels" / request.param
    folder.mkdir(parents=True, exist_ok=True)
    options = list(extra)
    if cpu:
        options += [f"-DRNV_CPU={cpu}", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"]
        options += ["-DCMAKE_BUILD_TYPE=MinSizeRel"]
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make("cmake", "-S", str(SOURCE), "-B", str(folder), "-G", "Ninja", *options)
        make("cmake", "--build", str(folder))
    return cpu, folder


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("program", list(ROUNDS))
def test_every_output_equals_the_plain_formula(
    programs: tuple[str, Path], program: str, seed: int
) -> None:
    cpu, folder = programs
    elf = folder / f"{program}.elf"
    arguments = [str(seed), str(ROUNDS[program])]
    if cpu:
        result = qemu.run(elf, cpu, arguments)
        code, stdout, stderr = result.exit_code, result.stdout, result.stderr
    else:
        done = subprocess.run([elf, *arguments], capture_output=True, text=True, check=False)
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
    assert code == 0, stdout + stderr
    assert stdout.strip().endswith(f"rounds {ROUNDS[program]}")
