# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files with errors that name them, and without partial results."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ranvier.errors import InputError

#: Larger files than this are refused before they are read.
MAX_BYTES = 1 << 30


def read_bytes(path: str | Path) -> bytes:
    """The file's bytes; :class:`InputError` where it cannot be read or is absurdly large."""
    path = Path(path)
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: is larger than {MAX_BYTES >> 20} MiB")
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from None


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write the whole file or nothing: a temporary file beside it is renamed over it."""
    path = Path(path)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
        os.replace(temporary, path)
    except OSError as error:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
