# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures: PNG files of every kind, cameras' formats, networks behind them, commands with both."""

from __future__ import annotations

import io
import random
import re
import struct
import subprocess
import warnings
import zlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from cli_tools import Answer, names, put, ranvier
from random_models import Maker
from ranvier.cli.pictures import draw_boxes
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.graph import DType, Quant
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.errors import InputError
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.pixels import FORMATS, MOST_PIXELS, encode_frame, read_picture
from ranvier.results import Detection
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

Array = NDArray[Any]

ROWS, COLUMNS = 10, 12
CLASSES = 6
RGB = np.random.default_rng(1).integers(0, 256, (ROWS, COLUMNS, 3), np.uint8)


def picture_network(
    seed: int, rows: int = ROWS, columns: int = COLUMNS, channels: int = 3, scale: float = 1 / 255
) -> bytes:
    """A random convolutional network on a picture; ``scale`` is what its input is quantised by."""
    make = Maker(seed)
    zero = -128 if scale == 1 / 255 else 3
    x = make.tensor((1, rows, columns, channels), Quant((float(np.float32(scale)),), (zero,)))
    make.inputs = [x]
    inner = make.unary("LEAKY_RELU", make.conv(x, 4, stride=2))
    flat = make.reshape(inner, (1, inner.elements))
    return build_tflite(make.graph(make.fully_connected(flat, CLASSES)))


@cache
def compiled(pre: Sequence[str], post: Sequence[str] = (), **options: Any) -> CompileResult:
    chosen = CompileOptions(pipeline=pipeline_of(pre, post), name="net", **options)
    return compile_model(picture_network(1), "net.tflite", chosen)


IMAGE = (f"image:format=rgb888,size=[{ROWS},{COLUMNS}]", "normalize")
BEST = ("softmax", "top_k:k=3")


def png(pixels: Array, mode: str | None = None, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image = Image.fromarray(pixels)
    (image if mode is None else image.convert(mode)).save(buffer, "PNG", **options)
    return buffer.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def raw_png(columns: int, rows: int, depth: int, colour: int, lines: bytes, lace: int = 0) -> bytes:
    """A PNG file whose image data are ``lines``, each with its filter's number before it."""
    head = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, lace)
    data = chunk(b"IDAT", zlib.compress(lines, 1))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + data + chunk(b"IEND", b"")


# PNG files


def test_pictures_of_every_mode_are_rgb() -> None:
    grey = np.asarray(Image.fromarray(RGB).convert("L"))
    assert np.array_equal(read_picture(png(RGB), "a.png"), RGB)
    assert np.array_equal(read_picture(png(grey), "a.png"), np.repeat(grey[..., None], 3, 2))
    bits = np.asarray(Image.fromarray(RGB).convert("1"))
    assert np.array_equal(
        read_picture(png(RGB, "1"), "a.png"), np.repeat(bits[..., None], 3, 2) * np.uint8(255)
    )
    palette = Image.fromarray(RGB).convert("P")
    assert np.array_equal(read_picture(png(RGB, "P"), "a.png"), np.asarray(palette.convert("RGB")))
    nibbles = raw_png(4, 1, 4, 0, b"\0\x01\x9f")
    assert read_picture(nibbles, "a.png")[0, :, 1].tolist() == [0, 17, 153, 255]
    assert np.array_equal(read_picture(png(RGB[:1, :1]), "a.png"), RGB[:1, :1])


