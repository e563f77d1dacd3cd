# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Wall-clock time of one inference on this host. For information: it depends on the machine."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable

from subjects import Subject

from ranvier.native import NativePackage, Session

_REPEATS = 51


def measure(subject: Subject) -> tuple[float, float]:
    """Medians of ours and of the reference's time in milliseconds, one thread each.

    Each inference includes copying inputs in and outputs out; the input is the last set.
    """
    values = subject.model.inputs[-1]
    data = [array.tobytes() for array in values]
    session = Session(NativePackage(subject.result.package, subject.model.name))
    runtime = importlib.import_module("tflite_micro.python.tflite_micro.runtime")
    interpreter = runtime.Interpreter.from_bytes(subject.model.data)

    def theirs() -> None:
        for index, array in enumerate(values):
            interpreter.set_input(array, index)
        interpreter.invoke()
        interpreter.get_output(0)

    return _median_ms(lambda: session.run(data)), _median_ms(theirs)


def _median_ms(call: Callable[[], object]) -> float:
    times = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times) * 1e3
