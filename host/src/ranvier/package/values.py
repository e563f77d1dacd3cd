# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a tensor record says of its values: their type, and the real numbers that they stand for."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DType(enum.IntEnum):
    """Element types. The numbers are those of the package's tensor records (SPEC.md)."""

    INT8 = 1
    UINT8 = 2
    INT16 = 3
    INT32 = 4
    INT64 = 5
    FLOAT32 = 6
    BOOL = 7
    UINT32 = 8
    UINT64 = 9

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy type of the same width and meaning (little-endian)."""
        return _NUMPY[self]

    @property
    def bytes(self) -> int:
        """Size of one element in bytes."""
        return _NUMPY[self].itemsize


_NUMPY: dict[DType, np.dtype[Any]] = {
    DType.INT8: np.dtype("<i1"),
    DType.UINT8: np.dtype("<u1"),
    DType.INT16: np.dtype("<i2"),
    DType.INT32: np.dtype("<i4"),
    DType.INT64: np.dtype("<i8"),
    DType.FLOAT32: np.dtype("<f4"),
    DType.BOOL: np.dtype("?"),
    DType.UINT32: np.dtype("<u4"),
    DType.UINT64: np.dtype("<u8"),
}


def steps_of(real: NDArray[np.float32], scale: float) -> NDArray[np.float64]:
    """Real numbers in steps of ``scale``, rounded as TensorFlow Lite's QUANTIZE does.

    Divided in float32, rounded to nearest with ties away from zero; what is too large is infinite.
    """
    with np.errstate(over="ignore", under="ignore"):
        steps = (real / np.float32(scale)).astype(np.float64)
    rounded: NDArray[np.float64] = np.trunc(steps + np.copysign(0.5, steps))
    return rounded


def quantise(
    real: NDArray[np.float32], dtype: np.dtype[Any], scale: float, zero_point: int
) -> NDArray[Any]:
    """Real numbers, none of them NaN, as ``dtype``; what lies outside of its range saturates."""
    limits = np.iinfo(dtype)
    clipped = np.clip(steps_of(real, scale) + zero_point, limits.min, limits.max)
    return np.asarray(clipped.astype(dtype))
