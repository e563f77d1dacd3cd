# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What was proven of an op's requantisation, as the package records it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

KINDS = ("constant", "exact", "thresholds", "textbook")
"""How a channel's outputs are known to be the reference's.

``constant``: one value for all reachable sums. ``exact``: the multiplier lost no bits, and every
threshold was compared. ``thresholds``: it did, and every threshold was compared. ``textbook``: the
reference's own arithmetic.
"""


@dataclass(frozen=True)
class Proof:
    """Facts about all channels of one op.

    ``shift`` is the kernel's last shift, ``low .. high`` the reachable sums of all channels (bias
    included), ``bound`` the largest magnitude of a device's accumulator, ``thresholds`` the number
    of compared thresholds.
    """

    epilogue: str
    shift: int
    kinds: tuple[tuple[str, int], ...]
    thresholds: int
    low: int
    high: int
    bound: int

    @property
    def meta(self) -> dict[str, Any]:
        """The facts as JSON holds them."""
        return {
            "epilogue": self.epilogue,
            "shift": self.shift,
            "channels": dict(self.kinds),
            "thresholds": self.thresholds,
            "sums": [self.low, self.high],
            "bound": self.bound,
        }


def count_kinds(kinds: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """Kinds with the number of their channels, in the order of ``KINDS``."""
    found = Counter(kinds)
    return tuple((kind, found[kind]) for kind in KINDS if found[kind])
