# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The stages image and normalize: what a network is given, and which options are refused."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import pytest

from random_models import Maker
from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.errors import InputError
from ranvier.model import Model
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.testing.cases.draw import single_op
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from vision_ops import Array, network, resized, staged

PLAIN = Quant((float(np.float32(1 / 255)),), (-128,))


def picture_network(shape: Sequence[int], quant: Quant, dtype: DType = DType.INT8) -> bytes:
    return network(Tensor("input", dtype, tuple(shape), quant))


def ops_of(model: Model) -> list[str]:
    names = {code: name for name, code in op_codes().items()}
    return [names[op.code] for op in model.package.content.ops]


def quantised(values: Array, quant: Quant) -> Array:
    """TensorFlow Lite Micro's QUANTIZE of float32 values."""
    x = Tensor("x", DType.FLOAT32, (1, values.size))
    y = Tensor("y", DType.INT8, (1, values.size), quant)
    model = build_tflite(single_op("QUANTIZE", [x], y))
    (result,) = TfliteMicroOracle(model).run([values.reshape(1, -1).astype(np.float32)])
    return result.reshape(values.shape)


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("channels", [1, 3])
def test_a_picture_is_resized_and_normalised(mode: IoMode, channels: int) -> None:
    random = np.random.default_rng([1, channels])
    mean, std = (0.485, 0.456, 0.406)[:channels], (0.229, 0.224, 0.225)[:channels]
    quant = Quant((float(np.float32(0.0186)),), (-14,))
    pre = [
        f"image:format={'rgb888' if channels == 3 else 'grey'},size=[30,40],crop=[2,3,20,31]",
        f"normalize:mean={list(mean)},std={list(std)}",
    ]
    model = staged(picture_network((1, 12, 16, channels), quant), pre, input_mode=mode)
    assert ops_of(model)[:2] == ["IMAGE", "CHANNEL_TABLE" if channels == 3 else "LUT_8"]
    for _ in range(3):
        picture = random.integers(0, 256, (30, 40, channels), np.uint8)
        small = resized(picture[2:22, 3:34], (12, 16), "RESIZE_BILINEAR", half_pixel_centers=True)
        one = small.astype(np.float32) / np.float32(255)
        real = (one - np.array(mean, np.float32)) / np.array(std, np.float32)
        assert np.array_equal(model.run(picture)[0], quantised(real, quant))


def test_every_pixel_value_is_quantised_as_the_reference_does() -> None:
    """A scale with many ties, and one at which most values saturate."""
    pixels = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)
    for scale, zero in ((2 / 255, -128), (0.5, 3), (1 / 1000, 0), (1.0, -100)):
        quant = Quant((float(np.float32(scale)),), (zero,))
        for divisor, mean, std in ((255, 0.0, 1.0), (1, 127.5, 127.5), (127.5, 1.0, 0.25)):
            stages = [
                "image:format=grey,size=[16,16],resize=nearest",
                f"normalize:divisor={divisor},mean={mean},std={std}",
            ]
            model = staged(picture_network((1, 16, 16, 1), quant), stages)
            one = pixels.astype(np.float32) / np.float32(divisor)
            real = (one - np.float32(mean)) / np.float32(std)
            assert np.array_equal(model.run(pixels)[0][0], quantised(real, quant))


def test_pixels_that_are_the_input_already_take_no_table() -> None:
    stages = ["image:format=rgb565,size=[8,8],align=corners", "normalize"]
    model = staged(picture_network((1, 8, 8, 3), PLAIN), stages)
    assert ops_of(model) == ["IMAGE"]
    assert model.package.inputs[0].shape == (8, 8, 2)
    white = model.run(np.full((8, 8, 2), 255, np.uint8))
    assert white[0].dtype == np.int8
    assert (white[0] == 127).all()


def test_a_network_of_pixels_needs_only_the_image() -> None:
    quant = Quant((float(np.float32(1 / 255)),), (0,))
    stages = ["image:format=grey,size=[4,4]"]
    model = staged(picture_network((1, 4, 4, 1), quant, DType.UINT8), stages)
    picture = np.arange(16, dtype=np.uint8).reshape(4, 4, 1)
    assert np.array_equal(model.run(picture)[0][0], picture)


@pytest.mark.parametrize(
    ("size", "shape", "window"),
    [
        ((20, 30), (10, 10), (0, 5, 20, 20)),
        ((30, 20), (10, 10), (5, 0, 20, 20)),
        ((20, 30), (4, 8), (2, 0, 15, 30)),
        ((7, 1), (3, 9), (3, 0, 1, 1)),
        ((1, 1), (5, 5), (0, 0, 1, 1)),
    ],
)
def test_the_middle_has_the_networks_proportions(
    size: tuple[int, int], shape: tuple[int, int], window: tuple[int, int, int, int]
) -> None:
    picture = np.random.default_rng(2).integers(0, 256, (*size, 1), np.uint8)
    results = []
    for crop in ("center", str(list(window))):
        stages = [f"image:format=grey,size={list(size)},crop={crop}", "normalize"]
        model = staged(picture_network((1, *shape, 1), PLAIN), stages)
        results.append(model.run(picture)[0])
    assert np.array_equal(*results)
    top, left, rows, columns = window
    assert np.array_equal(
        results[0].view(np.uint8) ^ 128,
        resized(
            picture[top : top + rows, left : left + columns],
            shape,
            "RESIZE_BILINEAR",
            half_pixel_centers=True,
        ),
    )


