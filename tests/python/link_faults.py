# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Uploads over a faulty link: every frame in turn suffers, and every upload is to end well.

Run as a program it prints a table: per fault the uploads, how many ended with the right bytes on
the device, and what it cost.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fake_link import Fault, Proxy, PtyDevice
from fake_smp_device import GOOD, RECEIVING, FakeDevice, FakeModel
from packages import rich
from ranvier.device.client import Client, Patience
from ranvier.device.offer import Offer, read_offer
from ranvier.device.simulator import Simulator
from ranvier.device.update import Outcome, Updater

#: Impatient, since the devices here answer at once or never.
PATIENCE = Patience(reply_s=0.05, attempts=8, link_s=5.0)
BAUD = 1_000_000
BUFFER = 512
SECTOR = 1024
UPLOAD = (True, 2)


@dataclass(frozen=True)
class Upload:
    """An upload that was tried: what is on the device, and what it took."""

    right: bool
    outcome: Outcome
    retries: int
    stale: int


@cache
def offer() -> Offer:
    """What is sent: some 9 chunks."""
    return read_offer(rich().package, "rich.rnv")


def new_device(**options: Any) -> FakeDevice:
    """A device with a place for it."""
    return FakeDevice(
        FakeModel(offer().name), buffer=BUFFER, sector=SECTOR, verify_polls=1, **options
    )


def upload(device: FakeDevice, fault: Fault | None = None, console: bytes = b"") -> Upload:
    """Push over a pseudo terminal with this fault."""
    with (
        PtyDevice(device, fault=fault, console=console) as port,
        Client(port.address, BAUD, PATIENCE) as client,
    ):
        outcome = Updater(client).push(offer(), permanent=False)
        slot = device.models[0].slots[outcome.slot]
        right = slot.state == GOOD and slot.data == offer().data
        right = right and device.models[0].trial_slot == outcome.slot
        return Upload(right, outcome, client.counts.retries, client.counts.stale)


def frames() -> dict[str, int]:
    """How many messages an upload without faults has, each way."""
    counts = {"in": 0, "out": 0}

    def count(direction: str, number: int, data: bytes) -> list[bytes]:
        counts[direction] += 1
        return [data]

    assert upload(new_device(), count).right
    return counts


# --- faults of one message -------------------------------------------------------------------


def on_one(direction: str, number: int, what: Callable[[bytes], list[bytes]]) -> Fault:
    """A fault of the message of this number."""
    return lambda way, n, data: what(data) if (way, n) == (direction, number) else [data]


def held(direction: str, number: int, later_first: bool) -> Fault:
    """The message comes only with the one after it: before it, or behind it."""
    kept: list[bytes] = []

    def fault(way: str, n: int, data: bytes) -> list[bytes]:
        if (way, n) == (direction, number):
            kept.append(data)
            return []
        if way == direction and kept:
            return [data, kept.pop()] if later_first else [kept.pop(), data]
        return [data]

    return fault


