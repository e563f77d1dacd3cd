# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""State the mean average precision of the int8 model, as TensorFlow Lite Micro computes it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from decode import Detections, decode, overlap
from scenes import CLASSES, F32, I64, U8, Scenes, draw_scenes
from tflite_micro.python.tflite_micro import runtime

HELD_OUT_SEED = 1000
HELD_OUT_SCENES = 1000

THRESHOLD = 0.45
"""Least score at the operating point, where validation scenes gave the best F1."""

LOWEST = 0.05
"""Least score that counts for the average precision."""

NMS = 0.45
"""Two boxes of a class that overlap more than this are one object."""

CAPACITY = 20
OVERLAPS = np.linspace(0.5, 0.95, 10)

Network = Callable[[U8], tuple[F32, F32]]
"""Takes (n, 96, 96, 3) pictures, returns scores (logits) and geometry, (n, 12, 12, 4) each."""


def network_input(pixels: U8) -> F32:
    """Turn pictures into the network's real input, pixel / 255."""
    return np.asarray(pixels / np.float32(255.0), np.float32)


def real_output(interpreter: Any, index: int) -> F32:
    """Return output ``index`` as real numbers."""
    details = interpreter.get_output_details(index)["quantization_parameters"]
    values = interpreter.get_output(index).astype(np.float32)
    return np.asarray((values - details["zero_points"][0]) * details["scales"][0], np.float32)


def int8_network(model: bytes) -> Network:
    """Return a network that runs ``model`` by the ``tflite-micro`` interpreter."""
    interpreter = runtime.Interpreter.from_bytes(model)

    def run(pixels: U8) -> tuple[F32, F32]:
        scores, geometry = [], []
        for picture in pixels:
            int8_picture = (picture.astype(np.int16) - 128).astype(np.int8)
            interpreter.set_input(int8_picture[np.newaxis], 0)
            interpreter.invoke()
            geometry.append(real_output(interpreter, 0)[0])
            scores.append(real_output(interpreter, 1)[0])
        return np.array(scores), np.array(geometry)

    return run


