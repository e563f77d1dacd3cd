# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Compressed uploads and deltas: what is chosen, what a device is told, and the way there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cli_tools import DIGITS, Answer, put, ranvier
from fake_link import PtyDevice
from fake_smp_device import EINVAL, ENOTSUP, GOOD, FakeDevice, FakeModel, FakeSlot, Refused
from patch_decoders import END, by_the_core
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.device.client import Client
from ranvier.device.errors import DeviceError
from ranvier.device.offer import Offer, read_offer
from ranvier.device.parcel import Encoding, Parcel, current, parcels
from ranvier.device.simulator import find_simulator
from ranvier.device.update import Updater
from ranvier.device.wire import Info, ModelState
from ranvier.errors import InputError, PackageError, ToolError

ESTALE = 116
MODEL = DIGITS / "digits.tflite"


def offer(version: int) -> Offer:
    options = CompileOptions(version=(version, 0, 0))
    package = compile_model(MODEL.read_bytes(), MODEL.name, options).package
    return read_offer(package, f"{version}.rnv")


ONE, TWO = offer(1), offer(2)


def state_of(device: FakeDevice) -> tuple[Info, ModelState]:
    """As the device tells it."""
    with PtyDevice(device) as port, Client(port.address) as client:
        return client.info(), client.model(0)


def holding(package: Offer, **info: Any) -> FakeDevice:
    """A device that runs this."""
    model = FakeModel("digits", slots=[FakeSlot(GOOD, 1, package.data), FakeSlot()], confirmed=0)
    return FakeDevice(model, **info)


class Refusing(FakeDevice):
    """Refuses patches with a code, and notes what it is told."""

    def __init__(self, code: int) -> None:
        super().__init__(holding(ONE).models[0], patch=True)
        self.refuse = code
        self.told: list[dict[str, Any]] = []

    def _begin(self, body: dict[str, Any]) -> None:
        self.told.append(body)
        if body["enc"] == 1:
            raise Refused(self.refuse)
        super()._begin(body)


def test_the_smallest_is_chosen() -> None:
    info, model = state_of(holding(ONE, patch=True))
    kinds = [p.kind for p in parcels(TWO, info, model, Encoding.AUTO, ONE)]
    assert kinds == [Encoding.DELTA, Encoding.COMPRESSED, Encoding.PLAIN]
    kinds = [p.kind for p in parcels(TWO, info, model, Encoding.AUTO, None)]
    assert kinds == [Encoding.COMPRESSED, Encoding.PLAIN]
    for how in (Encoding.PLAIN, Encoding.COMPRESSED, Encoding.DELTA):
        (only,) = parcels(TWO, info, model, how, ONE)
        assert only.kind == how


def test_what_is_sent_stands_for_the_package() -> None:
    info, model = state_of(holding(ONE, patch=True))
    plain, compressed, delta = (
        parcels(TWO, info, model, how, ONE)[0]
        for how in (Encoding.PLAIN, Encoding.COMPRESSED, Encoding.DELTA)
    )
    assert plain == Parcel(Encoding.PLAIN, TWO.data)
    assert (plain.encoding, compressed.encoding, delta.encoding) == (0, 1, 1)
    assert (plain.base, compressed.base, delta.base) == (0, 0, ONE.crc)
    assert by_the_core(compressed.data, len(TWO.data)) == (END, TWO.data)
    assert by_the_core(delta.data, len(TWO.data), ONE.data) == (END, TWO.data)
    assert len(delta.data) < 0.02 * len(TWO.data)


def test_a_device_without_patches() -> None:
    info, model = state_of(holding(ONE))
    assert not info.patches
    assert parcels(TWO, info, model, Encoding.AUTO, ONE) == [Parcel(Encoding.PLAIN, TWO.data)]
    for how in (Encoding.COMPRESSED, Encoding.DELTA):
        with pytest.raises(DeviceError, match="--plain"):
            parcels(TWO, info, model, how, ONE)


def test_the_base_has_to_be_what_the_device_has() -> None:
    info, model = state_of(holding(ONE, patch=True))
    with pytest.raises(InputError, match="--base"):
        parcels(TWO, info, model, Encoding.DELTA, None)
    with pytest.raises(PackageError, match=r"2\.rnv: .* is not the version of 'digits'"):
        parcels(ONE, info, model, Encoding.AUTO, TWO)
    empty = state_of(FakeDevice(FakeModel("digits"), patch=True))[1]
    with pytest.raises(PackageError, match="has: none"):
        parcels(TWO, info, empty, Encoding.DELTA, ONE)


