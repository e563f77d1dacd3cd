# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Running the ``ranvier`` command inside of a test, and the files that it is given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from packages import rich, rich_model
from random_models import Maker
from ranvier.cli import main
from ranvier.compiler.graph import DType
from ranvier.testing.tflite_builder import build_tflite

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits"


@dataclass(frozen=True)
class Answer:
    """What a command did: exit code, standard output, both outputs together."""

    code: int
    out: str
    both: str

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON document on standard output."""
        value: dict[str, Any] = json.loads(self.out)
        return value


def ranvier(*arguments: object, env: dict[str, str] | None = None, colour: bool = False) -> Answer:
    """Run the command; anything but an orderly exit is an error of the test."""
    done = CliRunner().invoke(main, [str(a) for a in arguments], env=env, color=colour)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Answer(done.exit_code, done.stdout, done.output)


def names(folder: Path) -> list[str]:
    """What is in a folder, hidden files too."""
    return sorted(path.name for path in folder.iterdir())


def put(folder: Path, name: str, data: bytes) -> Path:
    """A file with these contents."""
    path = folder / name
    path.write_bytes(data)
    return path


def rich_files(folder: Path) -> tuple[Path, Path]:
    """The rich model and its package as files."""
    model = put(folder, "rich.tflite", rich_model())
    return model, put(folder, "rich.rnv", rich().package)


def unsupported_model() -> bytes:
    """An int16 convolution, an unknown kind of op and a version that is too new, besides a RELU."""
    make = Maker(1)
    x = make.input((1, 4, 4, 3))
    wide = make.tensor(x.shape, x.quant, DType.INT16)
    make.op("CAST", [make.clamp("RELU", x)], wide)
    filters, bias = make.weights((2, 1, 1, 3), x, 0)
    attrs = {"padding": "SAME", "stride_h": 1, "stride_w": 1, "fused_activation_function": "NONE"}
    output = make.tensor((1, 4, 4, 2), x.quant, DType.INT16)
    make.op("CONV_2D", [wide, filters, bias], output, attrs, 4)
    soft = make.unary("SOFTMAX", x)
    make.ops[-1].version = 77
    return build_tflite(make.graph(output, soft))


def lines(text: str, start: str) -> list[str]:
    """The lines that begin so."""
    return [line for line in text.splitlines() if line.startswith(start)]


def words(text: str, *expected: str) -> Sequence[str]:
    """The expected words that are missing from the text."""
    return [word for word in expected if word not in text]