def dequantised_network(model: bytes) -> Network:
    """Return the network of ``model`` in float arithmetic, with the weights that int8 stands for.

    It knows what this model has: convolutions, a ReLU behind each but the two that end it.
    """
    import tensorflow as tf

    interpreter = tf.lite.Interpreter(model_content=model)
    details = {detail["index"]: detail for detail in interpreter.get_tensor_details()}
    outputs = [detail["index"] for detail in interpreter.get_output_details()]

    def constant(index: int) -> F32:
        quantised = details[index]["quantization_parameters"]
        shape = [1] * len(details[index]["shape"])
        shape[quantised["quantized_dimension"]] = -1
        scales = quantised["scales"].reshape(shape)
        return np.asarray(interpreter.get_tensor(index) * scales, np.float32)

    def run(pixels: U8) -> tuple[F32, F32]:
        picture = interpreter.get_input_details()[0]["index"]
        results: dict[int, list[F32]] = {index: [] for index in outputs}
        for batch in np.array_split(pixels, max(len(pixels) // 100, 1)):
            tensors: dict[int, Any] = {picture: network_input(batch)}
            for op in interpreter._get_ops_details():
                source, weights, bias = op["inputs"]
                (result,) = op["outputs"]
                stride = details[source]["shape"][1] // details[result]["shape"][1]
                depthwise = op["op_name"] == "DEPTHWISE_CONV_2D"
                convolve = tf.nn.depthwise_conv2d if depthwise else tf.nn.conv2d
                kernel = constant(weights).transpose(1, 2, 3, 0)
                value = convolve(tensors[source], kernel, [1, stride, stride, 1], "SAME")
                value += constant(bias)
                tensors[result] = value if result in outputs else tf.nn.relu(value)
            for index in outputs:
                results[index].append(tensors[index].numpy())
        geometry, scores = (np.concatenate(results[index]) for index in outputs)
        return scores, geometry

    return run


@dataclass(frozen=True)
class Judgement:
    """How a network did: ``precision`` is (classes, overlaps), ``found`` counts at THRESHOLD."""

    average_precision: F32
    objects: I64
    right: I64
    wrong: I64


def match(found: Detections, classes: I64, boxes: F32, kind: int, limit: float) -> list[bool]:
    """Tell for each detection of class ``kind`` whether it is an object not yet found."""
    free = classes == kind
    hits = []
    for box in found.boxes[found.classes == kind]:
        shared = overlap(box, boxes) * free
        best = int(np.argmax(shared)) if len(shared) else 0
        hit = bool(len(shared)) and bool(free[best]) and bool(shared[best] >= limit)
        free[best if hit else slice(0, 0)] = False
        hits.append(hit)
    return hits


def average_precision(scores: F32, hits: I64, objects: int) -> float:
    """Return the mean of the precision at 101 recalls from 0 to 1 (the definition of COCO)."""
    hits = hits[np.argsort(-scores, kind="stable")]
    right = np.cumsum(hits)
    recall = right / max(objects, 1)
    precision = right / np.arange(1, len(hits) + 1)
    envelope = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    places = np.searchsorted(recall, np.linspace(0.0, 1.0, 101), side="left")
    return float(envelope[places].mean())


def judge(found: list[Detections], scenes: Scenes, threshold: float = THRESHOLD) -> Judgement:
    """Compare what was found with what is there."""
    shape = (len(CLASSES), len(OVERLAPS))
    precision = np.zeros(shape, np.float32)
    right, wrong, objects = (np.zeros(len(CLASSES), np.int64) for _ in range(3))
    for kind in range(len(CLASSES)):
        objects[kind] = np.sum(scenes.classes == kind)
        scores = np.concatenate([each.scores[each.classes == kind] for each in found])
        for column, limit in enumerate(OVERLAPS):
            hits = np.array(
                [
                    hit
                    for each, classes, boxes in zip(
                        found, scenes.classes, scenes.boxes, strict=True
                    )
                    for hit in match(each, classes, boxes, kind, limit)
                ],
                np.int64,
            )
            precision[kind, column] = average_precision(scores, hits, int(objects[kind]))
            if column == 0:
                right[kind] = hits[scores >= threshold].sum()
                wrong[kind] = (1 - hits[scores >= threshold]).sum()
    return Judgement(precision, objects, right, wrong)


def detect(network: Network, scenes: Scenes) -> list[Detections]:
    """Run ``network`` on all ``scenes``."""
    outputs = zip(*network(scenes.pixels), strict=True)
    return [decode(logits, boxes, LOWEST, NMS, CAPACITY) for logits, boxes in outputs]


def describe(name: str, judgement: Judgement) -> str:
    """Return the figures of ``judgement`` as lines of text."""
    precision = judgement.average_precision
    lines = [
        f"{name}: mAP@0.5 {precision[:, 0].mean():.4f}, mAP@0.5:0.95 {precision.mean():.4f}; "
        f"at score {THRESHOLD}: recall {judgement.right.sum() / judgement.objects.sum():.4f}, "
        f"precision {judgement.right.sum() / (judgement.right + judgement.wrong).sum():.4f}"
    ]
    for kind, label in enumerate(CLASSES):
        right, wrong = judgement.right[kind], judgement.wrong[kind]
        lines.append(
            f"  {label:8} N {judgement.objects[kind]:5}, AP@0.5 {precision[kind, 0]:.4f}, "
            f"AP@0.5:0.95 {precision[kind].mean():.4f}, "
            f"recall {right / judgement.objects[kind]:.4f}, precision {right / (right + wrong):.4f}"
        )
    return "\n".join(lines)


def report(name: str, network: Network, validation_seed: int | None = None) -> None:
    """Print the figures on held-out scenes, or on familiar scenes of ``validation_seed``."""
    if validation_seed is not None:
        scenes = draw_scenes(validation_seed, HELD_OUT_SCENES)
        print(describe(f"{name}, validation", judge(detect(network, scenes), scenes)), flush=True)
        return
    for familiar in (True, False):
        scenes = draw_scenes(HELD_OUT_SEED, HELD_OUT_SCENES, familiar)
        title = f"{name}, {'familiar' if familiar else 'unfamiliar'} textures"
        print(describe(title, judge(detect(network, scenes), scenes)), flush=True)


def main() -> None:
    """Evaluate the model file given on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "shapes.tflite"
    parser.add_argument("model", type=Path, nargs="?", default=default, help="int8 .tflite file")
    parser.add_argument("--float", action="store_true", help="its weights in float arithmetic")
    arguments = parser.parse_args()
    model = arguments.model.read_bytes()
    if arguments.float:
        report("float arithmetic", dequantised_network(model))
    else:
        report("int8", int8_network(model))


if __name__ == "__main__":
    main()
