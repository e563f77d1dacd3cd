# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package, as far as check_proofs.py needs it (firmware/core/SPEC.md)."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

_OPS = Path(__file__).resolve().parents[2] / "firmware" / "core" / "ops.txt"
_TENSORS, _OPERANDS, _OP_RECORDS, _PARAMS, _WEIGHTS, _META = 1, 2, 3, 6, 7, 11
_TRANSPOSED = 2

#: Position of the epilogue among an op's parameters, and the shifts of RELU and LINEAR.
_EPILOGUES = {
    "POINTWISE": (10, 12, 12),
    "CONV_PLANES": (19, 12, 12),
    "CONV_PIXELS": (17, 12, 12),
    "FULLY_CONNECTED": (3, 9, 12),
    "WINOGRAD": (15, 12, 12),
}
_BASE = 3


@dataclass(frozen=True)
class Op:
    """An op record with what it points to; ``sources`` are layers of the model."""

    name: str
    packing: int
    params: tuple[int, ...]
    weights: np.ndarray
    transposed: bool
    sources: tuple[int, ...]
    proof: dict[str, Any] | None

    @property
    def kernel(self) -> str:
        """The name without packing and type."""
        return self.name.removesuffix("_S8").removesuffix("_DSP").removesuffix("_BASE")

    @property
    def words(self) -> np.ndarray:
        """The stream as int32."""
        return self.weights.view("<i4").astype(np.int64)

    @property
    def epilogue(self) -> tuple[str, int]:
        """Name of the epilogue, and its last shift."""
        if self.kernel == "DEPTHWISE":
            return "RELU", 10
        position, relu, linear = _EPILOGUES[self.kernel]
        relu = linear if self.packing == _BASE else relu
        return (("RELU", relu), ("LINEAR", linear), ("TEXTBOOK", 0))[self.params[position]]


def _sections(data: bytes) -> dict[int, bytes]:
    """The bytes of every section, by kind."""
    (count,) = struct.unpack_from("<H", data, 46)
    rows = [struct.unpack_from("<HHIII", data, 128 + 16 * row) for row in range(count)]
    return {kind: data[offset : offset + size] for kind, _, offset, size, _ in rows}


class Package:
    """The ops of a package."""

    def __init__(self, data: bytes) -> None:
        self._sections = _sections(data)
        meta = json.loads(self._sections[_META])
        names = [line.split() for line in _OPS.read_text().splitlines() if line[:1].isdigit()]
        self._names = {int(row[0]): row[1] for row in names}
        records = self._sections[_OP_RECORDS]
        self.ops = [
            self._op(struct.unpack_from("<HBBBBHIHHIIII", records, 32 * i), step)
            for i, step in enumerate(meta["steps"])
        ]

    @staticmethod
    def source_of(data: bytes) -> dict[str, str]:
        """Name and SHA-256 of the model that a package was compiled from, as it says itself."""
        source = json.loads(_sections(data)[_META])["source"]
        return {key: str(source[key]) for key in ("file", "sha256")}

    def _op(self, record: tuple[int, ...], step: dict[str, Any]) -> Op:
        code, _, packing, inputs, _, operand, params, size, _, weights, length, _, _ = record
        (output,) = struct.unpack_from("<H", self._sections[_OPERANDS], 2 * (operand + inputs))
        layout = self._sections[_TENSORS][64 * output + 3]
        stream = self._sections.get(_WEIGHTS, b"")[weights : weights + length]
        return Op(
            name=self._names[code],
            packing=packing,
            params=struct.unpack_from(f"<{size // 4}i", self._sections[_PARAMS], params),
            weights=np.frombuffer(stream, np.int8),
            transposed=layout == _TRANSPOSED,
            sources=tuple(step["ops"]),
            proof=step.get("proof"),
        )
