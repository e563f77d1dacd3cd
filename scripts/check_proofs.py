# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Checks again, without the compiler, that a package computes what its model says.

    python scripts/check_proofs.py PACKAGE MODEL.tflite

Reads the weight streams of the package as a device does, and the model with the package ``tflite``.
For every output channel of every op with weights it compares

- weights and biases: the stream's with the model's, constant channels that were removed included;
- outputs: the device's arithmetic with TensorFlow Lite's, for sums around every threshold that the
  channel can reach, at both ends and at random in between;

and for ADD from constants all 65,536 pairs. The bounds of sums come from an interval analysis of
its own. The first difference ends it with status 1, a file that cannot be used with status 2.
Nothing of the compiler is imported. NumPy and the package tflite are needed: the development
environment, which `make test` sets up, has them (.venv/bin/python).
"""

from __future__ import annotations

import argparse
import hashlib
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

try:
    import numpy as np
    from proofs.channel import Channel
    from proofs.device import channels_of
    from proofs.model import Layer, Model
    from proofs.package import Op, Package
    from proofs.reference import add_pairs, near_thresholds
except ModuleNotFoundError as missing:
    sys.exit(
        f"check_proofs.py: {sys.executable} has no module {missing.name}\n"
        "  try: .venv/bin/python scripts/check_proofs.py ... (`make test` sets .venv up)"
    )

RANDOM_SUMS = 500

MOST_OFFSET = 1000
"""Steps of a sum by which a start may differ from the bias: the proof decides whether it may."""


class Difference(Exception):
    """The package is not what the model says."""


class Unusable(Exception):
    """A file is not what it should be; says what to do."""


def read(package: Path, model: Path) -> tuple[bytes, bytes]:
    """The bytes of both files, of a package and of the model that it was compiled from."""
    found = []
    for path in (package, model):
        try:
            found.append(path.read_bytes())
        except OSError as error:
            raise Unusable(f"{path}: cannot be read: {error.strerror}") from None
    kinds = [_kind(data) for data in found]
    if kinds == ["model", "package"]:
        raise Unusable("the package comes first: check_proofs.py PACKAGE MODEL.tflite")
    for path, kind, wanted in zip((package, model), kinds, ("package", "model"), strict=True):
        if kind != wanted:
            raise Unusable(f"{path}: is not a {wanted}; give PACKAGE.rnv MODEL.tflite")
    try:
        source = Package.source_of(found[0])
    except (ValueError, KeyError, TypeError, struct.error) as error:
        raise Unusable(f"{package}: is damaged, or does not say its origin: {error!r}") from None
    if source["sha256"] != hashlib.sha256(found[1]).hexdigest():
        raise Unusable(
            f"{package}: was compiled from another file than {model}, named {source['file']}"
        )
    return found[0], found[1]


def _kind(data: bytes) -> str:
    return "package" if data[:4] == b"RNVM" else "model" if data[4:8] == b"TFL3" else "neither"


def main() -> int:
    """Run the checks; 0 where nothing differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("model", type=Path)
    arguments = parser.parse_args()
    try:
        data, source = read(arguments.package, arguments.model)
    except Unusable as unusable:
        print(f"check_proofs.py: {unusable}", file=sys.stderr)
        return 2
    try:
        total = Checker(Package(data), Model(source)).run()
    except Difference as difference:
        print(f"{arguments.package}: DIFFERENT: {difference}", file=sys.stderr)
        return 1
    print(f"{arguments.package.name}: {total[0]} channels, {total[1]} sums: no difference")
    return 0


