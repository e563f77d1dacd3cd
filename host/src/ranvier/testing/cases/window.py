# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Sliding windows of convolutions and pools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ranvier.testing.cases.draw import Draw


@dataclass(frozen=True)
class Window:
    """Kernel, stride and dilation, each (height, width), and ``SAME`` or ``VALID`` padding."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: str

    def __str__(self) -> str:
        text = "stride {}x{}".format(*self.stride)
        if self.dilation != (1, 1):
            text += " dilation {}x{}".format(*self.dilation)
        return f"{text} {self.padding}"

    def reach(self, axis: int) -> int:
        """Extent of the dilated kernel."""
        return (self.kernel[axis] - 1) * self.dilation[axis] + 1

    def output(self, size: tuple[int, int]) -> tuple[int, int]:
        """Output height and width for an input's."""
        rows, columns = (
            -(-(n if self.padding == "SAME" else n - self.reach(i) + 1) // self.stride[i])
            for i, n in enumerate(size)
        )
        return rows, columns

    def convolution_attrs(self) -> dict[str, Any]:
        """The options that both convolutions share."""
        return {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "dilation_h_factor": self.dilation[0],
            "dilation_w_factor": self.dilation[1],
        }

    def pool_attrs(self) -> dict[str, Any]:
        """The options of a pool."""
        return {
            "padding": self.padding,
            "stride_h": self.stride[0],
            "stride_w": self.stride[1],
            "filter_height": self.kernel[0],
            "filter_width": self.kernel[1],
        }


def draw_window(draw: Draw, largest: int, dilated: bool) -> Window:
    """A window of up to ``largest`` rows and columns, strides and dilations up to 3."""
    kernel = (draw.integer(1, largest), draw.integer(1, largest))
    stride = (draw.integer(1, 3), draw.integer(1, 3))
    dilation = (1, 1)
    if dilated and draw.chance(0.3):
        dilation = (draw.integer(1, 3), draw.integer(1, 3))
    return Window(kernel, stride, dilation, draw.pick(("SAME", "VALID")))


def draw_window_input(draw: Draw, window: Window, largest: int) -> tuple[int, int]:
    """Input height and width that the window fits; with SAME also smaller than the window."""
    height, width = (
        draw.integer(1, largest)
        if window.padding == "SAME"
        else window.reach(axis) + draw.integer(0, largest - 1)
        for axis in (0, 1)
    )
    return height, width
