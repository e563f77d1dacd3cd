# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The independent check of packages: it passes what the compiler makes, and sees damage."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from packed_models import MODELS, REPOSITORY
from ranvier.compiler.driver import CompileOptions, compile_model

SCRIPT = REPOSITORY / "scripts" / "check_proofs.py"
DIGITS = MODELS[0]

pytest.importorskip("tflite")


def check(package: bytes, model: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    path = folder / "package.rnv"
    path.write_bytes(package)
    command = [sys.executable, str(SCRIPT), str(path), str(model)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@cache
def compiled(model: Path, isa: str, keep: bool = False) -> bytes:
    options = CompileOptions(isa=isa, optimize="speed", drop_constant_channels=not keep)
    return compile_model(model.read_bytes(), model.name, options).package


@pytest.mark.parametrize("isa", ["generic", "dsp", "base"])
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.stem)
def test_packages_pass(model: Path, isa: str, tmp_path: Path) -> None:
    result = check(compiled(model, isa), model, tmp_path)
    assert result.returncode == 0, result.stderr
    assert "no difference" in result.stdout.splitlines()[-1]


def test_constant_channels_that_are_kept_pass(tmp_path: Path) -> None:
    model = next((m for m in MODELS if "vww" in m.name), None)
    if model is None:
        pytest.skip("the models are not there")
    result = check(compiled(model, "dsp", keep=True), model, tmp_path)
    assert result.returncode == 0, result.stderr


def test_the_check_imports_nothing_of_the_compiler() -> None:
    for path in (SCRIPT, *sorted((SCRIPT.parent / "proofs").glob("*.py"))):
        assert "import ranvier" not in path.read_text()
        assert "from ranvier" not in path.read_text()


def ops_of(package: bytes) -> list[tuple[int, int]]:
    """Offset and length of every op's stream."""
    (count,) = struct.unpack_from("<H", package, 46)
    rows = [struct.unpack_from("<HHIII", package, 128 + 16 * i) for i in range(count)]
    sections = {kind: (offset, size) for kind, _, offset, size, _ in rows}
    first, size = sections[3]
    records = [struct.unpack_from("<HBBBBHIHHIIII", package, first + i) for i in range(0, size, 32)]
    return [(sections[7][0] + r[9], r[10]) for r in records if r[2] != 0]


@pytest.mark.parametrize("isa", ["dsp", "base"])
@pytest.mark.parametrize("seed", range(24))
def test_damage_is_seen(seed: int, isa: str, tmp_path: Path) -> None:
    """One bit of a weight word, or a high one of a start or constant, in any packed stream."""
    package = bytearray(compiled(DIGITS, isa))
    rng = np.random.default_rng(seed)
    streams = ops_of(bytes(package))
    offset, length = streams[seed % len(streams)]
    word = offset + 4 * int(rng.integers(length // 4))
    (value,) = struct.unpack_from("<I", package, word)
    struct.pack_into("<I", package, word, value ^ (1 << int(rng.integers(16, 31))))
    result = check(bytes(package), DIGITS, tmp_path)
    if value:  # a word of 0 may be one that fills up
        assert result.returncode == 1, (word - offset, hex(value), result.stdout[-200:])
        assert "DIFFERENT" in result.stderr


def test_another_model_is_seen(tmp_path: Path) -> None:
    others = [model for model in MODELS if model is not DIGITS]
    if not others:
        pytest.skip("the models are not there")
    assert check(compiled(DIGITS, "dsp"), others[0], tmp_path).returncode != 0


def refused(*arguments: object, python: Sequence[str] = (sys.executable,)) -> str:
    """What the check says of arguments that it cannot use."""
    command = [*python, str(SCRIPT), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    return result.stderr


def test_files_that_cannot_be_used_are_told(tmp_path: Path) -> None:
    package = tmp_path / "digits.rnv"
    package.write_bytes(compiled(DIGITS, "dsp"))
    other = tmp_path / "other.tflite"
    other.write_bytes(DIGITS.read_bytes() + bytes(4))
    cut = tmp_path / "cut.rnv"
    cut.write_bytes(package.read_bytes()[:300])
    assert "the package comes first" in refused(DIGITS, package)
    assert "missing.rnv: cannot be read: No such file" in refused(tmp_path / "missing.rnv", DIGITS)
    assert "is not a model" in refused(package, package)
    assert "is not a package" in refused(SCRIPT, DIGITS)
    assert "was compiled from another file than" in refused(package, other)
    assert "named digits.tflite" in refused(package, other)
    assert "cut.rnv: is damaged" in refused(cut, DIGITS)


def test_a_missing_module_is_told() -> None:
    """An interpreter without the environment's packages."""
    said = refused("a", "b", python=(sys.executable, "-I", "-S"))
    assert "has no module" in said
    assert "try: .venv/bin/python" in said
