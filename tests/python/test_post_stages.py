# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The stages after a classifier, and what hosts make of their lists."""

from __future__ import annotations

import numpy as np
import pytest

from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.errors import InputError
from ranvier.model import Model
from ranvier.results import Detection, detections, is_list
from ranvier.testing.cases.draw import single_op
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from vision_ops import Array, network, staged

LOGITS = Quant((0.1,), (3,))
PROBABILITY = Quant((1 / 256,), (-128,))
LABELS = ("silence", "unknown", "yes", "no", "stop")


def classifier(quant: Quant, post: list[str], labels: tuple[str, ...] = ()) -> Model:
    scores = Tensor("scores", DType.INT8, (1, 5), quant)
    return staged(network(scores), post=post, labels=labels)


def softmax(values: Array) -> Array:
    """TensorFlow Lite Micro's, int8."""
    x = Tensor("x", DType.INT8, values.shape, LOGITS)
    y = Tensor("y", DType.INT8, values.shape, PROBABILITY)
    model = build_tflite(single_op("SOFTMAX", [x], y, {"beta": 1.0}))
    return TfliteMicroOracle(model).run([values])[0]


def logits(seed: int) -> Array:
    return np.random.default_rng(seed).integers(-128, 128, (1, 5)).astype(np.int8)


def test_probabilities_as_real_numbers() -> None:
    model = classifier(LOGITS, ["softmax", "dequantize"])
    for seed in range(20):
        (got,) = model.run(logits(seed))
        assert got.dtype == np.float32
        expected = (softmax(logits(seed)).astype(np.float32) + 128) / 256
        assert np.array_equal(got, expected)


def test_softmax_of_one_of_several() -> None:
    tensors = [Tensor(name, DType.INT8, (1, 5), LOGITS) for name in "ab"]
    model = staged(network(*tensors), post=["softmax:output=1"])
    first, second = model.run(logits(1), logits(2))
    assert np.array_equal(first, logits(1))
    assert np.array_equal(second, softmax(logits(2)))


def test_argmax_takes_the_first_of_equals() -> None:
    model = classifier(LOGITS, ["argmax"], LABELS)
    assert model.run(np.array([[1, 7, 7, -3, 7]], np.int8))[0].tolist() == [1]
    for seed in range(20):
        assert model.run(logits(seed))[0].tolist() == [int(np.argmax(logits(seed)))]


def test_top_k_with_labels() -> None:
    model = classifier(LOGITS, ["softmax", "top_k:k=3,threshold=0.1"], LABELS)
    for seed in range(20):
        real = (softmax(logits(seed))[0].astype(int) + 128) / 256
        order = sorted(range(5), key=lambda c: (-real[c], c))
        expected = [c for c in order if real[c] >= 0.1][:3]
        found = detections(*model.run(logits(seed)), model.package.labels)
        assert [d.label for d in found] == [LABELS[c] for c in expected]
        assert all(abs(d.score - real[d.class_index]) < 1e-4 for d in found)
        assert all(d.box is None for d in found)


def test_smoothing_ignores_by_label_and_number() -> None:
    text = "smooth:window=2,threshold=0.6,refractory=2,minimum=2,ignore=[silence,1]"
    model = classifier(PROBABILITY, [text], LABELS)

    def run(*scores: float) -> list[str]:
        values = (np.array([scores]) * 256 - 128).clip(-128, 127).astype(np.int8)
        return [d.label for d in detections(*model.run(values), model.package.labels)]

    yes, silence, unknown = (0, 0, 1, 0, 0), (1, 0, 0, 0, 0), (0, 1, 0, 0, 0)
    assert run(*yes) == []  # the minimum
    assert run(*yes) == ["yes"]
    assert run(*yes) == []  # refractory, twice
    assert run(*yes) == []
    assert run(*yes) == ["yes"]
    for _ in range(4):
        assert run(*silence) == []
        assert run(*unknown) == []
    model.reset()
    assert run(*yes) == []
    assert run(*yes) == ["yes"]


def test_a_label_without_labels_is_not_taken_for_a_wrong_one() -> None:
    with pytest.raises(InputError, match="labels are not known") as error:
        classifier(PROBABILITY, ["smooth:ignore=[silence]"])
    assert "--labels FILE" in str(error.value.remedy)


def test_a_reset_is_an_entry_point() -> None:
    model = classifier(PROBABILITY, ["smooth"], LABELS)
    assert [entry.name for entry in model.package.entries] == ["infer", "reset"]


