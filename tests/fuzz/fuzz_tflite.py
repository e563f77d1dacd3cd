#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Fuzzer of whatever takes the bytes of a ``.tflite`` file.

    python tests/fuzz/fuzz_tflite.py --seconds 60 --seed 1 [MODEL.tflite ...]

Mutates the given models (default: all models of the repository, and of ``../shared/models`` where
that folder exists) and gives each mutant to every target. A target may return or raise a
RanvierError; anything else, and a mutant that takes too long or too much memory, is a failure.
Mutant number N of a seed is always the same, so that a failure is rerun with ``--only N``.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import resource
import shlex
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from unittest import mock

from ranvier.compiler.driver import compile_model
from ranvier.compiler.flatbuffer import FlatBuffer
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import RanvierError
from ranvier.native import NativePackage

REPOSITORY = Path(__file__).resolve().parents[2]
HANG_SECONDS = 20
MEMORY_BYTES = 4 << 30


def compile_and_open(data: bytes) -> None:
    """Compile; what compiles must pass the C verifier (an error there is the compiler's)."""
    package = compile_model(data, "mutant.tflite").package
    try:
        NativePackage(package, "mutant.rnv")
    except RanvierError as error:
        raise AssertionError(f"the compiler made a package that is refused: {error}") from error


# Each target is called with the bytes of every mutant.
TARGETS: dict[str, Callable[[bytes], object]] = {
    "read_tflite": lambda data: read_tflite(data, "mutant.tflite"),
    "compile": compile_and_open,
}


class Hang(BaseException):
    """A mutant took longer than HANG_SECONDS."""


@dataclass(frozen=True)
class Seed:
    """A model to mutate; ``hot`` are the positions of its structure, without constant data."""

    data: bytes
    hot: tuple[int, ...]

    @staticmethod
    def of(data: bytes) -> Seed:
        """Find the structure by watching the reader."""
        hot: set[int] = set()
        integer, span = FlatBuffer.integer, FlatBuffer.span

        def watch_integer(file: FlatBuffer, path: str, pos: int, form: str) -> int:
            hot.add(pos)
            return integer(file, path, pos, form)

        def watch_span(file: FlatBuffer, path: str, start: int, count: int) -> memoryview:
            hot.update(range(start, start + min(count, 32)))
            return span(file, path, start, count)

        with (
            contextlib.suppress(RanvierError),  # what is refused has structure up to there
            mock.patch.object(FlatBuffer, "integer", watch_integer),
            mock.patch.object(FlatBuffer, "span", watch_span),
        ):
            read_tflite(data, "seed.tflite")
        return Seed(data, tuple(sorted(p for p in hot if 0 <= p < len(data))))


def _position(rng: random.Random, seed: Seed, size: int) -> int:
    if seed.hot and rng.random() < 0.9:
        return rng.choice(seed.hot)
    return rng.randrange(size)


def _overwrite(rng: random.Random, data: bytearray, pos: int) -> None:
    """Put a value that is likely to hurt over the 1, 2, 4 or 8 bytes at ``pos``."""
    width = rng.choice((1, 2, 2, 4, 4, 4, 8))
    values = [0, 1, 2, 3, 4, 5, 8, 16, 127, 255, 65535, 1_000_000]
    values += [len(data), len(data) - pos, len(data) - pos - 4, -pos, -4, -1, -2]
    values += [1 << (8 * width - 1), (1 << (8 * width - 1)) - 1, rng.getrandbits(64)]
    old = int.from_bytes(data[pos : pos + width], "little")
    values += [old + delta for delta in (-8, -4, -2, -1, 1, 2, 4, 8)]
    raw = struct.pack("<Q", rng.choice(values) % (1 << (8 * width)))[:width]
    data[pos : pos + width] = raw[: len(data) - pos]


def mutate(rng: random.Random, seeds: Sequence[Seed]) -> bytes:
    """Make one mutant of one of ``seeds``."""
    seed = rng.choice(seeds)
    data = bytearray(seed.data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if not data:
            break
        pos = min(_position(rng, seed, len(data)), len(data) - 1)
        kind = rng.randrange(20)
        if kind < 11:
            _overwrite(rng, data, pos)
        elif kind < 16:
            data[pos] ^= 1 << rng.randrange(8)
        elif kind < 18:
            count = min(rng.choice((4, 8, 16, 64)), len(data) - pos)
            source = min(_position(rng, seed, len(data)), len(data) - count)
            data[pos : pos + count] = data[source : source + count]
        elif kind < 19:
            del data[pos : pos + rng.choice((1, 2, 4, 16))]
        else:
            del data[rng.randrange(len(data)) :]
    return bytes(data)


def mutant(seed: int, number: int, seeds: Sequence[Seed]) -> bytes:
    """Make mutant ``number`` of ``seed``: always the same for the same models."""
    return mutate(random.Random(f"{seed}:{number}"), seeds)


def run_targets(data: bytes) -> str | None:
    """Give ``data`` to every target; return what failed, or None."""
    signal.signal(signal.SIGALRM, _on_alarm)
    for name, target in TARGETS.items():
        signal.alarm(HANG_SECONDS)
        try:
            target(data)
        except RanvierError:
            pass
        except (Exception, Hang):
            return f"{name}:\n{traceback.format_exc()}"
        finally:
            signal.alarm(0)
    return None


def _on_alarm(_signal: int, _frame: FrameType | None) -> None:
    raise Hang(f"longer than {HANG_SECONDS} s")


def _default_models() -> list[Path]:
    folders = (REPOSITORY / "models", REPOSITORY.parent / "shared" / "models")
    return [path for folder in folders for path in sorted(folder.rglob("*.tflite"))]


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Fuzz the reader of .tflite files.")
    parser.add_argument("models", nargs="*", type=Path, help="models to mutate")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long (default 10)")
    parser.add_argument("--count", type=int, help="how many mutants, instead of how long")
    parser.add_argument("--seed", type=int, default=1, help="seed of all mutants (default 1)")
    parser.add_argument("--only", type=int, metavar="N", help="run mutant N alone")
    parser.add_argument("--save", type=Path, metavar="FILE", help="write the failing mutant here")
    return parser.parse_args()


def main() -> int:
    """Run until the time is over or something fails; 0 if nothing did."""
    arguments = _arguments()
    models = arguments.models or _default_models()
    if not models:
        print("no model to mutate: name some .tflite files", file=sys.stderr)
        return 2
    seeds = [Seed.of(path.read_bytes()) for path in models]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    end = time.monotonic() + arguments.seconds
    number = executed = 0
    if arguments.only is not None:
        number, arguments.count = arguments.only, 1
    while executed < arguments.count if arguments.count else time.monotonic() < end:
        data = mutant(arguments.seed, number, seeds)
        failure = run_targets(data)
        executed += 1
        if failure:
            if arguments.save:
                arguments.save.write_bytes(data)
            rerun = [sys.argv[0], "--seed", str(arguments.seed), "--only", str(number)]
            rerun += [str(path) for path in models]
            print(f"mutant {number} of seed {arguments.seed} failed in {failure}")
            print(f"rerun: python {shlex.join(rerun)}")
            return 1
        number += 1
    print(f"{executed} mutants of seed {arguments.seed} executed, none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
