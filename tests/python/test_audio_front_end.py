# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The audio front end as a whole: the reference model, and the stage ``audio``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audio_clips import (
    FRAMES,
    HOP,
    PREPROCESSOR,
    QUANT,
    RATE,
    clip,
    compare,
    network,
    streaming,
    windows,
)
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.graph import DType, Quant
from ranvier.compiler.pipeline.options import pipeline_of, read_pipeline
from ranvier.errors import InputError
from ranvier.model import Model
from ranvier.native import op_codes
from ranvier.package.records import IoMode, OpRecord

CLIPS = 60
with_reference = pytest.mark.skipif(
    not PREPROCESSOR.is_file(), reason="needs ../shared/models/tflm_audio_preprocessor_int8.tflite"
)


def compiled(model: bytes, stage: str | None = None, **options: Any) -> CompileResult:
    pipeline = pipeline_of([stage], []) if stage else None
    return compile_model(model, "m.tflite", CompileOptions(pipeline=pipeline, **options))


@with_reference
def test_clips_are_bit_equal_to_the_reference() -> None:
    """Every kind of clip, as a model of its own and through ``push`` and ``infer``."""
    assert compare(CLIPS) == []


@with_reference
@pytest.mark.parametrize("mode", IoMode)
def test_every_input_mode_gives_the_same(mode: IoMode) -> None:
    data = PREPROCESSOR.read_bytes()
    result = compiled(data, input_mode=mode)
    assert [entry.name for entry in result.content.entries] == ["infer", "reset"]
    ours, plain = Model(result.package), Model(compiled(data).package)
    for window in windows(clip(0).samples):
        assert np.array_equal(ours.run(window)[0], plain.run(window)[0])


def ops_by_name(result: CompileResult) -> dict[str, OpRecord]:
    names = {code: name for name, code in op_codes().items()}
    return {names[op.code]: op for op in result.content.ops}


@with_reference
def test_tables_are_those_of_the_reference_model() -> None:
    """Window, filter bank, gain and all parameters, which the stage computes by itself."""
    theirs = ops_by_name(compiled(PREPROCESSOR.read_bytes()))
    ours = ops_by_name(compiled(network((1, FRAMES, 40, 1)), "audio"))
    for name in set(theirs) - {"CLEAR"}:
        assert ours[name].params == theirs[name].params, name
        assert ours[name].weights == theirs[name].weights, name
    assert len(theirs) == 11


@pytest.mark.parametrize(
    "shape", [(1, 5, 40, 1), (1, 5, 40), (5, 40), (1, 200), (1, 5, 1, 40), (1, 40)]
)
def test_the_network_may_have_its_frames_in_any_shape(shape: tuple[int, ...]) -> None:
    model, plain = streaming(shape), streaming((1, 5, 40, 1))
    for hop in clip(0).samples[: 8 * HOP].reshape(-1, 1, HOP):
        model.run(hop, entry="push")
        plain.run(hop, entry="push")
    found = model.run(entry="infer")[0].ravel()
    assert np.array_equal(found, plain.run(entry="infer")[0].ravel()[-found.size :])
    assert len(set(found.tolist())) > 20


def test_frames_before_the_first_are_zero_bytes_and_a_reset_begins_anew() -> None:
    model = streaming((1, FRAMES, 40, 1))
    hops = clip(10).samples[: 3 * HOP].reshape(-1, 1, HOP)
    for _ in range(2):
        for hop in hops:
            model.run(hop, entry="push")
        frames = model.run(entry="infer")[0].reshape(FRAMES, 40)
        assert not frames[:-3].any()
        assert frames[-3:].any(axis=1).all()
        model.reset()
    assert not model.run(entry="infer")[0].any()


@pytest.mark.parametrize(
    ("quant", "dtype"),
    [
        (Quant((26 / 255,), (-128,)), DType.INT8),
        (Quant((0.2,), (-5,)), DType.INT8),
        (Quant((26 / 256,), (0,)), DType.UINT8),
        (Quant((0.11,), (3,)), DType.UINT8),
    ],
)
def test_other_quantisations_are_requantised_as_quantize_does(quant: Quant, dtype: DType) -> None:
    """Against real numbers: no result is further than half a step of the network's scale."""
    plain = streaming((1, 10, 40))
    other = streaming((1, 10, 40), quant=quant, dtype=dtype)
    limits = np.iinfo(dtype.numpy)
    for hop in clip(0).samples[: 10 * HOP].reshape(-1, 1, HOP):
        plain.run(hop, entry="push")
        other.run(hop, entry="push")
    real = (plain.run(entry="infer")[0].astype(float) + 128) * QUANT.scale
    exact = np.clip(real / quant.scale + quant.zero_point, limits.min, limits.max)
    found = other.run(entry="infer")[0]
    assert found.dtype == dtype.numpy
    assert np.abs(found - exact).max() <= 0.5 + 1e-6
    assert len(np.unique(found)) > 20


