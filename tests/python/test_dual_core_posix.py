# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The two cores as two processes (samples/dual_core/posix): right results, and deaths of either."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from ranvier.testing.oracle import TfliteMicroOracle

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits"
#: Programs may lie beside the interpreter, as they do in a virtual environment.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
ENV = {**os.environ, "PATH": PATH}
#: Longer than anything here may take; only a failure waits for it.
PATIENCE = 120.0

pytestmark = pytest.mark.skipif(
    shutil.which("cmake", path=PATH) is None or shutil.which("cc") is None,
    reason="cmake or a C compiler is not installed",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the two programs were built."""
    path = tmp_path_factory.mktemp("dual_core")
    command = path / "ranvier"
    command.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c 'from ranvier.cli import main; main()' \"$@\"\n"
    )
    command.chmod(0o755)
    source = ROOT / "samples" / "dual_core" / "posix"
    for step in (
        ("cmake", "-S", source, "-B", path / "build", f"-DRANVIER_COMMAND={command}"),
        ("cmake", "--build", path / "build", "--parallel", "2"),
    ):
        done = subprocess.run(
            list(map(str, step)), env=ENV, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return path / "build"


class Program:
    """A process, and what it says."""

    def __init__(self, log: Path, *arguments: object) -> None:
        self._log = log
        with log.open("wb") as out:
            self.process = subprocess.Popen(
                list(map(str, arguments)), stdout=out, stderr=subprocess.STDOUT
            )

    def said(self) -> str:
        return self._log.read_text()

    def wait_for(self, text: str, times: int = 1) -> None:
        until(lambda: self.said().count(text) >= times or self.process.poll() is not None)
        assert self.said().count(text) >= times, self.said()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def end(self) -> str:
        """Let it end by itself, well."""
        assert self.process.wait(PATIENCE) == 0, self.said()
        return self.said()

    def stop(self) -> str:
        """Tell it to end."""
        assert self.process.poll() is None, self.said()
        self.process.send_signal(signal.SIGTERM)
        return self.end()


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


class Pair:
    """Starts servers and clients of one region, and ends what is left of them."""

    def __init__(self, folder: Path, place: Path) -> None:
        self._folder = folder
        self.region = place / "region"
        self.programs: list[Program] = []

    def _start(self, name: str, *arguments: object) -> Program:
        log = self.region.parent / f"{name}{len(self.programs)}.log"
        self.programs.append(
            Program(log, self._folder / f"dual_core_{name}", self.region, *arguments)
        )
        return self.programs[-1]

    def server(self) -> Program:
        program = self._start("server")
        program.wait_for("serving")
        return program

    def client(self, rounds: int) -> Program:
        return self._start("client", rounds)


@pytest.fixture
def pair(folder: Path, tmp_path: Path) -> Iterator[Pair]:
    made = Pair(folder, tmp_path)
    yield made
    for program in made.programs:
        program.kill()


def numbers(said: str, line: str) -> dict[str, int]:
    """``{"right": 10, ...}`` of the line that has the word."""
    (found,) = [text for text in said.splitlines() if re.search(rf"\d {line}", text)]
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", found)}


def assert_all_right(said: str, rounds: int) -> dict[str, int]:
    totals = numbers(said, "right")
    assert (totals["right"], totals["wrong"], totals["other"]) == (10 * rounds, 0, 0), said
    return totals


def test_results_are_exact(pair: Pair) -> None:
    server = pair.server()
    said = pair.client(20).end()
    totals = assert_all_right(said, 20)
    assert (totals["stale"], totals["failed"]) == (0, 0)
    frames = [
        np.asarray(Image.open(DIGITS / "examples" / f"{digit}.png")).astype(np.int16) - 128
        for digit in range(10)
    ]
    oracle = TfliteMicroOracle((DIGITS / "digits.tflite").read_bytes())
    for digit, frame in enumerate(frames):
        (scores,) = oracle.run([frame.astype(np.int8).reshape(1, 28, 28, 1)])
        assert f"frame {digit}: {' '.join(map(str, scores.ravel()))}\n" in said
    client = numbers(said, "responses")
    assert client["requests"] == client["responses"] == 201
    assert (client["foreign"], client["bonds"], client["broken"]) == (0, 1, 0)
    served = numbers(server.stop(), "bonds")
    assert (served["requests"], served["completed"]) == (201, 200)
    assert (served["failed"], served["refused"], served["jobs"]) == (0, 0, 0)


def test_the_client_may_start_first(pair: Pair) -> None:
    client = pair.client(2)
    time.sleep(0.2)
    assert client.said() == ""
    server = pair.server()
    assert_all_right(client.end(), 2)
    assert_all_right(pair.client(2).end(), 2)  # and another one after it
    assert numbers(server.stop(), "bonds")["bonds"] == 2


def test_clients_that_are_killed(pair: Pair) -> None:
    """At any moment; the server cancels what they have left and serves the next one."""
    server = pair.server()
    moments = random.Random(1)
    for number in range(8):
        client = pair.client(1_000_000)
        server.wait_for("is bonded", number + 1)
        time.sleep(moments.uniform(0, 0.05))
        client.kill()
    said = pair.client(5).end()
    assert_all_right(said, 5)
    assert numbers(said, "responses")["foreign"] == 0
    served = numbers(server.stop(), "bonds")
    assert served["bonds"] == 9
    assert (served["jobs"], served["broken"]) == (0, 0)


def test_a_client_that_stays_dead(pair: Pair) -> None:
    server = pair.server()
    client = pair.client(1_000_000)
    server.wait_for("client 1 is bonded")
    client.kill()
    server.wait_for("client 1 is gone")
    assert numbers(server.stop(), "bonds")["dead"] == 1


def test_servers_that_are_killed(pair: Pair) -> None:
    """The client sees the next one, sends again what was under way, and gets only right results."""
    server = pair.server()
    client = pair.client(1_000_000)
    moments = random.Random(2)
    for number in range(5):
        client.wait_for("bonded\n", number + 1)
        time.sleep(moments.uniform(0, 0.05))
        server.kill()
        server = pair.server()
    client.wait_for("bonded\n", 6)
    client.kill()
    said = pair.client(3).end()
    assert_all_right(said, 3)
    assert numbers(server.stop(), "bonds")["jobs"] == 0


def test_the_work_goes_on_with_the_next_server(pair: Pair) -> None:
    server = pair.server()
    client = pair.client(300)
    client.wait_for("bonded\n")
    server.kill()
    server = pair.server()
    said = client.end()
    totals = assert_all_right(said, 300)
    assert said.count("bonded\n") == 2
    assert totals["failed"] == 0
    assert numbers(said, "responses")["bonds"] == 2
    server.stop()


def test_a_server_that_stays_dead(pair: Pair) -> None:
    server = pair.server()
    client = pair.client(1_000_000)
    client.wait_for("bonded\n")
    server.kill()
    client.wait_for("the server is another one, or was lost")
    assert client.process.poll() is None


def test_every_doorbell_is_lost(pair: Pair) -> None:
    """Both ring pipes that nobody has: what they look for by themselves is enough."""
    server = pair.server()
    for side in ("server", "client"):
        pair.region.with_name(f"region.{side}").unlink()
    said = pair.client(2).end()
    totals = assert_all_right(said, 2)
    assert (totals["stale"], totals["failed"]) == (0, 0)
    assert numbers(server.stop(), "bonds")["bonds"] == 1


def test_each_side_is_there_once(pair: Pair) -> None:
    pair.server()
    second = pair._start("server")
    assert second.process.wait(PATIENCE) == 1
    assert "cannot be served (-16)" in second.said()
    first = pair.client(1_000_000)
    first.wait_for("bonded\n")
    other = pair.client(1)
    assert other.process.wait(PATIENCE) == 1
    assert "cannot be used (-16)" in other.said()
    assert first.process.poll() is None


def test_spoilt_memory(pair: Pair) -> None:
    """Somebody writes anything anywhere into the region: both go on, and recover."""
    server = pair.server()
    client = pair.client(1_000_000)
    client.wait_for("bonded\n")
    shuffle = random.Random(3)
    with (
        pair.region.open("r+b") as file,
        contextlib.closing(mmap.mmap(file.fileno(), 0)) as memory,
    ):
        for _ in range(3000):
            if shuffle.random() < 0.7:
                at = shuffle.randrange(960)  # header, lines, messages
            else:
                at = shuffle.randrange(len(memory) - 8)
            memory[at : at + 4] = shuffle.randbytes(4)
            time.sleep(0.0003)
    assert server.process.poll() is None, server.said()
    assert client.process.poll() in (None, 1), client.said()  # 1: it was told of no such model
    client.kill()
    assert_all_right(pair.client(5).end(), 5)
    assert numbers(server.stop(), "bonds")["jobs"] == 0


def test_wrong_usage(folder: Path, tmp_path: Path) -> None:
    for name in ("server", "client"):
        for wrong in ((), ("--help",), ("-h",)):
            done = subprocess.run(
                [folder / f"dual_core_{name}", *wrong],
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                check=False,
            )
            assert done.returncode == 2
            assert "usage" in done.stderr
        done = subprocess.run(
            [folder / f"dual_core_{name}", tmp_path], capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert f"{tmp_path}: cannot be" in done.stderr
