# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The page: the model, its memory, runs on this host, and a device's trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePath

from ranvier._version import __version__
from ranvier.audio import sample_rate
from ranvier.errors import InputError
from ranvier.model import Package, TensorInfo
from ranvier.profile import StepRow, Trace, slot_of, step_rows
from ranvier.report.analyze_page import (
    Analysis,
    figures,
    fit_section,
    layer_sections,
    memory_sections,
)
from ranvier.report.markup import Child, Markup, el, join
from ranvier.report.memory import blocks, layer_name
from ranvier.report.page import folded, section, tiles
from ranvier.report.profile_page import profile_sections
from ranvier.report.timeline_chart import Names
from ranvier.stages import picture_format, takes_stream
from ranvier.view.graph import graph_chart
from ranvier.view.runs import frame_size
from ranvier.view.server import File

STYLE, SCRIPT = "style.css", "view.js"
_MOST_NODES = 400
"""Larger graphs are not drawn."""


@dataclass(frozen=True)
class Recorded:
    """A trace and the name of its file."""

    file: str
    trace: Trace


def page_files(analysis: Analysis, package: Package, recorded: Recorded | None) -> dict[str, File]:
    """What the server gives, by path."""
    report = files("ranvier.report").joinpath("style.css").read_bytes()
    static = files("ranvier.view").joinpath("static")
    style = report + static.joinpath("view.css").read_bytes()
    html = view_html(analysis, package, recorded).encode()
    return {
        "": File("text/html; charset=utf-8", html),
        STYLE: File("text/css; charset=utf-8", style),
        SCRIPT: File("text/javascript; charset=utf-8", static.joinpath(SCRIPT).read_bytes()),
    }


def view_html(analysis: Analysis, package: Package, recorded: Recorded | None) -> str:
    """The page's text."""
    report = analysis.report
    version = ".".join(map(str, report.version))
    told = f"{analysis.file}; version {version}; {report.isa} kernels; {report.input_mode} inputs"
    panels = (
        ("model", "Model", _model(analysis)),
        ("memory", "Memory", _memory(analysis)),
        ("run", "Run", _run(package)),
        ("timeline", "Timeline", _timeline(package, recorded)),
    )
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", f"{report.name} - ranvier view"),
        el("link", rel="stylesheet", href=STYLE),
        el("script", src=SCRIPT, defer="defer"),
    )
    main = el(
        "main",
        el("header", el("h1", report.name), el("p", told, class_="sub")),
        el(
            "nav",
            (el("a", name, href=f"#{key}", id=f"tab-{key}") for key, name, _ in panels),
            id="tabs",
            aria_label="Parts of this page",
        ),
        (
            el("div", content, id=key, class_="panel", aria_labelledby=f"tab-{key}")
            for key, _, content in panels
        ),
        el("footer", f"Shown by ranvier {__version__} on this machine only."),
    )
    return f"<!DOCTYPE html>\n{el('html', head, el('body', main), lang='en')}\n"


def _model(analysis: Analysis) -> Iterator[Child]:
    content, report = analysis.content, analysis.report
    yield tiles(figures(content, report))
    if analysis.fit is not None:
        yield fit_section(analysis.fit, report)
    yield section("What matters most", el("ul", (el("li", line) for line in _advice(analysis))))
    graphs: list[Child] = []
    for number, entry in enumerate(content.entries):
        if len(content.entries) > 1:
            graphs.append(el("h3", f"Entry point {entry.name}"))
        if entry.step_count <= _MOST_NODES:
            chart = graph_chart(content, report, entry, f"graph{number}")
            graphs.append(el("div", chart, class_="beside"))
        else:
            told = f"{entry.step_count:,} steps are too many to draw; "
            graphs.append(el("p", told, "ranvier analyze --dot writes a file for Graphviz."))
    note = (
        "Layers in the order in which they run. The bar in a box is its share of the work; "
        "the outlined one needs most RAM."
    )
    yield section("Graph", graphs, note=note)
    yield from layer_sections(analysis)


def _advice(analysis: Analysis) -> Iterator[str]:
    """Where RAM, flash and time go, and what to try."""
    report = analysis.report
    if not report.layers:
        return
    peak = report.layers[report.peak_step]
    yield (
        f"Most RAM is needed by layer {layer_name(report, peak.step)}: {peak.arena_bytes:,} of "
        f"{report.ram_bytes:,} bytes."
    )
    largest = max(report.layers, key=lambda layer: layer.weight_bytes)
    if largest.weight_bytes:
        yield (
            f"Most flash is needed by layer {layer_name(report, largest.step)}: "
            f"{largest.weight_bytes:,} of {report.flash_bytes:,} bytes."
        )
    busiest = max(report.layers, key=lambda layer: layer.predicted or layer.macs)
    work = (busiest.predicted, report.predicted) if report.predicted else (
        busiest.macs, report.macs
    )  # fmt: skip
    if work[1]:
        what = "predicted instructions" if report.predicted else "multiply-accumulates"
        yield (
            f"Most work is layer {layer_name(report, busiest.step)}: "
            f"{100 * work[0] / work[1]:.0f} % of the {what}."
        )
    if report.isa == "generic" and report.macs:
        yield (
            "The weights are packed for every device. Where it fits, --isa dsp (Cortex-M4, M7, "
            "M33) or base (M33 without DSP extension) is faster."
        )
    if analysis.fit is None:
        yield "Does it fit? Give --ram and --flash to see, and what would help if not."


