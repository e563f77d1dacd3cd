# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What every step of a package was measured to cost: a file that is kept beside the package.

``ranvier profile`` writes it, ``ranvier compile --max-step-us`` and ``ranvier analyze --tasks``
read it. It is JSON (SPEC.md, 1.12); times are the longest that were seen, so what follows from them
is an estimate and not a guarantee.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ranvier.errors import InputError
from ranvier.package.records import OpRecord, PackageContent

SCHEMA = "ranvier.costs/1"
DEFAULT_MARGIN = 1.2
"""By how much a step may take longer than the longest time that was seen."""
_MOST_US = 1e9


@dataclass(frozen=True)
class StepCost:
    """A step, as its record in the package has it, and the longest time it took."""

    op: int
    row0: int
    rows: int
    max_us: float


@dataclass(frozen=True)
class CostTable:
    """The costs of all steps of one package, in order.

    ``package`` is the CRC-32 at the package's end. ``program`` is that of its ops
    (:func:`program_crc`), the same for packages of a model that differ only in their slices and
    memory. ``margin`` is what each time is multiplied with.
    """

    package: int
    program: int
    steps: tuple[StepCost, ...]
    margin: float = DEFAULT_MARGIN

    @classmethod
    def of(
        cls,
        package: bytes,
        content: PackageContent,
        max_us: Sequence[float],
        margin: float = DEFAULT_MARGIN,
    ) -> CostTable:
        """The table of a package's bytes and content, with a time for each of its steps."""
        if len(max_us) != len(content.steps):
            raise InputError(
                f"{len(max_us)} times for the {len(content.steps)} steps of {content.name!r}",
                remedy="give one time for each step",
            )
        steps = tuple(
            StepCost(step.op, step.row0, step.rows or 0, float(us))
            for step, us in zip(content.steps, max_us, strict=True)
        )
        return cls(package_crc(package), program_crc(content.ops), steps, margin)

    def step_us(self) -> tuple[float, ...]:
        """Microseconds to reckon with for every step: its longest time and the margin."""
        return tuple(step.max_us * self.margin for step in self.steps)

    def op_us(self) -> dict[int, float]:
        """The same for every op as a whole: the sum of its steps'."""
        costs: dict[int, float] = {}
        for step, us in zip(self.steps, self.step_us(), strict=True):
            costs[step.op] = costs.get(step.op, 0.0) + us
        return costs

    def of_steps(self, content: PackageContent, name: str) -> tuple[int, ...]:
        """Microseconds to reckon with for every step of ``content``, rounded up.

        The package may have other slices than the one that was measured: an op's cost is shared
        evenly by its rows. Raises :class:`InputError` for a package of other ops.
        """
        self.require_program(content.ops, name)
        whole = self.op_us()
        rows: dict[int, int] = {}
        for step in content.steps:
            rows[step.op] = rows.get(step.op, 0) + (step.rows or 1)
        return tuple(
            math.ceil(whole.get(step.op, 0.0) * (step.rows or 1) / rows[step.op])
            for step in content.steps
        )

    def require_package(self, package: bytes, name: str) -> None:
        """Raise :class:`InputError` unless the costs were measured with just this package."""
        if self.package != package_crc(package):
            raise InputError(
                f"the costs were measured with package {self.package:08x}, {name} is "
                f"{package_crc(package):08x}",
                remedy="measure this package: ranvier profile",
            )

    def require_program(self, ops: Sequence[OpRecord], name: str) -> None:
        """Raise :class:`InputError` unless they were measured with the same ops."""
        if self.program != program_crc(ops):
            raise InputError(
                f"{name}: the costs were measured with other ops than this model and these "
                "options give",
                remedy="compile without --max-step-us and --max-step-macs, measure that package "
                "with ranvier profile, and use its costs",
            )
        missing = sorted(set(range(len(ops))) - {step.op for step in self.steps})
        if missing:
            raise InputError(
                f"{name}: the costs lack op {missing[0]}",
                remedy="write them again with ranvier profile",
            )

    def to_json(self) -> str:
        """The file's text."""
        value = {
            "schema": SCHEMA,
            "package": f"{self.package:08x}",
            "program": f"{self.program:08x}",
            "margin": self.margin,
            "steps": [
                {"op": step.op, "row0": step.row0, "rows": step.rows, "max_us": step.max_us}
                for step in self.steps
            ],
        }
        return json.dumps(value, indent=1) + "\n"


def package_crc(package: bytes) -> int:
    """The CRC-32 at the end of a package's bytes."""
    (crc,) = struct.unpack_from("<I", package, len(package) - 4)
    return int(crc)


def program_crc(ops: Sequence[OpRecord]) -> int:
    """CRC-32 of what all ops compute: codes, parameters and streams, in order."""
    crc = 0
    for op in ops:
        head = struct.pack(f"<HH{len(op.params)}i", op.code, op.packing, *op.params)
        crc = zlib.crc32(op.weights, zlib.crc32(head, crc))
    return crc


def read_costs(data: bytes, name: str) -> CostTable:
    """The table of a file's bytes; ``name`` is the file's name for messages.

    Raises :class:`InputError` for anything else.
    """
    return _Costs(name).table(data)


class _Costs:
    """Reads the values of one file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _fail(self, reason: str) -> NoReturn:
        raise InputError(f"{self._name}: {reason}", remedy="write it again with ranvier profile")

    def table(self, data: bytes) -> CostTable:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            self._fail("is not JSON")
        if not isinstance(value, dict) or value.get("schema") != SCHEMA:
            self._fail(f"is no table of costs ({SCHEMA})")
        steps = value.get("steps")
        if not isinstance(steps, list) or not steps:
            self._fail("has no list of steps")
        return CostTable(
            package=self._hex(value, "package"),
            program=self._hex(value, "program"),
            steps=tuple(self._step(step, number) for number, step in enumerate(steps)),
            margin=self._number(value, "margin", 1.0, 100.0, "the table"),
        )

    def _step(self, value: Any, number: int) -> StepCost:
        where = f"step {number}"
        if not isinstance(value, dict):
            self._fail(f"{where} is not an object")
        op, row0, rows = (self._count(value, key, where) for key in ("op", "row0", "rows"))
        return StepCost(op, row0, rows, self._number(value, "max_us", 0.0, _MOST_US, where))

    def _hex(self, value: Mapping[str, Any], key: str) -> int:
        text = value.get(key)
        if not isinstance(text, str) or len(text) != 8:
            self._fail(f"{key} is not 8 hexadecimal digits")
        try:
            return int(text, 16)
        except ValueError:
            self._fail(f"{key} is not 8 hexadecimal digits")

    def _count(self, value: Mapping[str, Any], key: str, where: str) -> int:
        count = value.get(key)
        if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= 0xFFFF:
            self._fail(f"{where}: {key} is not a number from 0 to 65535")
        return count

    def _number(
        self, value: Mapping[str, Any], key: str, low: float, high: float, where: str
    ) -> float:
        number = value.get(key)
        if not isinstance(number, (int, float)) or isinstance(number, bool):
            self._fail(f"{where}: {key} is not a number")
        if not math.isfinite(number) or not low <= number <= high:
            self._fail(f"{where}: {key} {number} is not in {low:g} .. {high:g}")
        return float(number)
