# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier run`` does with packages that take sound a hop at a time."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from ranvier.audio import Samples, Stream, best_class, read_wav, sample_rate
from ranvier.cli.output import Output
from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.stages import stages


def run_stream(output: Output, package: Package, paths: tuple[str, ...], every: int) -> None:
    """Push a sound file through a package and print what each inference puts out."""
    if len(paths) != 1:
        raise InputError(
            f"{len(paths)} files were given for one stream of sound", "give --input once"
        )
    rate = sample_rate(package)
    samples = samples_of(paths[0], read_bytes(paths[0]), rate)
    stream = Stream(package, every)
    rows: list[dict[str, Any]] = []
    begin = time.perf_counter()
    for inference in stream.feed(samples):
        found = best_class(package, inference)
        if found is not None:
            at = inference.samples / rate
            rows.append({"seconds": at, "label": found.label, "score": found.score})
    spent = time.perf_counter() - begin
    if rows:
        output.table(["seconds", "label", "score"], [_cells(row) for row in rows])
    length = len(samples) / rate
    inferences = len(samples) // (every * stream.hop)
    waits = runs_waited_for(package)
    if inferences == 0:
        output.text(f"{length:.2f} s are too short for an inference every {every} hops")
    elif inferences < waits:
        output.text(
            f"nothing was found: the stage smooth waits for {waits} inferences, here are "
            f"{inferences}; give more sound, or a smaller --every"
        )
    elif not rows:
        output.text("nothing was found")
    output.text(
        f"{length:.2f} s of sound, an inference every {every * stream.hop / rate:.2f} s; "
        f"took {spent:.2f} s on this host (not a device's time)"
    )
    output.json({"seconds": length, "found": rows, "host_seconds": spent})


def _cells(row: dict[str, Any]) -> list[str]:
    score = row["score"]
    return [f"{row['seconds']:.2f}", row["label"], "-" if score is None else f"{score:.4f}"]


def runs_waited_for(package: Package) -> int:
    """Inferences before the stage smooth puts out anything; 0 without it."""
    found = [stage.get("minimum") for stage in stages(package, "post")]
    return max((runs for runs in found if isinstance(runs, int)), default=0)


_FORMATS = {
    b"fLaC": "a FLAC file",
    b"OggS": "an Ogg file",
    b"ID3": "an MP3 file",
    b"FORM": "an AIFF file",
    b"RF64": "an RF64 file, a WAV file of more than 4 GB",
    b"\x89PNG": "a PNG image",
    b"\x93NUMPY": "a NumPy array",
    b"RNVM": "a package",
}
"""Files that would be noise as raw samples."""


def samples_of(path: str, data: bytes, rate: int) -> Samples:
    """The samples of a WAV file, or raw ones, that are at hand."""
    other = next((name for start, name in _FORMATS.items() if data.startswith(start)), None)
    if other is not None:
        raise InputError(
            f"{path}: is {other}",
            f"convert it to a WAV file of {rate} Hz, 1 channel, 16 bits",
        )
    if Path(path).suffix.lower() in (".wav", ".wave") or data.startswith(b"RIFF"):
        return read_wav(data, path, rate)
    if len(data) % 2 or not data:
        raise InputError(
            f"{path}: {len(data)} bytes are no 16-bit samples",
            "give a WAV file, or raw samples, int16, little-endian",
        )
    return np.frombuffer(data, "<i2").astype(np.int16)
