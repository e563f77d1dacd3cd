# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier doctor`` on machines made of small scripts."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from cli_tools import ranvier
from ranvier.cli import checks, checks_zephyr
from ranvier.cli.checks import Check, Machine, State, program_checks, python_checks, version_of
from ranvier.cli.checks_zephyr import port_checks, zephyr_checks, zephyr_version
from ranvier.errors import ToolError

GCC = "arm-none-eabi-gcc (15:12.2.rel1-1) 12.2.1 20221205\nCopyright (C) 2022 Free Software"


def program(folder: Path, name: str, text: str, code: int = 0) -> Path:
    """A program that prints a text."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n/bin/cat <<'EOF'\n{text}\nEOF\nexit {code}\n")
    path.chmod(0o755)
    return path


def machine(folder: Path, **more: str) -> Machine:
    """One that has only the programs in ``folder``, and a shell."""
    return Machine({"PATH": f"{folder}:/bin", "HOME": str(folder), **more}, folder / "dev")


def by_name(found: Any) -> dict[str, Check]:
    return {check.name: check for check in found}


@pytest.fixture
def nothing_beside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Programs beside Python are those of this machine: none."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))


@pytest.mark.usefixtures("nothing_beside")
def test_programs_that_are_there_missing_old_or_broken(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    program(folder, "arm-none-eabi-gcc", GCC)
    program(folder, "cmake", "cmake version 3.16.3")
    program(folder, "dtc", "Version: DTC 1.6.1")
    program(folder, "ccache", "broken", code=1)
    only = Machine({"PATH": f"{folder}"}, tmp_path)
    found = by_name(program_checks(only))
    assert found["arm-none-eabi-gcc"].state is State.OK
    assert found["arm-none-eabi-gcc"].found == f"12.2.1, {folder}/arm-none-eabi-gcc"
    assert found["cmake"].state is State.MISSING
    assert found["cmake"].remedy.startswith("3.20 or newer")
    assert found["dtc"].state is State.OK
    assert "does not run" in found["ccache"].found
    assert found["qemu-system-arm"].found == "not found"
    assert "qemu-system-arm" in found["qemu-system-arm"].remedy
    assert all(check.remedy for check in found.values() if check.state is State.MISSING)


@pytest.mark.usefixtures("nothing_beside")
def test_the_simulated_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = program(tmp_path, "ranvier-sim", "ranvier-sim 1.2.3")
    monkeypatch.setenv("RANVIER_SIM", str(path))
    only = Machine({"PATH": "/bin"}, tmp_path)
    check = by_name(program_checks(only))["ranvier-sim"]
    assert (check.state, check.found) == (State.OK, f"1.2.3, {path}")
    monkeypatch.setenv("RANVIER_SIM", str(tmp_path / "none"))
    check = by_name(program_checks(only))["ranvier-sim"]
    assert (check.state, check.needed) == (State.MISSING, False)
    assert "is not a program" in check.found
    assert check.remedy


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (GCC, "12.2.1"),
        ("QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18)", "7.2.22"),
        ("cmake version 3.25.1", "3.25.1"),
        ("1.11.1", "1.11.1"),
        ("Version: DTC 1.6.1", "1.6.1"),
        ("GNU gperf 3.1", "3.1"),
        ("ccache version 4.7.5", "4.7.5"),
        ("West version: v1.5.0", "1.5.0"),
        ("tool (version 2.5)", "2.5"),
        ("", None),
        ("no number", None),
    ],
)
def test_versions(text: str, version: str | None) -> None:
    assert version_of(text) == version


def test_a_silent_program_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "_SECONDS", 0.2)
    path = tmp_path / "slow"
    path.write_text("#!/bin/sh\nexec sleep 60\n")
    path.chmod(0o755)
    assert Machine({"PATH": "/bin:/usr/bin"}, tmp_path).said(str(path)) is None


def test_python_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.metadata.version

    def version(name: str) -> str:
        if name in ("pillow", "tflite-micro"):
            raise importlib.metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    found = by_name(python_checks())
    assert (found["pillow"].state, found["pillow"].needed) == (State.MISSING, True)
    assert (found["tflite-micro"].state, found["tflite-micro"].needed) == (State.MISSING, False)
    assert found["native library"].state is State.OK
    answer = ranvier("doctor", env={"PATH": "", "ZEPHYR_BASE": "/nowhere"})
    assert answer.code == 1
    assert f"try: {shlex.quote(sys.executable)} -m pip install pillow" in answer.out
    assert f"try: {shlex.quote(sys.executable)} -m pip install tflite-micro" in answer.out
    assert "basic use does not work" in answer.out


def test_a_native_library_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    def op_codes() -> dict[str, int]:
        raise ToolError("cannot load it", "build it")

    monkeypatch.setattr(checks, "op_codes", op_codes)
    check = by_name(python_checks())["native library"]
    assert (check.state, check.found, check.remedy) == (State.MISSING, "cannot load it", "build it")


def workspace(folder: Path) -> Path:
    """Zephyr's tree in a workspace with a Python that has west; the path of the tree."""
    base = folder / "ws" / "zephyr"
    (base / "scripts").mkdir(parents=True)
    (base / "scripts" / "twister").write_text("")
    (folder / "ws" / ".west").mkdir()
    (base / "VERSION").write_text(
        "VERSION_MAJOR = 4\nVERSION_MINOR = 3\nPATCHLEVEL = 1\nVERSION_TWEAK = 0\nEXTRAVERSION =\n"
    )
    program(folder / "ws" / ".venv" / "bin", "python", "West version: v1.5.0")
    return base


