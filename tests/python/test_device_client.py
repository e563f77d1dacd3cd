# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Requests that get no reply, a late one, a refusal, or one of another protocol."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import ConfigDict
from smp import header as smpheader
from smp import message as smpmessage
from smpclient import SMPClient
from smpclient.requests.os_management import ResetWrite
from smpclient.transport.serial import BufferSize, SMPSerialTransport

from fake_link import PtyDevice, TcpDevice
from fake_smp_device import FakeDevice, FakeModel
from ranvier.cli.device import Console
from ranvier.cli.output import Output
from ranvier.device.client import Client, Patience
from ranvier.device.errors import DeviceError, LinkError, NoAnswerError, ReplyError
from ranvier.device.transport import open_link
from ranvier.device.wire import Command, Request

SHORT = Patience(reply_s=0.05, attempts=3, link_s=0.0)
BAUD = 1_000_000


@contextmanager
def client_of(device: FakeDevice, patience: Patience = SHORT, **link: Any) -> Iterator[Client]:
    with PtyDevice(device, **link) as port, Client(port.address, BAUD, patience) as client:
        yield client


@pytest.mark.parametrize("kind", [PtyDevice, TcpDevice])
def test_info_and_models(kind: type) -> None:
    device = FakeDevice(FakeModel("digits"), FakeModel("keywords", slot_bytes=4096))
    with kind(device) as port, Client(port.address, BAUD, SHORT) as client:
        info = client.info()
        assert (info.board, info.models, info.chunk) == ("fake", 2, device.chunk)
        assert [(m.place, m.name) for m in client.models()] == [(0, "digits"), (1, "keywords")]
        assert client.models()[1].slot_bytes == 4096


def test_udp() -> None:
    device = FakeDevice()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        server.settimeout(10)

        def serve() -> None:
            for number in range(3):
                data, host = server.recvfrom(2048)
                reply = device.handle(data)
                if number and reply is not None:  # the first one is lost
                    server.sendto(reply, host)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        with Client(f"udp:127.0.0.1:{server.getsockname()[1]}", patience=SHORT) as client:
            info = client.info()
            assert info.board == "fake"
            assert info.chunk == 1500 - 28 - 45  # in one datagram, not in fragments
            assert client.model(0).name == "digits"
            assert client.counts.retries == 1
        thread.join(10)


def test_text_of_the_device_is_passed_on() -> None:
    heard = bytearray()
    with (
        PtyDevice(FakeDevice(), console=b"[00] booted\r\n") as port,
        Client(port.address, BAUD, SHORT, text=heard.extend) as client,
    ):
        client.info()
    assert bytes(heard) == b"[00] booted\r\n"


def test_late_replies_of_requests_before_are_passed_over() -> None:
    """All replies come one request late, as after a time-out: each still gets its own."""
    late: list[bytes] = []

    def fault(way: str, number: int, data: bytes) -> list[bytes]:
        if way == "in":
            return [data]
        late.append(data)
        return [late.pop(0)] if len(late) > 1 else []

    models = [FakeModel(f"m{i}") for i in range(4)]
    with client_of(FakeDevice(*models), fault=fault) as client:
        assert [client.model(i).name for i in range(4)] == ["m0", "m1", "m2", "m3"]
        assert client.counts.stale > 0


def test_a_silent_device() -> None:
    device = FakeDevice()
    device.before = lambda *_: True
    with client_of(device) as client:
        with pytest.raises(NoAnswerError, match="does not answer") as caught:
            client.info()
        assert "baud" in str(caught.value.remedy)
        assert client.counts.retries == 2


def test_noise_instead_of_replies_is_said() -> None:
    def spoil(way: str, number: int, data: bytes) -> list[bytes]:
        return [data if way == "in" else data[:9] + b"~" + data[10:]]

    with (
        client_of(FakeDevice(), fault=spoil) as client,
        pytest.raises(NoAnswerError, match="damaged"),
    ):
        client.info()


