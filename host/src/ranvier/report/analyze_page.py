# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze`` as a page: memory over time, layers with bars, goals, whether it fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ranvier.compiler.report import Layer, Report
from ranvier.package.records import PackageContent
from ranvier.report.fit import Fit
from ranvier.report.markup import Child, Markup, el, join
from ranvier.report.memory import Block, Place, blocks, layer_name
from ranvier.report.memory_chart import place_chart, use_chart
from ranvier.report.page import Cell, bar, folded, legend, page, section, table, tiles


@dataclass(frozen=True)
class Analysis:
    """What a page tells of: a package, what it costs, other goals' costs, whether it fits."""

    file: str
    content: PackageContent
    report: Report
    goal: str | None = None
    trade: Sequence[tuple[str, Report]] = ()
    fit: Fit | None = None


def analyze_html(analysis: Analysis) -> str:
    """The page's text."""
    content, report = analysis.content, analysis.report
    version = ".".join(map(str, report.version))
    packing = f"{report.isa} kernels"
    goal = f", optimised for {analysis.goal}" if analysis.goal and report.isa != "generic" else ""
    subtitle = f"{analysis.file}; version {version}; {packing}{goal}; {report.input_mode} inputs"
    return page(report.name, subtitle, _sections(analysis, blocks(content, report)))


def _sections(analysis: Analysis, all_blocks: Sequence[Block]) -> Iterator[Child]:
    content, report = analysis.content, analysis.report
    yield tiles(figures(content, report))
    if analysis.fit is not None:
        yield fit_section(analysis.fit, report)
    yield from memory_sections(content, report, all_blocks)
    yield from layer_sections(analysis)


def memory_sections(
    content: PackageContent, report: Report, all_blocks: Sequence[Block]
) -> Iterator[Markup]:
    """What is in RAM when, and where."""
    if report.arena_bytes:
        more = f"{report.gap:,} more than any step needs" if report.gap else "as the peak needs"
        yield section(
            "Memory over time",
            use_chart(content, report, all_blocks),
            legend([("live", "tensors that live"), ("scratch", "scratch of the step")]),
            note="Bytes of the arena that each step uses. The arena has "
            f"{report.arena_bytes:,} bytes, {more}.",
        )
    yield section(
        "Where each buffer lies",
        place_chart(content, report, all_blocks),
        legend([("input", "input"), ("scratch", "scratch"), *_colour_words(all_blocks)]),
        folded(f"All {len(all_blocks)} buffers as a table", _buffers(all_blocks)),
        note="From left to right a buffer's lifetime, from bottom to top its place. Colours only "
        "tell neighbours apart. Where one begins on top of another, it replaces it in place.",
    )


def layer_sections(analysis: Analysis) -> Iterator[Markup]:
    """Entry points, layers, and what other goals would cost."""
    report = analysis.report
    if len(report.entries) > 1:
        yield section("Entry points", _entries(report))
    yield section("Layers", _layers(report), note=_layers_note(report))
    if analysis.trade:
        yield section(
            "What each goal would cost",
            _trade(analysis.trade, analysis.goal),
            note="The same answers, to the byte, with ranvier compile --optimize GOAL.",
        )


def _colour_words(all_blocks: Sequence[Block]) -> list[tuple[str, str]]:
    state = any(block.place is Place.STATE for block in all_blocks)
    return [("state", "state")] * state + [("c0", "output of a layer, with its number")]


def figures(content: PackageContent, report: Report) -> Iterator[tuple[str, str, Child]]:
    """The figures that matter most, for :func:`ranvier.report.page.tiles`."""
    parts = (
        ("arena", report.arena_bytes),
        ("inputs", report.input_bytes),
        ("outputs", report.output_bytes),
        ("state", report.state_bytes),
        ("view", report.view_bytes),
    )
    of = " + ".join(f"{name} {count:,}" for name, count in parts if count)
    yield "RAM, bytes", f"{report.ram_bytes:,}", of
    yield "Flash, bytes", f"{report.flash_bytes:,}", f"weight streams {report.weight_bytes:,}"
    of_what = "of one inference" if len(report.entries) == 1 else "of all entry points"
    if report.predicted:
        yield "Instructions", f"{report.predicted:,}", f"predicted, {of_what}"
    left = (
        f"{report.removed_channels:,} constant channels left out" if report.removed_channels else ""
    )
    yield "Multiply-accumulates", f"{report.macs:,}", left or of_what
    parameters = "" if report.parameters is None else f"{report.parameters:,} parameters"
    yield "Layers", f"{len(report.layers):,}", f"in {len(content.steps):,} steps; {parameters}"


