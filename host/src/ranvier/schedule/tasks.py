# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Task sets: which models run how often, how urgently, and what a job of each costs.

A task set is a TOML file::

    [system]
    driver = "cooperative"          # or "thread-per-lane"
    clock_mhz = 150                 # for costs from predicted instructions
    cycles_per_instruction = 1.5    # likewise: an assumption, to be measured on the board
    max_flash_op_us = 0             # longest flash operation while an update is open

    [[task]]
    name = "keywords"
    lane = 0                        # 0 is the most urgent
    period_us = 100000              # least time between two jobs
    deadline_us = 50000             # after submission; by default the period
    package = "keywords.rnv"        # costs: its predicted instructions,
    costs = "keywords.costs.json"   # or those measured with it (ranvier profile),
    steps_us = [800, 1200]          # or plain numbers instead of both
    npu_us = [500]                  # longest times of its steps on the accelerator, if any
    atomic = false                  # RNV_JOB_ATOMIC
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.package.costs import read_costs
from ranvier.package.reader import read_package

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Lanes of a scheduler, as RNV_SCHED_MAX_LANES.
MAX_LANES = 8
_MOST_US = 1 << 40


class Driver(Enum):
    """How the lanes of a scheduler are driven."""

    COOPERATIVE = "cooperative"
    THREAD_PER_LANE = "thread-per-lane"


@dataclass(frozen=True)
class System:
    """What all tasks share. Times in microseconds."""

    driver: Driver = Driver.COOPERATIVE
    clock_mhz: float | None = None
    cycles_per_instruction: float | None = None
    max_flash_op_us: int = 0


@dataclass(frozen=True)
class Task:
    """Jobs of one kind. Times in microseconds.

    ``steps_us`` are the costs of its steps on the CPU, ``npu_us`` those of its steps on the
    accelerator. ``source`` says where the costs are from.
    """

    name: str
    lane: int
    period_us: int
    deadline_us: int
    steps_us: tuple[int, ...]
    npu_us: tuple[int, ...] = ()
    atomic: bool = False
    source: str = "given"

    @property
    def cpu_us(self) -> int:
        """The whole cost on the CPU."""
        return sum(self.steps_us)

    @property
    def longest_step_us(self) -> int:
        """For how long a job cannot be taken over by the cooperative driver."""
        return self.cpu_us if self.atomic else max(self.steps_us, default=0)


@dataclass(frozen=True)
class TaskSet:
    """A system and its tasks."""

    system: System
    tasks: tuple[Task, ...]


def read_tasks(path: str | Path) -> TaskSet:
    """The task set of a TOML file; packages and costs are named relative to it.

    Raises :class:`InputError` where something is missing, unknown or out of range.
    """
    return _Tasks(Path(path)).read()


