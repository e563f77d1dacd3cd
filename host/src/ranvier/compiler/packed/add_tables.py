# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""ADD of two int8 tensors of one shape, with constants compared for all 65,536 pairs of inputs.

Two forms (kernels/s8/add_tables.c): two factors, where there are such, else two tables. In both, an
output is ``saturate_int8((a line or table of x0 + one of x1 + offset) >> shift)``; what has to be
found are factors and offset that are right for every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ranvier.compiler.fixed_point import INT32_MAX, requantize
from ranvier.compiler.graph import Op, Tensor
from ranvier.compiler.ops import add
from ranvier.compiler.ops.activation import INT8_MAX, INT8_MIN
from ranvier.compiler.ops.base import DeviceOp, Lowered, operand, quant_of
from ranvier.compiler.packed.factors import widest
from ranvier.compiler.packed.once import once
from ranvier.compiler.packed.predict import predicted
from ranvier.compiler.packed.requant import Values, point_in, requantized
from ranvier.package.records import Isa, Layout

PARAMS = (
    "rows",
    "row_elements",
    "ring_0",
    "ring_1",
    "ring_out",
    "multiplier",
    "offset",
    "shift",
)
_DEVICE = "ADD_TABLES_S8"
_BYTES = np.arange(INT8_MIN, INT8_MAX + 1, dtype=np.int64)
_LINEAR_SHIFT = 21
_INPUT_BITS = 20  # by which the reference makes its inputs finer
_TRIED = (0, 1, -1, 2, -2, 3, -3, 4, -4)


@dataclass(frozen=True, eq=False)
class Sums:
    """The op by the inputs' values from -128 on: what it adds, and its output for every pair."""

    first: Values
    second: Values
    multiplier: int
    shift: int
    output: Values


@dataclass(frozen=True)
class Constants:
    """The words ``multiplier, offset, shift``, and the stream."""

    words: tuple[int, int, int]
    stream: bytes


def lower(op: Op, sources: Sequence[Tensor], target: Tensor, isa: Isa = Isa.DSP) -> Lowered | None:
    """The op on its inputs and output as they are stored; None where it has no solution.

    Rows can be told apart where all channels of a row lie together. ``isa`` matters for the
    prediction only.
    """
    x, y = operand(op, 0), operand(op, 1)
    images = (*sources, target)
    if len({(image.shape, image.layout) for image in images}) != 1:
        return None
    constants = once(op, ("add",), lambda: _constants(op))
    if constants is None:
        return None
    rows = 1
    if len(target.shape) == 4 and target.layout in (Layout.DENSE, Layout.ROWS):
        rows = target.shape[0] * target.shape[1]
    rings = tuple(image.ring_rows or rows for image in images)
    params = (rows, target.elements // rows, *rings, *constants.words)
    inputs = tuple(i for i in range(2) if rings[i] == rings[2])
    return predicted(
        Lowered(
            device=_DEVICE,
            params=params,
            inputs=(x, y),
            outputs=(op.outputs[0],),
            weights=constants.stream,
            inplace=inputs if x is not y or len(inputs) == 2 else (),
        ),
        isa,
    )


def _constants(op: Op) -> Constants | None:
    sums = sums_of(op)
    return linear(sums, *_slopes(op)) or tables(sums)


def sums_of(op: Op) -> Sums:
    """What the reference adds, and gives."""
    p = dict(zip(add.DEVICE_OPS[0].params, add.lower(op).params, strict=False))
    first, second = (
        np.array(
            [
                requantize(
                    (value - p[f"zero_point_{i}"]) << _INPUT_BITS,
                    p[f"multiplier_{i}"],
                    p[f"shift_{i}"],
                )
                for value in _BYTES.tolist()
            ],
            np.int64,
        )
        for i in range(2)
    )
    multiplier, shift = p["multiplier_out"], p["shift_out"]
    total = first[:, None] + second
    values = requantized(total, np.asarray(multiplier), np.asarray(shift)) + p["zero_point_out"]
    output = np.clip(values, p["act_min"], p["act_max"])
    return Sums(first, second, multiplier, shift, output)


def _slopes(op: Op) -> tuple[float, float]:
    """Steps of the output that one step of each input is worth."""
    scales = [quant_of(t).scale for t in (operand(op, 0), operand(op, 1), op.outputs[0])]
    return scales[0] / scales[2], scales[1] / scales[2]


def linear(sums: Sums, slope_0: float, slope_1: float) -> Constants | None:
    """Two factors, compared for all pairs; None where there are none."""
    unit = float(1 << (_LINEAR_SHIFT + 8))
    if max(slope_0, slope_1) * unit > INT32_MAX:
        return None
    factors = widest(sums.output, (slope_0, slope_1), _LINEAR_SHIFT, 8)
    if factors is None:
        return None
    f0, f1 = factors
    values = ((f0 * _BYTES) >> 8)[:, None] + ((f1 * _BYTES) >> 8)
    low, high = window(values, sums.output, _LINEAR_SHIFT)
    offset = (low + high) // 2
    extreme = max(-int(values.min()), int(values.max())) + abs(offset)
    if low > high or extreme > INT32_MAX or not 0 <= min(factors) <= max(factors) <= INT32_MAX:
        return None
    device = np.clip((values + offset) >> _LINEAR_SHIFT, INT8_MIN, INT8_MAX)
    if (device != sums.output).any():
        return None
    return Constants((0, offset, _LINEAR_SHIFT), np.array(factors, "<i4").tobytes())


def tables(sums: Sums) -> Constants | None:
    """Two tables, compared for all pairs; None where no multiplier near the exact one serves."""
    total = sums.first[:, None] + sums.second
    most = int(np.abs(total).max())
    scale = 4
    shift = 1 - sums.shift
    if not 0 <= shift <= 30 or most * scale > INT32_MAX // 2:
        return None
    for step in _TRIED:
        multiplier = sums.multiplier + step
        if not 0 < multiplier <= INT32_MAX:
            continue
        low, high = window(total * (scale * multiplier), sums.output, 32 + shift)
        placed = point_in(low, high, multiplier, None)
        if placed is None:
            continue
        constant, offset = placed
        scaled = [scale * sums.first + offset, scale * sums.second]
        device = (((scaled[0][:, None] + scaled[1]) * multiplier) >> 32) + constant
        within = all(
            np.abs(v).max() <= INT32_MAX for v in (*scaled, scaled[0][:, None] + scaled[1], device)
        )
        if within and (np.clip(device >> shift, INT8_MIN, INT8_MAX) == sums.output).all():
            raw = [np.roll(table, INT8_MIN) for table in scaled]  # by the byte without sign
            return Constants(
                (multiplier, constant, shift), np.concatenate(raw).astype("<i4").tobytes()
            )
    return None


def window(values: Values, output: Values, shift: int) -> tuple[int, int]:
    """Offsets with which ``(values + offset) >> shift``, saturated, is ``output`` everywhere."""
    low, high = output > INT8_MIN, output < INT8_MAX
    unit = 1 << shift
    least = int((output[low] * unit - values[low]).max(initial=-(1 << 62)))
    most = int((output[high] * unit + (unit - 1) - values[high]).min(initial=1 << 62))
    return least, most


DEVICE_OPS = (DeviceOp(_DEVICE, PARAMS),)