def test_a_workspace(tmp_path: Path) -> None:
    base = workspace(tmp_path)
    assert zephyr_version(base) == "4.3.1"
    assert zephyr_version(tmp_path) is None
    found = by_name(zephyr_checks(machine(tmp_path, ZEPHYR_BASE=str(base))))
    assert found["workspace"].state is State.OK
    assert found["workspace"].found.startswith(f"Zephyr 4.3.1, {base} (ZEPHYR_BASE")
    assert found["west"].found.startswith("1.5.0, ")
    missing = by_name(zephyr_checks(machine(tmp_path, ZEPHYR_BASE=str(tmp_path))))["workspace"]
    assert missing.state is State.MISSING
    assert "west init" in missing.remedy


@pytest.mark.parametrize(
    ("variables", "state", "words"),
    [
        ({}, State.MISSING, "none set"),
        ({"compiler": "yes"}, State.NOTE, "none set"),
        ({"ZEPHYR_TOOLCHAIN_VARIANT": "zephyr"}, State.OK, "zephyr"),
        (
            {"ZEPHYR_TOOLCHAIN_VARIANT": "gnuarmemb", "GNUARMEMB_TOOLCHAIN_PATH": "/nowhere"},
            State.MISSING,
            "/nowhere",
        ),
        ({"ZEPHYR_SDK_INSTALL_DIR": "/nowhere"}, State.MISSING, "/nowhere"),
    ],
)
def test_toolchain_variables(
    variables: dict[str, str], state: State, words: str, tmp_path: Path
) -> None:
    given = {key: value for key, value in variables.items() if key != "compiler"}
    if "compiler" in variables:
        program(tmp_path, "arm-none-eabi-gcc", GCC)
    only = Machine({"PATH": str(tmp_path), "ZEPHYR_BASE": "/nowhere", **given}, tmp_path)
    check = by_name(zephyr_checks(only))["toolchain variables"]
    assert check.state is state
    assert words in check.found


