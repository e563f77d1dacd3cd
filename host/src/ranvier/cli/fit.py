# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze --ram --flash``: does it fit, and what would help."""

from __future__ import annotations

import re
from typing import Any

import click

from ranvier.cli.output import Output, size
from ranvier.compiler.report import Report
from ranvier.report.fit import Alternative, Budget, Fit
from ranvier.report.memory import layer_name

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20}
_BYTES = re.compile(r"(\d{1,12})\s*([KM]?)(?:i?B)?", re.IGNORECASE)


class _Bytes(click.ParamType):  # type: ignore[type-arg]
    """A number of bytes: 96000, 96K (1,024 each), 1M."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number, or wrong usage."""
        if isinstance(value, int):
            return value
        match = _BYTES.fullmatch(value.strip())
        if match is None:
            self.fail(f"{value!r} is no number of bytes: 98304, 96K or 1M", param, ctx)
        return int(match[1]) * _UNITS[match[2].upper()]


BYTES = _Bytes()


def print_fit(output: Output, fit: Fit, report: Report, *, is_model: bool) -> None:
    """Say whether a model fits; where it does not, what is to blame and what would help."""
    output.text()
    for what, needed, limit in (
        ("RAM", report.ram_bytes, fit.budget.ram),
        ("flash", report.flash_bytes, fit.budget.flash),
    ):
        if limit is not None:
            left = limit - needed
            verdict = f"fits, {size(left)} left" if left >= 0 else f"{size(-left)} too many"
            output.text(f"{what:<5}  {size(needed)} of {size(limit)} bytes: {verdict}")
    if fit.fits:
        output.text("it fits. The runtime's code, stacks and your application come on top of it.")
        return
    _print_blame(output, fit, report)
    if not is_model:
        output.text("give the .tflite model instead of the package to see what would help")
        return
    if not fit.alternatives:
        output.text("no other option needs less: a smaller model is needed")
        return
    output.text()
    output.table(
        ["with", "RAM", "flash", "instructions", "fits", ""],
        [_row(other, fit.budget) for other in fit.alternatives],
    )
    output.text("Each line was compiled; its figures are not estimates.")
    if not any(fit.budget.fits(other.report) for other in fit.alternatives):
        output.text("none of it suffices: a smaller model is needed")


def _print_blame(output: Output, fit: Fit, report: Report) -> None:
    """The layers that need most of what is short."""
    if fit.budget.ram is not None and report.ram_bytes > fit.budget.ram:
        peak = fit.peak
        output.text(
            f"most RAM: layer {layer_name(report, peak.step)} ({peak.op}), activations "
            f"{size(peak.activation_bytes)} + scratch {size(peak.scratch_bytes)} in an arena of "
            f"{size(report.arena_bytes)}"
        )
    if fit.budget.flash is not None and report.flash_bytes > fit.budget.flash:
        largest = fit.largest
        output.text(
            f"most flash: layer {layer_name(report, largest.step)} ({largest.op}), a weight stream "
            f"of {size(largest.weight_bytes)}"
        )


def _row(other: Alternative, budget: Budget) -> list[str]:
    report = other.report
    return [
        other.options,
        size(report.ram_bytes),
        size(report.flash_bytes),
        size(report.predicted) if report.predicted else "-",
        "yes" if budget.fits(report) else "no",
        other.note,
    ]
