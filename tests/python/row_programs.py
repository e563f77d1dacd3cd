# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages made by hand of two ops that can run by rows, for tests of the verifier's rows.

``blur`` sums the 3 x 3 neighbours of each pixel of a one-channel image (it needs a row above and
one below), ``add`` adds two images pixel by pixel; both saturate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.ops import device_ops
from ranvier.native import op_codes
from ranvier.package.records import (
    Alias,
    EntryRecord,
    IoMode,
    Layout,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)

H, W = 8, 5
SCRATCH = 1024
"""Where the scratch of samples lies."""

Image = NDArray[np.int8]


def image(offset: int, **more: Any) -> TensorRecord:
    """An image of one channel in the arena; lifetimes are set by :func:`program`."""
    shape = more.pop("shape", (1, H, W, 1))
    layout = more.pop("layout", Layout.PLANES)
    ring = more.get("ring_rows", 0)
    rows = shape[2] if layout == Layout.PLANES_TRANSPOSED else shape[1]
    size = int(np.prod(shape)) // rows * (ring or rows)
    if "same" in more:
        more |= {"alias": Alias.SAME, "alias_tensor": more.pop("same")}
    return TensorRecord(
        name="",
        dtype=more.pop("dtype", 1),
        shape=shape,
        storage=more.pop("storage", Storage.ARENA),
        offset=offset,
        bytes=more.pop("bytes", size),
        first_step=0,
        last_step=0,
        layout=layout,
        **more,
    )


def given(slot: int = 0, **more: Any) -> TensorRecord:
    """An external input."""
    return image(slot, layout=Layout.DENSE, storage=Storage.EXTERNAL, is_input=True, **more)


def taken(slot: int = 1, **more: Any) -> TensorRecord:
    """An external output."""
    return image(slot, layout=Layout.DENSE, storage=Storage.EXTERNAL, is_output=True, **more)


def blur(
    source: int,
    target: int,
    rings: tuple[int, int] = (H, H),
    scratch: int = 0,
    rows: str = "",
) -> OpRecord:
    """The sum of neighbours; ``rings`` are the rows held of input and output.

    ``rows`` names which of them are stored in rows: "in", "out", or both.
    """
    views = [
        word
        for ring, name in zip(rings, ("in", "out"), strict=True)
        for word in (W if name in rows else ring * W, W, ring)
    ]
    params = (H, W, 1, H, W, 3, 3, 1, 1, 1, 1, 1, 1, 1, 0, *views)
    stream = np.array([0, 1 << 30], "<i4").tobytes() + bytes([1, 0, 0, 0]) + bytes([1] * 9)
    return OpRecord(
        "",
        op_codes()["DEPTHWISE_PLANES_S8"],
        (source,),
        (target,),
        (*params, 1, 1, 0, -128, 127),
        weights=stream,
        scratch_offset=scratch,
        scratch_bytes=(W + 2) * (H + 2) + 8,
    )


def window(
    device: str,
    source: int,
    target: int,
    size: int = 3,
    dilation: int = 1,
    batch: int = 1,
    height: int = H,
    **words: int,
) -> OpRecord:
    """A generic op on dense images of one channel, of the same size out as in.

    CONV_2D_S8 and DEPTHWISE_CONV_2D_S8 sum the pixels of the window; ``words`` replace parameters
    by name.
    """
    width = H * W // height // batch
    before = dilation * (size - 1) // 2
    shape = (batch, height, width, 1, height, width)
    pooled = (*shape, size, size, 1, 1, before, before)
    extra: tuple[int, ...] = (-128, 127)
    weights, scratch = b"", 0
    if "CONV" in device:
        extra = (dilation, dilation, 1, 0, 1, 1, 0, -128, 127)
        weights = np.array([0, 1 << 30], "<i4").tobytes() + bytes([1, 0, 0, 0])
    names = device_ops()[device].params
    params = dict(zip(names, (*pooled, *extra), strict=True)) | words
    if "CONV" in device:
        taps = params["filter_h"] * params["filter_w"]
        weights += bytes([1]) * taps
        scratch = taps if device == "CONV_2D_S8" and taps > 1 else 0
    return OpRecord(
        "",
        op_codes()[device],
        (source,),
        (target,),
        tuple(params[name] for name in names),
        weights=weights,
        scratch_offset=SCRATCH,
        scratch_bytes=scratch,
    )


