# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""State how well the int8 model does on voices that were held out, as ``tflite-micro`` runs it.

First single clips, then continuous streams with smoothing: keywords, sentences and noise.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from dataset import SNRS, Clip, clips_of_flite, clips_of_speakers
from features import I8
from scipy import stats
from spotting import KINDS, Smoothing, Stream, score, streams_of
from synth import TEST_ACCENTS
from text import LABELS
from tflite_micro.python.tflite_micro import runtime

TEST_SEED = 1000
"""Seed of the clips and streams, so that every evaluation hears the same."""

Classifier = Callable[[I8], npt.NDArray[np.generic]]
"""Takes (n, 49, 40) features, returns (n, 10) outputs."""


def int8_classifier(model: bytes) -> Classifier:
    """Return a classifier that runs ``model`` by the ``tflite-micro`` interpreter."""
    interpreter = runtime.Interpreter.from_bytes(model)

    def classify(windows: I8) -> I8:
        outputs = []
        for one in windows:
            interpreter.set_input(one[np.newaxis, ..., np.newaxis], 0)
            interpreter.invoke()
            outputs.append(interpreter.get_output(0)[0].copy())
        return np.array(outputs, np.int8)

    return classify


def proportion(right: int, number: int) -> str:
    """Return a proportion with its 95 % Wilson interval."""
    interval = stats.binomtest(right, number).proportion_ci(method="wilson")
    low, high = 100.0 * interval.low, 100.0 * interval.high
    return f"{right} of {number}, {100.0 * right / number:.2f} % ({low:.1f} to {high:.1f})"


def rate(events: int, hours: float) -> str:
    """Return events per hour with the exact 95 % Poisson interval."""
    low = stats.chi2.ppf(0.025, 2 * events) / 2 if events else 0.0
    high = stats.chi2.ppf(0.975, 2 * events + 2) / 2
    interval = f"{low / hours:.2f} to {high / hours:.2f}"
    return f"{events} in {hours:.2f} h, {events / hours:.2f} an hour ({interval})"


def describe(name: str, classify: Classifier, clips: Sequence[Clip]) -> None:
    """Print the accuracy on ``clips``, and the confusions over all conditions."""
    labels = np.array([clip.label for clip in clips])
    counts = np.zeros((len(LABELS), len(LABELS)), int)
    for number, snr in enumerate(SNRS):
        windows = np.stack([clip.windows[number] for clip in clips])
        given = np.argmax(classify(windows), axis=1)
        np.add.at(counts, (labels, given), 1)
        condition = "clean" if snr is None else f"{snr} dB"
        print(f"{name}, {condition}: {proportion(int(np.sum(given == labels)), len(labels))}")
    print(f"{name}, said (rows) against given (columns), all conditions")
    print(" " * 8 + "".join(f"{label:>8}" for label in LABELS))
    for label, row in zip(LABELS, counts, strict=True):
        if row.any():
            print(f"{label:8}" + "".join(f"{count:8}" for count in row))


def describe_streams(kind: str, streams: Sequence[Stream], smoothing: Smoothing) -> None:
    """Print detections and false alarms, for each condition and for all streams."""
    names = list(dict.fromkeys(stream.name for stream in streams))
    for name in [*names, "all"]:
        chosen = [stream for stream in streams if name in (stream.name, "all")]
        result = score(chosen, smoothing)
        line = f"{kind}, {name}: false alarms {rate(result.false, result.seconds / 3600.0)}"
        if result.keywords:
            line += (
                f"; detected {proportion(result.right, result.keywords)}, {result.wrong} as another"
            )
        if result.delays:
            middle, late = np.percentile(result.delays, [50, 95])
            line += f"; {middle:.2f} s after the word's end, 95 % within {late:.2f} s"
        print(line)
    taken = score(streams, smoothing).taken
    if taken:
        print(f"{kind}, taken for a keyword:", "; ".join(taken[:40]))


def clips_report(name: str, classify: Classifier, seed: int, processes: int) -> None:
    """Print the accuracy on the clips of the test voices and of the other synthesiser."""
    clips = clips_of_speakers("test", seed, processes)
    describe(f"{name}, held-out voices", classify, clips)
    for title, new in (("known", False), ("new", True)):
        chosen = [clip for clip in clips if (clip.speaker in TEST_ACCENTS) == new]
        windows = np.concatenate([clip.windows for clip in chosen])
        labels = np.repeat([clip.label for clip in chosen], len(SNRS))
        right = int(np.sum(np.argmax(classify(windows), axis=1) == labels))
        print(f"{name}, {title} accents, all conditions: {proportion(right, len(labels))}")
    describe(f"{name}, flite", classify, clips_of_flite(seed, processes))


def choose(streams: dict[str, list[Stream]]) -> None:
    """Print what each window and threshold would give: how the ones in use were chosen."""
    for window, threshold in product((4, 5, 6, 8), (0.6, 0.7, 0.75, 0.8, 0.85, 0.9)):
        smoothing = Smoothing(window=window, threshold=threshold)
        results = {kind: score(made, smoothing) for kind, made in streams.items()}
        spoken = results["keywords"]
        line = f"window {window}, threshold {threshold}: "
        line += (
            f"detected {100.0 * spoken.right / spoken.keywords:.2f} %, {spoken.wrong} as another"
        )
        for kind, result in results.items():
            line += f"; {kind} {3600.0 * result.false / result.seconds:.1f} an hour"
        print(line)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(__file__).parent / "keywords.tflite"
    parser.add_argument("model", type=Path, nargs="?", default=default, help="int8 .tflite file")
    parser.add_argument(
        "--choose", action="store_true", help="try smoothings on streams of the validation voices"
    )
    parser.add_argument(
        "--streams", type=int, default=60, help="streams of each kind, a minute each (60)"
    )
    parser.add_argument("--seed", type=int, default=TEST_SEED, help="seed of the test (1000)")
    parser.add_argument("--processes", type=int, default=2, help="processes (2)")
    return parser.parse_args()


def main() -> None:
    """Evaluate the model file given on the command line."""
    arguments = parse_arguments()
    model = arguments.model.read_bytes()
    smoothing = Smoothing()
    part = "validate" if arguments.choose else "test"
    if not arguments.choose:
        clips_report("int8", int8_classifier(model), arguments.seed, arguments.processes)
    streams = {}
    for kind in KINDS:
        streams[kind] = streams_of(
            kind,
            model,
            part,
            arguments.streams,
            smoothing.every,
            arguments.seed,
            arguments.processes,
        )
        if not arguments.choose:
            describe_streams(kind, streams[kind], smoothing)
    if arguments.choose:
        choose(streams)


if __name__ == "__main__":
    main()