class _Tasks:
    """Reads one file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def _fail(self, reason: str, remedy: str = "see TASKS.md in ranvier/schedule") -> NoReturn:
        raise InputError(f"{self._path}: {reason}", remedy=remedy)

    def read(self) -> TaskSet:
        try:
            value = tomllib.loads(read_bytes(self._path).decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            self._fail(f"is not TOML: {error}")
        self._known(value, {"system", "task"}, "the file")
        table = value.get("system", {})
        if not isinstance(table, dict):
            self._fail("system is not a table")
        system = self._system(table)
        tables = value.get("task")
        if not isinstance(tables, list) or not tables:
            self._fail("has no [[task]]")
        tasks = tuple(self._task(task, number, system) for number, task in enumerate(tables))
        names = [task.name for task in tasks]
        for name in names:
            if names.count(name) > 1:
                self._fail(f"two tasks are called {name!r}")
        return TaskSet(system, tasks)

    def _known(self, table: Mapping[str, Any], keys: set[str], where: str) -> None:
        unknown = sorted(set(table) - keys)
        if unknown:
            self._fail(
                f"{where}: unknown {', '.join(unknown)}; known are {', '.join(sorted(keys))}"
            )

    def _system(self, table: Mapping[str, Any]) -> System:
        where = "[system]"
        keys = {"driver", "clock_mhz", "cycles_per_instruction", "max_flash_op_us"}
        self._known(table, keys, where)
        driver = table.get("driver", Driver.COOPERATIVE.value)
        if driver not in [each.value for each in Driver]:
            self._fail(f"{where}: driver is {' or '.join(each.value for each in Driver)}")
        return System(
            Driver(driver),
            self._positive(table, "clock_mhz", where),
            self._positive(table, "cycles_per_instruction", where),
            self._us(table, "max_flash_op_us", where, 0, 0),
        )

    def _task(self, table: Any, number: int, system: System) -> Task:
        where = f"task {number}"
        if not isinstance(table, dict):
            self._fail(f"{where} is not a table")
        name = table.get("name")
        if not isinstance(name, str) or not name:
            self._fail(f"{where} has no name")
        where = f"task {name!r}"
        sources = {"package", "costs", "steps_us"}
        self._known(
            table,
            {"name", "lane", "period_us", "deadline_us", "npu_us", "atomic", *sources},
            where,
        )
        lane = table.get("lane")
        if not isinstance(lane, int) or isinstance(lane, bool) or not 0 <= lane < MAX_LANES:
            self._fail(f"{where}: lane is not a number from 0 to {MAX_LANES - 1}")
        period_us = self._us(table, "period_us", where, 1)
        atomic = table.get("atomic", False)
        if not isinstance(atomic, bool):
            self._fail(f"{where}: atomic is true or false")
        steps_us, source = self._costs(table, where, system)
        return Task(
            name=name,
            lane=lane,
            period_us=period_us,
            deadline_us=self._us(table, "deadline_us", where, 1, period_us),
            steps_us=steps_us,
            npu_us=self._list(table.get("npu_us", []), "npu_us", where),
            atomic=atomic,
            source=source,
        )

    def _costs(
        self, table: Mapping[str, Any], where: str, system: System
    ) -> tuple[tuple[int, ...], str]:
        if "steps_us" in table:
            if "package" in table or "costs" in table:
                self._fail(f"{where}: steps_us stand instead of package and costs")
            steps = self._list(table["steps_us"], "steps_us", where)
            if not steps:
                self._fail(f"{where}: steps_us is empty")
            return steps, "given"
        if "package" not in table:
            self._fail(f"{where} has neither package nor steps_us")
        package = self._file(table, "package", where)
        data = read_bytes(package)
        content = read_package(data, str(package))
        if "costs" in table:
            costs = self._file(table, "costs", where)
            measured = read_costs(read_bytes(costs), str(costs))
            measured.require_package(data, str(package))
            return tuple(math.ceil(us) for us in measured.step_us()), "measured"
        if system.clock_mhz is None or system.cycles_per_instruction is None:
            self._fail(
                f"{where} has no costs, and [system] no clock_mhz and cycles_per_instruction",
                "measure costs with ranvier profile, or state both to use predicted instructions",
            )
        predicted = [step.predicted for step in content.steps]
        if not all(predicted):
            self._fail(
                f"{where}: the package predicts no instructions for some steps",
                "compile it for an instruction set (--isa), or give costs or steps_us",
            )
        scale = system.cycles_per_instruction / system.clock_mhz
        return tuple(math.ceil(count * scale) for count in predicted), "predicted"

    def _file(self, table: Mapping[str, Any], key: str, where: str) -> Path:
        name = table[key]
        if not isinstance(name, str):
            self._fail(f"{where}: {key} is not the name of a file")
        return self._path.parent / name

    def _us(
        self, table: Mapping[str, Any], key: str, where: str, low: int, default: int | None = None
    ) -> int:
        value = table.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= _MOST_US:
            self._fail(f"{where}: {key} is not a whole number of microseconds from {low} on")
        return value

    def _list(self, value: Any, key: str, where: str) -> tuple[int, ...]:
        if not isinstance(value, list):
            self._fail(f"{where}: {key} is not a list")
        return tuple(self._us({key: each}, key, where, 0) for each in value)

    def _positive(self, table: Mapping[str, Any], key: str, where: str) -> float | None:
        value = table.get(key)
        if value is None:
            return None
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 < value < 1e6:
            self._fail(f"{where}: {key} is not a positive number")
        return float(value)
