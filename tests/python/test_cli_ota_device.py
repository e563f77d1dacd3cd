# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier ota lanes``, ``selftest``, ``revoke`` and ``reset``."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli_tools import lines, put, ranvier
from fake_smp_device import ENOENT, GOOD, FakeDevice, FakeModel, Refused
from packages import rich
from ranvier.device import client as client_module
from ranvier.device import wire
from ranvier.device.errors import ReplyError
from test_cli_ota import new_device, on

FAILED = "rich: self-test FAILED: its outputs are not those that it must have (EBADMSG)\n"
A, B = 0x0000CAFE, 0xBEEF0001


def test_lanes() -> None:
    device = FakeDevice(FakeModel("digits"), FakeModel("others"))
    with on(device) as ota:
        answer = ota("lanes")
        value = ota("lanes", "--json").json
    assert answer.code == 0
    header = lines(answer.out, "lane")[0]
    row = lines(answer.out, "normal")[0]
    assert row.split()[:4] == ["normal", "-", "7,001", "-"]  # it tells no other counter
    assert header.split()[:3] == ["lane", "submitted", "completed"]
    assert lines(answer.out, "digits")[0].split()[1:] == ["0", "0", "0", "realtime,", "normal"]
    assert value["lanes"] == [
        {"name": "realtime", "completed": 7000},
        {"name": "normal", "completed": 7001},
    ]
    assert [model["name"] for model in value["models"]] == ["digits", "others"]
    assert value["models"][0]["lanes"] == ["realtime", "normal"]


@pytest.mark.parametrize(
    "body", [{"lanes": 1}, {"n": "a"}, {"n": "a", "lanes": 1, "missed": -1}, {"n": 1, "lanes": 1}]
)
def test_a_lane_that_is_none(body: dict[str, object]) -> None:
    with pytest.raises(ReplyError, match="reply to 'lane' is not understood"):
        wire.Lane.read(body)


def test_selftest() -> None:
    device = new_device()
    with on(device) as ota:
        passed = ota("selftest")
        assert (passed.code, passed.out) == (0, "rich: self-test passed\n")
        assert ota("selftest", "rich", "--json").json["passed"] is True
        device.tested = -74
        failed = ota("selftest", "rich")
        assert (failed.code, failed.out) == (1, FAILED)
        value = ota("selftest", "--json").json
        assert (value["passed"], value["code"]) == (False, "EBADMSG")
        assert "no place for a model named 'others'" in ota("selftest", "others").both


@pytest.mark.parametrize("key", [0, A, B])
def test_selftest_of_what_does_not_run(key: int) -> None:
    """Nothing is there, or a version whose key the device does not have."""

    def refuse(_: FakeDevice, body: dict[str, object]) -> dict[str, object]:
        raise Refused(ENOENT)

    def get_model(device: FakeDevice, body: dict[str, object]) -> dict[str, object]:
        reply = FakeDevice._get_model(device, body)
        held = {"state": GOOD, "bytes": 1, "version": [1, 2, 3], "key": key}
        return {**reply, "slots": [*reply["slots"][:1], held]} if key else reply

    device = new_device(keys=[A])
    device._HANDLERS = {**device._HANDLERS, (True, 12): refuse, (False, 1): get_model}
    with on(device) as ota:
        answer = ota("selftest")
    assert answer.code == 3
    assert "error: the device runs no model named 'rich'\n" in answer.both
    if key == B:
        assert "try: slot 1 has a version of it, signed with key beef0001, which" in answer.both
        assert "--keys" in answer.both
    else:
        assert "try: ranvier ota push PACKAGE\n" in answer.both


