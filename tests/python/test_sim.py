# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier-sim``: a real process, by smpclient as any other client would, and by raw frames."""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import os
import re
import signal
import socket
import struct
import subprocess
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cbor2
import pytest
from smp import error as smp_error
from smp import message as smp_message
from smpclient import SMPClient
from smpclient.requests.os_management import EchoWrite, MCUMgrParametersRead, ResetWrite
from smpclient.transport.serial import SMPSerialTransport

from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.device.client import Client, Patience
from ranvier.device.errors import DeviceError, LinkError
from ranvier.device.offer import read_offer
from ranvier.device.simulator import find_simulator
from ranvier.device.update import Updater
from ranvier.errors import ToolError
from ranvier.package.signing import new_key, seal_package

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits" / "digits.tflite"
WAIT_S = 30.0
GROUP = 82
READ, WRITE = 0, 2

try:
    PROGRAM = find_simulator()
except ToolError as missing:
    pytest.skip(missing.message, allow_module_level=True)


class Device:
    """A running ``ranvier-sim``: where it is, and what it says."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [PROGRAM, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.said: list[str] = []
        assert self.process.stdout is not None
        self.found: dict[str, str] = {}
        for line in self.process.stdout:
            self.said.append(line.rstrip())
            if found := re.match(r"(smp|shell): (?:pty|tcp) (\S+)$", line):
                self.found[found.group(1)] = found.group(2)
                if "shell" in self.found:
                    break

    def __enter__(self) -> Device:
        assert "shell" in self.found, self.said
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.end()

    def end(self) -> int:
        """Its exit code, when it has ended."""
        try:
            out, _ = self.process.communicate(timeout=WAIT_S)
            self.said += out.splitlines()
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode

    @property
    def address(self) -> str:
        return f"tcp:127.0.0.1:{self.found['smp']}"


class Line:
    """A TCP connection: frames and text by hand."""

    def __init__(self, device: Device, of: str = "smp") -> None:
        self.socket = socket.create_connection(("127.0.0.1", int(device.found[of])), WAIT_S)
        self.socket.settimeout(WAIT_S)
        self.pending = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def lines(self) -> Iterator[bytes]:
        while True:
            while b"\n" in self.pending:
                line, self.pending = self.pending.split(b"\n", 1)
                yield line
            data = self.socket.recv(4096)
            if not data:
                return
            self.pending += data

    def until(self, text: bytes) -> bytes:
        """What comes up to this text."""
        seen = self.pending
        while text not in seen:
            data = self.socket.recv(4096)
            assert data, seen
            seen += data
        end = seen.index(text) + len(text)
        self.pending = seen[end:]
        return seen[:end]

    def message(self) -> tuple[bytes, Any]:
        """The next message: its header and map."""
        body = b""
        for line in self.lines():
            if line.startswith((b"\x06\x09", b"\x04\x14")):
                assert len(line) < 127
                body += base64.b64decode(line[2:])
                (length,) = struct.unpack_from(">H", body)
                if len(body) >= length + 2:
                    break
        assert len(body) == length + 2
        assert binascii.crc_hqx(body[2:], 0) == 0
        return body[2:10], cbor2.loads(body[10:-2])


def frame(message: bytes) -> bytes:
    body = struct.pack(">H", len(message) + 2) + message
    body += struct.pack(">H", binascii.crc_hqx(message, 0))
    lines = [body[at : at + 93] for at in range(0, len(body), 93)]
    starts = [b"\x06\x09"] + [b"\x04\x14"] * (len(lines) - 1)
    return b"".join(
        start + base64.b64encode(line) + b"\n" for start, line in zip(starts, lines, strict=True)
    )


def message(
    op: int, group: int, command: int, body: Any, *, version: int = 1, seq: int = 7
) -> bytes:
    data = cbor2.dumps(body)
    return struct.pack(">BBHHBB", op | version << 3, 0, len(data), group, seq, command) + data


def ask(line: Line, *args: Any, **kwargs: Any) -> Any:
    """A request and its reply's map."""
    line.send(frame(message(*args, **kwargs)))
    return line.message()[1]


