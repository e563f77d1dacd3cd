# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes what the fuzzers of management start from: frames, requests, registries, and a package.

Usage: make_mgmt_corpus.py FOLDER. Frames go to FOLDER/frame, requests to FOLDER/smp, registries to
FOLDER/store; FOLDER/package.rnv is the package that the requests are about. All of it is made from
SPEC.md by hand: cbor2, base64 and zlib.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import runpy
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

import cbor2

from ranvier.package.patch import encode
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package

PROGRAMS = Path(__file__).resolve().parents[1] / "python"
READ, WRITE = 0, 2
SOME, MANY = 2 << 3, 3 << 3
"""Of a request's first byte: the server goes on for 5, 50 polls."""
SECTOR, UNIT = 1024, 8
CHUNK = 400


def frames() -> dict[str, bytes]:
    """Frames of SMP messages, among text."""
    out: dict[str, bytes] = {}
    for name, size in (("short", 9), ("one-line", 89), ("two-lines", 90), ("long", 280)):
        message = bytes(i * 7 & 255 for i in range(size))
        body = struct.pack(">H", size + 2) + message
        body += struct.pack(">H", binascii.crc_hqx(message, 0))
        pieces = [base64.b64encode(body[at : at + 93]) for at in range(0, len(body), 93)]
        lines = [(b"\x04\x14" if i else b"\x06\x09") + p + b"\n" for i, p in enumerate(pieces)]
        out[name] = b"".join(lines)
        out[f"{name}-text"] = b"uart:~$ help\r\n" + b"a line\n".join(lines) + b"\n"
    return out


def request(op: int, command: int, body: Any) -> bytes:
    """A request as fuzz_smp.c takes it."""
    data = cbor2.dumps(body)
    return struct.pack("<BBH", op, command, len(data)) + data


def uploads(package: bytes, name: str, patch: bytes = b"", base: int = 0) -> list[bytes]:
    """All requests of an upload, of a patch for the package where one is given."""
    file = patch or package
    sha = hashlib.sha256(file).digest()
    begin = {"off": 0, "m": name, "len": len(file), "hdr": package[:128], "sha": sha}
    out = [request(WRITE, 2, {**begin, "enc": int(bool(patch)), "base": base, "slow": True})]
    for at in range(0, len(file), CHUNK):
        data = file[at : at + CHUNK]
        body = {"off": at, "data": data, "crc": zlib.crc32(data), "sha": sha[:4]}
        out.append(request(WRITE | SOME, 2, body))
    return out


def requests(package: bytes, name: str, inputs: int) -> dict[str, bytes]:
    """Sequences of requests, of every command."""
    run = {"m": name, "entry": 0, "off": 0, "len": inputs, "data": bytes(inputs)}
    own = {**run, "id": 5}
    more = {"lane": 0, "deadline_us": 1 << 40, "reset": True}
    reads = [request(READ, 1, {"i": 0}), request(READ, 1, {"i": 1}), request(READ, 3, {})]
    reads += [request(READ, 10, {"i": 1}), request(READ, 14, {"m": name, "i": 1})]
    update = uploads(package, name)
    packed = uploads(package, name, encode(package))
    crc = int.from_bytes(package[-4:], "little")
    delta = uploads(package, name, encode(package, package), crc)
    trial = request(WRITE | MANY, 4, {"m": name, "permanent": False})
    state = request(READ | MANY, 3, {})
    return {
        "info": request(READ, 0, {}),
        "reads": b"".join(reads),
        "run": request(WRITE | SOME, 9, {**run, **more}) + request(READ, 9, {"off": 0}),
        "run-pieces": request(WRITE, 9, {**run, "data": bytes(1)})
        + request(WRITE | SOME, 9, {**run, "off": 1, "data": bytes(inputs - 1)})
        + request(READ | 1 << 5, 9, {"off": 1}),
        "run-twice": 2 * request(WRITE | SOME, 9, own)
        + request(READ, 9, {"off": 0, "id": 5})
        + request(WRITE, 9, {**run, "id": 6})
        + request(WRITE, 9, own)
        + request(READ, 9, {"off": 0, "id": 5}),
        "profile": request(WRITE, 11, {"on": True})
        + request(WRITE | SOME, 9, run)
        + request(WRITE, 11, {"on": False})
        + request(READ | 1 << 5, 11, {"off": 0})
        + request(READ, 11, {"off": 64}),
        "selftest": request(WRITE | MANY, 12, {"m": name}) + request(READ, 12, {}),
        "revoke": request(WRITE, 13, {"key": 7}) + request(READ, 0, {}),
        "update": b"".join([*update, state, trial, request(WRITE, 5, {"m": name}), *reads]),
        "packed": b"".join([*packed, state, trial]),
        "delta": b"".join([*delta, state, trial]),
        "rollback": b"".join([*update, state, trial, request(WRITE | MANY, 6, {"m": name})]),
        "erase": request(WRITE | MANY, 7, {"m": name, "slot": 1}) + state,
        "abort": b"".join([*update[:3], request(WRITE, 8, {}), *update[:2], state]),
        "odd": struct.pack("<BBH", READ, 0, 9) + bytes.fromhex("bf6178c1825f4100ff")[:9],
    }