@pytest.mark.parametrize(
    ("states", "confirmed", "expected"),
    [
        ((2, 2), 1, 1),
        ((2, 2), 0, 0),
        ((2, 3), 1, 0),
        ((0, 2), 3, 1),
        ((2, 2), 3, 0),
        ((4, 1), 0, 3),
    ],
)
def test_the_current_slot(states: tuple[int, int], confirmed: int, expected: int) -> None:
    model = state_of(holding(ONE))[1]
    slots = tuple(replace(model.slots[0], state=state) for state in states)
    model = replace(model, slots=slots, confirmed=confirmed)
    found = current(model)
    assert (3 if found is None else 0 if found is slots[0] else 1) == expected


@pytest.mark.parametrize("code", [ESTALE, EINVAL])
@pytest.mark.parametrize("how", [Encoding.AUTO, Encoding.COMPRESSED, Encoding.DELTA])
def test_where_a_patch_is_refused_the_package_follows(code: int, how: Encoding) -> None:
    device = Refusing(code)
    with PtyDevice(device) as port, Client(port.address) as client:
        outcome = Updater(client).push(TWO, permanent=False, encoding=how, base=ONE)
    assert (outcome.encoding, outcome.sent) == ("plain", len(TWO.data))
    assert [body["enc"] for body in device.told] == [1, 0]
    assert device.told[0].get("base", 0) == (0 if how == Encoding.COMPRESSED else ONE.crc)
    assert "base" not in device.told[1]
    assert all(body["hdr"] == TWO.header for body in device.told)


def test_other_refusals_are_final() -> None:
    device = Refusing(ENOTSUP)
    with (
        PtyDevice(device) as port,
        Client(port.address) as client,
        pytest.raises(PackageError, match="refused"),
    ):
        Updater(client).push(TWO, permanent=False, encoding=Encoding.AUTO, base=ONE)
    assert len(device.told) == 1


# --- on a device that decodes ------------------------------------------------------------------


def built() -> bool:
    try:
        find_simulator()
    except ToolError:
        return False
    return True


simulated = pytest.mark.skipif(not built(), reason="ranvier-sim is not built")


class Ota:
    """``ranvier ota`` on a simulated device with this flash file."""

    def __init__(self, folder: Path) -> None:
        self.flash = folder / "flash"
        self.one = put(folder, "one.rnv", ONE.data)
        self.two = put(folder, "two.rnv", TWO.data)

    def __call__(self, command: str, *arguments: object, options: str = "") -> Answer:
        more = f"--allow-unsigned {options}"
        return ranvier("ota", command, *arguments, f"--sim={self.flash}", "--sim-options", more)

    def versions(self) -> list[str]:
        """Of what the slots hold."""
        (model,) = (m for m in self("list", "--json").json["models"] if m["name"] == "digits")
        return [".".join(map(str, slot["version"])) for slot in model["slots"]]


@pytest.fixture
def ota(tmp_path: Path) -> Ota:
    return Ota(tmp_path)


@simulated
def test_compressed_then_a_delta_and_back(ota: Ota) -> None:
    first = ota("push", ota.one, "--permanent", "--json").json
    assert (first["encoding"], first["length"]) == ("compressed", len(ONE.data))
    assert first["sent"] < 0.75 * len(ONE.data)
    second = ota("push", ota.two, "--base", ota.one, "--permanent")
    assert "(delta)" in second.out
    assert f"{len(TWO.data):,} bytes of package" in second.out
    assert ota.versions() == ["1.0.0", "2.0.0"]
    third = ota("push", ota.one, "--delta", "--base", ota.two, "--no-activate", "--json").json
    assert (third["present"], third["sent"]) == (True, 0)


@simulated
def test_a_delta_to_another_version_than_the_device_has(ota: Ota) -> None:
    ota("push", ota.two, "--permanent")
    answer = ota("push", ota.one, "--base", ota.one)
    assert answer.code == 3
    assert "is not the version of 'digits' that the device has" in answer.both
    assert "--base" in answer.both
    assert "needs the package" in ota("push", ota.one, "--delta").both


@simulated
@pytest.mark.parametrize("way", ["--compress", "--delta"])
def test_a_cut_at_operations_of_a_patch(ota: Ota, way: str) -> None:
    """Before, the old version runs; after, the same push gets there, from its first byte."""
    ota("push", ota.one, "--permanent")
    before = ota.flash.read_bytes()
    more = ("--base", ota.one) if way == "--delta" else ()
    cuts, operation = 0, 2
    while True:
        ota.flash.write_bytes(before)
        answer = ota("push", ota.two, way, *more, "--no-activate", options=f"--cut {operation}")
        if answer.code == 0:
            break
        cuts += 1
        assert "the power of the simulated device was cut" in answer.both
        again = ota("push", ota.two, way, *more, "--permanent", "--json")
        assert again.code == 0, again.both
        assert (again.json["begun_at"], again.json["what"]) == (0, "confirmed")
        assert ota.versions() == ["1.0.0", "2.0.0"]
        operation += operation
    assert cuts >= 5
