# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Counts instructions of named paths in a program of ``tests/cortexm``, and their budget."""

from __future__ import annotations

import fcntl
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ranvier.errors import ToolError
from ranvier.testing import cortexm, qemu

#: Instructions may grow by this fraction.
TOLERANCE = 0.02


def build(root: Path, name: str, *options: str) -> Path:
    """Build ``tests/cortexm/<name>`` of the repository for a Cortex-M33; its folder.

    ``options`` are CMake's, as ``-DNAME=VALUE``.
    :class:`ToolError` where a tool is missing or the build fails.
    """
    missing = cortexm.missing_tool()
    if missing is not None:
        raise ToolError(missing)
    folder = root / "build" / name / "m33"
    folder.mkdir(parents=True, exist_ok=True)
    configure = [
        "cmake",
        "-S",
        str(root / "tests/cortexm" / name),
        "-B",
        str(folder),
        "-G",
        "Ninja",
    ]
    configure += ["-DRNV_CPU=m33", "-DCMAKE_BUILD_TYPE=MinSizeRel"]
    toolchain = root / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
    configure.append(f"-DCMAKE_TOOLCHAIN_FILE={toolchain}")
    configure += options
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (configure, ["cmake", "--build", str(folder)]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise ToolError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return folder


def counts(root: Path, program: Path) -> Mapping[str, tuple[int, ...]]:
    """Instructions of each region of a program, turn by turn, exactly; else :class:`ToolError`."""
    counter = qemu.Counter(root / "benchmarks/cortexm/icount/icount.c")
    result = qemu.run(program, "m33", counter=counter).check()
    if result.granularity != 1.0 or not result.counts:
        raise ToolError(f"no exact counts of {program.name}: {result.count_note}")
    return result.counts


def above_budget(measured: Mapping[str, int], budget: Mapping[str, int]) -> list[str]:
    """A line for each path that takes more than before, or that one of the two lacks."""
    lines = []
    for name in dict.fromkeys((*budget, *measured)):
        before, now = budget.get(name), measured.get(name)
        if before is None or now is None:
            lines.append(f"{name}: is not in {'the budget' if before is None else 'the results'}")
        elif now > before * (1 + TOLERANCE):
            lines.append(f"{name}: {before:,} -> {now:,} instructions, more than {TOLERANCE:.0%}")
    return lines


def read_budget(path: Path) -> dict[str, int]:
    """The committed figures; :class:`ToolError` where there are none."""
    try:
        rows: dict[str, int] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ToolError(f"there is no budget: {error}", "--update-budget writes it") from error
    return rows


def write_budget(path: Path, measured: Mapping[str, int]) -> None:
    """Commit to these figures."""
    path.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
