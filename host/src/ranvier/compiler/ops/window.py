# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The sliding window of convolutions and pools: sizes, padding, and what is wrong with them.

Source of the definitions: TensorFlow Lite's ``ComputeOutSize`` and ``ComputePadding``.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import operand

WINDOW_MAX = 32767
"""Largest size, stride, dilation and padding that a device accepts."""

WINDOW_PARAMS = (
    "batch",
    "in_h",
    "in_w",
    "in_c",
    "out_h",
    "out_w",
    "filter_h",
    "filter_w",
    "stride_h",
    "stride_w",
    "pad_top",
    "pad_left",
)
"""Leading parameter words of every device op with a window."""


@dataclass(frozen=True)
class Axis:
    """One dimension of a window: sizes in pixels, ``before`` and ``after`` explicit padding."""

    size: int
    filter: int
    stride: int
    dilation: int
    same: bool
    before: int = 0
    after: int = 0

    @property
    def extent(self) -> int:
        """Pixels from the window's first tap to its last."""
        return (self.filter - 1) * self.dilation + 1

    @property
    def out(self) -> int:
        """Number of windows; not positive where none fits."""
        padded = self.before + self.size + self.after
        if self.same:
            return (padded + self.stride - 1) // self.stride
        return (padded - self.extent) // self.stride + 1

    @property
    def pad(self) -> int:
        """Pixels of the first window before the input."""
        padded = self.before + self.size + self.after
        missing = (self.out - 1) * self.stride + self.extent - padded
        return self.before + (max(missing, 0) // 2 if self.same else 0)


@dataclass(frozen=True)
class Window:
    """The words that ``WINDOW_PARAMS`` names."""

    batch: int
    in_h: int
    in_w: int
    in_c: int
    out_h: int
    out_w: int
    filter_h: int
    filter_w: int
    stride_h: int
    stride_w: int
    pad_top: int
    pad_left: int

    @property
    def words(self) -> tuple[int, ...]:
        """The words in order."""
        return astuple(self)


def dilations(op: Op) -> tuple[int, int]:
    """Rows and columns from one tap of a convolution's window to the next."""
    return op.attrs.get("dilation_h_factor", 1), op.attrs.get("dilation_w_factor", 1)


def window_reasons(op: Op, filter_h: int, filter_w: int, out_c: int) -> list[str]:
    """Why the window of ``op`` does not fit its NHWC input and output."""
    image, result = operand(op, 0), op.outputs[0]
    if len(image.shape) != 4 or len(result.shape) != 4:
        return [f"needs 4 dimensions, has input {image.shape} and output {result.shape}"]
    padding = op.attrs.get("padding", "SAME")
    if padding not in ("SAME", "VALID"):
        return [f"padding {padding} is not supported"]
    numbers = {
        "filter": (filter_h, filter_w),
        "stride": _strides(op),
        "dilation": dilations(op),
        "input": image.shape,
        "output": result.shape,
    }
    reasons = [
        f"{what} {values} has a value outside of 1..{WINDOW_MAX}"
        for what, values in numbers.items()
        if not all(1 <= v <= WINDOW_MAX for v in values)
    ]
    if reasons:
        return reasons
    rows, columns = _axes(op, filter_h, filter_w)
    expected = (image.shape[0], rows.out, columns.out, out_c)
    if result.shape != expected:
        reasons.append(f"the output is {result.shape}, but the parameters give {expected}")
    if max(rows.pad, columns.pad) > WINDOW_MAX:
        reasons.append(f"padding exceeds {WINDOW_MAX}")
    return reasons


def window_of(op: Op, filter_h: int, filter_w: int) -> Window:
    """The window of an op without ``window_reasons``."""
    image = operand(op, 0)
    batch, in_h, in_w, in_c = image.shape
    rows, columns = _axes(op, filter_h, filter_w)
    strides = _strides(op)
    return Window(
        batch, in_h, in_w, in_c, rows.out, columns.out, filter_h, filter_w, *strides,
        rows.pad, columns.pad,
    )  # fmt: skip


def _strides(op: Op) -> tuple[int, int]:
    return op.attrs.get("stride_h", 0), op.attrs.get("stride_w", 0)


def _axes(op: Op, filter_h: int, filter_w: int) -> tuple[Axis, Axis]:
    """Rows and columns; ``_pad`` is the padding of a fused PAD op, inside of which SAME counts."""
    image = operand(op, 0)
    same = op.attrs.get("padding", "SAME") == "SAME"
    top, bottom, left, right = op.attrs.get("_pad", (0, 0, 0, 0))
    (stride_h, stride_w), (dilation_h, dilation_w) = _strides(op), dilations(op)
    return (
        Axis(image.shape[1], filter_h, stride_h, dilation_h, same, top, bottom),
        Axis(image.shape[2], filter_w, stride_w, dilation_w, same, left, right),
    )
