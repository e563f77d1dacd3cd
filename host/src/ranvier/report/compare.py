# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What differs between two packages: layers, weights, sizes, what callers and state depend on."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from ranvier.compiler.report import Layer, Report
from ranvier.package.records import OpRecord, PackageContent, Storage, TensorRecord
from ranvier.report.memory import described

_INPUT_MODE = "input mode"
_FIGURES = (
    ("RAM bytes", "ram_bytes"),
    ("arena bytes", "arena_bytes"),
    ("state bytes", "state_bytes"),
    ("flash bytes", "flash_bytes"),
    ("weight stream bytes", "weight_bytes"),
    ("MACs", "macs"),
    ("predicted instructions", "predicted"),
    ("parameters", "parameters"),
    (_INPUT_MODE, "input_mode"),
    ("instruction set", "isa"),
)


@dataclass(frozen=True)
class Side:
    """One of the two; ``named`` says that name and version are its own, not a file's."""

    content: PackageContent
    report: Report
    named: bool


@dataclass(frozen=True)
class Figure:
    """Something that each of the two has: a number, a word, or nothing."""

    what: str
    a: int | str | None
    b: int | str | None

    @property
    def same(self) -> bool:
        """True where both have the same."""
        return self.a == self.b


@dataclass(frozen=True)
class LayerChange:
    """A layer of one that the other lacks, or has otherwise.

    ``weights`` counts the bytes of the weight stream and of constant operands that differ; None
    where they are packed differently, so that they cannot be compared byte by byte.
    """

    name: str
    a: int | None
    b: int | None
    changes: tuple[str, ...]
    weights: int | None = 0


@dataclass(frozen=True)
class EntryChange:
    """An entry point that one lacks, or whose callers have to change."""

    name: str
    changes: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """All that differs. ``state`` is what a hot swap does with persistent state."""

    figures: tuple[Figure, ...]
    layers: tuple[LayerChange, ...]
    same_layers: int
    entries: tuple[EntryChange, ...]
    labels: tuple[str, ...]
    state: str
    state_kept: bool
    weights_changed: int

    @property
    def same(self) -> bool:
        """True where nothing differs that a device or its caller could notice."""
        return all(f.same for f in self.figures) and not (
            self.layers or self.entries or self.labels or not self.state_kept
        )

    @property
    def interface_same(self) -> bool:
        """True where callers of the one can call the other."""
        return not self.entries and not self.input_mode_differs

    @property
    def input_mode_differs(self) -> bool:
        """True where callers have to give inputs, and take outputs, in another way."""
        return any(f.what == _INPUT_MODE and not f.same for f in self.figures)

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "same": self.same, "interface_same": self.interface_same}


def compare(a: Side, b: Side) -> Comparison:
    """Compare two packages; meta data and self-tests are not looked at."""
    layers, same = _layers(a, b)
    state, kept = _state(a.content, b.content)
    return Comparison(
        figures=tuple(_figures(a, b)),
        layers=tuple(layers),
        same_layers=same,
        entries=tuple(_entries(a.content, b.content)),
        labels=tuple(_labels(a.content.labels, b.content.labels)),
        state=state,
        state_kept=kept,
        weights_changed=sum(change.weights or 0 for change in layers),
    )


def _figures(a: Side, b: Side) -> Iterator[Figure]:
    if a.named and b.named:
        yield Figure("name", a.report.name, b.report.name)
        versions = (".".join(map(str, side.report.version)) for side in (a, b))
        yield Figure("version", *versions)
        security = (side.content.security_version for side in (a, b))
        yield Figure("security version", *security)
    for what, name in _FIGURES:
        one, other = getattr(a.report, name), getattr(b.report, name)
        known = name != "predicted" or (one and other)
        yield Figure(what, one, other) if known else Figure(what, one or None, other or None)
    yield Figure("layers", len(a.report.layers), len(b.report.layers))
    yield Figure("steps", len(a.content.steps), len(b.content.steps))


def _layers(a: Side, b: Side) -> tuple[list[LayerChange], int]:
    """What changed, and how many layers are the same."""
    keys = [_key(layer) for layer in a.report.layers], [_key(layer) for layer in b.report.layers]
    found: list[LayerChange] = []
    same = 0
    for what, a0, a1, b0, b1 in SequenceMatcher(
        None, keys[0], keys[1], autojunk=False
    ).get_opcodes():
        left, right = a.report.layers[a0:a1], b.report.layers[b0:b1]
        if what == "equal":
            pairs = [_changed(a, b, x.step, y.step) for x, y in zip(left, right, strict=True)]
            found += [change for change in pairs if change.changes]
            same += sum(not change.changes for change in pairs)
            continue
        gone, added = ("only in A",), ("only in B",)
        found += [LayerChange(_key(x), x.step, None, gone) for x in left]
        found += [LayerChange(_key(y), None, y.step, added) for y in right]
    return found, same


