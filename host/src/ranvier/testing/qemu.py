# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs bare-metal Cortex-M programs under QEMU and, if asked, counts their instructions.

A program talks to the host through semihosting: its command line, files (relative to ``cwd``), text
and exit code. Counts come from a TCG plugin that is compiled on demand; they are exact and
repeatable, but an instruction is not a cycle.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ranvier.errors import ToolError

#: The QEMU machine that stands for each value of the firmware's ``RNV_CPU``.
MACHINES: Mapping[str, str] = {
    "m4": "mps2-an386",
    "m33": "mps2-an505",
    "m55": "mps3-an547",
}

_QEMU = "qemu-system-arm"
_NM = "arm-none-eabi-nm"
_MARKER = re.compile(r"^([0-9a-f]+) \S rnv_roi_(\w+)_(begin|end)$", re.MULTILINE)
_COUNT = re.compile(r"^icount (\S+) (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class Result:
    """How a program ended.

    ``counts`` has, for every region between ``rnv_roi_NAME_begin()`` and ``rnv_roi_NAME_end()``,
    the instructions of each time it was run. ``count_note`` says why there are none although they
    were asked for.
    """

    exit_code: int
    stdout: str
    stderr: str
    counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    count_note: str | None = None

    def check(self) -> Result:
        """Return self, or raise :class:`ToolError` if the program failed."""
        if self.exit_code != 0:
            said = "\n".join(text.strip() for text in (self.stdout, self.stderr) if text.strip())
            raise ToolError(f"the program under {_QEMU} ended with {self.exit_code}:\n{said}")
        return self


def find_qemu() -> str:
    """Path of the emulator; :class:`ToolError` if it is not installed."""
    path = shutil.which(_QEMU)
    if path is None:
        raise ToolError(f"{_QEMU} is not installed", f"apt-get install {_QEMU}")
    return path


def run(
    elf: Path,
    cpu: str,
    args: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    timeout_s: float = 120.0,
    icount: Path | None = None,
) -> Result:
    """Run ``elf`` with ``args`` on the machine for ``cpu`` and wait for its end.

    ``icount`` is the source of the counting plugin (``benchmarks/cortexm/icount/icount.c``). Where
    it cannot be built or loaded, the program is run all the same and ``count_note`` says why.

    Raises :class:`ToolError` if QEMU is missing or the program does not end in ``timeout_s``.
    """
    command = _command(elf.resolve(), cpu, args)
    if icount is None:
        return _execute(command, cwd, timeout_s)
    with tempfile.TemporaryDirectory(prefix="ranvier-icount-") as name:
        scratch = Path(name)
        try:
            options = _counting_options(elf, icount.resolve(), scratch)
        except ToolError as error:
            note = f"count unavailable: {error.message}"
            return _with_note(_execute(command, cwd, timeout_s), note)
        result = _execute(command + options, cwd, timeout_s)
        for line in result.stderr.splitlines():
            if "Could not load plugin" in line:
                note = f"count unavailable: {line}"
                return _with_note(_execute(command, cwd, timeout_s), note)
        log = scratch / "log"
        counts = _parse_counts(log.read_text() if log.exists() else "")
        return Result(result.exit_code, result.stdout, result.stderr, counts)


def _command(elf: Path, cpu: str, args: Sequence[str]) -> list[str]:
    if cpu not in MACHINES:
        raise ToolError(f"no QEMU machine for cpu {cpu!r}", f"one of {', '.join(MACHINES)}")
    semihosting = ["enable=on", "target=native", "chardev=console"]
    for arg in ("firmware", *args):
        if not arg or any(c.isspace() for c in arg):
            raise ToolError(
                f"argument {arg!r} cannot be passed to a program under QEMU: empty, or has a space",
                "give a file name relative to cwd",
            )
        semihosting.append("arg=" + arg.replace(",", ",,"))
    command = [find_qemu(), "-machine", MACHINES[cpu], "-kernel", str(elf)]
    command += ["-display", "none", "-monitor", "none", "-serial", "none", "-nic", "none"]
    command += ["-chardev", "stdio,id=console", "-semihosting-config", ",".join(semihosting)]
    return command


def _execute(command: Sequence[str], cwd: Path | None, timeout_s: float) -> Result:
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            text=True,
            errors="replace",
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"the program under {_QEMU} did not end within {timeout_s:g} s") from error
    return Result(done.returncode, done.stdout, done.stderr)


def _with_note(result: Result, note: str) -> Result:
    return Result(result.exit_code, result.stdout, result.stderr, {}, note)


def _counting_options(elf: Path, source: Path, scratch: Path) -> list[str]:
    """Build the plugin and name the regions whose markers the program has."""
    begins: dict[str, str] = {}
    ends: dict[str, str] = {}
    for address, name, edge in _MARKER.findall(_output([_NM, str(elf)])):
        (begins if edge == "begin" else ends)[name] = address
    regions = [f"{name}=0x{begins[name]}:0x{ends[name]}" for name in begins if name in ends]
    if not regions:
        raise ToolError(f"{elf} has no rnv_roi_NAME_begin and rnv_roi_NAME_end")
    plugin = scratch / "icount.so"
    flags = ["-O2", "-shared", "-fPIC", f"-DICOUNT_API={_plugin_api()}"]
    _output(["cc", *flags, str(source), "-o", str(plugin)])
    loaded = f"{_escaped(plugin)},{','.join(regions)}"
    return ["-d", "plugin", "-D", str(scratch / "log"), "-plugin", loaded]


def _plugin_api() -> int:
    """Plugin API to build for: QEMU 9 replaced the functions that earlier ones need."""
    match = re.search(r"version (\d+)\.", _output([find_qemu(), "--version"]))
    return 1 if match is not None and int(match.group(1)) < 9 else 2


def _escaped(path: Path) -> str:
    return str(path).replace(",", ",,")


def _output(command: Sequence[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as error:
        raise ToolError(f"{command[0]} is not installed") from error
    except subprocess.CalledProcessError as error:
        raise ToolError(f"{command[0]} failed: {error.stderr.strip()}") from error


def _parse_counts(log: str) -> dict[str, tuple[int, ...]]:
    counts: dict[str, tuple[int, ...]] = {}
    for name, count in _COUNT.findall(log):
        counts[name] = (*counts.get(name, ()), int(count))
    return counts