def test_a_device_that_takes_no_bytes() -> None:
    """Nobody reads at the other end: the write ends by its time-out, not never."""
    master, slave = os.openpty()
    try:
        with Client(os.ttyname(slave), BAUD, SHORT) as client:
            request = Request(Command.RUN, {"data": bytes(12_000)}, write=True)
            with pytest.raises(NoAnswerError):
                client.call(request)
    finally:
        os.close(slave)
        os.close(master)


def test_another_device_with_smp() -> None:
    class Other(FakeDevice):
        def _answer(self, write: bool, group: int, command: int, body: dict[str, Any]) -> Any:
            return {"rc": 8}

    with client_of(Other()) as client, pytest.raises(ReplyError, match="has no Ranvier"):
        client.info()


@pytest.mark.parametrize("error", [{"err": {"group": 0, "rc": 8}}, {"rc": 3}, {"err": {"rc": 1}}])
def test_errors_of_smp_itself(error: dict[str, Any]) -> None:
    class Other(FakeDevice):
        def _answer(self, write: bool, group: int, command: int, body: dict[str, Any]) -> Any:
            return error

    with client_of(Other()) as client, pytest.raises((DeviceError, ReplyError)):
        client.update()


def test_a_refusal_names_its_code() -> None:
    with client_of(FakeDevice()) as client:
        with pytest.raises(DeviceError, match="'model': ENOENT") as caught:
            client.model(9)
        assert caught.value.code == "ENOENT"


def test_a_read_only_device() -> None:
    with client_of(FakeDevice(read_only=True)) as client:
        with pytest.raises(DeviceError, match="read-only") as caught:
            client.call(Request(Command.ABORT, write=True))
        assert caught.value.code == "ENOTSUP"


def test_once_means_once() -> None:
    """The reply is lost, the request was executed: it is not sent again."""
    device = FakeDevice()
    device.after = lambda write, command, body: write
    with client_of(device) as client:
        asked = []

        def happened() -> bool:
            asked.append(client.info().models)
            return True

        assert client.call_once(Request(Command.ABORT, write=True), happened) is None
    assert asked == [1]
    assert device.executed.count((True, Command.ABORT)) == 1


def test_once_is_sent_again_where_it_did_not_arrive() -> None:
    device = FakeDevice()
    lost = iter([True])
    device.before = lambda write, command, body: write and next(lost, False)
    with client_of(device) as client:
        assert client.call_once(Request(Command.ABORT, write=True), lambda: False) == {}
    assert device.executed.count((True, Command.ABORT)) == 1


def test_reset_is_the_standard_one() -> None:
    device = FakeDevice()
    with client_of(device) as client:
        client.reset()
    assert device.resets == 1


# Ports


def test_a_port_is_for_one_program() -> None:
    with PtyDevice(FakeDevice()) as port, Client(port.address, BAUD, SHORT) as client:
        client.info()
        with pytest.raises(LinkError, match="in use by another program"):
            open_link(port.address)
        client.info()


def test_a_port_is_free_again_afterwards() -> None:
    with PtyDevice(FakeDevice()) as port:
        for _ in range(3):
            with Client(port.address, BAUD, SHORT) as client:
                client.info()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/dev/no-such-port", "there is no such port"),
        ("/dev/null", "is not a serial port"),
        ("/", "cannot be opened: Is a directory"),
        ("tcp:localhost", "is not an address"),
        ("tcp:localhost:http", "is not an address"),
        ("tcp:127.0.0.1:99999", "is not an address"),
        ("udp:", "is not an address"),
        ("", "there is no such port"),
    ],
)
def test_addresses_that_lead_nowhere(address: str, message: str) -> None:
    with pytest.raises(LinkError, match=message) as caught:
        open_link(address)
    assert caught.value.remedy
    assert "\n" not in caught.value.message


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(LinkError, match="no connection: Connection refused"):
        open_link(f"tcp:127.0.0.1:{port}")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every port")
def test_a_port_of_others(tmp_path: Path) -> None:
    path = tmp_path / "port"
    path.touch(0)
    with pytest.raises(LinkError, match="may not be opened by you"):
        open_link(str(path))