class Checker:
    """Goes through the model in its order, with what of each tensor's channels is left."""

    def __init__(self, package: Package, model: Model) -> None:
        self.package = package
        self.model = model
        self.rng = np.random.default_rng(20260101)
        self.kept: dict[int, np.ndarray] = {}
        self.channels = 0
        self.sums = 0

    def run(self) -> tuple[int, int]:
        """Check every layer; numbers of channels and of compared sums."""
        for number, layer in enumerate(self.model.layers):
            ops = [op for op in self.package.ops if number in op.sources]
            if layer.weights is not None:
                self.check_layer(layer, ops)
            else:
                self.pass_on(layer)
                for op in ops:
                    if op.name == "ADD_TABLES_S8" and layer.kind == "ADD":
                        self.check_add(layer, op)
        return self.channels, self.sums

    def kept_of(self, tensor: int) -> np.ndarray:
        """Channels (indices of the last dimension) of a tensor that the package has."""
        return self.kept.get(tensor, np.arange(self.model.channels(tensor)))

    def pass_on(self, layer: Layer) -> None:
        """Layers without weights keep the channels that their input has."""
        if not layer.inputs or layer.inputs[0] not in self.kept:
            return
        kept = self.kept_of(layer.inputs[0])
        before, after = self.model.channels(layer.inputs[0]), self.model.channels(layer.output)
        if after % before:
            raise Difference(f"{layer.where} mixes channels of which some are missing")
        blocks = np.arange(after // before)[:, None] * before
        self.kept[layer.output] = (blocks + kept).reshape(-1)

    def check_layer(self, layer: Layer, ops: list[Op]) -> None:
        """Compare one layer with the one op that stands for it."""
        if len(ops) != 1:
            raise Difference(f"{layer.where} is in {len(ops)} ops")
        op = ops[0]
        inside = self.kept_of(layer.inputs[0])
        base = self.base(layer, inside)
        channels = channels_of(op, layer, len(inside))
        found = self.sources(layer, channels, inside, base)
        self.check_proof(layer, op, len(channels))
        self.channels += len(channels)
        if len(found) != len(base):
            self.kept[layer.output] = np.array(found)
        print(f"{layer.where}: {op.name}, {len(found)} of {len(base)} channels")

    def sources(
        self,
        layer: Layer,
        channels: list[Channel],
        inside: np.ndarray,
        base: np.ndarray,
    ) -> list[int]:
        """The channels of the model that those of the stream are, in the same order."""
        if len(channels) == len(base):
            found = list(range(len(base)))
        elif layer.kind == "DEPTHWISE_CONV_2D":
            found = inside.tolist()
        else:
            found = np.flatnonzero(~self.model.dispensable(layer.output)).tolist() or [0]
        if len(found) != len(channels):
            raise Difference(f"{layer.where} has {len(channels)} channels, not {len(found)}")
        for source, channel in zip(found, channels, strict=True):
            self.compare(layer, channel, source, inside, int(base[source]))
        return found

    def base(self, layer: Layer, inside: np.ndarray) -> np.ndarray:
        """Biases, and what the removed inputs of every sum are known to add."""
        assert layer.weights is not None
        assert layer.bias is not None
        removed = np.setdiff1d(np.arange(self.model.channels(layer.inputs[0])), inside)
        if not len(removed) or layer.kind == "DEPTHWISE_CONV_2D":
            return layer.bias
        low, high = self.model.ranges[layer.inputs[0]]
        offset = low[removed] - layer.in_zero
        if (low[removed] != high[removed]).any() or (layer.padded and offset.any()):
            raise Difference(f"{layer.where}: a channel was removed that is not constant")
        sums = layer.weights[..., removed].sum(axis=(1, 2)) @ offset
        result: np.ndarray = layer.bias + sums
        return result

    def compare(
        self, layer: Layer, channel: Channel, source: int, inside: np.ndarray, base: int
    ) -> None:
        """Compare a channel of the stream with channel ``source`` of the model."""
        assert layer.weights is not None
        where = f"{layer.where} channel {source}"
        proven = self.model.proven[layer.output]
        weights = layer.weights[source]
        if layer.kind != "DEPTHWISE_CONV_2D":
            weights = weights[..., inside]
        if not channel.has(weights, proven.constant[source]):
            raise Difference(f"{where}: the weights differ")
        remainder = channel.remainder(weights, base, layer.in_zero)
        if abs(remainder) > channel.scale * MOST_OFFSET:
            raise Difference(f"{where}: the bias differs")
        low, high = int(proven.low[source]), int(proven.high[source])
        sums = np.concatenate(
            [
                near_thresholds(layer, source),
                self.rng.integers(low, high, RANDOM_SUMS, endpoint=True),
                [low, high, -1, 0],
            ]
        ).clip(low, high)
        device = channel.outputs(sums, remainder)
        expected = layer.outputs(sums, source)
        self.sums += len(sums)
        for at in np.flatnonzero(device != expected)[:1]:
            raise Difference(f"{where}: sum {sums[at]} gives {device[at]}, not {expected[at]}")

    def check_proof(self, layer: Layer, op: Op, channels: int) -> None:
        """The facts that the package records of the compiler's proof."""
        if op.packing == 0:
            return
        proof = op.proof
        if proof is None:
            raise Difference(f"{layer.where}: no proof is recorded")
        facts = (sum(proof["channels"].values()), proof["epilogue"], proof["shift"])
        if facts != (channels, *op.epilogue):
            raise Difference(f"{layer.where}: the proof is recorded of {facts}, not of this op")
        if not 0 <= proof["bound"] < 1 << 31 or proof["sums"][0] > proof["sums"][1]:
            raise Difference(f"{layer.where}: the proof's bounds are {proof}")

    def check_add(self, layer: Layer, op: Op) -> None:
        """All pairs of inputs."""
        device, expected = add_pairs(op, self.model, layer)
        wrong = np.argwhere(device != expected)
        self.sums += device.size
        if len(wrong):
            x, y = wrong[0] - 128
            raise Difference(
                f"{layer.where}: the sum of {x} and {y} is wrong, and {len(wrong) - 1} more"
            )
        print(f"{layer.where}: {op.name}, all pairs")


if __name__ == "__main__":
    sys.exit(main())
