# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier remote-image``."""

from __future__ import annotations

from pathlib import Path

import click

from ranvier.cli.image import parse_address
from ranvier.cli.output import Output, common_options, size
from ranvier.files import write_bytes
from ranvier.package.remote_image import make_remote_image, read_built, remote_image_hex

_FILE = click.Path(dir_okay=False)


def _maybe_address(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | None:
    return None if value is None else parse_address(context, parameter, value)


@click.command("remote-image")
@click.argument("built", metavar="ZEPHYR.hex", type=_FILE)
@click.option(
    "-o", "--output", "out", type=_FILE, required=True, help="File to write, for a programmer."
)
@click.option(
    "--address",
    metavar="ADDRESS",
    callback=_maybe_address,
    help="Where the second core sees the image's place; default: where the .hex has it.",
)
@click.option(
    "--build",
    type=click.IntRange(0, 0xFFFFFFFF),
    default=0,
    show_default=True,
    help="A number that tells images apart.",
)
@click.option("--bin", "as_bin", is_flag=True, help="Write plain bytes instead of Intel HEX.")
@common_options("remote-image")
def remote_image(
    output: Output, built: str, out: str, address: int | None, build: int, as_bin: bool
) -> None:
    """Put the header in front of a second core's image that lets it be started.

    ZEPHYR.hex (or .bin, with --address) is what the second core's build made, with
    CONFIG_ROM_START_OFFSET=0x400: the header goes into that room. The first core checks header and
    image before it starts the second one.
    """
    if Path(out).resolve() == Path(built).resolve():
        raise click.UsageError(f"{out} is named twice; it would be written over")
    image = make_remote_image(read_built(built), address=address, build=build)
    made = image.content if as_bin else remote_image_hex(image)
    write_bytes(out, made)
    output.text(
        f"vector table at {image.address:#010x}, {size(image.image_bytes)} bytes, "
        f"CRC {image.image_crc32:08x}, build {image.build}"
    )
    output.text(f"wrote {out} ({size(len(made))} bytes)")
    output.json(
        {
            "written": [out],
            "place": image.place,
            "address": image.address,
            "image_bytes": image.image_bytes,
            "image_crc32": image.image_crc32,
            "build": image.build,
        }
    )
