# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Clips of audio of every kind, the reference front end on them, and a network that shows features.

Run as a program it compares many clips: ``python tests/python/audio_clips.py --clips 1000``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType, Quant
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.model import Model
from ranvier.testing.tflite_builder import build_tflite
from signal_models import Reference

Samples = NDArray[np.int16]

PREPROCESSOR = (
    Path(__file__).resolve().parents[3]
    / "shared"
    / "models"
    / "tflm_audio_preprocessor_int8.tflite"
)
"""TensorFlow Lite Micro's audio front end as a model; not a part of the repository."""

RATE = 16000
WINDOW = 480
HOP = 320
FRAMES = 12
QUANT = Quant((26 / 256,), (-128,))
_LENGTH = WINDOW + HOP * (FRAMES - 1)


def _speech(rng: np.random.Generator) -> NDArray[np.float64]:
    """Voiced harmonics through moving formants, with pauses and breath."""
    time = np.arange(_LENGTH) / RATE
    pitch = rng.uniform(80, 300) * (1 + 0.2 * np.sin(2 * np.pi * rng.uniform(1, 5) * time))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    formants = rng.uniform((250, 800, 2000), (900, 2300, 3400))
    voice = np.zeros(_LENGTH)
    for harmonic in range(1, 25):
        hz = harmonic * pitch
        gain = sum(np.exp(-(((hz - formant) / 250) ** 2)) for formant in formants)
        voice += gain * np.sin(harmonic * phase)
    envelope = np.clip(np.sin(2 * np.pi * rng.uniform(2, 8) * time + rng.uniform(0, 6)), 0, 1)
    noise = rng.normal(0, rng.uniform(0, 0.3), _LENGTH)
    return np.asarray((voice * envelope + noise) * 10 ** rng.uniform(1.5, 4.3))


def _chirp(rng: np.random.Generator) -> NDArray[np.float64]:
    first, last = rng.uniform(20, 8000, 2)
    hz = np.linspace(first, last, _LENGTH)
    return np.asarray(np.sin(2 * np.pi * np.cumsum(hz) / RATE) * 10 ** rng.uniform(0, 4.6))


def _noise(rng: np.random.Generator) -> NDArray[np.float64]:
    return rng.normal(0, 10 ** rng.uniform(-0.5, 4.6), _LENGTH)


def _quiet(rng: np.random.Generator) -> NDArray[np.float64]:
    """Silence, or all but silence."""
    return np.asarray(rng.integers(-1, 2, _LENGTH) * (rng.random(_LENGTH) < rng.choice([0, 0.01])))


def _clipped(rng: np.random.Generator) -> NDArray[np.float64]:
    """A tone far beyond full scale: most samples are the largest or the smallest."""
    time = np.arange(_LENGTH) / RATE
    return np.asarray(1e6 * np.sin(2 * np.pi * rng.uniform(30, 7000) * time))


def _constant(rng: np.random.Generator) -> NDArray[np.float64]:
    level = float(rng.choice([-32768, 32767, int(rng.integers(-32768, 32768))]))
    return np.asarray(level + rng.integers(-1, 2, _LENGTH) * rng.choice([0, 1]))


def _impulses(rng: np.random.Generator) -> NDArray[np.float64]:
    clip = np.zeros(_LENGTH)
    at = rng.integers(0, _LENGTH, rng.integers(1, 30))
    clip[at] = rng.choice([-32768, 32767, 1, -1], len(at))
    return clip


def _alternating(rng: np.random.Generator) -> NDArray[np.float64]:
    period = int(rng.integers(1, 40))
    return np.where(np.arange(_LENGTH) // period % 2 == 0, 32767.0, -32768.0)


def _steps(rng: np.random.Generator) -> NDArray[np.float64]:
    """Levels that jump: the noise estimate is now far above, now far below."""
    levels = 10 ** rng.uniform(-1, 4.6, FRAMES + 1)
    return rng.normal(0, 1, _LENGTH) * np.repeat(levels, HOP + 40)[:_LENGTH]


def _extremes(rng: np.random.Generator) -> NDArray[np.float64]:
    return np.asarray(rng.choice([-32768.0, 32767.0, 0.0], _LENGTH, p=[0.45, 0.45, 0.1]))


KINDS: dict[str, Callable[[np.random.Generator], NDArray[np.float64]]] = {
    "speech": _speech,
    "chirp": _chirp,
    "noise": _noise,
    "silence": _quiet,
    "clipped": _clipped,
    "constant": _constant,
    "impulses": _impulses,
    "alternating": _alternating,
    "steps": _steps,
    "extremes": _extremes,
}


@dataclass(frozen=True)
class Clip:
    """A clip: its number, the name of its kind, its samples."""

    number: int
    kind: str
    samples: Samples

    def __str__(self) -> str:
        return f"clip {self.number} ({self.kind})"


def clip(number: int) -> Clip:
    """Always the same one for a number; kinds take turns."""
    kind = list(KINDS)[number % len(KINDS)]
    samples = KINDS[kind](np.random.default_rng([7, number]))
    return Clip(number, kind, np.clip(np.rint(samples), -32768, 32767).astype(np.int16))


def windows(samples: Samples, hop: int = HOP, window: int = WINDOW) -> Iterator[Samples]:
    """What the window holds after each whole hop, with zeros before the first sample."""
    padded = np.concatenate([np.zeros(window, np.int16), samples])
    for end in range(hop, len(samples) + 1, hop):
        yield padded[end : end + window].reshape(1, window)


def network(shape: tuple[int, ...], quant: Quant = QUANT, dtype: DType = DType.INT8) -> bytes:
    """A model whose output is its input."""
    make = Maker()
    make.inputs = [make.tensor(shape, quant, dtype)]
    flat = make.tensor((1, int(np.prod(shape))), quant, dtype)
    return build_tflite(make.graph(make.op("RESHAPE", make.inputs, flat)))


def streaming(shape: tuple[int, ...], stage: str = "audio", **given: Any) -> Model:
    """A package of that network with the stage before it."""
    options = CompileOptions(pipeline=pipeline_of([stage], []), name="audio")
    return Model(compile_model(network(shape, **given), "m.tflite", options).package)


def compare(clips: int) -> list[str]:
    """Whatever differs from the reference, of the model by itself and of the stage."""
    data = PREPROCESSOR.read_bytes()
    reference = Reference(data)
    alone = Model(compile_model(data, PREPROCESSOR.name).package)
    stage = streaming((1, FRAMES, 40, 1))
    wrong = []
    for number in range(clips):
        one = clip(number)
        for model in (reference, alone, stage):
            model.reset()
        expected = []
        for window in windows(one.samples):
            expected.append(reference(window)[0].ravel())
            if not np.array_equal(alone.run(window)[0].ravel(), expected[-1]):
                wrong.append(f"{one}: the model, frame {len(expected) - 1}")
        for hop in one.samples[: len(expected) * HOP].reshape(-1, 1, HOP):
            stage.run(hop, entry="push")
        newest = np.concatenate(expected[-FRAMES:])
        if not np.array_equal(stage.run(entry="infer")[0].ravel()[-newest.size :], newest):
            wrong.append(f"{one}: the stage")
    return wrong


def main() -> int:
    """Compare as many clips as are asked for; 0 where all are equal."""
    parser = argparse.ArgumentParser(description="Compare the audio front end with tflite-micro.")
    parser.add_argument("--clips", type=int, default=1000)
    clips: int = parser.parse_args().clips
    wrong = compare(clips)
    print("\n".join(wrong[:20]))
    print(f"{clips} clips of {_LENGTH // HOP} frames, {len(wrong)} differences")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
