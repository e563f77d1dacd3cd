# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Updates over a link with faults, resets, two clients, and what a device refuses."""

from __future__ import annotations

import hashlib
import os
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import cbor2
import pytest

from fake_link import PtyDevice, TcpDevice
from fake_smp_device import (
    BAD,
    EACCES,
    EBUSY,
    EIO,
    EMPTY,
    FAILED,
    GOOD,
    RECEIVING,
    REJECTED,
    VERIFYING,
    FakeDevice,
    FakeModel,
    Refused,
)
from link_faults import (
    BAUD,
    MESSAGE_FAULTS,
    PATIENCE,
    chunks,
    frames,
    new_device,
    offer,
    reset_at,
    stop_after,
    upload,
    uploads_of_dead_hosts,
    uploads_with,
    uploads_with_resets,
)
from packages import rich
from ranvier.device.client import Client, Patience
from ranvier.device.errors import DeviceError, NoAnswerError
from ranvier.device.offer import Offer, read_offer
from ranvier.device.update import Progress, Updater
from ranvier.errors import PackageError, RanvierError


@contextmanager
def updater_of(device: FakeDevice, **link: Any) -> Iterator[Updater]:
    with PtyDevice(device, **link) as port, Client(port.address, BAUD, PATIENCE) as client:
        yield Updater(client)


def model_of(device: FakeDevice) -> FakeModel:
    return device.models[0]


def other() -> Offer:
    """Another package of the same name."""
    data = bytearray(offer().data)
    data[40:42] = (9).to_bytes(2, "little")  # version 9.x
    data[-112:-80] = hashlib.sha256(data[:-112]).digest()
    data[-4:] = zlib.crc32(data[:-4]).to_bytes(4, "little")
    return read_offer(bytes(data), "other.rnv")


# --- faults: see link_faults.py --------------------------------------------------------------


@pytest.mark.parametrize("way", ["in", "out"])
@pytest.mark.parametrize("name", MESSAGE_FAULTS)
def test_every_message_in_turn_suffers(name: str, way: str) -> None:
    done = list(uploads_with(name, way))
    assert len(done) == frames()[way] > chunks()
    assert all(one.right for one in done)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_device_is_reset_at_every_chunk(after: bool) -> None:
    done = list(uploads_with_resets(after))
    assert len(done) == chunks() + 1
    assert all(one.right for one in done)
    assert [one.outcome.sessions for one in done] == [1] + [2] * chunks()


def test_an_upload_goes_on_at_the_last_whole_sector() -> None:
    """Not at the beginning: what is sent again is less than a sector, and a chunk."""
    for number, one in enumerate(uploads_with_resets(after=True)):
        again = one.outcome.sent - len(offer().data)
        assert 0 <= again < 1024 + 472, number


def test_a_dead_host_and_another_one_that_goes_on() -> None:
    done = list(uploads_of_dead_hosts())
    assert all(one.right and one.outcome.begun_at > 0 for one in done)
    assert all(one.outcome.begun_at + one.outcome.sent == len(offer().data) for one in done)


def test_another_s_upload_that_failed_is_not_taken_for_this_one() -> None:
    device = new_device()

    def take_over(write: bool, command: int, body: dict[str, Any]) -> bool:
        session = device.session
        if (write, command) == (False, 3) and session.phase == VERIFYING:
            session.phase, session.error, session.why, session.sha = FAILED, 13, 5, bytes(32)
        return False

    device.before = take_over
    with (
        updater_of(device) as updater,
        pytest.raises(DeviceError, match="another program has begun another upload"),
    ):
        updater.push(offer(), permanent=False)


def test_two_clients() -> None:
    """Another upload takes the device over: this one ends with a word, and does not mix in."""
    device = new_device()
    theirs = other()
    seen = 0

    def take_over(write: bool, command: int, body: dict[str, Any]) -> bool:
        nonlocal seen
        seen += (write, command) == (True, 2)
        if seen == 4:
            seen += 1
            begin = {"off": 0, "data": b"", "crc": 0, "m": theirs.name, "len": len(theirs.data)}
            begin |= {"sha": theirs.sha256, "hdr": theirs.header, "enc": 0, "slow": False}
            data = cbor2.dumps(begin)
            device.before = lambda *_: False
            device.handle(bytes((10, 0)) + len(data).to_bytes(2, "big") + b"\0\x52\0\2" + data)
        return False

    device.before = take_over
    with updater_of(device) as updater:
        with pytest.raises(DeviceError, match="another program has begun another upload"):
            updater.push(offer(), permanent=False)
        assert model_of(device).filling == b""
        updater.push(theirs, permanent=False)
        assert model_of(device).slots[0].data == theirs.data


