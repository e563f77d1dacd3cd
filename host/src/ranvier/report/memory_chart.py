# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Memory over time: how much of the arena every step uses, and where each buffer lies."""

from __future__ import annotations

from collections.abc import Sequence

from ranvier.compiler.report import Report
from ranvier.package.records import PackageContent
from ranvier.report.axes import (
    LEFT,
    RIGHT,
    WIDTH,
    StepAxis,
    chart,
    horizontal,
    text_width,
    ticks,
)
from ranvier.report.markup import Markup, el
from ranvier.report.memory import Block, Place, Use, arena_use, layer_name

_TOP = 34.0
_HEIGHT = 190.0
_MAP_HEIGHT = 300.0
_ROW = 20.0
_THIN = 3.0
"""What is narrower has no border."""
_NAME = 24
"""Longer names of inputs and state are left to tooltips and tables."""
COLOURS = 6
"""Fill colours of the page's style, ``c0`` and so on."""


def use_chart(content: PackageContent, report: Report, all_blocks: Sequence[Block]) -> Markup:
    """An area chart of the bytes of the arena that every step uses."""
    axis = StepAxis(content, report)
    uses = arena_use(all_blocks, len(content.steps))
    largest = max(content.arena_bytes, 1)
    top = _TOP + axis.head
    bottom = top + _HEIGHT
    scale = _HEIGHT / largest

    def outline(values: Sequence[int]) -> str:
        points = [f"M{LEFT:.2f} {bottom:.2f}"]
        for index, value in enumerate(values):
            x, width = axis.span(index, index)
            y = bottom - value * scale
            points.append(f"L{x:.2f} {y:.2f}L{x + width:.2f} {y:.2f}")
        return "".join(points) + f"L{axis.edges[-1]:.2f} {bottom:.2f}Z"

    parts = [
        *(m for t in ticks(largest) for m in horizontal(bottom - t * scale, f"{t:,.0f}")),
        el("path", d=outline([use.bytes for use in uses]), class_="area scratch"),
        el("path", d=outline([use.activations for use in uses]), class_="area live"),
        *_limit(content, report, axis, uses, bottom),
        *_hits(content, report, axis, uses, (top, bottom)),
        *axis.entries(bottom),
        *axis.labels(bottom + 16),
        el("text", "layer, in the order of execution", x=LEFT, y=bottom + 34, class_="tick"),
        el("text", "bytes", x=LEFT - 7, y=top - 18, class_="tick end"),
    ]
    peak = max((use.bytes for use in uses), default=0)
    text = f"Most is used by layer {layer_name(report, report.peak_step)}: {peak:,} bytes."
    return chart(bottom + 42, "Arena in use, step by step", text, parts, "use")


def _limit(
    content: PackageContent, report: Report, axis: StepAxis, uses: Sequence[Use], bottom: float
) -> list[Markup]:
    """The size of the arena, and where most of it is used."""
    peak = max(range(len(uses)), key=lambda step: uses[step].bytes)
    x, width = axis.span(peak, peak)
    right, scale = WIDTH - RIGHT, _HEIGHT / max(content.arena_bytes, 1)
    y = bottom - content.arena_bytes * scale
    arena = f"arena {content.arena_bytes:,} bytes"
    most = f"peak {uses[peak].bytes:,} in layer {layer_name(report, content.steps[peak].op)}"
    first_half = x < WIDTH / 2  # then there is room to the right
    ends = ("note", "note end") if first_half else ("note end", "note")
    at = x + width / 2
    return [
        el("line", x1=LEFT, x2=right, y1=y, y2=y, class_="limit"),
        el("text", arena, x=right if first_half else LEFT + 4, y=y - 9, class_=ends[1]),
        el("circle", cx=at, cy=bottom - uses[peak].bytes * scale, r=4, class_="peak"),
        el("text", most, x=at + (8 if first_half else -8), y=y - 9, class_=ends[0]),
    ]


def _hits(
    content: PackageContent,
    report: Report,
    axis: StepAxis,
    uses: Sequence[Use],
    edges: tuple[float, float],
) -> list[Markup]:
    """What a pointer at a step is told."""
    found = []
    for index, (step, use) in enumerate(zip(content.steps, uses, strict=True)):
        x, width = axis.span(index, index)
        rows = f", rows {step.row0} to {step.row0 + step.rows - 1}" if step.rows else ""
        text = (
            f"step {index}, layer {layer_name(report, step.op)}{rows}\n{use.bytes:,} bytes: "
            f"activations {use.activations:,}, scratch {use.scratch:,}"
        )
        box = {"x": x, "y": edges[0], "width": width, "height": edges[1] - edges[0]}
        found.append(el("rect", el("title", text), class_="hit", **box))
    return found


