# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What an installation gets: every file of the package, also those that are no Python."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "host" / "src"
BUILD = """
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"wheel.cmake": "false"})
"""


def test_a_wheel_has_every_file(tmp_path: Path) -> None:
    """Built as pip does it, but without compiling the native library."""
    pytest.importorskip("scikit_build_core")
    done = subprocess.run(
        (sys.executable, "-c", BUILD, tmp_path), cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as opened:
        names = {name for name in opened.namelist() if name.startswith("ranvier/")}
    files = (path for path in (SOURCES / "ranvier").rglob("*") if path.is_file())
    wanted = {str(path.relative_to(SOURCES)) for path in files if path.suffix != ".pyc"}
    assert wanted <= names
    assert {"ranvier/report/style.css", "ranvier/view/static/view.js"} < wanted
