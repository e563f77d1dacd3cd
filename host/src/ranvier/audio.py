# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Sound for packages that take it a hop at a time: WAV files, and a stream through a model."""

from __future__ import annotations

import shlex
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.errors import InputError
from ranvier.model import Model, Package
from ranvier.results import listed
from ranvier.stages import INFER, PUSH, stages, takes_stream

Samples = NDArray[np.int16]

_CHUNK = struct.Struct("<4sI")
_FORMAT = struct.Struct("<HHI6xH")
_PCM, _EXTENSIBLE = 1, 0xFFFE
_GUID_TAIL = bytes.fromhex("000000001000800000aa00389b71")
"""Behind the encoding's number in an extensible format."""


@dataclass(frozen=True)
class _Wav:
    """What a WAV file says of itself, and the bytes that it has of its samples."""

    encoding: int
    channels: int
    rate: int
    bits: int
    promised_bytes: int
    data: bytes


def read_wav(data: bytes, name: str, sample_rate: int) -> Samples:
    """The samples of a WAV file's bytes; ``name`` is the file's name for messages.

    Raises :class:`InputError` for anything but 16-bit mono PCM at ``sample_rate`` (Hz), and for
    files that are empty or shorter than they say.
    """
    convert = (
        f"convert it, for example: sox {shlex.quote(name)} -r {sample_rate} -c 1 -b 16 out.wav"
    )
    wav = _parse_wav(data, name, convert)
    if wav.encoding != _PCM:
        raise InputError(f"{name}: has samples of WAV format {wav.encoding}, not PCM", convert)
    if (wav.rate, wav.channels, wav.bits) != (sample_rate, 1, 16):
        channels = "channel" if wav.channels == 1 else "channels"
        raise InputError(
            f"{name}: has {wav.rate} Hz, {wav.channels} {channels}, {wav.bits} bits; the package "
            f"takes {sample_rate} Hz, 1 channel, 16 bits",
            convert,
        )
    if len(wav.data) < wav.promised_bytes:
        raise InputError(
            f"{name}: is truncated: {len(wav.data) // 2} of {wav.promised_bytes // 2} samples",
            "record or copy it again; what a program has piped, write to a file",
        )
    if len(wav.data) % 2:
        raise InputError(f"{name}: ends within a sample", "record or copy it again")
    if not wav.data:
        raise InputError(f"{name}: has no samples", "record it again")
    return np.frombuffer(wav.data, "<i2").astype(np.int16)


def _parse_wav(data: bytes, name: str, convert: str) -> _Wav:
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise InputError(f"{name}: is no WAV file", convert)
    form, at = b"", 12
    while at + _CHUNK.size <= len(data):
        kind, size = _CHUNK.unpack_from(data, at)
        body = data[at + _CHUNK.size : at + _CHUNK.size + size]
        if kind == b"fmt ":
            form = body
        elif kind == b"data" and len(form) >= _FORMAT.size:
            encoding, channels, rate, bits = _FORMAT.unpack_from(form)
            if encoding == _EXTENSIBLE and form[26:40] == _GUID_TAIL:
                encoding = int.from_bytes(form[24:26], "little")
            return _Wav(encoding, channels, rate, bits, size, body)
        at += _CHUNK.size + size + size % 2
    raise InputError(
        f"{name}: is a WAV file without format and samples, or ends before them",
        "record or copy it again",
    )


@dataclass(frozen=True)
class Inference:
    """What ``infer`` put out after ``samples`` samples of the stream."""

    samples: int
    outputs: tuple[NDArray[Any], ...]


class Stream:
    """Sound through a package with the entry points ``push`` and ``infer``.

    Every ``every`` hops an inference is made. Samples that do not fill a hop wait for the next
    call. Not thread-safe.
    """

    def __init__(self, package: Package, every: int = 5) -> None:
        if not takes_stream(package):
            names = ", ".join(entry.name for entry in package.entries)
            raise InputError(
                f"{package.source} takes no stream: its entry points are {names}",
                "compile the model with --pre audio",
            )
        if every < 1:
            raise InputError(f"an inference every {every} hops", "give 1 or more")
        push = package.entry(PUSH)
        if len(push.inputs) != 1 or push.inputs[0].dtype != np.int16 or push.outputs:
            raise InputError(
                f"{package.source}: push does not take one hop of int16 samples",
                "compile the model with --pre audio",
            )
        self._model = Model(package)
        self._shape = push.inputs[0].shape
        self.hop = int(np.prod(self._shape))
        self._every = every
        self._rest: Samples = np.zeros(0, np.int16)
        self._hops = 0

    def feed(self, samples: Samples) -> Iterator[Inference]:
        """Push samples; yields every inference that becomes due.

        Samples are taken at once. They are pushed as the inferences are asked for, and what was not
        pushed by then comes before the samples of the next call.
        """
        given = np.asarray(samples)
        if given.dtype != np.int16 or given.ndim != 1:
            raise InputError(
                f"a stream takes one row of int16 samples, {given.dtype}{list(given.shape)} was "
                "given",
                "give one channel; scale real samples to -32768..32767 and round them",
            )
        self._rest = np.concatenate([self._rest, given])
        return self._due()

    def _due(self) -> Iterator[Inference]:
        while len(self._rest) >= self.hop:
            hop, self._rest = self._rest[: self.hop], self._rest[self.hop :]
            self._model.run(hop.reshape(self._shape), entry=PUSH)
            self._hops += 1
            if self._hops % self._every == 0:
                outputs = self._model.run(entry=INFER)
                yield Inference(self._hops * self.hop, tuple(outputs))


@dataclass(frozen=True)
class Best:
    """The class that an inference has found; without ``score`` where the package gives none."""

    class_index: int
    label: str
    score: float | None


def best_class(package: Package, inference: Inference) -> Best | None:
    """The first of a list of results, arg-max's number, or the class with the highest score.

    None where a list is empty.
    """
    outputs = inference.outputs
    found = listed(outputs, package.labels)
    if found is not None:
        return Best(found[0].class_index, found[0].label, found[0].score) if found else None
    infos = package.entry(INFER).outputs
    real = infos[0].dequantise(outputs[0]).ravel() if infos else np.zeros(0, np.float32)
    if not real.size:
        raise InputError(f"{package.source}: {INFER} puts out nothing", "compile the model again")
    counted = any(stage.get("stage") == "argmax" for stage in stages(package, "post"))
    best = int(outputs[0].flat[0]) if counted else int(np.argmax(real))
    label = package.labels[best] if 0 <= best < len(package.labels) else str(best)
    return Best(best, label, None if counted else float(real[best]))


def sample_rate(package: Package) -> int:
    """The rate in Hz that a package's first stage takes; raises :class:`InputError` without one."""
    for stage in stages(package, "pre"):
        rate = stage.get("sample_rate")
        if isinstance(rate, int) and rate > 0:
            return rate
    raise InputError(
        f"{package.source} does not say at which rate it takes sound",
        "compile the model with --pre audio",
    )
