# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Results that do not depend on layouts, so that an op that is lowered again and again has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ranvier.compiler.graph import Op

T = TypeVar("T")


def once(op: Op, key: tuple[Any, ...], make: Callable[[], T]) -> T:
    """What ``make`` gave for this op and key; kept in the attribute ``_once``.

    Only for ops that no pass changes any more.
    """
    known: dict[tuple[Any, ...], T] = op.attrs.setdefault("_once", {})
    if key not in known:
        known[key] = make()
    return known[key]
