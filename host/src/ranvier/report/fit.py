# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Does a model fit, and what would help if not: measured by compiling it with other options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.compiler.report import Layer, Report
from ranvier.errors import RanvierError
from ranvier.package.records import IoMode
from ranvier.report.smaller import smaller_input

_PERCENTS = (75, 50)


@dataclass(frozen=True)
class Budget:
    """Bytes that there are; None where any number is good."""

    ram: int | None
    flash: int | None

    def fits(self, report: Report) -> bool:
        """True where nothing is too large."""
        return not self.excess(report)

    def excess(self, report: Report) -> int:
        """Bytes too many, of RAM and of flash together."""
        over = 0
        if self.ram is not None:
            over += max(0, report.ram_bytes - self.ram)
        if self.flash is not None:
            over += max(0, report.flash_bytes - self.flash)
        return over


@dataclass(frozen=True)
class Alternative:
    """What the model needs with other options.

    ``retrain`` says that the model itself has to be another one; this is only its shape.
    """

    options: str
    report: Report
    note: str
    retrain: bool = False


@dataclass(frozen=True)
class Fit:
    """The answer: whether it fits, and for what does not, the layer and what would help."""

    budget: Budget
    fits: bool
    peak: Layer
    largest: Layer
    alternatives: tuple[Alternative, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "fits": self.fits,
            "ram_limit": self.budget.ram,
            "flash_limit": self.budget.flash,
            "peak_layer": self.peak.step,
            "largest_layer": self.largest.step,
            "alternatives": [
                {
                    "options": other.options,
                    "note": other.note,
                    "retrain": other.retrain,
                    "fits": self.budget.fits(other.report),
                    "ram_bytes": other.report.ram_bytes,
                    "flash_bytes": other.report.flash_bytes,
                    "predicted": other.report.predicted,
                }
                for other in self.alternatives
            ],
        }


def fit_of(budget: Budget, report: Report, model: tuple[bytes, str, CompileOptions] | None) -> Fit:
    """Judge a report; ``model`` is what it was compiled from, if that is at hand."""
    fits = budget.fits(report)
    others: list[Alternative] = []
    if not fits and model is not None:
        others = _measured(budget, report, *model)
    return Fit(
        budget=budget,
        fits=fits,
        peak=report.layers[report.peak_step],
        largest=max(report.layers, key=lambda layer: layer.weight_bytes),
        alternatives=tuple(others),
    )


def _measured(
    budget: Budget, report: Report, data: bytes, name: str, options: CompileOptions
) -> list[Alternative]:
    """Other options that need less of what is short, those that fit first, then the smallest."""
    single = [
        (changes, other)
        for changes, text, note in _changes(options)
        if (other := _compiled(data, name, options, changes, text, note)) is not None
        and budget.excess(other.report) < budget.excess(report)
    ]
    found = [alternative for _, alternative in single]
    together: dict[str, Any] = {}
    texts, notes = [], []
    for changes, alternative in sorted(single, key=lambda pair: budget.excess(pair[1].report)):
        if not together.keys() & changes.keys():
            together |= changes
            texts.append(alternative.options)
            notes.append(alternative.note)
    if len(texts) > 1:
        note = "; ".join(filter(None, notes))
        joined = _compiled(data, name, options, together, " ".join(texts), note)
        if joined is not None:
            found.append(joined)
    if not any(budget.fits(other.report) for other in found):
        found += _smaller(data, name, replace(options, **together), " ".join(texts))
    least = {
        (o.report.ram_bytes, o.report.flash_bytes, o.report.predicted): o for o in reversed(found)
    }
    return sorted(
        (
            other
            for other in reversed(least.values())
            if budget.excess(other.report) < budget.excess(report)
        ),
        key=lambda o: (o.retrain, budget.excess(o.report), 0 if o.retrain else o.report.predicted),
    )


_CPUS = {
    "dsp": "only for Cortex-M4, M7, M33 with DSP",
    "base": "only for Cortex-M33 without DSP",
}
_MODES = {
    IoMode.DONATED: "input buffers are overwritten",
    IoMode.RESIDENT: "inputs and outputs lie in the arena, one job at a time",
}


def _changes(options: CompileOptions) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Options to try, one at a time: what changes, how it is written, what it means."""
    for mode, note in _MODES.items():
        if mode != options.io_mode:
            yield {"input_mode": mode}, f"--input {mode.name.lower()}", note
    if options.isa == "generic":
        for isa, note in _CPUS.items():
            for goal in (Goal.BALANCED, Goal.MEMORY):
                text = f"--isa {isa} --optimize {goal.value}"
                yield {"isa": isa, "optimize": goal.value}, text, note
    else:
        for goal in Goal:
            if goal.value != options.optimize:
                yield {"optimize": goal.value}, f"--optimize {goal.value}", ""
    if not options.strip_names:
        yield {"strip_names": True}, "--strip-names", "messages and tools name layers no longer"
    if not options.drop_constant_channels:
        text = "without --keep-constant-channels"
        yield {"drop_constant_channels": True}, text, "the answers stay the same"
    if options.max_step_macs is not None:
        text = "without --max-step-macs"
        yield {"max_step_macs": None}, text, "a more urgent job waits longer"
    if options.pipeline is not None:
        yield {"pipeline": None}, "without stages", "the application does what they did"


def _compiled(
    data: bytes, name: str, options: CompileOptions, changes: dict[str, Any], text: str, note: str
) -> Alternative | None:
    try:
        result = compile_model(data, name, replace(options, **changes))
    except RanvierError:  # these options are not for this model
        return None
    return Alternative(text, result.report, note)


def _smaller(data: bytes, name: str, options: CompileOptions, text: str) -> Iterator[Alternative]:
    """The model for smaller images, with the best options."""
    if options.pipeline is not None:
        return
    for percent in _PERCENTS:
        made = smaller_input(data, name, percent)
        if made is None:
            return
        image, (height, width) = made
        words = f"an input of {height}x{width}" + (f", {text}" if text else "")
        found = _compiled(image, name, options, {}, words, "trained anew for that size")
        if found is not None:
            yield replace(found, retrain=True)
