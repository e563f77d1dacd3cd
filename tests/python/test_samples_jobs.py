# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The samples with jobs as programs of this host: what they hear and see, and bad input."""

from __future__ import annotations

import json
import re
import sys
import wave
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from test_samples import ROOT, Ended, needs_cmake, run

KEYWORDS = ROOT / "models" / "keywords"
SHAPES = ROOT / "models" / "shapes"
STREAM = KEYWORDS / "examples" / "stream.wav"
PICTURES = [SHAPES / "examples" / f"camera{i}.png" for i in range(2)]
RATE = 16_000
HOP = 320
HOPS_PER_INFERENCE = 5
FRAME_BYTES = 160 * 120 * 2

pytestmark = needs_cmake


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `ranvier` command that is this interpreter with the package under test."""
    path = tmp_path_factory.mktemp("bin") / "ranvier"
    path.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c 'from ranvier.cli import main; main()' \"$@\"\n"
    )
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def program(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds a sample when it is first asked for; files are heard as fast as possible."""
    built: dict[str, Path] = {}

    def build(name: str) -> Path:
        if name not in built:
            folder = tmp_path_factory.mktemp(name)
            options = (f"-DRANVIER_COMMAND={command}", "-DAUDIO_REALTIME=OFF")
            run("cmake", "-S", ROOT / "samples" / name, "-B", folder, *options).check()
            run("cmake", "--build", folder).check()
            built[name] = folder / name
        return built[name]

    return build


