# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzers' starting corpus: a package and a model for each op, and the digits.

Usage: make_corpus.py FOLDER. Packages go to FOLDER/package, models to FOLDER/tflite.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import UnsupportedError
from ranvier.package.records import IoMode
from ranvier.testing.cases import generate, ops

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.tflite"
SEEDS = 3
#: libFuzzer is slow on large inputs; what these would add is in the smaller ones.
MOST_BYTES = 8192


def main(folder: Path) -> None:
    """Write the corpus."""
    models = [
        (f"{op.lower()}-{seed}", generate(seed, op).model) for op in ops() for seed in range(SEEDS)
    ]
    models.append(("digits", DIGITS.read_bytes()))
    for kind in ("package", "tflite"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for i, (name, model) in enumerate(models):
        options = CompileOptions(input_mode=IoMode(i % len(IoMode)), labels=("a", "b"))
        try:
            package = compile_model(model, f"{name}.tflite", options).package
        except UnsupportedError:
            package = b""
        for kind, data in (("tflite", model), ("package", package)):
            if 0 < len(data) <= MOST_BYTES or (name == "digits" and kind == "tflite"):
                (folder / kind / name).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
