# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package's graph in Graphviz' language: layers with kernels, tensors with shapes and layouts."""

from __future__ import annotations

from collections.abc import Iterator

from ranvier.compiler.report import Report
from ranvier.package.records import EntryRecord, PackageContent, Storage
from ranvier.report.markup import clean
from ranvier.report.memory import described, layer_name

_STYLE = """\
  rankdir=TB;
  node [fontname="Helvetica,Arial,sans-serif", fontsize=11, shape=box, style="rounded,filled",
        fillcolor="#e8f0fb", color="#5a7aa6"];
  edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, color="#5a6270"];"""


def quoted(*lines: str) -> str:
    """A string of the language; lines are centred. No character of a name ends it."""
    plain = (clean(line).replace("\n", " ").replace("\\", "\\\\") for line in lines)
    return '"' + "\\n".join(line.replace('"', '\\"') for line in plain) + '"'


def graph_dot(content: PackageContent, report: Report) -> str:
    """The file's text; with several entry points, each is a cluster."""
    lines = [f"digraph {quoted(content.name)} {{", _STYLE]
    several = len(content.entries) > 1
    for number, entry in enumerate(content.entries):
        inside = list(_entry(content, report, number, entry))
        if several:
            lines.append(f"  subgraph cluster_{number} {{")
            lines.append(f"    label={quoted(entry.name)};")
            lines += [f"  {line}" for line in inside]
            lines.append("  }")
        else:
            lines += inside
    lines += _shared(content)
    lines += _edges(content)
    return "\n".join([*lines, "}", ""])


def _ops(content: PackageContent, entry: EntryRecord) -> list[int]:
    steps = content.steps[entry.step_first : entry.step_first + entry.step_count]
    return list(dict.fromkeys(step.op for step in steps))


def _entry(
    content: PackageContent, report: Report, number: int, entry: EntryRecord
) -> Iterator[str]:
    """The nodes of an entry point: layers, inputs and outputs."""
    layers = {layer.step: layer for layer in report.layers}
    for op in _ops(content, entry):
        layer = layers[op]
        lines = [layer_name(report, op)]
        lines += [layer.op] if layer.op not in lines[0].split() else []
        if layer.macs:
            lines.append(f"{layer.macs:,} MACs")
        if layer.slices > 1:
            lines.append(f"{layer.slices} slices")
        more = ', fillcolor="#fbe3d6"' if layer.step == report.peak_step else ""
        yield f"  op{op} [label={quoted(*lines)}{more}];"
    for kind, tensors in (("in", entry.inputs), ("out", entry.outputs)):
        for place, tensor in enumerate(tensors):
            record = content.tensors[tensor]
            name = record.name or {"in": "input", "out": "output"}[kind]
            label = quoted(name, described(record))
            yield f'  {kind}{number}_{place} [label={label}, shape=ellipse, fillcolor="#eef1f5"];'


def _shared(content: PackageContent) -> Iterator[str]:
    """State and constant operands: nodes that belong to no entry point."""
    read = {tensor for op in content.ops for tensor in (*op.inputs, *op.outputs)}
    for number, record in enumerate(content.tensors):
        if number in read and record.storage in (Storage.STATE, Storage.CONST):
            state = record.storage is Storage.STATE
            label = quoted(record.name or ("state" if state else "constant"), described(record))
            shape = "cylinder" if state else "note"
            yield f'  t{number} [label={label}, shape={shape}, style=filled, fillcolor="#f0e6f5"];'


def _edges(content: PackageContent) -> Iterator[str]:
    lasting = (Storage.STATE, Storage.CONST)
    for number, entry in enumerate(content.entries):
        written = {tensor: f"in{number}_{i}" for i, tensor in enumerate(entry.inputs)}
        for op in _ops(content, entry):
            record = content.ops[op]
            for tensor in record.inputs:
                source = f"t{tensor}" if content.tensors[tensor].storage in lasting else None
                source = source or written.get(tensor)
                if source is not None:
                    yield f"  {source} -> op{op}{_label(content, tensor, source)};"
            for tensor in record.outputs:
                written[tensor] = f"op{op}"
                if content.tensors[tensor].storage is Storage.STATE:
                    yield f"  op{op} -> t{tensor};"
        for place, tensor in enumerate(entry.outputs):
            yield f"  {written.get(tensor, f't{tensor}')} -> out{number}_{place};"


def _label(content: PackageContent, tensor: int, source: str) -> str:
    """Type, shape and layout, unless the node where the edge begins has them."""
    if not source.startswith("op"):
        return ""
    return f" [label={quoted(described(content.tensors[tensor]))}]"
