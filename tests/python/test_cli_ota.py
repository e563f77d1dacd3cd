# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier ota``: what it does, prints and returns."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli_tools import Answer, lines, put, ranvier, rich_files
from fake_link import PtyDevice
from fake_smp_device import (
    EACCES,
    EAGAIN,
    EMPTY,
    GOOD,
    READY,
    RECEIVING,
    REJECTED,
    TESTING,
    FakeDevice,
    FakeModel,
    Refused,
    Session,
)
from packages import rich

COMMAND = [sys.executable, "-c", "from ranvier.cli import main; main()"]
LENGTH = len(rich().package)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    return put(tmp_path, "rich.rnv", rich().package)


@contextmanager
def on(device: FakeDevice, **link: Any) -> Iterator[Any]:
    """The ``ota`` commands of a device."""
    with PtyDevice(device, **link) as port:

        def ota(command: str, *arguments: object) -> Answer:
            return ranvier("ota", command, *arguments, "--port", port.address)

        yield ota


def new_device(**options: Any) -> FakeDevice:
    return FakeDevice(FakeModel("rich"), **{"buffer": 512, "sector": 1024, **options})


def test_push_and_confirm(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        pushed = ota("push", package)
        assert pushed.code == 0, pushed.both
        assert f"rich in slot 0: {LENGTH:,} bytes in 0:0" in pushed.out
        assert "rich in slot 0 is on trial\n" in pushed.out
        assert "ranvier ota confirm rich" in pushed.out
        told = lines(pushed.both, "write ")
        assert told[0].startswith(f"write   0 %  0 of {LENGTH:,} bytes")
        assert told[-1].startswith(f"write 100 %  {LENGTH:,} of {LENGTH:,} bytes")
        assert len(told) <= 11
        assert lines(pushed.both, "verify ")
        assert lines(pushed.both, "test ")
        assert "\r" not in pushed.both
        confirmed = ota("confirm")
        assert confirmed.code == 0
        assert confirmed.out.startswith("rich: is confirmed\n")
    assert (device.models[0].confirmed, device.models[0].trial) == (0, 0)


def test_push_permanent_and_no_activate(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        stored = ota("push", package, "--no-activate")
        assert "rich in slot 0 is stored\n" in stored.out
        assert device.models[0].trial == 0
        permanent = ota("push", package, "--permanent")
        assert "the device has this package already" in permanent.out
        assert "rich in slot 0 is confirmed\n" in permanent.out
    assert device.models[0].confirmed == 0


def test_push_json(package: Path) -> None:
    with on(new_device()) as ota:
        answer = ota("push", package, "--json")
    assert answer.both == answer.out
    value = answer.json
    assert value["schema"] == "ranvier.ota-push/1"
    assert (value["model"], value["slot"], value["what"]) == ("rich", 0, "on trial")
    assert (value["sent"], value["begun_at"], value["present"]) == (LENGTH, 0, False)
    assert value["link"] == {"retries": 0, "stale": 0, "damaged": 0, "reconnects": 0}


def test_quiet(package: Path) -> None:
    with on(new_device(), console=b"boot\r\n") as ota:
        assert ota("push", package, "--quiet").both == ""


def test_text_of_the_device_is_shown(package: Path) -> None:
    with on(new_device(), console=b"\x1b[1m[00:01] <inf> erased\x1b[m\r\n") as ota:
        answer = ota("push", package)
    assert "device: [00:01] <inf> erased\n" in answer.both
    assert "device" not in answer.out


def test_a_bar_on_a_terminal(package: Path) -> None:
    master, slave = pty.openpty()
    with PtyDevice(new_device()) as port:
        process = subprocess.Popen(
            [*COMMAND, "ota", "push", str(package), "--port", port.address],
            stdout=subprocess.PIPE,
            stderr=slave,
        )
        os.close(slave)
        out, _ = process.communicate(timeout=60)
    shown = os.read(master, 1 << 16)
    os.close(master)
    assert process.returncode == 0
    assert b"\rwrite  [" + b"-" * 30 + b"]   0 %" in shown
    assert b"\rwrite  [" + b"#" * 30 + b"] 100 %" in shown
    assert b"\rverify [" in shown
    assert b"\r" not in out


def test_list(package: Path) -> None:
    device = FakeDevice(FakeModel("rich"), FakeModel("others"), revoked=[0xBEEF], keys=[0xCAFE])
    with on(device) as ota:
        ota("push", package, "--permanent")
        answer = ota("list")
        value = ota("list", "--json").json
    assert answer.code == 0
    assert "fake, ranvier fake 1; fast here: generic, dsp; chunks of 4,047 bytes" in answer.out
    assert "keys: 0000cafe; revoked: 0000beef" in answer.out
    assert "takes unsigned packages" in answer.out
    (full, empty) = lines(answer.out, "rich ")
    assert full.split()[:5] == ["rich", "0", "good", "1.2.3", f"{LENGTH:,}"]
    assert full.endswith("confirmed, running")
    assert empty.split()[:4] == ["rich", "1", "empty", "-"]
    assert lines(answer.out, "others ")[0].split()[:3] == ["others", "-", "empty"]
    assert value["device"]["models"] == 2
    first = value["models"][0]
    assert (first["confirmed"], first["trial_slot"], first["trial"]) == (0, None, "none")
    assert [slot["state"] for slot in first["slots"]] == ["good", "empty"]


def test_status_of_an_upload_under_way(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        assert ota("status").out == "idle\n"
        device.before = lambda write, command, body: (
            (write, command) == (True, 2) and (body["off"] > 1000)
        )
        cut_off(device, package)
        device.before = lambda *_: False
        answer = ota("status")
        assert answer.out.startswith("receiving rich, slot 0\n")
        assert f" of {LENGTH:,} bytes are there" in answer.out
        assert ota("status", "--json").json["phase"] == "receiving"
        assert "bytes are safe" in ota("list").out


def cut_off(device: FakeDevice, package: Path) -> None:
    """An upload that ends in the middle, by Ctrl-C."""
    with PtyDevice(device) as port:
        process = subprocess.Popen(
            [*COMMAND, "ota", "push", str(package), "--port", port.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Tests in the background of a shell have it ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        assert process.stderr is not None
        line = ""
        while not re.search(r"write  3\d", line):
            line = process.stderr.readline()
            assert line, "it ended"
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"ranvier ota resume {package} goes on with it" in said
    assert "Traceback" not in said


def test_resume(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        none = ota("resume", package)
        assert none.code == 3
        assert "the device has no part of this upload of 'rich'" in none.both
    device.before = lambda write, command, body: (
        (write, command) == (True, 2) and (body["off"] > 1000)
    )
    cut_off(device, package)
    device.before = lambda *_: False
    device.reset()
    with on(device) as ota:
        answer = ota("resume", package)
        assert answer.code == 0, answer.both
        assert "from byte 1,024 on" in answer.out
    assert device.models[0].slots[0].data == package.read_bytes()


def test_abort(package: Path) -> None:
    device = new_device()
    device.before = lambda write, command, body: (
        (write, command) == (True, 2) and (body["off"] > 1000)
    )
    cut_off(device, package)
    device.before = lambda *_: False
    assert device.session.phase == RECEIVING
    with on(device) as ota:
        assert ota("abort").out == "the upload of rich is dropped: slot 0 is empty\n"
        assert ota("abort").out == "no upload was under way\n"
        assert ota("abort", "--json").json == {
            "schema": "ranvier.ota-abort/1",
            "model": None,
            "dropped": False,
        }
    assert device.models[0].slots[0].state == EMPTY


def test_abort_of_what_is_ready_and_of_what_is_tested(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        assert ota("push", package, "--no-activate").code == 0
        assert device.session.phase == READY
        answer = ota("abort")
        assert answer.out == "the upload of rich is dropped: slot 0 is empty\n"
    device = new_device()
    refusals = iter([True])

    def abort(body: dict[str, Any]) -> dict[str, Any]:
        if next(refusals, False):
            raise Refused(EAGAIN)
        return {}

    device._HANDLERS = {**device._HANDLERS, (True, 8): lambda _, body: abort(body)}
    device.session = Session(TESTING, device.models[0], 100, b"\1" * 32)
    with on(device) as ota:
        answer = ota("abort")
    assert (answer.code, answer.out) == (0, "the upload of rich is dropped: slot 0 is empty\n")
    assert device.session.phase == READY  # it was waited for


def test_rollback_activate_erase(package: Path, tmp_path: Path) -> None:
    device = new_device()
    model = device.models[0]
    with on(device) as ota:
        nothing = ota("rollback")
        assert (nothing.code, nothing.out) == (3, "")
        assert "has no version to go back to" in nothing.both
        assert "no good version beside the one in use" in ota("activate").both
        ota("push", package, "--permanent")
        model.slots[1].state, model.slots[1].data = GOOD, package.read_bytes()
        forward = ota("rollback")
        assert (forward.code, model.confirmed) == (3, 0)
        assert "ranvier ota activate takes another good version" in forward.both
        model.slots[1].proven = True
        assert ota("rollback", "rich").out.startswith("rich: is back\n")
        assert model.confirmed == 1
        assert ota("activate", "rich", "--permanent").out.startswith("rich: is confirmed\n")
        assert model.confirmed == 0
        assert ota("activate").out.startswith("rich: is on trial\n")
        refused = ota("erase", "rich", "0")
        assert refused.code == 3
        assert "slot 0 of 'rich' is confirmed, the other one is on trial: neither" in refused.both
        refused = ota("erase", "rich", "1")
        assert "slot 1 of 'rich' is on trial: it cannot be erased before" in refused.both
        assert "try: ranvier ota rollback rich" in refused.both
        assert ota("rollback").code == 0
        refused = ota("erase", "rich", "0")
        assert "slot 0 of 'rich' is confirmed: only the other slot can be erased" in refused.both
        assert ota("erase", "rich", "1").out.startswith("rich: slot 1 is erased\n")
    assert model.slots[1].state == EMPTY


def test_a_rollback_that_leaves_nothing_to_run(package: Path) -> None:
    device = new_device()
    with on(device) as ota:
        ota("push", package)
        device.reset()
        answer = ota("rollback")
        assert (answer.code, answer.out.splitlines()[0]) == (0, "rich: no version of it runs")
    assert device.models[0].slots[0].state == REJECTED


@pytest.mark.parametrize(
    ("command", "which", "remedy"),
    [
        ("confirm", "the version on trial", "ranvier ota rollback rich"),
        ("activate", "the other version", "push a version that is not older"),
        ("rollback", "the other version", "push a version that is not older"),
    ],
)
def test_a_key_that_was_revoked_meanwhile(
    package: Path, command: str, which: str, remedy: str
) -> None:
    def refuse(_: FakeDevice, body: dict[str, Any]) -> dict[str, Any]:
        raise Refused(EACCES)

    device = new_device()
    device._HANDLERS = {**device._HANDLERS, **{(True, number): refuse for number in (4, 5, 6)}}
    device.models[0].trial, device.models[0].trial_slot = 2, 1
    with on(device) as ota:
        answer = ota(command)
    assert answer.code == 3
    assert f"'rich': {which} is older" in answer.both
    assert "or its key was revoked" in answer.both
    assert remedy in answer.both


def test_a_model_has_to_be_named_where_there_are_several() -> None:
    with on(FakeDevice(FakeModel("a"), FakeModel("b"))) as ota:
        answer = ota("confirm")
        assert answer.code == 3
        assert "name one of a, b" in answer.both
        unknown = ota("confirm", "c")
        assert "no place for a model named 'c'" in unknown.both


def test_the_only_model_that_is_there_need_not_be_named(package: Path) -> None:
    device = FakeDevice(FakeModel("a"), FakeModel("rich"))
    with on(device) as ota:
        ota("push", package)
        assert ota("confirm").out.startswith("rich: is confirmed\n")


def test_erase_takes_a_slot() -> None:
    assert ranvier("ota", "erase", "rich", "2", "--port", "p").code == 2


@pytest.mark.parametrize("cut", [0, 50, 2000, LENGTH - 1])
def test_a_truncated_package(tmp_path: Path, cut: int) -> None:
    """Case 50: a sentence, before the port is opened."""
    path = put(tmp_path, "cut.rnv", rich().package[:cut])
    answer = ranvier("ota", "push", path, "--port", "/dev/no-such-port")
    assert answer.code == 3
    assert answer.both.startswith(f"error: {path}: ")
    assert "no such port" not in answer.both
    assert len(answer.both.splitlines()) == 2


def test_a_model_instead_of_a_package(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    answer = ranvier("ota", "push", model, "--port", "p")
    assert "compile it first" in answer.both


def test_no_device_is_named(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANVIER_PORT", raising=False)
    answer = ranvier("ota", "push", package)
    assert answer.code == 2
    assert "give --port or --sim" in answer.both
    assert ranvier("ota", "list", "--port", "p", "--sim").code == 2


def test_the_port_of_the_environment(package: Path) -> None:
    with PtyDevice(new_device()) as port:
        answer = ranvier("ota", "list", env={"RANVIER_PORT": port.address})
    assert answer.code == 0


def test_errors_as_json() -> None:
    answer = ranvier("ota", "list", "--port", "/dev/no-such-port", "--json")
    assert answer.code == 3
    assert answer.json["error"]["type"] == "LinkError"
    assert answer.json["error"]["message"] == "/dev/no-such-port: there is no such port"


def test_two_programs(package: Path) -> None:
    """Case 36: the second one is told in one line, the first one goes on."""
    device = new_device()
    with PtyDevice(device) as port:
        told: list[Answer] = []

        def second(write: bool, command: int, body: dict[str, Any]) -> bool:
            if (write, command) == (True, 2) and body["off"] > 1000 and not told:
                told.append(ranvier("ota", "list", "--port", port.address))
            return False

        device.before = second
        answer = subprocess.run(
            [*COMMAND, "ota", "push", str(package), "--port", port.address],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert answer.returncode == 0
    assert told[0].code == 3
    assert f"{port.address}: the port is in use by another program" in told[0].both
    assert device.models[0].slots[0].data == package.read_bytes()


def test_a_refused_package_says_why(package: Path) -> None:
    with on(new_device(isa=[1, 3])) as ota:
        answer = ota("push", package)
        assert answer.code == 3
        assert "packed for generic, fast on the device is dsp, base" in answer.both
        assert "--allow-slow" in answer.both
        assert ota("push", package, "--allow-slow").code == 0


def test_help_names_every_command() -> None:
    answer = ranvier("ota", "--help")
    commands = [
        "push",
        "resume",
        "list",
        "status",
        "activate",
        "confirm",
        "rollback",
        "erase",
        "abort",
        "lanes",
        "selftest",
        "revoke",
        "reset",
    ]
    found = {line.split()[0] for line in answer.out.splitlines() if line.startswith("  ")}
    assert set(commands) <= found
