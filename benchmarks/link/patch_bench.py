# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How much smaller compressed packages and deltas are, and what that makes of a serial line.

Usage: patch_bench.py MODELS [--sim]. MODELS is a folder with the models of MLPerf Tiny. Writes
PATCHES.md. Newer versions are simulated: normal noise is added to the int8 weights that are not 0,
of the last layer or of all; nothing is trained. Rates are a package's bytes by the time of its
upload: computed from the bytes that are sent at the measured rate of RESULTS.md; with ``--sim``
uploads to ``ranvier-sim`` on a paced line are timed instead.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ranvier.compiler.driver import compile_model
from ranvier.compiler.tflite import read_tflite
from ranvier.device.client import Client
from ranvier.device.offer import Offer, read_offer
from ranvier.device.parcel import Encoding
from ranvier.device.simulator import Simulator
from ranvier.device.update import Updater
from ranvier.package.patch import make_patch

MODELS = {
    "kws": "mlperf_kws_dscnn_int8.tflite",
    "vww": "mlperf_vww_mnv1_int8.tflite",
    "ic": "mlperf_ic_resnet8_int8.tflite",
    "ad": "mlperf_ad01_int8.tflite",
}
BAUD = 115_200
RATE = 8.06 * 1024
"""Bytes a second of RESULTS.md at that rate, with buffers of 4096 bytes."""
NOISE = {"last layer": (True, 4.0), "all, a little": (False, 2.0), "all": (False, 8.0)}
"""Whether only the last layer changes, and the noise's standard deviation in steps of int8."""
RESULTS = Path(__file__).resolve().parent / "PATCHES.md"
_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# Compressed packages and deltas

Written by `benchmarks/link/patch_bench.py`. Models of MLPerf Tiny, compiled with default options.
*Compressed*: the package alone. The others are deltas of a newer version to it, which is simulated:
normal noise is added to the int8 weights that are not 0 and the model is compiled again; *last
layer*: sigma 4 of 255, in the last layer only; *all, a little*: sigma 2, all layers; *all*: sigma
8. Weights that are trained anew from another start have nothing in common with the old ones: that
is about *compressed*. Rates are bytes of the package by the time of its upload at {baud:,} baud,
{how}. *Sent* has what was sent again
while the device wrote what a chunk had told. *Encoder* is the CPU time that the host
takes.

"""


@dataclass(frozen=True)
class Row:
    """A package on its way."""

    model: str
    what: str
    package: int
    sent: int
    seconds: float
    encoder: float

    def markdown(self) -> str:
        """A row of the table."""
        cells = [self.model, self.what, f"{self.package:,}", f"{self.sent:,}"]
        cells += [f"{100 * self.sent / self.package:.1f} %", f"{self.seconds:.1f}"]
        cells += [f"{self.package / self.seconds / 1024:.1f}", f"{self.encoder:.1f}"]
        return "| " + " | ".join(cells) + " |"


def weights(model: bytes, name: str) -> list[tuple[int, int]]:
    """Where the int8 constants of a model lie in its file, in the order of its ops."""
    places = []
    for op in read_tflite(model, name).ops:
        for tensor in op.inputs:
            if tensor is None or tensor.data is None or tensor.data.dtype != np.int8:
                continue
            data = tensor.data.tobytes()
            at = model.find(data)
            assert at >= 0
            assert model.find(data, at + 1) < 0
            places.append((at, len(data)))
    return places


def changed(model: bytes, name: str, last: bool, sigma: float) -> bytes:
    """A newer version of a model."""
    source = np.random.default_rng(1)
    file = np.frombuffer(model, np.uint8).copy()
    for at, count in weights(model, name)[-1:] if last else weights(model, name):
        old = file[at : at + count].view(np.int8).astype(np.float64)
        new = np.clip(np.rint(old + source.normal(0, sigma, count)), -127, 127)
        file[at : at + count] = np.where(old == 0, 0, new).astype(np.int8).view(np.uint8)
    return file.tobytes()


def package(model: bytes, name: str) -> Offer:
    """Compiled, with the name of its place in the simulator's default layout."""
    return read_offer(compile_model(model, f"{name}.tflite").package, f"{name}.rnv")


def versions(folder: Path, name: str) -> Iterator[tuple[str, Offer, Offer | None]]:
    """What is sent: the package, with None for a base, and its newer versions."""
    model = (folder / MODELS[name]).read_bytes()
    base = package(model, name)
    yield "plain", base, None
    yield "compressed", base, None
    for what, (last, sigma) in NOISE.items():
        yield what, package(changed(model, name, last, sigma), name), base


def timed(offer: Offer, base: Offer | None, what: str) -> tuple[int, float]:
    """The seconds of an upload to the simulator, which runs ``base``, and the bytes sent."""
    how = Encoding.DELTA if base else Encoding.PLAIN if what == "plain" else Encoding.COMPRESSED
    with tempfile.TemporaryDirectory() as folder:
        flash = ["--flash", f"{folder}/flash", "--allow-unsigned"]
        if base:
            with Simulator(flash) as simulator, Client(simulator.address()) as client:
                Updater(client).push(base, permanent=True)
        with (
            Simulator([*flash, "--pty", "--baud", str(BAUD)]) as simulator,
            Client(simulator.address(), BAUD) as client,
        ):
            outcome = Updater(client).push(offer, permanent=None, encoding=how, base=base)
            return outcome.sent, outcome.seconds


def rows(folder: Path, simulated: bool) -> Iterator[Row]:
    """All of it."""
    for name in MODELS:
        for what, offer, base in versions(folder, name):
            start = time.process_time()
            of = base.data if base else None
            sent = len(offer.data if what == "plain" else make_patch(offer.data, of))
            encoder = time.process_time() - start
            seconds = sent / RATE
            if simulated:
                sent, seconds = timed(offer, base, what)
            yield Row(name, what, len(offer.data), sent, seconds, encoder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=Path, help="folder with the models of MLPerf Tiny")
    parser.add_argument("--sim", action="store_true", help="time uploads to ranvier-sim")
    options = parser.parse_args(arguments)
    header = ["model", "what", "package", "sent", "of it", "seconds", "KiB/s", "encoder, s"]
    lines = ["| " + " | ".join(header) + " |", "|---|---" + "|---:" * (len(header) - 2) + "|"]
    for row in rows(options.models, options.sim):
        lines.append(row.markdown())
        print(lines[-1], flush=True)
    how = "timed on `ranvier-sim` from the first chunk to the reply to the last"
    if not options.sim:
        how = f"computed for {RATE / 1024:.2f} KiB/s (RESULTS.md)"
    head = _HEAD.format(baud=BAUD, how=how)
    RESULTS.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
