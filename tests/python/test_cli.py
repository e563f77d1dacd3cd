# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The ``ranvier`` command: what all its commands have in common."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import DIGITS, names, put, ranvier, rich_files
from packages import rich, spoilt
from ranvier import __version__
from ranvier.cli import main
from ranvier.package.signing import new_key, seal_package

COMMANDS = [
    *("analyze", "compile", "completion", "diff", "frames", "image", "ops", "profile"),
    *("remote-image", "run", "sign", "validate", "verify"),
]
#: Commands of their own: test_cli_keys.py, test_cli_ota.py and test_cli_ota_device.py.
GROUPS = ["keys", "ota"]
#: Those that look for a Zephyr workspace: test_cli_zephyr.py and test_cli_doctor.py have fake ones.
ZEPHYR_COMMANDS = ["doctor", "flash", "test"]
#: They go on until they are told to end: test_device_shell.py, test_device_simulator.py and
#: test_view.py.
LASTING_COMMANDS = ["shell", "sim", "view"]

KEY = new_key()
LAYOUT = b"""
sector_bytes = 4096
unit_bytes = 16
[[model]]
name = "rich"
slot_bytes = 8192
"""


def good(command: str, folder: Path) -> list[object]:
    """Arguments with which a command succeeds."""
    model, package = rich_files(folder)
    x, y = put(folder, "x.bin", bytes(90)), put(folder, "y.bin", bytes(120))
    key, layout = put(folder, "key.pem", KEY.pem()), put(folder, "layout.toml", LAYOUT)
    core1 = put(
        folder, "core1.bin", bytes(1024) + struct.pack("<II", 0x20060000, 0x10A409) + bytes(64)
    )
    signed = put(folder, "signed.rnv", seal_package(rich().package, "rich.rnv", key=KEY))
    return {
        "analyze": [command, package],
        "compile": [command, model, "-o", folder / "out.rnv"],
        "completion": [command, "bash"],
        "diff": [command, model, package],
        "frames": [command, DIGITS / "examples" / "7.png", "--format", "grey", "-o", folder / "f"],
        "image": [command, "--layout", layout, "-o", folder / "i.hex", f"rich={package}"],
        "ops": [command, package],
        "profile": [command, package, "--runs", 2],
        "remote-image": [command, core1, "--address", "0x10A000", "-o", folder / "core1.hex"],
        "run": [command, package, "-i", x, "-i", y],
        "sign": [command, package, "--key", key],
        "validate": [command, model, "--count", 2],
        "verify": [command, signed, "--public", key],
    }[command]


def test_all_commands_are_listed() -> None:
    assert sorted(main.commands) == sorted(
        [*COMMANDS, *GROUPS, *ZEPHYR_COMMANDS, *LASTING_COMMANDS]
    )
    answer = ranvier("--help")
    assert answer.code == 0
    for command in main.commands:
        assert re.search(rf"^  {command} ", answer.out, re.MULTILINE)
    assert ranvier("--version").out.split()[-1] == __version__


@pytest.mark.parametrize("command", [*COMMANDS, *LASTING_COMMANDS])
def test_help_documents_exit_codes_and_options(command: str) -> None:
    answer = ranvier(command, "-h")
    assert answer.code == 0
    for text in ("Exit codes:", "--json", "--quiet", "  0  success", "  2  wrong usage"):
        assert text in answer.out
    assert re.search(r"^ +3  a file or input cannot be used", answer.out, re.MULTILINE)
    assert "\\b" not in answer.out


@pytest.mark.parametrize("command", COMMANDS)
def test_json_is_one_document_with_its_schema(command: str, tmp_path: Path) -> None:
    answer = ranvier(*good(command, tmp_path), "--json")
    assert answer.code == 0
    assert answer.out == answer.both
    assert answer.json["schema"] == f"ranvier.{command}/1"


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_prints_nothing(command: str, tmp_path: Path) -> None:
    loud = ranvier(*good(command, tmp_path))
    quiet = ranvier(*good(command, tmp_path), "--quiet")
    assert (loud.code, quiet.code) == (0, 0)
    assert loud.out != ""
    assert quiet.both == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_does_not_silence_json(command: str, tmp_path: Path) -> None:
    assert ranvier(*good(command, tmp_path), "-q", "--json").json["schema"]