# --- ports that go (case 36) -------------------------------------------------------------------


def test_the_port_is_unplugged_in_the_middle(tmp_path: Path) -> None:
    """One line says so; when it is there again, under the same name, the upload goes on."""
    device = new_device()
    port = tmp_path / "port"
    first, second = PtyDevice(device), PtyDevice(device)
    port.symlink_to(first.address)
    notes: list[str] = []

    def unplug(write: bool, command: int, body: dict[str, Any]) -> bool:
        if (write, command) != (True, 2) or body["off"] < 2000:
            return False
        device.before = lambda *_: False
        port.unlink()
        first.unplug()
        threading.Timer(0.3, lambda: port.symlink_to(second.address)).start()
        return True

    device.before = unplug
    with first, second, Client(str(port), BAUD, PATIENCE, note=notes.append) as client:
        outcome = Updater(client).push(offer(), permanent=False)
        assert client.counts.reconnects == 1
    assert model_of(device).slots[outcome.slot].data == offer().data
    assert notes[0].startswith(f"{port}: ")
    assert notes[0].endswith("waiting for it to come back")
    assert notes[1:] == [f"{port}: is back"]
    assert "\n" not in "".join(notes)


def test_a_port_that_does_not_come_back(tmp_path: Path) -> None:
    device = new_device()
    first = PtyDevice(device)

    def unplug(write: bool, command: int, body: dict[str, Any]) -> bool:
        first.unplug()
        return True

    device.before = unplug
    patience = Patience(reply_s=0.05, attempts=3, link_s=0.3)
    with first, Client(first.address, BAUD, patience) as client, pytest.raises(RanvierError) as e:
        Updater(client).push(offer(), permanent=False)
    assert "\n" not in e.value.message


def test_a_connection_that_is_lost_at_every_chunk() -> None:
    device = new_device()
    patience = Patience(reply_s=0.5, attempts=5, link_s=10.0)
    with TcpDevice(device) as port, Client(port.address, BAUD, patience) as client:
        lost: set[int] = set()

        def hang_up(write: bool, command: int, body: dict[str, Any]) -> bool:
            if (write, command) == (True, 2) and body["off"] not in lost:
                lost.add(body["off"])
                port.hang_up.set()
            return False

        device.after = hang_up
        outcome = Updater(client).push(offer(), permanent=None)
        assert client.counts.reconnects == len(lost) == chunks()
    assert model_of(device).slots[outcome.slot].data == offer().data


