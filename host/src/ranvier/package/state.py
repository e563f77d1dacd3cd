# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Persistent state: what of it the header says."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable

from ranvier.package import format as fmt
from ranvier.package.records import Storage, TensorRecord

_FIELDS = struct.Struct("<BBIIfi5I")


def state_bytes(tensors: Iterable[TensorRecord]) -> int:
    """Bytes of persistent state of a package with these tensors."""
    ends = [t.offset + t.bytes for t in tensors if t.storage is Storage.STATE]
    return fmt.align(max(ends, default=0))


def state_layout(tensors: Iterable[TensorRecord]) -> int:
    """Hash of the state's layout: packages with the same one understand each other's state."""
    crc = 0
    for t in tensors:
        if t.storage is Storage.STATE:
            dims = (*t.shape, *(0,) * (fmt.MAX_RANK - len(t.shape)))
            fields = (t.dtype, len(t.shape), t.offset, t.bytes, t.scale, t.zero_point, *dims)
            crc = zlib.crc32(_FIELDS.pack(*fields), crc)
    return crc
