# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Signatures of packages, judged by the OpenSSL command and by the bytes that SPEC.md 1.7 has."""

from __future__ import annotations

import hashlib
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from cli_tools import put
from packages import rich, verdict
from ranvier.errors import InputError, PackageError
from ranvier.model import Model, Package
from ranvier.package.reader import read_package, read_trailer
from ranvier.package.signing import (
    PrivateKey,
    PublicKey,
    new_key,
    read_private_key,
    read_public_key,
    seal_package,
    verify_package,
)

KEY = new_key()
OTHER = new_key()
#: RFC 6979, A.2.5: a key, and the signature of the SHA-256 of "sample".
RFC_KEY = 0xC9AFA9D845BA75166B5C215767B1D6934E50C3DB36E89B127B8A622B120F6721
RFC_XY = (
    "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
    "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
)
RFC_SIGNATURE = (
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
    "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
)


def signed(key: PrivateKey | None = KEY, version: int | None = None) -> bytes:
    return seal_package(rich().package, "rich.rnv", key=key, security_version=version)


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


def with_crc(data: bytes) -> bytes:
    return data[:-4] + struct.pack("<I", zlib.crc32(data[:-4]))


def with_hash(data: bytes) -> bytes:
    sha256 = hashlib.sha256(data[:-112]).digest()
    return with_crc(data[:-112] + sha256 + data[-80:])


def test_the_signature_is_that_of_the_rfc() -> None:
    key = PrivateKey(ec.derive_private_key(RFC_KEY, ec.SECP256R1()))
    assert key.public.xy.hex() == RFC_XY
    assert key.sign(hashlib.sha256(b"sample").digest()).hex() == RFC_SIGNATURE
    first = hashlib.sha256(bytes.fromhex(RFC_XY)).digest()
    assert struct.pack("<I", key.public.key_id) == first[:4]


def test_a_signed_package_byte_by_byte() -> None:
    plain, data = rich().package, signed(version=7)
    assert len(data) == len(plain)
    head = bytearray(plain[:-112])
    head[20:24] = b"\7\0\0\0"
    assert data[:-112] == bytes(head)
    assert data[-112:-80] == hashlib.sha256(head).digest()
    assert data[-80:-76] == hashlib.sha256(KEY.public.xy).digest()[:4]
    assert data[-76:-72] == b"\1\0\0\0"
    assert data[-8:-4] == bytes(4)
    assert data[-4:] == struct.pack("<I", zlib.crc32(data[:-4]))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is missing")
def test_openssl_accepts_the_signature(tmp_path: Path) -> None:
    data = signed()
    r, s = (int.from_bytes(data[at : at + 32], "big") for at in (len(data) - 72, len(data) - 40))
    message = put(tmp_path, "message", data[:-112])
    signature = put(tmp_path, "signature", encode_dss_signature(r, s))

    def verified(key: PublicKey, file: Path) -> bool:
        public = put(tmp_path, "public.pem", key.pem())
        command = ["openssl", "dgst", "-sha256", "-verify", public, "-signature", signature, file]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    assert verified(KEY.public, message)
    assert not verified(OTHER.public, message)
    assert not verified(KEY.public, put(tmp_path, "changed", flipped(data[:-112], 200)))


def test_the_core_takes_it_and_all_but_the_version_stays() -> None:
    data = signed(version=0xFFFFFFFF)
    assert verdict(data).status == "OK"
    assert Package(data, "signed.rnv").content.security_version == 0xFFFFFFFF
    assert Model(Package(data, "signed.rnv")).selftest()
    before, after = (read_package(x, "rich.rnv") for x in (rich().package, data))
    assert (before.tensors, before.ops, before.golden) == (after.tensors, after.ops, after.golden)


def test_signing_again_replaces() -> None:
    data = signed(version=7)
    again = seal_package(data, "rich.rnv", key=OTHER)
    assert read_trailer(again, "a").key_id == OTHER.public.key_id
    assert again[20:24] == b"\7\0\0\0"
    assert again[-112:-80] == data[-112:-80]
    assert seal_package(again, "rich.rnv", key=KEY) == data
    assert seal_package(again, "rich.rnv", key=None, security_version=0) == rich().package


