# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier run``: input files of every kind, outputs, labels, times."""

from __future__ import annotations

import io
import pickle
import struct
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from cli_tools import DIGITS, Answer, names, put, ranvier
from packages import deep, rich
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.tflite_builder import build_tflite
from viewing import keywords

FRAME = np.asarray(Image.open(DIGITS / "examples" / "7.png"))


@cache
def digits() -> bytes:
    labels = tuple("0123456789")
    model = (DIGITS / "digits.tflite").read_bytes()
    return compile_model(model, "digits.tflite", CompileOptions(labels=labels)).package


def png(pixels: NDArray[Any], mode: str | None = None, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image = Image.fromarray(pixels)
    (image if mode is None else image.convert(mode)).save(buffer, "PNG", **options)
    return buffer.getvalue()


def npy(array: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def run_digits(folder: Path, name: str, data: bytes, *more: object) -> Answer:
    package = put(folder, "digits.rnv", digits())
    return ranvier("run", package, "-i", put(folder, name, data), *more)


def scores_of(answer: Answer) -> list[int]:
    """The raw values of the first output of a run with --json."""
    assert answer.code == 0, answer.both
    values: list[int] = answer.json["outputs"][0]["quantised"]
    return values


def expected_scores() -> list[int]:
    (output,) = Model(digits()).run((FRAME.astype(np.float32) / 255).reshape(28, 28, 1))
    values: list[int] = output.ravel().tolist()
    return values


# Images


@pytest.mark.parametrize("digit", range(10))
def test_the_example_digits_are_read(digit: int, tmp_path: Path) -> None:
    data = (DIGITS / "examples" / f"{digit}.png").read_bytes()
    answer = run_digits(tmp_path, f"{digit}.png", data, "--json")
    assert answer.json["outputs"][0]["label"] == str(digit)


@pytest.mark.parametrize("mode", ["L", "P", "RGB", "RGBA", "LA"])
def test_images_of_every_mode_are_the_same(mode: str, tmp_path: Path) -> None:
    data = png(FRAME, mode)
    assert scores_of(run_digits(tmp_path, "7.png", data, "--json")) == expected_scores()


def test_an_image_of_16_bits_is_refused(tmp_path: Path) -> None:
    """Its pixels would be cut to 255."""
    answer = run_digits(tmp_path, "7.png", png(FRAME.astype(np.uint16) * 257))
    assert answer.code == 3
    assert "7.png: has 16 bits a channel" in answer.both


def test_an_ending_in_capitals_is_an_image_too(tmp_path: Path) -> None:
    assert scores_of(run_digits(tmp_path, "7.PNG", png(FRAME), "--json")) == expected_scores()


def test_pixels_become_real_numbers_as_told(tmp_path: Path) -> None:
    """Inverted pixels with factor -1/255 and 1 added are the same numbers."""
    inverted = png(255 - FRAME)
    more = ["--pixel-scale", -1 / 255, "--pixel-offset", 1, "--json"]
    got = np.array(scores_of(run_digits(tmp_path, "7.png", inverted, *more)))
    assert np.abs(got - expected_scores()).max() <= 1
    dark = scores_of(run_digits(tmp_path, "7.png", png(FRAME), "--pixel-scale", 0, "--json"))
    (black,) = Model(digits()).run(np.zeros((28, 28, 1), np.float32))
    assert dark == black.ravel().tolist()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png(FRAME)[:100], "is not a readable PNG image"),
        (png(FRAME)[:-60], "is not a readable PNG image"),
        (png(FRAME)[:8], "is not a readable PNG image"),
        (b"", "is not a readable PNG image"),
        (b"GIF89a" + bytes(100), "is not a readable PNG image"),
        (png(FRAME[:27]), "is 28x27 pixels, the model takes 28x28"),
        (png(np.zeros((56, 56), np.uint8)), "is 56x56 pixels, the model takes 28x28"),
    ],
)
def test_images_that_cannot_be_used(data: bytes, reason: str, tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "bad.png", data, "--output", tmp_path / "out.npz")
    assert answer.code == 3
    assert f"error: {tmp_path / 'bad.png'}: {reason}" in answer.both
    assert names(tmp_path) == ["bad.png", "digits.rnv"]


def test_a_png_cut_anywhere_is_an_error_or_the_image(tmp_path: Path) -> None:
    data = png(FRAME)
    for end in range(0, len(data), 16):
        answer = run_digits(tmp_path, "cut.png", data[:end], "--json")
        assert answer.code == 3 or scores_of(answer) == expected_scores()


