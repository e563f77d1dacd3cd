# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a package says of the stages before and after its network."""

from __future__ import annotations

from typing import Any, Literal

from ranvier.model import Package

PUSH, INFER = "push", "infer"
"""Entry points of a package that takes a stream."""


def stages(package: Package, place: Literal["pre", "post"]) -> list[dict[str, Any]]:
    """The stages before or after the network, each with its name as ``stage`` and its options."""
    pipeline = package.content.meta.get("pipeline")
    found = pipeline.get(place) if isinstance(pipeline, dict) else None
    return [stage for stage in found if isinstance(stage, dict)] if isinstance(found, list) else []


def takes_stream(package: Package) -> bool:
    """True for a package that takes sound a hop at a time."""
    return {PUSH, INFER} <= {entry.name for entry in package.entries}


def picture_format(package: Package) -> str | None:
    """The format of pixels that the first stage takes; None where that takes no picture."""
    first = stages(package, "pre")[:1]
    if first and first[0].get("stage") == "image":
        name = first[0].get("format")
        return name if isinstance(name, str) else None
    return None