def _key(layer: Layer) -> str:
    """By what layers of two packages are matched."""
    return layer.kind if layer.kind and layer.sources else layer.op


def _changed(a: Side, b: Side, left: int, right: int) -> LayerChange:
    first, second = a.content.ops[left], b.content.ops[right]
    x, y = a.report.layers[left], b.report.layers[right]
    changes: list[str] = []
    if x.op != y.op:
        changes.append(f"kernel {x.op} -> {y.op}")
    pairs = zip_longest(_tensors(a.content, first), _tensors(b.content, second))
    for number, (one, other) in enumerate(pairs):
        changes += _tensor_changes(f"output {number}" if number else "output", one, other)
    weights = _weights(a.content, b.content, first, second) if x.op == y.op else None
    if weights is None:
        how = "weights" if x.op == y.op else "weights packed differently:"
        changes.append(f"{how} {x.weight_bytes:,} -> {y.weight_bytes:,} bytes")
    elif weights:
        changes.append(f"{weights:,} of {x.weight_bytes:,} bytes of weights differ")
    if first.params != second.params and not changes:
        changes.append("settings differ")
    if x.slices != y.slices:
        changes.append(f"slices {x.slices} -> {y.slices}")
    return LayerChange(_key(x), left, right, tuple(changes), weights)


def _tensors(content: PackageContent, op: OpRecord) -> list[TensorRecord]:
    return [content.tensors[number] for number in op.outputs]


def _tensor_changes(
    what: str, one: TensorRecord | None, other: TensorRecord | None
) -> Iterator[str]:
    if one is None or other is None:
        yield f"{what} is in {'B' if one is None else 'A'} only"
        return
    if described(one) != described(other):
        yield f"{what} {described(one)} -> {described(other)}"
    if _quant(one) != _quant(other):
        yield f"{what} quantised {_quant(one)} -> {_quant(other)}"


def _quant(tensor: TensorRecord) -> str:
    """What a tensor's values stand for."""
    if tensor.channels is not None:
        axis = tensor.channels.axis
        text = f"{tensor.channels.scales} {tensor.channels.zero_points}"
        return f"by channel of dimension {axis} (checksum {zlib.crc32(text.encode()):08x})"
    if not tensor.scale:
        return "not at all"
    sign = "-" if tensor.zero_point > 0 else "+"
    return f"(q {sign} {abs(tensor.zero_point)}) * {tensor.scale:.6g}"


def _weights(a: PackageContent, b: PackageContent, first: OpRecord, second: OpRecord) -> int | None:
    """Bytes of weights and constant operands that differ; None where their sizes do."""
    one, other = _weight_bytes(a, first), _weight_bytes(b, second)
    if [len(part) for part in one] != [len(part) for part in other]:
        return None
    pairs = zip(b"".join(one), b"".join(other), strict=True)
    return sum(x != y for x, y in pairs)


def _weight_bytes(content: PackageContent, op: OpRecord) -> list[bytes]:
    """The weight stream of an op and its constant operands."""
    tensors = [content.tensors[number] for number in op.inputs]
    return [op.weights, *(t.data or b"" for t in tensors if t.storage is Storage.CONST)]


def _entries(a: PackageContent, b: PackageContent) -> Iterator[EntryChange]:
    sides = [{entry.name: entry for entry in content.entries} for content in (a, b)]
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        missing = [label for label, side in zip("AB", sides, strict=True) if name not in side]
        if missing:
            yield EntryChange(name, (f"not in {missing[0]}",))
            continue
        changes: list[str] = []
        for kind in ("inputs", "outputs"):
            one, other = (
                [content.tensors[number] for number in getattr(side[name], kind)]
                for content, side in zip((a, b), sides, strict=True)
            )
            for number, (x, y) in enumerate(zip_longest(one, other)):
                changes += _tensor_changes(f"{kind[:-1]} {number}", x, y)
        if changes:
            yield EntryChange(name, tuple(changes))
    if [e.name for e in a.entries] != [e.name for e in b.entries] and set(sides[0]) == set(
        sides[1]
    ):
        yield EntryChange(b.entries[0].name, ("the entry points have another order",))


def _labels(a: Sequence[str], b: Sequence[str]) -> Iterator[str]:
    if len(a) != len(b):
        yield f"{len(a)} -> {len(b)} labels"
    for number, (one, other) in enumerate(zip(a, b, strict=False)):
        if one != other:
            yield f"label {number}: {one} -> {other}"


def _state(a: PackageContent, b: PackageContent) -> tuple[str, bool]:
    """What a hot swap does with state, and whether nothing of it is lost."""
    if not a.state_bytes and not b.state_bytes:
        return "neither has persistent state", True
    if (a.state_bytes, a.state_layout) == (b.state_bytes, b.state_layout):
        return "the same layout: a hot swap keeps it", True
    if a.state_bytes and b.state_bytes:
        return "another layout: a hot swap starts with zeros", False
    told = "B has none: a hot swap drops it" if a.state_bytes else "only B has some: zero at first"
    return told, False
