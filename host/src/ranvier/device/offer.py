# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A package that is to be sent: what it is, and whether a device will take it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from ranvier.device.errors import DeviceError
from ranvier.device.wire import Info, ModelState, SlotState
from ranvier.errors import PackageError, RanvierError
from ranvier.package import format as fmt
from ranvier.package.reader import read_package, read_trailer
from ranvier.package.records import Isa

KEY_NEEDED = "use a firmware that has the key; start a simulated device with --keys"


@dataclass(frozen=True)
class Offer:
    """A package as a device is told of it. ``key`` is 0 for an unsigned one."""

    source: str
    data: bytes
    name: str
    version: tuple[int, int, int]
    security_version: int
    isa: Isa
    abi: int
    ops: frozenset[int]
    key: int
    crc: int
    arena_bytes: int

    @property
    def header(self) -> bytes:
        """The fixed header."""
        return self.data[: fmt.HEADER.size]

    @property
    def sha256(self) -> bytes:
        """Of the file as it is sent: names the upload."""
        return hashlib.sha256(self.data).digest()


def read_offer(data: bytes, source: str) -> Offer:
    """Read a package and check it; PackageError where it is damaged or cut short."""
    content = read_package(data, source)
    trailer = read_trailer(data, source)
    header = fmt.HEADER.unpack_from(data)
    whole = data[: header[3]]
    return Offer(
        source,
        whole,
        content.name,
        content.version,
        content.security_version,
        content.isa,
        header[4],
        frozenset(op.code for op in content.ops),
        trailer.key_id if trailer.signed else 0,
        int.from_bytes(whole[-4:], "little"),
        content.arena_bytes,
    )


def find(models: Sequence[ModelState], name: str) -> ModelState:
    """The place of a name."""
    for model in models:
        if model.name == name:
            return model
    names = ", ".join(repr(model.name) for model in models) or "none"
    raise RanvierError(
        f"the device has no place for a model named {name!r}",
        remedy=f"its places are {names}; compile with --name, or change the device's layout",
    )


def require_updates(info: Info) -> None:
    """Raise where the device is read-only."""
    if info.read_only:
        raise DeviceError(
            "the device is read-only: it takes no updates",
            "ENOTSUP",
            remedy="use a firmware that was not built read-only",
        )


def admit(offer: Offer, info: Info, model: ModelState) -> None:
    """Raise where the device is sure to refuse: before anything is sent or erased."""
    require_updates(info)
    what = f"{offer.source}: "
    if len(offer.data) > model.slot_bytes:
        raise PackageError(
            f"{what}{len(offer.data)} bytes, the slots of {model.name!r} have {model.slot_bytes}",
            remedy="make the model smaller, or the slots of the device's layout larger",
        )
    if offer.security_version < model.floor:
        raise PackageError(
            f"{what}security version {offer.security_version}, the device accepts {model.floor} "
            "and higher",
            remedy="compile the model again with a higher --security-version",
        )
    if not offer.key and not info.unsigned:
        raise PackageError(
            f"{what}is not signed, and the device takes signed packages only",
            remedy="compile it with --sign KEY",
        )
    if offer.key in info.revoked:
        raise PackageError(
            f"{what}is signed with key {offer.key:08x}, which the device has revoked",
            remedy="sign it with another key",
        )
    if offer.key and offer.key not in info.keys:
        known = ", ".join(f"{key:08x}" for key in info.keys)
        raise PackageError(
            f"{what}is signed with key {offer.key:08x}, which the device does not have",
            remedy=f"sign it with one of the device's keys: {known}" if known else KEY_NEEDED,
        )


def holder(offer: Offer, model: ModelState) -> int | None:
    """The slot that has this package already, complete and verified; None where there is none."""
    for number, slot in enumerate(model.slots):
        same = (slot.bytes, slot.crc, slot.version, slot.security_version) == (
            len(offer.data),
            offer.crc,
            offer.version,
            offer.security_version,
        )
        if slot.state == SlotState.GOOD and same:
            return number
    return None


def refused(error: DeviceError, offer: Offer, info: Info, model: ModelState) -> RanvierError:
    """What a refusal at the begin of an upload means."""
    if error.code == "ENOTSUP":
        return _unsupported(offer, info)
    if error.code == "ENOMEM":
        return PackageError(
            f"{offer.source}: needs an arena of {offer.arena_bytes} bytes, more than the device's "
            "lanes have for this model",
            remedy="compile with --optimize memory, or give the lanes more",
        )
    if error.code == "ESTATE":
        return DeviceError(
            f"the device takes no upload of {model.name!r} now: a trial is under way",
            error.code,
            remedy=f"ranvier ota confirm {model.name}, or ranvier ota rollback {model.name}",
        )
    return error


def _unsupported(offer: Offer, info: Info) -> RanvierError:
    missing = sorted(code for code in offer.ops if not _has(info.ops, code))
    if offer.abi != info.abi and info.abi:
        reason = f"its ops are those of ABI {offer.abi}, the device has ABI {info.abi}"
        remedy = "use a firmware and a ranvier of the same release"
    elif missing and info.ops:
        reason = f"the device's firmware lacks ops {', '.join(map(str, missing))}"
        remedy = "build the firmware with them (ranvier ops names them), or change the model"
    else:
        fast = ", ".join(_isa(number) for number in info.isa) or "none"
        reason = f"packed for {_isa(offer.isa)}, fast on the device is {fast}"
        remedy = "compile with another --isa, or push with --allow-slow"
    return PackageError(f"{offer.source}: refused: {reason}", remedy=remedy)


def _has(ops: bytes, code: int) -> bool:
    return code // 8 < len(ops) and bool(ops[code // 8] >> code % 8 & 1)


def _isa(number: int) -> str:
    try:
        return Isa(number).name.lower()
    except ValueError:
        return str(number)
