# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The group of all commands."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from ranvier.cli.output import Exit, print_json_error


class JsonErrors(click.Group):
    """A group whose wrong usage is a JSON document too, where --json is among the arguments."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:
        """As click's; standalone, so that it ends the process."""
        given = list(sys.argv[1:] if args is None else args)
        if "--json" not in given:
            return super().main(args, *more, **extra)
        try:
            code = super().main(given, *more, **{**extra, "standalone_mode": False})
        except click.UsageError as error:
            usage = error.ctx.get_usage() if error.ctx is not None else None
            print_json_error("UsageError", error.format_message(), usage)
            sys.exit(Exit.USAGE)
        except click.Abort:
            sys.exit(1)
        sys.exit(code if isinstance(code, int) else Exit.OK)
