# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Code and RAM of the store, updates and SMP on a Cortex-M33, as a table.

Writes SIZE.md. Exit code 1: what met its goal misses it, or a tool is missing.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "cortexm"))

from markdown import number, table  # noqa: E402

from ranvier.errors import RanvierError, ToolError  # noqa: E402
from ranvier.testing import link_map, path_counts  # noqa: E402

RESULTS = HERE / "SIZE.md"
KCONFIG = ROOT / "firmware/port/zephyr/Kconfig.store"
CODE_GOAL = 16_000
RAM_GOAL = 6_000
MOST_MODELS = 16
#: Programs of tests/cortexm/update, and the heads of their columns.
PROGRAMS = {
    "update_patches": "all",
    "update": "no patches",
    "update_read_only": "no patches, SMP read-only",
}

_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# How large store, updates and SMP are

Written by `benchmarks/store/update_size.py`; no board was measured. All figures are bytes, on a
Cortex-M33 at `-Os`, by {compiler}. The goals' KB are of 1,000 bytes.
`tests/cortexm/update` are programs that link the store, the update engine, the portable model
server, the SMP handlers and zcbor; the linker drops what nothing reaches.
"""
_CODE = """\
## Code

Code and read-only data of what is left of each object, from the linker's map. Crypto is not
linked: its functions are stand-ins.
"""
_SUMS = """\
Sums, with patches. Goal: at most {goal:,} bytes for store, update and SMP, without crypto. What is
named *beside* is in no sum: zcbor is third-party code, scheduler and reader are there without
updates, too.
"""
_VERDICT = """\
The handlers call nothing but the model server, so a device that is updated by SMP has all of the
last sum. The first is what the goal names, word by word; the second is what is there for updates
and status, without the server's loading of what was received. An application that loads its models
itself links store and engine, with patches or without, and none of the rest.
"""
_RAM = """\
## RAM

Sizes of the variables that an application has, from the object's symbols. Goal: at most {goal:,}
bytes beside network buffers and crypto.
"""
_APART = """\
In no sum, since it is the application's choice: the stack of the thread that calls
`rnv_server_poll()` (`RANVIER_SERVER_STACK_SIZE`; verification runs on it, signatures too) and the
workspace for inputs and outputs of self-tests and runs (`RANVIER_SERVER_IO_SIZE`). Beside one model
and patches the goal leaves {left:,} bytes, and Zephyr's default for the stack is {stack:,}: with
that stack the goal is {verdict}.
Nor are, in code as in RAM: the port's drivers of flash and crypto, MCUmgr with its transports and
network buffers, or `mgmt/frame.h` where there is no MCUmgr.
"""


@dataclass(frozen=True)
class Part:
    """A row: objects by how their names begin, below the core's ``src`` or in an archive."""

    title: str
    objects: tuple[str, ...]


def _mgmt(*names: str) -> tuple[str, ...]:
    return tuple(f"librnv_mgmt.a({name}.c.obj)" for name in names)


def _smp(*names: str) -> tuple[str, ...]:
    archives = ("librnv_smp.a", "librnv_smp_read_only.a")
    return tuple(f"{archive}({name}.c.obj)" for archive in archives for name in names)


STORE = Part("store", ("store/",))
PATCHES = Part(
    "patches: compressed, deltas",
    ("ota/patch.c", "ota/unpack.c", *_mgmt("server_patch")),
)
ENGINE = Part("update engine", ("ota/",))
SMP_UPDATE = Part(
    "SMP: updates and status", _smp("smp", "smp_map", "smp_read", "smp_write", "smp_read_only")
)
SMP_RUN = Part("SMP: runs and self-tests", _smp("smp_run"))
SERVER_UPDATE = Part("server: updates and status", _mgmt("server", "server_info"))
SERVER_LOAD = Part("server: loads and exchanges", _mgmt("server_load"))
SERVER_RUN = Part("server: runs and self-tests", _mgmt("server_io", "server_run", "server_test"))
#: Ours; an object belongs to the first part that has it.
PARTS = (
    STORE,
    PATCHES,
    ENGINE,
    SMP_UPDATE,
    SMP_RUN,
    SERVER_UPDATE,
    SERVER_LOAD,
    SERVER_RUN,
)
#: What they need beside.
ZCBOR = Part("zcbor", ("librnv_zcbor.a(",))
CORE = Part(
    "scheduler, executor, reader, profiler",
    ("base/", "exec/", "kernels/kernel.c", "model/", "prof/", "sched/"),
)
LIBRARIES = Part("C library, helpers of the compiler", ("libc.a(", "libgcc.a(", "libc_nano.a("))
APART = (ZCBOR, CORE, LIBRARIES)
#: Of the programs alone: main, start-up, semihosting, and the op that they have.
IGNORED = Part("program", ("main.c", "baremetal/", "kernel_table.c", "kernels/"))

