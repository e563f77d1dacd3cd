# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The stage ``audio``: from hops of samples to the frames of features that a network reads.

It adds the entry point ``push``, which takes one hop of 16-bit samples. Ops are those of TensorFlow
Lite Micro's audio preprocessor (``SignalWindow`` and so on), with its settings as the defaults:
then the features are equal to its features bit by bit. The network reads the newest frames, which
are persistent state; before as many hops were pushed, the oldest of them are zero bytes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranvier.compiler.graph import DType, Op, Quant, Tensor
from ranvier.compiler.ops import op_specs
from ranvier.compiler.ops import quantize as quantize_op
from ranvier.compiler.ops.base import BYTE_TYPES
from ranvier.compiler.ops.matmul_s16 import MATRIX
from ranvier.compiler.ops.signal_fft import AUTO_SCALE, ENERGY, FFT_MAX, RFFT
from ranvier.compiler.ops.signal_filter_bank import KIND as FILTER_BANK
from ranvier.compiler.ops.signal_filter_bank import SQUARE_ROOT
from ranvier.compiler.ops.signal_log import KIND as LOG
from ranvier.compiler.ops.signal_noise import PCAN, SUBTRACTION
from ranvier.compiler.ops.signal_window import KIND as WINDOW
from ranvier.compiler.ops.steps import INPUTS, STEPS, thresholds
from ranvier.compiler.ops.stream import PUSH
from ranvier.compiler.pipeline.audio_tables import (
    WEIGHT_BITS,
    WINDOW_BITS,
    FilterBank,
    cosine_transform,
    gain_table,
    hann_window,
    mel_filter_bank,
)
from ranvier.compiler.pipeline.stage import Builder, Stage, Values
from ranvier.package.values import quantise

ENTRY = "push"

_SHORTEST_FFT = 64
_INT16_TYPE = 7
_SUBTRACTION_BITS = 14
_SNR_BITS = 12  # fraction of the signal-to-noise ratio in PCAN
_LOG_SCALE = 64
_LARGEST_LOG = math.ceil(_LOG_SCALE * 32 * math.log(2))
_UNITS = 25.6  # a feature of 1.0 in units of the logarithm's output
_MOST_CHANNELS = 128
_INT8_QUANT = Quant((26 / 256,), (-128,))
"""Quantisation of the reference's int8 features, which reach from 0 to 26."""


@dataclass(frozen=True)
class AudioOptions:
    """Options of the stage ``audio``.

    ``sample_rate`` is in Hz. A frame is a window of ``window_ms`` milliseconds, the next one begins
    ``hop_ms`` later. ``features`` are the logarithms of ``channels`` mel bands between ``lower_hz``
    and ``upper_hz``, or the first ``coefficients`` of their discrete cosine transform. The others
    are the reference's noise reduction (``even_smoothing``, ``odd_smoothing``,
    ``min_signal_remaining``, ``smoothing_bits``, ``clamping``) and gain control (``pcan_*``).
    """

    sample_rate: int = 16000
    hop_ms: float = 20.0
    window_ms: float = 30.0
    features: Literal["log_mel", "mfcc"] = "log_mel"
    channels: int = 40
    coefficients: int = 13
    lower_hz: float = 125.0
    upper_hz: float = 7500.0
    even_smoothing: float = 0.025
    odd_smoothing: float = 0.06
    min_signal_remaining: float = 0.05
    smoothing_bits: int = 10
    clamping: bool = False
    pcan_strength: float = 0.95
    pcan_offset: float = 80.0
    pcan_gain_bits: int = 21

    @property
    def width(self) -> int:
        """Features of a frame."""
        return self.channels if self.features == "log_mel" else self.coefficients


@dataclass(frozen=True)
class _Sizes:
    """What follows from the options."""

    hop: int
    window: int
    points: int
    correction_bits: int
    snr_shift: int
    bank: FilterBank


def build(builder: Builder, options: Any, values: Values) -> Values:
    """Append the ops of ``push``; the newest frames as the network reads them."""
    assert isinstance(options, AudioOptions)
    if values:
        raise builder.error("stage audio is not the first one", "put it before all others")
    sizes = _sizes(builder, options)
    _check_goal(builder, options)
    builder.entry(ENTRY)
    hop = builder.source("audio", DType.INT16, (1, sizes.hop))
    window = builder.state("window", DType.INT16, (1, sizes.window))
    builder.op(PUSH, [hop, window], [window])
    logs = _log_mel(builder, options, sizes, window)
    if options.features == "log_mel":
        frame = _quantised(builder, logs, _log_mel_results(builder), options.width)
    else:
        frame = _mfcc(builder, options, logs)
    goal = builder.goal
    frames = builder.state("features", goal.dtype, goal.shape, goal.quant)
    builder.op(PUSH, [frame, frames], [frames])
    return (frames,)


