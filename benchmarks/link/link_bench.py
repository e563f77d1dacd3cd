# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How fast a package gets over a serial line, and what faults on the line do to it, as tables.

Writes RESULTS.md. The line is a pseudo terminal whose other end takes and gives bytes at the pace
of a baud rate. The device there is a small one, which writes to memory, or ``ranvier-sim``, which
paces itself: flash takes no time. Exit code 1: a goal is missed, or an upload ended wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "python"))

from smpclient.transport.serial import BufferSize, SMPSerialTransport  # noqa: E402

import link_faults  # type: ignore[import-not-found]  # noqa: E402
from fake_link import PtyDevice  # type: ignore[import-not-found]  # noqa: E402
from fake_smp_device import FakeDevice, FakeModel  # type: ignore[import-not-found]  # noqa: E402
from ranvier.compiler.driver import compile_model  # noqa: E402
from ranvier.device import wire  # noqa: E402
from ranvier.device.client import Client  # noqa: E402
from ranvier.device.offer import Offer, read_offer  # noqa: E402
from ranvier.device.simulator import Simulator, find_simulator  # noqa: E402
from ranvier.device.update import Updater  # noqa: E402
from ranvier.errors import ToolError  # noqa: E402
from ranvier.package.writer import write_package  # noqa: E402

BYTES = 442_368
SHARE_OF_LINE = 93 / 127
"""Of the bytes on the line: a line of 127 carries 93."""
MODEL = HERE.parents[1] / "models" / "digits" / "digits.tflite"
RESULTS = HERE / "RESULTS.md"
_SMALL = "small"
_LAYOUT = """\
sector_bytes = 4096
unit_bytes = 16
[[model]]
name = "digits"
slot_bytes = 1048576
"""
_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# Uploads over a serial line

Written by `benchmarks/link/link_bench.py`. No board and no cable was measured: the line is a pseudo
terminal that is paced in both directions.

## Rates

A package of 442,368 bytes. *Device*: a small one of the tests, in Python, or `ranvier-sim`; the
flash of neither takes time. *Buffer* is the device's for one message. *Of the line*: of the most
that the framing lets through, 93 of 127 bytes. *smpclient*: the same chunks by the loop of its
serial transport, which looks for replies every 5 ms. Each row is the best of {repeat}, on a
machine that did other work as well.

"""
_FAULTS = """
## Faults

An upload of {bytes:,} bytes in {chunks} chunks for each message that can suffer: every one in turn.
*Right*: the device has the bytes that were sent, verified and on trial.

"""
_SIMULATOR = """
The same against `ranvier-sim`, through a proxy:

"""


@dataclass(frozen=True)
class Goal:
    """A line and a buffer; ``share`` of the line's most, and seconds, 0 for no goal."""

    baud: int
    buffer: int
    share: float
    seconds: float = 0.0


GOALS = (
    Goal(115_200, 4096, 0.94, 57.0),
    Goal(115_200, 1024, 0.82),
    Goal(1_000_000, 4096, 0.75),
    Goal(1_000_000, 1024, 0.0),
    Goal(1_000_000, 384, 0.0),
)


@dataclass(frozen=True)
class Row:
    """An upload that was measured."""

    what: str
    device: str
    goal: Goal
    chunk: int
    seconds: float

    @property
    def rate(self) -> float:
        """Bytes a second."""
        return BYTES / self.seconds

    @property
    def share(self) -> float:
        """Of the most that the framing lets through."""
        return self.rate / (self.goal.baud / 10 * SHARE_OF_LINE)

    @property
    def met(self) -> bool:
        """True where the goal is reached."""
        in_time = not self.goal.seconds or self.seconds <= self.goal.seconds
        return self.share >= self.goal.share and in_time

    def markdown(self) -> str:
        """A row of the table."""
        goal = f"{100 * self.goal.share:.0f} %" if self.goal.share else "-"
        goal += f", {self.goal.seconds:.0f} s" if self.goal.seconds else ""
        goal = goal if self.what == "ranvier" else "-"
        cells = [self.what, self.device, f"{self.goal.baud:,}", f"{self.goal.buffer:,}"]
        cells += [f"{self.chunk:,}", f"{self.seconds:.1f}", f"{self.rate / 1024:.2f}"]
        cells += [f"{100 * self.share:.1f} %"]
        return "| " + " | ".join([*cells, goal]) + " |"


