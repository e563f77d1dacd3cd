# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier ops``."""

from __future__ import annotations

import click

from ranvier.cli.models import require_package
from ranvier.cli.output import Output, common_options
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.native import op_codes


@click.command()
@click.argument("packages", nargs=-1, type=click.Path(dir_okay=False))
@click.option(
    "--format",
    "style",
    type=click.Choice(["cmake", "kconfig", "list"]),
    default="cmake",
    show_default=True,
    help="What to print: a CMake set(), Kconfig assignments, or one name a line.",
)
@common_options("ops")
def ops(output: Output, packages: tuple[str, ...], style: str) -> None:
    """Print the ops that PACKAGES need, so that a build links only these.

    Without packages: every op of this version.
    """
    codes = op_codes()
    names = set() if packages else set(codes)
    for path in packages:
        data = read_bytes(path)
        require_package(data, path)
        used = {op.code for op in Package(data, path).content.ops}
        names |= {name for name, code in codes.items() if code in used}
    chosen = sorted(names, key=codes.__getitem__)
    if style == "cmake":
        output.text(f"set(RANVIER_OPS {' '.join(chosen)})")
    for name in chosen if style != "cmake" else ():
        output.text(f"CONFIG_RANVIER_OP_{name}=y" if style == "kconfig" else name)
    output.json({"ops": [{"name": name, "code": codes[name]} for name in chosen]})
