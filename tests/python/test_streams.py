# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Sound: WAV files of every kind, streams through random networks, and commands that take them."""

from __future__ import annotations

import io
import itertools
import random
import struct
import wave
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audio_clips import HOP, PREPROCESSOR, QUANT, clip, windows
from cli_tools import names, put, ranvier
from packages import sealed
from random_models import Maker
from ranvier.audio import Stream, best_class, read_wav, sample_rate
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.errors import InputError, RanvierError
from ranvier.jobs import Lane, Scheduler
from ranvier.model import Model, Package
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from signal_models import Reference

FRAMES, WIDTH, CLASSES = 12, 40, 5
RATE = 16000
LABELS = ("silence", "yes", "no", "left", "right")


def audio_network(seed: int, kind: str = "LOGISTIC") -> bytes:
    """A random convolutional network on frames of features."""
    make = Maker(seed)
    x = make.tensor((1, FRAMES * WIDTH), QUANT)
    make.inputs = [x]
    grid = make.reshape(x, (1, FRAMES, WIDTH, 1))
    inner = make.unary(kind, make.conv(grid, 3, stride=2))
    inner = make.max_pool(make.depthwise(inner))
    return build_tflite(
        make.graph(make.fully_connected(make.reshape(inner, (1, inner.elements)), CLASSES))
    )


@cache
def compiled(*post: str, seed: int = 1, **options: Any) -> CompileResult:
    stages = pipeline_of(["audio"], post)
    chosen = CompileOptions(pipeline=stages, labels=LABELS, name="words", **options)
    return compile_model(audio_network(seed), "words.tflite", chosen)


def wav(samples: Any, rate: int = RATE, channels: int = 1, width: int = 2) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(bytes(samples))
    return buffer.getvalue()