def package() -> Offer:
    """The digits' model, with as much among its notes as makes it that long."""
    plain = compile_model(MODEL.read_bytes(), MODEL.name)
    content = plain.content
    more = {**content.meta, "more": ""}
    empty = len(write_package(replace(content, meta=more)))
    letters = hashlib.shake_128(b"more").hexdigest((BYTES - empty) // 2)
    data = write_package(replace(content, meta={**more, "more": letters}))
    assert len(data) == BYTES
    return read_offer(data, "digits.rnv")


@contextmanager
def device_of(goal: Goal, offer: Offer, simulated: bool) -> Iterator[str]:
    """A device on a line of that pace: its port."""
    if not simulated:
        device = FakeDevice(FakeModel(offer.name), buffer=goal.buffer, verify_polls=1)
        with PtyDevice(device, baud=goal.baud) as port:
            yield port.address
            assert device.models[0].slots[0].data == offer.data
        return
    with tempfile.TemporaryDirectory() as folder:
        layout = Path(folder) / "layout.toml"
        layout.write_text(_LAYOUT, encoding="ascii")
        options = ["--flash", f"{folder}/flash", "--layout", str(layout), "--pty"]
        options += ["--baud", str(goal.baud), "--buffer", str(goal.buffer)]
        with Simulator([*options, "--allow-unsigned"]) as simulator:
            yield simulator.address()


def ours(goal: Goal, offer: Offer, simulated: bool) -> Row:
    """The time that the chunks took, from the first to the reply to the last."""
    with device_of(goal, offer, simulated) as address, Client(address, goal.baud) as client:
        outcome = Updater(client).push(offer, permanent=None)
        assert client.counts.retries == 0, client.counts
        device = "ranvier-sim" if simulated else _SMALL
        return Row("ranvier", device, goal, client.info().chunk, outcome.seconds)


def theirs(goal: Goal, offer: Offer) -> Row:
    """The same requests by smpclient's serial transport."""

    async def send(address: str, chunk: int) -> float:
        transport = SMPSerialTransport(BufferSize(goal.buffer), baudrate=goal.baud)
        await transport.connect(address, 5.0)
        begin = wire.Begin(offer.name, len(offer.data), offer.sha256, offer.header)
        await transport.send_and_receive(begin.request().encode(0))
        started = time.monotonic()
        for number, at in enumerate(range(0, len(offer.data), chunk), 1):
            request = wire.chunk(at, offer.data[at : at + chunk], offer.sha256)
            await transport.send_and_receive(request.encode(number % 256))
        took = time.monotonic() - started
        await transport.send_and_receive(wire.Request(wire.Command.UPDATE).encode(0))
        await transport.disconnect()
        return took

    with device_of(goal, offer, simulated=False) as address:
        with Client(address, goal.baud) as client:
            chunk = client.info().chunk
        took = asyncio.run(send(address, chunk))
    return Row("smpclient", _SMALL, goal, chunk, took)


def rates(simulated: bool, repeat: int) -> list[Row]:
    """All uploads to one kind of device: the fastest of each."""
    offer = package()
    rows = []
    for goal in GOALS:
        uploads = [partial(ours, goal, offer, simulated)]
        if goal.baud == 1_000_000 and not simulated:
            uploads.append(partial(theirs, goal, offer))
        for upload in uploads:
            rows.append(min((upload() for _ in range(repeat)), key=lambda row: row.seconds))
            print(rows[-1].markdown(), flush=True)
    return rows


def table_of(rows: Sequence[Row]) -> str:
    """The rows with a header."""
    header = ["client", "device", "baud", "buffer", "chunk", "seconds", "KiB/s", "of the line"]
    lines = ["| " + " | ".join([*header, "goal"]) + " |", "|---|---" + "|---:" * 7 + "|"]
    return "\n".join([*lines, *(row.markdown() for row in rows)]) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sim", action="store_true", help="only against ranvier-sim; no file")
    parser.add_argument("--rates", action="store_true", help="rates only; no file")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="uploads of each rate")
    options = parser.parse_args(arguments)
    simulator = has_simulator()
    rows = [] if options.sim else rates(False, options.repeat)
    rows += rates(True, options.repeat) if simulator else []
    missed = [row for row in rows if row.what == "ranvier" and not row.met]
    for row in missed:
        print(f"goal missed: {row.markdown()}", file=sys.stderr)
    if options.sim or options.rates:
        return 1 if missed else 0
    faults, wrong = link_faults.table()
    size = len(link_faults.offer().data)
    text = _HEAD.format(repeat=options.repeat) + table_of(rows)
    text += _FAULTS.format(bytes=size, chunks=link_faults.chunks()) + faults
    if simulator:
        faults, more = link_faults.table(link_faults.SIMULATOR_SCENARIOS)
        text += _SIMULATOR + faults
        wrong += more
    RESULTS.write_text(text, encoding="utf-8")
    return 1 if missed or wrong else 0


def has_simulator() -> bool:
    """True where ranvier-sim is built."""
    try:
        find_simulator()
    except ToolError:
        print("ranvier-sim is not built: it is left out", file=sys.stderr)
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