SUMS: Mapping[str, tuple[Part, ...]] = {
    "store, update, SMP": (STORE, ENGINE, PATCHES, SMP_UPDATE, SMP_RUN),
    "- without runs, with the server's part for updates and status": (
        STORE,
        ENGINE,
        PATCHES,
        SMP_UPDATE,
        SERVER_UPDATE,
    ),
    "store, update, SMP and the whole model server": PARTS,
}
#: Variables of main.c: title, what is there once, what is there for each model.
VARIABLES: Sequence[tuple[str, str | None, str | None]] = (
    ("store", "store", "store_models"),
    ("update engine", "engine", None),
    ("model server", "server", "server_models"),
    ("SMP", "smp", None),
    ("patches", "patch", None),
)
INSTANCE = "sched_models"
"""The slot of the scheduler for the instance that is tested."""


def main() -> int:
    """Measure, print, write; the exit code."""
    try:
        folder = path_counts.build(ROOT, "update", f"-DPython3_EXECUTABLE={sys.executable}")
        code = {name: code_of(link_map.kept(folder / f"{name}.map")) for name in PROGRAMS}
        ram = variables(folder / "CMakeFiles/update.dir/main.c.obj")
        text = report(code, ram)
    except RanvierError as error:
        print(f"update_size: {error}", file=sys.stderr)
        return 1
    print(text)
    RESULTS.write_text(text, encoding="utf-8")
    failures = above_goal(code["update_patches"], ram)
    for failure in failures:
        print(f"update_size: TOO MUCH: {failure}", file=sys.stderr)
    return 1 if failures else 0


def code_of(kept: Mapping[str, int]) -> dict[Part, int]:
    """Bytes of every part. :class:`ToolError` for an object that belongs to none."""
    sizes = dict.fromkeys((*PARTS, *APART), 0)
    for path, size in kept.items():
        name = _name(path)
        part = next((p for p in (*PARTS, *APART, IGNORED) if name.startswith(p.objects)), None)
        if part is None:
            raise ToolError(f"{path} belongs to no row of the table", f"give it one in {__file__}")
        if part is not IGNORED:
            sizes[part] += size
    return sizes


def _name(path: str) -> str:
    """What rows name of an object: below the core's sources, or behind the archive's folder."""
    _, found, inner = path.partition("ranvier_core.dir/core/src/")
    if found:
        return inner
    if path.endswith(")") or not path.startswith("baremetal/"):
        return path.rpartition("/")[2]
    return path


def variables(path: Path) -> dict[str, int]:
    """Sizes of the variables of an object."""
    command = ["arm-none-eabi-nm", "--print-size", "--radix=d", str(path)]
    rows = [line.split() for line in _output(command).splitlines()]
    return {row[3]: int(row[1]) for row in rows if len(row) == 4 and row[2] in "BbDd"}


def ram_of(ram: Mapping[str, int], models: int, *, patches: bool = True) -> int:
    """Bytes of RAM with a number of models."""
    once, each = _columns(ram)
    spared = 0 if patches else ram["patch"]
    return sum(once.values()) - spared + models * sum(each.values())


