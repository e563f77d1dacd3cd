# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier keys``, ``sign``, ``verify``, ``image``, and ``compile --sign``."""

from __future__ import annotations

import os
import re
import shutil
import stat
import struct
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from cli_tools import DIGITS, ROOT, names, put, ranvier, rich_files
from packages import rich
from ranvier.package.reader import read_trailer
from ranvier.package.signing import new_key, read_private_key, seal_package

KEY = new_key()
LAYOUT = b"""
sector_bytes = 4096
unit_bytes = 16
[[model]]
name = "rich"
slot_bytes = 12288
"""
ID = re.compile(r"\b[0-9a-f]{8}\b")


def test_new_makes_a_key_that_only_its_owner_reads(tmp_path: Path) -> None:
    file = tmp_path / "key.pem"
    old = os.umask(0)
    try:
        answer = ranvier("keys", "new", file, "--json")
    finally:
        os.umask(old)
    assert answer.code == 0
    assert answer.json["schema"] == "ranvier.keys.new/1"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----\n")
    key = read_private_key(file.read_bytes(), "key.pem")
    assert answer.json["key_id"] == f"{key.public.key_id:08x}"
    assert ranvier("keys", "new", tmp_path / "other.pem").code == 0
    assert (tmp_path / "other.pem").read_bytes() != file.read_bytes()


def test_new_writes_nothing_over(tmp_path: Path) -> None:
    file = put(tmp_path, "key.pem", b"mine")
    answer = ranvier("keys", "new", file)
    assert answer.code == 3
    assert "is there already" in answer.both
    assert "try: name another file" in answer.both
    link = tmp_path / "link.pem"
    link.symlink_to(tmp_path / "elsewhere.pem")
    assert ranvier("keys", "new", link).code == 3
    assert file.read_bytes() == b"mine"
    assert not (tmp_path / "elsewhere.pem").exists()
    assert ranvier("keys", "new", tmp_path / "no" / "key.pem").code == 3


@pytest.mark.skipif(shutil.which("openssl") is None, reason="the openssl command is missing")
def test_openssl_reads_both_files(tmp_path: Path) -> None:
    key, public = tmp_path / "key.pem", tmp_path / "public.pem"
    assert ranvier("keys", "new", key).code == 0
    assert ranvier("keys", "public", key, "--pem", public).code == 0
    command = ["openssl", "pkey", "-in", str(key), "-pubout"]
    made = subprocess.run(command, capture_output=True, check=True).stdout
    assert made == public.read_bytes()
    shown = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", str(public), "-noout", "-text"],
        capture_output=True,
        check=True,
    )
    assert b"prime256v1" in shown.stdout


def compiled(folder: Path, program: str, *sources: Path) -> str:
    """What a C program prints that is built with the core's headers."""
    main = put(folder, "main.c", program.encode())
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
    include = ["-I", ROOT / "firmware" / "core" / "include", "-I", folder]
    binary = folder / "program"
    subprocess.run(["cc", *flags, *include, main, *sources, "-o", binary], check=True)
    return subprocess.run([binary], capture_output=True, check=True, text=True).stdout


def test_c_has_all_keys_as_the_core_wants_them(tmp_path: Path) -> None:
    other = new_key()
    first = put(tmp_path, "a.pem", KEY.pem())
    second = put(tmp_path, "b.pem", other.public.pem())
    answer = ranvier("keys", "public", first, second, "--c", tmp_path / "app_keys.c")
    assert answer.code == 0
    assert ID.findall(answer.out)[:2] == [f"{k.public.key_id:08x}" for k in (KEY, other)]
    program = """
#include <stdio.h>
#include "app_keys.h"
int main(void)
{
	for (int i = 0; i < RANVIER_KEY_COUNT; i++) {
		printf("%08x ", (unsigned)ranvier_keys[i].id);
		for (int b = 0; b < 64; b++) {
			printf("%02x", ranvier_keys[i].xy[b]);
		}
		printf("\\n");
	}
	return 0;
}
"""
    expected = [f"{k.public.key_id:08x} {k.public.xy.hex()}" for k in (KEY, other)]
    assert compiled(tmp_path, program, tmp_path / "app_keys.c").splitlines() == expected


def plainly_compiled(folder: Path) -> tuple[Path, bytes]:
    """A model, and its package without signature and security version."""
    model, _ = rich_files(folder)
    plain = folder / "plain.rnv"
    assert ranvier("compile", model, "-o", plain, "--name", "out").code == 0
    return model, plain.read_bytes()


