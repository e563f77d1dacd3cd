# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A flash region with a model store in it (SPEC.md 4), for factories and programmers.

The registry's first sector has generation 1; slot 0 of each model that has a package is good and
confirmed, slot 1 is empty. The second registry sector is in the image as erased bytes: whatever a
programmer finds there, it must not count.
"""

from __future__ import annotations

import io
import struct
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from intelhex import IntelHex

from ranvier.errors import InputError, PackageError
from ranvier.files import read_bytes
from ranvier.package import format as fmt
from ranvier.package.reader import read_package, read_trailer

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAGIC = 0x53564E52
FORMAT = 1
MAX_MODELS = 16
MAX_UNIT = 128
NAME_BYTES = 32
REGISTRY_SECTORS = 2
NO_SLOT = 3
SLOT_GOOD = 2
SLOT_0_PROVEN = 1 << 6
_ENTRY_BYTES = 16
_LEAST_ENTRIES = 2
_MOST_BYTES = 1 << 31
_SEE = "see LAYOUT.md in ranvier/package"

#: magic, format, header_bytes, generation, erases[2], layout, model_count, revoked_count, reserved,
#: revoked[8]
HEADER = struct.Struct("<IHHI2IIHHI8I")
#: slots, trial, tries, has_hash, floor, fills[2], written, hash, reserved
MODEL = struct.Struct("<BBBBI2II8sI")


@dataclass(frozen=True)
class ModelPlace:
    """A model's place in the region: two slots of ``slot_bytes``."""

    name: str
    slot_bytes: int


@dataclass(frozen=True)
class StoreLayout:
    """A region of flash and what lies in it, as the firmware has it (``rnv_flash_geometry``).

    Made by :func:`read_layout`, which checks it.
    """

    region_bytes: int
    sector_bytes: int
    unit_bytes: int
    erased: int
    models: tuple[ModelPlace, ...]

    @property
    def header_bytes(self) -> int:
        """The registry's header, without what fills up its last unit."""
        return HEADER.size + MODEL.size * len(self.models) + 4

    @property
    def crc(self) -> int:
        """What names the layout in the registry."""
        data = struct.pack("<III", self.region_bytes, self.sector_bytes, self.unit_bytes)
        for model in self.models:
            data += struct.pack("<32sI", model.name.encode(), model.slot_bytes)
        return zlib.crc32(data)

    def slot_offset(self, model: int, slot: int) -> int:
        """Where a slot begins in the region."""
        before = sum(2 * place.slot_bytes for place in self.models[:model])
        return REGISTRY_SECTORS * self.sector_bytes + before + slot * self.models[model].slot_bytes


def read_layout(
    path: str, *, sector_bytes: int | None = None, unit_bytes: int | None = None
) -> StoreLayout:
    """The layout of a TOML file (LAYOUT.md); what is given here counts for more.

    Raises :class:`InputError` where something is missing, unknown or out of range.
    """
    return _Layout(path, {"sector_bytes": sector_bytes, "unit_bytes": unit_bytes}).read()


def store_image(layout: StoreLayout, packages: Mapping[str, bytes]) -> dict[int, bytes]:
    """The bytes of the region by their offset: registry, and the packages of models by name.

    What lies between is to be erased. Raises :class:`InputError` or :class:`PackageError` where a
    package does not fit its place.
    """
    names = [place.name for place in layout.models]
    for name in packages:
        if name not in names:
            raise InputError(
                f"the layout has no model {name!r}, only {', '.join(names)}",
                remedy="name a model of the layout, or add it there",
            )
    rows = b""
    slots: dict[int, bytes] = {}
    for number, place in enumerate(layout.models):
        package = packages.get(place.name)
        if package is None:
            rows += _row(filled=False, floor=0)
            continue
        package = _whole(package, place)
        rows += _row(filled=True, floor=fmt.HEADER.unpack_from(package)[7])
        slots[layout.slot_offset(number, 0)] = _to_units(layout, package)
    head = HEADER.pack(
        MAGIC, FORMAT, layout.header_bytes, 1, 0, 0, layout.crc, len(names), 0, 0, *(0,) * 8
    )
    record = head + rows
    record += struct.pack("<I", zlib.crc32(record))
    second = bytes([layout.erased]) * layout.sector_bytes
    return {0: _to_units(layout, record), layout.sector_bytes: second, **slots}


def image_hex(image: Mapping[int, bytes], base: int) -> bytes:
    """The image as Intel HEX; ``base`` is the region's address."""
    out = IntelHex()
    for offset, data in image.items():
        out.puts(base + offset, data)
    text = io.StringIO()
    out.write_hex_file(text)
    return text.getvalue().encode("ascii")


def image_bin(layout: StoreLayout, image: Mapping[int, bytes]) -> bytes:
    """The image from the region's begin to its last byte that is not to be erased."""
    out = bytearray([layout.erased]) * max(offset + len(data) for offset, data in image.items())
    for offset, data in image.items():
        out[offset : offset + len(data)] = data
    return bytes(out)


