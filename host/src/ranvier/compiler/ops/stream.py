# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""STREAM_PUSH and CLEAR: what streams through persistent state, and its start from zeros.

Both exist only inside of the compiler. STREAM_PUSH reads new elements and a state, and writes that
state: its oldest elements, as many as are new, drop out, and the new ones follow the others.
"""

from __future__ import annotations

from ranvier.compiler.graph import Op
from ranvier.compiler.ops.base import DeviceOp, Lowered, OpSpec, operand

PUSH = "STREAM_PUSH"
CLEAR = "CLEAR"


def check_push(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    if len(op.inputs) != 2 or len(op.outputs) != 1 or None in op.inputs:
        return [f"has {len(op.inputs)} inputs and {len(op.outputs)} outputs"]
    new, state = operand(op, 0), operand(op, 1)
    if state is not op.outputs[0] or not state.state:
        return ["its second input and its output are not the same state"]
    if new.dtype != state.dtype or new.elements > state.elements:
        return [f"{new.described} does not fit into the state {state.described}"]
    return []


def lower_push(op: Op) -> Lowered:
    """The op as it is."""
    new, state = operand(op, 0), operand(op, 1)
    return Lowered(PUSH, (new.bytes, state.bytes), (new, state), (state,), inplace=(1,))


def check_clear(op: Op) -> list[str]:
    """Reasons why the op cannot be executed."""
    if op.inputs or len(op.outputs) != 1:
        return [f"has {len(op.inputs)} inputs and {len(op.outputs)} outputs"]
    return []


def lower_clear(op: Op) -> Lowered:
    """The op as it is."""
    return Lowered(CLEAR, (op.outputs[0].bytes,), (), (op.outputs[0],))


OPS = (OpSpec(PUSH, 1, check_push, lower_push), OpSpec(CLEAR, 1, check_clear, lower_clear))
DEVICE_OPS = (DeviceOp(PUSH, ("new_bytes", "state_bytes")), DeviceOp(CLEAR, ("bytes",)))