def test_compile_signs(tmp_path: Path) -> None:
    model, plain = plainly_compiled(tmp_path)
    key, out = put(tmp_path, "key.pem", KEY.pem()), tmp_path / "out.rnv"
    arguments = [
        "compile",
        model,
        "-o",
        out,
        "--name",
        "out",
        "--sign",
        key,
        "--security-version",
        9,
    ]
    answer = ranvier(*arguments, "--c-array", tmp_path / "out.c")
    assert answer.code == 0
    assert f"signed with the key {KEY.public.key_id:08x}" in answer.out
    expected = seal_package(plain, "a", key=KEY, security_version=9)
    assert out.read_bytes() == expected
    found = re.findall(r"0x([0-9a-f]{2})\b", (tmp_path / "out.c").read_text())
    assert bytes.fromhex("".join(found)) == expected
    assert ranvier(*arguments, "--json").json["key_id"] == f"{KEY.public.key_id:08x}"
    assert ranvier(*arguments[:6], "--json").json["key_id"] is None


def test_a_security_version_needs_no_key(tmp_path: Path) -> None:
    model, plain = plainly_compiled(tmp_path)
    out = tmp_path / "out.rnv"
    assert (
        ranvier("compile", model, "-o", out, "--name", "out", "--security-version", 0xFFFFFFFF).code
        == 0
    )
    assert struct.unpack_from("<I", out.read_bytes(), 20) == (0xFFFFFFFF,)
    assert not read_trailer(out.read_bytes(), "out.rnv").signed
    assert ranvier("compile", model, "-o", out, "--name", "out", "--security-version", 0).code == 0
    assert out.read_bytes() == plain


def test_analyze_shows_the_key(tmp_path: Path) -> None:
    data = seal_package(rich().package, "a", key=KEY, security_version=9)
    signed, plain = put(tmp_path, "signed.rnv", data), put(tmp_path, "plain.rnv", rich().package)
    line = f"signed with the key {KEY.public.key_id:08x}, security version 9"
    assert line in ranvier("analyze", signed).out
    found = ranvier("analyze", signed, "--json").json
    assert (found["key_id"], found["security_version"]) == (f"{KEY.public.key_id:08x}", 9)
    assert "security version" not in ranvier("analyze", plain).out
    found = ranvier("analyze", plain, "--json").json
    assert (found["key_id"], found["security_version"]) == (None, 0)
    data = seal_package(rich().package, "a", key=None, security_version=9)
    shown = ranvier("analyze", put(tmp_path, "version.rnv", data)).out
    assert "not signed, security version 9" in shown


def test_sign_and_verify(tmp_path: Path) -> None:
    package = put(tmp_path, "a.rnv", rich().package)
    key, public = put(tmp_path, "key.pem", KEY.pem()), put(tmp_path, "p.pem", KEY.public.pem())
    other = put(tmp_path, "other.pem", new_key().public.pem())
    answer = ranvier("verify", package, "--public", public)
    assert answer.code == 1
    assert "is not signed" in answer.both
    assert ranvier("sign", package, "--key", key, "-o", tmp_path / "b.rnv").code == 0
    assert package.read_bytes() == rich().package
    assert ranvier("sign", package, "--key", key, "--security-version", 3).code == 0
    assert package.read_bytes() == seal_package(rich().package, "a", key=KEY, security_version=3)
    answer = ranvier("verify", package, "--public", other, "--public", public, "--json")
    assert (answer.code, answer.json["key_id"]) == (0, f"{KEY.public.key_id:08x}")
    answer = ranvier("verify", package, "--public", other)
    assert answer.code == 1
    assert f"signed with the key {KEY.public.key_id:08x}, not with" in answer.both


def test_image_writes_the_same_as_hex_and_as_bytes(tmp_path: Path) -> None:
    data = seal_package(rich().package, "a", key=KEY, security_version=3)
    package, layout = put(tmp_path, "a.rnv", data), put(tmp_path, "l.toml", LAYOUT)
    arguments = ["image", "--layout", layout, f"rich={package}"]
    answer = ranvier(*arguments, "-o", tmp_path / "f.hex", "--base", "0x80000")
    assert answer.code == 0
    assert re.search(r"^rich +0x00082000 +12,288 +4,224 +3 +[0-9a-f]{8}$", answer.out, re.M)
    assert "not signed" not in answer.out
    first = (tmp_path / "f.hex").read_text().splitlines()[0]
    assert first == ":020000040008F2"
    answer = ranvier(*arguments, "-o", tmp_path / "f.bin", "--bin", "--json")
    assert answer.json["schema"] == "ranvier.image/1"
    region = (tmp_path / "f.bin").read_bytes()
    assert region[8192:] == data
    assert region[:4] == b"RNVS"
    plain = put(tmp_path, "plain.rnv", rich().package)
    answer = ranvier("image", "--layout", layout, f"rich={plain}", "-o", tmp_path / "p.hex")
    assert "not signed, so only for development: rich" in answer.out
    other = ranvier(*arguments, "-o", tmp_path / "g.bin", "--bin", "--unit", 32, "--sector", 2048)
    assert other.code == 0
    assert (tmp_path / "g.bin").read_bytes()[4096:] == data