@pytest.fixture(scope="module")
def frames(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example pictures as a file of raw frames."""
    path = tmp_path_factory.mktemp("frames") / "frames.bin"
    run(command, "frames", *PICTURES, "--format", "rgb565", "-o", path).check()
    return path


def write_wav(
    path: Path, samples: np.ndarray, rate: int = RATE, channels: int = 1, width: int = 2
) -> Path:
    """A WAV file of plain samples."""
    with wave.open(str(path), "wb") as file:
        file.setframerate(rate)
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.writeframes(samples.astype("<i2" if width == 2 else np.uint8).tobytes())
    return path


def read_wav(path: Path) -> np.ndarray:
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), "<i2")


# Sound


def heard(said: str) -> list[tuple[float, str]]:
    """Times and words that were printed."""
    found = re.findall(r"^(\d+\.\d\d) s: (\w+) \(\d+ %\)$", said, re.MULTILINE)
    return [(float(time), word) for time, word in found]


def spoken() -> list[tuple[float, float, str]]:
    """Start, end and word of the keywords of the example."""
    lines = (KEYWORDS / "examples" / "stream.txt").read_text().splitlines()
    rows = [line.split(maxsplit=3) for line in lines if not line.startswith("#")]
    return [
        (float(start), float(end), label) for start, end, label, _ in rows if label != "unknown"
    ]


def check_job_counts(said: str, samples: int) -> None:
    """Every hop was pushed, and every fifth one followed by an inference."""
    hops = samples // HOP
    for name, count in (("push", hops), ("infer", hops // HOPS_PER_INFERENCE)):
        assert re.search(rf"{name}: {count} jobs, .* 0 failed$", said, re.MULTILINE), said


def test_keywords_of_the_stream(program: Callable[[str], Path]) -> None:
    """Each keyword is heard once, after its end and soon; other words are not."""
    said = run(program("keyword_spotting"), STREAM).check()
    events, expected = heard(said), spoken()
    assert [word for _, word in events] == [word for _, _, word in expected], said
    for (time, _), (start, end, word) in zip(events, expected, strict=True):
        assert start + 0.3 < time < end + 1.0, word
    assert f"{len(expected)} keywords" in said
    check_job_counts(said, read_wav(STREAM).size)
    assert run(program("keyword_spotting")).check().startswith("listening\n"), "a file by default"


@pytest.mark.parametrize(("seconds", "level"), [(1.7, 0), (1.23, 40_000)])
def test_silence_and_clipped_noise_are_no_keywords(
    seconds: float, level: int, program: Callable[[str], Path], tmp_path: Path
) -> None:
    noise = np.random.default_rng(3).normal(0.0, level, int(seconds * RATE))
    samples = np.clip(noise, -32768, 32767).astype(np.int16)
    said = run(program("keyword_spotting"), write_wav(tmp_path / "a.wav", samples)).check()
    assert "\n0 keywords\n" in said
    check_job_counts(said, samples.size)


def test_an_incomplete_hop_is_left_out(program: Callable[[str], Path], tmp_path: Path) -> None:
    samples = np.zeros(HOP * 2 - 1)
    said = run(program("keyword_spotting"), write_wav(tmp_path / "a.wav", samples)).check()
    check_job_counts(said, samples.size)


def test_other_chunks_are_skipped(program: Callable[[str], Path], tmp_path: Path) -> None:
    """A list of odd length before the samples, as editors of sound write it."""
    data = write_wav(tmp_path / "a.wav", np.zeros(HOP * 5)).read_bytes()
    chunk = b"LIST" + (5).to_bytes(4, "little") + b"INFO!\0"
    (tmp_path / "b.wav").write_bytes(data[:36] + chunk + data[36:])
    said = run(program("keyword_spotting"), tmp_path / "b.wav").check()
    check_job_counts(said, HOP * 5)


@dataclass(frozen=True)
class Sound:
    """A WAV file that is refused."""

    name: str
    data: Callable[[Path], object]
    reason: str


def cut(path: Path) -> None:
    """Half of the samples that the file's head promises."""
    write_wav(path, np.zeros(HOP * 10))
    path.write_bytes(path.read_bytes()[: 44 + HOP * 10])


TONE = np.zeros(HOP * 10)
SOUNDS = [
    Sound("missing", lambda path: None, "No such file"),
    Sound("folder", lambda path: path.mkdir(), "no WAV file"),
    Sound("empty", lambda path: path.write_bytes(b""), "no WAV file"),
    Sound("text", lambda path: path.write_text("a text that is no sound"), "no WAV file"),
    Sound("only a head", lambda path: path.write_bytes(b"RIFF\0\0\0\0WAVE"), "no samples"),
    Sound("no samples", lambda path: write_wav(path, np.zeros(0)), "no samples"),
    Sound("8 kHz", lambda path: write_wav(path, TONE, rate=8000), "not plain samples at 16 kHz"),
    Sound("44.1 kHz", lambda path: write_wav(path, TONE, rate=44_100), "not plain samples"),
    Sound("stereo", lambda path: write_wav(path, TONE, channels=2), "mono"),
    Sound("8 bits", lambda path: write_wav(path, TONE, width=1), "16 bits"),
    Sound("truncated", cut, "the file is truncated"),
]


@pytest.mark.parametrize("sound", SOUNDS, ids=lambda sound: sound.name)
def test_sound_that_cannot_be_used(
    sound: Sound, program: Callable[[str], Path], tmp_path: Path
) -> None:
    sound.data(tmp_path / "a.wav")
    ended = run(program("keyword_spotting"), tmp_path / "a.wav")
    assert ended.code == 1, ended.said
    assert sound.reason in ended.said
    if "truncated" in sound.reason:
        assert ended.said == "the file is truncated; record or copy it again\n", "at once"
    else:
        assert "convert it: sox" in ended.said or "No such file" in ended.said


def clip(source: Path, target: Path, *seconds: str) -> Ended:
    return run(
        sys.executable, ROOT / "samples/keyword_spotting/wav_to_c.py", source, target, *seconds
    )


def test_clip_that_is_linked_in(tmp_path: Path) -> None:
    clip(STREAM, tmp_path / "clip.h", "0.5").check()
    text = (tmp_path / "clip.h").read_text()
    numbers = [int(number) for number in re.findall(r"-?\d+", text.partition("{")[2])]
    assert numbers == read_wav(STREAM)[: RATE // 2].tolist()


def test_clip_without_arguments() -> None:
    ended = run(sys.executable, ROOT / "samples/keyword_spotting/wav_to_c.py")
    assert ended.code == 2
    assert "usage: wav_to_c.py CLIP.wav clip.h [SECONDS]" in ended.said
    assert "Traceback" not in ended.said


@pytest.mark.parametrize("sound", SOUNDS, ids=lambda sound: sound.name)
def test_clip_that_cannot_be_linked_in(sound: Sound, tmp_path: Path) -> None:
    sound.data(tmp_path / "a.wav")
    ended = clip(tmp_path / "a.wav", tmp_path / "clip.h")
    assert ended.code == 1
    assert re.search(r"a\.wav: .*[a-z].*(give a WAV file|convert it: sox)", ended.said), ended.said
    assert "Traceback" not in ended.said
    assert not (tmp_path / "clip.h").exists()


# Pictures

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Thing:
    """An object and its box: y0, x0, y1, x1 in pixels of the camera's picture."""

    name: str
    box: Box


def seen(said: str) -> list[list[Thing]]:
    """Objects of each frame that were printed."""
    every: list[list[Thing]] = []
    for block in re.split(r"^frame \d+: (?=\d+ objects$)", said, flags=re.MULTILINE)[1:]:
        pattern = r"^  (\w+) \(\d+ %\) y (\d+) to (\d+), x (\d+) to (\d+)$"
        rows = re.findall(pattern, block, re.MULTILINE)
        assert len(rows) == int(block.split()[0])
        every.append([Thing(n, (int(a), int(c), int(b), int(d))) for n, a, b, c, d in rows])
    return every


def area(box: Box) -> float:
    return max(box[2] - box[0], 0.0) * max(box[3] - box[1], 0.0)


def common(a: Box, b: Box) -> Box:
    return (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))


def overlap(a: Box, b: Box) -> float:
    """Intersection over union."""
    both = area(common(a, b))
    return both / (area(a) + area(b) - both)


def there(picture: Path) -> Iterator[tuple[Thing, float]]:
    """What is on a picture's middle, 120x120 pixels, and how much of it."""
    content = json.loads((SHAPES / "examples" / "objects.json").read_text())
    for entry in content[picture.name]["objects"]:
        whole: Box = tuple(entry["box"])
        visible = common(whole, (0, 20, 120, 140))
        if area(visible) > 0.0:
            yield Thing(entry["class"], visible), area(visible) / area(whole)


def matches(found: Thing, true: Thing) -> bool:
    return found.name == true.name and overlap(found.box, true.box) > 0.5


def test_objects_of_the_pictures(program: Callable[[str], Path], frames: Path) -> None:
    """All that is whole is found, and what is found is there."""
    said = run(program("vision"), frames).check()
    every = seen(said)
    assert re.search(r"^frame: 2 jobs, .* 0 failed$", said, re.MULTILINE)
    assert len(every) == len(PICTURES)
    for picture, found in zip(PICTURES, every, strict=True):
        objects = list(there(picture))
        whole = [thing for thing, part in objects if part > 0.9]
        assert whole, "the picture tests something"
        for thing in whole:
            assert sum(matches(other, thing) for other in found) == 1, (picture.name, thing, said)
        for other in found:
            assert any(matches(other, thing) for thing, _ in objects), (picture.name, other)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "No such file"),
        (b"", f"frame 1 has 0 of {FRAME_BYTES} bytes"),
        (bytes(100), f"frame 1 has 100 of {FRAME_BYTES} bytes"),
        (bytes(FRAME_BYTES * 2 - 1), f"frame 2 has {FRAME_BYTES - 1} of {FRAME_BYTES} bytes"),
    ],
    ids=["missing", "empty", "short", "second short"],
)
def test_frames_that_cannot_be_used(
    data: bytes | None, reason: str, program: Callable[[str], Path], tmp_path: Path
) -> None:
    if data is not None:
        (tmp_path / "frames.bin").write_bytes(data)
    ended = run(program("vision"), tmp_path / "frames.bin")
    assert ended.code == 1
    assert reason in ended.said


