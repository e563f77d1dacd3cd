# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Keys, and signatures of packages: ECDSA P-256 over the trailer's SHA-256 (SPEC.md 1.7)."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256

from ranvier.errors import InputError, PackageError
from ranvier.package import format as fmt
from ranvier.package.reader import read_trailer

_SECURITY_VERSION_OFFSET = 20
_PREHASHED = ec.ECDSA(Prehashed(SHA256()))
_PEM = serialization.Encoding.PEM
_MAKE_ONE = "make a key with ranvier keys new KEY.pem"


@dataclass(frozen=True)
class PublicKey:
    """A point of P-256: x and y, each 32 bytes big-endian."""

    xy: bytes

    @property
    def key_id(self) -> int:
        """What packages name the key by; 0 is no key's."""
        return int.from_bytes(hashlib.sha256(self.xy).digest()[:4], "little")

    def pem(self) -> bytes:
        """The key as a PEM file (SubjectPublicKeyInfo)."""
        return self._key().public_bytes(_PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

    def verifies(self, sha256: bytes, signature: bytes) -> bool:
        """Whether ``signature`` (r, s) is this key's, of a SHA-256."""
        r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
        try:
            self._key().verify(encode_dss_signature(r, s), sha256, _PREHASHED)
        except InvalidSignature:
            return False
        return True

    def _key(self) -> ec.EllipticCurvePublicKey:
        return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), b"\4" + self.xy)


