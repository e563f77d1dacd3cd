# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The part of `make demo` that updates a simulated device."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import ROOT, put
from ranvier.device.simulator import find_simulator
from ranvier.errors import ToolError

CODE = "import sys; from pathlib import Path; from fleet import fleet; fleet(Path(sys.argv[1]))"


def built() -> bool:
    try:
        find_simulator()
    except ToolError:
        return False
    return True


def fleet(folder: Path, **env: str) -> str:
    """What it prints."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(folder)],
        cwd=ROOT / "samples" / "demo",
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.skipif(not built(), reason="ranvier-sim is not built")
def test_every_step_ends_as_it_should(tmp_path: Path) -> None:
    for name in ("key.pem", "device.flash"):
        put(tmp_path, name, b"of a run before")
    said = fleet(tmp_path)
    read = [int(n) for n in re.findall(r"(\d+) read right on the device", said)]
    assert len(read) == 3
    assert min(read[:2]) >= 57  # of 60; the model has 98.7 %
    assert read[2] < 30  # labels in the wrong order
    assert said.count("byte for byte, 60 times of 60") == 3
    running = re.findall(r"^ +digits +\d +good +(\d)\.0\.0 .* running$", said, re.MULTILINE)
    # v1 confirmed, after the cut, v2 on trial, confirmed, after a reset, v3, back, at the end
    assert running == ["1", "1", "2", "2", "2", "3", "2", "2"]
    assert "the power is cut, in operation" in said
    assert re.search(r"filling .* [1-9][\d,]+ bytes are safe$", said, re.MULTILINE)
    assert re.search(r"^ +digits in slot 1: .*, from byte [1-9][\d,]+ on, ", said, re.MULTILINE)
    for refusal in ("CRC-32: does", "is not signed", "the signature is wrong", "accepts 2 and"):
        assert refusal in said
    assert "digits: self-test passed" in said


def test_without_a_simulated_device(tmp_path: Path) -> None:
    folder = tmp_path / "native"
    folder.mkdir()
    lib = put(folder, "libranvier.so", b"")
    said = fleet(tmp_path, RANVIER_LIBRARY=str(lib), RANVIER_SIM="")
    assert "Updates in the field are not shown" in said
    assert "libmbedtls-dev" in said
    assert "$ ranvier" not in said