@pytest.fixture
def flash(tmp_path: Path) -> str:
    return str(tmp_path / "flash")


@pytest.fixture
def device(flash: str) -> Iterator[Device]:
    with Device("--flash", flash, "--tcp", "0", "--allow-unsigned") as started:
        yield started


@pytest.fixture(scope="module")
def digits() -> bytes:
    return compile_model(
        DIGITS.read_bytes(), "digits.tflite", CompileOptions(name="digits")
    ).package


def push(address: str, package: bytes, permanent: bool = True) -> None:
    with Client(address) as client:
        Updater(client).push(read_offer(package, "digits.rnv"), permanent=permanent)


def upload_by_hand(line: Line, package: bytes) -> Any:
    """Bring a package, without activating it; the update's state in the end."""
    first = {"off": 0, "m": "digits", "len": len(package), "hdr": package[:128]}
    first["sha"] = hashlib.sha256(package).digest()
    offset = ask(line, WRITE, GROUP, 2, first)["off"]
    while offset < len(package):
        data = package[offset : offset + 1000]
        body = {"off": offset, "data": data, "crc": zlib.crc32(data)}
        assert ask(line, WRITE, GROUP, 2, body) == {"off": offset + len(data)}
        offset += len(data)
    deadline = time.monotonic() + WAIT_S
    while (update := ask(line, READ, GROUP, 3, {}))["phase"] < 4:
        assert time.monotonic() < deadline
    return update


# --- as any standard client ----------------------------------------------------------------------


class InfoRead(smp_message.ReadRequest):
    """What such a client needs to know of a group that it does not have."""

    _GROUP_ID = GROUP
    _COMMAND_ID = 0

    class _Response(smp_message.ReadResponse):
        model_config = smp_message.ConfigDict(extra="allow", frozen=True)
        version: Any = None  # smp has a member of this name
        RESPONSE_TYPE = smp_message.ResponseType.SUCCESS
        _GROUP_ID = GROUP
        _COMMAND_ID = 0
        board: str
        models: int

    class _ErrorV1(smp_error.ErrorV1):
        _GROUP_ID = GROUP

    class _ErrorV2(smp_error.ErrorV2[int]):
        _GROUP_ID = GROUP


class NoSuchGroup(InfoRead):
    """Group 99, which the device does not have."""

    _GROUP_ID = 99

    class _Response(InfoRead._Response):
        _GROUP_ID = 99

    class _ErrorV1(smp_error.ErrorV1):
        _GROUP_ID = 99

    class _ErrorV2(smp_error.ErrorV2[int]):
        _GROUP_ID = 99


def test_smpclient_on_a_pseudo_terminal(flash: str) -> None:
    async def talk(path: str) -> None:
        async with SMPClient(SMPSerialTransport(), path, timeout_s=WAIT_S) as client:
            echo = await client.request(EchoWrite(d="Grüße " * 100))
            assert echo.r == "Grüße " * 100
            parameters = await client.request(MCUMgrParametersRead())
            assert (parameters.buf_size, parameters.buf_count) == (4096, 1)
            info = await client.request(InfoRead())
            assert (info.board, info.models) == ("ranvier-sim", 7)
            refused = await client.request(NoSuchGroup())
            assert refused.rc == 8
            await client.request(ResetWrite())
        for _ in range(100):  # the terminal stays; a request that is lost in the reset is not
            try:
                async with SMPClient(SMPSerialTransport(), path, timeout_s=0.5) as client:
                    assert (await client.request(EchoWrite(d="back"))).r == "back"
                    return
            except TimeoutError:
                continue
        pytest.fail("it does not come back")

    with Device("--flash", flash, "--pty") as device:
        asyncio.run(talk(device.found["smp"]))
    assert len([line for line in device.said if line.startswith("smp: ")]) == 2