@pytest.mark.parametrize("command", COMMANDS)
def test_colour_only_on_request(command: str, tmp_path: Path) -> None:
    """A terminal gets colours (here: forced), unless NO_COLOR is set to anything."""
    arguments = good(command, tmp_path)
    assert "\x1b[" not in ranvier(*arguments).both
    assert "\x1b[" not in ranvier(*arguments, colour=True, env={"NO_COLOR": "1"}).both
    coloured = ranvier(*arguments, colour=True, env={"NO_COLOR": ""}).both
    plain = ("completion", "diff", "frames", "ops", "remote-image", "sign", "verify")
    assert ("\x1b[1m" in coloured) == (command not in plain)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("analyze",),
        ("analyze", "a", "b"),
        ("analyze", "--nonsense"),
        ("analyze", "--input", "lost", "a.rnv"),
        ("compile", "a.tflite"),
        ("compile", "a.tflite", "-o", "b.rnv", "--isa", "mve"),
        ("compile", "a.tflite", "-o", "b.rnv", "--optimize", "size"),
        ("compile", "a.tflite", "-o", "b.rnv", "--version", "1.2"),
        ("compile", "a.tflite", "-o", "b.rnv", "--version", "1.2.65536"),
        ("compile", "a.tflite", "-o", "b.rnv", "--version", "1.2.-3"),
        ("compile", "a.tflite", "--c-array", "b.h"),
        ("completion", "powershell"),
        ("ops", "--format", "xml"),
        ("profile",),
        ("profile", "a.rnv", "--trace", "b"),
        ("profile", "a.rnv", "--runs", "0"),
        ("profile", "a.rnv", "--margin", "2"),
        ("profile", "a.rnv", "--costs", "c", "--margin", "0.9"),
        ("run", "a.rnv"),
        ("run", "a.rnv", "-i", "x", "--top", "0"),
        ("validate", "a.tflite", "--count", "0"),
        ("validate", "a.tflite", "--seed", "-1"),
        ("validate", "a.tflite", "--threshold", "-1"),
        ("validate", "a.tflite", "--threshold", "nan"),
        ("validate", "a.tflite", "--reference", "ours"),
    ],
)
def test_wrong_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    answer = ranvier(*arguments)
    assert answer.code == 2
    assert "Usage:" in answer.both
    assert "Traceback" not in answer.both


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("run",), "Missing argument 'PACKAGE'"),
        (("analyze", "--nonsense", "a"), "--nonsense"),
        (("compile", "a.tflite"), "give -o OUT.rnv"),
        (("compile", "a.tflite", "-o", "b.tflite"), "name it .rnv"),
        (("run", "a.rnv", "-i", "x", "--top", "0"), "--top"),
    ],
)
def test_wrong_usage_is_json_too(arguments: tuple[str, ...], message: str) -> None:
    answer = ranvier(*arguments, "--json")
    assert answer.code == 2
    assert answer.out == answer.both
    assert answer.json["schema"] == "ranvier.error/1"
    assert answer.json["error"]["type"] == "UsageError"
    assert message in answer.json["error"]["message"]
    assert answer.json["error"]["remedy"].startswith("Usage: ")


@pytest.mark.parametrize("named", ["m33", "cortex-m4", "mve"])
def test_a_processor_for_an_instruction_set_is_told_which(named: str) -> None:
    answer = ranvier("analyze", "a.tflite", "--isa", named)
    assert answer.code == 2
    assert "dsp is for Cortex-M4, M7 and M33" in answer.both


# Files that cannot be used: exit code 3, and the message names file, reason and remedy


def with_file(command: str, path: Path, folder: Path) -> list[object]:
    """Arguments that make a command read ``path`` as its first file."""
    return {
        "analyze": [command, path],
        "compile": [command, path, "-o", folder / "out.rnv"],
        "ops": [command, path],
        "profile": [command, path],
        "run": [command, path, "-i", path],
        "validate": [command, path],
    }[command]


READING = ["analyze", "compile", "ops", "profile", "run", "validate"]


@pytest.mark.parametrize("command", READING)
def test_a_missing_file(command: str, tmp_path: Path) -> None:
    path = tmp_path / "missing.file"
    answer = ranvier(*with_file(command, path, tmp_path))
    assert answer.code == 3
    assert f"error: {path}: cannot be read: No such file or directory" in answer.both
    assert names(tmp_path) == []


@pytest.mark.parametrize("command", READING)
def test_a_folder_is_wrong_usage(command: str, tmp_path: Path) -> None:
    assert ranvier(*with_file(command, tmp_path, tmp_path)).code == 2


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize(
    "data", [b"", b"\xf0\xff\xff\x7fTFL3", b"hello, world", bytes(1000)], ids=repr
)
def test_a_file_that_is_no_model(command: str, data: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, "what.ever", data)
    answer = ranvier(*with_file(command, path, tmp_path))
    assert answer.code == 3
    assert "error: " in answer.both
    assert "what.ever" in answer.both
    assert "try: " in answer.both
    assert names(tmp_path) == ["what.ever"]