def _memory(analysis: Analysis) -> Iterator[Child]:
    content, report = analysis.content, analysis.report
    yield from memory_sections(content, report, blocks(content, report))


def _run(package: Package) -> Iterator[Child]:
    sound = takes_stream(package)
    parts: list[Child] = []
    if sound:
        parts.append(_file(0, "Sound", _sound_hint(package), ".wav,.raw,.bin"))
    else:
        for number, info in enumerate(package.inputs):
            parts.append(_file(number, _input_name(info, number), _hint(package, number), None))
    choices: list[Child] = [_number("seed", "Seed of random input", "0", "1")]
    if sound:
        choices.append(_number("every", "Hops from one inference to the next", "5", "1"))
    elif picture_format(package) is None:
        choices.append(_number("scale", "PNG: factor of pixels", repr(1 / 255), "any"))
        choices.append(_number("offset", "PNG: added to pixels", "0", "any"))
    form = el(
        "form",
        el("div", parts, id="drop"),
        folded("Options", el("div", choices, class_="options")),
        el(
            "div",
            _button("files", "Run", "primary"),
            _button("random", "Run random input", None),
            _button("selftest", "Self-test", None),
            class_="buttons",
        ),
        id="run-form",
        novalidate="novalidate",
    )
    note = "Choose a file or drop it here. It stays on this machine, and runs on it."
    yield section("Input", form, _status(), note=note)
    yield el("noscript", el("p", "Runs need JavaScript; ranvier run does without."))
    yield el("div", id="result")


def _status() -> Markup:
    return join(
        el("p", id="status", role="status"),
        el("div", id="error", role="alert", hidden="hidden"),
    )


def _button(kind: str, text: str, look: str | None) -> Markup:
    return el("button", text, type="submit", name="kind", value=kind, class_=look)


def _number(key: str, text: str, value: str, step: str) -> Markup:
    field = el("input", type="number", name=key, value=value, step=step)
    return el("label", text, field)


def _file(number: int, name: str, hint: str, accept: str | None) -> Markup:
    field = el(
        "input",
        type="file",
        id=f"file{number}",
        class_="file",
        accept=accept,
        aria_describedby=f"hint{number}",
    )
    label = el("label", name, for_=f"file{number}")
    return el("div", label, field, el("small", hint, id=f"hint{number}"), class_="field")


def _input_name(info: TensorInfo, number: int) -> str:
    return info.name or f"input {number}"


def _sound_hint(package: Package) -> str:
    try:
        rate = f"{sample_rate(package):,} Hz, "
    except InputError:
        rate = ""
    return f"A WAV file ({rate}one channel, 16 bits), or raw samples."


def _hint(package: Package, number: int) -> str:
    info = package.inputs[number]
    what = f"{info.dtype}[{'x'.join(map(str, info.shape))}]"
    size = frame_size(package) if number == 0 else None
    pixels = picture_format(package) if number == 0 else None
    if size is None:
        return f"{what}: a .npy file, or raw bytes."
    picture = f"a PNG picture of {size[1]}x{size[0]} pixels"
    if pixels is not None:
        return f"{picture[0].upper()}{picture[1:]}, or a raw frame, {pixels}."
    return f"{what}: {picture}, a .npy file, or raw bytes."


def _timeline(package: Package, recorded: Recorded | None) -> Iterator[Child]:
    if recorded is None:
        yield section(
            "No trace was given",
            el("p", "Record one on a device: with the profiler in its build, the shell's command"),
            el("pre", "ranvier prof dump"),
            el("p", "prints it. Save the console's log and start again with"),
            el("pre", "ranvier view MODEL.rnv --trace LOG.txt"),
            note="What ran when, on a device, and what each step and each job took.",
        )
        return
    trace = recorded.trace
    packages: dict[int, Package] = {}
    unknown: str | None = None
    try:
        packages[slot_of(trace, package).slot] = package
    except InputError as error:
        unknown = error.message
    where = "times of this host, not of a device" if trace.host else "a recorded trace"
    lost = f"; {trace.lost:,} older events were lost" if trace.lost else ""
    yield el("p", f"{PurePath(recorded.file).name}: {where}{lost}.", class_="sub")
    if unknown is not None:
        yield el("p", f"Steps have no names: {unknown}.", class_="no")
    yield from profile_sections(trace, _names(packages, trace), _rows(packages, trace))


def _rows(packages: Mapping[int, Package], trace: Trace) -> dict[int, Sequence[StepRow]]:
    return {slot.slot: step_rows(trace, slot, packages.get(slot.slot)) for slot in trace.slots}


def _names(packages: Mapping[int, Package], trace: Trace) -> Names:
    return Names({slot: p.name for slot, p in packages.items()}, _rows(packages, trace))
