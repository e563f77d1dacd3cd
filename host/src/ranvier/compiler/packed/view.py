# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Where the elements of an image lie whose pixels of one channel and row are adjacent.

The host's side of ``struct rnv_view`` (kernels/planes/view.h).
"""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.graph import Tensor
from ranvier.package.records import Layout


@dataclass(frozen=True)
class View:
    """An image in memory.

    ``height`` and ``width`` are those of the stored orientation: exchanged where ``layout`` is
    PLANES_TRANSPOSED. ``ring`` is the number of rows held.
    """

    layout: Layout
    channels: int
    height: int
    width: int
    ring: int

    @classmethod
    def of(cls, tensor: Tensor, layout: Layout, ring: int | None = None) -> View:
        """The view of an NHWC tensor of one image, stored in ``layout``.

        DENSE serves where it is the same as PLANES: for one channel, or one pixel.
        """
        batch, height, width, channels = tensor.shape
        assert batch == 1, tensor.name
        assert layout != Layout.DENSE or channels == 1 or height * width == 1, tensor.name
        if layout == Layout.PLANES_TRANSPOSED:
            height, width = width, height
        return cls(layout, channels, height, width, height if ring is None else ring)

    @property
    def channel(self) -> int:
        """Elements from one channel to the next."""
        return self.width if self.layout == Layout.ROWS else self.ring * self.width

    @property
    def row(self) -> int:
        """Elements from one row to the next."""
        return self.channels * self.width if self.layout == Layout.ROWS else self.width

    @property
    def words(self) -> tuple[int, int, int]:
        """The parameter words of the view: ``channel``, ``row`` and ``ring``."""
        return self.channel, self.row, self.ring

    @property
    def transposed(self) -> bool:
        """True where rows of the image are columns of the tensor."""
        return self.layout == Layout.PLANES_TRANSPOSED
