# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier completion``: shell completion scripts."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from ranvier.cli.output import Output, common_options


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options("completion")
def completion(output: Output, shell: str) -> None:
    """Print the completion script for a shell.

    For bash, put into ~/.bashrc: eval "$(ranvier completion bash)"

    For zsh, put into ~/.zshrc: eval "$(ranvier completion zsh)"

    For fish: ranvier completion fish > ~/.config/fish/completions/ranvier.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root().command
    script = kind(root, {}, "ranvier", "_RANVIER_COMPLETE").source()
    output.text(script)
    output.json({"shell": shell, "script": script})
