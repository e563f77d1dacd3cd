# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs bare-metal Cortex-M programs under QEMU and, if asked, counts their instructions.

A program talks to the host through semihosting: its command line, files (relative to ``cwd``), text
and exit code. Counts come from a TCG plugin that is compiled on demand; they are exact and
repeatable, but an instruction is not a cycle. Where QEMU takes no plugin, the program's SysTick
counts, driven by executed instructions: repeatable, but in steps of some tens.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ranvier.errors import ToolError

#: The QEMU machine that stands for each value of the firmware's ``RNV_CPU``.
MACHINES: Mapping[str, str] = {
    "m4": "mps2-an386",
    "m7": "mps2-an500",
    "m33": "mps2-an505",
    "m33-nodsp": "mps2-an505",
    "m55": "mps3-an547",
}

#: What a machine must be told to be that CPU.
_CPU_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "m33-nodsp": ("-global", "iotkit.CPU0_DSP=off", "-global", "iotkit.CPU0_FPU=off"),
}

_QEMU = "qemu-system-arm"
_NM = "arm-none-eabi-nm"
_MARKER = re.compile(r"^([0-9a-f]+) \S rnv_roi_(\w+)_(begin|end)$", re.MULTILINE)
_COUNT = re.compile(r"^icount (\S+) (\d+)$", re.MULTILINE)
_MIX = re.compile(r"^imix \S+ (\S+) (\d+)$", re.MULTILINE)
_TICK = re.compile(r"^tick (\S+) (begin|end) (\d+)\n", re.MULTILINE)
#: SysTick counts down, in 24 bits.
_TICK_MODULUS = 1 << 24
#: Instructions of the region "calibration" (tests/cortexm/roi.c).
_CALIBRATION_INSTRUCTIONS = 1_000_000


@dataclass(frozen=True)
class Counter:
    """How to count instructions.

    ``plugin`` is the source of the TCG plugin (``benchmarks/cortexm/icount/icount.c``); with None,
    and where the plugin cannot be built or loaded, SysTick counts. ``mix`` names a region whose
    instructions the plugin also counts by mnemonic.
    """

    plugin: Path | None
    mix: str | None = None


@dataclass(frozen=True)
class Result:
    """How a program ended.

    ``counts`` has, for every region of ``tests/cortexm/roi.h``, the instructions of each time it
    was run, in steps of ``granularity`` instructions (1: exact). ``count_note`` says why they are
    not exact, or why there are none, although they were asked for. ``mix`` has the instructions of
    the last run of the region named, by mnemonic.
    """

    exit_code: int
    stdout: str
    stderr: str
    counts: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    granularity: float = 1.0
    count_note: str | None = None
    mix: Mapping[str, int] = field(default_factory=dict)

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
    counter: Counter | None = None,
) -> Result:
    """Run ``elf`` with ``args`` on the machine for ``cpu`` and wait for its end.

    Raises :class:`ToolError` if QEMU is missing or the program does not end in ``timeout_s``.
    """
    command = _command(elf.resolve(), cpu, args)
    if counter is None:
        return _execute(command, cwd, timeout_s)
    if counter.plugin is None:
        note = "counted by SysTick, as asked for"
    else:
        counted = _run_with_plugin(elf, command, counter, cwd, timeout_s)
        if isinstance(counted, Result):
            return counted
        note = f"counted by SysTick, because the plugin is unavailable: {counted}"
    command = _command(elf.resolve(), cpu, (*args, "ticks"))
    return _counted_by_ticks(_execute([*command, "-icount", "shift=0"], cwd, timeout_s), note)


def _run_with_plugin(
    elf: Path, command: Sequence[str], counter: Counter, cwd: Path | None, timeout_s: float
) -> Result | str:
    """The counted result, or why the plugin cannot be had."""
    assert counter.plugin is not None
    with tempfile.TemporaryDirectory(prefix="ranvier-icount-") as name:
        scratch = Path(name)
        try:
            options = _plugin_options(elf, counter.plugin.resolve(), counter.mix, scratch)
        except ToolError as error:
            return error.message
        result = _execute([*command, *options], cwd, timeout_s)
        # The program's own text goes to stdout; QEMU's complaint about its options is its last act.
        if result.exit_code != 0 and "plugin" in result.stderr:
            return result.stderr.strip()
        log = scratch / "log"
        said = log.read_text() if log.exists() else ""
    mix = {mnemonic: int(count) for mnemonic, count in _MIX.findall(said)}
    return replace(result, counts=_collected(_COUNT.findall(said)), mix=mix)


def _counted_by_ticks(result: Result, note: str) -> Result:
    """Turn the lines of SysTick's values into counts and take them out of the program's text."""
    begun: dict[str, int] = {}
    ticks: list[tuple[str, int]] = []
    for name, edge, value in _TICK.findall(result.stdout):
        if edge == "begin":
            begun[name] = int(value)
        else:
            ticks.append((name, (begun.pop(name) - int(value)) % _TICK_MODULUS))
    stdout = _TICK.sub("", result.stdout)
    spent = dict(ticks).get("calibration")
    if not spent:
        note = f"no count: {note}; and the program has no SysTick values"
        return replace(result, stdout=stdout, count_note=note)
    granularity = _CALIBRATION_INSTRUCTIONS / spent
    counts = _collected((n, round(t * granularity)) for n, t in ticks if n != "calibration")
    note = f"{note}; one tick is {granularity:.2f} instructions"
    return replace(result, stdout=stdout, counts=counts, granularity=granularity, count_note=note)


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
    command = [find_qemu(), "-machine", MACHINES[cpu], *_CPU_OPTIONS.get(cpu, ())]
    command += ["-kernel", str(elf)]
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


def _plugin_options(elf: Path, source: Path, mix: str | None, scratch: Path) -> list[str]:
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
    if mix is not None:
        regions.append(f"mix={mix}")
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


def _collected(pairs: Iterable[tuple[str, int | str]]) -> dict[str, tuple[int, ...]]:
    counts: dict[str, tuple[int, ...]] = {}
    for name, count in pairs:
        counts[name] = (*counts.get(name, ()), int(count))
    return counts