def fit_section(fit: Fit, report: Report) -> Markup:
    """Whether it fits, and what helps where it does not."""
    verdict = el("strong", "It fits." if fit.fits else "It does not fit.", class_=_yes(fit.fits))
    lines = [
        el("p", f"{what}: {needed:,} of {limit:,} bytes, {abs(limit - needed):,} "
           f"{'left' if needed <= limit else 'too many'}.")
        for what, needed, limit in (
            ("RAM", report.ram_bytes, fit.budget.ram),
            ("Flash", report.flash_bytes, fit.budget.flash),
        )
        if limit is not None
    ]  # fmt: skip
    if fit.fits:
        return section("Does it fit?", el("p", verdict), lines)
    rows = [
        [
            other.options,
            f"{other.report.ram_bytes:,}",
            f"{other.report.flash_bytes:,}",
            f"{other.report.predicted:,}" if other.report.predicted else "-",
            el("span", "yes", class_="yes") if fit.budget.fits(other.report) else "no",
            other.note,
        ]
        for other in fit.alternatives
    ]
    header = ["with", "RAM", "flash", "instructions", "fits", ""]
    helps = table("Options that help, each measured by compiling", header, rows, (0, 4, 5))
    peak = el("p", f"Most RAM is needed by layer {layer_name(report, fit.peak.step)} ({fit.peak.op}"
              f"), most flash by layer {layer_name(report, fit.largest.step)}.")  # fmt: skip
    return section("Does it fit?", el("p", verdict), lines, peak, helps if rows else None)


def _yes(good: bool) -> str:
    return "yes" if good else "no"


def _layers_note(report: Report) -> str:
    told = "Each bar is relative to the longest one of its column."
    if report.isa == "generic":
        return f"{told} Instructions are predicted for --isa dsp and base only."
    known = all(layer.predicted for layer in report.layers)
    return told if known else f'{told} Where instructions are "-", none are predicted.'


def _layers(report: Report) -> Markup:
    known = any(layer.predicted for layer in report.layers)
    columns = ["macs", *(["predicted"] if known else []), "weight_bytes", "arena_bytes"]
    largest = {c: max(getattr(layer, c) for layer in report.layers) for c in columns}
    names = ["MACs", *(["instructions"] if known else []), "weights", "arena"]
    rows: list[list[Cell]] = []
    for layer in report.layers:
        kind = layer_name(report, layer.step)
        shape = f"{layer.dtype}[{'x'.join(map(str, layer.shape))}]"
        rows.append(
            [
                join(kind, el("small", layer.op) if layer.op not in kind.split() else None),
                shape,
                *(bar(getattr(layer, c), largest[c]) for c in columns),
                join(_tags(layer, report)),
            ]
        )
    header = ["layer, kernel", "output", *names, ""]
    return table(
        "Every layer; bytes where nothing else is said", header, rows, (0, 1, len(header) - 1)
    )


def _tags(layer: Layer, report: Report) -> Iterator[Markup]:
    if layer.step == report.peak_step:
        yield el("span", "peak", class_="tag peakmark")
    if layer.in_place:
        yield el("span", "in place", class_="tag")
    if layer.slices > 1:
        yield el("span", f"{layer.slices} slices", class_="tag")
    if layer.npu_steps:
        yield el("span", "accelerator", class_="tag")
    if not layer.sources and layer.kind is not None:
        yield el("span", "added", class_="tag")


def _entries(report: Report) -> Markup:
    rows = [
        [
            entry.name,
            f"{entry.layers[0]} to {entry.layers[-1]}" if entry.layers else "none",
            ", ".join(entry.inputs) or "-",
            ", ".join(entry.outputs) or "-",
            f"{entry.macs:,}",
            f"{entry.predicted:,}" if entry.predicted else "-",
        ]
        for entry in report.entries
    ]
    header = ["entry point", "layers", "inputs", "outputs", "MACs", "instructions"]
    return table("What can be run", header, rows, (0, 1, 2, 3))


def _buffers(all_blocks: Sequence[Block]) -> Markup:
    rows = [
        [
            block.label,
            el("span", block.name or "-", class_="name"),
            block.what,
            block.place.value if block.place is not Place.SCRATCH else "arena",
            f"{block.offset:,}",
            f"{block.bytes:,}",
            f"{block.first}" if block.first == block.last else f"{block.first} to {block.last}",
            "in place" if block.replaces is not None else "",
        ]
        for block in all_blocks
    ]
    header = ["of", "name", "type", "memory", "offset", "bytes", "steps", ""]
    return table("Every buffer in RAM", header, rows, (0, 1, 2, 3, 6, 7))


def _trade(trade: Sequence[tuple[str, Report]], chosen: str | None) -> Markup:
    columns = ("predicted", "ram_bytes", "flash_bytes")
    most = {c: max(getattr(report, c) for _, report in trade) for c in columns}
    rows: list[list[Cell]] = [
        [
            join(goal, el("small", "this page") if goal == chosen else None),
            *(bar(getattr(report, column), most[column]) for column in columns),
        ]
        for goal, report in trade
    ]
    header = ["--optimize", "instructions", "RAM", "flash"]
    return table("Instructions, and bytes of RAM and flash", header, rows)
