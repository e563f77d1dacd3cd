# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a run gave, as a part of the page."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Sequence

import numpy as np
from PIL import Image

from ranvier.compiler.report import Report
from ranvier.model import TensorInfo
from ranvier.pixels import Pixels
from ranvier.report.markup import Child, Markup, el, join
from ranvier.report.memory import layer_name
from ranvier.report.page import Cell, bar, folded, section, table, tiles
from ranvier.results import Detection, counted_label
from ranvier.view.runs import Array, Heard, Inferred, LayerTime, Listened, Outcome, SelfTest
from ranvier.view.sound import sound_chart

BOXES = 8
"""Colours of boxes in the page's style, ``b0`` and so on."""
_TOP = 10
_SHOWN = 64
_PICTURE = 480
_GLYPH = 7.4
_LINE = 17.0


def outcome_html(outcome: Outcome, report: Report, labels: Sequence[str]) -> Markup:
    """The run's sections."""
    if isinstance(outcome, Listened):
        return join(_listened(outcome, report))
    if isinstance(outcome, SelfTest):
        return join(_selftest(outcome, report, labels))
    return join(_inferred(outcome, report, labels))


def _selftest(test: SelfTest, report: Report, labels: Sequence[str]) -> Iterator[Child]:
    told = (
        "Every layer computed what it should, to the bit."
        if test.passed
        else "Something was computed differently than when the package was made."
    )
    verdict = el("strong", "passed" if test.passed else "failed", class_=_yes(test.passed))
    yield section("Self-test", el("p", verdict, f". {told}"))
    if test.run is not None:
        yield from _inferred(test.run, report, labels)


def _yes(good: bool) -> str:
    return "yes" if good else "no"


def _inferred(run: Inferred, report: Report, labels: Sequence[str]) -> Iterator[Child]:
    seen = _picture(run)
    parts: list[Child] = []
    if run.objects is not None:
        parts.append(_objects(run.objects))
    for info, values in run.outputs:
        if run.objects is None:
            parts.append(_output(info, values, labels))
        else:
            parts.append(folded(f"{_named(info)} as numbers", _numbers(info, values)))
    yield section(
        "Result",
        el("div", seen, el("div", parts, class_="answers"), class_="result"),
        note=f"Of {run.what}.",
    )
    yield _times(run.times, report)


def _picture(run: Inferred) -> Markup | None:
    """The input with boxes; where only its size is known, the boxes on an empty sheet."""
    if run.picture is None and not (run.size and any(o.box for o in run.objects or ())):
        return None
    rows, columns = run.picture.shape[:2] if run.picture is not None else run.size or (1, 1)
    scale = _PICTURE / max(rows, columns)
    width, height = columns * scale, rows * scale
    frame: Child = el("rect", width=width, height=height, class_="sheet")
    if run.picture is not None:
        frame = el("image", href=_png(run.picture), width=width, height=height)
    boxes = [
        _box(found, scale, width) for found in reversed(run.objects or ()) if found.box is not None
    ]
    listed = "; ".join(found.label for found in run.objects or ())
    told = f"{columns} by {rows} pixels" + (f" with boxes: {listed}" if listed else "")
    return el(
        "svg",
        el("title", told, id="picture-title"),
        frame,
        boxes,
        viewBox=f"0 0 {width:g} {height:g}",
        role="img",
        aria_labelledby="picture-title",
        class_="picture",
    )


def _png(picture: Pixels) -> str:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _box(found: Detection, scale: float, limit: float) -> Markup:
    y0, x0, y1, x1 = (side * scale for side in found.box or (0, 0, 0, 0))
    text = f"{found.label} {found.score:.2f}"
    width = _GLYPH * len(text) + 8
    left = max(0.0, min(x0, limit - width))
    top = y0 - _LINE if y0 >= _LINE else y0
    colour = f"b{found.class_index % BOXES}"
    size = {"width": max(x1 - x0, 1.0), "height": max(y1 - y0, 1.0)}
    return el(
        "g",
        el("rect", x=x0, y=y0, **size, class_=f"outline {colour}"),
        el("rect", x=left, y=top, width=width, height=_LINE, class_=f"plate {colour}"),
        el("text", text, x=left + 4, y=top + 13, class_="plate"),
    )


