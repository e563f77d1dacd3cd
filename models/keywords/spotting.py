# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Spotting keywords in streams: smoothing of the network's outputs, streams to try it, scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from dataset import SNRS, draw_keyword, parallel, seeded
from features import FRAMES, HOP, I8, SPAN, features_of, window
from scenes import I16, Event, Rng, Scene, Utterance, compose, noises_of
from synth import RATE, draw_speaker, say
from text import KEYWORDS, UNKNOWN, other_words, sentence, similar_words
from tflite_micro.python.tflite_micro import runtime

STREAM_SECONDS = 60.0
LATEST = 1.0
"""A detection counts for a keyword until so many seconds after the keyword's end."""

SCORE_ONE = 32768
"""The scores of ``ranvier``'s stage ``smooth`` are Q15."""


@dataclass(frozen=True)
class Smoothing:
    """How detections follow from the network's outputs.

    The network runs every ``every`` hops of 20 ms. A keyword is detected when its probability,
    averaged over the last ``window`` runs, is the highest of all and at least ``threshold``; for
    ``refractory`` runs after a detection there is no other one. It is what the stage ``smooth``
    does with ``minimum`` as large as ``window`` and ``silence`` and ``unknown`` ignored.
    """

    every: int = 5
    window: int = 6
    threshold: float = 0.8
    refractory: int = 10


@dataclass(frozen=True)
class Detection:
    """A keyword detected, and the sample at which that was known."""

    at: int
    label: int


@dataclass(frozen=True)
class Stream:
    """The network's outputs for a stream, int8 (outputs, labels), and what was said when."""

    name: str
    samples: int
    outputs: I8
    events: tuple[Event, ...]


