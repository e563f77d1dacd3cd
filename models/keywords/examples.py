# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Write examples/: single words and a stream by held-out voices, and what is said when in it."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
from scenes import I16, Event, Scene, Utterance, compose
from synth import RATE, draw_speaker, say
from text import LABELS, UNKNOWN

FOLDER = Path(__file__).parent / "examples"
SEED = 7

STREAM = ("yes", "yellow", "stop", "left", "the teacher was late", "go", "up")
"""What is said in stream.wav, each by another voice and in noise of 20 dB."""

WORDS = (("down", Scene()), ("right", Scene("babble", 10.0)))
"""Words of the other files, and how they sound."""

WORD_GAPS = (1.5, 1.0)
"""Background before and after a word: for the front end's noise estimate, and for smoothing."""

WORD_SEED = 1
"""The first one with which the pipeline of samples/keyword_spotting finds both words."""


def write_wav(path: Path, sound: I16) -> None:
    """Write ``sound`` as a mono 16-bit WAV."""
    with wave.open(str(path), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        writer.writeframes(sound.astype("<i2").tobytes())


def spoken(words: str, rng: np.random.Generator) -> Utterance:
    """Say ``words`` by a voice of the test part."""
    label = LABELS.index(words) if words in LABELS else UNKNOWN
    return Utterance(say(words, draw_speaker("test", rng)), label, words)


def lines(events: list[Event]) -> str:
    """Return a table of what is said when, in seconds."""
    rows = ["# start end label words"]
    rows += [
        f"{event.start / RATE:.2f} {event.end / RATE:.2f} {LABELS[event.label]} {event.words}"
        for event in events
    ]
    return "\n".join(rows) + "\n"


def main() -> None:
    """Write the examples; the same bytes every time."""
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(SEED)
    for number, (words, scene) in enumerate(WORDS):
        own = np.random.default_rng([WORD_SEED, number])
        sound, _ = compose([spoken(words, own)], WORD_GAPS, scene, "test", own)
        write_wav(FOLDER / f"{words}.wav", sound)
        compose([spoken(words, rng)], [0.3, 0.3], scene, "test", rng)  # draws before stream.wav's
    gaps = [1.2] + [0.7] * (len(STREAM) - 1) + [1.0]
    said = [spoken(words, rng) for words in STREAM]
    sound, events = compose(said, gaps, Scene("pink", 20.0), "test", rng)
    write_wav(FOLDER / "stream.wav", sound)
    (FOLDER / "stream.txt").write_text(lines(events))


if __name__ == "__main__":
    main()