IMAGE = "image:format=rgb888,size=[8,8]"
WRONG = [
    (["image"], "format is missing"),
    (["image:format=png,size=[8,8]"], "'png' is not 'rgb888' or"),
    (["image:format=grey"], "size is missing"),
    (["image:format=grey,size=[8]"], "is not a list of 2"),
    (["image:format=grey,size=[0,8]"], "size = [0, 8] is impossible"),
    (["image:format=grey,size=[8,70000]"], "size = [8, 70000] is impossible"),
    (["image:format=yuyv,size=[8,7]"], "7 columns of yuyv are odd"),
    ([f"{IMAGE},crop=[0,0,9,8]"], "is not inside of the picture's 8 rows and 8 columns"),
    ([f"{IMAGE},crop=[-1,0,4,4]"], "is not inside"),
    ([f"{IMAGE},crop=[8,0,0,4]"], "is not inside"),
    ([f"{IMAGE},crop=middle"], "crop = 'middle' is not"),
    ([f"{IMAGE},resize=cubic"], "is not 'bilinear' or 'nearest'"),
    ([f"{IMAGE},align=left"], "is not 'half_pixel' or"),
    ([f"{IMAGE},range=tv"], "is not 'limited' or 'full'"),
    ([f"{IMAGE},range=limited"], "range has no effect, since rgb888 is not YUV"),
    ([f"{IMAGE},scale=2"], "'scale' is no option"),
    ([IMAGE], "gives 'pixels' uint8"),
    ([IMAGE, IMAGE], "stage image does not come first"),
    (["normalize"], "needs the pixels of image"),
    ([IMAGE, "normalize", "normalize"], "needs the pixels of image"),
    ([IMAGE, "normalize:mean=[1,2]"], "mean has 2 numbers, the picture 3 channels"),
    ([IMAGE, "normalize:std=0"], "std have to be above 0"),
    ([IMAGE, "normalize:std=[1,1,-1]"], "std have to be above 0"),
    ([IMAGE, "normalize:divisor=0"], "divisor and std have to be above 0"),
    ([IMAGE, "normalize:divisor=1e99"], "divisor and std have to be above 0"),
    ([IMAGE, "normalize:mean=nan"], "mean is not finite"),
    ([IMAGE, "normalize:std=[1,1,inf]"], "std is not finite"),
    ([IMAGE, "normalize:std=1e-44"], "some pixels have no finite value"),
]


@pytest.mark.parametrize(("stages", "why"), WRONG)
def test_wrong_options_are_named(stages: list[str], why: str) -> None:
    with pytest.raises(InputError) as error:
        staged(picture_network((1, 4, 4, 3), PLAIN), stages)
    assert why in str(error.value)


@pytest.mark.parametrize("shape", [(1, 10), (2, 4, 4, 3), (1, 4, 4, 2), (1, 4, 4)])
def test_a_network_that_reads_no_picture(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="is no picture"):
        staged(picture_network(shape, PLAIN), [IMAGE])
    assert prod(shape) > 0


def test_a_network_that_is_not_quantised() -> None:
    with pytest.raises(InputError, match="not quantised to 8 bits"):
        staged(network(Tensor("input", DType.FLOAT32, (1, 4, 4, 3))), [IMAGE, "normalize"])


@pytest.mark.parametrize("isa", ["generic", "dsp", "base"])
@pytest.mark.parametrize("optimize", ["speed", "memory"])
def test_stages_around_a_convolution(isa: str, optimize: str) -> None:
    """Packed kernels and their layouts begin behind the stages; results are the network's own."""
    make = Maker(3)
    quant = Quant((float(np.float32(1 / 255)),), (-128,))
    make.inputs = [make.tensor((1, 12, 12, 3), quant)]
    x = make.conv(make.inputs[0], 8)
    x = make.depthwise(x)
    data = build_tflite(make.graph(x))
    options = {"isa": isa, "optimize": optimize}
    stages = ["image:format=rgb565,size=[24,32],crop=center", "normalize"]
    alone, whole = staged(data, **options), staged(data, stages, **options)
    only = staged(picture_network((1, 12, 12, 3), quant), stages)
    random = np.random.default_rng(4)
    for _ in range(3):
        picture = random.integers(0, 256, (24, 32, 2), np.uint8)
        assert np.array_equal(whole.run(picture)[0], alone.run(*only.run(picture))[0])
