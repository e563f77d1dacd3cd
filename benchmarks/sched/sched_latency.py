# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Latency of a realtime job beside a best-effort one: the Zephyr application latency/ in QEMU."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing import qemu, zephyr

ROOT = Path(__file__).resolve().parents[2]
FIGURES = Path(__file__).with_name("latency.json")
_BOARD = "mps2/an521/cpu0"
_MACHINE = ("-machine", "mps2-an521", "-cpu", "cortex-m33", "-m", "16")
_LINE = re.compile(r"^(\w+) (\d+) (\d+) (equal|DIFFERS)\s*$", re.MULTILINE)
_ALONE = re.compile(r"^(\w+) alone (\d+)\s*$", re.MULTILINE)
_TIMEOUT_S = 600.0

#: How the realtime inference and the other one are run, by the names that the program prints.
TITLES = {
    "calls_one_priority": "two threads of one priority, whole-inference calls",
    "calls_two_priorities": "two threads of two priorities, whole-inference calls",
    "cooperative": "cooperative driver, one thread",
    "cooperative_sliced": "cooperative driver, model in slices",
    "thread_per_lane": "thread per lane",
}


@dataclass(frozen=True)
class Series:
    """Instructions: an undisturbed inference; arrivals after its first step, and their latency."""

    alone: int
    arrivals: tuple[int, ...]
    latencies: tuple[int, ...]


def measure() -> dict[str, Series]:
    """Build and run. :class:`ToolError` without a Zephyr workspace, or where results differ."""
    folder = ROOT / "build" / "sched" / "latency"
    workspace = zephyr.find_workspace(os.environ)
    folder.parent.mkdir(parents=True, exist_ok=True)
    own = Path(sys.executable).with_name("ranvier")
    command = [str(workspace.python), "-m", "west", "build", "--board", _BOARD]
    command += ["--build-dir", str(folder), str(Path(__file__).with_name("latency"))]
    if own.is_file():
        command += ["--", f"-DRANVIER_COMMAND={own}"]
    environment = workspace.environment(os.environ)
    code, said = zephyr.run_tool(command, workspace.top, environment, lambda text: None)
    if code != 0:
        raise ToolError(f"west build ended with {code}:\n{said}")
    return parse(_run(folder / "zephyr"))


def _run(folder: Path) -> str:
    """What the program prints until its last line; it does not end by itself."""
    shift = re.search(r"^CONFIG_QEMU_ICOUNT_SHIFT=(\d+)$", (folder / ".config").read_text(), re.M)
    if shift is None:
        raise ToolError(f"{_BOARD} does not count instructions", "CONFIG_QEMU_ICOUNT=y")
    command = [qemu.find_qemu(), *_MACHINE, "-nographic", "-vga", "none", "-monitor", "none"]
    command += ["-icount", f"shift={shift.group(1)},align=off,sleep=off"]
    command += ["-serial", "stdio", "-kernel", str(folder / "zephyr.elf")]
    lines = []
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        timer = threading.Timer(_TIMEOUT_S, process.kill)
        timer.start()
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if line.strip() == "end":
                break
        timer.cancel()
        process.kill()
    if not lines or lines[-1].strip() != "end":
        raise ToolError("the program did not come to its end:\n" + "".join(lines[-10:]))
    return "".join(lines)


def parse(text: str) -> dict[str, Series]:
    """The series that the program printed."""
    alone = {name: int(count) for name, count in _ALONE.findall(text)}
    rows: dict[str, list[tuple[int, int]]] = {}
    for name, arrival, latency, equal in _LINE.findall(text):
        if equal != "equal":
            raise ToolError(f"{name}: an inference that was interrupted has another result")
        rows.setdefault(name, []).append((int(arrival), int(latency)))
    if set(rows) != set(TITLES):
        raise ToolError(f"the program printed {', '.join(rows) or 'nothing'}:\n{text[-2000:]}")
    return {
        name: Series(alone[name], tuple(a for a, _ in row), tuple(t for _, t in row))
        for name, row in rows.items()
    }


def read() -> dict[str, Series] | None:
    """The committed figures, or None."""
    if not FIGURES.is_file():
        return None
    data = json.loads(FIGURES.read_text(encoding="utf-8"))
    return {
        name: Series(row["alone"], tuple(row["arrivals"]), tuple(row["latencies"]))
        for name, row in data.items()
    }


def write(series: Mapping[str, Series]) -> None:
    """Keep figures: a series a line, so that a change shows as such."""
    rows = [f'  "{name}": {json.dumps(asdict(row))}' for name, row in series.items()]
    FIGURES.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