def test_revoke(tmp_path: Path) -> None:
    package = put(tmp_path, "rich.rnv", rich().package)
    device = new_device(keys=[A, B])
    with on(device) as ota:
        ota("push", package, "--permanent")
        answer = ota("revoke", "beef0001")
        assert (answer.code, answer.out) == (0, "key beef0001 is revoked\n")
        again = ota("revoke", "0xBEEF0001", "--json")
        assert again.json["revoked"] == ["beef0001"]
        assert device.info["revoked"] == [B]
        last = ota("revoke", f"{A:08x}")
        assert last.code == 3
        assert "0000cafe is the last key of the device" in last.both
        unknown = ota("revoke", "1234")
        assert unknown.code == 3
        assert "the device has no key 00001234" in unknown.both
        assert "its keys are 0000cafe, beef0001" in unknown.both
        device.info["keys"], device.info["revoked"] = [A, B], list(range(100, 108))
        assert "as many keys as it can remember" in ota("revoke", f"{A:08x}").both


@pytest.mark.parametrize("text", ["", "0", "key", "-1", "100000000"])
def test_what_is_no_key(text: str) -> None:
    answer = ranvier("ota", "revoke", "--port", "p", "--", text)
    assert answer.code == 2
    assert "is not the id of a key" in answer.both


def test_a_read_only_device_revokes_nothing() -> None:
    with on(new_device(keys=[A, B], read_only=True)) as ota:
        answer = ota("revoke", f"{A:08x}")
    assert answer.code == 3
    assert "the device refuses 'revoke': it is read-only" in answer.both


def test_a_read_only_device_confirms_nothing() -> None:
    with on(new_device(read_only=True)) as ota:
        answer = ota("confirm")
    assert answer.code == 3
    assert "the device is read-only" in answer.both
    assert "on trial" not in answer.both


def test_reset_waits_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "_RESET_S", 0.01)
    device = new_device()
    silent = 0

    def starting(write: bool, command: int, body: dict[str, object]) -> bool:
        """After a reset it does not hear the first requests."""
        nonlocal silent
        silent += device.resets > 0
        return device.resets > 0 and silent <= 2

    device.before = starting
    with on(device) as ota:
        answer = ota("reset")
    assert answer.code == 0, answer.both
    assert device.resets == 1
    assert silent > 2
    assert answer.out.startswith("the device is back\nfake, ranvier fake 1;")
    assert lines(answer.out, "rich ")


def test_wear() -> None:
    device = FakeDevice(FakeModel("rich"), FakeModel("others"), erases=[40, 38])
    device.models[0].slots[0].fills, device.models[0].slots[1].fills = 30, 9
    with on(device) as ota:
        answer = ota("list", "--wear", "2")
        value = ota("list", "--json", "--wear").json
        assert "wear" not in ota("list", "--json").json
    table = answer.out[answer.out.index("sectors for 10,000 erases, updates a day: 2\n") :]
    assert [line.split() for line in table.splitlines()[2:]] == [
        ["rich,", "slot", "0", "30", "0.50", "27.3"],  # 9,970 days
        ["rich,", "slot", "1", "9", "0.50", "27.4"],
        ["registry,", "sector", "0", "40", "1.00", "13.6"],  # 78 / 2 for 39 updates
        ["registry,", "sector", "1", "38", "1.00", "13.6"],
    ]
    assert (value["endurance"], value["updates_a_day"]) == (10_000, 1)
    assert value["wear"][2] == {
        "part": "registry, sector 0",
        "erases": 40,
        "an_update": 1,
        "years": pytest.approx(9960 / 365.25),
    }


def test_wear_of_what_is_worn_out_and_of_what_is_not_known() -> None:
    device = new_device()
    with on(device) as ota:
        none = ota("list", "--wear", "1").out
        device.info["erases"] = [1, 0]
        fresh = ota("list", "--wear", "1", "--json").json["wear"]
        device.models[0].slots[1].fills = 10_001
        worn = ota("list", "--wear", "1", "--json").json["wear"]
        assert ota("list", "--wear", "0").code == 2
    assert none.endswith("the device does not tell how often its registry was erased\n")
    assert [(one["an_update"], one["years"]) for one in fresh] == [(None, None)] * 2
    assert [(one["erases"], one["years"]) for one in worn[:2]] == [
        (0, pytest.approx(20_000 / 365.25)),
        (10_001, 0),
    ]
