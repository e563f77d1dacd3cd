# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The audio front end on every Cortex-M: frames with state, and its self-test."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from audio_clips import PREPROCESSOR, clip, streaming, windows
from ranvier.compiler.driver import compile_model
from ranvier.testing.cortexm import Firmware, run_package
from signal_models import Reference

CLIPS = (0, 4, 9)


@pytest.mark.skipif(not PREPROCESSOR.is_file(), reason="needs ../shared/models")
def test_frames_are_those_of_the_reference(firmware: Firmware, tmp_path: Path) -> None:
    data = PREPROCESSOR.read_bytes()
    frames = [window for number in CLIPS for window in windows(clip(number).samples)]
    reference = Reference(data)
    expected = b"".join(reference(frame)[0].tobytes() for frame in frames)
    inputs = b"".join(frame.tobytes() for frame in frames)
    package = compile_model(data, PREPROCESSOR.name).package
    run = run_package(firmware, package, inputs, tmp_path)
    assert run.outputs == expected
    assert len(np.unique(np.frombuffer(expected, np.int8))) > 20
    assert run.sizes["selftest"] == 0


def test_the_stage_passes_its_self_test(firmware: Firmware, tmp_path: Path) -> None:
    """What the host expects of every entry point, and a CRC of what every op wrote."""
    package = streaming((1, 3, 13), "audio:features=mfcc").package
    hops = clip(1).samples[:3200].tobytes()
    run = run_package(firmware, package.data, hops, tmp_path)
    assert run.sizes["sets"] == 10
    assert run.sizes["selftest"] == 0
