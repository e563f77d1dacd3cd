# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier image``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from ranvier.cli.output import Output, common_options, size
from ranvier.files import read_bytes, write_bytes
from ranvier.package import format as fmt
from ranvier.package.reader import read_trailer
from ranvier.package.store_image import (
    StoreLayout,
    image_bin,
    image_hex,
    read_layout,
    store_image,
)

_FILE = click.Path(dir_okay=False)
_MOST_ADDRESS = 0xFFFFFFFF


def parse_address(context: click.Context, parameter: click.Parameter, value: str) -> int:
    """A number of 32 bits, as C writes it: 0x80000 or 524288."""
    try:
        number = int(value, 0)
    except ValueError:
        number = -1
    if not 0 <= number <= _MOST_ADDRESS:
        raise click.BadParameter(f"{value!r} is not a number of 32 bits, such as 0x80000")
    return number


@dataclass(frozen=True)
class Place:
    """What lies in slot 0 of a model; ``package_bytes`` is 0 where nothing does."""

    name: str
    address: int
    slot_bytes: int
    package_bytes: int = 0
    security_version: int = 0
    key_id: str | None = None


def _named(given: tuple[str, ...]) -> dict[str, str]:
    """``NAME=FILE`` arguments, or wrong usage."""
    files: dict[str, str] = {}
    for text in given:
        name, equals, file = text.partition("=")
        if not equals or not name or not file:
            raise click.UsageError(f"{text!r} is not NAME=PACKAGE.rnv")
        if name in files:
            raise click.UsageError(f"model {name!r} is given twice")
        files[name] = file
    return files


@click.command("image")
@click.argument("packages", metavar="NAME=PACKAGE.rnv...", nargs=-1, required=True)
@click.option(
    "-o", "--output", "out", type=_FILE, required=True, help="File to write, for a programmer."
)
@click.option(
    "--layout",
    "layout_file",
    metavar="LAYOUT.toml",
    type=_FILE,
    required=True,
    help="The models' places, as the firmware has them.",
)
@click.option("--unit", type=click.IntRange(1), help="Bytes that the flash programs at once.")
@click.option("--sector", type=click.IntRange(1), help="Bytes that the flash erases at once.")
@click.option(
    "--base",
    metavar="ADDRESS",
    callback=parse_address,
    default="0",
    show_default=True,
    help="Address of the region, in Intel HEX.",
)
@click.option("--bin", "as_bin", is_flag=True, help="Write plain bytes from the region's begin on.")
@common_options("image")
def image(
    output: Output,
    packages: tuple[str, ...],
    out: str,
    layout_file: str,
    unit: int | None,
    sector: int | None,
    base: int,
    as_bin: bool,
) -> None:
    """Write a model store with packages in it, as a device would have it: Intel HEX.

    Each package lies in slot 0 of its model and is confirmed. What LAYOUT.toml has to say is in
    LAYOUT.md in ranvier/package. The programmer has to erase the sectors that it writes.
    """
    files = _named(packages)
    if Path(out).resolve() in {Path(file).resolve() for file in (layout_file, *files.values())}:
        raise click.UsageError(f"{out} is named twice; it would be written over")
    if as_bin and base:
        raise click.UsageError("--base is for Intel HEX, not for --bin")
    layout = read_layout(layout_file, sector_bytes=sector, unit_bytes=unit)
    if base + layout.region_bytes > _MOST_ADDRESS + 1:
        raise click.UsageError(f"the region does not fit above --base {base:#x} in 32 bits")
    data = {name: read_bytes(file) for name, file in files.items()}
    found = store_image(layout, data)
    made = image_bin(layout, found) if as_bin else image_hex(found, base)
    write_bytes(out, made)
    places = _places(layout, data, base)
    output.table(
        ["model", "address", "slot", "package", "security version", "key"],
        [
            [
                place.name,
                f"{place.address:#010x}",
                size(place.slot_bytes),
                size(place.package_bytes) if place.package_bytes else "-",
                str(place.security_version),
                place.key_id or "-",
            ]
            for place in places
        ],
    )
    unsigned = [place.name for place in places if place.package_bytes and not place.key_id]
    if unsigned:
        output.text(f"not signed, so only for development: {', '.join(unsigned)}")
    output.text(f"wrote {out} ({size(len(made))} bytes)")
    models = [asdict(place) for place in places]
    output.json({"written": [out], "region_bytes": layout.region_bytes, "models": models})


def _places(layout: StoreLayout, packages: dict[str, bytes], base: int) -> list[Place]:
    found = []
    for number, model in enumerate(layout.models):
        place = Place(model.name, base + layout.slot_offset(number, 0), model.slot_bytes)
        package = packages.get(model.name)
        if package is not None:
            trailer = read_trailer(package, model.name)
            header = fmt.HEADER.unpack_from(package)
            place = replace(
                place,
                package_bytes=header[3],
                security_version=header[7],
                key_id=f"{trailer.key_id:08x}" if trailer.signed else None,
            )
        found.append(place)
    return found
