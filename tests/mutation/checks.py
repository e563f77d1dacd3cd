# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What is run to find a mutant: programs on the desk and under QEMU, unit tests, pytest."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ranvier.errors import ToolError
from ranvier.testing import qemu

#: A build takes longer than this only if it hangs.
BUILD_SECONDS = 900.0


@dataclass(frozen=True)
class Workplace:
    """A copy of the sources, and where its builds go."""

    tree: Path
    builds: Path


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code (None: it did not end in time), what it said, and when."""

    code: int | None
    said: str
    seconds: float


class Check(Protocol):
    """Something that a mutant may fail."""

    @property
    def name(self) -> str:
        """What it is called in reports."""

    def build(self, at: Workplace) -> str | None:
        """Bring the builds up to date; the compiler's message where that fails."""

    def run(self, at: Workplace, timeout_s: float) -> Ended:
        """Run the tests."""


def execute(
    command: Sequence[str], cwd: Path, timeout_s: float, environment: dict[str, str] | None = None
) -> Ended:
    """Run a command in a session of its own, so that nothing of it outlives the time-out."""
    begin = time.monotonic()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=timeout_s)
        code: int | None = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        code = None
    return Ended(code, said, time.monotonic() - begin)


def emulated(elf: Path, cpu: str, arguments: Sequence[str], timeout_s: float) -> Ended:
    """Run a program under QEMU."""
    begin = time.monotonic()
    try:
        result = qemu.run(elf, cpu, arguments, timeout_s=timeout_s)
    except ToolError as error:
        return Ended(None, str(error), time.monotonic() - begin)
    return Ended(result.exit_code, result.stdout + result.stderr, time.monotonic() - begin)


def cmake(at: Workplace, name: str, source: str, options: Sequence[str], goals: str) -> str | None:
    """Configure a build the first time, and build; the message where that fails."""
    folder = at.builds / name
    if not (folder / "build.ninja").exists():
        command = ["cmake", "-S", str(at.tree / source), "-B", str(folder), "-G", "Ninja", *options]
        done = execute(command, at.tree, BUILD_SECONDS)
        if done.code != 0:
            return done.said
    command = ["cmake", "--build", str(folder)]
    done = execute(
        [*command, *(["--target", *goals.split()] if goals else [])], at.tree, BUILD_SECONDS
    )
    return None if done.code == 0 else done.said


def native(at: Workplace, kernels: str = "host") -> str | None:
    """Build the copy's native core for Python; the message where that fails."""
    said = cmake(at, f"native-{kernels}", "host/native", (f"-DRANVIER_KERNELS={kernels}",), "")
    if said is None:
        link_headers(at.tree, at.builds / f"native-{kernels}" / "include")
    return said


def link_headers(tree: Path, include: Path) -> None:
    """The headers of a copy where the binding looks for them, beside its library."""
    include.mkdir(parents=True, exist_ok=True)
    for folder in ("core/include/ranvier", "port/posix/include/posix"):
        link = include / Path(folder).name
        if not link.exists():
            link.symlink_to(tree / "firmware" / folder)


def session(at: Workplace, kernels: str = "host") -> dict[str, str]:
    """The environment in which Python uses the copy and its native core."""
    return {
        "PYTHONPATH": str(at.tree / "host/src"),
        "RANVIER_LIBRARY": str(at.builds / f"native-{kernels}" / "libranvier.so"),
    }


_RUN_MODULE = """
import runpy, sys
sys.meta_path[:] = [f for f in sys.meta_path if "ScikitBuild" not in type(f).__name__]
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def python(module: str, *arguments: str) -> list[str]:
    """``python -m module`` without the finder by which an editable install finds its sources."""
    return [sys.executable, "-c", _RUN_MODULE, module, *arguments]


@dataclass(frozen=True)
class Program:
    """Test programs of ``tests/cortexm``: for a CPU under QEMU, or ("") for this computer."""

    source: str
    cpu: str
    runs: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.source} {self.cpu or 'host'}"

    def build(self, at: Workplace) -> str | None:
        options = []
        if self.cpu:
            toolchain = at.tree / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
            options = [f"-DRNV_CPU={self.cpu}", f"-DCMAKE_TOOLCHAIN_FILE={toolchain}"]
            options += ["-DCMAKE_BUILD_TYPE=MinSizeRel"]
        return cmake(at, self._folder, f"tests/cortexm/{self.source}", options, "")

    def run(self, at: Workplace, timeout_s: float) -> Ended:
        seconds = 0.0
        for run in self.runs:
            program, *arguments = run.split()
            path = at.builds / self._folder / program
            path = path if path.exists() else path.with_suffix(".elf")
            if self.cpu:
                done = emulated(path, self.cpu, arguments, timeout_s)
            else:
                done = execute([str(path), *arguments], at.builds, timeout_s)
            seconds += done.seconds
            if done.code != 0:
                return done
        return Ended(0, "", seconds)

    @property
    def _folder(self) -> str:
        return f"{self.source}-{self.cpu or 'host'}"


@dataclass(frozen=True)
class Unit:
    """Programs of ``tests/unit`` and ``tests/contract``, by their names."""

    programs: str

    @property
    def name(self) -> str:
        return f"unit {self.programs}"

    def build(self, at: Workplace) -> str | None:
        return cmake(at, "unit", "tests/unit", (), self.programs)

    def run(self, at: Workplace, timeout_s: float) -> Ended:
        seconds = 0.0
        for program in self.programs.split():
            folder = "unit/contract" if program.startswith("contract_") else "unit"
            done = execute([str(at.builds / folder / program)], at.builds, timeout_s)
            seconds += done.seconds
            if done.code != 0:
                return done
        return Ended(0, "", seconds)


@dataclass(frozen=True)
class Pytest:
    """pytest in ``tests/python`` with these arguments, on the native core of the copy."""

    arguments: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"pytest {' '.join(self.arguments)}"

    def build(self, at: Workplace) -> str | None:
        return native(at)

    def run(self, at: Workplace, timeout_s: float) -> Ended:
        command = python("pytest", "-x", "-q", "-p", "no:cacheprovider")
        folder = at.tree / "tests/python"
        return execute([*command, *self.arguments], folder, timeout_s, session(at))


@dataclass(frozen=True)
class Sweep:
    """Random models of one op against the reference, see ``ranvier.testing.sweep``.

    ``kernels`` are those for computers, or ("s8") the portable ones in their place.
    """

    op: str
    cases: int
    arguments: tuple[str, ...] = ()
    kernels: str = "host"

    @property
    def name(self) -> str:
        return " ".join(("sweep", self.op, self.kernels, *self.arguments))

    def build(self, at: Workplace) -> str | None:
        return native(at, self.kernels)

    def run(self, at: Workplace, timeout_s: float) -> Ended:
        command = python("ranvier.testing.sweep", "--jobs", "1", "--op", self.op)
        command += ["--cases", str(self.cases), *self.arguments]
        return execute(command, at.tree, timeout_s, session(at, self.kernels))


def forget_bytecode(source: Path) -> None:
    """Two mutants of one length written within a second have the same bytecode for Python."""
    if source.suffix == ".py":
        Path(importlib.util.cache_from_source(str(source))).unlink(missing_ok=True)