def flipped(data: bytes, seed: int) -> list[bytes]:
    """One bit is wrong."""
    at = random.Random(seed).randrange(len(data) * 8)
    spoiled = bytearray(data)
    spoiled[at // 8] ^= 1 << at % 8
    return [bytes(spoiled)]


def burst(data: bytes, seed: int) -> list[bytes]:
    """Up to 40 bytes in a row are noise."""
    noise = random.Random(seed)
    at = noise.randrange(len(data))
    count = min(len(data) - at, noise.randrange(1, 41))
    return [data[:at] + noise.randbytes(count) + data[at + count :]]


MESSAGE_FAULTS: dict[str, Callable[[str, int], Fault]] = {
    "drop": lambda way, n: on_one(way, n, lambda data: []),
    "duplicate": lambda way, n: on_one(way, n, lambda data: [data, data]),
    "delay beyond the next": lambda way, n: held(way, n, later_first=False),
    "reorder with the next": lambda way, n: held(way, n, later_first=True),
    "cut in half": lambda way, n: on_one(way, n, lambda data: [data[: len(data) // 2]]),
    "flip a bit": lambda way, n: on_one(way, n, lambda data: flipped(data, n)),
    "burst of noise": lambda way, n: on_one(way, n, lambda data: burst(data, n)),
    "text in between": lambda way, n: on_one(way, n, lambda data: [b"[1] boot\r\n" + data]),
}


def uploads_with(name: str, way: str) -> Iterator[Upload]:
    """An upload for each message that can suffer this fault."""
    for number in range(frames()[way]):
        yield upload(new_device(), MESSAGE_FAULTS[name](way, number))


# --- the simulated device ------------------------------------------------------------------------

_LAYOUT = f"""\
sector_bytes = {SECTOR}
unit_bytes = 16
[[model]]
name = "rich"
slot_bytes = {16 * SECTOR}
"""


def upload_to_simulator(fault: Fault) -> tuple[Upload, dict[str, int]]:
    """Push to ``ranvier-sim`` on a new flash; also how many messages there were, each way."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Path(folder) / "layout.toml"
        layout.write_text(_LAYOUT, encoding="ascii")
        options = ["--flash", f"{folder}/flash", "--layout", str(layout), "--tcp", "0"]
        options += ["--buffer", str(BUFFER), "--allow-unsigned"]
        with Simulator(options) as simulator:
            port = int(simulator.address().rpartition(":")[2])
            with Proxy(port, fault) as proxy, Client(proxy.address, BAUD, PATIENCE) as client:
                outcome = Updater(client).push(offer(), permanent=False)
                model = client.model(0)
                slot = model.slots[outcome.slot]
                there = (slot.bytes, slot.crc) == (len(offer().data), offer().crc)
                right = there and slot.state == GOOD and model.trial_slot == outcome.slot
                one = Upload(right, outcome, client.counts.retries, client.counts.stale)
                return one, proxy.counts


def uploads_to_simulator(name: str, way: str) -> Iterator[Upload]:
    """As :func:`uploads_with`, to the simulated device."""
    _, counts = upload_to_simulator(lambda direction, number, data: [data])
    for number in range(counts[way]):
        yield upload_to_simulator(MESSAGE_FAULTS[name](way, number))[0]


# --- resets, at every chunk --------------------------------------------------------------------


def reset_at(device: FakeDevice, number: int, after: bool) -> None:
    """Reset the device at an upload request, before or after it is executed; no reply."""
    seen = 0

    def hook(write: bool, command: int, body: dict[str, Any]) -> bool:
        nonlocal seen
        if (write, command) != UPLOAD:
            return False
        seen += 1
        if seen != number + 1:
            return False
        device.reset()
        return True

    if after:
        device.after = hook
    else:
        device.before = hook


def chunks() -> int:
    """Of an upload, without the first request, which has no data."""
    return -(-len(offer().data) // (BUFFER - 49))


def uploads_with_resets(after: bool) -> Iterator[Upload]:
    """An upload for each of its requests, at which the device is reset."""
    for number in range(chunks() + 1):
        device = new_device()
        reset_at(device, number, after)
        yield upload(device)
        assert device.resets == 1


def uploads_of_dead_hosts() -> Iterator[Upload]:
    """An upload for each chunk after which the first host was gone; another one goes on."""
    for number in range(1, chunks()):
        device = new_device()
        with PtyDevice(device) as port, Client(port.address, BAUD, PATIENCE) as client:
            stop_after(client, number)
        assert device.session.phase == RECEIVING
        yield upload(device)


def stop_after(client: Client, number: int, package: Offer | None = None) -> None:
    """Push, and die after so many chunks."""

    class Gone(Exception):
        pass

    seen = 0

    def progress(_: object) -> None:
        nonlocal seen
        seen += 1
        if seen > number:
            raise Gone

    try:
        Updater(client, progress).push(package or offer(), permanent=False)
    except Gone:
        return
    raise AssertionError("the upload ended")


SCENARIOS: dict[str, Callable[[], Iterator[Upload]]] = {
    **{
        f"{name}, {'request' if way == 'in' else 'reply'}": (
            lambda name=name, way=way: uploads_with(name, way)
        )
        for name in MESSAGE_FAULTS
        for way in ("in", "out")
    },
    "reset before a chunk is taken": lambda: uploads_with_resets(after=False),
    "reset after a chunk was taken": lambda: uploads_with_resets(after=True),
    "host dies, another one goes on": uploads_of_dead_hosts,
}


SIMULATOR_SCENARIOS: dict[str, Callable[[], Iterator[Upload]]] = {
    f"{name}, {'request' if way == 'in' else 'reply'}": (
        lambda name=name, way=way: uploads_to_simulator(name, way)
    )
    for name in MESSAGE_FAULTS
    for way in ("in", "out")
}


def table(scenarios: dict[str, Callable[[], Iterator[Upload]]] = SCENARIOS) -> tuple[str, int]:
    """Scenarios as a table, and how many uploads ended with other bytes."""
    lines = ["| fault | uploads | right | requests sent again | late replies | bytes sent again |"]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    wrong = 0
    for name, scenario in scenarios.items():
        done = list(scenario())
        right = sum(one.right for one in done)
        wrong += len(done) - right
        again = sum(one.retries for one in done)
        late = sum(one.stale for one in done)
        length = len(offer().data)
        resent = sum(one.outcome.sent + one.outcome.begun_at - length for one in done)
        lines.append(f"| {name} | {len(done)} | {right} | {again} | {late} | {resent:,} |")
    return "\n".join(lines) + "\n", wrong


def main() -> int:
    """Print the table; 1 where an upload ended with other bytes."""
    text, wrong = table()
    print(text, end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
