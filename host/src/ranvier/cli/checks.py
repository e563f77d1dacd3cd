# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier doctor`` looks at: Python, compilers and emulators, programs of Zephyr."""

from __future__ import annotations

import enum
import importlib
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ranvier._version import __version__
from ranvier.device.simulator import NAME, find_simulator
from ranvier.errors import RanvierError, ToolError
from ranvier.native import op_codes
from ranvier.testing._optional import pip_install

_SECONDS = 20
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


class State(enum.Enum):
    """How a check ended: as it should be, something to do, or only worth knowing."""

    OK = "ok"
    MISSING = "missing"
    NOTE = "note"


@dataclass(frozen=True)
class Check:
    """A line: what was looked at, what was found, and what to do where something is missing.

    Without what is ``needed`` nothing works; all else is for a part of Ranvier, its ``group``.
    """

    group: str
    name: str
    state: State
    found: str
    remedy: str = ""
    needed: bool = False


@dataclass(frozen=True)
class Machine:
    """What checks look at; ``given`` are the environment's variables."""

    given: Mapping[str, str]
    dev: Path = field(default=Path("/dev"))

    def which(self, name: str, folders: Sequence[Path] = ()) -> str | None:
        """A program's path: in ``folders``, then where a shell would find it."""
        for folder in folders:
            if found := shutil.which(name, path=str(folder)):
                return found
        return shutil.which(name, path=self.given.get("PATH", ""))

    def said(self, *command: str) -> str | None:
        """What a program prints; None where it fails or is silent for long."""
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                errors="replace",
                stdin=subprocess.DEVNULL,
                env=dict(self.given),
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout + done.stderr if done.returncode == 0 else None


BASIC = "basic use"
CHECKERS = "validate"
SIMULATOR = "simulated device"
DEVICES = "bare metal"
ZEPHYR = "Zephyr"
BOARDS = "boards"


def python_checks() -> Iterator[Check]:
    """Python, its packages and the native library."""
    version = platform.python_version()
    new = sys.version_info >= (3, 10)
    remedy = "" if new else "install Python 3.10 or newer"
    yield Check(BASIC, "Python", _state(new), version, remedy, needed=True)
    yield Check(BASIC, "ranvier", State.OK, __version__, needed=True)
    for name in ("cffi", "click", "numpy", "pillow"):
        yield _package(BASIC, name, needed=True)
    yield _library()
    yield _package(CHECKERS, "tflite-micro")
    yield _package(CHECKERS, "ai-edge-litert")


def _state(good: bool) -> State:
    return State.OK if good else State.MISSING


def _package(group: str, name: str, *, needed: bool = False) -> Check:
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Check(group, name, State.MISSING, "not installed", pip_install(name), needed)
    return Check(group, name, State.OK, version, "", needed)


def _library() -> Check:
    try:
        count = len(op_codes())
    except RanvierError as error:
        remedy = error.remedy or "install the package again"
        return Check(BASIC, "native library", State.MISSING, error.message, remedy, needed=True)
    return Check(BASIC, "native library", State.OK, f"{count} kinds of ops", needed=True)


@dataclass(frozen=True)
class Program:
    """A program that should be there, and who needs it; ``least`` is the oldest that will do."""

    group: str
    name: str
    remedy: str
    least: tuple[int, ...] = ()
    option: str = "--version"


PROGRAMS = (
    Program(DEVICES, "arm-none-eabi-gcc", "apt-get install gcc-arm-none-eabi"),
    Program(DEVICES, "qemu-system-arm", "apt-get install qemu-system-arm"),
    Program(DEVICES, "cmake", "apt-get install cmake, or pip install cmake", (3, 20)),
    Program(DEVICES, "ninja", "apt-get install ninja-build, or pip install ninja"),
    Program(ZEPHYR, "dtc", "apt-get install device-tree-compiler", (1, 4, 6)),
    Program(ZEPHYR, "gperf", "apt-get install gperf"),
    Program(ZEPHYR, "ccache", "apt-get install ccache; builds work without it, slower"),
)


def program_checks(machine: Machine) -> Iterator[Check]:
    """Compilers, emulators and build programs with their versions."""
    yield _simulator(machine)
    own = [Path(sys.executable).parent]
    for program in PROGRAMS:
        path = machine.which(program.name, own)
        yield _program(machine, program, path)


def _simulator(machine: Machine) -> Check:
    try:
        path = find_simulator()
    except ToolError as error:
        return Check(SIMULATOR, NAME, State.MISSING, error.message, error.remedy or "")
    return _program(machine, Program(SIMULATOR, NAME, "install ranvier again"), str(path))


def _program(machine: Machine, program: Program, path: str | None) -> Check:
    if path is None:
        return Check(program.group, program.name, State.MISSING, "not found", program.remedy)
    text = machine.said(path, program.option)
    if text is None:
        remedy = f"{program.remedy} (again)"
        return Check(program.group, program.name, State.MISSING, f"{path} does not run", remedy)
    version = version_of(text)
    found = f"{version or 'unknown version'}, {path}"
    if version and tuple(map(int, version.split("."))) < program.least:
        remedy = f"{'.'.join(map(str, program.least))} or newer: {program.remedy}"
        return Check(program.group, program.name, State.MISSING, found, remedy)
    return Check(program.group, program.name, State.OK, found)


def version_of(text: str) -> str | None:
    """The first version number of what a program says of itself, copyright notices aside."""
    first = text.strip().splitlines()[0] if text.strip() else ""
    # In parentheses distributions put versions of their own.
    match = _VERSION.search(re.sub(r"\([^()]*\)", " ", first)) or _VERSION.search(first)
    return match[0] if match else None
