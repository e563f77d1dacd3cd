# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The test programs of tests/cortexm/kernels*: built and run, on every CPU and on the desk."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from pathlib import Path

import pytest

from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[3]
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"

#: Builds: the CPU ("": the desk) and further options. "portable" leaves the assembly out.
BUILDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "host": ("", ()),
    "portable": ("m33", ("-DRNV_PORTABLE=ON",)),
    **{cpu: (cpu, ()) for cpu in qemu.MACHINES},
}


def make(*command: str) -> None:
    """Run a build command; its output is the message where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def build(source: str, name: str, cpu: str, options: tuple[str, ...] = ()) -> Path:
    """Build the programs of a folder of tests/cortexm in the repository's build folder: where."""
    if cpu:
        missing = cortexm.missing_tool()
    else:
        tools = [tool for tool in ("cc", "cmake", "ninja") if shutil.which(tool) is None]
        missing = f"{tools[0]} is not installed" if tools else None
    if missing is not None:
        pytest.skip(missing)
    folder = ROOT / "build" / source / name
    folder.mkdir(parents=True, exist_ok=True)
    if cpu:
        options += (f"-DRNV_CPU={cpu}", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}")
        options += ("-DCMAKE_BUILD_TYPE=MinSizeRel",)
    configure = ("cmake", "-S", str(ROOT / "tests/cortexm" / source), "-B", str(folder))
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        make(*configure, "-G", "Ninja", *options)
        make("cmake", "--build", str(folder))
    return folder


def run(program: Path, cpu: str, *arguments: str) -> str:
    """What a program prints, which must succeed."""
    if cpu:
        result = qemu.run(program, cpu, arguments)
        code, stdout, stderr = result.exit_code, result.stdout, result.stderr
    else:
        done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
        code, stdout, stderr = done.returncode, done.stdout, done.stderr
    assert code == 0, stdout + stderr
    return stdout
