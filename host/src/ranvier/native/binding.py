# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""cffi ABI binding, generated from the public headers at import.

The library and the headers lie beside this file in an installed wheel. ``RANVIER_LIBRARY`` names
another library to load (a sanitizer build, say) with its headers in ``include/`` beside it.
"""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path
from typing import Any

import cffi

import ranvier.native
from ranvier.errors import ToolError

_LAYOUT = """
struct layout_row { const char *type; const char *field; uint32_t offset; uint32_t size; };
extern struct layout_row rnv_layout[];
extern uint32_t rnv_layout_count;
"""

ffi = cffi.FFI()


def _find(name: str) -> Path:
    other = os.environ.get("RANVIER_LIBRARY")
    for folder in [Path(other).parent] if other else map(Path, ranvier.native.__path__):
        path = folder / name
        if path.exists():
            return path
    raise ToolError(
        f"the native library's {name} is missing from the installation",
        remedy="install the package (pip install ranvier, or make build in a checkout)",
    )


def declarations(text: str) -> str:
    """A header's declarations as cffi parses them: no comments, includes, guards, extern "C"."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    keep = []
    for line in text.splitlines():
        if line.startswith("#") and not re.match(r"#define \w+ +(0x)?[0-9A-Fa-f]+\s*$", line):
            continue
        keep.append(line)
    return "\n".join(keep)


def headers(folder: Path) -> list[str]:
    """The texts of all headers, each after those that it includes."""
    texts = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.h"))}
    ordered: dict[str, str] = {}

    def add(name: str) -> None:
        if name not in ordered:
            for included in re.findall(r'#include "ranvier/([^"]+)"', texts[name]):
                add(included)
            ordered[name] = texts[name]

    for name in texts:
        add(name)
    return list(ordered.values())


@cache
def library() -> Any:
    """The loaded library; raises :class:`ToolError` where it is missing or does not load."""
    for header in headers(_find("include/ranvier")):
        ffi.cdef(declarations(header))
    ffi.cdef(declarations(_find("include/posix/driver.h").read_text(encoding="utf-8")))
    ffi.cdef(_LAYOUT)
    path = Path(os.environ.get("RANVIER_LIBRARY") or _find("libranvier.so"))
    try:
        return ffi.dlopen(str(path))
    except OSError as error:
        raise ToolError(
            f"cannot load the native library: {error}",
            remedy="install the package for this machine again; RANVIER_LIBRARY, where set, must "
            "name a library built for it",
        ) from None
