# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The host's commands against ``ranvier-sim``, where it is built: cuts, resets, faults, jobs."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from cli_tools import DIGITS, Answer, put, ranvier
from link_faults import uploads_to_simulator
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.device.client import Client, Patience
from ranvier.device.offer import read_offer
from ranvier.device.simulator import Simulator, find_simulator
from ranvier.device.update import Updater
from ranvier.errors import ToolError
from ranvier.package.signing import new_key, seal_package


def built() -> bool:
    try:
        find_simulator()
    except ToolError:
        return False
    return True


pytestmark = pytest.mark.skipif(not built(), reason="ranvier-sim is not built")
MODEL = DIGITS / "digits.tflite"


@pytest.fixture
def packages(tmp_path: Path) -> tuple[Path, Path]:
    """Two versions of a model."""
    made = []
    for name, version in (("one.rnv", (1, 0, 0)), ("two.rnv", (2, 0, 0))):
        options = CompileOptions(version=version)
        data = compile_model(MODEL.read_bytes(), MODEL.name, options).package
        made.append(put(tmp_path, name, data))
    return made[0], made[1]


class Ota:
    """``ranvier ota`` on a simulated device with this flash file."""

    def __init__(self, flash: Path) -> None:
        self.flash = flash

    def __call__(self, command: str, *arguments: object, options: str = "") -> Answer:
        more = f"--allow-unsigned {options}"
        return ranvier("ota", command, *arguments, f"--sim={self.flash}", "--sim-options", more)

    def version(self) -> str | None:
        """Of what runs."""
        return running(self("list", "--json"))


@pytest.fixture
def ota(tmp_path: Path) -> Ota:
    return Ota(tmp_path / "flash")


def test_the_way_of_a_model(ota: Ota, packages: tuple[Path, Path]) -> None:
    one, two = packages
    assert ota.version() is None
    assert ota("push", one, "--permanent").code == 0
    assert ota.version() == "1.0.0"
    cut = ota("push", two, "--plain", options="--cut 14")
    assert cut.code == 4
    assert "the power of the simulated device was cut" in cut.both
    assert ota.version() == "1.0.0"
    resumed = ota("resume", two, "--json")
    assert resumed.code == 0, resumed.both
    assert resumed.json["begun_at"] > 0
    assert ota.version() == "2.0.0"
    assert ota("confirm").code == 0
    assert ota.version() == "2.0.0"
    assert ota("rollback").code == 0
    assert ota.version() == "1.0.0"
    assert ota("erase", "digits", 1).code == 0
    assert "no version to go back to" in ota("rollback").both
    assert ota("push", two, "--no-activate").code == 0
    assert "ranvier ota activate takes another good version" in ota("rollback").both
    assert ota.version() == "1.0.0"


def test_a_rollback_of_the_first_install(ota: Ota, packages: tuple[Path, Path]) -> None:
    assert ota("push", packages[0]).code == 0
    answer = ota("rollback")
    assert (answer.code, answer.out.splitlines()[0]) == (0, "digits: no version of it runs")
    assert ota("push", packages[1]).code == 0
    assert ota.version() == "2.0.0"


def test_a_cut_at_every_operation_of_an_update(ota: Ota, packages: tuple[Path, Path]) -> None:
    """What is confirmed runs after each, and the update gets there by resume or by push."""
    one, two = packages
    data = read_offer(two.read_bytes(), "two.rnv")
    ota("push", one, "--permanent")
    before = ota.flash.read_bytes()
    cut, operation = True, 0
    while cut:
        operation += 3
        ota.flash.write_bytes(before)
        cut = ota("push", two, "--permanent", options=f"--cut {operation}").code != 0
        assert ota.version() in ("1.0.0", "2.0.0")
        with (
            Simulator(["--flash", str(ota.flash), "--allow-unsigned"]) as device,
            Client(device.address()) as client,
        ):
            assert Updater(client).push(data, permanent=True).what == "confirmed"
        assert ota.version() == "2.0.0"
    assert operation > 15