def add(
    x: int, y: int, target: int, rings: tuple[int, int, int] = (H, H, H), rows: int = H
) -> OpRecord:
    """The sum of two images, of ``rows`` rows."""
    values = np.arange(256).astype(np.uint8).view(np.int8).astype("<i4") << 20
    params = (rows, H * W // rows, *rings, 1 << 12, 0, 0)
    weights = np.concatenate([values, values]).tobytes()
    return OpRecord("", op_codes()["ADD_TABLES_S8"], (x, y), (target,), params, weights=weights)


def copy(source: int, target: int) -> OpRecord:
    """A copy, which cannot run by rows."""
    return OpRecord("", op_codes()["COPY"], (source,), (target,), (H * W,))


Run = tuple[int, int, int] | int
"""A step: an op, or an op with its first row and its rows."""


def program(
    tensors: Sequence[TensorRecord],
    ops: Sequence[OpRecord],
    runs: Sequence[Run],
    arena: int = 2048,
) -> PackageContent:
    """A package; every tensor lives from its first write to its last read."""
    steps = [StepRecord(run) if isinstance(run, int) else StepRecord(*run) for run in runs]
    first = {number: 0 for number, tensor in enumerate(tensors) if tensor.is_input}
    last: dict[int, int] = {}
    for index, step in enumerate(steps):
        for number in ops[step.op].outputs:
            first.setdefault(number, index)
        for number in (*ops[step.op].inputs, *ops[step.op].outputs):
            last[number] = index
    end = len(steps) - 1
    placed = [
        replace(t, first_step=first.get(i, 0), last_step=end if t.is_output else last.get(i, 0))
        for i, t in enumerate(tensors)
    ]
    numbers = range(len(tensors))
    entry = EntryRecord(
        "infer",
        0,
        len(steps),
        tuple(i for i in numbers if tensors[i].is_input),
        tuple(i for i in numbers if tensors[i].is_output),
    )
    return PackageContent(
        name="rows",
        version=(1, 0, 0),
        io_mode=IoMode.KEPT,
        arena_bytes=arena,
        max_live=32,
        tensors=tuple(placed),
        ops=tuple(ops),
        steps=tuple(steps),
        entries=(entry,),
    )


def blurred(x: Image) -> Image:
    """What ``blur`` computes, with NumPy."""
    padded = np.pad(x.astype(np.int32), 1)
    parts = (padded[y : y + x.shape[0], c : c + x.shape[1]] for y in range(3) for c in range(3))
    return np.clip(sum(parts), -128, 127).astype(np.int8)


def added(x: Image, y: Image) -> Image:
    """What ``add`` computes, with NumPy."""
    return np.clip(x.astype(np.int32) + y, -128, 127).astype(np.int8)


def picture(seed: int = 0) -> Image:
    """A random image whose sums do not all saturate."""
    return np.random.default_rng(seed).integers(-30, 31, (H, W)).astype(np.int8)


def rolled() -> list[Run]:
    """Two blurs in step, one row at a time: of what is between them three rows are needed."""
    runs: list[Run] = [(0, 0, 2), (1, 0, 1)]
    for row in range(1, H - 1):
        runs += [(0, row + 1, 1), (1, row, 1)]
    return [*runs, (1, H - 1, 1)]


def two_blurs(runs: Sequence[Run], ring: int = 3, layout: Layout = Layout.PLANES) -> PackageContent:
    """in -> blur -> ring -> blur -> out."""
    held = ring or H
    tensors = [given(), image(0, ring_rows=ring, layout=layout), taken()]
    out, into = ("out", "in") if layout == Layout.ROWS else ("", "")
    ops = [blur(0, 1, (H, held), SCRATCH, out), blur(1, 2, (held, H), SCRATCH, into)]
    return program(tensors, ops, runs)


IN_STEP: tuple[Run, ...] = (0, (1, 0, 2), (2, 0, 1), (1, 2, 3), (2, 1, 3), (1, 5, 3), (2, 4, 4), 3)
"""An order of ``in_place`` in which every row is read before it is replaced."""


def in_place(runs: Sequence[Run], **more: Any) -> PackageContent:
    """a = blur(in); b = blur(a); c = a + b over a; out = c."""
    tensors = [
        given(),
        image(0, layout=Layout.ROWS),
        image(64, layout=Layout.ROWS),
        image(0, same=1, **({"layout": Layout.ROWS} | more)),
        taken(),
    ]
    ops = [
        blur(0, 1, scratch=SCRATCH, rows="out"),
        blur(1, 2, scratch=SCRATCH, rows="in out"),
        add(1, 2, 3),
        copy(3, 4),
    ]
    return program(tensors, ops, runs)


def samples() -> dict[str, PackageContent]:
    """Packages that a reader accepts."""
    return {
        "rows-ring": two_blurs(rolled()),
        "rows-ring-rows": two_blurs(rolled(), 4, Layout.ROWS),
        "rows-whole": two_blurs([(0, 0, 5), (1, 0, 4), (0, 5, 3), (1, 4, 4)], 0),
        "rows-in-place": in_place(IN_STEP),
    }