def test_serial_ports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (only,) = port_checks(machine(tmp_path))
    assert (only.state, "none" in only.found) == (State.NOTE, True)
    dev = tmp_path / "dev"
    dev.mkdir()
    for name in ("ttyACM0", "ttyUSB3", "ttyS0"):
        (dev / name).touch()
    monkeypatch.setattr(checks_zephyr, "_group", lambda port: "dialout")
    monkeypatch.setattr(os, "access", lambda path, mode: path.name == "ttyUSB3")
    found = by_name(port_checks(machine(tmp_path)))
    assert set(found) == {str(dev / "ttyACM0"), str(dev / "ttyUSB3")}
    assert found[str(dev / "ttyUSB3")].state is State.OK
    closed = found[str(dev / "ttyACM0")]
    assert closed.state is State.MISSING
    assert "usermod -aG dialout" in closed.remedy


PYOCD = """#!/bin/sh
case "$1" in
json) echo '{json}' ;;
pack) printf '{packs}' ;;
esac
"""


@pytest.mark.parametrize(
    ("json", "packs", "probe", "pack"),
    [
        ('{"pyocd_version": "0.46.0", "boards": []}', "", State.NOTE, State.MISSING),
        (
            '{"pyocd_version": "0.46.0", "boards": [{"info": "MCU-LINK", "unique_id": "Q"}]}',
            "  NXP.MCXN947_DFP  17.0.0 \\n",
            State.OK,
            State.OK,
        ),
        ("no json", "  Keil.STM32F4xx_DFP  1.0 \\n", State.MISSING, State.MISSING),
        ("[]", "", State.MISSING, State.MISSING),
    ],
)
def test_pyocd(json: str, packs: str, probe: State, pack: State, tmp_path: Path) -> None:
    path = tmp_path / "pyocd"
    path.write_text(PYOCD.replace("{json}", json).replace("{packs}", packs))
    path.chmod(0o755)
    found = by_name(zephyr_checks(machine(tmp_path, ZEPHYR_BASE="/nowhere")))
    assert found["debug probes"].state is probe
    assert found["pyOCD's pack for MCXN947"].state is pack
    if probe is State.OK:
        assert found["debug probes"].found == "MCU-LINK"
        assert found["pyOCD"].found == f"0.46.0, {path}"
        assert found["pyOCD's pack for MCXN947"].found == "version 17.0.0"


def test_no_tool_for_boards(tmp_path: Path) -> None:
    found = by_name(zephyr_checks(machine(tmp_path, ZEPHYR_BASE="/nowhere")))
    assert found["flash tool"].state is State.MISSING
    program(tmp_path, "LinkServer", "v1")
    found = by_name(zephyr_checks(machine(tmp_path, ZEPHYR_BASE="/nowhere")))
    assert found["LinkServer"].state is State.OK
    assert "flash tool" not in found


def test_the_command(tmp_path: Path) -> None:
    """Without any tool basic use still works, and every line that is missing says what to do."""
    env = {"PATH": str(tmp_path), "ZEPHYR_BASE": str(tmp_path), "VIRTUAL_ENV": ""}
    answer = ranvier("doctor", env=env)
    assert answer.code == 0, answer.both
    assert "basic use works; something is missing for:" in answer.out
    missing = [line for line in answer.out.splitlines() if line.startswith("  missing")]
    assert missing
    assert answer.out.count("try: ") == len(missing)
    assert ranvier("doctor", "--quiet", env=env).both == ""
    value = ranvier("doctor", "--json", env=env).json
    assert value["schema"] == "ranvier.doctor/1"
    assert value["basic_use"] is True
    states = {check["state"] for check in value["checks"]}
    assert states <= {"ok", "missing", "note"}
    assert len([c for c in value["checks"] if c["state"] == "missing"]) == len(missing)
    assert all((c["remedy"] is None) == (c["state"] != "missing") for c in value["checks"])


def test_help() -> None:
    answer = ranvier("doctor", "-h")
    assert answer.code == 0
    assert "Exit codes:" in answer.out
    assert "doctor that basic use does not work" in answer.out
