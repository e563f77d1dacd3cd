# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a package does on the host and on a Cortex-M under QEMU: outputs, sizes, instructions."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from subjects import MODE, Subject

from ranvier.errors import ToolError
from ranvier.model import Package
from ranvier.native import NativePackage
from ranvier.package.records import IoMode
from ranvier.testing.cortexm import Firmware, Run, run_package
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.qemu import Counter
from ranvier.testing.validate import validate

#: Input sets in one run under QEMU, so that no run takes long.
_BATCH = 25
#: Input sets whose instructions are counted: lowest values, highest values, the first random set.
COUNTED = 3


@dataclass(frozen=True)
class Exactness:
    """Differing output bytes against the reference, out of ``output_bytes``.

    ``layer_values`` are the values of all tensors that the package still has, compared on the host.
    ``distinct`` is the number of different outputs of the reference.
    """

    output_bytes: int
    distinct: int
    layer_values: int
    layer_differing: int
    host: Mapping[IoMode, int]
    cpus: Mapping[str, int]

    @property
    def passed(self) -> bool:
        """True where nothing differs."""
        return not any((self.layer_differing, *self.host.values(), *self.cpus.values()))


@dataclass(frozen=True)
class Cost:
    """What the device printed for a package, and instructions by region and input set.

    ``note`` says how the instructions were counted where that was not by the exact plugin, and
    ``mix`` has those of the last inference by mnemonic where they were asked for. ``differing`` are
    output bytes of the counted input sets.
    """

    sizes: Mapping[str, int]
    counts: Mapping[str, tuple[int, ...]]
    note: str | None
    mix: Mapping[str, int]
    differing: int

    @property
    def ram(self) -> int:
        """Arena, state, view, and the inputs and outputs outside of the arena."""
        return sum(self.sizes[f"{part}_bytes"] for part in ("arena", "state", "io")) + self.view

    @property
    def view(self) -> int:
        """The opened package, its execution context and a pointer for each external tensor."""
        return sum(self.sizes[f"{part}_bytes"] for part in ("view", "exec", "externals"))

    @property
    def crc(self) -> int:
        """Instructions of the CRC in opening."""
        return self.counts["open"][0] - self.counts["verify"][0]

    @property
    def infer(self) -> int:
        """Instructions of one inference on the last counted input."""
        return self.counts["infer"][-1]

    @property
    def steps(self) -> tuple[int, ...]:
        """Instructions of each step of that inference."""
        steps = self.counts["step"]
        return steps[-(len(steps) // len(self.counts["infer"])) :]

    @property
    def spread(self) -> float:
        """Largest difference between counted inputs, as a fraction of the fewest instructions."""
        counts = self.counts["infer"]
        return (max(counts) - min(counts)) / min(counts)


def exactness(subject: Subject, firmware: Mapping[str, Firmware]) -> Exactness:
    """Compare all outputs with the reference's: host in every mode, each CPU in one."""
    model = subject.model
    host = {mode: _host_differences(subject, mode) for mode in subject.compiled}
    cpus = {cpu: _cpu_differences(subject, built) for cpu, built in firmware.items()}
    package = Package(subject.result.package, model.name)
    layers = validate(model.data, package, TfliteMicroOracle(model.data), model.inputs).layers
    return Exactness(
        sum(map(len, model.expected)),
        len(set(model.expected)),
        sum(layer.elements for layer in layers),
        sum(layer.differing for layer in layers),
        host,
        cpus,
    )


def cost(subject: Subject, mode: IoMode, firmware: Firmware, counter: Counter) -> Cost:
    """Sizes and instruction counts, on the first few input sets."""
    count = min(COUNTED, len(subject.model.inputs))
    run = _run(subject, mode, firmware, 0, count, counter)
    result = run.result
    if not result.counts:
        raise ToolError(result.count_note or "nothing was counted")
    differing = _differences(run.outputs, b"".join(subject.model.expected[:count]))
    measured = Cost(run.sizes, result.counts, result.count_note, result.mix, differing)
    stated = subject.compiled[mode].report.ram_bytes
    if measured.ram != stated:
        raise ToolError(
            f"{subject.key}, {mode.name.lower()}: the device needs {measured.ram} bytes of RAM, "
            f"the compiler's report says {stated}"
        )
    return measured


def _differences(got: bytes, want: bytes) -> int:
    """Bytes that differ or are missing."""
    return sum(a != b for a, b in zip(got, want, strict=False)) + abs(len(got) - len(want))


def _host_differences(subject: Subject, mode: IoMode) -> int:
    package = NativePackage(subject.compiled[mode].package, subject.model.name)
    return sum(
        _differences(b"".join(package.run([x.tobytes() for x in values])), want)
        for values, want in zip(subject.model.inputs, subject.model.expected, strict=True)
    )


def _cpu_differences(subject: Subject, firmware: Firmware) -> int:
    total = 0
    for first in range(0, len(subject.model.inputs), _BATCH):
        run = _run(subject, MODE, firmware, first, _BATCH, None)
        expected = subject.model.expected[first : first + _BATCH]
        total += _differences(run.outputs, b"".join(expected))
    return total


def _run(
    subject: Subject,
    mode: IoMode,
    firmware: Firmware,
    first: int,
    count: int,
    counter: Counter | None,
) -> Run:
    sets = subject.model.inputs[first : first + count]
    data = b"".join(array.tobytes() for values in sets for array in values)
    package = subject.compiled[mode].package
    with tempfile.TemporaryDirectory(prefix="ranvier-bench-") as scratch:
        return run_package(firmware, package, data, Path(scratch), counter=counter)