def place_chart(content: PackageContent, report: Report, all_blocks: Sequence[Block]) -> Markup:
    """A map: each buffer is as wide as it lives and as high as it is large, where it lies."""
    axis = StepAxis(content, report)
    arena = [b for b in all_blocks if b.place in (Place.ARENA, Place.SCRATCH)]
    outside = [b for place in (Place.CALLER, Place.STATE) for b in all_blocks if b.place is place]
    height = _MAP_HEIGHT if arena else 0.0
    top = _TOP + axis.head
    bottom = top + height
    scale = height / max(content.arena_bytes, 1)
    parts: list[Markup] = []
    for tick in ticks(content.arena_bytes) if arena else ():
        parts += horizontal(bottom - tick * scale, f"{tick:,.0f}")
    for block in sorted(arena, key=lambda b: (b.place is Place.SCRATCH, b.first)):
        x, width = axis.span(block.first, block.last)
        y, tall = bottom - (block.offset + block.bytes) * scale, block.bytes * scale
        parts.append(_block(block, (x, y, width, tall), _visible(block, arena, axis)))
    low = bottom + (30 if arena else 8)
    for row, block in enumerate(outside):
        x, width = axis.span(block.first, block.last)
        y = low + row * _ROW
        parts.append(el("text", block.place.value, x=LEFT - 7, y=y + 13, class_="tick end"))
        parts.append(_block(block, (x, y + 1, width, _ROW - 3), width, beside=True))
    end = low + len(outside) * _ROW
    parts += axis.entries(end)
    if arena:
        parts.append(el("text", "address", x=LEFT - 7, y=top - 18, class_="tick end"))
        parts += axis.labels(bottom + 16)
    text = f"{len(all_blocks)} buffers; the table below lists each with its place and lifetime."
    return chart(end + 8, "Place and lifetime of every buffer", text, parts, "place")


def _visible(block: Block, arena: Sequence[Block], axis: StepAxis) -> float:
    """How much of a block's width no other covers that replaces it."""
    later = [
        b.first
        for b in arena
        if b.replaces is not None and b.replaces == block.tensor and b.first > block.first
    ]
    end = min([block.last + 1, *later])
    return axis.edges[end] - axis.edges[block.first]


def _block(
    block: Block, box: tuple[float, float, float, float], visible: float, *, beside: bool = False
) -> Markup:
    x, y, width, height = box
    colour = f"c{(block.layer or 0) % COLOURS}"
    if block.layer is None or block.place is Place.SCRATCH:
        colour = block.label
    if width < _THIN or height < _THIN:
        colour += " thin"
    text = tooltip(block)
    label = _label(block, visible - 8) if height >= 12 else None
    parts = [
        el("title", text),
        el("rect", x=x, y=y, width=width, height=height, rx=1.5, class_=f"block {colour}"),
    ]
    if beside:
        short = block.layer is None and 0 < len(block.name) <= _NAME
        label = f"{block.name if short else block.label} {block.what}"
        if text_width(label) > visible - 8:
            right = x + width + text_width(label) < WIDTH - RIGHT
            at = x + width + 5 if right else x - 5
            kind = "tick" if right else "tick end"
            parts.append(el("text", label, x=at, y=y + height / 2 + 4, class_=kind))
            return el("g", *parts)
    if label:
        middle = y + min(height / 2, 60) + 4
        parts.append(el("text", label, x=x + 5, y=middle, class_="in"))
    return el("g", *parts)


def _label(block: Block, room: float) -> str | None:
    """The longest label that has room."""
    short = block.label.split(" ")[0]
    size = f"{block.label}, {block.bytes:,}"
    return next((text for text in (size, block.label, short) if text_width(text) <= room), None)


def tooltip(block: Block) -> str:
    """All that is known of a block."""
    where = {
        Place.ARENA: f"arena, bytes {block.offset:,} to {block.offset + block.bytes:,}",
        Place.SCRATCH: f"arena, bytes {block.offset:,} to {block.offset + block.bytes:,}",
        Place.CALLER: f"the caller's buffer {block.offset}, {block.bytes:,} bytes",
        Place.STATE: f"state, bytes {block.offset:,} to {block.offset + block.bytes:,}",
    }[block.place]
    steps = (
        f"step {block.first}"
        if block.first == block.last
        else f"steps {block.first} to {block.last}"
    )
    lines = [
        f"{block.label}: {block.name}" if block.name else block.label,
        block.what,
        where,
        steps,
    ]
    if block.replaces is not None:
        lines.append("in place of its input")
    return "\n".join(line for line in lines if line)
