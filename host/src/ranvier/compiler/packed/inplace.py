# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the output of a convolution over a window may replace its input.

The conditions are those of the kernels' ``check()`` (kernels/planes/conv_window.h), which has the
last word.
"""

from __future__ import annotations

from dataclasses import dataclass

from ranvier.compiler.ops.window import Window
from ranvier.compiler.packed.view import View
from ranvier.package.records import Layout


@dataclass(frozen=True)
class Order:
    """Where output rows are written, and input rows read, one after the other.

    ``unread`` is the first input row to be read after output row 0 is written; of the next output
    row it is ``stride`` higher. ``out_span`` are the bytes from a row's first element to its last.
    """

    out_rows: int
    out_row: int
    out_span: int
    in_rows: int
    in_row: int
    unread: int
    stride: int

    @property
    def in_place(self) -> bool:
        """True where no output row reaches an input row that is still to be read."""
        if self.unread >= self.in_rows:
            return True
        last = min((self.in_rows - 1 - self.unread) // self.stride, self.out_rows - 1)
        written = last * self.out_row + self.out_span
        first_is_free = self.out_span <= self.unread * self.in_row
        return first_is_free and written <= (self.unread + last * self.stride) * self.in_row


def planes_in_place(window: Window, source: View, target: View) -> bool:
    """For kernels that copy each input row once to a ring of the rows under the filter."""
    w = window
    if source.ring != source.height or target.ring != target.height:
        return False
    unread = max(w.filter_h, w.stride_h) - w.pad_top
    alike = (source.channel, source.row) == (target.channel, target.row)
    apart = source.row * max(w.in_h, w.out_h) <= source.channel
    if alike and apart and unread >= 1:
        return True
    return Order(
        out_rows=w.out_h,
        out_row=target.row,
        out_span=(target.channels - 1) * target.channel + w.out_w,
        in_rows=w.in_h,
        in_row=source.row,
        unread=unread,
        stride=w.stride_h,
    ).in_place


def depthwise_in_place(source: View, target: View) -> bool:
    """For kernels that work off channel after channel, each in ascending rows, from a copy.

    For whole ops; one that runs by slices needs every element in its place (views alike).
    """
    if source.ring != source.height or target.ring != target.height:
        return False
    if Layout.ROWS not in (source.layout, target.layout):
        return target.channel <= source.channel and target.row <= source.row
    return (source.channel, source.row) == (target.channel, target.row)


def pixels_in_place(window: Window, target: View) -> bool:
    """For a dense input of which every output row reads the rows under the filter."""
    w = window
    if target.transposed or target.ring != target.height:
        return False
    return Order(
        out_rows=w.out_h,
        out_row=target.row,
        out_span=(target.channels - 1) * target.channel + w.out_w,
        in_rows=w.in_h,
        in_row=w.in_w * w.in_c,
        unread=w.stride_h - w.pad_top,
        stride=w.stride_h,
    ).in_place
