# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages and models with NumPy arrays: the Python API over the C core."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranvier.errors import InputError, PackageError
from ranvier.files import read_bytes
from ranvier.native import NativePackage, Session, ram_bytes_32
from ranvier.package.layout import RowImage
from ranvier.package.reader import read_package
from ranvier.package.records import Layout, PackageContent, TensorRecord
from ranvier.package.values import DType, quantise


@dataclass(frozen=True)
class TensorInfo:
    """An input or output: real value = ``scale * (q - zero_point)`` where ``scale`` is not 0."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    scale: float
    zero_point: int

    @property
    def quantised(self) -> bool:
        """True where the tensor has a scale."""
        return self.scale != 0.0

    def quantise(self, values: ArrayLike) -> NDArray[Any]:
        """Real values to this tensor's type, as TensorFlow Lite's QUANTIZE rounds (ties away)."""
        with np.errstate(over="ignore"):  # what is too large saturates
            real = np.asarray(values).astype(np.float32)
            if not self.quantised:
                return np.asarray(real.astype(self.dtype))
        if np.isnan(real).any():
            raise InputError(
                f"input {self.name!r} contains NaN",
                remedy="replace every NaN before the model runs, for example with numpy.nan_to_num",
            )
        return quantise(real, self.dtype, self.scale, self.zero_point)

    def dequantise(self, values: NDArray[Any]) -> NDArray[np.float32]:
        """Real numbers of this tensor's values."""
        if not self.quantised:
            return values.astype(np.float32)
        real = (values.astype(np.int64) - self.zero_point) * np.float64(self.scale)
        return np.asarray(real, dtype=np.float32)


@dataclass(frozen=True)
class Entry:
    """An entry point: what can be run, with its inputs and outputs."""

    name: str
    number: int
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]


class Package:
    """A ``.rnv`` package, verified by the C core. Read-only; may be shared by threads.

    ``inputs`` and ``outputs`` are those of the default entry point, the first of ``entries``.
    ``source`` is a path or the package's bytes. Raises :class:`ranvier.errors.PackageError` where
    the package is damaged or uses a kind that this version does not implement.
    """

    def __init__(self, source: str | Path | bytes, name: str | None = None) -> None:
        if isinstance(source, bytes):
            self.data, self.source = source, name or "package"
        else:
            self.data, self.source = read_bytes(source), name or str(source)
        if self.data[4:8] == b"TFL3":
            raise PackageError(
                f"{self.source}: is a TensorFlow Lite model, not a package",
                remedy="compile it first: ranvier.compile(path, output=...), or the command "
                "ranvier compile",
            )
        self.native = NativePackage(self.data, self.source)
        self.content: PackageContent = read_package(self.data, self.source)
        self.entries = tuple(
            Entry(
                record.name,
                number,
                tuple(self.info(tensor) for tensor in record.inputs),
                tuple(self.info(tensor) for tensor in record.outputs),
            )
            for number, record in enumerate(self.content.entries)
        )
        self.inputs = self.entries[0].inputs
        self.outputs = self.entries[0].outputs

    @property
    def name(self) -> str:
        """The model's name."""
        return self.content.name

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of the output's classes; empty where the package has none."""
        return self.content.labels

    @property
    def ram_bytes(self) -> int:
        """RAM on a 32-bit target: arena, view, state and all inputs and outputs."""
        h = self.native.header
        return ram_bytes_32(h.arena_bytes, h.state_bytes, h.io_bytes, h.external_count)

    def entry(self, name: str | None = None) -> Entry:
        """An entry point by name, the default one for None; InputError for a name that is none."""
        for entry in self.entries:
            if name is None or entry.name == name:
                return entry
        names = ", ".join(entry.name for entry in self.entries)
        raise InputError(f"{self.source} has no entry point {name!r}", f"one of {names}")

    def info(self, tensor: int) -> TensorInfo:
        """Name, type, shape and quantisation of a tensor."""
        return tensor_info(self.content.tensors[tensor])


def tensor_info(record: TensorRecord) -> TensorInfo:
    """The public description of a tensor record."""
    dtype = DType(record.dtype).numpy
    return TensorInfo(record.name, dtype, record.shape, record.scale, record.zero_point)


@dataclass(frozen=True)
class StepTime:
    """Wall-clock time of one step on this host, in seconds. Not a device's time."""

    step: int
    seconds: float


