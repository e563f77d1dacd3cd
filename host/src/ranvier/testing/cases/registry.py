# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The table of generators, and the case that one makes from a seed."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import Graph
from ranvier.errors import InputError
from ranvier.testing.cases.draw import Draw
from ranvier.testing.tflite_builder import build_tflite

Array: TypeAlias = NDArray[Any]


class Tolerance(Enum):
    """How far a result may be from the reference's."""

    EXACT = "every byte is the same"
    ABSOLUTE = "1e-6"
    PRODUCTS = "1e-5 of the sum of its products' magnitudes, or 1e-6"
    LAYERS = "what validate() allows"


@dataclass(frozen=True)
class Case:
    """A model of one op and inputs for it, made from ``seed``.

    ``reference`` names the oracle whose outputs count (``Oracle.name``); ``inputs`` holds one
    tuple of arrays, in the order of the model's inputs, for each inference. ``magnitudes`` is a
    model whose results, for the magnitudes of the inputs, are the sums of the products' magnitudes;
    where there is none, the magnitudes of the results themselves are taken for them.
    """

    seed: int
    op: str
    description: str
    model: bytes
    inputs: tuple[tuple[Array, ...], ...]
    reference: str
    tolerance: Tolerance = Tolerance.EXACT
    magnitudes: bytes | None = None


@dataclass(frozen=True)
class Sketch:
    """What a generator makes; ``inputs`` only where the common input sets do not fit the op."""

    graph: Graph
    description: str
    inputs: tuple[tuple[Array, ...], ...] | None = None
    tolerance: Tolerance = Tolerance.EXACT
    magnitudes: Graph | None = None


Generator: TypeAlias = Callable[[Draw, str], Sketch]
"""Makes a sketch of the op that the second argument names."""


@dataclass(frozen=True)
class _Entry:
    generator: Generator
    reference: str


_TABLE: dict[str, _Entry] = {}


def register(*ops: str, reference: str = "tflite-micro") -> Callable[[Generator], Generator]:
    """Enter a generator for ``ops``; ``reference`` is the oracle that counts for them."""

    def enter(generator: Generator) -> Generator:
        for op in ops:
            _TABLE[op] = _Entry(generator, reference)
        return generator

    return enter


def ops() -> tuple[str, ...]:
    """All ops that have a generator, sorted."""
    return tuple(sorted(_TABLE))


def generate(seed: int, op: str | None = None) -> Case:
    """The case of ``seed``, always the same; without ``op``, consecutive seeds take turns.

    Raises InputError for an op without a generator.
    """
    name = ops()[seed % len(_TABLE)] if op is None else op
    if name not in _TABLE:
        raise InputError(f"no cases are generated for {name}", f"one of {', '.join(ops())}")
    entry = _TABLE[name]
    draw = Draw(np.random.default_rng([seed, zlib.crc32(name.encode())]))
    sketch = entry.generator(draw, name)
    inputs = sketch.inputs if sketch.inputs is not None else draw.input_sets(sketch.graph.inputs)
    model = build_tflite(sketch.graph)
    sums = None if sketch.magnitudes is None else build_tflite(sketch.magnitudes)
    return Case(
        seed, name, sketch.description, model, inputs, entry.reference, sketch.tolerance, sums
    )
