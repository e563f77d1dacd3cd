# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What is sent for a package: itself, compressed, or its difference to what the device runs."""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass
from functools import cached_property

from ranvier.device.errors import DeviceError
from ranvier.device.offer import Offer
from ranvier.device.wire import Info, ModelState, Slot, SlotState
from ranvier.errors import InputError, PackageError
from ranvier.package.patch import base_facts, make_patch

_PLAIN = 0
_PATCH = 1


class Encoding(enum.Enum):
    """How a package is to be sent; AUTO: what is smallest of what the device takes."""

    AUTO = "auto"
    PLAIN = "plain"
    COMPRESSED = "compressed"
    DELTA = "delta"


@dataclass(frozen=True)
class Parcel:
    """The bytes of an upload. ``base`` is the CRC-32 of the package they build on, 0 without."""

    kind: Encoding
    data: bytes
    base: int = 0

    @property
    def encoding(self) -> int:
        """As it is announced."""
        return _PLAIN if self.kind == Encoding.PLAIN else _PATCH

    @cached_property
    def sha256(self) -> bytes:
        """Names the upload."""
        return hashlib.sha256(self.data).digest()


def current(model: ModelState) -> Slot | None:
    """The slot that an update does not touch: the confirmed one if good, else the other if good."""
    first = 1 if model.confirmed == 1 else 0
    for slot in (model.slots[first], model.slots[1 - first]):
        if slot.state == SlotState.GOOD:
            return slot
    return None


def parcels(
    offer: Offer, info: Info, model: ModelState, how: Encoding, base: Offer | None
) -> list[Parcel]:
    """What may be sent as wished, the smallest first; never nothing."""
    if how == Encoding.DELTA and base is None:
        raise InputError(
            "a delta needs the package that the device runs", remedy="name its file by --base"
        )
    if base is not None:
        _check_base(base, model)
    plain = Parcel(Encoding.PLAIN, offer.data)
    if how == Encoding.PLAIN or (how == Encoding.AUTO and not info.patches):
        return [plain]
    if not info.patches:
        raise DeviceError(
            "the device takes packages only as they are",
            "EINVAL",
            remedy="push with --plain, or use a firmware that was built with patches",
        )
    made = [plain] if how == Encoding.AUTO else []
    if how != Encoding.DELTA:
        made.append(Parcel(Encoding.COMPRESSED, make_patch(offer.data)))
    if base is not None and how != Encoding.COMPRESSED:
        made.append(
            Parcel(Encoding.DELTA, make_patch(offer.data, base.data), base_facts(base.data)[1])
        )
    return sorted(made, key=lambda parcel: len(parcel.data))


def _check_base(base: Offer, model: ModelState) -> None:
    """Raise where the device's current version is another one than the base."""
    slot = current(model)
    if slot is not None and (slot.bytes, slot.crc) == (len(base.data), base.crc):
        return
    has = "none" if slot is None or slot.crc is None else f"{slot.bytes} bytes, CRC {slot.crc:08x}"
    raise PackageError(
        f"{base.source}: {len(base.data)} bytes, CRC {base.crc:08x}, is not the version of "
        f"{model.name!r} that the device has: {has}",
        remedy="name the file of that version by --base, or push without --base",
    )