@pytest.mark.parametrize(
    "arguments",
    [
        ("keys",),
        ("keys", "new"),
        ("keys", "public"),
        ("keys", "public", "{key}", "{package}", "--pem", "x"),
        ("keys", "public", "{key}", "--pem", "{key}"),
        ("keys", "public", "{key}", "--c", "{key}"),
        ("keys", "public", "{key}", "--c", "keys.h"),
        ("sign", "{package}"),
        ("sign", "{package}", "--key", "{key}", "-o", "{key}"),
        ("sign", "{package}", "--key", "{key}", "--security-version", "-1"),
        ("sign", "{package}", "--key", "{key}", "--security-version", "4294967296"),
        ("verify", "{package}"),
        ("compile", "{model}", "-o", "{key}", "--sign", "{key}"),
        ("image", "rich={package}", "-o", "x.hex"),
        ("image", "{package}", "-o", "x.hex", "--layout", "{layout}"),
        ("image", "rich=", "-o", "x.hex", "--layout", "{layout}"),
        ("image", "rich={package}", "rich={package}", "-o", "x.hex", "--layout", "{layout}"),
        ("image", "rich={package}", "-o", "{package}", "--layout", "{layout}"),
        ("image", "rich={package}", "-o", "{layout}", "--layout", "{layout}"),
        ("image", "rich={package}", "-o", "x", "--layout", "{layout}", "--base", "1", "--bin"),
        ("image", "rich={package}", "-o", "x", "--layout", "{layout}", "--base", "0x"),
        ("image", "rich={package}", "-o", "x", "--layout", "{layout}", "--base", "0xFFFFF000"),
        ("image", "rich={package}", "-o", "x", "--layout", "{layout}", "--unit", "0"),
    ],
)
def test_wrong_usage_writes_nothing(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, package = rich_files(tmp_path)
    files = {
        "model": model,
        "package": package,
        "key": put(tmp_path, "key.pem", KEY.pem()),
        "layout": put(tmp_path, "layout.toml", LAYOUT),
    }
    monkeypatch.chdir(tmp_path)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    assert ranvier(*(argument.format(**files) for argument in arguments)).code == 2
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("keys", "public", "none.pem"), "none.pem: cannot be read"),
        (("keys", "public", "k.pem", "k.pem"), "k.pem: has the id"),
        (("keys", "public", "e.pem"), "e.pem: the key is encrypted"),
        (("sign", "a.rnv", "--key", "e.pem"), "e.pem: the key is encrypted"),
        (("sign", "a.rnv", "--key", "p.pem"), "p.pem: holds a public key"),
        (("sign", "a.rnv", "--key", "a.rnv", "-o", "x"), "a.rnv: is no private key in PEM"),
        (("sign", "k.pem", "--key", "k.pem", "-o", "x"), "k.pem: magic number"),
        (("verify", "k.pem", "--public", "p.pem"), "k.pem: magic number"),
        (("verify", "none.rnv", "--public", "p.pem"), "none.rnv: cannot be read"),
        (("verify", "a.rnv", "--public", "a.rnv"), "a.rnv: is no public key in PEM"),
        (("compile", "d.tflite", "-o", "x.rnv", "--sign", "e.pem"), "e.pem: the key is encrypted"),
        (("image", "-o", "x.hex", "--layout", "none", "rich=a.rnv"), "none: cannot be read"),
        (("image", "-o", "x.hex", "--layout", "l.toml", "dog=a.rnv"), "no model 'dog', only rich"),
        (
            ("image", "-o", "x.hex", "--layout", "s.toml", "rich=a.rnv"),
            "rich: the package has 4224 bytes, its slot 4096",
        ),
    ],
)
def test_what_cannot_be_used(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, "k.pem", KEY.pem())
    put(tmp_path, "p.pem", KEY.public.pem())
    put(tmp_path, "a.rnv", rich().package)
    put(tmp_path, "l.toml", LAYOUT)
    put(tmp_path, "s.toml", LAYOUT.replace(b"12288", b"4096"))
    put(tmp_path, "d.tflite", (DIGITS / "digits.tflite").read_bytes())
    encrypted = KEY.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    put(tmp_path, "e.pem", encrypted)
    monkeypatch.chdir(tmp_path)
    before = names(tmp_path)
    answer = ranvier(*arguments)
    assert answer.code == 3
    assert message in answer.both
    assert "try: " in answer.both
    assert names(tmp_path) == before


def test_how_to_decrypt_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encrypted = KEY.key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )
    put(tmp_path, "e.pem", encrypted)
    monkeypatch.chdir(tmp_path)
    advice = ranvier("keys", "public", "e.pem").both
    command = re.search(r"openssl pkey -in e.pem -out PLAIN.pem", advice)
    assert command is not None
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command is missing")
    subprocess.run([*command.group().split(), "-passin", "pass:secret"], check=True)
    assert f"{KEY.public.key_id:08x}" in ranvier("keys", "public", "PLAIN.pem").out
