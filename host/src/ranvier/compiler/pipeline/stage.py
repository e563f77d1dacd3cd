# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a stage of pre- or post-processing is, and what it is built with.

A *stage* is what a user names (``image``, ``audio``, ``top_k``). It becomes one or more ops beside
those of the network, which are planned, profiled and preempted like them. Each module of this
package that has a tuple ``STAGES`` provides stages; they are found without being listed anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.errors import InputError

Values = tuple[Tensor, ...]
"""What a stage hands to the next one."""


class Build(Protocol):
    """Appends the ops of a stage.

    Stages before the network get the values of the stage before, none at first, and the last of
    them returns what the network reads; stages after it get the network's outputs first.
    """

    def __call__(self, builder: Builder, options: Any, values: Values, /) -> Values:
        """Append ops to ``builder`` and return the values for the next stage."""


@dataclass(frozen=True)
class Stage:
    """A stage: its name, whether it comes before or after the network, and how it is built.

    ``options`` is a frozen dataclass: its fields are the options that a user may give, with their
    defaults.
    """

    name: str
    place: Literal["pre", "post"]
    options: type[Any]
    build: Build


@dataclass(eq=False)
class Builder:
    """Collects the ops of one place, before or after the network.

    ``goal`` is the network's first input, which stages before it have to give. ``ops`` are by entry
    point, in order. ``given`` are the options of the stage being built that the user gave.
    ``window`` is the part of a camera's picture that the network reads (first row, first column,
    rows, columns), where a stage has cut that out.
    """

    goal: Tensor
    labels: tuple[str, ...] = ()
    sources: list[Tensor] = field(default_factory=list)
    states: list[Tensor] = field(default_factory=list)
    ops: dict[str, list[Op]] = field(default_factory=dict)
    current: str = "infer"
    given: frozenset[str] = frozenset()
    window: tuple[int, int, int, int] | None = None

    def tensor(
        self, name: str, dtype: DType, shape: tuple[int, ...], quant: Quant | None = None
    ) -> Tensor:
        """A new value, for an op to write."""
        return Tensor(name, dtype, shape, quant)

    def source(
        self, name: str, dtype: DType, shape: tuple[int, ...], quant: Quant | None = None
    ) -> Tensor:
        """The package's input instead of the network's; for the first stage before the network."""
        tensor = Tensor(name, dtype, shape, quant)
        self.sources.append(tensor)
        return tensor

    def state(
        self, name: str, dtype: DType, shape: tuple[int, ...], quant: Quant | None = None
    ) -> Tensor:
        """Memory that persists between runs of any entry point; zero at first."""
        tensor = Tensor(name, dtype, shape, quant, state=True)
        self.states.append(tensor)
        return tensor

    def entry(self, name: str) -> None:
        """Ops from now on belong to this entry point; only before the network."""
        self.current = name

    def op(self, kind: str, inputs: list[Tensor], outputs: list[Tensor], **attrs: Any) -> None:
        """Append an op."""
        self.ops.setdefault(self.current, []).append(Op(kind, [*inputs], outputs, attrs))

    def unused(self, stage: str, option: str, why: str) -> None:
        """Refuse an option that has no effect, where the user gave it."""
        if option in self.given:
            raise self.error(
                f"stage {stage}: {option} has no effect, since {why}", f"leave {option} out"
            )

    def error(self, what: str, remedy: str) -> InputError:
        """An error to raise: what does not fit, and what to try."""
        return InputError(what, remedy)
