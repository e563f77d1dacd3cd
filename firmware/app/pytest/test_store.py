# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Updates of the application's store with the `ranvier` command, as a person does it; by twister.

The command is the one that the build has used. The device is reached by the pseudo terminal that
native_sim prints, by QEMU's socket in the build directory, or by the serial port of a board.
"""

import base64
import binascii
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from twister_harness import DeviceAdapter

PATIENCE_S = 120
"""For each command: an emulator on a busy machine is slow, a failure is not quick."""
RESET_S = 1.0
"""From the request of a reset until it has happened."""
DIGITS = Path(__file__).parents[3] / "models/digits"
MODEL = DIGITS / "digits.tflite"
PICTURE = DIGITS / "examples/7.png"


def cached(build: Path, name: str) -> str | None:
    """A variable of the build's CMake cache."""
    found = re.search(rf"^{name}:\w+=(.+)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found.group(1) if found else None


class Relay:
    """QEMU's UNIX socket as a TCP port, which the command can open; one connection at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = f"tcp:127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            host, _ = self._server.accept()
            device = self._connect()
            back = threading.Thread(target=self._copy, args=(device, host), daemon=True)
            back.start()
            self._copy(host, device)
            back.join()

    def _connect(self) -> socket.socket:
        """As soon as QEMU is there. Names of such sockets are short: by a descriptor."""
        folder = os.open(self._path.parent, os.O_RDONLY)
        end = time.monotonic() + PATIENCE_S
        try:
            while True:
                device = socket.socket(socket.AF_UNIX)
                try:
                    device.connect(f"/proc/self/fd/{folder}/{self._path.name}")
                    return device
                except OSError:
                    device.close()
                    if time.monotonic() > end:
                        raise
                    time.sleep(0.1)
        finally:
            os.close(folder)

    @staticmethod
    def _copy(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Bench:
    """The device, and the command."""

    def __init__(self, dut: DeviceAdapter, folder: Path) -> None:
        self.build = Path(dut.device_config.app_build_dir)
        self.folder = folder
        self._dut = dut
        self._command = cached(self.build, "RANVIER_COMMAND") or shutil.which("ranvier") or ""
        assert self._command, "no `ranvier` command: RANVIER_COMMAND, or PATH"
        self._isa = cached(self.build, "RANVIER_ISA") or "generic"
        if dut.device_config.type == "qemu":
            self.port = Relay(self.build / "store.sock").port
        else:
            self.port = str(dut.device_config.serial)
        self.find()

    def find(self) -> None:
        """After a start: native_sim has a pseudo terminal of another name each time."""
        if self._dut.device_config.type == "native":
            line = self._dut.readlines_until(regex=r"uart_1 connected to pseudotty: \S+")[-1]
            self.port = line.split()[-1]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self._command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def run(self, *arguments: str) -> str:
        """Standard output of a command that succeeds."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, f"{arguments}: {process.returncode}\n{out}\n{err}"
        return out

    def ota(self, command: str, *arguments: str) -> str:
        return self.run("ota", command, *arguments, "--port", self.port)

    def digits(self) -> dict[str, Any]:
        """What the device tells of the model digits."""
        models = json.loads(self.ota("list", "--json"))["models"]
        return next(model for model in models if model["name"] == "digits")

    def top_class(self, package: str) -> int:
        """What the device sees in the picture of a seven."""
        run = json.loads(
            self.run("run", package, "--input", str(PICTURE), "--device", self.port, "--json")
        )
        values = run["outputs"][0]["values"]
        return int(values.index(max(values)))

    def package(self, version: int, sign: bool = True) -> str:
        """A package of the digits model; its security version is its version."""
        path = str(self.folder / f"digits-{version}.rnv")
        options = ["--name", "digits", "--version", f"{version}.0.0", "--isa", self._isa]
        if sign:
            key = str(self.build / "development_key.pem")
            options += ["--sign", key, "--security-version", str(version)]
        self.run("compile", str(MODEL), "-o", path, *options, "--quiet")
        return path


@pytest.fixture
def bench(unlaunched_dut: DeviceAdapter, tmp_path: Path) -> Bench:
    """A device that was just started, in simulation with an empty flash."""
    build = Path(unlaunched_dut.device_config.app_build_dir)
    (build / "flash.bin").unlink(missing_ok=True)  # of native_sim
    unlaunched_dut.launch()
    return Bench(unlaunched_dut, tmp_path)


def running(model: dict[str, Any]) -> str:
    """Version of what runs."""
    return ".".join(str(part) for part in model["slots"][model["running"]]["version"])


def break_off(bench: Bench, package: str) -> None:
    """Begin to bring a package; the host dies when more than a sector is there."""
    push = bench.start("ota", "push", package, "--port", bench.port)
    end = time.monotonic() + PATIENCE_S
    assert push.stderr is not None
    for line in push.stderr:
        found = re.search(r"write +(\d+) %", line)
        if found and int(found.group(1)) >= 60:
            break
        assert time.monotonic() < end
    push.send_signal(signal.SIGKILL)
    push.communicate()


def reset(bench: Bench) -> None:
    """A warm reset, which any SMP client asks for in this way."""
    message = bytes([2, 0, 0, 1, 0, 0, 0, 5]) + b"\xa0"
    checked = message + binascii.crc_hqx(message, 0).to_bytes(2, "big")
    line = b"\x06\x09" + base64.b64encode(len(checked).to_bytes(2, "big") + checked) + b"\n"
    if bench.port.startswith("tcp:"):
        _, host, port = bench.port.split(":")
        with socket.create_connection((host, int(port))) as link:
            link.sendall(line)
            time.sleep(RESET_S)
    else:
        with open(bench.port, "r+b", buffering=0) as link:
            link.write(line)
            time.sleep(RESET_S)
    bench.find()


def test_update(bench: Bench) -> None:
    """Version 1 is confirmed; version 2 is interrupted, resumed, tried, and gone back from."""
    first, second = bench.package(1), bench.package(2)

    bench.ota("push", first)
    assert bench.digits()["trial"] == "trying"
    bench.ota("confirm", "digits")
    assert bench.top_class(first) == 7

    break_off(bench, second)
    assert json.loads(bench.ota("status", "--json"))["phase"] == "receiving"
    reset(bench)
    assert json.loads(bench.ota("status", "--json"))["phase"] == "idle"
    model = bench.digits()
    assert running(model) == "1.0.0"
    assert model["written"] > 0
    assert bench.top_class(first) == 7

    bench.ota("resume", second)
    model = bench.digits()
    assert running(model) == "2.0.0"
    assert model["slots"][model["running"]]["fills"] == 1  # not begun anew
    assert bench.top_class(second) == 7
    bench.ota("rollback", "digits")
    assert running(bench.digits()) == "1.0.0"
    assert bench.digits()["floor"] == 1


def test_trial_that_nobody_confirms(bench: Bench) -> None:
    """It ends after CONFIG_RANVIER_STORE_TRIAL_BOOTS, by itself."""
    bench.ota("push", bench.package(1))
    bench.ota("confirm", "digits")
    bench.ota("push", bench.package(2))
    for tries in (1, 2, 3):
        model = bench.digits()
        assert (running(model), model["trial"], model["tries"]) == ("2.0.0", "trying", tries)
        reset(bench)
    model = bench.digits()
    assert running(model) == "1.0.0"
    assert model["trial"] == "none"
    assert sorted(slot["state"] for slot in model["slots"]) == ["good", "rejected"]


def test_what_is_not_signed_is_refused(bench: Bench) -> None:
    push = bench.start("ota", "push", bench.package(1, sign=False), "--port", bench.port)
    _, err = push.communicate(timeout=PATIENCE_S)
    assert push.returncode != 0
    assert "sign" in err
    assert bench.digits()["running"] is None