class Model:
    """A package in memory of its own, ready to run. Not thread-safe; make one for each thread.

    Every run is of one entry point, the default one where none is named. State persists from run to
    run and is zero at first.
    """

    def __init__(self, package: Package | str | Path | bytes) -> None:
        self.package = package if isinstance(package, Package) else Package(package)
        self._session = Session(self.package.native)

    def run(self, *inputs: ArrayLike, entry: str | None = None) -> list[NDArray[Any]]:
        """One inference: an array per input to an array per output.

        An input of the model's own type is taken as it is; a float array for a quantised input is
        quantised by the package's scale and zero point. Other integers are taken where their type
        cannot mean something else, so pixels of uint8 are not taken for int8. Dimensions of 1 may
        be left out. Outputs have the model's type; ``package.outputs[i].dequantise`` makes them
        real. They are the caller's own: writable, and untouched by later runs.
        """
        chosen = self._start(inputs, entry)
        while self._session.step():
            pass
        return self._outputs(chosen)

    def profile(
        self, *inputs: ArrayLike, entry: str | None = None
    ) -> tuple[list[NDArray[Any]], list[StepTime]]:
        """As :meth:`run`, with the time that each step took on this host."""
        chosen = self._start(inputs, entry)
        first = self.package.content.entries[chosen.number].step_first
        times: list[StepTime] = []
        more = True
        while more:
            begin = time.perf_counter()
            more = self._session.step()
            times.append(StepTime(first + len(times), time.perf_counter() - begin))
        return self._outputs(chosen), times

    def reset(self) -> None:
        """Make all state zero."""
        self._session.reset()

    def trace(
        self, *inputs: ArrayLike, entry: str | None = None
    ) -> Iterator[tuple[int, int, NDArray[Any]]]:
        """Run step by step; yields ``(step, tensor number, array)`` for every tensor written.

        What an op writes row by row comes when it is complete, unless rows were overwritten before
        anyone could look at them. Each array is the caller's own copy: writable, and untouched by
        later steps.
        """
        content = self.package.content
        chosen = content.entries[self._start(inputs, entry).number]
        first = chosen.step_first
        steps = content.steps[first : first + chosen.step_count]
        last = {step.op: index for index, step in enumerate(steps, first)}
        images: dict[int, RowImage] = {}
        for index, step in enumerate(steps, first):
            self._session.step()
            for tensor in content.ops[step.op].outputs:
                record = content.tensors[tensor]
                if record.layout != Layout.DENSE:
                    image = images.setdefault(tensor, RowImage(record))
                    image.take(self._session.tensor(tensor), step.row0, step.rows)
                if last[step.op] == index and (tensor not in images or images[tensor].whole):
                    array = images[tensor].array() if tensor in images else self._array(tensor)
                    yield index, tensor, array

    def selftest(self) -> bool:
        """Run the package's golden self-test; True where it passes."""
        return self._session.selftest()

    def _start(self, inputs: Sequence[ArrayLike], name: str | None) -> Entry:
        entry = self.package.entry(name)
        check_count(self.package, entry, len(inputs))
        data = [encode(info, values) for info, values in zip(entry.inputs, inputs, strict=True)]
        self._session.start(data, entry.number)
        return entry

    def _outputs(self, entry: Entry) -> list[NDArray[Any]]:
        record = self.package.content.entries[entry.number]
        return [self._array(tensor) for tensor in record.outputs]

    def _array(self, tensor: int) -> NDArray[Any]:
        info = self.package.info(tensor)
        data = self._session.tensor(tensor)
        return np.array(np.frombuffer(data, dtype=info.dtype).reshape(info.shape))


def check_count(package: Package, entry: Entry, given: int) -> None:
    """Raise :class:`InputError` where an entry point takes another number of inputs."""
    count = len(entry.inputs)
    if given == count:
        return
    several = len(package.entries) > 1
    names = ", ".join(repr(info.name) for info in entry.inputs)
    raise InputError(
        f"{f'entry point {entry.name!r}' if several else 'the model'} has {count} inputs, "
        f"{given} were given",
        remedy=f"give one array for each of {names}, in this order" if names else "give no array",
    )


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions that matter for the order of elements."""
    return tuple(n for n in shape if n != 1)


def _mistakable(info: TensorInfo, array: NDArray[Any]) -> bool:
    """True for integers that may mean something else, though they fit: pixels for signed values."""
    widened = np.can_cast(array.dtype, info.dtype)
    wider = array.dtype.kind == "i" and array.dtype.itemsize > info.dtype.itemsize
    return not widened and not wider and array.dtype.kind != info.dtype.kind


def encode(info: TensorInfo, values: ArrayLike) -> bytes:
    """``values`` as the bytes of an input; raises :class:`InputError` where they do not fit."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(
            f"input {info.name!r} takes an array, rows of unequal length were given",
            remedy=f"give an array of shape {info.shape}",
        ) from None
    if _without_ones(array.shape) != _without_ones(info.shape):
        raise InputError(
            f"input {info.name!r} takes shape {info.shape}, {array.shape} was given",
            remedy="reshape the array; batch and channels count as dimensions",
        )
    if array.dtype == info.dtype:
        return array.tobytes()
    if array.dtype.kind == "f" and (info.quantised or info.dtype.kind == "f"):
        return info.quantise(array).tobytes()
    if array.dtype.kind in "iu" and info.dtype.kind in "iu" and not _mistakable(info, array):
        limits = np.iinfo(info.dtype)
        if array.min() >= limits.min and array.max() <= limits.max:
            return array.astype(info.dtype).tobytes()
        raise InputError(
            f"input {info.name!r} is {info.dtype}, a value lies outside of its range",
            remedy=f"give values of {limits.min} to {limits.max}"
            + (", or real numbers as a float array" if info.quantised else ""),
        )
    remedy = f"convert the array: array.astype(numpy.{info.dtype.name})"
    if array.dtype == np.uint8 and info.quantised:
        remedy = f"pixels as real numbers: array / 255; quantised values as {info.dtype}"
    elif info.quantised:
        remedy += ", or give real numbers as a float array"
    raise InputError(
        f"input {info.name!r} takes {info.dtype}, {array.dtype} was given", remedy=remedy
    )
