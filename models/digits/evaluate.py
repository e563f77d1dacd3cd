# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""State the accuracy of the int8 model on held-out digits, as TensorFlow Lite Micro computes it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
from frames import I64, U8, Digits, augmented_frames, clean_frames, load_held_out
from tflite_micro.python.tflite_micro import runtime

AUGMENTED_COPIES = 5
"""Augmented frames made of each digit to judge a model."""

AUGMENTED_SEED = 1000
"""Seed of those frames, so that every evaluation sees the same ones."""

Classifier = Callable[[U8], I64]
"""Takes (n, 28, 28) frames, returns n labels."""


def int8_classifier(model: bytes) -> Classifier:
    """Return a classifier that runs ``model`` by the ``tflite-micro`` interpreter."""
    interpreter = runtime.Interpreter.from_bytes(model)

    def classify(frames: U8) -> I64:
        labels = []
        for frame in frames:
            int8_frame = (frame.astype(np.int16) - 128).astype(np.int8)
            interpreter.set_input(int8_frame.reshape(1, 28, 28, 1), 0)
            interpreter.invoke()
            labels.append(int(np.argmax(interpreter.get_output(0))))
        return np.array(labels, dtype=np.int64)

    return classify


def describe_accuracy(name: str, classify: Classifier, frames: U8, labels: I64) -> str:
    """Return one line: how many of ``frames`` are classified as ``labels`` say."""
    right = int(np.sum(classify(frames) == labels))
    return f"{name}: {right} of {len(labels)} right, {100.0 * right / len(labels):.2f} %"


def report(name: str, classify: Classifier, digits: Digits) -> None:
    """Print the accuracy on clean and on augmented frames of ``digits``."""
    rng = np.random.default_rng(AUGMENTED_SEED)
    augmented = np.concatenate([augmented_frames(digits, rng) for _ in range(AUGMENTED_COPIES)])
    labels = np.tile(digits.labels, AUGMENTED_COPIES)
    print(describe_accuracy(f"{name}, clean", classify, clean_frames(digits), digits.labels))
    print(describe_accuracy(f"{name}, augmented", classify, augmented, labels))


def main() -> None:
    """Evaluate the model file given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "digits.tflite"
    parser.add_argument("model", type=Path, nargs="?", default=default, help="int8 .tflite file")
    model = parser.parse_args().model
    report("int8, held out", int8_classifier(model.read_bytes()), load_held_out())


if __name__ == "__main__":
    main()