# --- by hand -------------------------------------------------------------------------------------


def test_headers_of_replies(device: Device) -> None:
    line = Line(device)
    for version in (0, 1):
        for op, group, command in ((WRITE, 0, 0), (READ, 0, 6), (READ, GROUP, 0)):
            sent = message(op, group, command, {"d": "x"}, version=version, seq=200)
            line.send(frame(sent))
            header, body = line.message()
            expected = struct.pack(">BBHHBB", op + 1 | version << 3, 0, 0, group, 200, command)
            assert header[:2] + header[4:] == expected[:2] + expected[4:]
            assert "rc" not in body


@pytest.mark.parametrize(
    ("request_", "v1", "v2"),
    [
        ((READ, GROUP, 1, {"i": 99}), {"rc": 1}, {"err": {"group": GROUP, "rc": 2}}),
        ((READ, GROUP, 1, {"i": "x"}), {"rc": 1}, {"err": {"group": GROUP, "rc": 22}}),
        ((READ, GROUP, 1, [1]), {"rc": 1}, {"err": {"group": GROUP, "rc": 22}}),
        ((READ, GROUP, 200, {}), {"rc": 8}, {"rc": 8}),
        ((WRITE, GROUP, 0, {}), {"rc": 8}, {"rc": 8}),
        ((READ, 1, 0, {}), {"rc": 8}, {"rc": 8}),
        ((READ, 0, 2, {}), {"rc": 8}, {"rc": 8}),
        ((WRITE, 0, 0, {"d": 5}), {"rc": 3}, {"rc": 3}),
        ((WRITE, 0, 0, {"d": "x", "e": {}}), {"rc": 3}, {"rc": 3}),
        ((WRITE, 0, 0, {"d": "x" * 4082}), {"rc": 7}, {"rc": 7}),
    ],
)
def test_errors_of_both_versions(device: Device, request_: Any, v1: Any, v2: Any) -> None:
    line = Line(device)
    assert ask(line, *request_, version=0) == v1
    assert ask(line, *request_, version=1) == v2
    assert ask(line, *request_, version=2) == {"rc": 13}


def test_messages_that_are_none(device: Device) -> None:
    line = Line(device)
    good = message(WRITE, 0, 0, {"d": "x"})
    line.send(frame(good[:7]))  # no header
    line.send(frame(b""))
    line.send(frame(bytes([good[0] | 1]) + good[1:]))  # a reply: whatever is behind it stays silent
    line.send(frame(good[:2] + b"\x01\x00" + good[4:]))  # shorter than it says
    assert line.message()[1] == {"rc": 9}
    line.send(frame(good)[:-3] + b"\n")  # damaged
    line.send(frame(message(WRITE, 0, 0, {"d": "y" * 5000})))  # longer than the buffer
    assert ask(line, WRITE, 0, 0, {"d": "z"}) == {"r": "z"}


def test_the_longest_message(device: Device) -> None:
    line = Line(device)
    text = "x" * (4096 - 8 - 6)
    assert len(message(WRITE, 0, 0, {"d": text})) == 4096
    # The reply's map has an end mark: a byte more.
    assert ask(line, WRITE, 0, 0, {"d": text}) == {"rc": 7}
    assert ask(line, WRITE, 0, 0, {"d": text[:-1]}) == {"r": text[:-1]}


def test_text_and_frames_on_one_line(device: Device) -> None:
    line = Line(device)
    line.send(b"vers" + frame(message(WRITE, 0, 0, {"d": "x"})) + b"version\n")
    assert line.message()[1] == {"r": "x"}
    assert b"Ranvier 0." in line.until(b"ranvier:~$ ")
    line.send(b"\n")
    line.until(b"ranvier:~$ ")
    assert ask(line, WRITE, 0, 0, {"d": "y"}) == {"r": "y"}


