# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier run``, ``validate`` and ``profile`` on a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ranvier.cli.device import Target, connected
from ranvier.cli.output import Output, size
from ranvier.device.errors import DeviceError
from ranvier.errors import InputError
from ranvier.model import Entry, Model, Package, encode

if TYPE_CHECKING:
    from ranvier.device.client import Client
    from ranvier.device.jobs import Ran
    from ranvier.device.wire import Info

Arrays = list[NDArray[Any]]


class DeviceModel:
    """A package as it runs on a device; raises where the device runs another one."""

    def __init__(self, client: Client, package: Package) -> None:
        self._client = client
        self._info: Info = client.info()
        self.package = package
        self._crc = int.from_bytes(package.data[-4:], "little")

    def run(self, entry: Entry, values: Sequence[NDArray[Any]]) -> tuple[Arrays, Ran]:
        """Run an entry point, from zero state; its outputs, and what the device told."""
        from ranvier.device import jobs

        data = b"".join(
            encode(info, value) for info, value in zip(entry.inputs, values, strict=True)
        )
        stateful = self.package.content.state_bytes > 0
        try:
            ran = jobs.run(
                self._client, self._info, self.package.name, entry.number, data, stateful
            )
        except DeviceError as error:
            if error.code != "ENOENT":
                raise
            name, source = self.package.name, self.package.source
            raise InputError(
                f"the device runs no model named {name!r}",
                remedy=jobs.how_to_run(self._client, name, source),
            ) from None
        if ran.crc != self._crc:
            version = ".".join(map(str, ran.version))
            raise InputError(
                f"the device runs another package as {self.package.name!r}: version {version}, "
                f"CRC {ran.crc:08x} instead of {self._crc:08x}",
                remedy=f"ranvier ota push {self.package.source}",
            )
        return self._split(entry, ran.data), ran

    def _split(self, entry: Entry, data: bytes) -> Arrays:
        sizes = [info.dtype.itemsize * int(np.prod(info.shape)) for info in entry.outputs]
        if sum(sizes) != len(data):
            raise InputError(
                f"the device put out {len(data)} bytes, {self.package.source} has {sum(sizes)}",
                remedy=f"ranvier ota push {self.package.source}",
            )
        found, at = [], 0
        for info, count in zip(entry.outputs, sizes, strict=True):
            piece = np.frombuffer(data[at : at + count], info.dtype)
            found.append(piece.reshape(info.shape).copy())
            at += count
        return found


@contextmanager
def device_model(output: Output, target: Target, package: Package) -> Iterator[DeviceModel]:
    """The package as it runs on the device."""
    with connected(output, target) as client:
        yield DeviceModel(client, package)


def run_once(
    output: Output, target: Target, package: Package, values: Sequence[NDArray[Any]]
) -> tuple[Arrays, int]:
    """Run the default entry point; its outputs, and the microseconds that it took there."""
    with device_model(output, target, package) as model:
        results, ran = model.run(package.entries[0], values)
    return results, ran.us


def print_device_time(output: Output, us: int) -> None:
    """Print how long the job took."""
    output.text(
        f"took {size(us)} us on the device, from submission to completion; "
        "ranvier profile --device tells it by layer"
    )


@dataclass(frozen=True)
class OnDevice:
    """A device's outputs against this machine's core: bytes for bytes."""

    inputs: int
    elements: int
    differing: int
    min_us: int
    max_us: int

    def to_dict(self) -> dict[str, int]:
        """As JSON values."""
        return asdict(self)


def compare_on_device(
    output: Output, target: Target, package: Package, sets: Sequence[Sequence[NDArray[Any]]]
) -> OnDevice:
    """Run all inputs on the device and on this machine's core."""
    core = Model(package)
    elements = differing = 0
    times = []
    with device_model(output, target, package) as model:
        for values in sets:
            core.reset()
            want = core.run(*values)
            got, ran = model.run(package.entries[0], values)
            times.append(ran.us)
            for ours, theirs in zip(got, want, strict=True):
                elements += ours.size
                same = (ours == theirs) | ((ours != ours) & (theirs != theirs))
                differing += int(ours.size - np.count_nonzero(same))
    return OnDevice(len(sets), elements, differing, min(times), max(times))


def print_comparison(output: Output, found: OnDevice) -> None:
    """Print what the device did."""
    verdict = "equal" if not found.differing else f"{size(found.differing)} values differ"
    output.text(
        f"{found.inputs} inputs on the device against this machine's core: {verdict}; "
        f"{size(found.min_us)} to {size(found.max_us)} us"
    )


def device_trace(
    output: Output,
    target: Target,
    package: Package | None,
    sets: Sequence[Sequence[NDArray[Any]]],
    runs: int,
) -> bytes:
    """The device's profile: of these runs of all entry points, or as it stands without a package.

    ``sets`` have the inputs of all entry points, one after the other.
    """
    from ranvier.device import jobs

    with connected(output, target) as client:
        if package is None:
            return jobs.read_dump(client)
        model = DeviceModel(client, package)
        jobs.profiling(client, True)
        try:
            for number in range(runs):
                values = list(sets[number % len(sets)])
                for entry in package.entries:
                    own, values = values[: len(entry.inputs)], values[len(entry.inputs) :]
                    model.run(entry, own)
        finally:
            jobs.profiling(client, False)
        return jobs.read_dump(client)
