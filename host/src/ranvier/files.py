# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Reading and writing files with errors that name them, and without partial results."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ranvier.errors import InputError

#: Larger files than this are refused.
MAX_BYTES = 1 << 28


def read_bytes(path: str | Path) -> bytes:
    """The file's bytes; :class:`InputError` where it cannot be read or is absurdly large."""
    try:
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(
            f"{path}: cannot be read: {reason}",
            remedy="check the name and the permissions",
        ) from None
    if len(data) > MAX_BYTES:
        raise InputError(
            f"{path}: is larger than {MAX_BYTES >> 20} MiB", remedy="give a model or its input"
        )
    return data


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write the whole file or nothing."""
    write_files({path: data})


def write_files(files: Mapping[str | Path, bytes]) -> None:
    """Write all files, each whole, or none of them; :class:`InputError` where one cannot be.

    Each is written beside its place and renamed when all are there. A link is followed; a device or
    a pipe is written to, not replaced. Where a rename fails after all, those before it remain.
    """
    staged: dict[str | Path, str] = {}
    name: str | Path = ""
    try:
        for name, data in files.items():
            if Path(name).is_dir():
                raise InputError(f"{name}: is a directory", remedy="name a file")
            if not Path(name).exists() or Path(name).is_file():
                staged[name] = _stage(Path(name).resolve().parent, data)
        for name, data in files.items():
            if name in staged:
                os.replace(staged[name], Path(name).resolve())
                del staged[name]
            else:
                Path(name).write_bytes(data)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{name}: cannot be written: {reason}",
            remedy="check that its folder exists and may be written to",
        ) from None
    finally:
        for temporary in staged.values():
            Path(temporary).unlink(missing_ok=True)


def _stage(folder: Path, data: bytes) -> str:
    """A new file in ``folder`` with a new file's usual permissions."""
    handle, temporary = tempfile.mkstemp(prefix=".ranvier-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o666 & ~umask)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return temporary
