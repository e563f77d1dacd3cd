# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Starting and stopping a simulated device: a small program stands for ``ranvier-sim``."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_tools import put, ranvier
from packages import rich
from ranvier.device.client import Client, Patience
from ranvier.device.errors import LinkError
from ranvier.device.simulator import Simulator, find_simulator
from ranvier.errors import ToolError

COMMAND = [sys.executable, "-c", "from ranvier.cli import main; main()"]
PROGRAM = """\
#!{python}
import os, sys, threading, time
sys.path.insert(0, {tests!r})
from fake_link import PtyDevice, TcpDevice
from fake_smp_device import FakeDevice, FakeModel
from fake_shell import FakeShell
open({log!r}, "a").write(repr(sys.argv[1:]) + "\\n")
print("booted; takes unsigned packages", flush=True)
if "--fail" in sys.argv:
    sys.exit("no flash")
if "--refuse" in sys.argv:
    print("ranvier-sim: keys.pem: no", file=sys.stderr)
    sys.exit(int(sys.argv[-1]))
if "--die" in sys.argv:
    threading.Timer(float(sys.argv[-1]), lambda: os._exit(70)).start()
kind = TcpDevice if "--tcp" in sys.argv else PtyDevice
answers = {{"hello": ("world\\n", 0)}}
with kind(FakeDevice(FakeModel("rich"))) as device, FakeShell(answers) as shell:
    if kind is TcpDevice:
        print("smp: tcp", device.port, flush=True)
    else:
        print("smp: pty", device.address, flush=True)
    print("shell: pty", shell.address, flush=True)
    for number in range(3000):
        print("a line that somebody has to read", number, flush=True)
    time.sleep(100)
"""


