# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From the bytes of an image as a device stores it to an array in the order NHWC."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ranvier.package.records import Layout, TensorRecord


class RowImage:
    """An image put together from its rows as a device stores them, some at a time.

    ``whole`` is False once a row was gone before it was taken: a slice may write more rows than the
    ring holds, where the first ones are not needed.
    ``record`` is a tensor in another layout than dense: shape ``[1, H, W, C]``, one byte each.
    """

    def __init__(self, record: TensorRecord) -> None:
        _, height, width, channels = record.shape
        self._record = record
        self._exchanged = record.layout == Layout.PLANES_TRANSPOSED
        self._rows, self._width = (width, height) if self._exchanged else (height, width)
        self._held = record.ring_rows or self._rows
        self._image = np.zeros((self._rows, channels, self._width), np.int8)
        self.whole = True

    def take(self, data: bytes, row0: int, rows: int | None) -> None:
        """Take the rows ``row0 .. row0 + rows - 1`` (None: all) out of the tensor's bytes."""
        channels = self._image.shape[1]
        stored = np.frombuffer(data, np.int8, self._held * channels * self._width)
        if self._record.layout == Layout.ROWS:
            held = stored.reshape(self._held, channels, self._width)
        else:
            held = stored.reshape(channels, self._held, self._width).transpose(1, 0, 2)
        end = self._rows if rows is None else row0 + rows
        first = max(row0, end - self._held)
        self.whole = self.whole and first == row0
        for row in range(first, end):
            self._image[row] = held[row % self._held]

    def array(self) -> NDArray[np.int8]:
        """The image as ``[1, H, W, C]``."""
        order = (2, 0, 1) if self._exchanged else (0, 2, 1)
        return np.ascontiguousarray(self._image.transpose(order)).reshape(self._record.shape)