def test_a_reset_in_the_middle(ota: Ota, packages: tuple[Path, Path]) -> None:
    """It starts anew on the same lines: the upload goes on by itself."""
    offer = read_offer(packages[0].read_bytes(), "one.rnv")
    options = ["--flash", str(ota.flash), "--allow-unsigned", "--buffer", "1024"]
    patience = Patience(reply_s=0.3, attempts=8)
    with (
        Simulator(options) as device,
        Client(device.address(), 1_000_000, patience) as client,
        Client(device.address("shell"), 1_000_000, patience) as other,
    ):
        chunks = 0

        def progress(_: object) -> None:
            nonlocal chunks
            chunks += 1
            if chunks == 12:
                other.reset()
                time.sleep(0.2)  # it happens a little after the reply

        outcome = Updater(client, progress).push(offer, permanent=True)
        assert outcome.sessions == 2
        assert outcome.sent > len(offer.data)
        assert client.model(0).running == outcome.slot


@pytest.mark.parametrize("way", ["in", "out"])
@pytest.mark.parametrize("name", ["drop", "flip a bit", "reorder with the next"])
def test_every_message_in_turn_suffers(name: str, way: str) -> None:
    done = list(uploads_to_simulator(name, way))
    assert len(done) > 10
    assert all(one.right for one in done)


def test_jobs(ota: Ota, packages: tuple[Path, Path]) -> None:
    one, _ = packages
    ota("push", one, "--permanent")
    image = DIGITS / "examples" / "7.png"
    device = ["--device", f"sim:{ota.flash}"]
    there = ranvier("run", one, "-i", image, *device, "--json")
    assert there.code == 0, there.both
    assert there.json["outputs"] == ranvier("run", one, "-i", image, "--json").json["outputs"]
    assert there.json["device_us"] > 0
    profile = ranvier("profile", one, "--runs", 3, *device, "--json")
    assert profile.code == 0, profile.both
    (model,) = profile.json["models"]
    assert (model["name"], model["completed"]) == ("digits", 3)
    assert all(step["runs"] == 3 for step in model["steps"])


def test_counters_and_selftest(ota: Ota, packages: tuple[Path, Path]) -> None:
    ota("push", packages[0], "--permanent")
    with Simulator(["--flash", str(ota.flash), "--allow-unsigned"]) as device:
        port = ["--port", device.address()]
        tested = ranvier("ota", "selftest", "digits", *port)
        assert (tested.code, tested.out) == (0, "digits: self-test passed\n")
        before = ranvier("ota", "lanes", *port, "--json").json["lanes"]
        image = DIGITS / "examples" / "7.png"
        for _ in range(3):
            ran = ranvier("run", packages[0], "-i", image, "--device", device.address())
            assert ran.code == 0, ran.both
        found = ranvier("ota", "lanes", *port, "--json").json
        done = [sum(lane["completed"] for lane in lanes) for lanes in (before, found["lanes"])]
        assert done[1] - done[0] == 3
        assert all(lane["failed"] == 0 for lane in found["lanes"])
        (model,) = (m for m in found["models"] if m["name"] == "digits")
        assert (model["completed"], model["jobs"]) == (3, 0)
        assert model["lanes"] == ["realtime", "normal", "best effort"]


