# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Each op of the audio front end by itself: equal to tflite-micro's, or refused with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ranvier.compiler.driver import check_model, compile_model
from ranvier.errors import UnsupportedError
from ranvier.model import Model
from signal_models import Array, Reference, Shape, signal_model

RUNS = 6


def compiled(model: bytes) -> Model:
    return Model(compile_model(model, "m.tflite").package)


def must_agree(model: bytes, runs: list[list[Array]]) -> None:
    """All runs, one after the other, give what tflite-micro gives; not always the same."""
    ours, reference = compiled(model), Reference(model)
    seen = set()
    for number, inputs in enumerate(runs):
        expected = reference(*inputs)
        found = ours.run(*inputs)
        assert len(found) == len(expected)
        for i, (ours_, theirs) in enumerate(zip(found, expected, strict=True)):
            assert np.array_equal(ours_.ravel(), theirs.ravel()), f"run {number}, output {i}"
        seen.add(b"".join(output.tobytes() for output in expected))
    assert len(seen) > 1


def int16s(rng: np.random.Generator, size: int) -> list[NDArray[np.int16]]:
    """Noise of all levels, extremes, and what the reference's auto scale takes badly."""
    levels = [rng.integers(-level, level, size) for level in (2, 30, 1000, 32767)]
    extreme = rng.choice([-32768, 32767], size)
    late = np.concatenate([np.full(size - size // 2, -32768), rng.integers(-3, 4, size // 2)])
    falling = np.concatenate([[-32768], np.full(size - 1, -5)])
    zeros = np.zeros(size)
    found = (*levels, extreme, late, falling, np.full(size, -32768), zeros)
    return [values.astype(np.int16) for values in found]


def uint32s(rng: np.random.Generator, size: int) -> NDArray[np.uint32]:
    """Values of all magnitudes, with 0, 1, 2 and the largest among them."""
    values = rng.integers(0, 2**32, size, np.uint64) >> rng.integers(0, 32, size, np.uint64)
    values[: min(size, 4)] = [0, 2, 2**32 - 1, 1][: min(size, 4)]
    return rng.permutation(values).astype(np.uint32)


@pytest.mark.parametrize("seed", range(6))
def test_window(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size, rows = int(rng.integers(1, 600)), int(rng.integers(1, 4))
    limit = [4097, 32768][seed % 2]
    window = rng.integers(-limit // 8 if seed > 3 else 0, limit, size).astype(np.int16)
    shape: Shape = ("int16", (rows, size))
    model = signal_model("SignalWindow", [shape, window], [shape], {"shift": int(rng.integers(16))})
    must_agree(model, [[x.reshape(rows, size)] for x in int16s(rng, rows * size)])


@pytest.mark.parametrize("size", [2, 3, 64, 480])
def test_fft_auto_scale(size: int) -> None:
    rng = np.random.default_rng(size)
    outputs: list[Shape] = [("int16", (size,)), ("int32", ())]
    model = signal_model("SignalFftAutoScale", [("int16", (size,))], outputs, {})
    runs = [x for _ in range(20) for x in int16s(rng, size)]
    runs += [x >> shift for x in int16s(rng, size) for shift in range(16)]
    must_agree(model, [[x] for x in runs])


@pytest.mark.parametrize("points", [32, 64, 128, 256, 512, 1024, 2048])
@pytest.mark.parametrize("full", [True, False])
def test_rfft(points: int, full: bool) -> None:
    rng = np.random.default_rng(points)
    samples = points if full else int(rng.integers(1, points))
    model = signal_model(
        "SignalRfft",
        [("int16", (samples,))],
        [("int16", (points + 2,))],
        {"T": 7, "fft_length": points},
    )
    must_agree(model, [[x] for x in int16s(rng, samples)])


def test_energy() -> None:
    """Of bins outside of the range, which the reference does not write, Ranvier makes zeros."""
    rng = np.random.default_rng(4)
    for bins, start, end in ((257, 5, 241), (33, 0, 33), (33, 33, 33), (1, 0, 1)):
        model = signal_model(
            "SignalEnergy",
            [("int16", (2 * bins,))],
            [("uint32", (bins,))],
            {"start_index": start, "end_index": end},
        )
        ours, reference = compiled(model), Reference(model)
        for x in int16s(rng, 2 * bins):
            expected = reference(x)[0].copy()
            expected[:start] = expected[end:] = 0
            assert np.array_equal(ours.run(x)[0], expected)


def filter_bank(rng: np.random.Generator, bins: int, channels: int, least: int) -> list[Array]:
    """Random tables: bands that may be empty, overlap, and have zeros at their ends."""
    widths = rng.integers(0, bins // 2, channels + 1)
    starts = rng.integers(0, bins - widths + 1)
    count = int(widths.sum()) + 3
    weights = rng.integers(least, 4097, (2, count))
    weights[:, rng.random(count) < 0.3] = 0
    firsts = np.cumsum([0, *widths[:-1]]) + rng.integers(0, 4)
    return [table.astype(np.int16) for table in (*weights, starts, firsts, widths)]


@pytest.mark.parametrize("seed", range(8))
def test_filter_bank(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bins, channels = int(rng.integers(2, 300)), int(rng.integers(1, 50))
    tables = filter_bank(rng, bins, channels, 0)
    model = signal_model(
        "SignalFilterBank",
        [("uint32", (bins,)), *tables],
        [("uint64", (channels,))],
        {"num_channels": channels},
    )
    must_agree(model, [[uint32s(rng, bins)] for _ in range(RUNS)])


def test_filter_bank_square_root() -> None:
    """Squares and their neighbours, around 2^32 too, with every shift."""
    rng = np.random.default_rng(1)
    roots = rng.integers(0, 2**32, 400, np.uint64) >> rng.integers(0, 32, 400, np.uint64)
    squares = np.concatenate([roots**2 + roots + d for d in (0, 1)] + [roots**2 - 1, roots**2])
    edges = [0, 1, 2, 2**32 - 2**16, 2**32 - 1, 2**32, 2**64 - 2**32, 2**64 - 2**32 + 1, 2**64 - 1]
    random = rng.integers(0, 2**64, 400, np.uint64) >> rng.integers(0, 64, 400, np.uint64)
    values = np.concatenate([squares, np.array(edges, np.uint64), random])
    size = len(values)
    inputs: list[Shape | Array] = [("uint64", (size,)), ("int32", ())]
    model = signal_model("SignalFilterBankSquareRoot", inputs, [("uint32", (size,))])
    must_agree(model, [[values, np.array(shift, np.int32)] for shift in range(16)])
    ours = compiled(model)
    for shift in (32, 40, -1):
        assert not ours.run(values, np.array(shift, np.int32))[0].any()


SUBTRACTION = {
    "alternate_one_minus_smoothing": 15401,
    "alternate_smoothing": 983,
    "clamping": False,
    "min_signal_remaining": 819,
    "num_channels": 40,
    "one_minus_smoothing": 15975,
    "smoothing": 409,
    "smoothing_bits": 10,
    "spectral_subtraction_bits": 14,
}


def subtraction_model(changes: dict[str, Any]) -> bytes:
    options = SUBTRACTION | changes
    channels = int(options["num_channels"])
    shape: Shape = ("uint32", (channels,))
    name = "SignalFilterBankSpectralSubtraction"
    return signal_model(name, [shape], [shape, shape], options)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"clamping": True},
        {"smoothing_bits": 0, "spectral_subtraction_bits": 0, "smoothing": 1},
        {"num_channels": 1, "smoothing_bits": 31, "spectral_subtraction_bits": 31},
        {"num_channels": 7, "smoothing": 2**31 - 1, "min_signal_remaining": 2**31 - 1},
        {"alternate_smoothing": 16384, "alternate_one_minus_smoothing": 0},
        {"smoothing": -1, "one_minus_smoothing": -5, "min_signal_remaining": -7},
    ],
)
def test_spectral_subtraction(changes: dict[str, Any]) -> None:
    """The noise estimate lasts from run to run, and a reset begins anew."""
    rng = np.random.default_rng(9)
    model = subtraction_model(changes)
    channels = int((SUBTRACTION | changes)["num_channels"])
    levels = rng.integers(0, 2**22, channels)
    speech = [[(levels * rng.random(channels)).astype(np.uint32)] for _ in range(30)]
    must_agree(model, speech + [[uint32s(rng, channels)] for _ in range(30)] + speech)
    ours = compiled(model)
    first = [output.copy() for output in ours.run(*speech[0])]
    ours.run(*speech[1])
    ours.reset()
    assert all(map(np.array_equal, ours.run(*speech[0]), first))


@pytest.mark.parametrize("seed", range(4))
def test_pcan(seed: int) -> None:
    """With a falling gain as models have it, and with tables that are as hostile as may be."""
    rng = np.random.default_rng(seed)
    table = rng.integers(-(2**6), 2**6, 125) if seed else np.sort(rng.integers(0, 2**15, 125))[::-1]
    shape: Shape = ("uint32", (97,))
    model = signal_model(
        "SignalPCAN",
        [shape, shape, table.astype(np.int16)],
        [shape],
        {"snr_shift": [6, 0, 20, 40][seed]},
    )
    must_agree(model, [[uint32s(rng, 97), uint32s(rng, 97)] for _ in range(40)])


@pytest.mark.parametrize(("bits", "scale"), [(3, 64), (0, 1), (31, 64), (5, 4000), (3, 65535)])
def test_filter_bank_log(bits: int, scale: int) -> None:
    rng = np.random.default_rng(bits)
    size = 1000
    model = signal_model(
        "SignalFilterBankLog",
        [("uint32", (size,))],
        [("int16", (size,))],
        {"input_correction_bits": bits, "output_scale": scale},
    )
    small = np.arange(size, dtype=np.uint32)
    must_agree(model, [[small], *([uint32s(rng, size)] for _ in range(20))])


def refusal(model: bytes) -> str:
    (unsupported,) = check_model(model, "m.tflite")
    with pytest.raises(UnsupportedError, match="cannot be executed"):
        compile_model(model, "m.tflite")
    return "\n".join(unsupported.reasons)


I16: Shape = ("int16", (8,))
U32: Shape = ("uint32", (8,))
ONES = np.ones(8, np.int16)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (signal_model("SignalWindow", [I16, ONES], [I16], {"shift": 32}), "shift is 32"),
        (signal_model("SignalWindow", [I16, ONES], [I16], {}), "shift is missing"),
        (
            signal_model("SignalWindow", [I16, ONES], [I16], {"shift": 1, "x": 2}),
            "x is not known",
        ),
        (signal_model("SignalWindow", [I16, I16], [I16], {"shift": 1}), "is not a constant"),
        (signal_model("SignalWindow", [U32, ONES], [I16], {"shift": 1}), "is uint32, needs int16"),
        (signal_model("SignalWindow", [I16, ONES[:3]], [I16], {"shift": 1}), "does not fit"),
        (signal_model("SignalWindow", [I16, ONES], [I16]), "shift is missing"),
        (signal_model("SignalFftAutoScale", [I16], [I16, U32], {}), "needs int32"),
        (
            signal_model("SignalRfft", [I16], [("int16", (66,))], {"T": 7, "fft_length": 48}),
            "48 points, needs a power of two",
        ),
        (
            signal_model("SignalRfft", [I16], [("int16", (66,))], {"T": 0, "fft_length": 64}),
            "option T is 0",
        ),
        (
            signal_model("SignalRfft", [I16], [("int16", (64,))], {"T": 7, "fft_length": 64}),
            "33 complex numbers",
        ),
        (
            signal_model("SignalEnergy", [I16], [U32], {"start_index": 0, "end_index": 4}),
            "is not half",
        ),
        (
            signal_model(
                "SignalEnergy",
                [I16],
                [("uint32", (4,))],
                {"start_index": 3, "end_index": 5},
            ),
            "indices 3 to 5",
        ),
        (subtraction_model({"smoothing_bits": 32}), "smoothing_bits is 32"),
        (
            signal_model("SignalPCAN", [U32, U32, ONES], [U32], {"snr_shift": 6}),
            "has 8 elements, needs 125",
        ),
        (
            signal_model(
                "SignalFilterBankLog",
                [U32],
                [I16],
                {"input_correction_bits": 99, "output_scale": 1},
            ),
            "input_correction_bits is 99",
        ),
        (signal_model("SignalFramer", [I16], [I16], {}), "not implemented"),
    ],
)
def test_refusals_say_why(model: bytes, words: str) -> None:
    assert words in refusal(model)


@pytest.mark.parametrize(
    ("table", "value", "words"),
    [
        (0, -1, "is negative"),
        (2, 300, "reads beyond"),
        (4, 300, "reads beyond"),
        (3, 32767, "reads beyond"),
    ],
)
def test_a_filter_bank_that_reads_beyond_is_refused(table: int, value: int, words: str) -> None:
    tables = filter_bank(np.random.default_rng(3), 40, 5, 1)
    tables[table] = tables[table].copy()
    tables[table][2] = value
    model = signal_model(
        "SignalFilterBank",
        [("uint32", (40,)), *tables],
        [("uint64", (5,))],
        {"num_channels": 5},
    )
    assert words in refusal(model)


def test_options_that_are_no_map_are_refused() -> None:
    model = signal_model("SignalWindow", [I16, ONES], [I16], {"shift": 1})
    broken = model.replace(b"shift\0", b"shift\1")
    assert broken != model
    assert "no map of numbers" in refusal(broken)
