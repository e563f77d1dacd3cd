# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The known answers of the contract of the crypto seam are right: so say hashlib and OpenSSL."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

VECTORS = Path(__file__).resolve().parents[1] / "contract" / "crypto" / "vectors.h"


def rows(array: str) -> list[list[str]]:
    """The strings and names of each row of an array in vectors.h, adjacent strings joined."""
    text = re.sub(r"/\*.*?\*/", "", VECTORS.read_text(encoding="utf-8"), flags=re.DOTALL)
    body = text.split(f"{array}[] = {{")[1].split("};")[0]
    found = []
    for row in re.findall(r"\{(.*?)\}", body, re.DOTALL):
        fields = re.findall(r'((?:"[^"]*"\s*)+|\w+)', row)
        found.append([re.sub(r'"\s*"', "", field).strip().strip('"') for field in fields])
    return found


def is_good(xy: str, sha256: str, signature: str) -> bool:
    r, s = int(signature[:64], 16), int(signature[64:], 16)
    try:
        point = b"\4" + bytes.fromhex(xy)
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
        key.verify(encode_dss_signature(r, s), bytes.fromhex(sha256), ec.ECDSA(Prehashed(SHA256())))
    except (InvalidSignature, ValueError):
        return False
    return True


def test_hashes() -> None:
    found = rows("hash_vectors")
    assert len(found) == 5
    for text, sha256 in found:
        message = b"a" * 1_000_000 if text == "NULL" else text.encode()
        assert hashlib.sha256(message).hexdigest() == sha256


GOOD = rows("signature_vectors")


@pytest.mark.parametrize("vector", GOOD)
def test_good_signatures(vector: list[str]) -> None:
    assert is_good(*vector)


@pytest.mark.parametrize("vector", rows("bad_vectors"), ids=lambda vector: vector[1])
def test_bad_signatures(vector: list[str]) -> None:
    of, _, xy, signature = vector
    base = GOOD[{"SAMPLE": 0, "SMALL_RS": 2, "SMALL_KEY": 4}[of]]
    changed = [base[0] if xy == "NULL" else xy, base[1]]
    changed.append(base[2] if signature == "NULL" else signature)
    assert changed != base
    assert not is_good(*changed)


def test_all_are_there() -> None:
    assert len(GOOD) == 5
    assert len(rows("bad_vectors")) == 17