# MFCC

MFCC = Quant((0.6,), (83,))


def integer_cosines(
    logs: NDArray[np.int16], coefficients: int
) -> tuple[NDArray[np.int64], int, NDArray[np.float64]]:
    """SPEC.md's transform with NumPy's integers; its fraction bits; and the exact one in float."""
    depth = len(logs)
    k, i = np.arange(coefficients)[:, None], np.arange(depth)
    exact = np.sqrt(np.where(k == 0, 1, 2) / depth) * np.cos(np.pi * k * (i + 0.5) / depth)
    bits = max(m for m in range(31) if np.abs(np.rint(2.0**m * exact)).max() < 2**15)
    sums = np.abs(exact).sum(axis=1).max()
    fraction = max(f for f in range(31) if f == 0 or sums * 1420 * 2**f < 2**15)
    shift = bits - fraction
    matrix = np.rint(2.0**bits * exact).astype(np.int64)
    values = (matrix @ logs.astype(np.int64) + (1 << shift >> 1)) >> shift
    return np.clip(values, -(2**15), 2**15 - 1), fraction, exact @ logs / 25.6


@pytest.mark.parametrize(("channels", "coefficients"), [(40, 10), (40, 13), (26, 26), (1, 1)])
def test_mfcc(channels: int, coefficients: int) -> None:
    """Exactly an integer model, and within stated bounds a transform in float64.

    The transform in integers is within 0.03 of the exact one, where values reach 500; the
    network's quantisation adds at most half of its step.
    """
    options = f"channels={channels},coefficients={coefficients}"
    model = streaming((1, 1, coefficients), f"audio:features=mfcc,{options}", quant=MFCC)
    tensors = {t.name: i for i, t in enumerate(model.package.content.tensors)}
    differences = []
    for number in (0, 1, 2, 4, 8):
        model.reset()
        for hop in clip(number).samples[: 6 * HOP].reshape(-1, 1, HOP):
            traced = {i: array for _, i, array in model.trace(hop, entry="push")}
            logs = traced[tensors["log_mel"]].ravel()
            expected, fraction, exact = integer_cosines(logs, coefficients)
            assert np.array_equal(traced[tensors["cepstrum"]].ravel(), expected)
            real = expected / (25.6 * 2**fraction)
            differences.append(np.abs(real - exact).max())
            wanted = np.clip(exact / MFCC.scale + MFCC.zero_point, -128, 127)
            frame = traced[tensors["features"]].ravel()
            assert np.abs(frame - wanted).max() <= 0.5 + 0.03 / MFCC.scale
    assert max(differences) < 0.03