def test_shell(device: Device, digits: bytes) -> None:
    push(device.address, digits)
    line = Line(device, "shell")

    def run(command: bytes) -> bytes:
        line.send(command + b"\r\n")
        return line.until(b"ranvier:~$ ")

    assert b"job run MODEL" in run(b"help")
    assert b"slot 0: good, version 1.0.0" in run(b"ranvier model list")
    out = run(b"job run digits normal --seed 3")
    assert (crc := re.search(rb"outputs crc (0x[0-9a-f]{8}); top-1 \d", out)) is not None
    assert crc.group(1) in run(b"job run digits realtime --seed 3")
    assert b"completed 1" in run(b"lane normal")
    assert b"error: -2" in run(b"job run nothing")
    assert run(b"retval").splitlines()[-2] == b"-2"
    assert b"error: -22" in run(b"lane nowhere")
    assert b"0" in run(b"version") + run(b"retval")
    assert b"registry: generation 1" in run(b"store statusX\x7f")
    assert b"BROKEN RULES" not in run(b"flash status")


def test_a_second_host_is_sent_away(device: Device) -> None:
    first = Line(device)
    assert ask(first, WRITE, 0, 0, {"d": "x"}) == {"r": "x"}
    second = Line(device)
    assert second.socket.recv(1) == b""
    assert ask(first, WRITE, 0, 0, {"d": "y"}) == {"r": "y"}
    first.socket.close()
    deadline = time.monotonic() + WAIT_S
    while True:  # until the device has seen that
        try:
            assert ask(Line(device), WRITE, 0, 0, {"d": "z"}) == {"r": "z"}
            break
        except (OSError, AssertionError):
            assert time.monotonic() < deadline


def test_hosts_one_after_the_other(device: Device) -> None:
    """Each is served, however soon it comes after the one before has gone."""
    for number in range(100):
        line = Line(device)
        assert ask(line, WRITE, 0, 0, {"d": str(number)}) == {"r": str(number)}
        line.socket.close()


# --- a device's life -----------------------------------------------------------------------------


def test_an_update_survives_a_reset_and_a_restart(
    flash: str, device: Device, digits: bytes
) -> None:
    push(device.address, digits, permanent=False)
    with Client(device.address) as client:
        client.reset()
        deadline = time.monotonic() + WAIT_S
        while (model := client.model(0)).tries == 1:  # it is answered before the reset comes
            assert time.monotonic() < deadline
        assert (model.trial_slot, model.running, model.tries) == (0, 0, 2)
        Updater(client).confirm(model)
    device.process.terminate()
    assert device.end() == 0
    with Device("--flash", flash, "--tcp", "0") as again, Client(again.address) as client:
        assert client.model(0).confirmed == 0
        assert client.model(0).running == 3  # unsigned, and that was not allowed this time


@pytest.mark.parametrize("seed", range(4))
def test_power_cuts(flash: str, digits: bytes, seed: int) -> None:
    cut = 3 + 4 * seed
    options = ("--flash", flash, "--tcp", "0", "--allow-unsigned")
    with Device(*options, "--cut", str(cut), "--seed", str(seed)) as device:
        with Client(device.address, patience=Patience(link_s=0.0)) as client:
            updater = Updater(client)
            with pytest.raises(LinkError):
                updater.push(read_offer(digits, "digits.rnv"), permanent=True)
        assert device.end() == 70
        assert f"the power is cut, in operation {cut} of the flash" in device.said
    with Device(*options) as device:
        push(device.address, digits)
        with Client(device.address) as client:
            assert client.model(0).running == client.model(0).confirmed
        line = Line(device, "shell")
        line.send(b"flash status\n")
        status = line.until(b"ranvier:~$ ")
        assert b"1 power cuts" in status
        assert b"BROKEN RULES" not in status


