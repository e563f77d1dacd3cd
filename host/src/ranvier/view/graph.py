# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package's graph as a picture: layers below each other, as they run, and what flows between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ranvier.compiler.report import Layer, Report
from ranvier.package.records import EntryRecord, PackageContent, Storage
from ranvier.report.axes import text_width
from ranvier.report.markup import Markup, el
from ranvier.report.memory import described, layer_name

_WIDTH, _LEFT, _BOX, _ROW, _GAP = 470.0, 20.0, 230.0, 34.0, 24.0
_LANE = 13.0
_CUT = 32


@dataclass(frozen=True)
class _Node:
    """A box: ``reads`` are the tensors that go into it, ``gives`` those that come out."""

    label: str
    more: str
    told: str
    kind: str
    share: float
    reads: tuple[int, ...]
    gives: tuple[int, ...]


def graph_chart(content: PackageContent, report: Report, entry: EntryRecord, key: str) -> Markup:
    """The graph of an entry point."""
    nodes = _nodes(content, report, entry)
    tops = [8 + index * (_ROW + _GAP) for index in range(len(nodes))]
    arcs: list[tuple[int, int, int]] = []
    written: dict[int, int] = {}
    parts: list[Markup] = []
    for index, node in enumerate(nodes):
        for tensor in dict.fromkeys(node.reads):
            source = written.get(tensor)
            if source is None:
                continue
            if source == index - 1:
                parts.append(_arrow(tops[source] + _ROW, tops[index], _text(content, tensor)))
            else:
                arcs.append((source, index, tensor))
        for tensor in node.gives:
            written[tensor] = index
    lanes = _lanes(arcs)
    for (source, target, tensor), lane in zip(arcs, lanes, strict=True):
        ends = (tops[source] + _ROW * 0.65, tops[target] + _ROW * 0.35)
        parts.append(_arc(ends, lane, described(content.tensors[tensor])))
    parts += [_box(node, top) for node, top in zip(nodes, tops, strict=True)]
    width = max(_WIDTH, _LEFT + _BOX + 30 + _LANE * (max(lanes, default=0) + 1))
    title = f"Graph of {entry.name or report.name}"
    picture = el(
        "svg",
        el("title", title, id=f"{key}-title"),
        el(
            "defs",
            el(
                "marker",
                el("path", d="M0 0L7 3.5L0 7Z", class_="tip"),
                id=f"{key}-tip",
                viewBox="0 0 7 7",
                refX=6.5,
                refY=3.5,
                markerWidth=7,
                markerHeight=7,
                orient="auto",
            ),
        ),
        el("g", *parts, class_="graph", marker_end=f"url(#{key}-tip)"),
        viewBox=f"0 0 {width:g} {tops[-1] + _ROW + 8 if tops else 16:g}",
        width=f"{width:g}",
        role="img",
        aria_labelledby=f"{key}-title",
        class_="flow",
    )
    return el("div", picture, class_="scroll tall", tabindex=0, role="group", aria_label=title)


def _nodes(content: PackageContent, report: Report, entry: EntryRecord) -> list[_Node]:
    layers = {layer.step: layer for layer in report.layers}
    steps = content.steps[entry.step_first : entry.step_first + entry.step_count]
    ops = list(dict.fromkeys(step.op for step in steps))
    most = max((layers[op].macs for op in ops), default=0)
    found = [_end(content, tensor, "input") for tensor in entry.inputs]
    for op in ops:
        record = content.ops[op]
        kind = "peaked" if op == report.peak_step else "layer"
        found.append(
            _Node(
                label=layer_name(report, op),
                more=_state(content, (*record.inputs, *record.outputs)),
                told=_told(layers[op], layer_name(report, op)),
                kind=kind,
                share=layers[op].macs / most if most else 0.0,
                reads=record.inputs,
                gives=record.outputs,
            )
        )
    return [*found, *(_end(content, tensor, "output") for tensor in entry.outputs)]


def _end(content: PackageContent, tensor: int, what: str) -> _Node:
    record = content.tensors[tensor]
    told = f"{what} {record.name}\n{described(record)}"
    put = what == "input"
    reads, gives = ((), (tensor,)) if put else ((tensor,), ())
    return _Node(_cut(record.name or what), what, told, "port", 0.0, reads, gives)


def _state(content: PackageContent, tensors: Sequence[int]) -> str:
    return "state" if any(content.tensors[t].storage is Storage.STATE for t in tensors) else ""


def _told(layer: Layer, name: str) -> str:
    lines = [
        f"layer {name}, kernel {layer.op}",
        f"output {layer.output} {layer.dtype}[{'x'.join(map(str, layer.shape))}]",
        f"{layer.macs:,} MACs, {layer.weight_bytes:,} bytes of weights, {layer.arena_bytes:,} of "
        "the arena",
    ]
    if layer.predicted:
        lines.append(f"{layer.predicted:,} instructions predicted")
    if layer.slices > 1:
        lines.append(f"runs in {layer.slices} slices")
    return "\n".join(lines)


def _cut(text: str) -> str:
    return text if len(text) <= _CUT else f"{text[: _CUT - 1]}\N{HORIZONTAL ELLIPSIS}"


def _text(content: PackageContent, tensor: int) -> str:
    return described(content.tensors[tensor])


def _arrow(begin: float, end: float, text: str) -> Markup:
    x = _LEFT + _BOX / 2
    return el(
        "g",
        el("path", d=f"M{x:g} {begin:g}L{x:g} {end:g}", class_="edge"),
        el("text", text, x=x + 8, y=(begin + end) / 2 + 4, class_="tick"),
    )


def _lanes(arcs: Sequence[tuple[int, int, int]]) -> list[int]:
    """For each arc the innermost lane that is free from its begin to its end."""
    taken: list[list[tuple[int, int]]] = []
    lanes = [0] * len(arcs)
    for number in sorted(range(len(arcs)), key=lambda i: arcs[i][1] - arcs[i][0]):
        first, last, _ = arcs[number]
        lane = 0
        while lane < len(taken) and any(a < last and first < b for a, b in taken[lane]):
            lane += 1
        if lane == len(taken):
            taken.append([])
        taken[lane].append((first, last))
        lanes[number] = lane
    return lanes


def _arc(ends: tuple[float, float], lane: int, text: str) -> Markup:
    right = _LEFT + _BOX
    x = right + 16 + _LANE * lane
    begin, end = ends
    line = f"M{right:g} {begin:g}L{x - 5:g} {begin:g}Q{x:g} {begin:g} {x:g} {begin + 5:g}"
    line += f"L{x:g} {end - 5:g}Q{x:g} {end:g} {x - 5:g} {end:g}L{right:g} {end:g}"
    return el("g", el("title", text), el("path", d=line, class_="edge"))


def _box(node: _Node, top: float) -> Markup:
    label = _cut(node.label)
    parts = [
        el("title", node.told),
        el("rect", x=_LEFT, y=top, width=_BOX, height=_ROW, rx=6, class_=f"block {node.kind}"),
        el("text", label, x=_LEFT + 10, y=top + 21, class_="in"),
    ]
    if node.share:
        width = (_BOX - 12) * node.share
        parts.append(
            el(
                "rect",
                x=_LEFT + 6,
                y=top + _ROW - 5,
                width=max(width, 1.0),
                height=3,
                class_="work",
            )
        )
    if node.more and text_width(label) + text_width(node.more) < _BOX - 30:
        parts.append(el("text", node.more, x=_LEFT + _BOX - 10, y=top + 21, class_="in end"))
    return el("g", *parts)
