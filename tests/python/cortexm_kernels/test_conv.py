# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions over windows against plain formulas: under QEMU, and the twins on the desk."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "tests/cortexm/kernels_conv"
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"

#: Builds: the CPU ("": the desk), further arguments, and rounds of random parameters.
#: "portable" leaves the assembly out. A CPU without DSP instructions has only the twins.
BUILDS: dict[str, tuple[str, tuple[str, ...], int]] = {
    "host": ("", (), 3000),
    "portable": ("m33", ("-DRNV_PORTABLE=ON",), 100),
    **{cpu: (cpu, (), 300) for cpu in qemu.MACHINES},
}


def make(*command: str) -> None:
    """Run a build command; its output is the message where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def build(name: str, cpu: str, extra: tuple[str, ...]) -> Path:
    """Build the program in the repository's build folder."""
    if cpu:
        missing = cortexm.missing_tool()
    else:
        tools = [tool for tool in ("cc", "cmake", "ninja") if shutil.which(tool) is None]
        missing = f"{tools[0]} is not installed" if tools else None
    if missing is not None:
        pytest.skip(missing)
    folder = ROOT / "build" / "kernels_conv" / name
    folder.mkdir(parents=True, exist_ok=True)
    options = list(extra)
    if cpu:
        options += [f"-DRNV_CPU={cpu}", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"]
        options += ["-DCMAKE_BUILD_TYPE=MinSizeRel"]
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make("cmake", "-S", str(SOURCE), "-B", str(folder), "-G", "Ninja", *options)
        make("cmake", "--build", str(folder))
    return folder / "conv_test.elf"


@pytest.mark.parametrize("name", list(BUILDS))
def test_every_output_equals_the_plain_formula(name: str) -> None:
    """Whole ops, in place and by slices; nothing but outputs and scratch is written."""
    cpu, extra, rounds = BUILDS[name]
    elf = build(name, cpu, extra)
    arguments = ["1", str(rounds)]
    if cpu:
        result = qemu.run(elf, cpu, arguments)
        code, stdout, stderr = result.exit_code, result.stdout, result.stderr
    else:
        done = subprocess.run([elf, *arguments], capture_output=True, text=True, check=False)
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
    assert code == 0, stdout + stderr
    counts = {key: int(value) for key, value in re.findall(r"^(\w+) (\d+)$", stdout, re.MULTILINE)}
    assert counts.keys() == {"in_place", "failures", "rounds"}
    assert (counts["failures"], counts["rounds"]) == (0, rounds)
    assert counts["in_place"] > rounds // 3
