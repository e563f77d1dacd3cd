# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What `make demo` shows: trained models, compiled, packed and run on real inputs.

Everything here is the public Python API and the printing of the `ranvier` command.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from fleet import fleet
from numpy.typing import NDArray

import ranvier
from ranvier.cli.models import print_layers, print_totals
from ranvier.cli.output import Output, size
from ranvier.package.records import IoMode

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits"
# The MLPerf Tiny models are not part of this repository; they are shown where they lie beside it.
SHARED = ROOT.parent / "shared" / "models"
BUILD = ROOT / "build" / "demo"
SHADES = " .:-=+*#%@"
# fmt: off
KEYWORDS = [
    "down", "go", "left", "no", "off", "on", "right", "stop", "up", "yes", "silence", "unknown",
]
# fmt: on


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n== {text}\n")


def art(frame: NDArray[np.uint8]) -> list[str]:
    """A frame as characters, two rows of pixels to a line."""
    rows = frame.reshape(14, 2, 28).mean(axis=1)
    return ["".join(SHADES[int(v) * len(SHADES) // 256] for v in row) for row in rows]


def show_frames(frames: Sequence[NDArray[np.uint8]], captions: Sequence[str]) -> None:
    """Print frames beside each other with a line under each."""
    for lines in zip(*(art(frame) for frame in frames), strict=True):
        print("  ".join(lines).rstrip())
    print("  ".join(caption.center(28) for caption in captions).rstrip())


def compile_and_show(source: Path, labels: Sequence[str]) -> Path:
    """Compile a model into the build folder and print its table; return the package's path."""
    package = BUILD / f"{source.stem}.rnv"
    options = ranvier.CompileOptions(input_mode=IoMode.RESIDENT, labels=tuple(labels))
    result = ranvier.compile(source, options, output=package)
    output = Output("demo", as_json=False, quiet=False)
    print(f"{source.name} ({size(source.stat().st_size)} bytes) -> {package.name}\n")
    print_layers(output, result.report)
    print()
    print_totals(output, result.report)
    return package


def digits() -> None:
    """Handwritten digits: frames held out from training, their accuracy and a few of them."""
    title("Handwritten digits: a model of our own, 28x28 grey frames")
    labels = (DIGITS / "labels.txt").read_text().split()
    package = compile_and_show(DIGITS / "digits.tflite", labels)
    model = ranvier.Model(package)
    heldout = np.load(DIGITS / "heldout.npz")
    frames, truth = heldout["frames"], heldout["labels"]

    begin = time.perf_counter()
    scores = np.stack([classify(model, frame) for frame in frames])
    seconds = time.perf_counter() - begin
    guesses = scores.argmax(axis=1)
    right = int((guesses == truth).sum())

    title("Inputs that training never saw")
    wrong = np.flatnonzero(guesses != truth)[:1]
    shown = [*(int(np.flatnonzero(truth == digit)[0]) for digit in (3, 5, 8)), *map(int, wrong)][:4]
    captions = [
        f"{truth[i]} read as {labels[guesses[i]]} ({scores[i].max():.2f})"
        + ("" if guesses[i] == truth[i] else " WRONG")
        for i in shown
    ]
    for i in range(0, len(shown), 2):
        show_frames([frames[j] for j in shown[i : i + 2]], captions[i : i + 2])
        print()
    print(f"accuracy {right} of {len(truth)} = {100 * right / len(truth):.2f} %")
    print(f"self-test in the package: {'passed' if model.selftest() else 'FAILED'}")
    print(f"{1e6 * seconds / len(truth):.0f} us per frame on this machine (not a device's time)")


def classify(model: ranvier.Model, frame: NDArray[Any]) -> NDArray[np.float32]:
    """Probabilities of one uint8 frame: the model takes pixels from 0 to 1."""
    (raw,) = model.run((frame.astype(np.float32) / 255).reshape(28, 28, 1))
    return model.package.outputs[0].dequantise(raw).ravel()


def keywords() -> None:
    """Keyword spotting with the MLPerf Tiny model, on its one recorded input."""
    title("Keyword spotting: MLPerf Tiny's DS-CNN")
    package = compile_and_show(SHARED / "mlperf_kws_dscnn_int8.tflite", KEYWORDS)
    model = ranvier.Model(package)
    given = model.package.inputs[0]
    features = np.fromfile(SHARED / "kws.in.bin", given.dtype).reshape(given.shape)
    (raw,) = model.run(features)
    expected = np.fromfile(SHARED / "kws.out.bin", np.int8)
    best = int(raw.argmax())
    score = float(model.package.outputs[0].dequantise(raw).max())
    print(f"\nheard: {model.package.labels[best]} ({score:.2f})")
    differing = int((raw.ravel() != expected).sum())
    print(f"bytes that differ from TensorFlow Lite Micro's recorded output: {differing}")


def main() -> None:
    """Show everything that is there."""
    BUILD.mkdir(parents=True, exist_ok=True)
    digits()
    if (SHARED / "mlperf_kws_dscnn_int8.tflite").is_file():
        keywords()
    else:
        print("\nkeyword spotting is shown where ../shared/models has the MLPerf Tiny models")
    fleet(BUILD)
    title("Go on")
    print("packages are in build/demo; try")
    print("  .venv/bin/ranvier run build/demo/digits.rnv -i models/digits/examples/7.png")
    print("  .venv/bin/ranvier analyze YOUR_MODEL.tflite")
    print("  .venv/bin/ranvier ota list --sim, with a simulated device of your own")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # a reader such as head has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
