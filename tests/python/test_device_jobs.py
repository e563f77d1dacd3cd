# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``run``, ``validate`` and ``profile`` on a device: one that runs packages by this machine's core.

The core stands on both sides: what is tested is the way there and back.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli_tools import DIGITS, put, ranvier
from fake_link import PtyDevice
from fake_smp_device import EBUSY, ENOENT, FakeDevice, FakeModel, Refused
from link_faults import BAUD, PATIENCE
from prof_device import dump_of, model_row
from ranvier.compiler.driver import compile_model
from ranvier.device import jobs
from ranvier.device.client import Client
from ranvier.device.errors import DeviceError
from ranvier.errors import InputError
from ranvier.model import Model, Package
from ranvier.package.costs import package_crc

DATA = (DIGITS / "digits.tflite").read_bytes()


@pytest.fixture(scope="module")
def package() -> Package:
    return Package(compile_model(DATA, "digits.tflite").package, "digits.rnv")


def running(package: Package, wrong: int = 0) -> FakeDevice:
    """A device that runs it; ``wrong`` is added to every output byte."""
    model = Model(package)

    def run(name: str, entry: int, data: bytes) -> bytes:
        info = package.inputs[0]
        (output,) = model.run(np.frombuffer(data, info.dtype).reshape(info.shape))
        return bytes((value + wrong) % 256 for value in output.tobytes())

    device = FakeDevice(FakeModel(package.name), buffer=300)
    device.run = run
    device.job["crc"] = int.from_bytes(package.data[-4:], "little")
    return device


@contextmanager
def client_of(device: FakeDevice, **link: Any) -> Iterator[Client]:
    with PtyDevice(device, **link) as port, Client(port.address, BAUD, PATIENCE) as client:
        yield client


def digit() -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).integers(-128, 128, (1, 28, 28, 1)).astype(np.int8)


# The requests


def test_a_job_goes_there_in_pieces_and_back() -> None:
    device = FakeDevice(buffer=200)
    data = bytes(range(256)) * 7
    with client_of(device) as client:
        ran = jobs.run(client, client.info(), "digits", 2, data)
    assert ran.data == data[::-1]
    assert (ran.us, ran.version) == (1234, (1, 2, 3))


@pytest.mark.parametrize("way", ["in", "out"])
@pytest.mark.parametrize("stateful", [False, True])
def test_every_message_of_a_job_in_turn_is_lost(way: str, stateful: bool) -> None:
    data = bytes(range(256)) * 3
    number, seen = 0, True
    while seen:
        device = FakeDevice(buffer=300)
        lost: list[int] = []

        def fault(
            direction: str, n: int, wire: bytes, at: int = number, lost: list[int] = lost
        ) -> list[bytes]:
            if (direction, n) == (way, at):
                lost.append(n)
                return []
            return [wire]

        with client_of(device, fault=fault) as client:
            ran = jobs.run(client, client.info(), "digits", 0, data, stateful)
        assert ran.data == data[::-1]
        assert len(device.ran) == 1  # also where a reply was lost
        seen = bool(lost)
        number += 1
    assert number > 5


def test_a_device_with_another_job() -> None:
    device = FakeDevice()
    original = FakeDevice._run_write
    busy = iter([True, True, False])

    def write(body: dict[str, Any]) -> dict[str, Any]:
        if next(busy):
            raise Refused(EBUSY)
        return original(device, body)

    device._HANDLERS = {**device._HANDLERS, (True, 9): lambda _, body: write(body)}
    with client_of(device) as client:
        assert jobs.run(client, client.info(), "digits", 0, b"abc").data == b"cba"


def test_more_than_the_device_takes() -> None:
    with client_of(FakeDevice(io=100)) as client, pytest.raises(InputError, match="takes 100"):
        jobs.run(client, client.info(), "digits", 0, bytes(101))


def test_a_job_that_failed() -> None:
    device = FakeDevice()
    device.job["status"] = -62
    with client_of(device) as client, pytest.raises(DeviceError, match="ETIME") as caught:
        jobs.run(client, client.info(), "digits", 0, b"abc")
    assert caught.value.code == "ETIME"


def test_a_device_that_forgot_the_job() -> None:
    device = FakeDevice()

    def forget(write: bool, command: int, body: dict[str, Any]) -> bool:
        if (write, command) == (False, 9):
            device.job["state"] = 0
        return False

    device.before = forget
    with client_of(device) as client, pytest.raises(DeviceError, match="has forgotten the job"):
        jobs.run(client, client.info(), "digits", 0, b"abc")


def test_a_job_in_one_piece_whose_reply_is_lost_runs_once() -> None:
    device = FakeDevice()
    replies = iter([True])
    device.after = lambda write, command, _: (write, command) == (True, 9) and next(replies, False)
    with client_of(device) as client:
        assert jobs.run(client, client.info(), "digits", 0, b"abc").data == b"cba"
    assert len(device.ran) == device.job["number"] == 1


@pytest.mark.parametrize("moment", ["filling", "running", "reading"])
def test_another_client_s_job_comes_between(moment: str) -> None:
    """Neither gets what the other's job put out: this one ends with a word."""
    device = FakeDevice(buffer=200)
    asked = 0

    def intrude(write: bool, command: int, body: dict[str, Any]) -> bool:
        nonlocal asked
        now = {"filling": write and body.get("off", 0) > 0, "running": not write}
        now["reading"] = not write and body.get("off", 0) > 0
        if command == 9 and now[moment] and not asked:
            asked += 1
            device.job.update(state=3, number=9, id=body["id"] ^ 1, output=b"theirs" * 99)
        return False

    device.before = intrude
    with client_of(device) as client:
        with pytest.raises(DeviceError, match="another program sent one") as caught:
            jobs.run(client, client.info(), "digits", 0, bytes(300))
        assert caught.value.code == "ESTATE"
        assert asked
        assert jobs.run(client, client.info(), "digits", 0, bytes(300)).data == bytes(300)


