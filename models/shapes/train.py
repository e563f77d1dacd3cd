# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Train the shape detector on generated scenes, quantise it to int8, write it and its examples.

Writes shapes.tflite and examples/, then prints the mean average precision, float and int8.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

# Set before TensorFlow is imported: no log.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.append(str(Path(__file__).resolve().parents[1]))  # training.py

import keras
import numpy as np
import tensorflow as tf
from decode import ANCHOR, CELLS, STRIDE
from evaluate import Network, int8_network, network_input, report
from examples import write_examples
from keras import layers
from scenes import CLASSES, F32, MAX_OBJECTS, U8, Scenes, draw_scenes
from tensorflow.lite.tools import flatbuffer_utils
from training import int8_model, separable_block

BATCH = 32
TRAINING_SEED = 1
VALIDATION_SEED = 2
CALIBRATION_SCENES = 512

GEOMETRY_LIMIT = 3.5
"""Offsets beyond it are at most 0.03 cells from the edge, sizes 33 times the anchor's."""

BLOCKS = ((16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (64, 1), (64, 1), (64, 1))
"""Output channels and stride of each separable block."""


def build_network() -> Any:
    """Return the untrained network: picture in, class scores (logits) and geometry out."""
    picture = layers.Input((CELLS * STRIDE, CELLS * STRIDE, 3), name="picture")
    x = layers.Conv2D(8, 3, 2, "same", use_bias=False, name="conv")(picture)
    x = layers.BatchNormalization(name="conv_norm")(x)
    x = layers.ReLU(name="conv_relu")(x)
    for number, (channels, stride) in enumerate(BLOCKS, start=1):
        x = separable_block(x, number, channels, stride)
    rare = keras.initializers.Constant(-3.0)
    scores = layers.Conv2D(len(CLASSES), 1, bias_initializer=rare, name="scores")(x)
    geometry = layers.Conv2D(4, 1, name="geometry")(x)
    return keras.Model(picture, [scores, geometry], name="shapes")


def targets(scenes: Scenes) -> F32:
    """Return what the network should say: (n, 12, 12, 9) = 4 scores, the box in cells, its weight.

    A cell's score falls with the distance of its middle from an object's middle; the cell that
    holds the middle has 1. Cells with at least 0.3 learn the box of their nearest object.
    """
    count = len(scenes.classes)
    rows = np.arange(count)
    y, x = np.mgrid[0:CELLS, 0:CELLS] + 0.5
    result = np.zeros((count, CELLS, CELLS, len(CLASSES) + 5), np.float32)
    for place in range(MAX_OBJECTS):
        box = scenes.boxes[:, place] / STRIDE
        real = scenes.classes[:, place] >= 0
        middle = (box[:, :2] + box[:, 2:]) / 2.0
        spread = 0.3 + 0.08 * (box[:, 2:] - box[:, :2]).max(axis=1)
        far = (y - middle[:, :1, np.newaxis]) ** 2 + (x - middle[:, 1:, np.newaxis]) ** 2
        heat = np.exp(-far / (2.0 * spread**2)[:, np.newaxis, np.newaxis])
        cell = np.minimum(middle.astype(int), CELLS - 1)
        heat[rows, cell[:, 0], cell[:, 1]] = 1.0
        heat *= real[:, np.newaxis, np.newaxis]
        kind = np.maximum(scenes.classes[:, place], 0)
        result[rows, :, :, kind] = np.maximum(result[rows, :, :, kind], heat)
        nearest = (heat > result[..., -1]) & (heat > 0.3)
        result[..., len(CLASSES) : -1] = np.where(
            nearest[..., np.newaxis], box[:, np.newaxis, np.newaxis], result[..., len(CLASSES) : -1]
        )
        result[..., -1] = np.where(nearest, heat, result[..., -1])
    return result


def score_loss(wanted: Any, logits: Any) -> Any:
    """Return the focal loss of the scores, with less weight for cells beside an object."""
    right = tf.cast(wanted >= 1.0, tf.float32)
    score = tf.sigmoid(logits)
    found = right * (1.0 - score) ** 2 * tf.nn.softplus(-logits)
    false = (1.0 - right) * (1.0 - wanted) ** 4 * score**2 * tf.nn.softplus(logits)
    return tf.reduce_sum(found + false) / tf.maximum(tf.reduce_sum(right), 1.0)


def geometry_loss(wanted: Any, weight: Any, geometry: Any) -> Any:
    """Return the mean generalised-IoU loss, plus the error of the size's logarithm."""
    cells = tf.stack(tf.meshgrid(*2 * [tf.range(CELLS, dtype=tf.float32)], indexing="ij"), -1)
    middle = cells + tf.sigmoid(geometry[..., :2])
    size = ANCHOR / STRIDE * tf.exp(geometry[..., 2:])
    low, high = middle - size / 2.0, middle + size / 2.0
    low, high = tf.clip_by_value(low, 0.0, CELLS), tf.clip_by_value(high, 0.0, CELLS)
    wanted_size = tf.maximum(wanted[..., 2:] - wanted[..., :2], 0.1)
    both = tf.minimum(high, wanted[..., 2:]) - tf.maximum(low, wanted[..., :2])
    common = tf.reduce_prod(tf.maximum(both, 0.0), -1)
    union = tf.reduce_prod(high - low, -1) + tf.reduce_prod(wanted_size, -1) - common
    hull = tf.maximum(high, wanted[..., 2:]) - tf.minimum(low, wanted[..., :2])
    hull = tf.reduce_prod(hull, -1)
    giou = common / (union + 1e-6) - (hull - union) / (hull + 1e-6)
    log_error = tf.abs(geometry[..., 2:] - tf.math.log(wanted_size * STRIDE / ANCHOR))
    error = 2.0 * (1.0 - giou) + 0.5 * tf.reduce_sum(log_error, -1)
    return tf.reduce_sum(weight * error) / tf.maximum(tf.reduce_sum(weight), 1.0)


def loss(wanted: Any, said: Any) -> Any:
    """Return the loss of a batch; ``said`` is scores and geometry side by side."""
    classes = len(CLASSES)
    return score_loss(wanted[..., :classes], said[..., :classes]) + geometry_loss(
        wanted[..., classes:-1], wanted[..., -1], said[..., classes:]
    )


def augmented(scenes: Scenes, rng: np.random.Generator) -> tuple[F32, F32]:
    """Return inputs and targets of ``scenes``, mirrored, transposed and recoloured at random."""
    pixels, boxes = scenes.pixels.copy(), scenes.boxes.copy()
    for axis in (0, 1):
        mirrored = rng.random(len(pixels)) < 0.5
        pixels[mirrored] = np.flip(pixels[mirrored], axis + 1)
        edges = CELLS * STRIDE - boxes[..., [axis + 2, axis]]
        both = [axis, axis + 2]
        boxes[..., both] = np.where(mirrored[:, np.newaxis, np.newaxis], edges, boxes[..., both])
    transposed = rng.random(len(pixels)) < 0.5
    pixels[transposed] = pixels[transposed].transpose(0, 2, 1, 3)
    boxes[transposed] = boxes[transposed][..., [1, 0, 3, 2]]
    order = rng.permuted(np.tile(np.arange(3), (len(pixels), 1)), axis=1)
    pixels = np.take_along_axis(pixels, order[:, np.newaxis, np.newaxis], axis=3)
    gain = rng.uniform(0.7, 1.3, (len(pixels), 1, 1, 3)).astype(np.float32)
    inputs = np.minimum(network_input(pixels) * gain, 1.0)
    return inputs, targets(Scenes(pixels, scenes.classes, boxes))


class Batches(keras.utils.PyDataset):  # type: ignore[misc]
    """Batches of one epoch after another, each newly shuffled and augmented."""

    def __init__(self, scenes: Scenes, rng: np.random.Generator) -> None:
        """Serve ``scenes`` in an order drawn from ``rng``."""
        super().__init__()
        self.scenes, self.rng = scenes, rng
        self.on_epoch_end()

    def __len__(self) -> int:
        """Return the number of batches of an epoch."""
        return len(self.scenes.pixels) // BATCH

    def __getitem__(self, index: int) -> tuple[F32, F32]:
        """Return batch ``index``."""
        rows = self.order[index * BATCH : (index + 1) * BATCH]
        scenes = self.scenes
        chosen = Scenes(scenes.pixels[rows], scenes.classes[rows], scenes.boxes[rows])
        return augmented(chosen, self.rng)

    def on_epoch_end(self) -> None:
        """Shuffle for the next epoch."""
        self.order = self.rng.permutation(len(self.scenes.pixels))


def train(network: Any, scenes: Scenes, epochs: int, rate: float, rng: np.random.Generator) -> None:
    """Train ``network`` for ``epochs`` passes over ``scenes``, ``rate`` the highest step."""
    side_by_side = layers.Concatenate()(network.outputs)
    trained = keras.Model(network.inputs, side_by_side)
    steps = epochs * (len(scenes.pixels) // BATCH)
    schedule = keras.optimizers.schedules.CosineDecay(
        1e-4, steps - steps // 20, 0.002, warmup_target=rate, warmup_steps=steps // 20
    )
    optimizer = keras.optimizers.AdamW(schedule, weight_decay=1e-3, clipnorm=5.0)
    trained.compile(optimizer=optimizer, loss=loss, jit_compile=False)
    trained.fit(Batches(scenes, rng), epochs=epochs, shuffle=False, verbose=2)


def quantise(network: Any, calibration: U8) -> bytes:
    """Convert to a full-integer .tflite with batch 1, its ranges measured on ``calibration``."""
    # The converter writes the outputs in reverse: geometry is output 0, scores are output 1.
    return narrowed(int8_model(network, network_input(calibration)))


def narrowed(model: bytes) -> bytes:
    """Return ``model`` with the geometry's range cut to -GEOMETRY_LIMIT..GEOMETRY_LIMIT.

    The converter takes the widest range that it has seen. Offsets far below that limit all mean
    the cell's edge, and cost resolution. Only the output's scale and zero point change: a
    convolution saturates at the ends of its output's range.
    """
    tree = flatbuffer_utils.convert_bytearray_to_object(bytearray(model))
    graph = tree.subgraphs[0]
    range_of_geometry = graph.tensors[graph.outputs[0]].quantization
    range_of_geometry.scale = [GEOMETRY_LIMIT / 127.5]
    range_of_geometry.zeroPoint = [0]
    return bytes(flatbuffer_utils.convert_object_to_bytearray(tree))


def float_network(network: Any) -> Network:
    """Return the network before quantisation in the form that evaluate.py judges."""

    def run(pixels: U8) -> tuple[F32, F32]:
        scores, geometry = network.predict(network_input(pixels), batch_size=BATCH, verbose=0)
        return scores, geometry

    return run


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", type=int, default=24000, help="training scenes (24000)")
    parser.add_argument("--epochs", type=int, default=30, help="passes over them (30)")
    parser.add_argument("--rate", type=float, default=4e-3, help="highest learning rate (0.004)")
    parser.add_argument("--start", type=Path, help="go on with this .keras file")
    parser.add_argument("--keep", type=Path, help="also write the float network, a .keras file")
    parser.add_argument("--seed", type=int, default=1, help="seed of weights and order (1)")
    parser.add_argument("--threads", type=int, default=2, help="threads (2)")
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).parent, help="folder to write to (this one)"
    )
    parser.add_argument(
        "--validate",
        action="store_true",
        help="judge by validation scenes instead of the held-out ones, write nothing",
    )
    return parser.parse_args()


def main() -> None:
    """Train, quantise, write and report as the command line says."""
    arguments = parse_arguments()
    tf.config.threading.set_intra_op_parallelism_threads(arguments.threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    keras.utils.set_random_seed(arguments.seed)
    rng = np.random.default_rng(arguments.seed)

    scenes = draw_scenes(TRAINING_SEED, arguments.scenes, processes=arguments.threads)
    start = arguments.start
    network = keras.models.load_model(start, compile=False) if start else build_network()
    train(network, scenes, arguments.epochs, arguments.rate, rng)
    if arguments.keep:
        network.save(arguments.keep)
    model = quantise(network, scenes.pixels[:CALIBRATION_SCENES])
    if not arguments.validate:
        arguments.out.mkdir(parents=True, exist_ok=True)
        (arguments.out / "shapes.tflite").write_bytes(model)
        write_examples(arguments.out / "examples")
    seed = VALIDATION_SEED if arguments.validate else None
    print(f"trained on {len(scenes.pixels)} scenes, model of {len(model)} bytes")
    report("float", float_network(network), seed)
    report("int8", int8_network(model), seed)


if __name__ == "__main__":
    main()