def test_a_huge_image_is_refused_before_it_is_decoded(tmp_path: Path) -> None:
    data = bytearray(png(FRAME))
    data[16:24] = struct.pack(">II", 60000, 60000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    answer = run_digits(tmp_path, "huge.png", bytes(data))
    assert answer.code == 3
    assert "huge.png: " in answer.both


def test_colour_images(tmp_path: Path) -> None:
    make = Maker(2)
    x = make.input((1, 5, 7, 3))
    package = compile_model(build_tflite(make.graph(make.conv(x, 2))), "rgb.tflite").package
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    image = put(tmp_path, "rgb.png", png(pixels))
    answer = ranvier("run", put(tmp_path, "rgb.rnv", package), "-i", image, "--json")
    (want,) = Model(package).run(pixels.astype(np.float32) * np.float32(1 / 255))
    assert scores_of(answer) == want.ravel().tolist()


def test_an_image_for_an_input_that_is_none(tmp_path: Path) -> None:
    package = put(tmp_path, "rich.rnv", rich().package)
    image = put(tmp_path, "x.png", png(FRAME))
    y = put(tmp_path, "y.bin", bytes(120))
    answer = ranvier("run", package, "-i", y, "-i", image)
    assert answer.code == 3
    answer = ranvier("run", package, "-i", put(tmp_path, "x.bin", bytes(90)), "-i", image)
    assert answer.code == 3
    assert "is not one grey or RGB image" in answer.both
    assert "try: give the input as .npy or raw bytes" in answer.both


# NumPy files


@pytest.mark.parametrize("shape", [(1, 28, 28, 1), (28, 28, 1)])
@pytest.mark.parametrize("kind", ["int8", "float32", "float64", "int64", "fortran"])
def test_numpy_files(kind: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    real = (FRAME.astype(np.float32) / 255).reshape(shape)
    quantised = (FRAME.astype(np.int16) - 128).astype(np.int8).reshape(shape)
    array = {
        "int8": quantised,
        "float32": real,
        "float64": real.astype(np.float64),
        "int64": quantised.astype(np.int64),
        "fortran": np.asfortranarray(quantised),
    }[kind]
    assert scores_of(run_digits(tmp_path, "x.npy", npy(array), "--json")) == expected_scores()


class Evil:
    """An object whose unpickling would leave a trace."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit(77)",))


def nan_frame() -> NDArray[np.float32]:
    frame = np.zeros((28, 28, 1), np.float32)
    frame[3, 3] = np.nan
    return frame


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (npy(np.zeros((28, 27), np.int8)), "takes shape (1, 28, 28, 1), (28, 27) was given"),
        (npy(np.zeros((2, 28, 28, 1), np.int8)), "takes shape (1, 28, 28, 1)"),
        (npy(np.zeros(0)), "takes shape (1, 28, 28, 1), (0,) was given"),
        (npy(np.full((28, 28, 1), 200)), "a value lies outside of its range"),
        (npy(np.zeros((28, 28, 1), np.uint8)), "takes int8, uint8 was given"),
        (npy(nan_frame()), "contains NaN"),
        (npy(np.full((28, 28, 1), "a")), "takes int8, <U1 was given"),
        (npy(np.zeros((28, 28, 1), complex)), "takes int8, complex128 was given"),
        (npy(np.array([Evil()]), allow_pickle=True), "is not a NumPy array file"),
        (pickle.dumps(Evil()), "is not a NumPy array file"),
        (b"", "is not a NumPy array file"),
        (npy(np.zeros((28, 28, 1)))[:-1], "is not a NumPy array file"),
        (npy(np.zeros((28, 28, 1)))[:20], "is not a NumPy array file"),
        (b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535, "is not a NumPy array file"),
        (b"PK\x03\x04" + bytes(50), "holds several arrays"),
    ],
)
def test_numpy_files_that_cannot_be_used(data: bytes, reason: str, tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "bad.npy", data, "--output", tmp_path / "out.npz")
    assert answer.code == 3
    assert f"error: {tmp_path / 'bad.npy'}: " in answer.both
    assert reason in answer.both
    assert names(tmp_path) == ["bad.npy", "digits.rnv"]


def test_an_archive_of_arrays_is_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.savez(buffer, a=np.zeros(3))
    answer = run_digits(tmp_path, "several.npy", buffer.getvalue())
    assert answer.code == 3
    assert "holds several arrays" in answer.both


def test_a_header_that_claims_an_enormous_array(tmp_path: Path) -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776, 8), }"
    header += b" " * (117 - len(header)) + b"\n"
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    answer = run_digits(tmp_path, "bomb.npy", data)
    assert answer.code == 3
    assert "bomb.npy: is not a NumPy array file" in answer.both


# Raw bytes


def test_raw_bytes(tmp_path: Path) -> None:
    data = (FRAME.astype(np.int16) - 128).astype(np.int8).tobytes()
    for name in ("x.bin", "x", "x.raw"):
        assert scores_of(run_digits(tmp_path, name, data, "--json")) == expected_scores()


@pytest.mark.parametrize("count", [0, 3, 783, 785, 784 * 4])
def test_raw_bytes_of_a_wrong_size(count: int, tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "x.bin", bytes(count))
    assert answer.code == 3
    assert f"x.bin: has {count} bytes, input " in answer.both
    assert "takes 784 (int8[1, 28, 28, 1])" in answer.both


def test_raw_floats(tmp_path: Path) -> None:
    values = np.random.default_rng(3).standard_normal((1, 4, 4, 2)).astype(np.float32)
    package = put(tmp_path, "deep.rnv", deep().package)
    answer = ranvier("run", package, "-i", put(tmp_path, "x.bin", values.tobytes()), "--json")
    (want,) = Model(deep().package).run(values)
    assert answer.json["outputs"][0]["values"] == want.ravel().tolist()
    assert "quantised" not in answer.json["outputs"][0]


# Several inputs and outputs


@pytest.mark.parametrize("mode", IoMode)
def test_several_inputs_and_outputs(mode: IoMode, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    x, y = (
        rng.integers(-128, 128, shape).astype(np.int8) for shape in ((1, 6, 5, 3), (1, 6, 5, 4))
    )
    package = put(tmp_path, "rich.rnv", rich(mode).package)
    files = ["-i", put(tmp_path, "x.npy", npy(x)), "-i", put(tmp_path, "y.bin", y.tobytes())]
    saved = tmp_path / "out.npz"
    answer = ranvier("run", package, *files, "--output", saved, "--json")
    want = Model(rich(mode).package).run(x, y)
    outputs = answer.json["outputs"]
    assert [o["quantised"] for o in outputs] == [w.ravel().tolist() for w in want]
    assert [o["shape"] for o in outputs] == [[1, 6], [1, 6, 5, 4]]
    assert outputs[0]["label"] == rich().content.labels[int(want[0].argmax())]
    assert "label" not in outputs[1]
    with np.load(saved) as arrays:
        assert [arrays[f"output_{i}"].tolist() for i in range(2)] == [w.tolist() for w in want]
        assert arrays["output_0"].dtype == np.int8
    assert [step["step"] for step in answer.json["steps"]] == list(range(7))
    assert [step["layer"] for step in answer.json["steps"]] == list(range(7))
    assert all(step["host_seconds"] >= 0 for step in answer.json["steps"])


def test_a_wrong_number_of_inputs(tmp_path: Path) -> None:
    package = put(tmp_path, "rich.rnv", rich().package)
    x = put(tmp_path, "x.bin", bytes(90))
    for count in (1, 3):
        answer = ranvier("run", package, *["-i", x] * count)
        assert answer.code == 3
        assert f"the model has 2 inputs ('t1', 't2'), {count} files were given" in answer.both
        assert "try: give --input once for each, in this order" in answer.both


def test_outputs_that_cannot_be_saved(tmp_path: Path) -> None:
    data = (FRAME.astype(np.int16) - 128).astype(np.int8).tobytes()
    answer = run_digits(tmp_path, "x.bin", data, "--output", tmp_path / "nowhere" / "out.npz")
    assert answer.code == 3
    assert "out.npz: cannot be written" in answer.both
    assert names(tmp_path) == ["digits.rnv", "x.bin"]


# What is printed


def test_classes_are_printed_best_first(tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "7.png", png(FRAME), "--top", "3")
    lines = answer.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("label"))
    rows = [line.split() for line in lines[start + 1 : start + 4]]
    assert rows[0][0] == "7"
    scores = [float(row[1]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert lines[start + 4] == ""
    assert int(rows[0][2]) == max(expected_scores())


def test_every_layer_has_its_time(tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "7.png", png(FRAME))
    kinds = ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "SOFTMAX"]
    assert all(kind in answer.out for kind in kinds)
    assert "not a device's time" in answer.out


def test_kernels_have_the_names_of_the_other_commands(tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "7.png", png(FRAME))
    rows = answer.out.partition("step  ")[2].splitlines()
    kernels = [row.split()[2] for row in rows[1:-1]]
    assert rows[0].split()[:2] == ["layer", "kernel"]
    listed = ranvier("analyze", tmp_path / "digits.rnv", "--json").json["layers"]
    assert kernels == [layer["op"] for layer in listed]


def test_values_without_labels_are_printed(tmp_path: Path) -> None:
    values = np.zeros((1, 4, 4, 2), np.float32)
    package = put(tmp_path, "deep.rnv", deep().package)
    answer = ranvier("run", package, "-i", put(tmp_path, "x.npy", npy(values)))
    (want,) = Model(deep().package).run(values)
    assert ", ".join(f"{v:.5g}" for v in want.ravel()) in answer.out


def test_the_best_of_a_vector_without_labels_are_printed_with_their_index(tmp_path: Path) -> None:
    model = (DIGITS / "digits.tflite").read_bytes()
    package = put(tmp_path, "d.rnv", compile_model(model, "digits.tflite").package)
    image = put(tmp_path, "7.png", png(FRAME))
    answer = ranvier("run", package, "-i", image, "--top", "2")
    lines = answer.out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split() == ["index", "value", "raw"])
    best = int(np.argmax(expected_scores()))
    assert lines[start + 1].split()[0::2] == [str(best), str(max(expected_scores()))]
    assert lines[start + 3] == ""


@pytest.mark.parametrize(("option", "ending"), [("--output", ".npz"), ("--draw", ".png")])
def test_names_say_what_is_written(option: str, ending: str, tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "7.png", png(FRAME), option, tmp_path / "o.txt")
    assert answer.code == 2
    assert f"{option} writes {ending[1:].upper()}" in answer.both
    assert names(tmp_path) == ["7.png", "digits.rnv"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"RIFF\0\0\0\0WAVEfmt ", "a WAV file"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a WebP image"),
        (b"BM" + bytes(60), "a BMP image"),
    ],
)
def test_files_of_other_programs_are_told_apart(data: bytes, what: str, tmp_path: Path) -> None:
    answer = run_digits(tmp_path, "x", data)
    assert answer.code == 3
    assert f"x: is {what};" in answer.both


def test_nothing_heard_is_said_and_why(tmp_path: Path) -> None:
    """A second of silence, 50 hops, of keywords that six inferences have to agree on."""
    package = put(tmp_path, "words.rnv", keywords())
    sound = put(tmp_path, "a.raw", bytes(32000))
    answer = ranvier("run", package, "-i", sound)
    assert answer.out.splitlines()[0] == "nothing was found"
    answer = ranvier("run", package, "-i", sound, "--every", 10)
    assert "the stage smooth waits for 6 inferences, here are 5" in answer.out
    assert "seconds  label" not in answer.out


def test_other_formats_are_named(tmp_path: Path) -> None:
    jpeg = b"\xff\xd8\xff\xe0" + bytes(100)
    answer = run_digits(tmp_path, "x.jpg", jpeg)
    assert answer.code == 3
    assert "x.jpg: is a JPEG image; inputs are .png images" in answer.both
    assert "it is" not in run_digits(tmp_path, "x.bin", jpeg + bytes(784 - 104)).both
    answer = run_digits(tmp_path, "x.png", jpeg)
    assert "x.png: is not a readable PNG image: a JPEG image" in answer.both


@pytest.mark.parametrize(
    "meta", [{}, {"steps": 7}, {"steps": [1, 2]}, {"steps": [{"kind": 3}] * 7}, {"steps": None}]
)
def test_odd_metadata_does_no_harm(meta: dict[str, Any], tmp_path: Path) -> None:
    data = write_package(replace(rich().content, meta=meta))
    package = put(tmp_path, "odd.rnv", data)
    x, y = put(tmp_path, "x.bin", bytes(90)), put(tmp_path, "y.bin", bytes(120))
    for command in (["run", package, "-i", x, "-i", y], ["analyze", package], ["ops", package]):
        assert ranvier(*command).code == 0
        assert ranvier(*command, "--json").code == 0


def test_numbers_that_json_lacks_become_null(tmp_path: Path) -> None:
    content = deep().content
    table = np.frombuffer(content.ops[-1].weights, np.float32).copy()
    table[:] = np.nan
    ops = (*content.ops[:-1], replace(content.ops[-1], weights=table.tobytes()))
    package = put(tmp_path, "nan.rnv", write_package(replace(content, ops=ops)))
    answer = ranvier("run", package, "-i", put(tmp_path, "x.bin", bytes(128)), "--json")
    assert answer.json["outputs"][0]["values"] == [None] * 6


def test_names_in_a_package_cannot_steer_a_terminal(tmp_path: Path) -> None:
    content = rich().content
    tensors = tuple(replace(tensor, name="\x1b[31mred\r") for tensor in content.tensors)
    labels = ("\x1b]0;title\x07",) * 6
    meta = {"steps": [{"kind": "\x1b[2J"}] * 7}
    hostile = replace(content, tensors=tensors, labels=labels, meta=meta)
    package = put(tmp_path, "bad.rnv", write_package(hostile))
    x, y = put(tmp_path, "x.bin", bytes(90)), put(tmp_path, "y.bin", bytes(120))
    for command in (["run", package, "-i", x, "-i", y], ["analyze", package]):
        answer = ranvier(*command, colour=True)
        assert answer.code == 0
        coloured = answer.both.replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert not set(coloured) & set("\x1b\x07\r")
        assert ranvier(*command, "--json").code == 0
    answer = ranvier("run", package, "-i", x)
    assert answer.code == 3
    assert "\x1b" not in answer.both