def test_transparency_is_left_out() -> None:
    alpha = np.arange(ROWS * COLUMNS, dtype=np.uint8).reshape(ROWS, COLUMNS, 1)
    assert np.array_equal(read_picture(png(np.concatenate([RGB, alpha], 2)), "a.png"), RGB)
    palette = Image.fromarray(RGB).convert("P")
    buffer = io.BytesIO()
    palette.save(buffer, "PNG", transparency=bytes(range(0, 250, 10)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = read_picture(buffer.getvalue(), "a.png")
    assert np.array_equal(got, np.asarray(palette.convert("RGB")))


def test_an_interlaced_picture_is_read() -> None:
    """Of one pixel: the first pass is all of it."""
    assert read_picture(raw_png(1, 1, 8, 2, b"\0\x07\x08\x09", 1), "a.png").tolist() == [
        [[7, 8, 9]]
    ]


DEEP = {
    "grey": raw_png(COLUMNS, ROWS, 16, 0, (b"\0" + bytes(2 * COLUMNS)) * ROWS),
    "RGB": raw_png(COLUMNS, ROWS, 16, 2, (b"\0" + bytes(6 * COLUMNS)) * ROWS),
    "grey and alpha": raw_png(COLUMNS, ROWS, 16, 4, (b"\0" + bytes(4 * COLUMNS)) * ROWS),
    "RGBA": raw_png(COLUMNS, ROWS, 16, 6, (b"\0" + bytes(8 * COLUMNS)) * ROWS),
}


@pytest.mark.parametrize("kind", DEEP)
def test_16_bits_are_refused_whatever_the_colours(kind: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has 16 bits a channel"):
        read_picture(DEEP[kind], "a.png")
    plain = compile_model(picture_network(1), "net.tflite").package
    image = put(tmp_path, "a.png", DEEP[kind])
    answer = ranvier("run", put(tmp_path, "net.rnv", plain), "-i", image)
    assert answer.code == 3
    assert "has 16 bits a channel" in answer.both


BAD = {
    "nothing": (b"", "is not a readable PNG image: it does not begin as one"),
    "a GIF": (b"GIF89a" + bytes(99), "is not a readable PNG image: it does not begin as one"),
    "cut": (png(RGB)[:-30], "is not a readable PNG image"),
    "cut in its header": (png(RGB)[:20], "is not a readable PNG image"),
    "no pixels": (raw_png(0, 0, 8, 2, b""), "is not a readable PNG image"),
    "60000 x 60000": (raw_png(60000, 60000, 8, 2, bytes(99)), "is not a readable PNG image"),
    "5000 x 5000": (raw_png(5000, 5000, 8, 0, bytes(99)), "is 5000x5000 pixels, at most"),
    "12000 x 12000": (raw_png(12000, 12000, 8, 0, bytes(99)), "is 12000x12000 pixels, at most"),
    "text that unpacks to 64 MB": (
        png(RGB)[:33] + chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(1 << 26))) + png(RGB)[33:],
        "is not a readable PNG image",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_other_files_are_refused(name: str) -> None:
    data, reason = BAD[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError) as caught:
            read_picture(data, "a.png")
    assert caught.value.message.startswith(f"a.png: {reason}")
    assert "BytesIO" not in caught.value.message
    assert caught.value.remedy
    assert MOST_PIXELS == 4096 * 4096


def test_the_size_is_checked_before_a_picture_is_unpacked() -> None:
    with pytest.raises(InputError, match="is 12x10 pixels, the package takes 12x11"):
        read_picture(png(RGB)[:60], "a.png", (11, 12))


def test_a_picture_damaged_anywhere_is_refused_or_read() -> None:
    rng = random.Random(3)
    sources = [png(RGB), png(RGB, "P"), png(RGB, "L", dpi=(90, 90)), png(RGB, optimize=True)]
    for _ in range(2000):
        data = bytearray(rng.choice(sources))
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            picture = read_picture(bytes(data), "a.png")
        except InputError:
            continue
        assert picture.dtype == np.uint8
        assert picture.shape[2] == 3


# Formats


def test_formats_are_what_their_names_say() -> None:
    pixel = np.array([[[0xF8, 0x1F, 0x0B]] * 2], np.uint8)  # 31, 7, 1
    word = 31 << 11 | 7 << 5 | 1
    assert encode_frame(pixel, "rgb888")[0, 0].tolist() == [0xF8, 0x1F, 0x0B]
    assert encode_frame(pixel, "bgr888")[0, 0].tolist() == [0x0B, 0x1F, 0xF8]
    assert encode_frame(pixel, "rgb565")[0, 0].tolist() == [word & 255, word >> 8]
    assert encode_frame(pixel, "rgb565be")[0, 0].tolist() == [word >> 8, word & 255]
    assert encode_frame(pixel, "grey")[0, 0].tolist() == [94]  # 0.299 r + 0.587 g + 0.114 b
    for colour, yuv in (
        ((255, 255, 255), (235, 128, 128)),
        ((0, 0, 0), (16, 128, 128)),
        ((255, 0, 0), (81, 90, 240)),
        ((0, 0, 255), (41, 240, 110)),
    ):
        flat = np.full((1, 2, 3), colour, np.uint8)
        y, u, v = yuv
        assert encode_frame(flat, "yuyv").ravel().tolist() == [y, u, y, v]
        assert encode_frame(flat, "uyvy").ravel().tolist() == [u, y, v, y]


@pytest.mark.parametrize("pixel_format", ["yuyv", "uyvy"])
def test_pairs_need_an_even_number_of_columns(pixel_format: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a picture of 11 columns has no pairs of pixels"):
        encode_frame(RGB[:, :11], pixel_format)
    image = put(tmp_path, "odd.png", png(RGB[:, :11]))
    answer = ranvier("frames", image, "--format", pixel_format, "-o", tmp_path / "f")
    assert answer.code == 3
    assert f"{image}: a picture of 11 columns" in answer.both
    with pytest.raises(InputError, match="'rgb' is no format of pixels"):
        encode_frame(RGB, "rgb")


# Networks behind pictures


def shown(frame: Array, pixel_format: str) -> Array:
    """A camera's frame as RGB, in real numbers, by the definition of its format."""
    if pixel_format in ("rgb888", "bgr888"):
        return frame[..., :: 1 if pixel_format == "rgb888" else -1].astype(np.float64)
    if pixel_format.startswith("rgb565"):
        high, low = (0, 1) if pixel_format == "rgb565be" else (1, 0)
        word = frame[..., high].astype(int) << 8 | frame[..., low]
        red, green, blue = word >> 11, word >> 5 & 63, word & 31
        parts = [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
        return np.stack(parts, -1).astype(np.float64)
    if pixel_format == "grey":
        return np.repeat(frame, 3, -1).astype(np.float64)
    first = 0 if pixel_format == "yuyv" else 1
    luma = 255 / 219 * (frame[..., first].astype(np.float64) - 16)
    u, v = (np.repeat(frame[:, at::2, 1 - first], 2, 1).astype(np.float64) - 128 for at in (0, 1))
    scale = 255 / 224
    channels = [
        luma + 1.402 * scale * v,
        luma - (0.344136 * u + 0.714136 * v) * scale,
        luma + 1.772 * scale * u,
    ]
    return np.clip(np.stack(channels, -1), 0, 255)


@pytest.mark.parametrize("pixel_format", FORMATS)
@pytest.mark.parametrize("seed", range(3))
def test_pictures_through_random_networks(pixel_format: str, seed: int) -> None:
    """NumPy and tflite-micro against one package, from a frame to scores and best classes."""
    rng = np.random.default_rng([seed, len(pixel_format)])
    rows, columns = int(rng.integers(3, 9)), int(rng.integers(3, 9))
    mean, std = (0.4, 0.5, 0.45), (0.25, 0.2, 0.3)
    quant = Quant((float(np.float32(0.02)),), (3,))
    model = picture_network(seed, rows, columns, scale=0.02)
    pre = [
        f"image:format={pixel_format},size=[{2 * rows},{2 * columns}],resize=nearest",
        f"normalize:mean={list(mean)},std={list(std)}",
    ]

    def package(*post: str) -> Model:
        chosen = CompileOptions(pipeline=pipeline_of(pre, post), max_step_macs=500)
        return Model(compile_model(model, "m.tflite", chosen).package)

    scores, best, oracle = package(), package("softmax", "top_k:k=2"), TfliteMicroOracle(model)
    exact = pixel_format not in ("yuyv", "uyvy")
    outputs = set()
    for _ in range(5):
        picture = rng.integers(0, 256, (2 * rows, 2 * columns, 3), np.uint8)
        frame = encode_frame(picture, pixel_format)
        seen = np.floor(shown(frame, pixel_format) + 0.5)[1::2, 1::2].astype(np.float32)
        real = (seen / np.float32(255) - np.array(mean, np.float32)) / np.array(std, np.float32)
        value = np.clip(np.rint(real / quant.scale) + 3, -128, 127).astype(np.int8)
        (want,) = oracle.run([value[None]])
        (got,) = scores.run(frame)
        # colours of YUV are right to 1 of 255, which are 1 to 2 steps of the network's input
        assert np.abs(got.astype(int) - want).max() <= (0 if exact else 8)
        outputs.add(got.tobytes())
        real_scores = scores.package.outputs[0].dequantise(got).ravel().astype(np.float64)
        chances = np.exp(real_scores - real_scores.max())
        chances /= chances.sum()
        count, entries = best.run(frame)
        assert count[0] == 2
        assert abs(entries[0, 1] / 32768 - chances.max()) < 1.5 / 256
        assert abs(chances[entries[0, 0]] - chances.max()) < 1.5 / 256
    assert len(outputs) > 1


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize(("isa", "optimize"), [("dsp", "speed"), ("base", "memory")])
def test_pictures_are_the_same_however_it_was_compiled(
    mode: IoMode, isa: str, optimize: str
) -> None:
    plain = Model(compiled(IMAGE, BEST).package)
    for more in ({"max_step_macs": 700}, {"npu": "sim"}):
        other = Model(
            compiled(IMAGE, BEST, input_mode=mode, isa=isa, optimize=optimize, **more).package
        )
        assert other.selftest()
        for _ in range(2):  # a donated or resident input is written anew
            assert all(
                np.array_equal(a, b) for a, b in zip(plain.run(RGB), other.run(RGB), strict=True)
            )


def test_stages_around_a_network_that_is_its_input() -> None:
    make = Maker(1)
    x = make.tensor((1, ROWS, COLUMNS, 3), Quant((float(np.float32(1 / 255)),), (-128,)))
    make.inputs = [x]
    twice = make.conv(x, 2)
    for mode in IoMode:
        chosen = CompileOptions(pipeline=pipeline_of(IMAGE, []), input_mode=mode)
        data = build_tflite(make.graph(x, twice, x))
        first, scores, last = Model(compile_model(data, "m.tflite", chosen).package).run(RGB)
        assert np.array_equal(first[0], (RGB.astype(np.int16) - 128).astype(np.int8))
        assert np.array_equal(first, last)
        (want,) = TfliteMicroOracle(build_tflite(make.graph(twice))).run([first])
        assert np.array_equal(scores, want)


def test_float_networks_take_no_stages_but_dequantize() -> None:
    make = Maker(1)
    real = make.tensor((1, 4, 4, 3), None, DType.FLOAT32)
    make.inputs = [real]
    output = make.op("RELU", [real], make.tensor((1, 4, 4, 3), None, DType.FLOAT32))
    data = build_tflite(make.graph(output))

    def build(pre: Sequence[str], post: Sequence[str]) -> None:
        compile_model(data, "m.tflite", CompileOptions(pipeline=pipeline_of(pre, post)))

    build([], ["dequantize"])
    with pytest.raises(InputError, match="is not quantised to 8 bits"):
        build(["image:format=rgb888,size=[4,4]", "normalize"], [])
    for post in ("softmax", "argmax", "top_k:k=1", "smooth", "detect"):
        with pytest.raises(InputError, match=f"stage {post.partition(':')[0]}"):
            build([], [post])


def test_words_for_lists() -> None:
    with pytest.raises(InputError, match="is not a list of words or whole numbers"):
        pipeline_of([], ["smooth:ignore=3"])
    with pytest.raises(InputError, match="is not a number or a list of numbers"):
        pipeline_of(["normalize:mean=x"], [])


# ranvier run


def run(folder: Path, name: str, data: bytes, *more: object, post: Sequence[str] = BEST) -> Answer:
    package = put(folder, "net.rnv", compiled(IMAGE, post).package)
    return ranvier("run", package, "-i", put(folder, name, data), *more)


def test_frames_come_as_png_numpy_or_raw(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, RGB)
    count, entries = Model(compiled(IMAGE, BEST).package).run(RGB)
    for name, data in (("a.PNG", png(RGB)), ("a.npy", buffer.getvalue()), ("a", RGB.tobytes())):
        found = run(tmp_path, name, data, "--json").json["objects"]
        assert [each["class_index"] for each in found] == entries[: count[0], 0].tolist()
        assert [each["box"] for each in found] == [None] * 3


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.png", png(RGB[:9]), "is 12x9 pixels, the package takes 12x10"),
        ("a.png", png(RGB[:1, :1]), "is 1x1 pixels, the package takes 12x10"),
        ("a.png", png(RGB)[:-60], "is not a readable PNG image"),
        ("a.png", DEEP["RGB"], "has 16 bits a channel"),
        ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(99), "is a JPEG image; pictures are read from .png"),
        ("a.bmp", b"BM" + bytes(99), "is a BMP image; pictures are read from .png"),
        ("a.raw", bytes(359), "has 359 bytes, a frame of 12x10 rgb888 has 360"),
        ("a.npy", b"", "is not a NumPy array file"),
    ],
)
def test_pictures_that_do_not_fit(name: str, data: bytes, reason: str, tmp_path: Path) -> None:
    answer = run(tmp_path, name, data, "--draw", tmp_path / "boxes.png")
    assert answer.code == 3
    assert f"error: {tmp_path / name}: {reason}" in answer.both
    assert names(tmp_path) == sorted([name, "net.rnv"])


def test_a_float_picture_is_none(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.full(RGB.shape, np.nan))
    answer = run(tmp_path, "a.npy", buffer.getvalue())
    assert answer.code == 3
    assert "takes uint8, float64 was given" in answer.both


@pytest.mark.parametrize("stage", [3, {}, {"stage": "image"}, {"stage": "image", "format": 3}])
def test_a_package_with_any_meta_data_runs(stage: Any, tmp_path: Path) -> None:
    content = compiled(IMAGE, BEST).content
    meta = {**content.meta, "pipeline": {"pre": [stage], "post": 5}}
    package = put(tmp_path, "net.rnv", write_package(replace(content, meta=meta)))
    answer = ranvier("run", package, "-i", put(tmp_path, "a.raw", RGB.tobytes()))
    assert answer.code == 0, answer.both


@pytest.mark.parametrize("pixel_format", ["rgb999", "grey"])
def test_meta_data_that_is_wrong_is_refused(pixel_format: str, tmp_path: Path) -> None:
    meta = {"pipeline": {"pre": [{"stage": "image", "format": pixel_format}]}}
    plain = compile_model(picture_network(1), "net.tflite").content
    image = put(tmp_path, "a.png", png(RGB))
    for content, reason in (
        (compiled(IMAGE, BEST).content, "takes shape|is no format of pixels"),
        (plain, "its first input is no picture"),
    ):
        package = put(tmp_path, "net.rnv", write_package(replace(content, meta=meta)))
        answer = ranvier("run", package, "-i", image)
        assert answer.code == 3
        assert re.search(reason, answer.both)


def test_argmax_is_printed_with_its_label(tmp_path: Path) -> None:
    labels = ("a", "b", "c", "d", "e", "f")
    package = put(tmp_path, "net.rnv", compiled(IMAGE, ("argmax",), labels=labels).package)
    image = put(tmp_path, "a.png", png(RGB))
    (scores,) = Model(compiled(IMAGE).package).run(RGB)
    best = int(scores.argmax())
    assert f"  {best}: {labels[best]}\n" in ranvier("run", package, "-i", image).out
    (output,) = ranvier("run", package, "-i", image, "--json").json["outputs"]
    assert (output["label"], output["values"]) == (labels[best], [best])


def test_boxes_need_a_list_and_a_picture(tmp_path: Path) -> None:
    target = tmp_path / "boxes.png"
    answer = run(tmp_path, "a.png", png(RGB), "--draw", target, post=())
    assert answer.code == 2
    assert "--draw is for packages that put out a list of objects" in answer.both
    answer = run(tmp_path, "a.raw", RGB.tobytes(), "--draw", target)
    assert answer.code == 2
    assert "--draw needs a PNG picture as input" in answer.both
    for option in ("--every", "--pixel-scale"):
        answer = run(tmp_path, "a.png", png(RGB), option, 2)
        assert answer.code == 2
        assert f"takes a camera's picture: leave {option} out" in answer.both
    assert not target.exists()


def test_no_objects_have_no_table(tmp_path: Path) -> None:
    answer = run(tmp_path, "a.png", png(RGB), post=("softmax", "top_k:k=2,threshold=1.0"))
    assert answer.out.startswith("0 found\n")
    assert "label  score" not in answer.out


def test_boxes_of_any_place_and_label_are_drawn(tmp_path: Path) -> None:
    source, target = put(tmp_path, "a.png", png(RGB)), tmp_path / "boxes.png"
    objects = [
        Detection(0, "in", 0.5, (2, 3, 8, 9)),
        Detection(1, "nowhere", 0.5, None),
        Detection(-7, "\u4e2d\u6587 \U0001f600", 0.5, (-32768, -32768, 32767, 32767)),
        Detection(9, "a\nb" * 100, 0.5, (8, 9, 2, 3)),
        Detection(3, "", 0.0, (9, 11, 9, 11)),
    ]
    draw_boxes(str(source), str(target), objects)
    drawn = read_picture(target.read_bytes(), "boxes.png")
    scale = 480 // COLUMNS
    assert drawn.shape == (ROWS * scale, COLUMNS * scale, 3)
    draw_boxes(str(source), str(target), objects[:1])
    drawn = read_picture(target.read_bytes(), "boxes.png")
    assert drawn[2 * scale : 8 * scale, 9 * scale - 1].tolist() == [[0xE6, 0x19, 0x4B]] * 6 * scale
    assert np.array_equal(drawn[9 * scale :: scale, ::scale], RGB[9:])


# ranvier frames


@pytest.mark.parametrize("pixel_format", FORMATS)
def test_frames_are_those_that_run_would_take(pixel_format: str, tmp_path: Path) -> None:
    images = [put(tmp_path, f"{i}.png", png(each)) for i, each in enumerate((RGB, RGB[::-1]))]
    raw, header = tmp_path / "f.bin", tmp_path / "two_frames.h"
    answer = ranvier(
        *("frames", *images, "--format", pixel_format, "-o", raw, "--c-array", header, "--json")
    )
    assert answer.code == 0, answer.both
    want = [encode_frame(each, pixel_format).tobytes() for each in (RGB, RGB[::-1])]
    assert raw.read_bytes() == b"".join(want)
    assert answer.json["frame_bytes"] == len(want[0])
    assert answer.json["written"] == [str(raw), str(header)]
    text = header.read_text()
    assert f"static const uint8_t two_frames[2][{len(want[0])}] = {{" in text
    numbers = re.findall(r"\d+", text.split("{", 1)[1])
    assert bytes(map(int, numbers)) == raw.read_bytes()
    source = put(tmp_path, "a.c", b'#include "two_frames.h"\nint x = sizeof(two_frames);\n')
    flags = ["-Wall", "-Wno-unused", "-Werror", "-c"]
    subprocess.run(["gcc", *flags, source, "-o", tmp_path / "a.o"], check=True)


def test_files_that_would_be_written_over(tmp_path: Path) -> None:
    image = put(tmp_path, "a.png", png(RGB))
    for files in (
        ["-o", image],
        ["--c-array", tmp_path / "." / "a.png"],
        ["-o", tmp_path / "f.h", "--c-array", tmp_path / "f.h"],
        [],
    ):
        answer = ranvier("frames", image, "--format", "grey", *files)
        assert answer.code == 2
        assert "is named twice" in answer.both or "give -o FILE" in answer.both
    assert image.read_bytes() == png(RGB)
    assert names(tmp_path) == ["a.png"]


@pytest.mark.parametrize("name", ["two frames.h", "1.h", "a-b.h", "f;.h"])
def test_names_that_are_none_in_c(name: str, tmp_path: Path) -> None:
    image = put(tmp_path, "a.png", png(RGB))
    answer = ranvier("frames", image, "--format", "grey", "--c-array", tmp_path / name)
    assert answer.code == 2
    assert "is no name in C" in answer.both
    assert names(tmp_path) == ["a.png"]


def test_frames_are_of_one_size_and_all_or_none(tmp_path: Path) -> None:
    images = [put(tmp_path, "a.png", png(RGB)), put(tmp_path, "b.png", png(RGB[:9]))]
    answer = ranvier("frames", *images, "--format", "grey", "-o", tmp_path / "f.bin")
    assert answer.code == 3
    assert f"{images[1]}: is 12x9 pixels, {images[0]} is 12x10" in answer.both
    answer = ranvier(
        *("frames", images[0], "--format", "grey", "--size", 9, 12, "-o", tmp_path / "f.bin")
    )
    assert answer.code == 3
    assert f"{images[0]}: is 12x10 pixels, the package takes 12x9" in answer.both
    nowhere = tmp_path / "nowhere" / "f.h"
    answer = ranvier(
        *("frames", images[0], "--format", "grey", "-o", tmp_path / "f.bin", "--c-array", nowhere)
    )
    assert answer.code == 3
    assert names(tmp_path) == ["a.png", "b.png"]
