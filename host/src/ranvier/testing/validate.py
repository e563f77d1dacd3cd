# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Ranvier's core against an independent interpreter, layer by layer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Graph
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import InputError
from ranvier.model import Model, Package, TensorInfo
from ranvier.native import op_codes
from ranvier.testing.oracle import Oracle

Array: TypeAlias = NDArray[Any]
F32_ABSOLUTE, F32_RELATIVE = 1e-6, 1e-5
"""How far float32 arithmetic may be from the reference's: the larger one, see f32_tolerance()."""
_EXACT_FLOATS = frozenset({"LUT_32", "QUANTIZE_F32"})
"""Ops on float32 that do no arithmetic."""
_OTHER_MODEL = "validate a package against the model that it was compiled from"


@dataclass(frozen=True)
class LayerError:
    """How one tensor differs from the reference over all inputs; ``step`` is its layer's number.

    Errors are in LSB for integers and in units of the value for floats. ``sqnr_db`` is the ratio of
    the reference's power (about its zero point) to the error's; infinite where they are equal.
    ``tolerance`` is what float32 arithmetic may differ by, 0 where there is none.
    """

    step: int
    tensor: str
    output: bool
    elements: int
    differing: int
    max_error: float
    mean_error: float
    sqnr_db: float
    tolerance: float = 0.0


