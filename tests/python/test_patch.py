# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed packages and deltas: what is encoded is decoded, by the core and by the SPEC."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import numpy as np
import pytest

from patch_decoders import END, OK, by_the_core, by_the_spec
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import PackageError
from ranvier.package.patch import HEADER, base_facts, encode, encode_runs, make_patch
from ranvier.package.patch_plan import Kind, Run, plan

MODELS = Path(__file__).resolve().parents[2] / "models"
NAMES = ("digits/digits.tflite", "keywords/keywords.tflite", "shapes/shapes.tflite")


def package_of(model: bytes, **options: object) -> bytes:
    return compile_model(model, "model.tflite", CompileOptions(**options)).package  # type: ignore[arg-type]


def check(data: bytes, base: bytes | None = None) -> bytes:
    """The stream, after a round trip through both decoders."""
    stream = encode(data, base)
    assert by_the_spec(stream, base or b"") == data
    assert by_the_core(stream, len(data), base or b"") == (END, data)
    return stream


def noise(count: int, seed: int, few: int = 256) -> bytes:
    source = random.Random(seed)
    return bytes(source.randrange(few) for _ in range(count))


DATA = {
    "nothing": b"",
    "one byte": b"x",
    "zeros": bytes(5000),
    "noise": noise(3000, 1),
    "few values": noise(3000, 2, 5),
    "a period": b"0123456789abcdef!" * 300,
    "words": struct.pack("<600I", *range(0, 60000, 100)),
}


@pytest.mark.parametrize("name", DATA)
def test_any_bytes(name: str) -> None:
    data = DATA[name]
    stream = check(data)
    if name in ("zeros", "a period"):
        assert len(stream) < 70
    assert len(stream) < len(data) * 1.03 + 40


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("other", DATA)
def test_any_bytes_against_any(name: str, other: str) -> None:
    check(DATA[name], DATA[other])


def test_what_the_base_has_costs_little() -> None:
    base = noise(8000, 3)
    assert len(check(base, base)) < 40
    moved = base[:3000] + noise(52, 4) + base[3000:]
    assert len(check(moved, base)) < 52 + 60
    swapped = base[4000:] + base[:4000]
    assert len(check(swapped, base)) < 70
    one_byte = bytearray(base)
    one_byte[5000] ^= 1
    assert len(check(bytes(one_byte), base)) < 50


def test_small_differences_cost_less_than_the_bytes() -> None:
    base = noise(8000, 5)
    near = bytes((b + random.Random(i).choice((-1, 0, 0, 1))) % 256 for i, b in enumerate(base))
    assert len(check(near, base)) < 0.3 * len(encode(near))


def test_random_edits() -> None:
    source = random.Random(6)
    for _ in range(60):
        base = noise(source.randrange(1, 3000), source.random().__hash__(), source.choice((3, 256)))
        data = bytearray(base)
        for _ in range(source.randrange(6)):
            at, count = source.randrange(len(data) + 1), source.randrange(300)
            data[at : at + source.choice((0, count))] = noise(
                source.choice((0, count)), count, source.choice((2, 256))
            )
        check(bytes(data), base)


@pytest.mark.parametrize("name", NAMES)
def test_packages(name: str) -> None:
    """Packages of models get smaller, and much smaller beside one that is nearly the same."""
    model = (MODELS / name).read_bytes()
    package = package_of(model)
    stream = check(package)
    assert len(stream) < 0.95 * len(package)
    assert make_patch(package) == stream
    newer = package_of(model, version=(2, 0, 0))
    assert newer != package
    delta = check(newer, package)
    assert len(delta) < 300
    assert make_patch(newer, package) == delta


def test_pieces_of_every_size() -> None:
    base, data = noise(700, 7), noise(300, 8) + noise(700, 7)[100:500] + bytes(300)
    stream = encode(data, base)
    for piece in range(1, len(stream) + 1, 7):
        for room in (1, 2, 31, 500, 2000):
            assert by_the_core(stream, len(data), base, piece=piece, room=room) == (END, data)


def test_a_stream_that_is_cut_or_longer() -> None:
    data = noise(200, 9)
    stream = encode(data)
    for cut in range(0, len(stream), 5):
        status, out = by_the_core(stream[:cut], len(data))
        assert status == OK
        assert data.startswith(out)
    assert by_the_core(stream + b"\0", len(data))[0] == -84


def test_runs_are_written_as_they_are_planned() -> None:
    base, data = bytes(range(200)), b"abcabcabc" + bytes(range(100, 150)) + bytes(range(2, 12))
    runs = [
        Run(Kind.LITERALS, 3),
        Run(Kind.MATCH, 6, 3),
        Run(Kind.COPY, 50, 91),
        Run(Kind.DIFFERENCES, 10, -58),
    ]
    stream = HEADER.pack(b"RNVP", 1, 20, len(data), *base_facts(base))
    stream += encode_runs(data, base, runs)
    assert by_the_spec(stream, base) == data
    assert by_the_core(stream, len(data), base) == (END, data)


def test_a_plan_makes_up_the_package() -> None:
    base = noise(900, 10)
    data = base[200:700] + noise(300, 11)
    runs = plan(data, base)
    assert sum(run.length for run in runs) == len(data)
    assert all(run.length > 0 for run in runs)
    assert runs[0] == Run(Kind.COPY, 500, 200)


def test_carries_go_through_all_bytes() -> None:
    """The encoder's highest byte runs over after many of 255."""
    for seed in range(40):
        values = np.random.default_rng(seed).integers(0, 256, 400, dtype=np.uint8)
        values[values < 230] = 255
        check(values.tobytes())


def test_the_base_is_named_by_its_trailer() -> None:
    package = package_of((MODELS / NAMES[0]).read_bytes())
    assert base_facts(None) == (0, 0)
    assert base_facts(package) == (len(package), int.from_bytes(package[-4:], "little"))


def test_only_whole_packages() -> None:
    package = package_of((MODELS / NAMES[0]).read_bytes())
    for wrong in (b"", package[:100], package[:-16], package + bytes(16)):
        with pytest.raises(PackageError, match="whole packages"):
            make_patch(wrong)
        with pytest.raises(PackageError, match="whole packages"):
            make_patch(package, wrong)
