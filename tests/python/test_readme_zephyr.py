# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The applications for Zephyr that pages show: their files, built and run on this host."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ranvier.errors import ToolError
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.zephyr import NATIVE, find_workspace

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "models" / "digits" / "digits.tflite"


def shown(page: str, language: str, marker: str) -> str:
    """The one block of a language that has a text."""
    whole = (ROOT / page).read_text(encoding="utf-8")
    texts = re.findall(rf"^```{language}(?: shown)?\n(.*?)^```$", whole, re.MULTILINE | re.DOTALL)
    (text,) = (text for text in texts if marker in text)
    return str(text)


def application(page: str, folder: Path) -> Path:
    """The application's folder, with our digits as its model."""
    cmake = shown(page, "cmake", "find_package(Zephyr")
    cmake, count = re.subn(r"/?path/to/ranvier", str(ROOT), cmake)
    assert count == 1
    source = folder / "application"
    (source / "src").mkdir(parents=True)
    (source / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.20)\n{cmake}")
    (source / "prj.conf").write_text(shown(page, "(?:ini|kconfig)", "CONFIG_RANVIER_RUNTIME=y"))
    (source / "src" / "main.c").write_text(shown(page, "c", "int main(void)"))
    shutil.copy(MODEL, source / "model.tflite")
    return source


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ("README.md", "status 0, late 0, first score {score}"),
        ("docs/start/zephyr.md", "inference: 0, first score {score}"),
    ],
)
def test_the_application_is_complete(page: str, printed: str, tmp_path: Path) -> None:
    """Built without warnings, it prints what TensorFlow Lite Micro says of an empty picture."""
    try:
        workspace = find_workspace(os.environ)
    except ToolError as error:
        pytest.skip(f"{error}")
    for tool in ("cmake", "ninja", "cc"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    command = tmp_path / "ranvier"
    main = "from ranvier.cli import main; main(prog_name='ranvier')"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{main}" "$@"\n')
    command.chmod(0o755)
    build = tmp_path / "build"
    source = application(page, tmp_path)
    configure: list[str | Path] = ["cmake", "-G", "Ninja", "-S", source, "-B", build]
    configure += [f"-DBOARD={NATIVE}", f"-DRANVIER_COMMAND={command}"]
    configure += ["-DCONFIG_COMPILER_WARNINGS_AS_ERRORS=y"]
    program: list[str | Path] = [build / "zephyr" / "zephyr.exe", "-stop_at=1"]
    make: list[str | Path] = ["cmake", "--build", build]
    for step in (configure, make, program):
        done = subprocess.run(
            step,
            env=workspace.environment(os.environ),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    oracle = TfliteMicroOracle(MODEL.read_bytes())
    (scores,) = oracle.run([np.zeros((1, 28, 28, 1), np.int8)])
    assert printed.format(score=scores.ravel()[0]) in done.stdout
