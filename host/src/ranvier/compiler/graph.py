# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The compiler's intermediate representation: a graph of ops over tensors.

Tensors and ops are compared by identity. A graph's ``ops`` are always in a valid execution order;
passes change the graph in place and keep that true. Every tensor is either a graph input, a
constant (``data`` is set), persistent (``state`` is set) or the output of exactly one op.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from numpy.typing import NDArray

from ranvier.package.records import Layout
from ranvier.package.values import DType as DType


@dataclass(frozen=True)
class Quant:
    """Affine quantisation: real = scale * (q - zero_point).

    ``scales`` holds float32 values (exactly, as Python floats), one for the tensor or one per
    index of dimension ``axis``; ``zero_points`` has the same length.
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def per_tensor(self) -> bool:
        """True where one scale and zero point serve the whole tensor."""
        return len(self.scales) == 1

    @property
    def scale(self) -> float:
        """The one scale of a per-tensor quantisation."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The one zero point of a per-tensor quantisation."""
        return self.zero_points[0]


@dataclass(eq=False)
class Tensor:
    """A value of the graph; ``data`` is set for constants and has exactly ``shape`` and ``dtype``.

    ``index`` is the tensor's number in the source file, -1 for one that a pass has made.
    ``layout`` is the order in memory; ``shape`` and ``data`` are NHWC whatever it is. ``ring_rows``
    is the number of rows kept at a time, 0 for all; ``slack`` are bytes after the last element.
    ``state`` marks what persists between runs: zero at first, it is read and written by any op.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]
    quant: Quant | None = None
    data: NDArray[Any] | None = None
    index: int = -1
    layout: Layout = Layout.DENSE
    ring_rows: int = 0
    slack: int = 0
    state: bool = False

    @property
    def described(self) -> str:
        """How messages describe it."""
        return f"{self.name!r} {self.dtype.name.lower()} {list(self.shape)}"

    @property
    def elements(self) -> int:
        """Number of elements (1 for a scalar)."""
        return prod(self.shape)

    @property
    def rows(self) -> int:
        """Rows of an image as it is stored: lines of adjacent pixels in a channel."""
        return self.shape[2 if self.layout == Layout.PLANES_TRANSPOSED else 1]

    @property
    def bytes(self) -> int:
        """Size in bytes as it is stored."""
        held = self.elements * self.dtype.bytes
        if self.ring_rows:
            held = held // self.rows * self.ring_rows
        return held + self.slack

    @property
    def is_const(self) -> bool:
        """True for a constant."""
        return self.data is not None

    @property
    def lasts(self) -> bool:
        """True for what no op has to write before it is read: a constant, or state."""
        return self.is_const or self.state


@dataclass(eq=False)
class Op:
    """One operation.

    ``kind`` is TensorFlow Lite's built-in name (``CONV_2D``). ``inputs`` may hold None for an
    optional input that is absent. ``attrs`` holds the built-in options under their schema names
    in snake_case with enums as strings (``padding: "SAME"``); passes add their own keys, which
    begin with an underscore. ``index`` is the op's position in the
    source file, kept through all passes so that messages can name it.
    """

    kind: str
    inputs: list[Tensor | None]
    outputs: list[Tensor]
    attrs: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    index: int = -1

    @property
    def where(self) -> str:
        """How messages name this op: ``op 3 CONV_2D``."""
        return f"op {self.index} {self.kind}"


@dataclass(eq=False)
class Graph:
    """A model: ops in execution order, its inputs and outputs in the source's order."""

    name: str
    ops: list[Op]
    inputs: list[Tensor]
    outputs: list[Tensor]

    def consumers(self, tensor: Tensor) -> list[Op]:
        """All ops that read ``tensor``, in execution order."""
        return [op for op in self.ops if any(i is tensor for i in op.inputs)]

    def producer(self, tensor: Tensor) -> Op | None:
        """The op that writes ``tensor``; None for inputs and constants."""
        for op in self.ops:
            if any(o is tensor for o in op.outputs):
                return op
        return None

    def replace_tensor(self, old: Tensor, new: Tensor) -> None:
        """Make every reader of ``old``, and the graph's outputs, use ``new`` instead."""
        for op in self.ops:
            op.inputs = [new if i is old else i for i in op.inputs]
        self.outputs = [new if o is old else o for o in self.outputs]