def detect(outputs: I8, smoothing: Smoothing) -> list[Detection]:
    """Return the detections in ``outputs``; integers only, as on a device."""
    needed = int(np.ceil(smoothing.threshold * SCORE_ONE))
    scores = (outputs.astype(np.int64) + 128) * (SCORE_ONE // 256)
    detections: list[Detection] = []
    quiet_until = 0
    for index in range(smoothing.window - 1, len(scores)):
        total = scores[index + 1 - smoothing.window : index + 1].sum(axis=0)
        label = int(np.argmax(total))
        mean = (int(total[label]) + smoothing.window // 2) // smoothing.window
        if label < len(KEYWORDS) and mean >= needed and index >= quiet_until:
            detections.append(Detection(SPAN + index * smoothing.every * HOP, label))
            quiet_until = index + 1 + smoothing.refractory
    return detections


@cache
def interpreter_of(model: bytes) -> runtime.Interpreter:
    """Return the interpreter of a model, one for each process."""
    return runtime.Interpreter.from_bytes(model)


def outputs_of(model: bytes, features: I8, every: int) -> I8:
    """Run the network over ``features``; the first output is after 49 frames."""
    interpreter = interpreter_of(model)
    outputs = []
    for start in range(0, len(features) - FRAMES + 1, every):
        interpreter.set_input(window(features, start)[np.newaxis, ..., np.newaxis], 0)
        interpreter.invoke()
        outputs.append(interpreter.get_output(0)[0].copy())
    return np.array(outputs, np.int8)


def network_outputs(model: bytes, sound: I16, every: int) -> I8:
    """Run front end and network over ``sound``."""
    return outputs_of(model, features_of(sound), every)


def scene_of(index: int, part: str, rng: Rng) -> tuple[str, Scene]:
    """Return a name and how stream number ``index`` sounds: one of ``SNRS`` in turn."""
    snr = SNRS[index % len(SNRS)]
    level = float(rng.uniform(-20.0, -1.0))
    reverberation = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.5 else 0.0
    if snr is None:
        return "clean", Scene("", 0.0, level, reverberation)
    return f"{snr} dB", Scene(str(rng.choice(noises_of(part))), snr, level, reverberation)


def keyword_stream(index: int, model: bytes, part: str, seed: int, every: int) -> Stream:
    """Return 16 keywords and 8 other words, 1 to 2 s between them, each by another speaker."""
    rng = seeded(seed, part, 4, index)
    utterances = [draw_keyword(part, rng) for _ in range(16)]
    for number in range(8):
        pool = similar_words(part) if number % 2 else other_words(part)
        words = str(rng.choice(pool))
        utterances.append(Utterance(say(words, draw_speaker(part, rng)), UNKNOWN, words))
    order = rng.permutation(len(utterances))
    gaps = [1.5, *rng.uniform(1.0, 2.0, len(order)).tolist()]
    name, scene = scene_of(index, part, rng)
    sound, events = compose([utterances[place] for place in order], gaps, scene, part, rng)
    return Stream(name, len(sound), network_outputs(model, sound, every), tuple(events))


def sentence_stream(index: int, model: bytes, part: str, seed: int, every: int) -> Stream:
    """Return a minute of sentences without keywords, 0.2 to 0.8 s between them."""
    rng = seeded(seed, part, 5, index)
    utterances: list[Utterance] = []
    gaps = [1.0]
    while sum(len(one.sound) for one in utterances) / RATE + sum(gaps) < STREAM_SECONDS:
        words = sentence(part, rng)
        utterances.append(Utterance(say(words, draw_speaker(part, rng)), UNKNOWN, words))
        gaps.append(float(rng.uniform(0.2, 0.8)))
    name, scene = scene_of(index, part, rng)
    sound, events = compose(utterances, gaps, scene, part, rng)
    return Stream(name, len(sound), network_outputs(model, sound, every), tuple(events))


def noise_stream(index: int, model: bytes, part: str, seed: int, every: int) -> Stream:
    """Return a minute of one kind of noise; babble is other speech."""
    rng = seeded(seed, part, 6, index)
    names = noises_of(part)
    name = names[index % len(names)]
    scene = Scene(name, level=float(rng.uniform(-30.0, 0.0)))
    sound, _ = compose([], [STREAM_SECONDS], scene, part, rng)
    return Stream(name, len(sound), network_outputs(model, sound, every), ())


KINDS = {"keywords": keyword_stream, "sentences": sentence_stream, "noise": noise_stream}


def streams_of(
    kind: str, model: bytes, part: str, number: int, every: int, seed: int, processes: int
) -> list[Stream]:
    """Return ``number`` streams of ``kind`` with the outputs of ``model``."""
    make = partial(KINDS[kind], model=model, part=part, seed=seed, every=every)
    return parallel(make, number, processes)


@dataclass(frozen=True)
class Score:
    """What became of the keywords of some streams, and how often another thing was taken for one.

    ``wrong`` keywords were detected, but as another one; ``false`` counts all other detections.
    """

    seconds: float
    keywords: int
    right: int
    wrong: int
    false: int
    delays: tuple[float, ...]
    taken: tuple[str, ...]


def score(streams: Sequence[Stream], smoothing: Smoothing) -> Score:
    """Compare the detections in ``streams`` with what was said."""
    keywords = right = wrong = false = 0
    delays: list[float] = []
    taken: list[str] = []
    for stream in streams:
        open_events = [event for event in stream.events if event.label != UNKNOWN]
        keywords += len(open_events)
        for detection in detect(stream.outputs, smoothing):
            near = [
                event
                for event in open_events
                if event.start <= detection.at <= event.end + LATEST * RATE
            ]
            exact = [event for event in near if event.label == detection.label]
            hit = (exact or near or [None])[0]
            if hit is None:
                false += 1
                said = [
                    event.words
                    for event in stream.events
                    if event.start <= detection.at <= event.end + LATEST * RATE
                ]
                taken.append(f"{KEYWORDS[detection.label]} for {' | '.join(said) or stream.name}")
                continue
            open_events.remove(hit)
            right += bool(exact)
            wrong += not exact
            if exact:
                delays.append((detection.at - hit.end) / RATE)
    seconds = sum(stream.samples for stream in streams) / RATE
    return Score(seconds, keywords, right, wrong, false, tuple(delays), tuple(taken))
