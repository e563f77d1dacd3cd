# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How often the sectors of a device's store were erased, and for how long they last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranvier.device.wire import Info, ModelState

ENDURANCE = 10_000
"""Erases that a sector is good for: what the flash of microcontrollers is specified for."""
_DAYS = 365.25


@dataclass(frozen=True)
class Wear:
    """A slot or a registry sector: times that it was erased, and times for each update.

    ``years`` is what is left where updates go on; None where there was none to tell from.
    """

    part: str
    erases: int
    an_update: float | None
    years: float | None


def wear(info: Info, models: Sequence[ModelState], updates_a_day: float) -> list[Wear]:
    """The wear of all slots that were filled, and of the registry where the device tells it.

    Updates fill the slots of a model in turn, so each is erased by every second one. Of the
    registry it is what this device's updates took so far.
    """
    found = [
        _wear(f"{model.name}, slot {number}", slot.fills, 0.5, updates_a_day)
        for model in models
        for number, slot in enumerate(model.slots)
        if any(one.fills for one in model.slots)
    ]
    updates = sum(slot.fills for model in models for slot in model.slots)
    share = sum(info.erases) / len(info.erases) / updates if info.erases and updates else None
    for number, erases in enumerate(info.erases):
        found.append(_wear(f"registry, sector {number}", erases, share, updates_a_day))
    return found


def _wear(part: str, erases: int, an_update: float | None, updates_a_day: float) -> Wear:
    years = None
    if an_update:
        years = max(ENDURANCE - erases, 0) / (an_update * updates_a_day) / _DAYS
    return Wear(part, erases, an_update, years)
