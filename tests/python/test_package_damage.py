# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Damaged, cut and misplaced packages: always a clean error (cases 1, 2, 5)."""

from __future__ import annotations

import random

import pytest

from packages import Image, deep, rich, sealed, verdict
from ranvier.compiler.driver import compile_model
from ranvier.compiler.report import analyze_package
from ranvier.errors import ModelError, PackageError
from ranvier.model import Package
from ranvier.package.format import Section
from ranvier.package.reader import read_package

EIGHT_BYTES = b"\xf0\xff\xff\x7fTFL3"  # the root's offset points past the end


@pytest.mark.parametrize("data", [b"", b"RNVM", EIGHT_BYTES, bytes(64), b"RNVM" + bytes(300)])
def test_what_is_no_package_is_refused(data: bytes) -> None:
    with pytest.raises(PackageError, match=r"^x\.rnv: ") as raised:
        Package(data, "x.rnv")
    assert raised.value.remedy
    with pytest.raises(PackageError, match=r"^x\.rnv: "):
        read_package(data, "x.rnv")
    assert verdict(data).status in ("EFORMAT", "ENOTSUP")


def test_what_is_no_model_is_refused_by_the_compiler() -> None:
    for data in (EIGHT_BYTES, b"", rich().package):
        with pytest.raises(ModelError, match=r"x\.tflite") as raised:
            compile_model(data, "x.tflite")
        assert raised.value.remedy


@pytest.mark.parametrize("data", [rich().package, deep().package], ids=["rich", "deep"])
def test_a_package_cut_anywhere_is_refused(data: bytes) -> None:
    for end in [*range(0, len(data), 16), len(data) - 1]:
        cut = data[:end]
        assert verdict(cut).what in ("size of the package", "magic number (not a Ranvier package)")
        with pytest.raises(PackageError):
            read_package(cut, "cut.rnv")


def test_a_package_cut_and_sealed_again_is_refused() -> None:
    """The trailer is moved to the cut, and length, hash and CRC are right."""
    data = rich().package
    for end in range(240, len(data), 16):
        image = Image(data[: end - 112] + data[-112:])
        image.header.total_bytes = end
        cut = image.sealed()
        found = verdict(cut)
        assert (found.status, found.what) == ("EFORMAT", "section")
        with pytest.raises(PackageError):
            read_package(cut, "cut.rnv")


@pytest.mark.parametrize("shift", range(1, 16))
def test_a_misplaced_package_is_refused(shift: int) -> None:
    found = verdict(rich().package, shift=shift)
    assert (found.status, found.value) == ("EALIGN", shift)
    assert found.what == "address of the package (16-byte alignment)"


def test_bytes_behind_a_package_are_ignored() -> None:
    data = rich().package + b"\xff" * 100
    assert verdict(data).status == "OK"
    assert Package(data).content == rich().content


def test_every_damaged_byte_is_found() -> None:
    data = rich().package
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 0x10
        assert verdict(bytes(damaged)).status in ("EBADMSG", "EFORMAT", "ENOTSUP"), at
        with pytest.raises(PackageError):
            read_package(bytes(damaged), "damaged.rnv")


def test_a_wrong_hash_is_found_by_hosts() -> None:
    image = Image(rich().package)
    image.trailer.sha256[0] ^= 1
    data = bytes(image.data)
    crc = Image(data)
    crc.trailer.crc32 = verdict(data).value  # the value of the diagnosis is the CRC computed
    assert verdict(bytes(crc.data)).status == "OK"
    with pytest.raises(PackageError, match="SHA-256: does not match"):
        Package(bytes(crc.data))


def test_random_damage_that_is_sealed_again() -> None:
    """The core and the host's reader raise nothing but PackageError; what they accept runs."""
    rng = random.Random(7)
    accepted = refused = 0
    for trial in range(4000):
        data = bytearray((rich() if trial % 2 else deep()).package)
        image = Image(bytes(data))
        tables = image.section(Section.WEIGHTS).offset
        for _ in range(rng.randint(1, 3)):
            end = tables if rng.random() < 0.8 else len(data)
            at = rng.randrange(12, end)
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        try:
            package = Package(sealed(bytes(data)))
        except PackageError:
            refused += 1
            continue
        accepted += 1
        analyze_package(package.content, len(data))
        if package.content.arena_bytes < 1 << 20:
            sizes = [package.native.tensor_bytes(t) for t in package.native.inputs()]
            package.native.run([bytes(size) for size in sizes])
    assert min(accepted, refused) > 300