def test_keys_and_a_trial_over_resets(tmp_path: Path) -> None:
    """A key is revoked for ever; a trial that nobody confirms is over after some starts."""
    keys = [new_key(), new_key()]
    pem = put(tmp_path, "keys.pem", b"".join(key.public.pem() for key in keys))
    signed = []
    for number, key in enumerate(keys):
        options = CompileOptions(version=(number + 1, 0, 0))
        data = compile_model(MODEL.read_bytes(), MODEL.name, options).package
        sealed = seal_package(data, "digits.rnv", key=key)
        signed.append(put(tmp_path, f"{number}.rnv", sealed))
    options = ["--flash", str(tmp_path / "flash"), "--keys", str(pem), "--trial-boots", "2"]
    with Simulator(options) as device:
        port = ["--port", device.address()]
        assert ranvier("ota", "push", signed[0], "--permanent", *port).code == 0
        assert ranvier("ota", "push", signed[1], *port).code == 0
        runs = [running(ranvier("ota", "list", *port, "--json"))]
        runs += [running(ranvier("ota", "reset", *port, "--json")) for _ in range(2)]
        assert runs == ["2.0.0", "2.0.0", "1.0.0"]
        key = f"{keys[1].public.key_id:08x}"
        revoked = ranvier("ota", "revoke", key, *port)
        assert revoked.code == 0, revoked.both
        assert "slot 1 of digits is signed with it" in revoked.out
        assert running(ranvier("ota", "reset", *port, "--json")) == "1.0.0"
        refused = ranvier("ota", "push", signed[1], *port)
        assert refused.code == 3
        assert f"is signed with key {key}, which the device has revoked" in refused.both
        last = ranvier("ota", "revoke", f"{keys[0].public.key_id:08x}", *port)
        assert "is the last key of the device" in last.both


def test_a_key_that_the_device_lacks(ota: Ota, packages: tuple[Path, Path], tmp_path: Path) -> None:
    """The version is there and does not run: neither way says to push it again."""
    key = new_key()
    pem = put(tmp_path, "key.pem", key.public.pem())
    sealed = seal_package(packages[0].read_bytes(), "digits.rnv", key=key)
    signed = put(tmp_path, "signed.rnv", sealed)
    assert ota("push", signed, "--permanent", options=f"--keys {pem}").code == 0
    image = DIGITS / "examples" / "7.png"
    ran = ranvier("run", signed, "-i", image, "--device", f"sim:{ota.flash}")
    for answer in (ran, ota("selftest", "digits")):
        assert answer.code == 3
        assert "the device runs no model named 'digits'" in answer.both
        assert f"signed with key {key.public.key_id:08x}, which the device does not" in answer.both
        assert "start a simulated device with --keys" in answer.both
    pushed = ota("push", signed)
    assert "try: use a firmware that has the key; start a simulated device with" in pushed.both


def test_a_flash_in_use(ota: Ota) -> None:
    with Simulator(["--flash", str(ota.flash)]) as device:
        assert device.address()
        answer = ota("list")
    assert answer.code == 3
    assert "another simulated device has it open" in answer.both
    assert "try: stop it, or use the --port that it prints\n" in answer.both


def running(answer: Answer) -> str | None:
    """The version of "digits" that runs."""
    assert answer.code == 0, answer.both
    (model,) = (m for m in answer.json["models"] if m["name"] == "digits")
    slot = model["running"]
    return None if slot is None else ".".join(map(str, model["slots"][slot]["version"]))


def test_shell(ota: Ota) -> None:
    sim = f"--sim={ota.flash}"
    assert ranvier("shell", sim, "-c", "version", "-c", "model list").code == 0
    assert ranvier("shell", sim, "-c", "nothing").code == 2


def test_wear_is_what_was_erased(ota: Ota, packages: tuple[Path, Path]) -> None:
    """By the flash's own count: the sectors of the slots that were filled, and the registry's."""
    for package in packages:
        assert ota("push", package, "--plain", "--permanent").code == 0
    wear = ota("list", "--wear", "--json").json["wear"]
    assert [one["erases"] for one in wear[:2]] == [1, 1]
    command = ("shell", f"--sim={ota.flash}", "-c", "flash status")
    found = re.search(r"flash: (\d+) erases", ranvier(*command).out)
    assert found is not None
    sectors = sum(-(-package.stat().st_size // 4096) for package in packages)
    assert sum(one["erases"] for one in wear[2:]) == int(found[1]) - sectors > 0
