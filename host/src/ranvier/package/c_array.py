# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package as a C source file, for builds that link the model into the image."""

from __future__ import annotations

import re


def c_array(package: bytes, name: str) -> str:
    """C source that defines ``ranvier_<name>`` (16-byte aligned) and ``ranvier_<name>_bytes``.

    Characters that C does not allow in an identifier become underscores.
    """
    symbol = "ranvier_" + re.sub(r"\W", "_", name, flags=re.ASCII)
    rows = [
        "\t" + ", ".join(f"0x{byte:02x}" for byte in package[i : i + 12]) + ","
        for i in range(0, len(package), 12)
    ]
    return "\n".join(
        [
            "/* Made by `ranvier compile --c-array`. */",
            "",
            "#include <stdint.h>",
            "",
            f"extern const uint8_t {symbol}[{len(package)}];",
            f"extern const uint32_t {symbol}_bytes;",
            "",
            f"_Alignas(16) const uint8_t {symbol}[{len(package)}] = {{",
            *rows,
            "};",
            "",
            f"const uint32_t {symbol}_bytes = {len(package)};",
            "",
        ]
    )
