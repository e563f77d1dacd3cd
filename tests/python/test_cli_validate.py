# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier validate``."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cli_tools import DIGITS, put, ranvier, rich_files
from packages import Image, rich, rich_model
from random_models import Maker
from ranvier.compiler.driver import compile_model
from ranvier.package.format import Section
from ranvier.testing import oracle
from ranvier.testing.tflite_builder import build_tflite


def spoilt_file(folder: Path) -> Path:
    """The rich package with another weight in its convolution (step 0)."""
    image = Image(rich().package)
    record = image.op(0)
    image.data[
        image.section(Section.WEIGHTS).offset + record.weights_offset + record.weights_bytes - 1
    ] ^= 0x40
    return put(folder, "spoilt.rnv", image.sealed())


def test_equal(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    for arguments in ((model,), (model, package)):
        answer = ranvier("validate", *arguments, "--count", "3", "--seed", "5")
        assert answer.code == 0
        assert "3 random (seed 5) inputs against tflite-micro: equal" in answer.out
        assert "first divergent" not in answer.out
        assert answer.out.count("(output)") == 2


def test_the_digits() -> None:
    answer = ranvier("validate", DIGITS / "digits.tflite", "--json")
    assert answer.code == 0
    assert answer.json["passed"] is True
    assert answer.json["inputs"] == 10
    assert answer.json["reference"] == "tflite-micro"
    assert answer.json["seed"] == 0
    assert len(answer.json["layers"]) == 10
    assert (answer.json["compared_layers"], answer.json["package_layers"]) == (10, 10)
    assert all(layer["differing"] == 0 for layer in answer.json["layers"])
    assert all(layer["sqnr_db"] is None for layer in answer.json["layers"])


def test_a_difference_is_exit_code_1_and_named(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    package = spoilt_file(tmp_path)
    answer = ranvier("validate", model, package)
    assert answer.code == 1
    assert "output values differ" in answer.out
    assert "first divergent layer: step 0, t5" in answer.out
    answer = ranvier("validate", model, package, "--json")
    assert answer.code == 1
    assert answer.json["passed"] is False
    assert answer.json["first_divergent"] == "t5"
    worst = max(layer["max_error"] for layer in answer.json["layers"])
    assert ranvier("validate", model, package, "--threshold", worst).code == 0
    assert ranvier("validate", model, package, "--threshold", worst - 1).code == 1


def test_a_threshold_without_limit_is_json(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    answer = ranvier("validate", model, spoilt_file(tmp_path), "--threshold", "inf", "--json")
    assert answer.code == 0
    assert answer.json["threshold"] is None


def test_given_inputs(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    rng = np.random.default_rng(1)
    x = put(tmp_path, "x.bin", rng.bytes(90))
    y = tmp_path / "y.npy"
    np.save(y, rng.integers(-128, 128, (6, 5, 4)).astype(np.int8))
    answer = ranvier("validate", model, package, "-i", x, "-i", y)
    assert answer.code == 0
    assert "1 given inputs against tflite-micro: equal" in answer.out
    answer = ranvier("validate", model, package, "-i", x, "-i", y, "--json")
    assert (answer.json["inputs"], answer.json["seed"]) == (1, None)
    assert ranvier("validate", model, package, "-i", x).code == 3


def test_an_image_as_input() -> None:
    answer = ranvier("validate", DIGITS / "digits.tflite", "-i", DIGITS / "examples" / "3.png")
    assert answer.code == 0


def test_seeds_count(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    package = spoilt_file(tmp_path)

    def layers(seed: int) -> object:
        arguments = ("--count", "3", "--seed", seed, "--json")
        return ranvier("validate", model, package, *arguments).json["layers"]

    assert layers(1) == layers(1)
    assert layers(1) != layers(2)


@pytest.mark.skipif(find_spec("ai_edge_litert") is None, reason="ai-edge-litert is not installed")
def test_the_other_reference(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    answer = ranvier("validate", model, "--reference", "litert", "--threshold", "3", "--json")
    assert answer.code == 0
    assert answer.json["reference"] == "litert"


@pytest.mark.parametrize("name", ["tflite-micro", "litert"])
def test_a_reference_that_is_not_installed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, _ = rich_files(tmp_path)
    monkeypatch.setattr(oracle, "find_spec", lambda _: None)
    answer = ranvier("validate", model, "--reference", name)
    assert answer.code == 4
    assert f"error: the reference interpreter {name} is not installed" in answer.both
    package = {"tflite-micro": "tflite-micro", "litert": "ai-edge-litert"}[name]
    assert f"try: {sys.executable} -m pip install {package}" in answer.both


def test_a_package_of_another_model(tmp_path: Path) -> None:
    """Whose inputs are others: a mistake of the user, not of the reference."""
    _, package = rich_files(tmp_path)
    answer = ranvier("validate", DIGITS / "digits.tflite", package)
    assert answer.code == 3
    assert str(package) in answer.both
    assert "try: validate a package against the model that it was compiled from" in answer.both


def test_a_package_with_other_outputs(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    make = Maker(9)
    x, y = make.input((1, 6, 5, 3)), make.input((1, 6, 5, 4))
    other = build_tflite(make.graph(make.conv(x, 4), make.conv(y, 5)))
    package = put(tmp_path, "o.rnv", compile_model(other, "o.tflite").package)
    answer = ranvier("validate", model, package)
    assert answer.code == 3
    assert str(package) in answer.both
    assert rich_model() != other


def test_the_package_must_be_one(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    answer = ranvier("validate", model, model)
    assert answer.code == 3
    assert "is a TensorFlow Lite model, not a package" in answer.both


def test_swapped_files_are_told(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    for arguments in ((package, model), (package,)):
        answer = ranvier("validate", *arguments)
        assert answer.code == 3
        assert f"error: {package}: is a package, not a TensorFlow Lite model" in answer.both
    assert f"ranvier validate {model} {package}" in ranvier("validate", package, model).both


def test_layers_have_the_numbers_of_analyze_and_what_is_not_compared_is_counted(
    tmp_path: Path,
) -> None:
    """Sliced layers: each is one number, and the one whose rows are overwritten is not compared."""
    model, package = DIGITS / "digits.tflite", tmp_path / "sliced.rnv"
    options = ("--isa", "dsp", "--optimize", "memory")
    assert ranvier("compile", model, "-o", package, *options).code == 0
    layers = ranvier("analyze", package, "--json").json["layers"]
    assert max(layer["slices"] for layer in layers) > 1
    numbers = {layer["output"]: layer["step"] for layer in layers}
    answer = ranvier("validate", model, package, "--count", "1", "--json").json
    assert all(numbers[layer["tensor"]] == layer["step"] for layer in answer["layers"])
    assert answer["package_layers"] == len(layers)
    text = ranvier("validate", model, package, "--count", "1").out
    assert f"{answer['compared_layers']} of {len(layers)} layers compared" in text
    others = len(layers) - answer["compared_layers"]
    assert (f"the other {others} have no tensor" in text) == (others > 0)


def test_layers_that_cannot_be_compared_are_counted(tmp_path: Path) -> None:
    """Without names only the output's layer is known."""
    model, package = DIGITS / "digits.tflite", tmp_path / "stripped.rnv"
    assert ranvier("compile", model, "-o", package, "--strip-names").code == 0
    answer = ranvier("validate", model, package, "--count", "1")
    assert answer.code == 0
    assert "1 of 10 layers compared; the other 9 have no tensor" in answer.out
    answer = ranvier("validate", model, package, "--count", "1", "--json")
    assert (answer.json["compared_layers"], answer.json["package_layers"]) == (1, 10)


def test_a_layer_that_the_compiler_added_is_marked(tmp_path: Path) -> None:
    """The output of the last convolution lies in planes: a layer makes it dense."""
    make = Maker(3)
    image = make.conv(make.input((1, 8, 8, 3)), 8, 3)
    model = put(tmp_path, "m.tflite", build_tflite(make.graph(make.conv(image, 8, 3))))
    package = tmp_path / "m.rnv"
    shown = ranvier("compile", model, "-o", package, "--isa", "dsp")
    last = next(line for line in shown.out.splitlines() if line.lstrip().startswith("2 "))
    assert last.split()[1] == "(added)"
    assert shown.out.count("(added)") == 1
    answer = ranvier("run", package, "-i", put(tmp_path, "x.bin", bytes(192)))
    assert answer.out.count("(added)") == 1
