# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Streams of sound: utterances one after the other, in a room, in noise, as int16.

The noises are made here too. The ratio of speech to noise (SNR) compares the mean power of an
utterance, its pauses included, with the mean power of the noise in the whole stream.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import signal
from synth import F32, RATE, draw_speaker, say
from text import sentence

I16 = npt.NDArray[np.int16]
Rng = np.random.Generator

BABBLE_SENTENCES = 40
"""Sentences of which the babble of a part is made."""


@dataclass(frozen=True)
class Utterance:
    """What is said, and its label."""

    sound: F32
    label: int
    words: str = ""


@dataclass(frozen=True)
class Event:
    """Where an utterance lies in a stream, in samples, and its label."""

    start: int
    end: int
    label: int
    words: str = ""


@dataclass(frozen=True)
class Scene:
    """How a stream sounds: ``noise`` names a function of ``NOISES``, empty for none.

    ``level`` is the peak of the stream in dB of full scale; above 0 it clips. ``tilt`` between -1
    and 1 darkens (below 0) or brightens everything, as microphones do.
    """

    noise: str = ""
    snr: float = 20.0
    level: float = -6.0
    reverberation: float = 0.0
    tilt: float = 0.0


def coloured(length: int, exponent: float, rng: Rng) -> F32:
    """Noise whose power falls with frequency to the power of ``exponent``."""
    spectrum = np.fft.rfft(rng.standard_normal(length))
    frequency = np.maximum(np.arange(len(spectrum)), len(spectrum) / 200.0)
    return np.fft.irfft(spectrum * frequency ** (-exponent / 2.0), length).astype(np.float32)


def hum(length: int, rng: Rng) -> F32:
    """Mains hum of 50 or 60 Hz with harmonics, over faint white noise."""
    time = np.arange(length) / RATE
    base = float(rng.choice([50.0, 60.0]))
    sound = 0.02 * rng.standard_normal(length)
    for harmonic in range(1, 16):
        level = rng.uniform(0.0, 1.0) / harmonic
        sound += level * np.sin(2 * np.pi * (harmonic * base * time + rng.uniform()))
    return sound.astype(np.float32)


def fan(length: int, rng: Rng) -> F32:
    """A band of noise that swells and ebbs."""
    low = rng.uniform(100.0, 1500.0)
    sections = signal.butter(2, [low, low * rng.uniform(1.5, 4.0)], "band", fs=RATE, output="sos")
    sound = signal.sosfilt(sections, rng.standard_normal(length))
    time = np.arange(length) / RATE
    swell = 1.0 + rng.uniform(0.2, 0.9) * np.sin(2 * np.pi * rng.uniform(0.2, 8.0) * time)
    return (sound * swell).astype(np.float32)


