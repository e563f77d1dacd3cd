# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Errors of the way to a device, and of the device itself."""

from __future__ import annotations

from ranvier.errors import RanvierError

#: The core's return codes (``ranvier/status.h``), negated as they come in a reply.
CODES = {
    2: "ENOENT",
    5: "EIO",
    11: "EAGAIN",
    12: "ENOMEM",
    13: "EACCES",
    14: "EALIGN",
    16: "EBUSY",
    17: "EEXIST",
    22: "EINVAL",
    28: "ENOSPC",
    62: "ETIME",
    74: "EBADMSG",
    75: "EOVERFLOW",
    77: "ESTATE",
    84: "EFORMAT",
    95: "ENOTSUP",
    105: "ENOBUFS",
    110: "ETIMEDOUT",
    116: "ESTALE",
    125: "ECANCELED",
}


class LinkError(RanvierError):
    """The way to the device: a port that is missing, busy or gone."""


class NoAnswerError(LinkError):
    """The device did not answer, or only with what cannot be read."""


class ReplyError(RanvierError):
    """The device's answer is not what the protocol says: another protocol, or a broken device."""


class DeviceError(RanvierError):
    """The device refused; ``code`` is the core's, as "ESTATE", or "" for one of SMP itself."""

    def __init__(self, message: str, code: str, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.code = code


def code_name(number: int) -> str:
    """The name of a code as it comes in a reply, positive or negative."""
    return CODES.get(abs(number), f"code {number}")