@pytest.mark.parametrize(
    ("post", "why"),
    [
        (["softmax:output=1"], "there is no output 1, only 1"),
        (["dequantize", "softmax"], "is not int8 scores"),
        (["dequantize", "argmax"], "needs one int8 tensor of scores"),
        (["top_k:k=6"], "k = 6 of 5 classes is impossible"),
        (["top_k:k=0"], "k = 0 of 5 classes is impossible"),
        (["top_k"], "are not scores of 0..1"),
        (["softmax", "top_k:threshold=2"], "threshold = 2 is not 0..1"),
        (["softmax", "top_k:threshold=nan"], "threshold = nan is not 0..1"),
        (["smooth"], "are not scores of 0..1"),
        (["softmax", "smooth:window=0"], "window = 0 is impossible"),
        (["softmax", "smooth:window=1025"], "window = 1025 is impossible"),
        (["softmax", "smooth:refractory=-1"], "refractory = -1 is impossible"),
        (["softmax", "smooth:minimum=0"], "minimum = 0 is impossible"),
        (["softmax", "smooth:threshold=-1"], "threshold = -1 is not 0..1"),
        (["softmax", "smooth:suppress=none"], "is not 'any' or 'same'"),
        (["softmax", "smooth:suppress=any,refractory=0"], "suppress has no effect, since"),
        (["softmax", "smooth:ignore=[noise]"], "ignore = 'noise' is no class"),
        (["softmax", "smooth:ignore=[5]"], "ignore = 5 is no class"),
        (["softmax", "top_k", "smooth"], "needs one int8 tensor of scores"),
    ],
)
def test_wrong_options_are_named(post: list[str], why: str) -> None:
    with pytest.raises(InputError) as error:
        classifier(LOGITS, post, LABELS)
    assert why in str(error.value)


@pytest.mark.parametrize("stage", ["softmax", "argmax", "top_k", "smooth", "detect", "nms"])
def test_an_output_without_dimensions_has_no_classes(stage: str) -> None:
    """One number, as a regression puts out, is refused by every stage that needs a dimension."""
    model = network(Tensor("level", DType.INT8, (), PROBABILITY))
    with pytest.raises(InputError, match=f"stage {stage}"):
        staged(model, post=[stage])


def test_detections_need_more_than_an_output_without_dimensions() -> None:
    model = network(Tensor("level", DType.INT8, (), PROBABILITY))
    with pytest.raises(InputError, match="are not 4 values of a box and scores"):
        staged(model, post=["detect:size=[8,8],grid=[1,1]"])


@pytest.mark.parametrize("isa", ["generic", "dsp"])
def test_an_output_without_dimensions_as_a_real_number(isa: str) -> None:
    model = staged(network(Tensor("level", DType.INT8, (), LOGITS)), post=["dequantize"], isa=isa)
    for value in (-128, 3, 127):
        (got,) = model.run(np.array(value, np.int8))
        assert (got.dtype, got.shape) == (np.float32, ())
        assert got == np.float32(value - 3) * np.float32(0.1)


@pytest.mark.parametrize("stage", ["argmax", "top_k", "smooth"])
def test_labels_are_as_many_as_classes(stage: str) -> None:
    with pytest.raises(InputError, match="4 labels for 5 classes"):
        classifier(PROBABILITY, [stage], LABELS[:4])


def test_lists_as_detections() -> None:
    entries = np.zeros((3, 6), np.int16)
    entries[0] = [1, 32767, 2, 3, 40, 50]
    entries[1] = [7, 0, 0, 0, 0, 0]
    count = np.array([2], np.int32)
    assert is_list(count, entries)
    assert detections(count, entries, ("cat", "dog")) == [
        Detection(1, "dog", 32767 / 32768, (2, 3, 40, 50)),
        Detection(7, "7", 0.0, None),
    ]


@pytest.mark.parametrize("used", [-1, 4])
def test_a_count_that_no_package_puts_out(used: int) -> None:
    with pytest.raises(InputError, match=f"cannot have {used} in use"):
        detections(np.array([used], np.int32), np.zeros((3, 6), np.int16))


def test_arrays_that_are_no_list() -> None:
    count, entries = np.array([0], np.int32), np.zeros((3, 6), np.int16)
    for wrong in ((count, entries[:, :5]), (count.astype(np.int64), entries), (count, entries[0])):
        assert not is_list(*wrong)
        with pytest.raises(InputError, match="no list of results"):
            detections(*wrong)
