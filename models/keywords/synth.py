# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Who says it: speech by espeak-ng (and flite, for a test only), its voices split into three parts.

Sound is float32, 16 kHz, mono, full scale 1.
"""

from __future__ import annotations

import io
import subprocess
import wave
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from scipy import signal
from text import KEYWORDS

F32 = npt.NDArray[np.float32]

RATE = 16000

ACCENTS = ("en-gb", "en-us", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbclan", "en-029")
"""Accents of all parts."""

TEST_ACCENTS = ("en-us-nyc", "en-gb-x-gbcwmd")
"""Accents of the test alone."""

VARIANTS = {
    "train": """Alex Alicia Denis Gene Gene2 Henrique Jacky Marco Mario Nguyen RicishayMax
        RicishayMax2 RicishayMax3 Storm Tweaky adam anika antonio benjamin boris croak david ed
        f1 f3 grandma grandpa gustave iven iven2 iven3 iven4 klatt klatt2 klatt3 klatt4 klatt5
        klatt6 m1 m2 m3 m5 m8 marcelo max miguel norbert pablo pedro rob shelby steph steph2
        steph3 travis victor zac""",
    "validate": "m6 f5 Mike linda Hugo paul robert caleb Andrea",
    "test": """m4 m7 f2 f4 Andy Annie Diogo Lee announcer aunty belinda edward edward2 john
        kaukovalta quincy""",
}
"""espeak-ng's variants: other formants, pitch and voice quality. Numbered ones stay together.

Left out: whispers, robots, and what repeats another one or changes only the speed.
"""

FLITE_VOICES = ("kal16", "awb", "rms", "slt")


@dataclass(frozen=True)
class Speaker:
    """A voice and how it speaks."""

    accent: str
    variant: str
    words_per_minute: int
    pitch: int


def variants_of(part: str) -> list[str]:
    """Return the variants of ``part``."""
    return VARIANTS[part].split()


def accents_of(part: str) -> tuple[str, ...]:
    """Return the accents of ``part``."""
    return ACCENTS + (TEST_ACCENTS if part == "test" else ())


def draw_speaker(
    part: str, rng: np.random.Generator, variant: str = "", accent: str = ""
) -> Speaker:
    """Draw a speaker of ``part``; variant and accent may be given."""
    return Speaker(
        accent=accent or str(rng.choice(accents_of(part))),
        variant=variant or str(rng.choice(variants_of(part))),
        words_per_minute=int(rng.integers(110, 211)),
        pitch=int(rng.integers(20, 81)),
    )


def run(command: list[str]) -> bytes:
    """Run a synthesiser and return what it writes."""
    return subprocess.run(command, check=True, capture_output=True).stdout


def read_wav(data: bytes) -> F32:
    """Return the sound of a mono 16-bit WAV, at 16 kHz."""
    with wave.open(io.BytesIO(data)) as reader:
        rate = reader.getframerate()
        frames = reader.readframes(reader.getnframes())
    sound = np.frombuffer(frames, np.int16) / 32768.0
    if rate != RATE:
        common = int(np.gcd(rate, RATE))
        sound = signal.resample_poly(sound, RATE // common, rate // common)
    return sound.astype(np.float32)


def trimmed(sound: F32) -> F32:
    """Cut off what is more than 40 dB below the loudest 10 ms at either end."""
    frame = RATE // 100
    padded = np.pad(sound, (0, -len(sound) % frame)).reshape(-1, frame)
    power = np.mean(padded**2, axis=1)
    loud = np.flatnonzero(power > 1e-4 * power.max())
    return sound[loud[0] * frame : (loud[-1] + 1) * frame]


def say(words: str, speaker: Speaker) -> F32:
    """Speak ``words`` by espeak-ng; silence at the ends is cut off."""
    return trimmed(
        read_wav(
            run(
                [
                    "espeak-ng",
                    "--stdout",
                    f"-v{speaker.accent}+{speaker.variant}",
                    f"-s{speaker.words_per_minute}",
                    f"-p{speaker.pitch}",
                    words,
                ]
            )
        )
    )


def say_by_flite(words: str, voice: str, stretch: float) -> F32:
    """Speak ``words`` by flite, ``stretch`` times as slowly as the voice's normal."""
    command = ["flite", "-voice", voice, "--setf", f"duration_stretch={stretch:.2f}"]
    return trimmed(read_wav(run([*command, "-t", words, "-o", "/dev/stdout"])))


@cache
def phonemes(words: str) -> str:
    """Return espeak-ng's phonemes of ``words``, without stress."""
    text = run(["espeak-ng", "-q", "-x", "-ven-us", words]).decode()
    return "".join(sign for sign in text if sign not in "',%=_ \n")


def sounds_like_keyword(words: str) -> bool:
    """Tell whether ``words`` contains all the sounds of a keyword, one after the other."""
    return any(phonemes(keyword) in phonemes(words) for keyword in KEYWORDS)


def resampled(sound: F32, factor: float) -> F32:
    """Play ``factor`` times as fast: pitch and formants rise with it."""
    places = np.arange(0, len(sound) - 1, factor)
    return np.interp(places, np.arange(len(sound)), sound).astype(np.float32)
