# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Images of the model store: each byte as SPEC.md 4 has it, and how the core takes them."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_tools import put
from packages import rich
from ranvier.errors import InputError, PackageError
from ranvier.native.binding import ffi, library
from ranvier.native.session import text
from ranvier.package.signing import PublicKey, new_key, seal_package
from ranvier.package.store_image import (
    StoreLayout,
    image_bin,
    image_hex,
    read_layout,
    store_image,
)
from ranvier.package.writer import write_package

KEY = new_key()
NAME = "rich"
PACKAGE = seal_package(rich().package, NAME, key=KEY, security_version=5)
TWO = f"""
sector_bytes = 4096
unit_bytes = 16

[[model]]
name = "alpha"
slot_bytes = 8192

[[model]]
name = "{NAME}"
slot_bytes = 12288
"""


def layout_of(folder: Path, toml: str = TWO, **given: int) -> StoreLayout:
    return read_layout(str(put(folder, "layout.toml", toml.encode())), **given)


def u32(data: bytes, at: int) -> int:
    (value,) = struct.unpack_from("<I", data, at)
    return int(value)


def test_the_registry_byte_by_byte(tmp_path: Path) -> None:
    image = store_image(layout_of(tmp_path), {NAME: PACKAGE})
    registry = image[0]
    names = b"alpha".ljust(32, b"\0") + struct.pack("<I", 8192)
    names += NAME.encode().ljust(32, b"\0") + struct.pack("<I", 12288)
    region = 2 * 4096 + 2 * 8192 + 2 * 12288
    layout = zlib.crc32(struct.pack("<III", region, 4096, 16) + names)
    expected = b"RNVS" + b"\1\0" + struct.pack("<H", 132) + b"\1\0\0\0" + bytes(8)
    expected += struct.pack("<I", layout) + b"\2\0" + b"\0\0" + bytes(4) + bytes(32)
    assert len(expected) == 64
    expected += b"\x00\x33\0\0" + bytes(28)
    expected += b"\x42\x30\0\0" + b"\5\0\0\0" + b"\1\0\0\0" + bytes(20)
    expected += struct.pack("<I", zlib.crc32(expected))
    assert registry[:132] == expected
    assert registry[132:] == b"\xff" * 12
    assert image[4096] == b"\xff" * 4096