def test_a_scripted_fault(flash: str, digits: bytes) -> None:
    options = ("--flash", flash, "--tcp", "0", "--allow-unsigned", "--fault", "8:fail:bits:0")
    with Device(*options) as device, Client(device.address) as client:
        with pytest.raises(DeviceError) as caught:
            Updater(client).push(read_offer(digits, "digits.rnv"), permanent=True)
        assert caught.value.code == "EIO"
        Updater(client).push(read_offer(digits, "digits.rnv"), permanent=True)
        assert client.model(0).running != 3


def test_keys(tmp_path: Path, flash: str, digits: bytes) -> None:
    keys = [new_key(), new_key()]
    public = tmp_path / "keys.pem"
    public.write_bytes(b"".join(key.public.pem() for key in keys))
    other = seal_package(digits, "digits.rnv", key=new_key())
    with Device("--flash", flash, "--tcp", "0", "--keys", str(public)) as device:
        line = Line(device)
        info = ask(line, READ, GROUP, 0, {})
        assert info["keys"] == [key.public.key_id for key in keys]
        assert info["unsigned"] is False
        for package, why in ((digits, 4), (other, 5)):
            update = upload_by_hand(line, package)
            assert (update["phase"], update["error"], update["why"]) == (7, -13, why)
        line.socket.close()
        for key in keys:
            push(device.address, seal_package(digits, "digits.rnv", key=key))
        with Client(device.address) as client:
            assert client.model(0).slots[client.model(0).running].key == keys[1].public.key_id


@pytest.mark.parametrize("baud", ["115200", "1000000"])
def test_a_paced_line(flash: str, baud: str) -> None:
    with Device("--flash", flash, "--tcp", "0", "--baud", baud) as device:
        line = Line(device)
        assert ask(line, WRITE, 0, 0, {"d": "x" * 300}) == {"r": "x" * 300}
        line.send(b"version\n")
        line.until(b"ranvier:~$ ")


def test_standard_input_and_output(flash: str) -> None:
    sent = b"version\n" + frame(message(WRITE, 0, 0, {"d": "x"})) + b"nothing\n"
    done = subprocess.run(
        [PROGRAM, "--flash", flash, "--stdio"], input=sent, capture_output=True, timeout=WAIT_S
    )
    assert done.returncode == 0
    assert b"Ranvier 0." in done.stdout
    assert b"error: -2" in done.stdout
    assert any(line.startswith(b"\x06\x09") for line in done.stdout.split(b"\n"))
    assert b"7 models" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_end_it(flash: str, number: int) -> None:
    with Device("--flash", flash, "--pty") as device:
        os.kill(device.process.pid, number)
        assert device.end() == 0


# --- what is wrong with its options --------------------------------------------------------------


def refusal(*options: str, code: int = 3) -> str:
    done = subprocess.run(
        [PROGRAM, *options], capture_output=True, text=True, timeout=WAIT_S, check=False
    )
    assert done.returncode == code, done.stderr
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def test_wrong_options(flash: str) -> None:
    for options in (
        [],
        ["--flash", flash, "--tcp", "65536"],
        ["--flash", flash, "--baud", "x"],
        ["--flash", flash, "--isa", "dsp,avx"],
        ["--flash", flash, "--fault", "1:cut"],
        ["--flash", flash, "--fault", "1:hit:bits"],
        ["--flash", flash, "--nothing"],
        ["--flash", flash, "more"],
    ):
        refusal(*options, code=2)
    assert not Path(flash).exists()


