# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The device's table look-ups, and the IR op LUT: any function of one 8-bit tensor as a table.

LUT exists only inside of the compiler. Its attribute ``_table`` holds the output's 256 raw bytes,
indexed by the input's raw byte.
"""

from __future__ import annotations

import numpy as np

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import BYTE_TYPES, DeviceOp, Lowered, OpSpec
from ranvier.compiler.ops.tables import lower_table, unary_reasons

_ENTRIES = 256


def check(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    reasons = unary_reasons(op, BYTE_TYPES, BYTE_TYPES)
    if len(op.attrs.get("_table", b"")) != _ENTRIES:
        reasons.append(f"has no table of {_ENTRIES} bytes")
    return reasons


def lower(op: Op) -> Lowered:
    """The op as the device's table look-up."""
    return lower_table(op, np.frombuffer(op.attrs["_table"], np.uint8))


OPS = (OpSpec("LUT", 1, check, lower),)
DEVICE_OPS = (DeviceOp("LUT_8", ("elements",)), DeviceOp("LUT_32", ("elements",)))
