# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Layers as comma-separated values, for spreadsheets and scripts (RFC 4180, UTF-8)."""

from __future__ import annotations

import csv
import io

from ranvier.compiler.report import Report

_COLUMNS = (
    *("layer", "kind", "kernel", "entries", "output", "type", "shape", "macs", "instructions"),
    *("parameters", "weight_bytes", "activation_bytes", "scratch_bytes", "arena_bytes"),
    *("in_place", "slices", "largest_step_macs", "npu_steps", "peak"),
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def layers_csv(report: Report) -> str:
    """A line for each layer after one of names; what is not known is empty.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for layer in report.layers:
        entries = [entry.name for entry in report.entries if layer.step in entry.layers]
        writer.writerow(
            (
                layer.step,
                _plain(layer.kind or ""),
                layer.op,
                _plain(" ".join(entries)),
                _plain(layer.output),
                layer.dtype,
                "x".join(map(str, layer.shape)),
                layer.macs,
                layer.predicted or "",
                "" if layer.parameters is None else layer.parameters,
                layer.weight_bytes,
                layer.activation_bytes,
                layer.scratch_bytes,
                layer.arena_bytes,
                int(layer.in_place),
                layer.slices,
                layer.step_macs,
                layer.npu_steps,
                int(layer.step == report.peak_step),
            )
        )
    return text.getvalue()


def _plain(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text