# What does not fit


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("hop_ms=40", "longer than the window"),
        ("hop_ms=0", "0 samples"),
        ("hop_ms=20.01", "320.16 samples"),
        ("hop_ms=-20", "-320 samples"),
        ("hop_ms=inf", "inf samples"),
        ("window_ms=nan", "nan samples"),
        ("window_ms=200", "the longest FFT has 2048"),
        ("sample_rate=48000,window_ms=50,hop_ms=50", "at most 42.6667 ms"),
        ("sample_rate=0", "0 samples"),
        ("sample_rate=11025", "220.5 samples"),
        ("sample_rate=8000", "half the sample rate"),
        ("upper_hz=8001", "half the sample rate"),
        ("upper_hz=8000", "beyond the last of 257 bins"),
        ("lower_hz=-1", "half the sample rate"),
        ("lower_hz=7500", "half the sample rate"),
        ("lower_hz=nan", "half the sample rate"),
        ("channels=39", "not frames x 39"),
        ("channels=0", "channels = 0"),
        ("channels=129", "channels = 129"),
        ("features=mfcc,coefficients=20,channels=10", "coefficients = 20"),
        ("features=mfcc,coefficients=13", "not frames x 13"),
        ("coefficients=13", "coefficients has no effect, since features are log_mel"),
        ("features=mel", "features = 'mel'"),
        ("even_smoothing=1.5", "even_smoothing = 1.5"),
        ("odd_smoothing=-1", "odd_smoothing = -1"),
        ("min_signal_remaining=2", "min_signal_remaining = 2"),
        ("smoothing_bits=2", "smoothing_bits = 2"),
        ("pcan_gain_bits=12", "pcan_gain_bits = 12"),
        ("pcan_strength=9", "pcan_strength = 9"),
        ("pcan_offset=0", "pcan_offset = 0"),
        ("pcan_strength=1.5,pcan_offset=1", "pcan_offset = 1 falls too fast for 16 bits"),
        ("clamping=3", "clamping = 3"),
        ("rate=8000", "'rate' is no option"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        streaming((1, FRAMES, 40, 1), f"audio:{options}")
    assert words in str(caught.value)
    assert caught.value.remedy


@pytest.mark.parametrize("shape", [(1, 5, 5, 40), (2, 3, 40), (1, 41), (1, 40, 5)])
def test_networks_that_read_no_frames_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match="not frames x 40"):
        streaming(shape)


def test_a_network_of_another_type_is_refused() -> None:
    with pytest.raises(InputError, match="int8 or uint8"):
        streaming((1, 5, 40), dtype=DType.INT16)


def test_a_stage_before_it_is_refused() -> None:
    pipeline = pipeline_of(["audio", "audio"], [])
    with pytest.raises(InputError, match="not the first"):
        compile_model(network((1, 5, 40)), "m.tflite", CompileOptions(pipeline=pipeline))


@pytest.mark.parametrize(
    "options",
    [
        "sample_rate=8000,upper_hz=3800",
        "sample_rate=44100,window_ms=30,hop_ms=10,upper_hz=16000",
        "window_ms=64,hop_ms=64",
        "window_ms=4,hop_ms=2,channels=8,smoothing_bits=8",
        "window_ms=128,channels=100",
        "lower_hz=0,upper_hz=4000,clamping=true",
        "even_smoothing=0,odd_smoothing=1,min_signal_remaining=1",
    ],
)
def test_other_settings_hear_the_pitch_of_a_tone(options: str) -> None:
    """The loudest channel is, up to its neighbour, the one whose peak in mel is the nearest."""
    used = pipeline_of([f"audio:{options}"], []).pre[0].options
    model = streaming((1, used.channels), f"audio:{options}")
    tensors = {t.name: i for i, t in enumerate(model.package.content.tensors)}
    mels = 1127 * np.log1p(np.array([used.lower_hz, used.upper_hz]) / 700)
    peaks = mels[0] + (mels[1] - mels[0]) * np.arange(1, used.channels + 1) / (used.channels + 1)
    hop = int(used.sample_rate * used.hop_ms / 1000)
    count = math.ceil(used.window_ms / used.hop_ms)
    for hz in (600.0, 1500.0, 2900.0):
        model.reset()
        time = np.arange(hop * count) / used.sample_rate
        tone = (9000 * np.sin(2 * math.pi * hz * time)).astype(np.int16)
        for part in tone.reshape(-1, 1, hop):
            traced = {i: array for _, i, array in model.trace(part, entry="push")}
        loudest = int(np.argmax(traced[tensors["magnitude"]]))
        nearest = int(np.argmin(np.abs(peaks - 1127 * math.log1p(hz / 700))))
        assert abs(loudest - nearest) <= 1


def test_the_stage_can_be_named_in_toml() -> None:
    text = b'[[pre]]\nstage = "audio"\nhop_ms = 10\nfeatures = "mfcc"\ncoefficients = 10\n'
    pipeline = read_pipeline(text, "p.toml")
    options = CompileOptions(pipeline=pipeline)
    result = compile_model(network((1, 49, 10, 1), MFCC), "m.tflite", options)
    entries = {entry.name: entry for entry in result.content.entries}
    assert list(entries) == ["push", "infer", "reset"]
    (source,) = entries["push"].inputs
    tensor = result.content.tensors[source]
    assert (tensor.dtype, tensor.shape) == (DType.INT16, (1, RATE // 100))
    assert result.content.meta["pipeline"]["pre"][0]["hop_ms"] == 10