def test_a_partner_that_hangs_up_at_once() -> None:
    """Something else listens there: an end, not a loop."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        stop = threading.Event()

        def hang_up() -> None:
            while not stop.is_set():
                server.accept()[0].close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        address = f"tcp:127.0.0.1:{server.getsockname()[1]}"
        notes: list[str] = []
        patience = Patience(reply_s=0.05, attempts=3, link_s=1.0)
        client = Client(address, patience=patience, note=notes.append)
        with client, pytest.raises(LinkError):
            client.info()
        assert any("waiting for it to come back" in note for note in notes)
        stop.set()
        open_link(address).close()
        thread.join(10)


def test_a_link_that_breaks_comes_back() -> None:
    notes: list[str] = []
    patience = Patience(reply_s=0.2, attempts=5, link_s=10.0)
    with (
        TcpDevice(FakeDevice()) as port,
        Client(port.address, patience=patience, note=notes.append) as client,
    ):
        client.info()
        port.hang_up.set()
        assert client.info().board == "fake"
        assert client.counts.reconnects >= 1
        assert port.connections >= 2
    assert notes[0].startswith(f"{port.address}: the connection is gone")
    assert notes[1] == f"{port.address}: is back"


# Others' clients


class ModelRead(smpmessage.ReadRequest):
    _GROUP_ID = 82
    _COMMAND_ID = 1
    i: int


class ModelReply(smpmessage.ReadResponse):
    model_config = ConfigDict(extra="allow", frozen=True)
    _GROUP_ID = 82
    _COMMAND_ID = 1
    n: str


def test_smpclient_talks_to_the_device_of_these_tests() -> None:
    """The device that stands for the real one in these tests speaks SMP as others know it."""

    class Model(ModelRead):
        _Response = ModelReply
        _ErrorV1 = ResetWrite._ErrorV1
        _ErrorV2 = ResetWrite._ErrorV2

    async def talk(address: str) -> tuple[Any, Any]:
        transport = SMPSerialTransport(BufferSize(4096))
        await transport.connect(address, 5.0)
        client = SMPClient(transport, address, 5.0)
        try:
            return await client.request(ResetWrite()), await client.request(Model(i=0))
        finally:
            await client.disconnect()

    device = FakeDevice(FakeModel("digits"))
    with PtyDevice(device) as port:
        reset, model = asyncio.run(talk(port.address))
    assert reset.header.op == smpheader.OP.WRITE_RSP
    assert device.resets == 1
    assert model.n == "digits"


def test_udp_to_a_closed_port_is_told_once() -> None:
    """Not also by the logger of the transport, on standard error."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = (
        "from ranvier.device.client import Client, Patience\n"
        "from ranvier.device.errors import NoAnswerError\n"
        "try:\n"
        f"    Client('udp:127.0.0.1:{port}', patience=Patience(0.1, 3, 0.0)).info()\n"
        "except NoAnswerError as error:\n"
        "    print(error.message, error.remedy, sep='; ')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    message, remedy = done.stdout.rstrip("\n").split("; ")
    assert message == f"udp:127.0.0.1:{port}: the device does not answer"
    assert remedy == "check that it runs Ranvier with SMP on this port"  # it has no baud rate
    assert done.stderr == ""


def test_what_a_device_prints_is_shown_within_limits() -> None:
    said: list[str] = []
    console = Console(Output("ota", as_json=False, quiet=False), said.append)
    console.text(b"short\n")
    for _ in range(2000):  # a line without an end
        console.text(b"x" * 1000)
    console.text(b"\n")
    assert said[0].endswith("device: short\x1b[0m")
    assert "x" * 400 + "..." in said[1]
    assert "x" * 401 not in said[1]
    console.text((b"y" * 100 + b"\n") * 10_000)
    assert sum(map(len, said)) < 1 << 20
    assert "is not shown" in said[-1]
    assert sum("is not shown" in line for line in said) == 1
    console.note("the port is gone")
    assert said[-1] == "the port is gone"
