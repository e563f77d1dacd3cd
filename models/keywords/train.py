# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Make the speech, train the keywords model, quantise it to int8 and write it.

Writes keywords.tflite and labels.txt, and prints the accuracies on the validation voices.
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
import numpy.typing as npt
import tensorflow as tf
from dataset import I64, clips_of_speakers, windows_of_streams
from evaluate import TEST_SEED, clips_report, describe, int8_classifier
from features import CHANNELS, FRAMES, I8, real
from keras import layers
from text import LABELS, SILENCE
from training import int8_model, separable_block

BATCH = 128
EPOCH_WINDOWS = 32000
CALIBRATION_WINDOWS = 1000


def build_network() -> Any:
    """Return the untrained network: features in, probability of each label out."""
    features = layers.Input((FRAMES, CHANNELS, 1), name="features")
    x = layers.Conv2D(16, 5, 2, "same", use_bias=False, name="conv")(features)
    x = layers.BatchNormalization(name="conv_norm")(x)
    x = layers.ReLU(name="conv_relu")(x)
    x = separable_block(x, 1, channels=32, stride=2)
    x = separable_block(x, 2, channels=48, stride=1)
    x = separable_block(x, 3, channels=48, stride=1)
    x = separable_block(x, 4, channels=64, stride=2)
    x = separable_block(x, 5, channels=64, stride=1)
    x = separable_block(x, 6, channels=64, stride=1)
    x = layers.AveragePooling2D((7, 5), name="pool")(x)
    x = layers.Reshape((64,), name="flatten")(x)
    x = layers.Dropout(0.2, name="dropout")(x)
    x = layers.Dense(len(LABELS), name="logits")(x)
    return keras.Model(features, layers.Softmax(name="probabilities")(x), name="keywords")


def augmented(windows: I8, rng: np.random.Generator) -> I8:
    """Blank a band of channels or of frames in half of the windows each.

    In two of a hundred the first frames are int8 0, as in a buffer that is not yet full.
    """
    changed = windows.copy()
    for one in changed:
        if rng.random() < 0.5:
            first = int(rng.integers(CHANNELS))
            one[:, first : first + int(rng.integers(1, 7))] = -128
        if rng.random() < 0.5:
            first = int(rng.integers(FRAMES))
            one[first : first + int(rng.integers(1, 7))] = -128
    return changed


def unfilled(windows: I8, labels: I64, rng: np.random.Generator) -> None:
    """Make the first frames of a few windows without keyword int8 0, as before a stream begins."""
    chosen = np.flatnonzero((labels >= SILENCE) & (rng.random(len(labels)) < 0.03))
    for index in chosen:
        windows[index, : int(rng.integers(1, FRAMES + 1))] = 0


def train(network: Any, windows: I8, labels: I64, epochs: int, rng: np.random.Generator) -> None:
    """Train ``network``; every epoch sees ``EPOCH_WINDOWS`` windows, changed anew."""
    steps = epochs * EPOCH_WINDOWS // BATCH
    network.compile(
        optimizer=keras.optimizers.Adam(keras.optimizers.schedules.CosineDecay(4e-3, steps)),
        loss=keras.losses.CategoricalCrossentropy(label_smoothing=0.02),
        metrics=["accuracy"],
    )
    targets = np.eye(len(LABELS), dtype=np.float32)
    order = rng.permutation(len(labels))
    for epoch in range(1, epochs + 1):
        while len(order) < EPOCH_WINDOWS:
            order = np.concatenate([order, rng.permutation(len(labels))])
        chosen, order = order[:EPOCH_WINDOWS], order[EPOCH_WINDOWS:]
        seen = augmented(windows[chosen], rng)
        unfilled(seen, labels[chosen], rng)
        history = network.fit(
            real(seen), targets[labels[chosen]], batch_size=BATCH, verbose=0
        ).history
        print(
            f"epoch {epoch} of {epochs}: loss {history['loss'][0]:.4f},"
            f" accuracy {100.0 * history['accuracy'][0]:.2f} %",
            flush=True,
        )


def quantise(network: Any, calibration: I8) -> bytes:
    """Convert to a full-integer .tflite with batch 1, its ranges measured on ``calibration``.

    Its input gets the front end's own quantisation: the extremes -128 and 127 are shown once.
    """
    shown = calibration.copy()
    shown[0, 0, 0], shown[0, 0, 1] = -128, 127
    return int8_model(network, real(shown))


def training_windows(arguments: argparse.Namespace) -> tuple[I8, I64]:
    """Make the training windows, or read them from the cache file if there is one."""
    cache: Path | None = arguments.cache
    if cache is not None and cache.exists():
        with np.load(cache) as stored:
            return stored["windows"], stored["labels"]
    windows, labels = windows_of_streams(
        "train", arguments.seed, arguments.streams, arguments.processes
    )
    if cache is not None:
        np.savez(cache, windows=windows, labels=labels)
    return windows, labels


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=24, help="epochs (24)")
    parser.add_argument("--streams", type=int, default=2400, help="streams of ten words (2400)")
    parser.add_argument("--seed", type=int, default=1, help="seed of everything random (1)")
    parser.add_argument("--processes", type=int, default=2, help="processes that make speech (2)")
    parser.add_argument("--cache", type=Path, help="keep the training windows in this .npz file")
    parser.add_argument("--test", action="store_true", help="judge the float network by the test")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder to write to (this one)"
    )
    return parser.parse_args()


def main() -> None:
    """Make data, train, quantise, write and report as the command line says."""
    arguments = parse_arguments()
    windows, labels = training_windows(arguments)
    counts = np.bincount(labels, minlength=len(LABELS))
    print(f"{len(labels)} windows:", dict(zip(LABELS, counts.tolist(), strict=True)), flush=True)

    tf.config.threading.set_intra_op_parallelism_threads(2)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)
    network = build_network()
    train(network, windows, labels, arguments.epochs, rng)
    calibration = windows[rng.permutation(len(labels))[:CALIBRATION_WINDOWS]]
    model = quantise(network, calibration)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "keywords.tflite").write_bytes(model)
    (arguments.out / "labels.txt").write_text("\n".join(LABELS) + "\n")
    print(f"model of {len(model)} bytes")

    def float_classifier(windows: I8) -> npt.NDArray[np.float32]:
        return np.asarray(network.predict(real(windows), verbose=0), np.float32)

    clips = clips_of_speakers("validate", arguments.seed, arguments.processes)
    describe("float, validation voices", float_classifier, clips)
    describe("int8, validation voices", int8_classifier(model), clips)
    if arguments.test:
        clips_report("float", float_classifier, TEST_SEED, arguments.processes)


if __name__ == "__main__":
    main()
