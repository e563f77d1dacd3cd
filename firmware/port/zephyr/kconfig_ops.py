# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes ``Kconfig.ops``, one option for each row of ``firmware/core/ops.txt``.

The file is committed, because Kconfig cannot read a table; ``tests/arch`` compares it.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent
OPS = HERE.parents[1] / "core" / "ops.txt"
TARGET = HERE / "Kconfig.ops"

HEAD = """\
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
#
# Generated from firmware/core/ops.txt by kconfig_ops.py.
"""

OPTION = """
config RANVIER_OP_{name}
	bool "{name}" if RANVIER_OPS_LISTED
	default y if RANVIER_OPS_ALL
"""


def text() -> str:
    """The whole of ``Kconfig.ops``."""
    rows = [line.split() for line in OPS.read_text(encoding="utf-8").splitlines()]
    names = [row[1] for row in rows if row and row[0].isdigit()]
    return HEAD + "".join(OPTION.format(name=name) for name in names)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
