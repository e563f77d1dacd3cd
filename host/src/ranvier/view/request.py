# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a page asks to run: checked, as whatever comes from outside."""

from __future__ import annotations

import base64
import binascii
import json
import math
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from ranvier.errors import InputError

KINDS = ("files", "random", "selftest")
_RELOAD = "reload the page"


@dataclass(frozen=True)
class Upload:
    """A file that was given to the page."""

    name: str
    data: bytes


@dataclass(frozen=True)
class RunRequest:
    """A run: with files (one for each input, in order), random input, or the self-test's.

    ``scale`` and ``offset`` make real numbers of a picture's pixels; a stream of sound gets an
    inference every ``every`` hops.
    """

    kind: Literal["files", "random", "selftest"]
    files: tuple[Upload, ...] = ()
    seed: int = 0
    scale: float = 1 / 255
    offset: float = 0.0
    every: int = 5


def parse_request(body: bytes) -> RunRequest:
    """Read the JSON that the page sends; InputError where it is anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the request is no JSON: {error}", _RELOAD) from None
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        raise InputError(f"the request names none of {', '.join(KINDS)}", _RELOAD)
    files = value.get("files", [])
    if not isinstance(files, list):
        raise InputError("the request's files are no list", _RELOAD)
    return RunRequest(
        kind=value["kind"],
        files=tuple(_upload(file) for file in files),
        seed=_whole(value, "seed", 0, 0, 2**32 - 1),
        scale=_real(value, "scale", 1 / 255),
        offset=_real(value, "offset", 0.0),
        every=_whole(value, "every", 5, 1, 10_000),
    )


def _upload(file: Any) -> Upload:
    name = file.get("name") if isinstance(file, dict) else None
    data = file.get("data") if isinstance(file, dict) else None
    if not isinstance(name, str) or not isinstance(data, str):
        raise InputError("a file in the request has no name or no data", _RELOAD)
    try:
        return Upload(name, base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError) as error:
        raise InputError(f"{name}: was not sent in Base64: {error}", _RELOAD) from None


def _whole(value: dict[str, Any], key: str, default: int, least: int, most: int) -> int:
    number = value.get(key, default)
    if not _is_number(number) or number != int(number) or not least <= number <= most:
        raise InputError(f"{key} is no whole number of {least:,} to {most:,}", "change it")
    return int(number)


def _real(value: dict[str, Any], key: str, default: float) -> float:
    number = value.get(key, default)
    if not _is_number(number):
        raise InputError(f"{key} is no number", "change it")
    return float(number)


def _is_number(value: Any) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return abs(value) < 1e300 and math.isfinite(value)
