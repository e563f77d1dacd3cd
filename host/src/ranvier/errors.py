# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The one root of all errors that Ranvier raises on purpose.

An error says what failed and what to try. Only ``ranvier.cli`` turns one into an exit code; library
users catch :class:`RanvierError` or one of its children.
"""

from __future__ import annotations


class RanvierError(Exception):
    """Something failed that the caller can act on.

    ``remedy`` is what to try next; it is part of ``str(error)`` when given.
    """

    def __init__(self, message: str, remedy: str | None = None) -> None:
        self.message = message
        self.remedy = remedy
        super().__init__(message if remedy is None else f"{message}\n  try: {remedy}")


class ModelError(RanvierError):
    """A model file is malformed or outside the limits that the reader states."""


class UnsupportedError(RanvierError):
    """A well-formed model uses something that Ranvier cannot execute; lists every such thing."""


class PackageError(RanvierError):
    """A ``.rnv`` package is malformed, or uses a kind that this reader does not implement."""


class InputError(RanvierError):
    """Data given to run a model (file, array, labels) does not fit the model."""


class ToolError(RanvierError):
    """Something outside of Ranvier that is needed (library, compiler) is missing or failed."""


class JobError(RanvierError):
    """The scheduler refused something; ``code`` is the core's, as "EAGAIN" for a full queue."""

    def __init__(self, message: str, code: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.code = code
