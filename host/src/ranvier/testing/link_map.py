# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What a linker kept of each object, from the map that it wrote."""

from __future__ import annotations

import re
from pathlib import Path

from ranvier.errors import ToolError

#: An input section in the linker's map: a long name has the rest on a line of its own.
_SECTION = re.compile(r"^ \.(?:text|rodata)\S*\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S+)$", re.MULTILINE)
_MAP_BEGIN = "Linker script and memory map"


def kept(path: Path) -> dict[str, int]:
    """Bytes of code and read-only data by object, as the map at ``path`` names it.

    An object of an archive is named ``archive(object)``. Objects that nothing reaches are there
    with 0 bytes, or not at all. :class:`ToolError` if the map names no object.
    """
    rows: dict[str, int] = {}
    for size, name in _SECTION.findall(path.read_text().partition(_MAP_BEGIN)[2]):
        rows[name] = rows.get(name, 0) + int(size, 16)
    if not any(rows.values()):
        raise ToolError(f"the linker's map {path.name} names no object")
    return rows