def clicks(length: int, rng: Rng) -> F32:
    """Knocks and clicks: about four a second, each a short ringing burst."""
    impulses = np.zeros(length)
    number = int(rng.poisson(4.0 * length / RATE)) + 1
    impulses[rng.integers(0, length, number)] = rng.uniform(0.2, 1.0, number)
    time = np.arange(RATE // 10) / RATE
    burst = np.exp(-time * rng.uniform(40.0, 600.0)) * (
        np.sin(2 * np.pi * rng.uniform(200.0, 4000.0) * time)
        + rng.uniform(0.0, 1.0) * rng.standard_normal(len(time))
    )
    return signal.fftconvolve(impulses, burst)[:length].astype(np.float32)


def tones(length: int, rng: Rng) -> F32:
    """Tunes: notes of a pentatonic scale with harmonics, up to three at once."""
    sound = np.zeros(length)
    for _ in range(int(rng.integers(1, 4))):
        place = 0
        sharpness = rng.uniform(1.0, 3.0)
        while place < length:
            time = np.arange(min(int(rng.uniform(0.1, 0.6) * RATE), length - place)) / RATE
            steps = float(rng.choice([-24, -22, -20, -17, -15, -12, -10, -8, -5, -3, 0, 2, 4]))
            pitch = 440.0 * 2.0 ** (steps / 12.0)
            note = sum(
                np.sin(2 * np.pi * harmonic * pitch * time) / harmonic**sharpness
                for harmonic in range(1, 8)
            )
            attack = np.minimum(time / 0.02, 1.0) * np.exp(-time * rng.uniform(1.0, 8.0))
            sound[place : place + len(time)] += note * attack
            place += len(time)
    return sound.astype(np.float32)


@cache
def babble_sentences(part: str) -> list[F32]:
    """Return the sentences of which the babble of ``part`` is made."""
    rng = np.random.default_rng(sum(part.encode()))
    sounds = []
    for _ in range(BABBLE_SENTENCES):
        sound = say(sentence(part, rng), draw_speaker(part, rng))
        sounds.append(sound / np.sqrt(np.mean(sound**2)))
    return sounds


def babble(length: int, part: str, rng: Rng) -> F32:
    """Four to eight voices of ``part`` that talk at once, without keywords."""
    sound = np.zeros(length, np.float32)
    pool = babble_sentences(part)
    for _ in range(int(rng.integers(4, 9))):
        place = -int(rng.integers(0, RATE))
        gain = np.float32(rng.uniform(0.3, 1.0))
        while place < length:
            words = pool[int(rng.integers(len(pool)))]
            begin, end = max(place, 0), min(place + len(words), length)
            if end > begin:
                sound[begin:end] += gain * words[begin - place : end - place]
            place += len(words) + int(rng.uniform(0.0, 0.5) * RATE)
    return sound


def sweeps(length: int, rng: Rng) -> F32:
    """A siren: a tone with harmonics whose pitch rises and falls."""
    time = np.arange(length) / RATE
    pitch = rng.uniform(400.0, 1200.0) * 2.0 ** np.sin(2 * np.pi * rng.uniform(0.2, 4.0) * time)
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return (np.sin(phase) + 0.3 * np.sin(2 * phase) + 0.1 * np.sin(3 * phase)).astype(np.float32)


def rain(length: int, rng: Rng) -> F32:
    """Drops: hundreds of small random impulses a second, through a low pass."""
    drops = rng.standard_normal(length) ** 3 * (rng.random(length) < rng.uniform(0.01, 0.1))
    sections = signal.butter(1, rng.uniform(1000.0, 6000.0), fs=RATE, output="sos")
    return np.asarray(signal.sosfilt(sections, drops), np.float32)


NOISES: dict[str, Callable[[int, str, Rng], F32]] = {
    "white": lambda length, part, rng: coloured(length, 0.0, rng),
    "pink": lambda length, part, rng: coloured(length, 1.0, rng),
    "brown": lambda length, part, rng: coloured(length, 2.0, rng),
    "hum": lambda length, part, rng: hum(length, rng),
    "fan": lambda length, part, rng: fan(length, rng),
    "clicks": lambda length, part, rng: clicks(length, rng),
    "tones": lambda length, part, rng: tones(length, rng),
    "babble": babble,
    "sweeps": lambda length, part, rng: sweeps(length, rng),
    "rain": lambda length, part, rng: rain(length, rng),
}

TEST_NOISES = ("sweeps", "rain")
"""Noises that are never trained on."""


def noises_of(part: str) -> list[str]:
    """Return the names of the noises of ``part``."""
    return [name for name in NOISES if part == "test" or name not in TEST_NOISES]


def reverberated(sound: F32, seconds: float, rng: Rng) -> F32:
    """Add a room's echo: noise that decays by 60 dB in ``seconds``, after the direct sound."""
    time = np.arange(int(seconds * RATE)) / RATE
    response = rng.standard_normal(len(time)) * 10.0 ** (-3.0 * time / seconds)
    response *= rng.uniform(0.2, 0.8) / np.sqrt(np.sum(response**2))
    response[0] = 1.0
    return signal.fftconvolve(sound, response)[: len(sound)].astype(np.float32)


def compose(
    utterances: Sequence[Utterance],
    gaps: Sequence[float],
    scene: Scene,
    part: str,
    rng: Rng,
) -> tuple[I16, list[Event]]:
    """Put ``utterances`` in a row, after a gap each (seconds), one more gap at the end.

    Each has the same mean power within 3 dB up or down.
    """
    events = []
    length = sum(len(utterance.sound) for utterance in utterances)
    length += sum(int(gap * RATE) for gap in gaps)
    sound = np.zeros(length, np.float32)
    place = 0
    for utterance, gap in zip(utterances, gaps, strict=False):
        place += int(gap * RATE)
        end = place + len(utterance.sound)
        gain = 10.0 ** (rng.uniform(-3.0, 3.0) / 20.0)
        sound[place:end] = gain * utterance.sound / np.sqrt(np.mean(utterance.sound**2))
        events.append(Event(place, end, utterance.label, utterance.words))
        place = end
    if scene.reverberation > 0.0:
        sound = reverberated(sound, scene.reverberation, rng)
    if scene.noise:
        noise = NOISES[scene.noise](length, part, rng)
        sound += noise * np.float32(10.0 ** (-scene.snr / 20.0) / np.sqrt(np.mean(noise**2)))
    if scene.tilt:
        sound = np.asarray(signal.lfilter([1.0, -scene.tilt], 1.0, sound), np.float32)
    sound *= np.float32(10.0 ** (scene.level / 20.0) / max(float(np.abs(sound).max()), 1e-9))
    floor = rng.uniform(0.0, 4.0) * rng.standard_normal(length)
    return np.clip(np.rint(32767.0 * sound + floor), -32768, 32767).astype(np.int16), events


def draw_scene(part: str, rng: Rng) -> Scene:
    """Draw how a stream sounds: one of six without noise, the others at -2 to 30 dB."""
    return Scene(
        noise="" if rng.random() < 1 / 6 else str(rng.choice(noises_of(part))),
        snr=float(rng.uniform(-2.0, 30.0)),
        level=float(rng.uniform(-30.0, 1.0)),
        reverberation=float(rng.uniform(0.1, 0.6)) if rng.random() < 0.5 else 0.0,
        tilt=float(rng.uniform(-0.6, 0.9)) if rng.random() < 0.5 else 0.0,
    )