@dataclass(frozen=True)
class PrivateKey:
    """A key that signs; ``public`` is what others need to know of it."""

    key: ec.EllipticCurvePrivateKey

    @property
    def public(self) -> PublicKey:
        """Its public key."""
        return _public(self.key.public_key())

    def pem(self) -> bytes:
        """The key as a PEM file (PKCS #8), not encrypted."""
        return self.key.private_bytes(
            _PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def sign(self, sha256: bytes) -> bytes:
        """The signature (r, s) of a SHA-256; the same each time (RFC 6979)."""
        algorithm = ec.ECDSA(Prehashed(SHA256()), deterministic_signing=True)
        r, s = decode_dss_signature(self.key.sign(sha256, algorithm))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


def new_key() -> PrivateKey:
    """A new key."""
    while True:
        key = PrivateKey(ec.generate_private_key(ec.SECP256R1()))
        if key.public.key_id != 0:
            return key


def read_private_key(data: bytes, name: str) -> PrivateKey:
    """The private key of a PEM file; :class:`InputError` where it holds no such key of P-256."""
    try:
        key = serialization.load_pem_private_key(data, password=None)
    except TypeError:
        raise InputError(
            f"{name}: the key is encrypted",
            remedy=f"decrypt it for as long as it is used: openssl pkey -in {name} -out PLAIN.pem",
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        what = "holds a public key" if b"BEGIN PUBLIC KEY" in data else "is no private key in PEM"
        raise InputError(f"{name}: {what}; signing needs a private key", remedy=_MAKE_ONE) from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise InputError(f"{name}: is {_kind(key)}, not one of P-256", remedy=_MAKE_ONE)
    _require_curve(key.curve, name)
    result = PrivateKey(key)
    _require_id(result.public, name)
    return result


def read_public_key(data: bytes, name: str) -> PublicKey:
    """The public key of a PEM file, also of one with a private key; else :class:`InputError`."""
    if b"PRIVATE KEY" in data:
        return read_private_key(data, name).public
    try:
        key = serialization.load_pem_public_key(data)
    except (ValueError, UnsupportedAlgorithm):
        raise InputError(
            f"{name}: is no public key in PEM",
            remedy="write it with ranvier keys public KEY.pem --pem FILE",
        ) from None
    if not isinstance(key, ec.EllipticCurvePublicKey):
        raise InputError(f"{name}: is {_kind(key)}, not one of P-256", remedy=_MAKE_ONE)
    _require_curve(key.curve, name)
    result = _public(key)
    _require_id(result, name)
    return result


def seal_package(
    package: bytes, name: str, *, key: PrivateKey | None, security_version: int | None = None
) -> bytes:
    """``package`` signed with another key (None: unsigned), and with another security version.

    What else it has stays: its hash and its CRC are made anew. ``name`` is the file's for messages;
    :class:`PackageError` where the file is no whole package.
    """
    read_trailer(package, name)
    total = fmt.HEADER.unpack_from(package)[3]
    head = bytearray(package[: total - fmt.TRAILER_BYTES])
    if security_version is not None:
        struct.pack_into("<I", head, _SECURITY_VERSION_OFFSET, security_version)
    sha256 = hashlib.sha256(head).digest()
    if key is None:
        fields = (0, fmt.SIGNATURE_NONE, bytes(64))
    else:
        fields = (key.public.key_id, fmt.SIGNATURE_ECDSA_P256, key.sign(sha256))
    data = bytes(head) + fmt.TRAILER.pack(sha256, *fields, 0, 0)[:-4]
    return data + struct.pack("<I", zlib.crc32(data))


def verify_package(package: bytes, name: str, keys: Sequence[PublicKey]) -> PublicKey:
    """The key among ``keys`` that signed the package, whose hash and CRC are checked, too.

    Raises :class:`PackageError` where none did.
    """
    trailer = read_trailer(package, name)
    if not trailer.signed:
        raise PackageError(
            f"{name}: is not signed", remedy=f"sign it with ranvier sign {name} --key KEY.pem"
        )
    found = [key for key in keys if key.key_id == trailer.key_id]
    if not found:
        known = ", ".join(f"{key.key_id:08x}" for key in keys)
        raise PackageError(
            f"{name}: is signed with the key {trailer.key_id:08x}, not with {known}",
            remedy="give the public key that belongs to the key it was signed with",
        )
    for key in found:
        if key.verifies(trailer.sha256, trailer.signature):
            return key
    raise PackageError(
        f"{name}: the signature is not that of the key {trailer.key_id:08x}",
        remedy="do not use this file; get it again from whoever made it",
    )


def keys_c(keys: Sequence[PublicKey], header: str) -> str:
    """C source of ``ranvier_keys``; ``header`` is the file that has :func:`keys_h`."""
    rows = [_key_row(key) for key in keys]
    return "\n".join(
        [
            "/* Made by `ranvier keys public --c`. */",
            "",
            f'#include "{header}"',
            "",
            "const struct rnv_key ranvier_keys[RANVIER_KEY_COUNT] = {",
            *rows,
            "};",
            "",
        ]
    )


def keys_h(keys: Sequence[PublicKey]) -> str:
    """C declarations of the keys, for ``rnv_store_config.keys``."""
    return f"""\
/* Made by `ranvier keys public --c`: the keys that packages may be signed with. */

#ifndef RANVIER_KEYS_H_
#define RANVIER_KEYS_H_

#include "ranvier/crypto.h"

#ifdef __cplusplus
extern "C" {{
#endif

#define RANVIER_KEY_COUNT {len(keys)}

extern const struct rnv_key ranvier_keys[RANVIER_KEY_COUNT];

#ifdef __cplusplus
}}
#endif

#endif /* RANVIER_KEYS_H_ */
"""


def _key_row(key: PublicKey) -> str:
    lines = [
        "\t\t\t" + ", ".join(f"0x{byte:02x}" for byte in key.xy[i : i + 12]) + ","
        for i in range(0, len(key.xy), 12)
    ]
    return "\n".join(
        ["\t{", f"\t\t.id = 0x{key.key_id:08x},", "\t\t.xy = {", *lines, "\t\t},", "\t},"]
    )


def _public(key: ec.EllipticCurvePublicKey) -> PublicKey:
    point = key.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    return PublicKey(point[1:])


def _kind(key: object) -> str:
    """Words for a key that is not on an elliptic curve as ECDSA has them."""
    name = type(key).__name__.lower()
    return next((f"an {kind} key" for kind in ("RSA", "Ed25519") if kind.lower() in name), "a key")


def _require_curve(curve: ec.EllipticCurve, name: str) -> None:
    if not isinstance(curve, ec.SECP256R1):
        raise InputError(f"{name}: is a key of {curve.name}, not of P-256", remedy=_MAKE_ONE)


def _require_id(key: PublicKey, name: str) -> None:
    if key.key_id == 0:
        raise InputError(f"{name}: the key's id would be 0", remedy=_MAKE_ONE)
