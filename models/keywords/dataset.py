# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What the network is trained on and judged by: windows of streams, clips, and long streams.

Everything is drawn from seeds: stream or clip number i of a part depends on (seed, part, i) alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from features import FRAMES, HOP, I8, SPAN, features_of, window
from scenes import Event, Rng, Scene, Utterance, compose, draw_scene, noises_of
from synth import (
    FLITE_VOICES,
    RATE,
    accents_of,
    draw_speaker,
    resampled,
    say,
    say_by_flite,
    sounds_like_keyword,
    variants_of,
)
from text import (
    KEYWORDS,
    PARTS,
    SILENCE,
    UNKNOWN,
    made_up_word,
    other_words,
    sentence,
    similar_words,
)

I64 = npt.NDArray[np.int64]
T = TypeVar("T")

STREAM_UTTERANCES = 10
WINDOWS_OF_KEYWORD = 3
WINDOWS_OF_OTHER = 1
WINDOWS_OF_SILENCE = 2

MOST_WORD_SECONDS = 0.95
"""A keyword has to fit into what the network sees at once."""

SNRS = (None, 20, 10, 5, 0)
"""Conditions of the test clips: no noise, or noise at that ratio in dB."""


def seeded(seed: int, part: str, *numbers: int) -> Rng:
    """Return the generator of one item."""
    return np.random.default_rng([seed, PARTS.index(part), *numbers])


def parallel(function: Callable[[int], T], number: int, processes: int) -> list[T]:
    """Return ``function`` of 0 to ``number`` - 1, computed by ``processes`` processes."""
    with get_context("spawn").Pool(processes) as pool:
        return pool.map(function, range(number), chunksize=4)


def draw_keyword(part: str, rng: Rng) -> Utterance:
    """Draw a keyword said by a speaker of ``part``, 10 % slower to 10 % faster than made."""
    label = int(rng.integers(len(KEYWORDS)))
    while True:
        sound = say(KEYWORDS[label], draw_speaker(part, rng))
        sound = resampled(sound, float(rng.uniform(0.9, 1.1)))
        if len(sound) <= MOST_WORD_SECONDS * RATE:
            return Utterance(sound, label, KEYWORDS[label])


def draw_other(part: str, rng: Rng) -> Utterance:
    """Draw something else: a sentence, another word, or (training only) a made-up word."""
    kind = rng.random()
    if kind < 0.35:
        words = sentence(part, rng)
    elif kind < 0.55:
        words = str(rng.choice(similar_words(part)))
    elif kind < 0.75 or part != "train":
        words = str(rng.choice(other_words(part)))
    else:
        words = made_up_word(rng)
        while sounds_like_keyword(words):
            words = made_up_word(rng)
    sound = say(words, draw_speaker(part, rng))
    return Utterance(resampled(sound, float(rng.uniform(0.9, 1.1))), UNKNOWN, words)


def overlap(event: Event, start: int) -> int:
    """Return how many samples of ``event`` the network sees from frame ``start`` on."""
    first = start * HOP
    return max(0, min(event.end, first + SPAN) - max(event.start, first))


def label_of(events: Sequence[Event], start: int) -> int | None:
    """Return the label of what the network sees from frame ``start`` on, if it is clear.

    A keyword, of which 95 % are seen; silence, if nothing is said; unknown, if others speak for at
    least 0.15 s and no more than 30 % of a keyword are seen.
    """
    parts = [(event, overlap(event, start)) for event in events]
    seen = [(event, length / (event.end - event.start)) for event, length in parts if length]
    if not seen:
        return SILENCE
    keywords = [(event.label, share) for event, share in seen if event.label != UNKNOWN]
    whole = [label for label, share in keywords if share >= 0.95]
    other = sum(length for event, length in parts if event.label == UNKNOWN)
    if whole:
        clear = all(share >= 0.95 or share <= 0.3 for _, share in keywords)
        return whole[-1] if clear and len(whole) == 1 else None
    if other >= 0.15 * RATE and all(share <= 0.3 for _, share in keywords):
        return UNKNOWN
    return None


def stream_windows(index: int, part: str, seed: int) -> tuple[I8, I64]:
    """Return windows of stream number ``index`` with their labels."""
    rng = seeded(seed, part, 1, index)
    utterances = [
        draw_keyword(part, rng) if rng.random() < 0.55 else draw_other(part, rng)
        for _ in range(STREAM_UTTERANCES)
    ]
    gaps = rng.uniform(0.15, 1.0, STREAM_UTTERANCES + 1)
    gaps[0] += rng.uniform(0.5, 2.0)
    gaps[-1] += 1.0
    if rng.random() < 0.5:
        gaps[int(rng.integers(1, STREAM_UTTERANCES))] += 1.5
    sound, events = compose(utterances, gaps.tolist(), draw_scene(part, rng), part, rng)
    features = features_of(sound)
    labels = [label_of(events, start) for start in range(len(features) - FRAMES + 1)]
    by_label: dict[int, list[int]] = {}
    for start, label in enumerate(labels):
        if label is not None:
            by_label.setdefault(label, []).append(start)
    starts = [
        start
        for label, places in by_label.items()
        for start in rng.permutation(places)[: wanted_windows(label, events)]
    ]
    windows = np.stack([window(features, start) for start in starts])
    return windows, np.array([labels[start] for start in starts], dtype=np.int64)