def registries() -> dict[str, bytes]:
    """Both sectors, with a header and entries (SPEC.md 4); the fuzzer knows the layout."""

    def sector(generation: int, entries: list[bytes]) -> bytes:
        models = struct.pack("<BBBBI2II8sI", 2, 0x30, 0, 0, 1, 3, 1, 0, bytes(8), 0)
        models += struct.pack("<BBBBI2II8sI", 1, 0x33, 0, 1, 4, 1, 0, SECTOR, b"\x01\x02\x03", 0)
        head = struct.pack(
            "<IHHI2IIHHI8I", 0x53564E52, 1, 132, generation, 2, 1, 0, 2, 1, 0, 5, *(0,) * 7
        )
        data = head + models + bytes(4)
        data += b"\xff" * (-len(data) % UNIT)
        for i, entry in enumerate(entries):
            data += entry[:2] + struct.pack("<H", i) + entry[2:] + bytes(4)
        return data.ljust(SECTOR, b"\xff")

    def model(number: int, slots: int, trial: int, tries: int, begun: int, floor: int) -> bytes:
        return struct.pack("<BBBBBBI", 0xA1, number, slots, trial, tries, begun, floor)

    log = [
        model(0, 0o12, 0x30, 0, 2, 1),
        b"\xa2\x00" + b"\x01\x02\x03" + bytes(5),
        b"\xa3\x00" + struct.pack("<II", SECTOR, 0),
        model(0, 0o22, 0x14, 0, 0, 1),
        model(0, 0o22, 0x18, 1, 0, 1),
        b"\xa4\x00" + struct.pack("<II", 0x01020304, 0),
        model(1, 2, 0x30, 0, 0, 9),
    ]
    return {
        "empty": b"\x00",
        "one": bytes([15]) + sector(1, log),
        "both": bytes([15]) + sector(1, log) + sector(2, log[:3]),
        "no-entry": bytes([15]) + sector(2, []) + sector(1, log),
        "trial": bytes([15]) + sector(4, []) + sector(5, log[:5]),
        "bad-crc": bytes([8]) + sector(1, log) + sector(2, log),
    }


def main(folder: Path) -> None:
    """Write the corpus."""
    sys.path.insert(0, str(PROGRAMS))  # modules there use helpers beside them
    stateful = runpy.run_path(str(PROGRAMS / "stateful.py"))
    content = stateful["content"](IoMode.KEPT, in_place=True)
    package = write_package(content)
    inputs = sum(content.tensors[i].bytes for i in content.entries[0].inputs)
    kinds = {
        "frame": frames(),
        "smp": requests(package, content.name, inputs),
        "store": registries(),
    }
    for kind, files in kinds.items():
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / kind / name).write_bytes(data)
    (folder / "package.rnv").write_bytes(package)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
