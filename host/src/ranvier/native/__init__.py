# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The C core, loaded into Python: what runs here is what runs on a device."""

from ranvier.native.session import (
    VIEW_BYTES_32,
    NativePackage,
    Session,
    op_codes,
    ram_bytes_32,
    view_bytes_32,
)

__all__ = [
    "VIEW_BYTES_32",
    "NativePackage",
    "Session",
    "op_codes",
    "ram_bytes_32",
    "view_bytes_32",
]