def test_no_file_of_frames(program: Callable[[str], Path]) -> None:
    ended = run(program("vision"))
    assert ended.code == 1
    assert "ranvier frames PICTURE.png ... --format rgb565 -o FILE" in ended.said


# Both at once


def test_two_models_at_once(program: Callable[[str], Path], frames: Path, tmp_path: Path) -> None:
    """Each says what it says alone."""
    sound = write_wav(tmp_path / "a.wav", read_wav(STREAM)[: 3 * RATE])
    alone = heard(run(program("keyword_spotting"), sound).check())
    pictures = seen(run(program("vision"), frames).check())
    said = run(program("multi_model"), sound).check()
    assert alone, "the sound tests something"
    assert heard(said) == alone
    check_job_counts(said, 3 * RATE)
    every = seen(re.sub(r"^\d+\.\d\d s: .*\n", "", said, flags=re.MULTILINE))
    assert every
    for number, found in enumerate(every):
        assert found == pictures[number % len(pictures)]
    assert re.search(rf"^best-effort frame: {len(every)} jobs, .* 0 failed$", said, re.MULTILINE)


@pytest.mark.parametrize("sound", [SOUNDS[0], SOUNDS[-1]], ids=lambda sound: sound.name)
def test_two_models_without_sound(
    sound: Sound, program: Callable[[str], Path], tmp_path: Path
) -> None:
    sound.data(tmp_path / "a.wav")
    ended = run(program("multi_model"), tmp_path / "a.wav")
    assert ended.code == 1
    assert sound.reason in ended.said