def test_what_follows_a_package_in_its_file_is_left_out() -> None:
    assert seal_package(rich().package + b"more", "rich.rnv", key=KEY) == signed()


def test_verification_names_the_key() -> None:
    data = signed()
    assert verify_package(data, "a", [OTHER.public, KEY.public]) == KEY.public
    with pytest.raises(PackageError, match=f"with the key {KEY.public.key_id:08x}, not with"):
        verify_package(data, "a", [OTHER.public])
    with pytest.raises(PackageError, match="is not signed"):
        verify_package(rich().package, "a", [KEY.public])


@pytest.mark.parametrize("at", [24, -112, -73, -72, -41, -40, -9])
def test_a_changed_bit_is_found(at: int) -> None:
    """In the header, hash, kind, r and s: with a right CRC, and where it can be a right hash."""
    data = flipped(signed(), at)
    with pytest.raises(PackageError):
        verify_package(data, "a", [KEY.public])
    with pytest.raises(PackageError):
        verify_package(with_crc(data), "a", [KEY.public])
    if at in (24, -72, -41, -40, -9):
        with pytest.raises(PackageError, match="signature is not that of"):
            verify_package(with_hash(data), "a", [KEY.public])


@pytest.mark.parametrize("part", [bytes(32), b"\xff" * 32])
def test_signatures_out_of_range_are_refused(part: bytes) -> None:
    data = signed()
    for changed in (
        data[:-72] + part + data[-40:],
        data[:-40] + part + data[-8:],
    ):
        with pytest.raises(PackageError, match="signature is not that of"):
            verify_package(with_crc(changed), "a", [KEY.public])


def test_a_damaged_package_is_not_signed() -> None:
    with pytest.raises(PackageError, match="CRC-32"):
        seal_package(flipped(rich().package, 300), "rich.rnv", key=KEY)


# Keys


def private_pem(key: object, password: bytes | None = None) -> bytes:
    """A private key as PKCS #8."""
    encryption = (
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password)
    )
    return key.private_bytes(  # type: ignore[attr-defined]
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )


def public_pem(key: object) -> bytes:
    return key.public_key().public_bytes(  # type: ignore[attr-defined]
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def test_keys_come_back_from_their_files() -> None:
    assert read_private_key(KEY.pem(), "k").public == KEY.public
    assert read_public_key(KEY.pem(), "k") == KEY.public
    assert read_public_key(KEY.public.pem(), "k") == KEY.public
    old = KEY.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    assert b"BEGIN EC PRIVATE KEY" in old
    assert read_private_key(old, "k").public == KEY.public


RSA = rsa.generate_private_key(65537, 1024)
ED = ed25519.Ed25519PrivateKey.generate()
P384 = ec.generate_private_key(ec.SECP384R1())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (private_pem(KEY.key, b"secret"), "encrypted"),
        (private_pem(RSA), "an RSA key, not one of P-256"),
        (private_pem(ED), "an Ed25519 key, not one of P-256"),
        (private_pem(P384), "a key of secp384r1, not of P-256"),
        (KEY.public.pem(), "a public key; signing needs a private key"),
        (b"", "no private key in PEM"),
        (b"\0\xff" * 40, "no private key in PEM"),
        (KEY.pem()[:-60], "no private key in PEM"),
    ],
)
def test_files_that_hold_no_private_key_for_us(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=rf"(?s)k.pem: .*{message}.*try: "):
        read_private_key(data, "k.pem")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (private_pem(KEY.key, b"secret"), "encrypted"),
        (public_pem(RSA), "an RSA key, not one of P-256"),
        (public_pem(ED), "an Ed25519 key, not one of P-256"),
        (public_pem(P384), "a key of secp384r1, not of P-256"),
        (b"ssh-ed25519 AAAA", "no public key in PEM"),
        (KEY.public.pem()[:-60], "no public key in PEM"),
    ],
)
def test_files_that_hold_no_public_key_for_us(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=rf"(?s)k.pem: .*{message}.*try: "):
        read_public_key(data, "k.pem")


def test_the_id_0_is_no_key_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PublicKey, "key_id", 0)
    for read in (read_private_key, read_public_key):
        with pytest.raises(InputError, match="id would be 0"):
            read(KEY.pem(), "k.pem")
