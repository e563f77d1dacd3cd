# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What of the Zephyr module can be checked without running Zephyr, and that it can be inert."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from ranvier.errors import ToolError
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.zephyr import NATIVE, Workspace, find_workspace

ROOT = Path(__file__).resolve().parents[2]
PORT = ROOT / "firmware" / "port" / "zephyr"
OPTION = re.compile(r"^config (RANVIER_OP_\w+)\n\tbool \"(\w+)\"", re.MULTILINE)


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kconfig_ops", PORT / "kconfig_ops.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_kconfig_has_an_option_for_each_op() -> None:
    """Run firmware/port/zephyr/kconfig_ops.py after a change of ops.txt."""
    text = (PORT / "Kconfig.ops").read_text(encoding="utf-8")
    assert text == generator().text()
    lines = (ROOT / "firmware/core/ops.txt").read_text(encoding="utf-8").splitlines()
    names = [line.split()[1] for line in lines if line[:1].isdigit()]
    assert OPTION.findall(text) == [(f"RANVIER_OP_{name}", name) for name in names]


def test_kconfig_style() -> None:
    """Options of the port have the prefix, and none says what is so anyway."""
    for path in PORT.glob("Kconfig*"):
        text = path.read_text(encoding="utf-8")
        names = re.findall(r"^(?:menu)?config (\w+)", text, re.MULTILINE)
        assert names
        assert all(name.startswith("RANVIER") for name in names), path
        assert not re.search(r"^\s*default n$", text, re.MULTILINE), path


def test_the_module_names_folders_that_are_there() -> None:
    text = (ROOT / "zephyr" / "module.yml").read_text(encoding="utf-8")
    build = dict(re.findall(r"^\s*(cmake|kconfig|module_ext_root): (\S+)$", text, re.MULTILINE))
    assert (ROOT / build["cmake"] / "CMakeLists.txt").is_file()
    assert (ROOT / build["kconfig"]).is_file()
    assert (ROOT / build["module_ext_root"] / "modules" / "modules.cmake").is_file()
    for folder in re.findall(r"^\s*- (\S+)$", text, re.MULTILINE):
        assert (ROOT / folder).is_dir()


@pytest.mark.parametrize("sample", ["hello_inference", "preemption"])
def test_readme_shows_what_twister_expects(sample: str) -> None:
    folder = ROOT / "samples" / sample
    lines = re.findall(r'^ +- "(.+)"$', (folder / "sample.yaml").read_text(), re.MULTILINE)
    shown = (folder / "README.md").read_text(encoding="utf-8")
    assert len(lines) >= 3
    for line in lines:
        assert re.search(line.replace("\\\\", "\\"), shown), line


def test_readmes_have_no_placeholders() -> None:
    """Numbers in them are measured, not names of numbers."""
    readmes = [*(ROOT / "samples").glob("**/README.md"), ROOT / "firmware/app/README.md"]
    assert len(readmes) >= 3
    for path in readmes:
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r"(?<!CONFIG_)\b[A-Z][A-Z0-9]*_(?:FLASH|RAM)\b", text), path


def marsaglia(seed: int, count: int) -> np.ndarray:
    """The upper five bits of each number of an xorshift generator, as dim int8 pixels."""
    pixels = []
    for _ in range(count):
        seed ^= seed << 13 & 0xFFFFFFFF
        seed ^= seed >> 17
        seed ^= seed << 5 & 0xFFFFFFFF
        pixels.append((seed >> 27) - 128)
    return np.array(pixels, np.int8)


def scores_in(path: str, name: str) -> list[list[int]]:
    """The rows of an array in a C file."""
    text = (ROOT / "tests" / "zephyr" / path).read_text(encoding="utf-8")
    body = re.search(rf"{name}\[[^=]*= {{(.*?)}};", text, re.DOTALL)
    assert body is not None
    rows = re.findall(r"{([^{}]+)}", body.group(1)) or [body.group(1)]
    return [[int(number) for number in row.split(",") if number.strip()] for row in rows]


def test_scores_are_those_of_tflite_micro() -> None:
    """The expectations of the tests under Zephyr, which cannot compute them there."""
    oracle = TfliteMicroOracle((ROOT / "models/digits/digits.tflite").read_bytes())

    def scores(pixels: np.ndarray) -> list[int]:
        result: list[int] = oracle.run([pixels.reshape(1, 28, 28, 1)])[0].ravel().tolist()
        return result

    inputs = [marsaglia(seed, 28 * 28) for seed in range(1, 5)]
    assert scores_in("sched/src/scores.h", "expected_scores") == [scores(x) for x in inputs]


def configured(workspace: Workspace, build: Path, *options: str) -> tuple[set[str], set[str]]:
    """hello_world's options, and its objects with how they are compiled."""
    source = workspace.base / "samples" / "hello_world"
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DBOARD={NATIVE}", *options],
        env=workspace.environment(os.environ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    config = (build / "zephyr" / ".config").read_text(encoding="utf-8")
    ninja = (build / "build.ninja").read_text(encoding="utf-8").replace(str(build), "BUILD")
    return (
        set(re.findall(r"^CONFIG_\w+=.*", config, re.MULTILINE)),
        set(
            re.findall(r"^build \S+\.obj:|^  (?:DEFINES|FLAGS|INCLUDES) = .*", ninja, re.MULTILINE)
        ),
    )


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
def test_a_model_without_the_option_is_told_so(tmp_path: Path) -> None:
    """What the module defines where CONFIG_RANVIER is off."""
    script = tmp_path / "application.cmake"
    script.write_text(f"include({PORT}/CMakeLists.txt)\nranvier_add_model(app m.tflite NAME m)\n")
    done = subprocess.run(
        ["cmake", "-P", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert "ranvier_add_model(app ...): set CONFIG_RANVIER=y in prj.conf" in said


def test_inert_unless_enabled(tmp_path: Path) -> None:
    """An application that merely has the module compiles the same."""
    try:
        workspace = find_workspace(os.environ)
    except ToolError as error:
        pytest.skip(f"{error}")
    if shutil.which("cmake") is None or shutil.which("ninja") is None:
        pytest.skip("cmake or ninja is not installed")
    without, objects = configured(workspace, tmp_path / "without")
    with_module, same = configured(workspace, tmp_path / "with", f"-DEXTRA_ZEPHYR_MODULES={ROOT}")
    assert with_module - without == {"CONFIG_ZEPHYR_RANVIER_MODULE=y"}
    assert without <= with_module
    assert len(objects) > 50
    assert same == objects