@pytest.mark.parametrize("command", ["analyze", "ops", "profile", "run"])
def test_a_damaged_package(command: str, tmp_path: Path) -> None:
    data = bytearray(rich().package)
    data[1500] ^= 1
    path = put(tmp_path, "rich.rnv", bytes(data))
    answer = ranvier(*with_file(command, path, tmp_path))
    assert answer.code == 3
    assert f"{path}: CRC-32 is wrong" in answer.both
    assert "try: the file was damaged after it was written" in answer.both


@pytest.mark.parametrize("command", ["analyze", "ops", "profile", "run"])
def test_a_package_from_the_future(command: str, tmp_path: Path) -> None:
    def newer(image: object) -> None:
        image.header.abi = 9  # type: ignore[attr-defined]

    path = put(tmp_path, "rich.rnv", spoilt(rich().package, newer))
    answer = ranvier(*with_file(command, path, tmp_path))
    assert answer.code == 3
    assert f"{path}: ABI version is not supported" in answer.both
    assert "try: use a version of Ranvier that implements it" in answer.both


@pytest.mark.parametrize("command", ["ops", "run"])
def test_a_model_where_a_package_is_needed(command: str, tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    answer = ranvier(*with_file(command, model, tmp_path))
    assert answer.code == 3
    assert "is a TensorFlow Lite model, not a package" in answer.both
    assert f"try: compile it first: ranvier compile {model} -o model.rnv" in answer.both


@pytest.mark.parametrize("command", READING)
def test_errors_are_json_too(command: str, tmp_path: Path) -> None:
    answer = ranvier(*with_file(command, tmp_path / "missing", tmp_path), "--json")
    assert answer.code == 3
    assert answer.out == answer.both
    assert answer.json["schema"] == "ranvier.error/1"
    error = answer.json["error"]
    assert error["type"] == "InputError"
    assert "missing: cannot be read" in error["message"]
    assert "remedy" in error


@pytest.mark.parametrize("command", READING)
def test_errors_are_not_silenced(command: str, tmp_path: Path) -> None:
    answer = ranvier(*with_file(command, tmp_path / "missing", tmp_path), "--quiet")
    assert answer.code == 3
    assert "error: " in answer.both


# Completion


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell: str, tmp_path: Path) -> None:
    answer = ranvier("completion", shell)
    assert answer.code == 0
    assert f"_RANVIER_COMPLETE={shell}_complete" in answer.out
    assert "ranvier" in answer.out
    assert ranvier("completion", shell, "--json").json["script"].strip() == answer.out.strip()
    if shutil.which(shell):
        script = put(tmp_path, "script", answer.out.encode())
        subprocess.run([shell, "-n", str(script)], check=True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ranvier an", ["analyze"]),
        ("ranvier com", ["compile", "completion"]),
        ("ranvier compile --isa ", ["generic"]),
        ("ranvier run --pix", ["--pixel-scale", "--pixel-offset"]),
    ],
)
def test_completions(shell: str, typed: str, offered: list[str]) -> None:
    """What a shell asks the command, and the command's answer."""
    parts = typed.split(" ")
    env = {
        "_RANVIER_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": typed if shell != "fish" else " ".join(parts[:-1]),
        "COMP_CWORD": str(len(parts) - 1) if shell != "fish" else parts[-1],
    }
    done = program([], env)
    assert done.returncode == 0, done.stderr
    for word in offered:
        assert word in done.stdout


# The command as a process of its own


def program(
    arguments: list[object], env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    code = "import sys; from ranvier.cli import main; main(prog_name='ranvier')"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_program_from_model_to_answer(tmp_path: Path) -> None:
    package = tmp_path / "digits.rnv"
    done = program(
        ["compile", DIGITS / "digits.tflite", "-o", package, "--labels", DIGITS / "labels.txt"]
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert f"wrote {package}" in done.stdout
    done = program(["run", package, "-i", DIGITS / "examples" / "7.png", "--json"])
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["outputs"][0]["label"] == "7"
    done = program(["run", package, "-i", tmp_path / "none.png"])
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr


def test_a_missing_library_is_a_missing_tool(tmp_path: Path) -> None:
    done = program(["ops"], {"RANVIER_LIBRARY": str(tmp_path / "libranvier.so")})
    assert done.returncode == 4
    assert "error: the native library's" in done.stderr
    assert "try: install the package" in done.stderr


def test_the_demos_reader_may_stop_listening_too(tmp_path: Path) -> None:
    demo = DIGITS.parents[1] / "samples" / "demo" / "demo.py"
    command = f"'{sys.executable}' '{demo}' | head -n 2"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == ""


def test_a_reader_that_stops_listening_is_no_error() -> None:
    code = "import sys; from ranvier.cli import main; main(prog_name='ranvier')"
    command = f"'{sys.executable}' -c \"{code}\" --help | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Usage: ranvier")
    assert done.stderr == ""