def _columns(ram: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """Bytes by title: once, and for each model. The engine is in the server: it counts once."""
    try:
        once = {title: ram[name] for title, name, _ in VARIABLES if name is not None}
        each = {title: ram[name] for title, _, name in VARIABLES if name is not None}
    except KeyError as error:
        raise ToolError(f"tests/cortexm/update has no variable {error}") from error
    once["model server"] -= once["update engine"]
    return once, each


def zephyr_default(option: str) -> int:
    """What Zephyr's Kconfig gives an option."""
    found = re.search(
        rf"^config {option}\n(?:\t.*\n)*?\tdefault (\d+)$", KCONFIG.read_text(), re.MULTILINE
    )
    if found is None:
        raise ToolError(f"{KCONFIG.name} has no default of {option}")
    return int(found[1])


def above_goal(code: Mapping[Part, int], ram: Mapping[str, int]) -> list[str]:
    """A line for each figure that met its goal and does not any more."""
    title, parts = next(iter(SUMS.items()))
    figures = (
        (f"code of {title}", sum(code[part] for part in parts), CODE_GOAL),
        ("RAM with one model", ram_of(ram, 1), RAM_GOAL),
    )
    return [f"{name}: {value:,}, goal {goal:,}" for name, value, goal in figures if value > goal]


def report(code: Mapping[str, Mapping[Part, int]], ram: Mapping[str, int]) -> str:
    """SIZE.md."""
    compiler = _output(["arm-none-eabi-gcc", "--version"]).splitlines()[0]
    return "\n".join(
        [
            _HEAD.format(compiler=compiler),
            _CODE,
            _code_table(code),
            _SUMS.format(goal=CODE_GOAL),
            _sum_table(code["update_patches"]),
            _VERDICT,
            _RAM.format(goal=RAM_GOAL),
            _ram_table(ram),
            _apart(ram),
        ]
    )


def _code_table(code: Mapping[str, Mapping[Part, int]]) -> str:
    def row(title: str, parts: Sequence[Part]) -> list[str]:
        return [title, *(number(sum(code[name][p] for p in parts)) for name in PROGRAMS)]

    rows = [row(part.title, [part]) for part in PARTS]
    rows.append(row("**sum**", PARTS))
    rows += [row(f"beside: {part.title}", [part]) for part in APART]
    return table(["", *PROGRAMS.values()], rows) + "\n"


def _sum_table(code: Mapping[Part, int]) -> str:
    sums = {title: sum(code[part] for part in parts) for title, parts in SUMS.items()}
    rows = [[title, number(size), _verdict(size, CODE_GOAL)] for title, size in sums.items()]
    return table(["", "bytes", "goal"], rows) + "\n"


def _verdict(value: int, goal: int) -> str:
    return "met" if value <= goal else f"missed by {value - goal:,}"


def _ram_table(ram: Mapping[str, int]) -> str:
    once, each = _columns(ram)
    rows = [[title, number(once[title]), number(each.get(title)), ""] for title, _, _ in VARIABLES]
    sums = {
        "**sum, 1 model**": ram_of(ram, 1),
        f"**sum, {MOST_MODELS} models**": ram_of(ram, MOST_MODELS),
        "**sum, 1 model, no patches**": ram_of(ram, 1, patches=False),
    }
    rows += [[title, number(size), "", _verdict(size, RAM_GOAL)] for title, size in sums.items()]
    apart = {
        "slot of the scheduler for the instance that is tested": ram[INSTANCE],
        "stack, Zephyr's default": zephyr_default("RANVIER_SERVER_STACK_SIZE"),
        "workspace, Zephyr's default": zephyr_default("RANVIER_SERVER_IO_SIZE"),
    }
    rows += [[f"beside: {title}", number(size), "", ""] for title, size in apart.items()]
    return table(["", "once", "for each model", "goal"], rows) + "\n"


def _apart(ram: Mapping[str, int]) -> str:
    stack, taken = zephyr_default("RANVIER_SERVER_STACK_SIZE"), ram_of(ram, 1)
    verdict = _verdict(taken + stack, RAM_GOAL)
    return _APART.format(left=RAM_GOAL - taken, stack=stack, verdict=verdict)


def _output(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ToolError(f"{command[0]} failed:\n{done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