def test_where_slots_lie(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    places = [layout.slot_offset(model, slot) for model in (0, 1) for slot in (0, 1)]
    assert places == [8192, 16384, 24576, 36864]
    image = store_image(layout, {NAME: PACKAGE})
    assert sorted(image) == [0, 4096, 24576]
    assert image[24576] == PACKAGE


def test_units_are_filled_up_with_the_erased_value(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, "erased = 0\nregion_bytes = 65536\n" + TWO, unit_bytes=128)
    package = write_package(replace(rich().content, meta={"note": "x" * 40}))
    image = store_image(layout, {NAME: package + b"not of the package"})
    assert len(package) % 128 != 0
    assert image[24576] == package + bytes(-len(package) % 128)
    assert image[0][132:] == bytes(256 - 132)
    assert image[4096] == bytes(4096)
    assert u32(image[0], 20) != u32(store_image(layout_of(tmp_path), {})[0], 20)


def test_without_packages_all_models_are_none(tmp_path: Path) -> None:
    image = store_image(layout_of(tmp_path), {})
    assert sorted(image) == [0, 4096]
    assert image[0][64:128] == (b"\0\x33" + bytes(30)) * 2


def records(data: bytes) -> dict[int, int]:
    """The bytes of an Intel HEX file by their address, decoded here."""
    upper, found, ended = 0, {}, False
    for line in data.decode("ascii").splitlines():
        assert not ended
        assert line[0] == ":"
        raw = bytes.fromhex(line[1:])
        assert sum(raw) % 256 == 0
        count, address, kind = struct.unpack_from(">BHB", raw)
        assert count == len(raw) - 5
        if kind == 0:
            found.update({upper + address + i: raw[4 + i] for i in range(count)})
        elif kind == 4:
            upper = int.from_bytes(raw[4:6], "big") << 16
        ended = kind == 1
    assert ended
    return found


def test_hex_has_every_byte_at_its_address(tmp_path: Path) -> None:
    image = store_image(layout_of(tmp_path), {NAME: PACKAGE})
    base = 0x1007_F000  # a segment ends in the region
    expected = {
        base + offset + i: byte for offset, data in image.items() for i, byte in enumerate(data)
    }
    assert records(image_hex(image, base)) == expected


def test_bin_is_the_region(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, "erased = 0\n" + TWO)
    image = store_image(layout, {NAME: PACKAGE})
    data = image_bin(layout, image)
    assert len(data) == 24576 + len(PACKAGE)
    for offset, part in image.items():
        assert data[offset : offset + len(part)] == part
    assert data[144:4096] == bytes(4096 - 144)
    assert data[8192:24576] == bytes(16384)


# What is refused


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("", "has no unit_bytes"),
        ("= nonsense", "is not TOML"),
        (TWO.replace("unit_bytes = 16", ""), "has no unit_bytes"),
        (TWO.replace("unit_bytes = 16", "unit_bytes = 24"), "unit_bytes is 24"),
        (TWO.replace("unit_bytes = 16", "unit_bytes = 0"), "unit_bytes is 0"),
        (TWO.replace("unit_bytes = 16", "unit_bytes = 256"), "unit_bytes is 256"),
        (TWO.replace("unit_bytes = 16", "unit_bytes = true"), "not a whole number"),
        (TWO.replace("unit_bytes = 16", "unit_bytes = '16'"), "not a whole number"),
        (TWO.replace("sector_bytes = 4096", "sector_bytes = 4095"), "sector_bytes is 4095"),
        (TWO.replace("sector_bytes = 4096", "sector_bytes = 8"), "sector_bytes is 8"),
        (TWO.replace("sector_bytes = 4096", "sector_bytes = 0"), "sector_bytes is 0"),
        (TWO.replace("4096", "128").replace("8192", "8320"), "2 models needs 176"),
        ("region_bytes = 45056\n" + TWO, "region_bytes is 45056"),
        ("region_bytes = 49153\n" + TWO, "region_bytes is 49153"),
        ("region_bytes = 2147487744\n" + TWO, "region_bytes is 2147487744"),
        ("erased = 1\n" + TWO, "erased is 1"),
        ("colour = 1\n" + TWO, "has 'colour'"),
        (TWO + "colour = 1\n", "model 1 has 'colour'"),
        (TWO.replace('name = "alpha"', ""), "model 0: name"),
        (TWO.replace('"alpha"', '"a b"'), "model 0: name"),
        (TWO.replace('"alpha"', '"' + "a" * 32 + '"'), "model 0: name"),
        (TWO.replace('"alpha"', f'"{NAME}"'), "two models are called 'rich'"),
        (TWO.replace("slot_bytes = 8192", ""), "model 0 has no slot_bytes"),
        (TWO.replace("slot_bytes = 8192", "slot_bytes = 6144"), "model 0: slot_bytes is 6144"),
        (TWO.replace("slot_bytes = 8192", "slot_bytes = 0"), "model 0: slot_bytes is 0"),
        ("sector_bytes = 4096\nunit_bytes = 16\n", "has no [[model]]"),
        ("sector_bytes = 4096\nunit_bytes = 16\nmodel = [1]\n", "model 0 is not a table"),
        (TWO[:38] + '[[model]]\nname="a"\nslot_bytes=4096\n' * 17, "more than 16"),
    ],
)
def test_layouts_that_no_device_has(toml: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        layout_of(tmp_path, toml)
    assert message in str(caught.value)
    assert "try: " in str(caught.value)


def test_options_count_for_more_than_the_file(tmp_path: Path) -> None:
    layout = layout_of(tmp_path, TWO, sector_bytes=2048, unit_bytes=8)
    assert (layout.sector_bytes, layout.unit_bytes) == (2048, 8)
    assert layout.region_bytes == 2 * 2048 + 2 * 8192 + 2 * 12288


def test_packages_that_do_not_belong_there(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    with pytest.raises(InputError, match="no model 'beta', only alpha, rich"):
        store_image(layout, {"beta": PACKAGE})
    with pytest.raises(PackageError, match="of the model 'rich'; a device would refuse"):
        store_image(layout, {"alpha": PACKAGE})
    with pytest.raises(PackageError, match="magic"):
        store_image(layout, {NAME: bytes(len(PACKAGE))})
    small = layout_of(tmp_path, TWO.replace("4096", "256").replace("12288", "256"))
    with pytest.raises(PackageError, match=f"the package has {len(PACKAGE)} bytes, its slot 256"):
        store_image(small, {NAME: PACKAGE})


# The core's store takes it


class Device:
    """A flash that holds an image and is only read, and crypto by Python, for the core's store."""

    def __init__(self, layout: StoreLayout, region: bytes, keys: list[PublicKey]) -> None:
        self.lib = library()
        owner = ffi.new("uint8_t[]", layout.region_bytes + 16)
        cells = owner + (-int(ffi.cast("uintptr_t", owner))) % 16
        ffi.memmove(cells, region, len(region))
        self.hash = hashlib.sha256()
        self.known = {key.xy: key for key in keys}
        self.alive: list[Any] = [owner, cells]
        self.cells = cells
        self.geometry = [layout.region_bytes, layout.sector_bytes, layout.unit_bytes]
        flash = self.keep(
            "struct rnv_flash *",
            {
                "geometry": [*self.geometry, layout.erased, 0],
                "read": self.call("int(void *, uint32_t, void *, uint32_t)", self.read),
                "program": self.call(
                    "int(void *, uint32_t, const void *, uint32_t)", lambda *_: -5
                ),
                "erase": self.call("int(void *, uint32_t)", lambda *_: -5),
                "map": self.call(
                    "const void *(void *, uint32_t, uint32_t)", lambda _, at, n: cells + at
                ),
            },
        )
        crypto = self.keep(
            "struct rnv_crypto *",
            {
                "hash_start": self.call("int(void *)", self.start),
                "hash_update": self.call("int(void *, const void *, uint32_t)", self.update),
                "hash_finish": self.call("int(void *, uint8_t *)", self.finish),
                "verify": self.call(
                    "int(void *, const uint8_t *, const uint8_t *, const uint8_t *)", self.verify
                ),
            },
        )
        rows = [
            [self.keep("char[]", place.name.encode()), place.slot_bytes, 0]
            for place in layout.models
        ]
        config = {
            "flash": flash,
            "crypto": crypto,
            "layout": self.keep("struct rnv_store_layout[]", rows),
            "models": self.keep("struct rnv_store_model[]", len(rows)),
            "keys": self.keep("struct rnv_key[]", [[key.key_id, list(key.xy)] for key in keys]),
            "model_count": len(rows),
            "key_count": len(keys),
            "trial_boots": 3,
        }
        self.store = ffi.new("struct rnv_store *")
        status = self.lib.rnv_store_mount(
            self.store, self.keep("struct rnv_store_config *", config)
        )
        assert status == 0

    def keep(self, kind: str, value: Any) -> Any:
        self.alive.append(ffi.new(kind, value))
        return self.alive[-1]

    def call(self, kind: str, function: Any) -> Any:
        self.alive.append(ffi.callback(kind, function))
        return self.alive[-1]

    def read(self, _: Any, offset: int, to: Any, count: int) -> int:
        ffi.memmove(to, self.cells + offset, count)
        return 0

    def start(self, _: Any) -> int:
        self.hash = hashlib.sha256()
        return 0

    def update(self, _: Any, data: Any, count: int) -> int:
        self.hash.update(bytes(ffi.buffer(data, count)))
        return 0

    def finish(self, _: Any, to: Any) -> int:
        ffi.memmove(to, self.hash.digest(), 32)
        return 0

    def verify(self, _: Any, xy: Any, sha256: Any, signature: Any) -> int:
        key = self.known[bytes(ffi.buffer(xy, 64))]
        good = key.verifies(bytes(ffi.buffer(sha256, 32)), bytes(ffi.buffer(signature, 64)))
        return 0 if good else -74

    def info(self, model: int) -> Any:
        found = ffi.new("struct rnv_store_info *")
        assert self.lib.rnv_store_info_get(self.store, model, found) == 0
        return found

    def verified(self, model: int, slot: int) -> tuple[int, int]:
        """The status, and why."""
        verify = ffi.new("struct rnv_store_verify *")
        status = self.lib.rnv_store_verify_start(self.store, model, slot, verify)
        while status == 0:
            status = self.lib.rnv_store_verify_step(self.store, verify, 1000)
            if status != -11:
                return status, verify.why
            status = 0
        return status, 0


@contextmanager
def mounted(layout: StoreLayout, region: bytes, keys: list[PublicKey]) -> Iterator[Device]:
    device = Device(layout, region, keys)
    stats = ffi.new("struct rnv_store_stats *")
    device.lib.rnv_store_stats_get(device.store, stats)
    assert (stats.generation, stats.bad_entries, stats.marginal) == (1, 0, 0)
    yield device


@pytest.mark.parametrize(("unit", "erased"), [(1, 0xFF), (16, 0xFF), (16, 0), (128, 0xFF)])
def test_the_core_mounts_it_and_boots_the_package(unit: int, erased: int, tmp_path: Path) -> None:
    layout = layout_of(tmp_path, f"erased = {erased}\n" + TWO, unit_bytes=unit)
    image = store_image(layout, {NAME: PACKAGE})
    region = image_bin(layout, image).ljust(layout.region_bytes, bytes([erased]))
    with mounted(layout, region, [new_key().public, KEY.public]) as device:
        info = device.info(1)
        assert text(info.name) == NAME
        assert (list(info.slot), info.confirmed, info.proven, info.trial) == ([2, 0], 0, 1, 0)
        assert (info.floor, list(info.fills), info.next) == (5, [1, 0], 0)
        assert device.lib.rnv_store_boot(device.store, 1) == 0
        assert device.verified(1, 0) == (0, 0)
        empty = device.info(0)
        assert (list(empty.slot), empty.confirmed, empty.floor) == ([0, 0], 3, 0)
        assert (empty.proven, empty.next) == (0, 3)
        assert device.lib.rnv_store_boot(device.store, 0) == -2


def test_the_core_refuses_another_key_and_changed_bytes(tmp_path: Path) -> None:
    layout = layout_of(tmp_path)
    image = store_image(layout, {NAME: PACKAGE})
    region = image_bin(layout, image).ljust(layout.region_bytes, b"\xff")
    with mounted(layout, region, [new_key().public]) as device:
        assert device.verified(1, 0) == (-13, 5)
    forged = bytearray(PACKAGE)
    forged[-40] ^= 1
    forged[-4:] = struct.pack("<I", zlib.crc32(forged[:-4]))
    region = region[:24576] + bytes(forged) + region[24576 + len(forged) :]
    with mounted(layout, region, [KEY.public]) as device:
        assert device.verified(1, 0) == (-13, 7)
