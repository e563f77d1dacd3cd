# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the bare-metal Cortex-M programs of ``tests/cortexm`` and runs them under QEMU."""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing import qemu

#: The tools that building and running need, and the Debian packages that have them.
TOOLS = {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "cmake": "cmake",
    "ninja": "ninja-build",
    "qemu-system-arm": "qemu-system-arm",
}


@dataclass(frozen=True)
class Firmware:
    """The built programs for one CPU; ``root`` is the repository."""

    root: Path
    cpu: str
    directory: Path

    def elf(self, program: str) -> Path:
        """Path of a program: ``port_test`` or ``runner``."""
        return self.directory / f"{program}.elf"

    def counter(self, mix: str | None = None) -> qemu.Counter:
        """The exact counter; ``mix`` as in :class:`qemu.Counter`."""
        return qemu.Counter(self.root / "benchmarks/cortexm/icount/icount.c", mix)

    def run(
        self,
        program: str,
        *args: str,
        cwd: Path | None = None,
        counter: qemu.Counter | None = None,
    ) -> qemu.Result:
        """Run a program; with ``counter``, count the instructions of its regions."""
        return qemu.run(self.elf(program), self.cpu, args, cwd=cwd, counter=counter)


@dataclass(frozen=True)
class Run:
    """What ``runner`` did with a package: outputs, printed sizes, instructions where counted.

    ``sizes`` has package_bytes, arena_bytes, state_bytes, io_bytes, view_bytes, exec_bytes,
    externals_bytes, open_stack_bytes, infer_stack_bytes, sets and selftest (a status of
    ``ranvier/status.h``).
    ``result.counts`` has open (with CRC), verify (the same without), infer and step.
    """

    outputs: bytes
    sizes: dict[str, int]
    result: qemu.Result


def missing_tool() -> str | None:
    """Name and remedy of the first tool that is not installed, or None."""
    for tool, packages in TOOLS.items():
        if shutil.which(tool) is None:
            return f"{tool} is not installed; try: apt-get install {packages}"
    return None


def build(
    root: Path, cpu: str, *, ops: Sequence[str] = (), build_type: str = "MinSizeRel"
) -> Firmware:
    """Build the programs with the ops named (none: all), in ``build/cortexm`` of the repository.

    Raises :class:`ToolError` if a tool is missing or the build fails.
    """
    missing = missing_tool()
    if missing is not None:
        raise ToolError(missing)
    variant = f"{cpu}-{build_type.lower()}"
    if ops:
        variant += "-" + hashlib.sha256(";".join(sorted(ops)).encode()).hexdigest()[:8]
    directory = root / "build" / "cortexm" / variant
    directory.mkdir(parents=True, exist_ok=True)
    toolchain = root / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
    configure = ["cmake", "-S", str(root / "tests/cortexm"), "-B", str(directory), "-G", "Ninja"]
    configure += [f"-DRNV_CPU={cpu}", f"-DCMAKE_BUILD_TYPE={build_type}"]
    configure += [f"-DRANVIER_OPS={';'.join(ops)}", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"]
    with (directory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _make(configure)
        _make(["cmake", "--build", str(directory)])
    return Firmware(root, cpu, directory)


def run_package(
    firmware: Firmware,
    package: bytes,
    inputs: bytes,
    scratch: Path,
    *,
    counter: qemu.Counter | None = None,
) -> Run:
    """Run ``package`` on concatenated input sets; ``scratch`` is an existing empty directory.

    Raises :class:`ToolError` with the program's message if anything fails.
    """
    (scratch / "package.rnv").write_bytes(package)
    (scratch / "inputs.bin").write_bytes(inputs)
    arguments = ("package.rnv", "inputs.bin", "outputs.bin")
    result = firmware.run("runner", *arguments, cwd=scratch, counter=counter).check()
    sizes = {}
    for line in result.stdout.splitlines():
        name, value = line.split()
        sizes[name] = int(value)
    return Run((scratch / "outputs.bin").read_bytes(), sizes, result)


def _make(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolError(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