def test_the_result_is_of_the_job_that_was_submitted() -> None:
    """Also of a device that does not look at the client's number."""
    device = FakeDevice()

    def exchange(write: bool, command: int, body: dict[str, Any]) -> bool:
        if (write, command) == (False, 9):
            device.job.update(number=device.job["number"] + 1)
        return False

    device.before = exchange
    with client_of(device) as client, pytest.raises(DeviceError, match="another program"):
        jobs.run(client, client.info(), "digits", 0, b"abc")


def test_a_dump_in_pieces() -> None:
    device = FakeDevice(buffer=200)
    device.dump = bytes(range(256)) * 4
    with client_of(device) as client:
        assert jobs.read_dump(client) == device.dump
        jobs.profiling(client, True)
        assert jobs.read_dump(client) == device.dump
    assert device.profiling


def test_selftest() -> None:
    device = FakeDevice()
    with client_of(device) as client:
        assert jobs.selftest(client, "digits") == 0
        device.busy, device.tested = 2, -74
        assert jobs.selftest(client, "digits") == -74
        with pytest.raises(DeviceError, match="runs no model named 'others'"):
            jobs.selftest(client, "others")


# The commands


def test_run(package: Package, tmp_path: Path) -> None:
    path = put(tmp_path, "digits.rnv", package.data)
    image = tmp_path / "image.npy"
    np.save(image, digit())
    with PtyDevice(running(package)) as port:
        there = ranvier("run", path, "-i", image, "--device", port.address, "--json")
        shown = ranvier("run", path, "-i", image, "--device", port.address)
    here = ranvier("run", path, "-i", image, "--json")
    assert there.code == 0, there.both
    assert there.json["outputs"] == here.json["outputs"]
    assert (there.json["device_us"], there.json["steps"]) == (1234, [])
    assert here.json["device_us"] is None
    assert "took 1,234 us on the device" in shown.out


def test_run_of_a_package_that_the_device_does_not_have(package: Package, tmp_path: Path) -> None:
    path = put(tmp_path, "digits.rnv", package.data)
    image = tmp_path / "image.npy"
    np.save(image, digit())
    device = running(package)
    device.job["crc"] = 1
    with PtyDevice(device) as port:
        other = ranvier("run", path, "-i", image, "--device", port.address)
    assert other.code == 3
    assert "the device runs another package as 'digits': version 1.2.3, CRC 00000001" in other.both
    assert f"ranvier ota push {path}" in other.both

    def none(body: dict[str, Any]) -> dict[str, Any]:
        raise Refused(ENOENT)

    device._HANDLERS = {**device._HANDLERS, (True, 9): lambda _, body: none(body)}
    with PtyDevice(device) as port:
        answer = ranvier("run", path, "-i", image, "--device", port.address)
    assert "the device runs no model named 'digits'" in answer.both


@pytest.mark.parametrize("wrong", [0, 1])
def test_validate(package: Package, tmp_path: Path, wrong: int) -> None:
    pytest.importorskip("tflite_micro")
    path = put(tmp_path, "digits.rnv", package.data)
    model = DIGITS / "digits.tflite"
    with PtyDevice(running(package, wrong)) as port:
        answer = ranvier("validate", model, path, "--count", 3, "--device", port.address, "--json")
        shown = ranvier("validate", model, path, "--count", 2, "--device", port.address)
    assert answer.code == shown.code == (1 if wrong else 0)
    assert answer.json["passed"]  # the core against the reference
    assert answer.json["device"]["inputs"] == 3
    assert answer.json["device"]["differing"] == (30 if wrong else 0)
    verdict = "20 values differ" if wrong else "equal"
    assert f"2 inputs on the device against this machine's core: {verdict}" in shown.out


def test_profile(package: Package, tmp_path: Path) -> None:
    """What the dump says of each step, after as many runs as were asked for."""
    device = running(package)
    plain = device.run
    runs = 0
    row = model_row(package_crc(package.data), len(package.content.steps), *range(18))

    def run(name: str, entry: int, data: bytes) -> bytes:
        nonlocal runs
        assert device.profiling
        runs += 1
        step = struct.pack("<Q6I", runs * 500, runs, 500, 500, 500, 0, 0)
        device.dump = dump_of([row], [step] * len(package.content.steps))
        return plain(name, entry, data)

    device.run = run
    path = put(tmp_path, "digits.rnv", package.data)
    with PtyDevice(device) as port:
        answer = ranvier("profile", path, "--runs", 4, "--device", port.address, "--json")
        again = ranvier("profile", "--device", port.address, "--model", path, "--json")
    assert answer.code == 0, answer.both
    (model,) = answer.json["models"]
    assert model["name"] == "digits"
    assert [step["runs"] for step in model["steps"]] == [4] * len(model["steps"])
    assert not answer.json["host"]
    assert not device.profiling
    assert again.json["models"] == answer.json["models"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["profile", "--device", "p", "--trace", "t"],
        ["profile", "--device", "p", "--runs", "3"],
        ["profile", "--device", "p", "--isa", "dsp"],
    ],
)
def test_options_that_do_not_go_together(arguments: list[str]) -> None:
    assert ranvier(*arguments).code == 2
