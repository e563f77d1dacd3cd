# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Runs on this host that the page asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.audio import Inference, Samples, Stream, best_class, sample_rate
from ranvier.errors import InputError
from ranvier.model import Model, Package, StepTime, TensorInfo
from ranvier.package.format import golden_bytes
from ranvier.pixels import Pixels, read_picture
from ranvier.results import Detection, listed
from ranvier.stages import INFER, PUSH, picture_format, takes_stream
from ranvier.testing.validate import random_inputs
from ranvier.view.request import RunRequest, Upload

_SECONDS = 2
"""How long random sound is."""
_TIMED_RUNS = 9
"""At most so many runs are timed."""
_TIMED_HOPS = 100
"""So many hops of a sound are timed layer by layer."""

Array = NDArray[Any]


@dataclass(frozen=True)
class Loaders:
    """How files become inputs, as the command reads them.

    ``values`` gives an array for each input of the default entry point, by the files and the factor
    and offset of pixels; ``samples`` reads sound at a rate in Hz.
    """

    values: Callable[[Package, Sequence[Upload], float, float], list[Array]]
    samples: Callable[[Upload, int], Samples]


@dataclass(frozen=True)
class LayerTime:
    """What a layer took on this host: the median of ``runs``, in seconds."""

    layer: int
    runs: int
    seconds: float


@dataclass(frozen=True)
class Inferred:
    """A run of the default entry point; ``objects`` where its outputs are a list of results."""

    what: str
    picture: Pixels | None
    size: tuple[int, int] | None
    outputs: tuple[tuple[TensorInfo, Array], ...]
    objects: tuple[Detection, ...] | None
    times: tuple[LayerTime, ...]


@dataclass(frozen=True)
class Heard:
    """What was recognised from one sample to another, at its best score if there are scores.

    A ``moment`` is an event: it was said once, at ``end``.
    """

    begin: int
    end: int
    label: str
    class_index: int
    score: float | None
    moment: bool


@dataclass(frozen=True)
class Listened:
    """A sound that went through the package."""

    what: str
    samples: Samples
    rate: int
    period: int
    inferences: int
    seconds: float
    heard: tuple[Heard, ...]
    times: tuple[LayerTime, ...]


@dataclass(frozen=True)
class SelfTest:
    """Whether the package's self-test passed, and the run of its input where there is one run."""

    passed: bool
    run: Inferred | None


Outcome = Inferred | Listened | SelfTest


def frame_size(package: Package) -> tuple[int, int] | None:
    """Rows and columns of a package's first input, where that is a picture."""
    if not package.inputs:
        return None
    shape = package.inputs[0].shape
    if picture_format(package) is not None and len(shape) == 3:
        return shape[0], shape[1]
    inner = shape[1:] if len(shape) == 4 and shape[0] == 1 else shape
    fits = len(inner) == 3 and inner[2] in (1, 3) and min(inner[:2]) > 1
    return (inner[0], inner[1]) if fits else None


class Runner:
    """Runs a package, one run at a time; may be shared by threads."""

    def __init__(self, package: Package, loaders: Loaders) -> None:
        self._package = package
        self._loaders = loaders
        self._lock = threading.Lock()

    def run(self, request: RunRequest) -> Outcome:
        """Do what is asked for; raises RanvierError where that cannot be done."""
        with self._lock:
            if request.kind == "selftest":
                return self._selftest()
            if takes_stream(self._package):
                return self._listen(request)
            return self._infer(request)

    def _infer(self, request: RunRequest) -> Inferred:
        package, picture = self._package, None
        if request.kind == "random":
            (values,) = random_inputs(package, 1, request.seed)
            what = f"random input, seed {request.seed}"
        else:
            values = self._loaders.values(package, request.files, request.scale, request.offset)
            what = ", ".join(file.name for file in request.files)
            first = request.files[0] if request.files else None
            if first is not None and PurePath(first.name).suffix.lower() == ".png":
                picture = read_picture(first.data, first.name)
        return self._inferred(what, values, picture)

    def _inferred(self, what: str, values: list[Array], picture: Pixels | None) -> Inferred:
        package = self._package
        results = Model(package).run(*values)
        found = listed(results, package.labels)
        return Inferred(
            what,
            picture_of(package, values) if picture is None else picture,
            frame_size(package),
            tuple(zip(package.outputs, results, strict=True)),
            None if found is None else tuple(found),
            _times(package, values),
        )

    def _selftest(self) -> SelfTest:
        package = self._package
        passed = Model(package).selftest()
        golden = package.content.golden
        if golden is None or len(package.entries) > 1:
            return SelfTest(passed, None)
        sizes = [int(np.prod(info.shape)) * info.dtype.itemsize for info in package.inputs]
        stored = golden.inputs
        data = golden_bytes(golden.seed, sum(sizes)) if stored is None else stored
        values: list[Array] = []
        for info, count in zip(package.inputs, sizes, strict=True):
            values.append(np.frombuffer(data[:count], info.dtype).reshape(info.shape))
            data = data[count:]
        return SelfTest(passed, self._inferred("the self-test's input", values, None))

    def _listen(self, request: RunRequest) -> Listened:
        package = self._package
        rate = sample_rate(package)
        if request.kind == "random":
            rng = np.random.default_rng(request.seed)
            samples = rng.normal(0, 3000, _SECONDS * rate).clip(-32768, 32767).astype(np.int16)
            what = f"{_SECONDS} s of noise, seed {request.seed}"
        else:
            if len(request.files) != 1:
                raise InputError(
                    f"{len(request.files)} files were given for one stream of sound", "give one"
                )
            samples = self._loaders.samples(request.files[0], rate)
            what = request.files[0].name
        stream = Stream(package, request.every)
        begin = time.perf_counter()
        inferences = list(stream.feed(samples))
        spent = time.perf_counter() - begin
        period = request.every * stream.hop
        return Listened(
            what,
            samples,
            rate,
            period,
            len(inferences),
            spent,
            tuple(_heard(package, inferences, period)),
            _stream_times(package, samples, stream.hop, request.every),
        )