def _row(*, filled: bool, floor: int) -> bytes:
    """A model in the registry's header: slot 0 good and confirmed, or none."""
    slots = SLOT_GOOD | SLOT_0_PROVEN if filled else 0
    trial = (0 if filled else NO_SLOT) | NO_SLOT << 4
    return MODEL.pack(slots, trial, 0, 0, floor, int(filled), 0, 0, bytes(8), 0)


def _whole(package: bytes, place: ModelPlace) -> bytes:
    """The package without what follows it in its file, if it may lie in that place."""
    read_trailer(package, place.name)
    content = read_package(package, place.name)
    if content.name != place.name:
        raise PackageError(
            f"{place.name}: the package is of the model {content.name!r}; a device would refuse it",
            remedy=f"compile it with --name {place.name}",
        )
    total: int = fmt.HEADER.unpack_from(package)[3]
    if total > place.slot_bytes:
        raise PackageError(
            f"{place.name}: the package has {total} bytes, its slot {place.slot_bytes}",
            remedy="give the model larger slots in the layout, or make the model smaller",
        )
    return package[:total]


def _to_units(layout: StoreLayout, data: bytes) -> bytes:
    fill = fmt.align(len(data), layout.unit_bytes) - len(data)
    return data + bytes([layout.erased]) * fill


class _Layout:
    """Reads one file."""

    def __init__(self, path: str, given: Mapping[str, int | None]) -> None:
        self._path = path
        self._given = given

    def _fail(self, reason: str, remedy: str = _SEE) -> NoReturn:
        raise InputError(f"{self._path}: {reason}", remedy=remedy)

    def read(self) -> StoreLayout:
        try:
            value = tomllib.loads(read_bytes(self._path).decode("utf-8"))
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
            self._fail(f"is not TOML: {error}")
        keys = {"region_bytes", "sector_bytes", "unit_bytes", "erased", "model"}
        self._known(value, keys, "the file")
        unit = self._number(value, "unit_bytes", "the file")
        sector = self._number(value, "sector_bytes", "the file")
        if unit & (unit - 1) or not 1 <= unit <= MAX_UNIT:
            self._fail(f"unit_bytes is {unit}, not a power of two up to {MAX_UNIT}")
        if sector & (sector - 1) or sector < unit:
            self._fail(f"sector_bytes is {sector}, not a power of two of at least a unit")
        models = self._models(value.get("model"), sector)
        need = REGISTRY_SECTORS * sector + sum(2 * place.slot_bytes for place in models)
        region = self._number({"region_bytes": need, **value}, "region_bytes", "the file")
        erased = self._number({"erased": 0xFF, **value}, "erased", "the file")
        if erased not in (0, 0xFF):
            self._fail(f"erased is {erased}, not 0 or 255")
        if region % sector or not need <= region <= _MOST_BYTES:
            self._fail(
                f"region_bytes is {region}: not whole sectors of {sector} bytes, at least {need} "
                "for the registry and all slots, at most 2^31",
                "make the region larger, or the slots smaller",
            )
        layout = StoreLayout(region, sector, unit, erased, models)
        least = fmt.align(layout.header_bytes, unit) + _LEAST_ENTRIES * max(unit, _ENTRY_BYTES)
        if sector < least:
            self._fail(
                f"sector_bytes is {sector}, the registry of {len(models)} models needs {least}",
                "lay out fewer models, or name the flash's real sector",
            )
        return layout

    def _models(self, tables: object, sector: int) -> tuple[ModelPlace, ...]:
        if not isinstance(tables, list) or not 1 <= len(tables) <= MAX_MODELS:
            self._fail(f"has no [[model]], or more than {MAX_MODELS}")
        places: list[ModelPlace] = []
        for number, table in enumerate(tables):
            where = f"model {number}"
            if not isinstance(table, dict):
                self._fail(f"{where} is not a table")
            self._known(table, {"name", "slot_bytes"}, where)
            name = table.get("name")
            if not isinstance(name, str) or not fmt.MODEL_NAME.fullmatch(name):
                self._fail(f"{where}: name is not 1 to 31 of A-Z a-z 0-9 _ . -")
            if name in (place.name for place in places):
                self._fail(f"two models are called {name!r}")
            slot = self._number(table, "slot_bytes", where)
            if slot < sector or slot % sector:
                self._fail(f"{where}: slot_bytes is {slot}, not whole sectors of {sector} bytes")
            places.append(ModelPlace(name, slot))
        return tuple(places)

    def _known(self, table: Mapping[str, Any], keys: set[str], where: str) -> None:
        unknown = sorted(set(table) - keys)
        if unknown:
            self._fail(f"{where} has {unknown[0]!r}; known are {', '.join(sorted(keys))}")

    def _number(self, table: Mapping[str, Any], key: str, where: str) -> int:
        given = self._given.get(key)
        value = table.get(key) if given is None else given
        if value is None:
            self._fail(f"{where} has no {key}")
        if not isinstance(value, int) or isinstance(value, bool):
            self._fail(f"{where}: {key} is not a whole number")
        return value