def wanted_windows(label: int, events: Sequence[Event]) -> int:
    """Return how many windows of a label a stream gives: by the number and length of its events."""
    if label == SILENCE:
        return WINDOWS_OF_SILENCE
    if label == UNKNOWN:
        seconds = sum(event.end - event.start for event in events if event.label == label) / RATE
        return int(WINDOWS_OF_OTHER * np.ceil(2.0 * seconds))
    return WINDOWS_OF_KEYWORD * sum(event.label == label for event in events)


def windows_of_streams(part: str, seed: int, streams: int, processes: int) -> tuple[I8, I64]:
    """Return the windows of all streams of ``part`` with their labels."""
    made = parallel(partial(stream_windows, part=part, seed=seed), streams, processes)
    return np.concatenate([windows for windows, _ in made]), np.concatenate(
        [labels for _, labels in made]
    )


@dataclass(frozen=True)
class Clip:
    """What the network sees of one utterance, int8 (len(SNRS), 49, 40), and whose it is."""

    windows: I8
    label: int
    speaker: str


def clip_of(utterance: Utterance, speaker: str, part: str, rng: Rng) -> Clip:
    """Return ``utterance`` after 1.5 to 2.5 s of the same background, at each of ``SNRS``.

    All of a word is seen, or a second of a sentence.
    """
    gaps = [float(rng.uniform(1.5, 2.5)), 1.5]
    level = float(rng.uniform(-20.0, -1.0))
    reverberation = float(rng.uniform(0.1, 0.6)) if rng.random() < 0.5 else 0.0
    noise = str(rng.choice(noises_of(part)))
    place = float(rng.random())
    windows = []
    for snr in SNRS:
        scene = Scene(noise if snr is not None else "", snr or 0.0, level, reverberation)
        sound, events = compose([utterance], gaps, scene, part, rng)
        windows.append(window(features_of(sound), first_frame(events[0], place)))
    return Clip(np.stack(windows), utterance.label, speaker)


def silent_clip(speaker: str, part: str, rng: Rng) -> Clip:
    """Return nothing said: at each of ``SNRS`` a noise as loud as it would be under speech."""
    level = float(rng.uniform(-20.0, -1.0))
    noise = str(rng.choice(noises_of(part)))
    windows = []
    for snr in SNRS:
        scene = Scene(noise if snr is not None else "", level=level - (snr or 0.0))
        sound, _ = compose([], [3.5], scene, part, rng)
        windows.append(window(features_of(sound), int(rng.integers(75, 120))))
    return Clip(np.stack(windows), SILENCE, speaker)


def first_frame(event: Event, place: float) -> int:
    """Return the first of the frames that see all of ``event``, or nothing but it if it is long.

    ``place`` from 0 to 1 chooses among those that do.
    """
    low, high = sorted((event.end - SPAN, event.start))
    low_frame, high_frame = -(-low // HOP), high // HOP
    return low_frame + round(place * (high_frame - low_frame))


def speaker_clips(index: int, part: str, seed: int) -> list[Clip]:
    """Return the clips of speaker number ``index``: silence, each keyword, and other words."""
    rng = seeded(seed, part, 2, index)
    accents, variants = accents_of(part), variants_of(part)
    accent = accents[index % len(accents)]
    variant = variants[index // len(accents) % len(variants)]
    words = [
        *KEYWORDS,
        str(rng.choice(similar_words(part))),
        str(rng.choice(other_words(part))),
        sentence(part, rng),
    ]
    clips = [silent_clip(accent, part, rng)]
    for number, said in enumerate(words):
        sound = say(said, draw_speaker(part, rng, variant, accent))
        label = number if number < len(KEYWORDS) else UNKNOWN
        if label == UNKNOWN or len(sound) <= MOST_WORD_SECONDS * RATE:
            clips.append(clip_of(Utterance(sound, label, said), accent, part, rng))
    return clips


def flite_clips(index: int, seed: int) -> list[Clip]:
    """Return the clips of a voice of the other synthesiser: each keyword and two other words."""
    part = "test"
    rng = seeded(seed, part, 3, index)
    voice = FLITE_VOICES[index % len(FLITE_VOICES)]
    clips = []
    words = [*KEYWORDS, str(rng.choice(similar_words(part))), str(rng.choice(other_words(part)))]
    for number, said in enumerate(words):
        sound = say_by_flite(said, voice, float(rng.uniform(0.8, 1.2)))
        label = number if number < len(KEYWORDS) else UNKNOWN
        if len(sound) <= MOST_WORD_SECONDS * RATE:
            clips.append(clip_of(Utterance(sound, label, said), voice, part, rng))
    return clips


def clips_of_speakers(part: str, seed: int, processes: int) -> list[Clip]:
    """Return the clips of every variant with every accent of ``part``."""
    number = len(accents_of(part)) * len(variants_of(part))
    made = parallel(partial(speaker_clips, part=part, seed=seed), number, processes)
    return [clip for clips in made for clip in clips]


def clips_of_flite(seed: int, processes: int) -> list[Clip]:
    """Return the clips of the other synthesiser, each voice six times."""
    made = parallel(partial(flite_clips, seed=seed), 6 * len(FLITE_VOICES), processes)
    return [clip for clips in made for clip in clips]