def picture_of(package: Package, values: Sequence[Array]) -> Pixels | None:
    """The first input as RGB, where it is a picture: its type's range is black to white."""
    size = frame_size(package)
    if size is None:
        return None
    frame = values[0].reshape(*size, -1)
    pixel_format = picture_format(package)
    if pixel_format is not None:
        order = {"rgb888": [0, 1, 2], "bgr888": [2, 1, 0], "grey": [0, 0, 0]}.get(pixel_format)
        return None if order is None else np.ascontiguousarray(frame[..., order])
    low, high = 0.0, 1.0
    if frame.dtype.kind in "iu":
        limits = np.iinfo(frame.dtype)
        low, high = float(limits.min), float(limits.max)
    elif frame.dtype.kind == "f":
        finite = frame[np.isfinite(frame)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    share = (np.nan_to_num(frame.astype(np.float64)) - low) / ((high - low) or 1.0)
    grey = np.clip(np.floor(share * 255 + 0.5), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(np.broadcast_to(grey, (*size, 3)))


def _layer_times(package: Package, runs: Iterable[Sequence[StepTime]]) -> tuple[LayerTime, ...]:
    """Times by layer, in the order of execution; a layer's slices of one run are one time."""
    found: dict[int, list[float]] = {}
    for run in runs:
        spent: dict[int, float] = {}
        for each in run:
            op = package.content.steps[each.step].op
            spent[op] = spent.get(op, 0.0) + each.seconds
        for op, seconds in spent.items():
            found.setdefault(op, []).append(seconds)
    return tuple(LayerTime(op, len(all_), median(all_)) for op, all_ in sorted(found.items()))


def _times(package: Package, values: Sequence[Array]) -> tuple[LayerTime, ...]:
    """Of several runs in a row, as many as do not make anyone wait."""
    model = Model(package)
    runs: list[Sequence[StepTime]] = []
    begin = time.perf_counter()
    while len(runs) < _TIMED_RUNS and (not runs or time.perf_counter() - begin < 1.0):
        runs.append(model.profile(*values)[1])
    return _layer_times(package, runs)


def _stream_times(
    package: Package, samples: Samples, hop: int, every: int
) -> tuple[LayerTime, ...]:
    model = Model(package)
    shape = package.entry(PUSH).inputs[0].shape
    runs: list[Sequence[StepTime]] = []
    for number in range(min(len(samples) // hop, max(_TIMED_HOPS, every))):
        part = samples[number * hop : (number + 1) * hop].reshape(shape)
        runs.append(model.profile(part, entry=PUSH)[1])
        if (number + 1) % every == 0:
            runs.append(model.profile(entry=INFER)[1])
    return _layer_times(package, runs)


def _heard(package: Package, inferences: Sequence[Inference], period: int) -> list[Heard]:
    """What each inference says; inferences that follow each other and agree are one."""
    found: list[Heard] = []
    for inference in inferences:
        now = _best(package, inference, period)
        if now is None:
            continue
        last = found[-1] if found else None
        if last and not now.moment and (last.end, last.label) == (now.begin, now.label):
            score = max((s for s in (last.score, now.score) if s is not None), default=None)
            found[-1] = Heard(last.begin, now.end, now.label, now.class_index, score, False)
        else:
            found.append(now)
    return found


def _best(package: Package, inference: Inference, period: int) -> Heard | None:
    found = best_class(package, inference)
    if found is None:
        return None
    begin, end = inference.samples - period, inference.samples
    moment = listed(inference.outputs) is not None
    return Heard(begin, end, found.label, found.class_index, found.score, moment)