def test_flash_files(flash: str, device: Device, tmp_path: Path) -> None:
    assert "has it open" in refusal("--flash", flash)
    other = tmp_path / "other"
    other.write_bytes(b"x" * 10000)
    assert "is no simulated device's flash" in refusal("--flash", str(other))
    device.process.terminate()
    device.end()
    layout = tmp_path / "layout.toml"
    layout.write_text(
        'sector_bytes = 8_192 # comment\nunit_bytes = 0x10\n\n[[model]]\nname = "digits"\n'
        'slot_bytes = 65536\nlanes = ["realtime", "best effort"]\n'
    )
    assert "of another --layout" in refusal("--flash", flash, "--layout", str(layout))
    options = ("--flash", flash + "2", "--layout", str(layout), "--tcp", "0")
    with Device(*options) as small, Client(small.address) as client:
        assert [(m.name, m.slot_bytes) for m in client.models()] == [("digits", 65536)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("sector_bytes = 4096\nunit_bytes = many\n", 2),
        ("sectors = 4096\n", 1),
        ('unit_bytes = 128\n[[model]]\nname = "a"\nslot_bytes = 4096\n', 4),
        ('sector_bytes = 4096\nunit_bytes = 16\nerased = 1\n[[model]]\nname = "a"\n', 5),
        ("sector_bytes = 4096\nunit_bytes = 16\n", 2),
        ('sector_bytes = 4095\nunit_bytes = 16\n[[model]]\nname = "a"\nslot_bytes = 4096\n', 5),
        ("sector_bytes = 4096\nunit_bytes = 16\n[[model]]\nname = a\n", 4),
        ('sector_bytes = 4096\nunit_bytes = 16\n[[model]]\nname = "a"\nlanes = ["b"]\n', 5),
        ('sector_bytes = 4096\nunit_bytes = 16\n[[model]]\nname = "a"\nlanes = [\n', 5),
        ("sector_bytes = 4096\n[model]\n", 2),
        ("x" * 600, 1),
    ],
)
def test_wrong_layouts(flash: str, tmp_path: Path, text: str, line: int) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(text)
    assert f"layout.toml:{line}: " in refusal("--flash", flash, "--layout", str(layout))


@pytest.mark.parametrize(
    ("flash_keys", "reason"),
    [
        ("unit_bytes = 128", "no sector_bytes"),
        ("sector_bytes = 4096", "no unit_bytes"),
        ("sector_bytes = 128\nunit_bytes = 16", "too small for the registry"),
        ("sector_bytes = 4096\nunit_bytes = 256", "unit_bytes is not a power of two up to 128"),
        ("sector_bytes = 8\nunit_bytes = 16", "sector_bytes is not a power of two"),
        ("sector_bytes = 4096\nunit_bytes = 16\nerased = 1", "erased is not 0 or 255"),
    ],
)
def test_what_is_wrong_with_a_flash(
    flash: str, tmp_path: Path, flash_keys: str, reason: str
) -> None:
    layout = tmp_path / "layout.toml"
    layout.write_text(f'{flash_keys}\n[[model]]\nname = "a"\nslot_bytes = 4096\n')
    assert reason in refusal("--flash", flash, "--layout", str(layout))


def test_an_echo_of_nothing(device: Device) -> None:
    """As MCUmgr answers it."""
    line = Line(device)
    assert ask(line, WRITE, 0, 0, {}) == {"r": ""}
    assert ask(line, WRITE, 0, 0, {"d": ""}) == {"r": ""}
    assert ask(line, WRITE, 0, 0, {"d": "text"}) == {"r": "text"}


def test_layouts_are_those_of_ranvier_image(flash: str, tmp_path: Path) -> None:
    """What LAYOUT.md shows is read here as it is there."""
    text = (ROOT / "host" / "src" / "ranvier" / "package" / "LAYOUT.md").read_text()
    layout = tmp_path / "layout.toml"
    layout.write_text(re.search(r"```toml\n(.*?)```", text, re.S).group(1))  # type: ignore[union-attr]
    options = ("--flash", flash, "--layout", str(layout), "--tcp", "0")
    with Device(*options) as device, Client(device.address) as client:
        assert [m.name for m in client.models()] == ["digits", "keywords"]


@pytest.mark.parametrize("text", [b"", b"x", b"-----BEGIN PUBLIC KEY-----\nAAAA\n", b"-----BEGIN "])
def test_wrong_keys(flash: str, tmp_path: Path, text: bytes) -> None:
    keys = tmp_path / "keys.pem"
    keys.write_bytes(text)
    assert "not 1 to 16 public keys" in refusal("--flash", flash, "--keys", str(keys))