@dataclass(frozen=True)
class Validation:
    """The comparison of a package with a reference; ``layers`` in the order of execution.

    ``compared`` of the package's ``package_layers`` have a tensor of their own in the source.
    """

    model: str
    reference: str
    inputs: int
    threshold: float
    layers: tuple[LayerError, ...]
    package_layers: int

    @property
    def compared(self) -> int:
        """How many layers of the package were compared."""
        return len({layer.step for layer in self.layers})

    @property
    def first_divergent(self) -> LayerError | None:
        """The first layer beyond the threshold."""
        return next(
            (
                layer
                for layer in self.layers
                if layer.max_error > max(self.threshold, layer.tolerance)
            ),
            None,
        )

    @property
    def passed(self) -> bool:
        """True where every layer that has a counterpart is within the threshold."""
        return self.first_divergent is None

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON values; an infinite ratio is None."""
        first = self.first_divergent
        value = asdict(self)
        for layer in value["layers"]:
            layer["sqnr_db"] = layer["sqnr_db"] if math.isfinite(layer["sqnr_db"]) else None
        value["compared_layers"] = self.compared
        return {**value, "passed": self.passed, "first_divergent": first.tensor if first else None}


@dataclass
class _Sums:
    """Running sums over the inputs for one tensor."""

    elements: int = 0
    differing: int = 0
    worst: float = 0.0
    total: float = 0.0
    noise: float = 0.0
    signal: float = 0.0
    tolerance: float = 0.0

    def add(self, got: Array, want: Array, zero_point: int) -> None:
        ours, theirs = got.astype(np.float64), want.astype(np.float64).reshape(got.shape)
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        error = np.where(same, 0.0, np.abs(ours - theirs))
        error = np.where(np.isnan(error), np.inf, error)
        self.elements += got.size
        self.differing += int(np.count_nonzero(error))
        self.worst = max(self.worst, float(error.max(initial=0.0)))
        self.total += float(error.sum())
        self.noise += float(np.square(error).sum())
        self.signal += float(np.square(theirs - zero_point).sum())
        self.tolerance = max(self.tolerance, f32_tolerance(want))

    def sqnr_db(self) -> float:
        if self.noise == 0.0:
            return math.inf
        if self.signal == 0.0 or math.isinf(self.noise):
            return -math.inf
        return 10.0 * math.log10(self.signal / self.noise)


def f32_tolerance(want: Array) -> float:
    """How far float32 arithmetic may be from a tensor of the reference: a part of its largest."""
    finite = np.abs(want[np.isfinite(want)].astype(np.float64))
    return max(F32_ABSOLUTE, F32_RELATIVE * float(finite.max(initial=0.0)))


def computes_in_f32(package: Package) -> bool:
    """True for a package with ops that compute in float32."""
    names = {code: name for name, code in op_codes().items()}
    used = {names.get(op.code, "") for op in package.content.ops}
    return any(name.endswith("_F32") for name in used - _EXACT_FLOATS)


@dataclass
class _Tally:
    sums: dict[int, _Sums] = field(default_factory=dict)
    steps: dict[int, int] = field(default_factory=dict)


def validate(
    model: bytes,
    package: Package,
    oracle: Oracle,
    inputs: Sequence[Sequence[Array]],
    *,
    filename: str = "model",
    threshold: float = 0.0,
) -> Validation:
    """Run ``package`` and ``oracle`` (of the same ``model``) on ``inputs`` and compare every layer.

    A tensor is compared where the package still has it under its name in the source: fusing removes
    some, and a tensor without its constant channels has another name. Model outputs are always
    compared. What a package computes in float32 may differ by :func:`f32_tolerance`.
    """
    graph = read_tflite(model, filename)
    source = {t.name: t.index for op in graph.ops for t in op.outputs}
    outputs = [t.index for t in graph.outputs]
    entry = package.content.entries[0]
    _check_match(graph, package, filename)
    runner = Model(package)
    tally = _Tally()
    for values in inputs:
        expected = oracle.tensors(values)
        if not expected.keys() >= set(outputs):  # an output that no op writes
            expected |= dict(zip(outputs, oracle.run(values), strict=True))
        runner.reset()  # as the oracle begins each run
        for step, tensor, got in runner.trace(*values):
            info = package.info(tensor)
            if tensor in entry.outputs:
                index = outputs[entry.outputs.index(tensor)]
            else:
                index = source.get(info.name, -1)
            want = expected.get(index)
            if want is not None:
                _check_shape(info, want, package, filename)
                tally.steps[tensor] = package.content.steps[step].op
                tally.sums.setdefault(tensor, _Sums()).add(got, want, info.zero_point)
    real = computes_in_f32(package)
    layers = tuple(
        _layer(package, tensor, tally.steps[tensor], sums, tensor in entry.outputs, real)
        for tensor, sums in tally.sums.items()
    )
    ran = len({step.op for step in package.content.steps})
    return Validation(package.name, oracle.name, len(inputs), threshold, layers, ran)


def _check_match(graph: Graph, package: Package, filename: str) -> None:
    """Raise :class:`InputError` where a package cannot be made of the network alone."""
    if package.content.meta.get("pipeline"):
        raise InputError(
            f"{package.source} has stages before or after the network, {filename} has not",
            remedy="validate the network alone, compiled without --pre, --post and --pipeline",
        )
    entry = package.content.entries[0]
    counts = (len(entry.inputs), len(entry.outputs))
    if counts != (len(graph.inputs), len(graph.outputs)):
        raise InputError(
            f"{package.source} has {counts[0]} inputs and {counts[1]} outputs, {filename} has "
            f"{len(graph.inputs)} and {len(graph.outputs)}",
            remedy=_OTHER_MODEL,
        )
    for tensor, source_input in zip(entry.inputs, graph.inputs, strict=True):
        info = package.info(tensor)
        if (info.shape, info.dtype) != (source_input.shape, source_input.dtype.numpy):
            raise InputError(
                f"{package.source} and {filename} have inputs of other shapes or types",
                remedy=_OTHER_MODEL,
            )


def random_inputs(package: Package, count: int, seed: int) -> list[list[Array]]:
    """Seeded inputs over the whole range of each type (floats: normal, scaled by 1)."""
    return random_values(package.inputs, count, seed)


def random_values(infos: Sequence[TensorInfo], count: int, seed: int) -> list[list[Array]]:
    """As :func:`random_inputs`, for any tensors."""
    rng = np.random.default_rng(seed)
    return [[_random(rng, info) for info in infos] for _ in range(count)]


def _random(rng: np.random.Generator, info: TensorInfo) -> Array:
    if info.dtype.kind == "f":
        return rng.standard_normal(info.shape).astype(info.dtype)
    if info.dtype.kind == "b":
        return rng.integers(0, 2, info.shape).astype(info.dtype)
    limits = np.iinfo(info.dtype)
    return rng.integers(limits.min, limits.max, info.shape, dtype=info.dtype, endpoint=True)


def _check_shape(info: TensorInfo, want: Array, package: Package, filename: str) -> None:
    if int(np.prod(info.shape)) != want.size or info.dtype != want.dtype:
        raise InputError(
            f"{package.source}: tensor {info.name!r} is {info.dtype}{list(info.shape)}, in "
            f"{filename} it is {want.dtype}{list(want.shape)}",
            remedy=_OTHER_MODEL,
        )


def _layer(
    package: Package, tensor: int, step: int, sums: _Sums, output: bool, real: bool
) -> LayerError:
    info = package.info(tensor)
    return LayerError(
        step=step,
        tensor=info.name,
        output=output,
        elements=sums.elements,
        differing=sums.differing,
        max_error=sums.worst,
        mean_error=sums.total / sums.elements,
        sqnr_db=sums.sqnr_db(),
        tolerance=sums.tolerance if real and info.dtype.kind == "f" else 0.0,
    )