def _check_goal(builder: Builder, options: AudioOptions) -> None:
    goal = builder.goal
    if goal.dtype not in BYTE_TYPES or goal.quant is None or not goal.quant.per_tensor:
        raise builder.error(
            f"stage audio gives int8 or uint8, the network reads {goal.described}",
            "quantise the network to int8",
        )
    sizes = [size for size in goal.shape if size != 1] or [1]
    flat = len(sizes) == 1 and sizes[0] % options.width == 0
    if not flat and not (len(sizes) == 2 and sizes[1] == options.width):
        raise builder.error(
            f"stage audio gives frames of {options.width} features, the network reads "
            f"{goal.described}, which is not frames x {options.width}",
            "set channels, or features and coefficients, as the network was trained",
        )


def _sizes(builder: Builder, options: AudioOptions) -> _Sizes:
    hop = _samples(builder, options, "hop_ms")
    window = _samples(builder, options, "window_ms")
    if hop > window:
        raise builder.error(
            f"stage audio: hop_ms = {options.hop_ms:g} is longer than the window of "
            f"{options.window_ms:g} ms, so that samples would be lost",
            "give a hop of at most the window",
        )
    points = max(_SHORTEST_FFT, 1 << (window - 1).bit_length())
    if points > FFT_MAX:
        raise builder.error(
            f"stage audio: a window of {options.window_ms:g} ms at {options.sample_rate} Hz has "
            f"{window:g} samples, the longest FFT has {FFT_MAX}",
            f"give a window of at most {FFT_MAX * 1000 / options.sample_rate:g} ms",
        )
    correction_bits = points.bit_length() - 1 - WEIGHT_BITS // 2
    snr_shift = options.pcan_gain_bits - correction_bits - _SNR_BITS
    _check_numbers(builder, options, correction_bits, snr_shift)
    return _Sizes(
        hop, window, points, correction_bits, snr_shift, _bank(builder, options, points // 2 + 1)
    )


def _samples(builder: Builder, options: AudioOptions, name: str) -> int:
    ms = getattr(options, name)
    samples = options.sample_rate * ms / 1000
    if not (math.isfinite(samples) and samples >= 1 and samples == int(samples)):
        raise builder.error(
            f"stage audio: {name} = {ms:g} at {options.sample_rate} Hz is {samples:g} samples",
            "give times of whole samples, at least one",
        )
    return int(samples)


def _check_numbers(
    builder: Builder, options: AudioOptions, correction_bits: int, snr_shift: int
) -> None:
    """Raise an error for options out of their ranges."""
    limits: dict[str, tuple[float, float]] = {
        "channels": (1, _MOST_CHANNELS),
        "coefficients": (1, options.channels),
        "even_smoothing": (0, 1),
        "odd_smoothing": (0, 1),
        "min_signal_remaining": (0, 1),
        "smoothing_bits": (correction_bits, 16),
        "pcan_strength": (0, 4),
        "pcan_offset": (1e-3, 1e6),
        "pcan_gain_bits": (_SNR_BITS + correction_bits + 1, 30),
    }
    if options.features == "log_mel":
        builder.unused("audio", "coefficients", "features are log_mel, not mfcc")
        del limits["coefficients"]
    for name, (low, high) in limits.items():
        value = getattr(options, name)
        if not low <= value <= high:
            raise builder.error(
                f"stage audio: {name} = {value:g} is out of range", f"give {low:g} to {high:g}"
            )
    assert snr_shift >= 1


def _bank(builder: Builder, options: AudioOptions, bins: int) -> FilterBank:
    nyquist = options.sample_rate / 2
    limits = f"{options.lower_hz:g} to {options.upper_hz:g} Hz"
    if not 0 <= options.lower_hz < options.upper_hz <= nyquist:
        raise builder.error(
            f"stage audio: the band {limits} is not one below {nyquist:g} Hz, half the sample rate",
            "give 0 <= lower_hz < upper_hz <= half the sample rate",
        )
    bank = mel_filter_bank(
        options.channels, bins, options.sample_rate, options.lower_hz, options.upper_hz
    )
    if bank is None:
        raise builder.error(
            f"stage audio: the band {limits} reaches beyond the last of {bins} bins of the "
            "spectrum, or has none",
            "give an upper_hz that is lower, or a longer window",
        )
    return bank


def _constant(builder: Builder, name: str, values: NDArray[Any]) -> Tensor:
    tensor = builder.tensor(name, DType.INT16, values.shape)
    tensor.data = values
    return tensor


def _log_mel(builder: Builder, options: AudioOptions, sizes: _Sizes, window: Tensor) -> Tensor:
    """From a window of samples to 64 times the logarithm of each channel, int16."""
    samples, bins, channels = (sizes.window,), (sizes.points // 2 + 1,), (options.channels,)

    def op(kind: str, inputs: list[Tensor], outputs: list[Tensor], **values: int) -> Tensor:
        builder.op(kind, inputs, outputs, _options=values)
        return outputs[0]

    hann = _constant(builder, "hann", hann_window(sizes.window))
    shaped = builder.tensor("windowed", DType.INT16, samples)
    op(WINDOW, [window, hann], [shaped], shift=WINDOW_BITS)
    scaled = builder.tensor("scaled", DType.INT16, samples)
    shift = builder.tensor("shift", DType.INT32, ())
    op(AUTO_SCALE, [shaped], [scaled, shift])
    spectrum = builder.tensor("spectrum", DType.INT16, (sizes.points + 2,))
    op(RFFT, [scaled], [spectrum], T=_INT16_TYPE, fft_length=sizes.points)
    energy = builder.tensor("energy", DType.UINT32, bins)
    bank = sizes.bank
    op(ENERGY, [spectrum], [energy], start_index=bank.first_bin, end_index=bank.end_bin)
    tables = [
        _constant(builder, name, getattr(bank, name))
        for name in ("weights", "unweights", "starts", "firsts", "widths")
    ]
    sums = builder.tensor("mel", DType.UINT64, channels)
    op(FILTER_BANK, [energy, *tables], [sums], num_channels=options.channels)
    roots = builder.tensor("magnitude", DType.UINT32, channels)
    op(SQUARE_ROOT, [sums, shift], [roots])
    noise = builder.state("noise", DType.UINT32, channels)
    clean = builder.tensor("clean", DType.UINT32, channels)
    op(SUBTRACTION, [roots, noise], [noise, clean], **_subtraction(options))
    gains = _constant(builder, "gains", _gains(builder, options, sizes))
    even = builder.tensor("gained", DType.UINT32, channels)
    op(PCAN, [clean, noise, gains], [even], snr_shift=sizes.snr_shift)
    logs = builder.tensor("log_mel", DType.INT16, channels)
    return op(
        LOG,
        [even],
        [logs],
        input_correction_bits=sizes.correction_bits,
        output_scale=_LOG_SCALE,
    )


def _gains(builder: Builder, options: AudioOptions, sizes: _Sizes) -> NDArray[np.int16]:
    strength, offset = options.pcan_strength, options.pcan_offset
    input_bits = options.smoothing_bits - sizes.correction_bits
    gains = gain_table(strength, offset, input_bits, options.pcan_gain_bits)
    if gains is None:
        raise builder.error(
            f"stage audio: the gain of pcan_strength = {strength:g} and pcan_offset = {offset:g} "
            "falls too fast for 16 bits",
            "give a pcan_strength of at most 1, or a larger pcan_offset",
        )
    return gains


def _subtraction(options: AudioOptions) -> dict[str, int]:
    one = 1 << _SUBTRACTION_BITS
    even, odd = int(options.even_smoothing * one), int(options.odd_smoothing * one)
    return {
        "num_channels": options.channels,
        "smoothing": even,
        "one_minus_smoothing": one - even,
        "alternate_smoothing": odd,
        "alternate_one_minus_smoothing": one - odd,
        "min_signal_remaining": int(options.min_signal_remaining * one),
        "smoothing_bits": options.smoothing_bits,
        "spectral_subtraction_bits": _SUBTRACTION_BITS,
        "clamping": int(options.clamping),
    }


def _log_mel_results(builder: Builder) -> NDArray[np.int64]:
    """The network's input for every int16: the reference's int8 feature, requantised."""
    feature = np.sign(INPUTS) * (np.abs(INPUTS * 256 + 333) // 666) - 128
    feature = np.where(INPUTS * 256 + 333 < 0, -128, feature)
    feature = np.clip(feature, -128, 127)
    goal = builder.goal
    if (goal.dtype, goal.quant) == (DType.INT8, _INT8_QUANT):
        return np.asarray(feature, np.int64)
    source = builder.tensor("feature", DType.INT8, goal.shape, _INT8_QUANT)
    requantise = Op("QUANTIZE", [source], [goal])
    reasons = op_specs()["QUANTIZE"].check(requantise)
    if reasons:
        raise builder.error(
            f"stage audio: the network's input {goal.described}: {reasons[0]}",
            "train the network on features from 0 to 26",
        )
    table = quantize_op.table(requantise).view(goal.dtype.numpy)
    return table[feature.astype(np.int8).view(np.uint8)].astype(np.int64)


def _quantised(builder: Builder, value: Tensor, results: NDArray[np.int64], width: int) -> Tensor:
    table = thresholds(results, builder.goal.dtype)
    assert table is not None
    frame = builder.tensor("frame", builder.goal.dtype, (width,), builder.goal.quant)
    builder.op(STEPS, [value], [frame], _thresholds=table)
    return frame


def _mfcc(builder: Builder, options: AudioOptions, logs: Tensor) -> Tensor:
    """A frame of cepstral coefficients, in the network's quantisation."""
    dct = cosine_transform(options.coefficients, options.channels, _LARGEST_LOG)
    cepstrum = builder.tensor("cepstrum", DType.INT16, (options.coefficients,))
    builder.op(MATRIX, [logs], [cepstrum], _matrix=dct.matrix, _shift=dct.shift)
    quant = builder.goal.quant
    assert quant is not None
    real = (INPUTS / (_UNITS * (1 << dct.fraction))).astype(np.float32)
    results = quantise(real, builder.goal.dtype.numpy, quant.scale, quant.zero_point)
    return _quantised(builder, cepstrum, results.astype(np.int64), options.width)


STAGES = (Stage("audio", "pre", AudioOptions, build),)