def test_a_second_program_reads_from_the_port() -> None:
    """It asked for no lock, and takes what comes for a while: nothing is lost."""
    device = new_device()
    stolen = 0
    with PtyDevice(device) as port, Client(port.address, BAUD, PATIENCE) as client:
        stop = threading.Event()

        def steal() -> None:
            nonlocal stolen
            thief = os.open(port.address, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
            while stolen < 120 and not stop.is_set():
                try:
                    stolen += len(os.read(thief, 20))
                except BlockingIOError:
                    time.sleep(0.0002)
            os.close(thief)

        thread = threading.Thread(target=steal, daemon=True)
        thread.start()
        outcome = Updater(client).push(offer(), permanent=False)
        stop.set()
        thread.join(10)
    assert model_of(device).slots[outcome.slot].data == offer().data


# --- the life of a model ---------------------------------------------------------------------


def test_trial_confirm_rollback_erase() -> None:
    device = new_device()
    model = model_of(device)
    with updater_of(device) as updater:
        client = updater.client
        first = updater.push(offer(), permanent=True)
        assert (first.what, first.slot, model.confirmed) == ("confirmed", 0, 0)
        second = updater.push(other(), permanent=False)
        assert (second.what, second.slot) == ("on trial", 1)
        assert (model.confirmed, model.trial_slot) == (0, 1)
        device.reset()
        updater.confirm(client.model(0))
        assert (model.confirmed, model.trial) == (1, 0)
        updater.rollback(client.model(0))
        assert model.confirmed == 0
        updater.activate(client.model(0), permanent=True)
        assert model.confirmed == 1
        updater.erase(client.model(0), 0)
        assert model.slots[0].state == EMPTY
        assert [slot.state for slot in model.slots] == [EMPTY, GOOD]


def test_a_rollback_ends_a_trial() -> None:
    device = new_device()
    with updater_of(device) as updater:
        updater.push(offer(), permanent=True)
        updater.push(other(), permanent=False)
        updater.rollback(updater.client.model(0))
    assert model_of(device).slots[1].state == REJECTED
    assert model_of(device).confirmed == 0


@pytest.mark.parametrize("command", [4, 5, 6, 7])
def test_decisions_are_not_taken_twice(command: int) -> None:
    """The reply is lost: a rollback that is sent again would go forth and back."""
    device = new_device()
    model = model_of(device)
    with updater_of(device) as updater:
        client = updater.client
        updater.push(offer(), permanent=True)
        updater.push(other(), permanent=True if command == 6 else None)
        if command == 5:
            updater.activate(client.model(0), permanent=False)
        lost = iter([True])
        device.after = lambda write, number, _: write and number == command and next(lost, False)
        before = device.executed.count((True, command))
        action = {
            4: lambda: updater.activate(client.model(0), permanent=True),
            5: lambda: updater.confirm(client.model(0)),
            6: lambda: updater.rollback(client.model(0)),
            7: lambda: updater.erase(client.model(0), 1),
        }[command]
        action()
        assert next(lost, None) is None
        assert device.executed.count((True, command)) == before + 1
    assert model.confirmed == {4: 1, 5: 1, 6: 0, 7: 0}[command]


def test_a_package_that_is_there_is_not_sent_again() -> None:
    device = new_device()
    with updater_of(device) as updater:
        updater.push(offer(), permanent=None)
        uploads = device.executed.count((True, 2))
        outcome = updater.push(offer(), permanent=False)
        assert (outcome.present, outcome.sent, outcome.what) == (True, 0, "on trial")
        again = updater.push(offer(), permanent=False)
        assert (again.present, again.what) == (True, "on trial")
        assert device.executed.count((True, 4)) == 1
        assert device.executed.count((True, 2)) == uploads


def test_resume_begins_nothing() -> None:
    device = new_device()
    with updater_of(device) as updater:
        with pytest.raises(DeviceError, match="no part of this upload"):
            updater.push(offer(), permanent=False, resume=True)
        assert (True, 2) not in device.executed
        stop_after(updater.client, 5)
        device.reset()
        outcome = updater.push(offer(), permanent=False, resume=True)
        assert outcome.begun_at == 2048
    assert model_of(device).slots[0].data == offer().data


def test_abort_forgets_the_upload() -> None:
    """Case 45: what an aborted update had erased is not good."""
    device = new_device()
    with updater_of(device) as updater:
        updater.push(offer(), permanent=True)
        stop_after(updater.client, 5, other())
        updater.abort()
        slot = model_of(device).slots[1]
        assert (slot.state, bytes(model_of(device).filling)) == (EMPTY, b"")
        with pytest.raises(DeviceError, match="no version to go back to"):
            updater.rollback(updater.client.model(0))


def test_progress_is_told_in_phases() -> None:
    told: list[Progress] = []
    device = new_device()
    device.verify_polls = 4
    with PtyDevice(device) as port, Client(port.address, BAUD, PATIENCE) as client:
        Updater(client, told.append).push(offer(), permanent=True)
    phases = [one.phase for one in told]
    assert list(dict.fromkeys(phases)) == ["write", "verify", "test"]
    written = [one.done for one in told if one.phase == "write"]
    assert written == sorted(written)
    assert (written[0], written[-1]) == (0, len(offer().data))
    assert all(one.total == len(offer().data) for one in told if one.phase == "write")


# --- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "package", "message"),
    [
        (FakeDevice(FakeModel("others")), offer(), "no place for a model named 'rich'"),
        (FakeDevice(FakeModel("rich", slot_bytes=4096)), offer(), "the slots of 'rich' have 4096"),
        (FakeDevice(FakeModel("rich", floor=5)), offer(), "security version 0, the device accepts"),
        (FakeDevice(FakeModel("rich"), read_only=True), offer(), "takes no updates"),
        (FakeDevice(FakeModel("rich"), unsigned=False), offer(), "is not signed"),
        (
            FakeDevice(FakeModel("rich"), unsigned=False, keys=[0xABCD]),
            replace(offer(), key=0x1234),
            "key 00001234, which the device does not have",
        ),
        (
            FakeDevice(FakeModel("rich"), unsigned=True, keys=[0xABCD]),
            replace(offer(), key=0x1234),
            "key 00001234, which the device does not have",
        ),
        (FakeDevice(FakeModel("rich"), revoked=[7]), replace(offer(), key=7), "has revoked"),
    ],
)
def test_what_is_sure_to_be_refused_is_not_begun(
    device: FakeDevice, package: Offer, message: str
) -> None:
    with updater_of(device) as updater:
        with pytest.raises(RanvierError, match=message) as caught:
            updater.push(package, permanent=False)
        assert caught.value.remedy
    assert (True, 2) not in device.executed


