# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which steps may be given to an accelerator instead of the CPU.

A mark changes nothing else: the op's own kernel stays the fallback. An accelerator may fail after
it has written some of its output, and then the CPU begins the step again, so a step that replaces
an input in place is never marked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ranvier.errors import UnsupportedError
from ranvier.native import op_codes
from ranvier.package.records import Isa, PackageContent


@dataclass(frozen=True)
class Accelerator:
    """An accelerator: the ops of ops.txt that it executes."""

    name: str
    ops: frozenset[str]


ACCELERATORS = {
    accelerator.name: accelerator
    for accelerator in (
        Accelerator(
            "sim",
            frozenset(
                {
                    "CONV_2D_S8",
                    "DEPTHWISE_CONV_2D_S8",
                    "FULLY_CONNECTED_S8",
                    "MAX_POOL_2D_S8",
                    "AVERAGE_POOL_2D_S8",
                }
            ),
        ),
    )
}
"""By the names that ``--npu`` takes. ``sim``: the simulated one of POSIX and Zephyr."""


def accelerator(name: str) -> Accelerator:
    """The accelerator of that name; UnsupportedError for a name that is none."""
    if name not in ACCELERATORS:
        raise UnsupportedError(
            f"accelerator {name!r} is not known", f"one of {', '.join(ACCELERATORS)}"
        )
    return ACCELERATORS[name]


def mark(content: PackageContent, target: Accelerator) -> PackageContent:
    """The same content with every step marked that ``target`` may execute."""
    codes = {op_codes()[name] for name in target.ops if name in op_codes()}
    able = [
        op.code in codes and op.packing == Isa.GENERIC and content.restartable(op)
        for op in content.ops
    ]
    return replace(content, steps=tuple(replace(step, npu=able[step.op]) for step in content.steps))
