# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Train the digits model, quantise it to int8, and write it with its held-out frames.

Writes digits.tflite, heldout.npz and examples/*.png, then prints the accuracies.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

# Set before TensorFlow is imported: one kernel set, so that a run can be repeated, and no log.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.append(str(Path(__file__).resolve().parents[1]))  # training.py

import keras
import numpy as np
import tensorflow as tf
from evaluate import Classifier, int8_classifier, report
from frames import (
    F32,
    FORM_STARTS,
    FRAME_SIDE,
    HELD_OUT_FORMS,
    I64,
    U8,
    Digits,
    augmented_frames,
    clean_frames,
    load_forms,
    load_held_out,
)
from keras import layers
from PIL import Image
from training import int8_model, separable_block

BATCH = 64
CLASSES = 10


def network_input(frames: U8) -> F32:
    """Turn (n, 28, 28) frames into the network's real input, pixel / 255."""
    return (frames[..., np.newaxis] / 255.0).astype(np.float32)


def build_network() -> Any:
    """Return the untrained network: frame in, probability of each digit out."""
    frame = layers.Input((FRAME_SIDE, FRAME_SIDE, 1), name="frame")
    x = layers.Conv2D(16, 3, 2, "same", use_bias=False, name="conv")(frame)
    x = layers.BatchNormalization(name="conv_norm")(x)
    x = layers.ReLU(name="conv_relu")(x)
    x = separable_block(x, 1, channels=32, stride=1)
    x = separable_block(x, 2, channels=64, stride=2)
    x = separable_block(x, 3, channels=64, stride=1)
    x = layers.AveragePooling2D(7, name="pool")(x)
    x = layers.Reshape((64,), name="flatten")(x)
    x = layers.Dropout(0.2, name="dropout")(x)
    x = layers.Dense(CLASSES, name="logits")(x)
    return keras.Model(frame, layers.Softmax(name="probabilities")(x), name="digits")


def train(network: Any, digits: Digits, epochs: int, rng: np.random.Generator) -> None:
    """Train ``network``; every epoch sees each digit once, newly augmented."""
    steps = epochs * -(-len(digits.labels) // BATCH)
    network.compile(
        optimizer=keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, steps)),
        loss=keras.losses.SparseCategoricalCrossentropy(),
    )
    for epoch in range(1, epochs + 1):
        frames = network_input(augmented_frames(digits, rng))
        history = network.fit(frames, digits.labels, batch_size=BATCH, verbose=0)
        if epoch % 10 == 0 or epoch == epochs:
            print(f"epoch {epoch} of {epochs}: loss {history.history['loss'][0]:.4f}", flush=True)


def float_classifier(network: Any) -> Classifier:
    """Return a classifier that runs the network before quantisation."""

    def classify(frames: U8) -> I64:
        probabilities = network.predict(network_input(frames), verbose=0)
        return np.asarray(np.argmax(probabilities, axis=1), dtype=np.int64)

    return classify


def write_held_out(folder: Path) -> None:
    """Write heldout.npz (all held-out frames) and examples/ (the first of each digit)."""
    digits = load_held_out()
    frames = clean_frames(digits)
    np.savez_compressed(
        folder / "heldout.npz", frames=frames, labels=digits.labels.astype(np.uint8)
    )
    examples = folder / "examples"
    examples.mkdir(exist_ok=True)
    for label in range(CLASSES):
        first = int(np.argmax(digits.labels == label))
        Image.fromarray(frames[first]).save(examples / f"{label}.png")


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=200, help="passes over the digits (200)")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (1)")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder to write to (this one)"
    )
    parser.add_argument(
        "--validate",
        action="store_true",
        help="train without the last training forms, judge by those, write nothing",
    )
    return parser.parse_args()


def main() -> None:
    """Train, quantise, write and report as the command line says."""
    arguments = parse_arguments()
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)

    training_forms = len(FORM_STARTS) - HELD_OUT_FORMS
    judged, name = load_held_out(), "held out"
    if arguments.validate:
        judged, name = load_forms(training_forms - HELD_OUT_FORMS, training_forms), "validation"
        training_forms -= HELD_OUT_FORMS
    digits = load_forms(0, training_forms)

    network = build_network()
    train(network, digits, arguments.epochs, rng)
    calibration = np.concatenate([clean_frames(digits), augmented_frames(digits, rng)])
    model = int8_model(network, network_input(calibration))
    if not arguments.validate:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "digits.tflite").write_bytes(model)
        write_held_out(arguments.out)
    print(f"trained on {len(digits.labels)} digits, model of {len(model)} bytes")
    report(f"float, {name}", float_classifier(network), judged)
    report(f"int8, {name}", int8_classifier(model), judged)


if __name__ == "__main__":
    main()