def _objects(objects: Sequence[Detection]) -> Markup:
    if not objects:
        return el("p", "Nothing was found.")
    rows: list[list[Cell]] = [
        [
            el(
                "span", el("i", class_=f"key b{o.class_index % BOXES}", aria_hidden="true"), o.label
            ),
            bar(o.score, 1.0, f"{o.score:.4f}"),
            "-" if o.box is None else ", ".join(map(str, o.box)),
        ]
        for o in objects
    ]
    caption = f"{len(objects)} found, the best first; boxes in pixels: y0, x0, y1, x1"
    return table(caption, ["label", "score", "box"], rows, (0, 2))


def _named(info: TensorInfo) -> str:
    return f"{info.name or 'output'} {info.dtype}[{'x'.join(map(str, info.shape))}]"


def _output(info: TensorInfo, values: Array, labels: Sequence[str]) -> Markup:
    """The best of a vector, a class that was counted, or how the values are spread."""
    counted = counted_label(values, labels)
    if counted is not None:
        return join(el("h3", _named(info)), el("p", f"{int(values.flat[0])}: {counted}"))
    real = info.dequantise(values).ravel()
    labelled = bool(labels) and real.size == len(labels)
    if not labelled and not (real.size == max(info.shape, default=1) > 1):
        return join(el("h3", _named(info)), _spread(real), _numbers(info, values))
    best = np.argsort(-np.nan_to_num(real, nan=-np.inf), kind="stable")[:_TOP]
    most = float(np.nan_to_num(real[best[0]])) if best.size else 0.0
    rows: list[list[Cell]] = []
    for index in best.tolist():
        value = float(np.nan_to_num(real[index]))
        text = f"{real[index]:.4g}"
        shown = bar(max(value, 0.0), most, text) if most > 0 and value > 0 else text
        name = labels[index] if labelled else str(index)
        rows.append([name, shown, str(values.ravel()[index])])
    header = ["label" if labelled else "index", "value", "raw"]
    left = f", the best {len(rows)} of {real.size}" if real.size > len(rows) else ""
    return join(
        table(f"{_named(info)}{left}", header, rows),
        folded(f"{info.name or 'output'} as numbers", _numbers(info, values)),
    )


def _spread(real: Array) -> Markup:
    finite = real[np.isfinite(real)]
    if not finite.size:
        return el("p", "No value is a finite number.")
    return el(
        "p",
        f"{real.size:,} values from {finite.min():.5g} to {finite.max():.5g}, mean "
        f"{finite.mean():.5g}",
    )


def _numbers(info: TensorInfo, values: Array) -> Markup:
    real = info.dequantise(values).ravel()
    shown = ", ".join(f"{number:.5g}" for number in real[:_SHOWN])
    return el("p", f"{shown}{', ...' if real.size > _SHOWN else ''}", class_="numbers")


def _listened(run: Listened, report: Report) -> Iterator[Child]:
    length = len(run.samples) / run.rate
    yield section(
        "Result",
        tiles(
            [
                ("Heard", f"{len(run.heard):,}", f"in {run.inferences:,} inferences"),
                (
                    "Sound, seconds",
                    f"{length:.2f}",
                    f"an inference every {run.period / run.rate:.2f}",
                ),
                ("This host took, ms", f"{run.seconds * 1e3:,.1f}", "not a device's time"),
            ]
        ),
        sound_chart(run),
        _said(run.heard, run.rate) if run.heard else el("p", "Nothing was recognised."),
        note=f"Of {run.what}.",
    )
    yield _times(run.times, report)


def _said(heard: Sequence[Heard], rate: int) -> Markup:
    rows: list[list[Cell]] = [
        [
            f"{h.end / rate:.2f}" if h.moment else f"{h.begin / rate:.2f} to {h.end / rate:.2f}",
            h.label,
            _score(h.score),
        ]
        for h in heard
    ]
    return table("What was recognised, and when", ["seconds", "label", "score"], rows, (0, 1))


def _score(score: float | None) -> Cell:
    if score is None:
        return "-"
    return bar(score, 1.0, f"{score:.4f}") if 0 < score <= 1 else f"{score:.4g}"


def _times(times: Sequence[LayerTime], report: Report) -> Markup:
    spent = [each.seconds * each.runs for each in times]
    total, most = sum(spent), max(spent, default=0.0)
    rows: list[list[Cell]] = [
        [
            layer_name(report, each.layer),
            f"{each.runs:,}",
            f"{each.seconds * 1e6:,.1f}",
            bar(seconds, most, f"{100 * seconds / total:.1f} %" if total else "-"),
        ]
        for each, seconds in zip(times, spent, strict=True)
    ]
    return section(
        "Time of each layer on this host",
        table("Medians", ["layer", "runs", "us a run", "share"], rows),
        note="Not a device's time: it says where the work is. What a device takes, a trace of it "
        "tells.",
    )
