# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Measures what updates, starts and changes do to a counted flash."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from counted_device import TRIAL_BOOTS, CountedDevice, Upload
from counted_flash import Counts, Geometry

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.package.patch import base_facts, make_patch
from ranvier.package.writer import write_package

BYTES = 442_352
UPDATES = 10
BOOTS = 100
NAME = "digits"
MODEL = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.tflite"
ANNOUNCED = "upload announced, first"
_DAYS = 365.25


@dataclass(frozen=True)
class Wear:
    """Erases per update."""

    registry: float
    slots: float
    worst: float

    def years(self, cycles: int, days: float) -> float:
        """Until the worst sector has had so many erases, at an update every so many days."""
        return cycles / self.worst * days / _DAYS


def packages() -> tuple[bytes, bytes]:
    """Two versions of the digits' model, with as much among its notes as makes it that long."""
    content = compile_model(MODEL.read_bytes(), MODEL.name, CompileOptions(name=NAME)).content
    empty = len(write_package(replace(content, meta={**content.meta, "more": ""})))
    letters = hashlib.shake_128(b"more").hexdigest((BYTES - empty) // 2)
    changed = "".join("x" if i % 50 == 0 else letter for i, letter in enumerate(letters))
    first, second = (
        write_package(replace(content, meta={**content.meta, "more": more}))
        for more in (letters, changed)
    )
    return first, second


def full(package: bytes, base: bytes) -> Upload:
    """The package as it is."""
    return Upload(package, package)


def compressed(package: bytes, base: bytes) -> Upload:
    """Made small by itself."""
    return Upload(package, make_patch(package))


def delta(package: bytes, base: bytes) -> Upload:
    """Told by its difference to the base."""
    return Upload(package, make_patch(package, base), base_facts(base)[1])


KINDS: tuple[Callable[[bytes, bytes], Upload], ...] = (full, compressed, delta)


def installed(geometry: Geometry, package: bytes, models: int = 1) -> CountedDevice:
    """A device that has it confirmed and loaded; counts are new."""
    device = CountedDevice(geometry, NAME, len(package), models)
    device.mount()
    device.receive(Upload(package, package))
    device.activate(permanent=True)
    device.boot()
    device.flash.take()
    return device


def start(device: CountedDevice) -> None:
    """Power off and on."""
    device.mount()
    device.boot()


def update(device: CountedDevice, upload: Upload, resumed: bool) -> None:
    """From a start to the confirmed version."""
    start(device)
    if resumed:
        device.send(upload, device.begin(upload), len(upload.sent) // 2)
        start(device)
    device.receive(upload)
    device.activate()
    start(device)
    device.confirm()


def wear(geometry: Geometry, uploads: Sequence[Upload], resumed: bool) -> Wear:
    """Of updates to each of the uploads in turn; the device has the last one's package."""
    device = installed(geometry, uploads[-1].package)
    for i in range(UPDATES):
        update(device, uploads[i % len(uploads)], resumed)
    erases = device.flash.take().erases
    registry = erases[0] + erases[1]
    return Wear(
        registry / UPDATES,
        (erases.total() - registry) / UPDATES,
        max(erases.values()) / UPDATES,
    )


def quiet(geometry: Geometry, package: bytes) -> Counts:
    """What starts that change nothing do."""
    device = installed(geometry, package)
    start(device)
    device.flash.take()
    for _ in range(BOOTS):
        start(device)
    return device.flash.take()


def failed_trial(geometry: Geometry, first: bytes, second: bytes) -> int:
    """Registry erases of an update whose trial ends by itself."""
    device = installed(geometry, first)
    start(device)
    device.receive(Upload(second, second))
    device.activate()
    for _ in range(TRIAL_BOOTS + 1):
        start(device)
    erases = device.flash.take().erases
    return erases[0] + erases[1]


def commits(geometry: Geometry, first: bytes, second: bytes, models: int) -> dict[str, Counts]:
    """What each change writes to the registry."""
    device = installed(geometry, first, models)
    found: dict[str, Counts] = {}

    def note(title: str) -> None:
        found[title] = device.flash.take()

    device.mount()
    device.boot()
    device.flash.take()
    device.begin(Upload(second, second))
    note(ANNOUNCED)
    device.receive(Upload(second, second))
    found["slot good"] = _tail(device.flash.take(), 2 * geometry.sector_bytes)
    device.activate()
    note("activated on trial")
    start(device)
    note("start of a trial, first")
    device.confirm()
    note("confirmed")
    device.rollback()
    note("rolled back")
    start(device)
    device.flash.take()
    device.activate(permanent=True)
    note("activated for good, first")
    return found


def _tail(counts: Counts, slots: int) -> Counts:
    """What follows the last program call of a slot."""
    last = max(i for i, (offset, _) in enumerate(counts.programs) if offset >= slots)
    return Counts(programs=counts.programs[last + 1 :])


def first_reads(geometry: Geometry, package: bytes, models: int) -> tuple[Counts, Counts]:
    """What a mount does where the registry's log is full, and the load that follows."""
    device = installed(geometry, package, models)
    start(device)
    while not device.log_is_full():
        device.begin(Upload(package, package))
        device.abort()
    device.flash.take()
    device.mount()
    mount = device.flash.take()
    device.boot()
    return mount, device.flash.take()
