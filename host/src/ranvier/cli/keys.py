# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier keys``, ``ranvier sign`` and ``ranvier verify``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ranvier.cli.output import Exit, Output, common_options, report, size
from ranvier.errors import InputError, PackageError
from ranvier.files import read_bytes, write_bytes, write_files
from ranvier.package.reader import read_trailer
from ranvier.package.signing import (
    PublicKey,
    keys_c,
    keys_h,
    new_key,
    read_private_key,
    read_public_key,
    seal_package,
    verify_package,
)

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(dir_okay=False)


def security_version_option(function: F) -> F:
    """``--security-version``: the package's anti-rollback number."""
    return click.option(
        "--security-version",
        metavar="N",
        type=click.IntRange(0, 0xFFFFFFFF),
        help="A device that has confirmed N takes nothing below N any more.",
    )(function)


@click.group("keys")
def keys() -> None:
    """Keys that packages are signed with: ECDSA on the curve P-256."""


@keys.command("new")
@click.argument("key", type=_FILE)
@common_options("keys.new")
def new(output: Output, key: str) -> None:
    """Make a private key and write it to KEY (PEM, not encrypted).

    Only its owner can read the file. Whoever has it can sign for your devices: keep it off them and
    out of the repository, and keep a copy. A file that is there is not written over.
    """
    private = new_key()
    try:
        handle = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(
            f"{key}: is there already; a key is not written over", remedy="name another file"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"{key}: cannot be written: {getattr(error, 'strerror', None) or error}",
            remedy="check that its folder exists and may be written to",
        ) from None
    with os.fdopen(handle, "wb") as file:
        file.write(private.pem())
    output.text(f"wrote {key}: key {private.public.key_id:08x}")
    output.json({"written": [key], "key_id": f"{private.public.key_id:08x}"})


@keys.command("public")
@click.argument("key", type=_FILE, nargs=-1, required=True)
@click.option(
    "--c",
    "c_file",
    metavar="FILE.c",
    type=_FILE,
    help="C file to write, with a header FILE.h beside it: all keys, for the firmware.",
)
@click.option("--pem", metavar="FILE", type=_FILE, help="PEM file to write, for others to verify.")
@common_options("keys.public")
def public(output: Output, key: tuple[str, ...], c_file: str | None, pem: str | None) -> None:
    """Print the ids of KEY..., PEM files of private or public keys, and write the public keys.

    A device accepts packages that are signed with any of its keys. More than one lets you change to
    the next one, and revoke one that is lost.
    """
    if pem is not None and len(key) > 1:
        raise click.UsageError("--pem takes one key; write each to a file of its own and join them")
    if c_file is not None and Path(c_file).suffix.lower() == ".h":
        raise click.UsageError("--c takes the C file; the header is written beside it")
    found = [read_public_key(read_bytes(name), name) for name in key]
    _require_different(key, found)
    files: dict[str | Path, bytes] = {}
    if c_file is not None:
        header = Path(c_file).with_suffix(".h")
        files[c_file] = keys_c(found, header.name).encode()
        files[str(header)] = keys_h(found).encode()
    if pem is not None:
        files[pem] = found[0].pem()
    _require_others(key, files)
    write_files(files)
    output.table(["key", "id"], [[n, f"{k.key_id:08x}"] for n, k in zip(key, found, strict=True)])
    for path in files:
        output.text(f"wrote {path}")
    output.json(
        {
            "keys": [
                {"file": name, "key_id": f"{k.key_id:08x}", "xy": k.xy.hex()}
                for name, k in zip(key, found, strict=True)
            ],
            "written": [str(path) for path in files],
        }
    )


def _require_different(names: tuple[str, ...], found: list[PublicKey]) -> None:
    """A package names its key by the id alone."""
    seen: dict[int, str] = {}
    for name, key in zip(names, found, strict=True):
        if key.key_id in seen:
            raise InputError(
                f"{name}: has the id {key.key_id:08x}, as {seen[key.key_id]} has",
                remedy="give every key once",
            )
        seen[key.key_id] = name


def _require_others(names: tuple[str, ...], files: dict[str | Path, bytes]) -> None:
    given = {Path(name).resolve() for name in names}
    for path in files:
        if Path(path).resolve() in given:
            raise click.UsageError(f"{path} is the key; it would be written over")


@click.command("sign")
@click.argument("package", type=_FILE)
@click.option(
    "--key", metavar="KEY.pem", type=_FILE, required=True, help="Private key, of ranvier keys new."
)
@security_version_option
@click.option("-o", "--output", "out", type=_FILE, help="File to write.  [default: PACKAGE]")
@common_options("sign")
def sign(
    output: Output, package: str, key: str, security_version: int | None, out: str | None
) -> None:
    """Sign PACKAGE (.rnv) with a key, or with another one than before.

    Its security version stays unless another one is given.
    """
    out = package if out is None else out
    if Path(out).resolve() == Path(key).resolve():
        raise click.UsageError(f"{out} is the key; it would be written over")
    private = read_private_key(read_bytes(key), key)
    data = seal_package(
        read_bytes(package), package, key=private, security_version=security_version
    )
    write_bytes(out, data)
    output.text(f"wrote {out} ({size(len(data))} bytes): key {private.public.key_id:08x}")
    output.json({"written": [out], "key_id": f"{private.public.key_id:08x}"})


@click.command("verify")
@click.argument("package", type=_FILE)
@click.option(
    "--public",
    "public_keys",
    metavar="KEY.pem",
    type=_FILE,
    multiple=True,
    required=True,
    help="Public key, of ranvier keys public --pem. May be repeated.",
)
@common_options("verify")
def verify(output: Output, package: str, public_keys: tuple[str, ...]) -> None:
    """Check that PACKAGE (.rnv) is signed with one of the keys, as a device does."""
    found = [read_public_key(read_bytes(name), name) for name in public_keys]
    data = read_bytes(package)
    sha256 = read_trailer(data, package).sha256.hex()
    try:
        key = verify_package(data, package, found)
    except PackageError as error:
        report(output, error)
        sys.exit(Exit.NO)
    output.text(f"{package}: signed with the key {key.key_id:08x}")
    output.json({"file": package, "key_id": f"{key.key_id:08x}", "sha256": sha256})