def riff(
    encoding: int, bits: int, data: bytes, *, size: int | None = None, form: bytes = b""
) -> bytes:
    """A WAV file of one channel, with any number for the size of its samples."""
    head = struct.pack("<HHIIHH", encoding, 1, RATE, RATE * bits // 8, bits // 8, bits) + form
    told = len(data) if size is None else size
    chunks = b"WAVE" + b"fmt " + struct.pack("<I", len(head)) + head
    chunks += b"LIST" + struct.pack("<I", 3) + b"abc\0" + b"data" + struct.pack("<I", told) + data
    return b"RIFF" + struct.pack("<I", len(chunks) & 0xFFFFFFFF) + chunks


def extensible(encoding: int, bits: int) -> bytes:
    return struct.pack("<HHIH", 22, bits, 4, encoding) + bytes.fromhex(
        "000000001000800000aa00389b71"
    )


SOUND = np.random.default_rng(3).integers(-32768, 32768, 16000).astype(np.int16)
GOOD = wav(SOUND.tobytes())


# WAV files


@pytest.mark.parametrize(
    "data",
    [GOOD, riff(1, 16, SOUND.tobytes()), riff(0xFFFE, 16, SOUND.tobytes(), form=extensible(1, 16))],
)
def test_plain_samples_are_read(data: bytes) -> None:
    assert np.array_equal(read_wav(data, "a.wav", RATE), SOUND)


BAD = {
    "another rate": (wav(bytes(200), rate=8000), "has 8000 Hz, 1 channel, 16 bits; the package"),
    "no rate": (GOOD[:24] + bytes(4) + GOOD[28:], "has 0 Hz"),
    "stereo": (wav(bytes(200), channels=2), "has 16000 Hz, 2 channels"),
    "8 bits": (wav(bytes(99), width=1), "1 channel, 8 bits"),
    "24 bits": (wav(bytes(99), width=3), "1 channel, 24 bits"),
    "12 bits": (riff(1, 12, bytes(100)), "1 channel, 12 bits"),
    "float": (riff(3, 32, np.full(9, np.nan, "<f4").tobytes()), "WAV format 3, not PCM"),
    "u-law": (riff(7, 8, bytes(100)), "WAV format 7, not PCM"),
    "float, extensible": (riff(0xFFFE, 32, bytes(8), form=extensible(3, 32)), "WAV format 3"),
    "unknown, extensible": (riff(0xFFFE, 16, bytes(8), form=bytes(24)), "WAV format 65534"),
    "cut extensible": (riff(0xFFFE, 16, bytes(8)), "WAV format 65534"),
    "empty": (wav(b""), "has no samples"),
    "size 0": (riff(1, 16, bytes(100), size=0), "has no samples"),
    "half a sample": (riff(1, 16, bytes(101)), "ends within a sample"),
    "truncated": (GOOD[:-1000], "is truncated: 15500 of 16000 samples"),
    "truncated by a byte": (GOOD[:-1], "is truncated: 15999 of 16000 samples"),
    "without samples": (GOOD[:44], "is truncated: 0 of 16000 samples"),
    "cut header": (GOOD[:30], "without format and samples"),
    "cut size": (GOOD[:41], "without format and samples"),
    "only RIFF": (GOOD[:12], "without format and samples"),
    "samples first": (GOOD[:12] + GOOD[36:], "without format and samples"),
    "4 GB": (riff(1, 16, bytes(100), size=0xFFFFFFFF), "is truncated: 50 of 2147483647 samples"),
    "RF64": (b"RF64" + GOOD[4:], "is no WAV file"),
    "big-endian": (b"RIFX" + GOOD[4:], "is no WAV file"),
    "AVI": (GOOD[:8] + b"AVI " + GOOD[12:], "is no WAV file"),
    "nothing": (b"", "is no WAV file"),
}


@pytest.mark.parametrize("name", BAD)
def test_other_files_are_refused(name: str) -> None:
    data, reason = BAD[name]
    with pytest.raises(InputError) as caught:
        read_wav(data, "a b.wav", RATE)
    assert caught.value.message.startswith("a b.wav: ")
    assert reason in caught.value.message
    assert caught.value.remedy


def test_the_remedy_can_be_pasted_into_a_shell() -> None:
    with pytest.raises(InputError, match=r"sox 'a \$b.wav' -r 16000 -c 1 -b 16 out.wav"):
        read_wav(wav(bytes(200), rate=8000), "a $b.wav", RATE)


def test_a_file_cut_or_damaged_anywhere_is_refused_or_read() -> None:
    data = wav(SOUND[:40].tobytes())
    for end in range(len(data)):
        with pytest.raises(InputError):
            read_wav(data[:end], "a.wav", RATE)
    rng = random.Random(5)
    for _ in range(3000):
        spoilt = bytearray(data)
        for _ in range(rng.randint(1, 4)):
            spoilt[rng.randrange(len(data))] = rng.randrange(256)
        try:
            samples = read_wav(bytes(spoilt), "a.wav", RATE)
        except InputError:
            continue
        assert samples.dtype == np.int16
        assert 0 < samples.size <= 40


# Streams


@pytest.mark.parametrize("post", [(), ("softmax", "top_k:k=3")])
@pytest.mark.parametrize("seed", range(4))
def test_streams_through_random_networks(seed: int, post: tuple[str, ...]) -> None:
    """The reference's features through the reference's network, against one package."""
    if not PREPROCESSOR.is_file():
        pytest.skip("the reference front end is not there")
    kind = ["LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU"][seed]
    model = audio_network(seed, kind)
    options = CompileOptions(pipeline=pipeline_of(["audio"], post), max_step_macs=3000)
    stream = Stream(Package(compile_model(model, "m.tflite", options).package), every=3)
    front, network = Reference(PREPROCESSOR.read_bytes()), TfliteMicroOracle(model)
    sound = np.concatenate([clip(10 * seed + number).samples for number in (0, 2, 4)])
    pieces = np.split(sound, np.sort(np.random.default_rng(seed).integers(0, len(sound), 9)))
    found = list(itertools.chain.from_iterable(map(stream.feed, pieces)))
    assert len(found) == len(sound) // HOP // 3
    frames = np.zeros((0, WIDTH), np.int8)
    expected = {}
    for number, window in enumerate(windows(sound), 1):
        frames = np.concatenate([frames, front(window)[0].reshape(1, WIDTH)])[-FRAMES:]
        if number % 3 == 0:
            missing = np.zeros((FRAMES - len(frames), WIDTH), np.int8)
            (expected[number * HOP],) = network.run(
                [np.concatenate([missing, frames]).reshape(1, -1)]
            )
    outputs = Model(compile_model(model, "m.tflite").package).package.outputs[0]
    for inference in found:
        want = expected[inference.samples]
        if not post:
            assert np.array_equal(inference.outputs[0], want)
        else:
            count, entries = inference.outputs
            _check_best(count, entries, outputs.dequantise(want).ravel())
    assert len({value.tobytes() for value in expected.values()}) > 3


def _check_best(count: NDArray[Any], entries: NDArray[Any], real: NDArray[Any]) -> None:
    """Three classes, whose probabilities are the highest ones to within 8 bits."""
    power = np.exp(real.astype(np.float64) - real.max())
    chances = power / power.sum()
    assert count[0] == 3
    assert len(set(entries[:, 0])) == 3
    for score, number, best in zip(
        entries[:, 1] / 32768, entries[:, 0], np.sort(chances)[::-1], strict=False
    ):
        assert abs(score - chances[number]) < 1.5 / 256
        assert abs(score - best) < 1.5 / 256
    assert not entries[:, 2:].any()


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize(("isa", "optimize"), [("dsp", "speed"), ("base", "memory")])
def test_streams_are_the_same_however_it_was_compiled(
    mode: IoMode, isa: str, optimize: str
) -> None:
    post = ("softmax", "smooth:window=2,threshold=0.1,minimum=1,refractory=1")
    plain = compiled(*post)
    other = compiled(*post, input_mode=mode, isa=isa, optimize=optimize, max_step_macs=2000)
    marked = compiled(*post, input_mode=mode, npu="sim")
    runs = []
    for result in (plain, other, marked):
        assert Model(result.package).selftest()
        runs.append([i.outputs for i in Stream(Package(result.package), 2).feed(SOUND)])
    for outputs in zip(*runs, strict=True):
        for one, two, three in zip(*outputs, strict=True):
            assert np.array_equal(one, two)
            assert np.array_equal(one, three)
    assert any(count[0] for count, _ in runs[0])


def test_samples_are_taken_at_once_and_none_is_lost() -> None:
    package = Package(compiled().package)
    whole = [i.outputs[0].tolist() for i in Stream(package, 1).feed(SOUND)]
    stream = Stream(package, 1)
    stream.feed(SOUND[:1000])  # nobody asks for what is due
    first = next(stream.feed(SOUND[1000:9000]))
    rest = list(stream.feed(SOUND[9000:]))
    assert [i.outputs[0].tolist() for i in (first, *rest)] == whole
    assert rest[-1].samples == len(SOUND) // HOP * HOP


@pytest.mark.parametrize(
    "samples",
    [np.zeros(320), np.zeros((2, 320), np.int16), np.full(320, np.nan), np.zeros(320, np.int64)],
)
def test_a_stream_takes_int16_of_one_channel(samples: NDArray[Any]) -> None:
    with pytest.raises(InputError, match="a stream takes one row of int16 samples"):
        Stream(Package(compiled().package)).feed(samples)


def test_packages_that_take_no_stream_are_refused() -> None:
    plain = Package(compile_model(audio_network(1), "m.tflite").package)
    with pytest.raises(InputError, match="takes no stream: its entry points are infer"):
        Stream(plain)
    with pytest.raises(InputError, match="does not say at which rate"):
        sample_rate(plain)
    with pytest.raises(InputError, match="an inference every 0 hops"):
        Stream(Package(compiled().package), 0)


@pytest.mark.parametrize("rate", [0, -1, "16000", None, 1.5, [3]])
def test_a_rate_that_is_none_is_refused(rate: Any) -> None:
    content = compiled().content
    meta = {**content.meta, "pipeline": {"pre": [{"stage": "audio", "sample_rate": rate}, 3]}}
    package = Package(write_package(replace(content, meta=meta)))
    with pytest.raises(InputError, match="does not say at which rate"):
        sample_rate(package)


@pytest.mark.parametrize(
    ("entry", "inputs", "message"),
    [
        ("nothing", 0, "has no entry point 'nothing'"),
        ("", 0, "has no entry point ''"),
        ("push", 0, "entry point 'push' has 1 inputs, 0 were given"),
        (None, 0, "entry point 'push' has 1 inputs, 0 were given"),
        ("infer", 1, "entry point 'infer' has 0 inputs, 1 were given"),
        ("reset", 1, "entry point 'reset' has 0 inputs, 1 were given"),
    ],
)
def test_entry_points_and_inputs_that_do_not_fit(
    entry: str | None, inputs: int, message: str
) -> None:
    package = Package(compiled().package)
    given = [np.zeros(HOP, np.int16)] * inputs
    with pytest.raises(InputError, match=message):
        Model(package).run(*given, entry=entry)
    with Scheduler([Lane(65536)]) as scheduler:
        model = scheduler.open(package, lanes=[0])
        with pytest.raises(InputError, match=message):
            scheduler.submit(model, *given, lane=0, entry=entry)


def test_a_swap_keeps_state_of_the_same_layout_only() -> None:
    """Another network goes on with the features that the first one was given."""
    first, same = compiled(), compiled(seed=2)
    other = compiled("softmax", "smooth")
    assert first.content.state_layout == same.content.state_layout != other.content.state_layout
    expected = []
    for result in (same, other):
        model = Model(result.package)
        for hop in SOUND[: 8 * HOP].reshape(-1, HOP) if result is same else ():
            model.run(hop, entry="push")
        expected.append(model.run(entry="infer"))
    got = []
    for result in (same, other):
        with Scheduler([Lane(65536)]) as scheduler:
            opened = scheduler.open(first.package, lanes=[0])
            for hop in SOUND[: 8 * HOP].reshape(-1, HOP):
                scheduler.submit(opened, hop, lane=0, entry="push").result(5)
            swapped = scheduler.swap(opened, result.package)
            got.append(scheduler.submit(swapped, lane=0, entry="infer").result(5).outputs)
    for ours, theirs in zip(got, expected, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_damage_that_is_sealed_again_is_refused_or_runs() -> None:
    rng = random.Random(9)
    data = compiled("softmax", "smooth").package
    opened = 0
    for _ in range(400):
        spoilt = bytearray(data)
        for _ in range(rng.choice([1, 1, 2, 4])):
            spoilt[rng.randrange(len(data) - 100)] = rng.choice([0, 1, 127, 128, 255])
        try:
            package = Package(sealed(bytes(spoilt)))
            model = Model(package)
            for entry in package.entries * 2:
                model.run(*(np.full(i.shape, 77, i.dtype) for i in entry.inputs), entry=entry.name)
        except RanvierError:
            continue
        opened += 1
    assert opened > 20


# Commands


def heard(folder: Path, post: Sequence[str], data: bytes = GOOD, name: str = "a.wav") -> list[Any]:
    package = put(folder, "words.rnv", compiled(*post).package)
    answer = ranvier("run", package, "-i", put(folder, name, data), "--every", 7, "--json")
    assert answer.code == 0, answer.both
    found: list[Any] = answer.json["found"]
    return found


def test_every_inference_is_named(tmp_path: Path) -> None:
    (scores,) = compiled().content.entries[1].outputs
    info = Package(compiled().package).info(scores)
    want = [
        info.dequantise(i.outputs[0]).ravel()
        for i in Stream(Package(compiled().package), 7).feed(SOUND)
    ]
    rows = heard(tmp_path, ())
    assert [row["label"] for row in rows] == [LABELS[int(real.argmax())] for real in want]
    assert [row["score"] for row in rows] == [pytest.approx(real.max()) for real in want]
    assert [row["seconds"] for row in rows] == pytest.approx([0.14 * n for n in range(1, 8)])
    for post in (("argmax",), ("softmax", "top_k:k=1"), ("dequantize",)):
        assert [row["label"] for row in heard(tmp_path, post)] == [row["label"] for row in rows]


def test_argmax_has_no_score(tmp_path: Path) -> None:
    assert {row["score"] for row in heard(tmp_path, ("argmax",))} == {None}
    package = tmp_path / "words.rnv"
    text = ranvier("run", package, "-i", tmp_path / "a.wav", "--every", 25).out
    assert [line.split()[2] for line in text.splitlines()[1:3]] == ["-", "-"]


@pytest.mark.parametrize("name", ["a.raw", "a.WAV", "a.wave", "a"])
def test_raw_samples_and_wav_files_under_any_name(name: str, tmp_path: Path) -> None:
    data = SOUND.tobytes() if name == "a.raw" else GOOD
    assert heard(tmp_path, (), data, name) == heard(tmp_path, ())


def test_clipped_and_silent_sound_is_heard(tmp_path: Path) -> None:
    loud = np.tile(np.array([32767, -32768], np.int16), 8000)
    for samples in (loud, np.zeros(16000, np.int16), np.full(16000, -32768, np.int16)):
        rows = heard(tmp_path, ("softmax",), wav(samples.tobytes()))
        assert len(rows) == 7
        assert all(0 <= row["score"] <= 1 for row in rows)


def test_sound_shorter_than_an_inference(tmp_path: Path) -> None:
    package = put(tmp_path, "words.rnv", compiled().package)
    short = put(tmp_path, "a.wav", wav(SOUND[:100].tobytes()))
    answer = ranvier("run", package, "-i", short)
    assert answer.code == 0
    assert "0.01 s are too short for an inference every 5 hops" in answer.out


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.wav", BAD["another rate"][0], "has 8000 Hz"),
        ("a.wav", b"", "is no WAV file"),
        ("a.raw", b"", "0 bytes are no 16-bit samples"),
        ("a.raw", bytes(3), "3 bytes are no 16-bit samples"),
        ("a.mp3", b"ID3\4" + bytes(100), "is an MP3 file"),
        ("a.flac", b"fLaC" + bytes(100), "is a FLAC file"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "is a PNG image"),
        ("a.npy", b"\x93NUMPY" + bytes(100), "is a NumPy array"),
        ("a.wav", b"RF64" + GOOD[4:], "is an RF64 file"),
    ],
)
def test_files_that_are_no_sound(name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    package = put(tmp_path, "words.rnv", compiled().package)
    answer = ranvier("run", package, "-i", put(tmp_path, name, data))
    assert answer.code == 3
    assert f"error: {tmp_path / name}: {reason}" in answer.both
    assert "try: " in answer.both


def test_wrong_usage_with_sound(tmp_path: Path) -> None:
    package = put(tmp_path, "words.rnv", compiled().package)
    sound = put(tmp_path, "a.wav", GOOD)
    options = {"--output": tmp_path / "o.npz", "--draw": tmp_path / "o.png", "--pixel-scale": 1}
    for option, value in options.items():
        answer = ranvier("run", package, "-i", sound, option, value)
        assert answer.code == 2
        assert f"takes sound: leave {option} out" in answer.both
    answer = ranvier("run", package, "-i", sound, "-i", sound)
    assert answer.code == 3
    assert "2 files were given for one stream of sound" in answer.both
    assert names(tmp_path) == ["a.wav", "words.rnv"]


def test_a_package_whose_inference_puts_out_nothing(tmp_path: Path) -> None:
    content = compiled().content
    push, infer, reset = content.entries
    silent = tuple(replace(t, is_output=False) for t in content.tensors)
    broken = replace(content, tensors=silent, entries=(push, replace(infer, outputs=()), reset))
    try:
        package = Package(write_package(replace(broken, golden=None)))
    except RanvierError:
        return
    with pytest.raises(InputError, match="infer puts out nothing"):
        best_class(package, next(Stream(package, 1).feed(SOUND)))


@pytest.mark.parametrize(
    "post", [(), ("softmax",), ("dequantize",), ("argmax",), ("softmax", "smooth")]
)
def test_labels_are_those_of_the_network(post: Sequence[str], tmp_path: Path) -> None:
    """The first entry point has no output to count them by."""
    model = put(tmp_path, "m.tflite", audio_network(1))
    stages = [word for stage in post for word in ("--post", stage)]
    for count, code in ((CLASSES, 0), (CLASSES - 1, 3), (CLASSES + 1, 3)):
        labels = put(tmp_path, "l.txt", b"a\n" * count)
        answer = ranvier(
            *("compile", model, "-o", tmp_path / "m.rnv", "--pre", "audio", *stages),
            *("--labels", labels),
        )
        assert answer.code == code, answer.both
        assert code == 0 or f"{count} labels" in answer.both


def test_every_entry_point_is_profiled(tmp_path: Path) -> None:
    """So that costs can limit the steps of all of them."""
    package = put(tmp_path, "words.rnv", compiled("softmax", "smooth").package)
    costs = tmp_path / "c.json"
    answer = ranvier(
        *("profile", package, "--runs", 3, "--json", "--costs", costs),
        *("--perfetto", tmp_path / "p.json"),
    )
    assert answer.code == 0, answer.both
    (model,) = answer.json["models"]
    steps = compiled("softmax", "smooth").content.steps
    assert [step["runs"] for step in model["steps"]] == [3] * len(steps)
    assert model["completed"] == model["response"]["count"] == 9
    spent = sum(step["mean_us"] for step in model["steps"])
    assert 3 * model["response"]["mean_us"] == pytest.approx(spent)
    source = put(tmp_path, "words.tflite", audio_network(1))
    again = ranvier(
        *("compile", source, "-o", tmp_path / "s.rnv", "--pre", "audio", "--post", "softmax"),
        *("--post", "smooth", "--costs", costs, "--max-step-us", 1000),
    )
    assert again.code == 0, again.both


def test_a_package_with_stages_is_no_match_for_its_model(tmp_path: Path) -> None:
    model = put(tmp_path, "words.tflite", audio_network(1))
    chosen = CompileOptions(pipeline=pipeline_of([], ["softmax"]))
    alike = compile_model(audio_network(1), "words.tflite", chosen).package
    for data in (compiled().package, alike):
        answer = ranvier("validate", model, put(tmp_path, "words.rnv", data))
        assert answer.code == 3
        assert "has stages before or after the network" in answer.both
        assert "try: validate the network alone" in answer.both


@pytest.mark.parametrize(
    "command",
    [["analyze"], ["analyze", "--json"], ["ops"], ["profile", "--runs", "1"]],
)
def test_commands_take_packages_of_several_entry_points(command: list[str], tmp_path: Path) -> None:
    package = put(tmp_path, "words.rnv", compiled("softmax", "smooth").package)
    answer = ranvier(command[0], package, *command[1:])
    assert answer.code == 0, answer.both


@pytest.mark.parametrize(
    ("stage", "message"),
    [
        (f"audio:sample_rate=1{'0' * 400}", "is not a whole number"),
        (f"audio:sample_rate=1{'0' * 5000}", "is not a whole number"),
        (f"audio:window_ms=1{'0' * 400}", "is not a number"),
        (f"audio:sample_rate=0x{'f' * 4000}", "sample_rate = a huge number is not a whole number"),
        ("audio:hop_ms=1\nwindow_ms=3", "hop_ms = '1\\nwindow_ms=3' is not a number"),
        ("audio:features={a=1}", "features = {'a': 1} is not 'log_mel' or 'mfcc'"),
        ("audio:\x1b[31m=3", "'\\x1b[31m' is no option"),
        ("audio:hop_ms=inf", "hop_ms = inf at 16000 Hz is inf samples"),
        ("audio:window_ms=1e300", "a window of 1e+300 ms at 16000 Hz has 1.6e+301 samples"),
        ("normalize", "stage normalize needs the pixels of image"),
        ("a" * 10**6, "aaa... is no stage"),
        (f"audio:{'a' * 10**6}=3", "aaa... is no option"),
    ],
)
def test_options_beyond_all_bounds(stage: str, message: str, tmp_path: Path) -> None:
    model = put(tmp_path, "m.tflite", audio_network(1))
    out = tmp_path / "m.rnv"
    answer = ranvier("compile", model, "-o", out, "--pre", stage)
    assert answer.code == 3
    assert message in answer.both
    assert len(answer.both) < 1000
    name, _, option = stage.partition(":")
    if "\n" not in option and option:
        key, _, value = option.partition("=")
        if key.isidentifier():
            text = f'[[pre]]\nstage = "{name}"\n{key} = {value}\n'.encode()
            answer = ranvier("compile", model, "-o", out, "--pipeline", put(tmp_path, "p", text))
            assert answer.code == 3
            assert "Traceback" not in answer.both


def test_stages_in_an_order_that_cannot_be(tmp_path: Path) -> None:
    model = put(tmp_path, "m.tflite", audio_network(1))
    picture = "image:format=grey,size=[8,8]"
    for stages in (
        ["--pre", "audio", "--pre", "audio"],
        ["--pre", "audio", "--pre", "normalize"],
        ["--pre", picture, "--pre", "audio"],
        ["--pre", "audio", "--post", "top_k", "--post", "softmax"],
        ["--pre", "audio", "--post", "nms"],
        ["--pre", "audio", "--post", "dequantize", "--post", "argmax"],
        ["--pre", "audio", "--post", "smooth", "--post", "smooth"],
    ):
        answer = ranvier("compile", model, "-o", tmp_path / "m.rnv", *stages)
        assert answer.code == 3, answer.both
        assert "error: stage " in answer.both
        assert "try: " in answer.both
    assert names(tmp_path) == ["m.tflite"]


def test_a_pipeline_file_is_not_written_over(tmp_path: Path) -> None:
    """One with a byte order mark, as some editors write it, is a pipeline as well."""
    model = put(tmp_path, "m.tflite", audio_network(1))
    text = "\ufeff[[pre]]\r\nstage = 'audio'\r\n".encode()
    stages = put(tmp_path, "m.toml", text)
    answer = ranvier("compile", model, "-o", stages, "--pipeline", stages)
    assert answer.code == 2
    assert "is named twice" in answer.both
    assert stages.read_bytes() == text
    answer = ranvier("compile", model, "-o", tmp_path / "m.rnv", "--pipeline", stages)
    assert answer.code == 0, answer.both


def test_a_network_that_is_its_input_and_one_with_two(tmp_path: Path) -> None:
    make = Maker(1)
    same = make.tensor((1, FRAMES * WIDTH), QUANT)
    make.inputs = [same]
    options = CompileOptions(pipeline=pipeline_of(["audio"], []))
    for mode in IoMode:
        chosen = replace(options, input_mode=mode)
        model = Model(compile_model(build_tflite(make.graph(same)), "m.tflite", chosen).package)
        for hop in SOUND.reshape(-1, HOP):
            model.run(hop, entry="push")
        (features,) = model.run(entry="infer")
        assert len(np.unique(features)) > 10
    other = make.tensor((1, FRAMES * WIDTH))
    make.inputs = [same, other]
    total = make.binary("ADD", same, other)
    package = Package(compile_model(build_tflite(make.graph(total)), "m.tflite", options).package)
    with pytest.raises(InputError, match="entry point 'infer' has 1 inputs, 0 were given"):
        list(Stream(package, 1).feed(SOUND))
    answer = ranvier(
        "run", put(tmp_path, "m.rnv", package.data), "-i", put(tmp_path, "a.wav", GOOD)
    )
    assert answer.code == 3
    assert "entry point 'infer' has 1 inputs" in answer.both
