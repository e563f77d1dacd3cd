# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labels, for the commands that compile a model."""

from __future__ import annotations

from math import prod

import click

from ranvier.compiler.pipeline.options import Pipeline
from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.package.records import PackageContent

labels_option = click.option(
    "--labels", type=click.Path(dir_okay=False), help="Text file, one label a line."
)


def read_labels(path: str | None) -> tuple[str, ...]:
    """The labels of a UTF-8 file, one a line; blank lines at the end are ignored. None: none."""
    if path is None:
        return ()
    try:
        lines = read_bytes(path).decode("utf-8-sig").rstrip("\n\r ").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text", remedy="one label a line") from None
    labels = tuple(line.strip() for line in lines)
    if not labels or not all(labels):
        raise InputError(f"{path}: has no labels or an empty one", remedy="one label a line")
    return labels


def check_labels(path: str | None, pipeline: Pipeline | None, content: PackageContent) -> None:
    """Raise :class:`InputError` where there is not one label for each value of the first output."""
    if path is None or _stages_check_labels(pipeline):
        return
    outputs = [tensor for entry in content.entries for tensor in entry.outputs]
    output = content.tensors[outputs[0]]
    values = prod(output.shape)
    if len(content.labels) != values:
        raise InputError(
            f"{path}: has {len(content.labels)} labels, output {output.name!r} of the model has "
            f"{values} values",
            remedy="give one label for each value of the first output, in its order",
        )


def _stages_check_labels(pipeline: Pipeline | None) -> bool:
    """True where a stage after the network has checked the number of labels when it was built."""
    return pipeline is not None and any(
        use.stage.name not in ("softmax", "dequantize") for use in pipeline.post
    )