@pytest.fixture
def simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that behaves as ranvier-sim, and is found as it; the log of its arguments."""
    log = tmp_path / "log"
    text = PROGRAM.format(python=sys.executable, tests=str(Path(__file__).parent), log=str(log))
    program = put(tmp_path, "ranvier-sim", text.encode())
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("RANVIER_SIM", str(program))
    return log


def test_it_is_started_for_a_command_and_stopped(simulator: Path, tmp_path: Path) -> None:
    flash = tmp_path / "device.flash"
    package = put(tmp_path, "rich.rnv", rich().package)
    answer = ranvier("ota", "push", package, f"--sim={flash}")
    assert answer.code == 0, answer.both
    assert "rich in slot 0 is on trial" in answer.out
    assert "device: booted; takes unsigned packages" in answer.both
    options = ["--flash", str(flash), "--pty", "--allow-unsigned"]
    assert simulator.read_text() == f"{options}\n"
    assert running(tmp_path) == []


@pytest.mark.parametrize("where", ["sim:my.flash", "sim"])
def test_the_address_of_a_simulated_device(
    simulator: Path, where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = ranvier("ota", "list", "--port", where, "--sim-options", "--seed 5")
    assert answer.code == 0, answer.both
    flash = "my.flash" if ":" in where else "ranvier-sim.flash"
    assert simulator.read_text() == f"{['--flash', flash, '--pty', '--seed', '5']}\n"


@pytest.mark.parametrize("by", ["option", "environment"])
@pytest.mark.parametrize("command", ["ota", "run"])
def test_its_further_options(simulator: Path, command: str, by: str, tmp_path: Path) -> None:
    package = put(tmp_path, "rich.rnv", rich().package)
    x, y = put(tmp_path, "x.bin", bytes(90)), put(tmp_path, "y.bin", bytes(120))
    flash = tmp_path / "f"
    words: list[object] = {
        "ota": ["ota", "list", f"--sim={flash}"],
        "run": ["run", package, "-i", x, "-i", y, "--device", f"sim:{flash}"],
    }[command]
    env = {"RANVIER_SIM_OPTIONS": "--seed 5"} if by == "environment" else {}
    words += ["--sim-options", "--seed 5"] if by == "option" else []
    ranvier(*words, env=env)
    assert simulator.read_text() == f"{['--flash', str(flash), '--pty', '--seed', '5']}\n"


def test_the_shell_of_a_simulated_device(simulator: Path, tmp_path: Path) -> None:
    answer = ranvier("shell", f"--sim={tmp_path / 'f'}", "-c", "hello", "-q")
    assert (answer.code, answer.out) == (0, "")
    answer = ranvier("shell", f"--sim={tmp_path / 'f'}", "-c", "hello")
    assert answer.out == "world\n"


def test_tcp_addresses(simulator: Path) -> None:
    with Simulator(["--tcp", "0"]) as device:
        assert device.address().startswith("tcp:127.0.0.1:")
        assert device.address("shell").startswith("/dev/")


def test_a_simulated_device_that_does_not_come_up(simulator: Path) -> None:
    with (
        pytest.raises(ToolError, match="did not come up") as caught,
        Simulator(["--fail"]) as device,
    ):
        device.address()
    assert "no flash" in caught.value.message


def test_its_power_is_cut(simulator: Path, tmp_path: Path) -> None:
    """At once a word about it, no wait for a port that does not come back."""
    with Simulator(["--pty", "--die", "0.5"]) as device:
        patience = Patience(reply_s=0.5, attempts=9, link_s=0.0)
        with (
            Client(device.address(), patience=patience) as client,
            pytest.raises(LinkError, match="the port is gone"),
        ):
            ask_for_ever(client)
        assert "power" in str(device.ended())
    options = "--allow-unsigned --die 0.0"
    answer = ranvier("ota", "list", f"--sim={tmp_path / 'f'}", "--sim-options", options)
    assert answer.code == 4
    assert "the power of the simulated device was cut" in answer.both


def ask_for_ever(client: Client) -> None:
    while True:
        client.info()


def test_an_installation_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RANVIER_SIM", raising=False)
    put(tmp_path, "libranvier.so", b"")
    monkeypatch.setenv("RANVIER_LIBRARY", str(tmp_path / "libranvier.so"))
    with pytest.raises(ToolError, match="mbedTLS") as caught:
        find_simulator()
    assert "RANVIER_SIM" in str(caught.value.remedy)
    assert ranvier("sim").code == 4
    assert ranvier("ota", "list", "--sim").code == 4


@pytest.mark.parametrize("name", ["missing", "not-executable"])
def test_a_program_that_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    put(tmp_path, "not-executable", b"").chmod(0o644)
    monkeypatch.setenv("RANVIER_SIM", str(tmp_path / name))
    with pytest.raises(ToolError, match="is not a program"):
        find_simulator()


@pytest.mark.parametrize("command", ["sim", "ota"])
def test_a_package_is_not_taken_for_a_flash(simulator: Path, tmp_path: Path, command: str) -> None:
    package = put(tmp_path, "rich.rnv", rich().package)
    arguments = (
        ["sim", "--flash", package] if command == "sim" else ["ota", "list", f"--sim={package}"]
    )
    answer = ranvier(*arguments)
    assert answer.code == 3
    assert "not a simulated device's flash" in answer.both
    assert package.read_bytes() == rich().package
    assert not simulator.exists()


def test_sim_becomes_the_program(simulator: Path, tmp_path: Path) -> None:
    """Its options are the program's, and a signal to the command is one to it."""
    options = ["--flash", "f", "--tcp", "0", "--baud", "9600", "--buffer", "512", "--arena", "1,2"]
    options += ["--isa", "dsp", "--trial-boots", "2", "--cut", "7", "--seed", "3", "--keys", "k"]
    options += ["--fault", "3:lie:old", "--fault", "4:cut:bits"]
    process = subprocess.Popen(
        [*COMMAND, "sim", *options, "--allow-unsigned"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "booted; takes unsigned packages\n"
    assert process.stdout.readline().startswith("smp: tcp ")
    process.terminate()
    process.stdout.read()
    assert process.wait(20) == -15
    want = ["--flash", "f", "--layout", "default", *options[2:], "--allow-unsigned"]
    assert simulator.read_text() == f"{want}\n"


@pytest.mark.parametrize("command", ["sim", "ota"])
def test_a_flash_that_is_no_regular_file(simulator: Path, tmp_path: Path, command: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    arguments = ["sim", "--flash", pipe] if command == "sim" else ["ota", "list", f"--sim={pipe}"]
    answer = ranvier(*arguments)
    assert answer.code == 3
    assert "is not a regular file" in answer.both


def test_options_that_are_no_words(simulator: Path, tmp_path: Path) -> None:
    answer = ranvier("ota", "list", f"--sim={tmp_path / 'f'}", "--sim-options", "'unbal")
    assert answer.code == 2
    assert "No closing quotation" in answer.both
    assert not simulator.exists()


@pytest.mark.parametrize("code", [2, 3])
def test_files_and_options_that_it_refuses(simulator: Path, tmp_path: Path, code: int) -> None:
    options = f"--refuse {code}"
    answer = ranvier("ota", "list", f"--sim={tmp_path / 'f'}", "--sim-options", options, "--json")
    assert answer.code == 3
    assert answer.json["error"]["message"] == "the simulated device: keys.pem: no"
    text = ranvier("ota", "list", f"--sim={tmp_path / 'f'}", "--sim-options", options).both
    assert text.count("keys.pem: no") == 1


def test_sim_in_json(simulator: Path, tmp_path: Path) -> None:
    """One document with the addresses; a signal to the command ends the program."""
    process = subprocess.Popen(
        [*COMMAND, "sim", "--json"], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    text = ""
    while not text.endswith("}\n"):
        line = process.stdout.readline()
        assert line, "it ended"
        text += line
    found = json.loads(text)
    assert found["schema"] == "ranvier.sim/1"
    assert found["smp"].startswith("/dev/")
    assert found["shell"].startswith("/dev/")
    process.terminate()
    assert process.stdout.read() == ""
    assert process.wait(20) == 0
    assert running(tmp_path) == []
    assert ranvier("sim", "--stdio", "--json").code == 2


def test_sim_takes_one_link(simulator: Path) -> None:
    assert ranvier("sim", "--pty", "--tcp", "1").code == 2


def running(folder: Path) -> list[str]:
    """Programs of this folder that still run."""
    end = time.monotonic() + 5
    found = [""]
    while found and time.monotonic() < end:
        found = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                line = entry.read_bytes().decode(errors="replace")
            except OSError:
                continue
            if str(folder / "ranvier-sim") in line and f"/{os.getpid()}/" not in str(entry):
                found.append(line)
    return found
