# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the fuzzers' starting corpus: packages and models of each op, image chains, the digits.

Usage: make_corpus.py FOLDER. Packages go to FOLDER/package, models to FOLDER/tflite, and patches to
FOLDER/patch. Images are also compiled for each instruction set and goal, whole and in slices, and
programs made by hand run by rows or have state and several entry points, so that packed streams,
layouts, rings, slices and state are there to be mutated.
"""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.errors import UnsupportedError
from ranvier.package.patch import encode
from ranvier.package.records import IoMode, PackageContent
from ranvier.package.writer import write_package
from ranvier.testing.cases import generate, ops

DIGITS = Path(__file__).resolve().parents[2] / "models" / "digits" / "digits.tflite"
#: Programs by rows, and with state, made by hand.
PROGRAMS = Path(__file__).resolve().parents[1] / "python"
SEEDS = 3
CHAINS = 8
#: Chains that are long enough to be run by rows are larger.
MOST_CHAIN_BYTES = 12288
PACKED = ("CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "FULLY_CONNECTED")
TARGETS = [(isa, goal.value) for isa in ("dsp", "base") for goal in Goal]
#: An audio front end that is as small as it can be.
AUDIO = "audio:window_ms=4,hop_ms=2,channels=8,smoothing_bits=8"
#: Of each in turn; None: whole ops.
MAX_STEP_MACS = (None, 1000)
#: libFuzzer is slow on large inputs; what these would add is in the smaller ones.
MOST_BYTES = 8192


def programs() -> Iterator[tuple[str, PackageContent]]:
    """Packages made by hand, with their names."""
    yield from runpy.run_path(str(PROGRAMS / "row_programs.py"))["samples"]().items()
    yield from runpy.run_path(str(PROGRAMS / "vision_ops.py"))["samples"]().items()
    content = runpy.run_path(str(PROGRAMS / "stateful.py"))["content"]
    for mode in IoMode:
        for in_place in (True, False):
            yield f"state-{mode.name.lower()}-{in_place}", content(mode, in_place=in_place)
    streaming = runpy.run_path(str(PROGRAMS / "audio_clips.py"))["streaming"]
    for features, width, more in (("log_mel", 8, ""), ("mfcc", 5, ",coefficients=5")):
        stage = f"{AUDIO},features={features}{more}"
        yield f"audio-{features}", streaming((1, 3, width), stage).package.content


def patches() -> Iterator[tuple[str, bytes]]:
    """Streams for the base and the length that fuzz_patch.c has."""
    base = bytes(i * 7 & 255 for i in range(1000))
    changed = bytes(b + (i % 5 == 0) & 255 for i, b in enumerate(base[:600]))
    noise = bytes(i * i * 31 >> 3 & 255 for i in range(300))
    data = noise + base[100:400] + changed + noise[50:200]
    yield "runs", encode(data + bytes(65536 - len(data)), base)
    yield "alone", encode(noise * 218 + bytes(65536 - 218 * len(noise)))


def main(folder: Path) -> None:
    """Write the corpus."""
    (folder / "patch").mkdir(parents=True, exist_ok=True)
    for name, stream in patches():
        (folder / "patch" / name).write_bytes(stream)
    models = [
        (f"{op.lower()}-{seed}", generate(seed, op).model) for op in ops() for seed in range(SEEDS)
    ]
    models.append(("digits", DIGITS.read_bytes()))
    sys.path.insert(0, str(PROGRAMS))  # modules there use helpers beside them
    models += runpy.run_path(str(PROGRAMS / "signal_models.py"))["samples"]().items()
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
    for name, content in programs():
        (folder / "package" / name).write_bytes(write_package(content))
    plain = write_package(content)
    (folder / "package" / "signed").write_bytes(plain[:-80] + b"\1\0\0\0" * 18 + plain[-8:])
    cases = [("IMAGE_CHAIN", seed) for seed in range(CHAINS)]
    cases += [(op, seed) for op in PACKED for seed in range(SEEDS)]
    for i, (op, seed) in enumerate(cases):
        model = generate(seed, op).model
        for isa, goal in TARGETS:
            mode = IoMode(i % len(IoMode))
            options = CompileOptions(
                isa=isa,
                optimize=goal,
                input_mode=mode,
                strip_names=True,
                max_step_macs=MAX_STEP_MACS[i % len(MAX_STEP_MACS)],
            )
            name = f"{op.lower()}-{seed}-{isa}-{goal}"
            package = compile_model(model, f"{name}.tflite", options).package
            if len(package) <= MOST_CHAIN_BYTES:
                (folder / "package" / name).write_bytes(package)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