def test_an_instruction_set_that_is_slow_here() -> None:
    device = FakeDevice(FakeModel("rich"), isa=[1])
    with updater_of(device) as updater:
        with pytest.raises(PackageError, match="packed for generic, fast on the device is dsp"):
            updater.push(offer(), permanent=False)
        assert model_of(device).slots[0].fills == 0
        assert updater.push(offer(), permanent=False, slow=True).what == "on trial"


def test_ops_that_the_firmware_lacks() -> None:
    device = FakeDevice(FakeModel("rich"), isa=[], ops=bytes(32))
    code = min(offer().ops)
    with updater_of(device) as updater, pytest.raises(PackageError, match=rf"lacks ops {code}, "):
        updater.push(offer(), permanent=False)


def test_no_upload_during_a_trial() -> None:
    device = new_device()
    with updater_of(device) as updater:
        updater.push(offer(), permanent=False)
        with pytest.raises(DeviceError, match="on trial in slot 0: a new upload has to wait"):
            updater.push(other(), permanent=False)


def test_what_arrived_is_not_what_was_sent() -> None:
    device = new_device()

    def spoil(write: bool, command: int, body: dict[str, Any]) -> bool:
        if command == 3 and model_of(device).filling:
            model_of(device).filling[100] ^= 1
        return False

    device.before = spoil
    with updater_of(device) as updater:
        with pytest.raises(DeviceError, match="differs from its SHA-256") as caught:
            updater.push(offer(), permanent=False)
        assert caught.value.code == "EBADMSG"
        device.before = lambda *_: False
        assert updater.push(offer(), permanent=False).what == "on trial"


@pytest.mark.parametrize(("code", "name"), [(EACCES, "EACCES"), (EIO, "EIO")])
def test_a_refusal_in_the_middle_ends_the_upload(code: int, name: str) -> None:
    device = new_device()

    original = FakeDevice._upload

    def failing(body: dict[str, Any]) -> dict[str, Any]:
        if body["off"] > 1000:
            raise Refused(code)
        return original(device, body)

    device._HANDLERS = {**device._HANDLERS, (True, 2): lambda _, body: failing(body)}
    with updater_of(device) as updater, pytest.raises(DeviceError) as caught:
        updater.push(offer(), permanent=False)
    assert caught.value.code == name


def test_a_busy_device_is_waited_for() -> None:
    device = new_device()
    original = FakeDevice._upload
    busy = iter([True, False, True, True, False, True] + [False] * 99)

    def sometimes(body: dict[str, Any]) -> dict[str, Any]:
        if next(busy):
            raise Refused(EBUSY)
        return original(device, body)

    device._HANDLERS = {**device._HANDLERS, (True, 2): lambda _, body: sometimes(body)}
    with updater_of(device) as updater:
        assert updater.push(offer(), permanent=False).what == "on trial"


def test_a_device_that_always_asks_for_the_same_byte() -> None:
    device = new_device()
    original = FakeDevice._upload

    def stuck(body: dict[str, Any]) -> dict[str, Any]:
        reply = original(device, body)
        del model_of(device).filling[944:]
        return {"off": min(reply["off"], 944)}

    device._HANDLERS = {**device._HANDLERS, (True, 2): lambda _, body: stuck(body)}
    with (
        updater_of(device) as updater,
        pytest.raises(NoAnswerError, match="does not get beyond byte 944"),
    ):
        updater.push(offer(), permanent=False)


def test_a_device_that_forgets_again_and_again() -> None:
    device = new_device()

    def forget(write: bool, command: int, body: dict[str, Any]) -> bool:
        if (write, command) == (True, 2) and body["off"]:
            device.reset()
            model_of(device).filling.clear()
        return False

    device.before = forget
    with updater_of(device) as updater, pytest.raises(NoAnswerError, match="again and again"):
        updater.push(offer(), permanent=False)
    assert device.session.phase != RECEIVING


@pytest.mark.parametrize("cut", [0, 1, 100, 127, 128, 239, 240, 1000, -1])
def test_a_package_cut_short_is_refused_here(cut: int) -> None:
    data = rich().package[:cut]
    with pytest.raises(PackageError) as caught:
        read_offer(data, "cut.rnv")
    assert "cut.rnv" in caught.value.message


def test_bytes_behind_a_package_are_not_sent() -> None:
    assert read_offer(rich().package + b"more", "a.rnv").data == rich().package


def test_the_reset_of_a_test_is_one() -> None:
    """The fake device keeps whole sectors only, as the real store does."""
    device = new_device()
    reset_at(device, 4, after=True)
    assert upload(device).right
    assert device.resets == 1
    assert model_of(device).slots[0].state != BAD
