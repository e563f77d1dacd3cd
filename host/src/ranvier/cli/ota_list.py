# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier ota`` prints of a device's models and of its update."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ranvier.cli.output import Output, size
from ranvier.package.records import Isa

if TYPE_CHECKING:
    from ranvier.device.wear import Wear
    from ranvier.device.wire import Info, ModelState, Slot, Update


def print_info(output: Output, info: Info) -> None:
    """Print what the device is."""
    isa = ", ".join(_isa(number) for number in info.isa) or "?"
    output.text(
        f"{info.board or 'device'}, ranvier {info.version or '?'}; fast here: {isa}; chunks of "
        f"{size(info.chunk)} bytes"
    )
    keys = ", ".join(f"{key:08x}" for key in info.keys) or "none"
    output.text(f"keys: {keys}" + _revoked(info))
    if info.unsigned:
        output.text("takes unsigned packages: for development only")
    if info.read_only:
        output.text("read-only: takes no updates")
    output.text()


def _revoked(info: Info) -> str:
    keys = ", ".join(f"{key:08x}" for key in info.revoked)
    return f"; revoked: {keys}" if keys else ""


def print_models(output: Output, models: Sequence[ModelState]) -> None:
    """Print a table of all slots; places that are empty are one row."""
    rows = []
    for model in models:
        if all(slot.state == 0 for slot in model.slots):
            rows.append([model.name, "-", "empty", "-", "-", size(model.slot_bytes), "-", "-", ""])
        else:
            rows += [_row(model, number, slot) for number, slot in enumerate(model.slots)]
    header = ["model", "slot", "content", "version", "bytes", "of", "security", "fills", "is"]
    output.table(header, rows)


def _row(model: ModelState, number: int, slot: Slot) -> list[str]:
    from ranvier.device.wire import number_name

    return [
        model.name,
        str(number),
        number_name(slot.state),
        ".".join(map(str, slot.version)) or "-",
        "-" if slot.bytes is None else size(slot.bytes),
        size(model.slot_bytes),
        "-" if slot.security_version is None else str(slot.security_version),
        size(slot.fills),
        ", ".join(_marks(model, number)),
    ]


def _marks(model: ModelState, number: int) -> list[str]:
    from ranvier.device.wire import SlotState, Trial

    marks = []
    if model.confirmed == number:
        marks.append("confirmed")
    if model.trial_slot == number and model.trial == Trial.PENDING:
        marks.append("on trial from the next load on")
    elif model.trial_slot == number and model.trial != Trial.NONE:
        marks.append(f"on trial, loaded {model.tries} times")
    if model.running == number:
        marks.append("running")
    if model.slots[number].state == SlotState.FILLING:
        marks.append(f"{size(model.written)} bytes are safe")
    return marks


def print_wear(output: Output, parts: Sequence[Wear], updates_a_day: float) -> None:
    """Print a table of how often sectors were erased, and for how long they last."""
    from ranvier.device.wear import ENDURANCE

    rows = []
    for part in parts:
        share = "-" if part.an_update is None else f"{part.an_update:.2f}"
        years = "-" if part.years is None else f"{part.years:,.1f}"
        rows.append([part.part, size(part.erases), share, years])
    output.text()
    output.text(f"sectors for {size(ENDURANCE)} erases, updates a day: {updates_a_day:g}")
    output.table(["sectors of", "erases", "an update", "years left"], rows)


def model_value(model: ModelState) -> dict[str, Any]:
    """A place of the store as JSON values: slots that are none are null."""
    from ranvier.device.wire import NO_SLOT, number_name

    value = asdict(model)
    for key in ("confirmed", "trial_slot", "running"):
        value[key] = None if value[key] == NO_SLOT else value[key]
    value["trial"] = number_name(model.trial)
    value["sha"] = model.sha.hex()
    for slot, state in zip(value["slots"], model.slots, strict=True):
        slot["state"] = number_name(state.state)
    return value


def print_update(output: Output, update: Update) -> None:
    """Print where the update engine is."""
    from ranvier.device.wire import WHY, Phase, number_name

    where = f" {update.model}, slot {update.slot}" if update.model else ""
    output.text(f"{number_name(update.phase)}{where}")
    if update.phase == Phase.RECEIVING:
        output.text(f"  {size(update.offset)} of {size(update.length)} bytes are there")
    elif update.total and update.phase in (Phase.VERIFYING, Phase.TESTING, Phase.ERASING):
        output.text(f"  {size(update.done)} of {size(update.total)} bytes")
    elif update.phase == Phase.FAILED:
        from ranvier.device.errors import code_name

        output.text(f"  {WHY.get(update.why, code_name(update.error))}")


def update_value(update: Update) -> dict[str, Any]:
    """The update engine as JSON values."""
    from ranvier.device.wire import number_name

    return {**asdict(update), "phase": number_name(update.phase), "sha": update.sha.hex()}


def _isa(number: int) -> str:
    try:
        return Isa(number).name.lower()
    except ValueError:
        return str(number)
