# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the network sees: TensorFlow Lite Micro's audio front end, as a stream.

The front end is that project's ``audio_preprocessor_int8.tflite``, run by the ``tflite-micro``
interpreter. It keeps an estimate of the noise from frame to frame, so a stream is always run whole.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scenes import I16
from tflite_micro.python.tflite_micro import runtime

I8 = npt.NDArray[np.int8]

FRAME = 480
HOP = 320
CHANNELS = 40
FRAMES = 49
"""Frames that the network sees at once: 990 ms."""

SPAN = HOP * (FRAMES - 1) + FRAME
"""Samples from the first to the last that the network sees."""

SCALE = 26.0 / 256.0
ZERO_POINT = -128
"""The front end's output as a quantised tensor; its file does not say so, its last ops do."""

FRONT_END = Path(
    os.environ.get("AUDIO_FRONT_END")
    or Path(__file__).resolve().parents[3] / "shared/models/tflm_audio_preprocessor_int8.tflite"
)
"""The front end's model file; the environment variable AUDIO_FRONT_END names another place."""


@cache
def front_end() -> runtime.Interpreter:
    """Return the front end, one for each process."""
    return runtime.Interpreter.from_bytes(FRONT_END.read_bytes())


def features_of(sound: I16) -> I8:
    """Return the features of ``sound``, int8 (frames, 40), from a front end newly started."""
    interpreter = front_end()
    interpreter.reset()
    number = max(0, 1 + (len(sound) - FRAME) // HOP)
    features = np.empty((number, CHANNELS), np.int8)
    for index in range(number):
        start = index * HOP
        interpreter.set_input(sound[start : start + FRAME].reshape(1, FRAME), 0)
        interpreter.invoke()
        features[index] = interpreter.get_output(0)
    return features


def window(features: I8, start: int) -> I8:
    """Return what the network sees from frame ``start`` on."""
    return features[start : start + FRAMES]


def real(features: I8) -> npt.NDArray[np.float32]:
    """Return the real values of int8 features, with a channel dimension at the end."""
    values = (features.astype(np.float32) - ZERO_POINT) * np.float32(SCALE)
    return values[..., np.newaxis]
