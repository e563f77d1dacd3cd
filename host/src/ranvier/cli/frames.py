# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier frames``."""

from __future__ import annotations

import re
from pathlib import Path

import click

from ranvier.cli.output import Output, common_options, size
from ranvier.errors import InputError
from ranvier.files import read_bytes, write_files
from ranvier.pixels import FORMATS, Pixels, encode_frame, read_picture

_BYTES_A_ROW = 16
_C_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@click.command()
@click.argument("pictures", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option(
    "--format", "pixel_format", type=click.Choice(FORMATS), required=True, help="What to write."
)
@click.option(
    "--size",
    "wanted",
    nargs=2,
    type=click.IntRange(1),
    metavar="ROWS COLUMNS",
    help="Refuse pictures of another size, as size of the stage image has it.",
)
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="File of raw frames.")
@click.option(
    "--c-array",
    "c_file",
    metavar="FILE.h",
    type=click.Path(dir_okay=False),
    help="C header with the frames as `FILE[COUNT][BYTES]`.",
)
@common_options("frames")
def frames(
    output: Output,
    pictures: tuple[str, ...],
    pixel_format: str,
    wanted: tuple[int, int] | None,
    out: str | None,
    c_file: str | None,
) -> None:
    """Write PICTURES (PNG, all of one size) as the raw frames that a camera would give.

    For packages whose first stage is `image`, on a device without camera.
    """
    if out is None and c_file is None:
        raise click.UsageError("give -o FILE or --c-array FILE.h (or both)")
    _check_paths(pictures, out, c_file)
    read = [(path, read_picture(read_bytes(path), path, wanted)) for path in pictures]
    first = read[0][1]
    for path, rgb in read:
        if rgb.shape != first.shape:
            raise InputError(
                f"{path}: is {_size(rgb)} pixels, {pictures[0]} is {_size(first)}",
                "give pictures of one size",
            )
    try:
        data = [encode_frame(rgb, pixel_format).tobytes() for _, rgb in read]
    except InputError as error:
        raise InputError(f"{pictures[0]}: {error.message}", error.remedy) from None
    written: dict[str | Path, bytes] = {}
    if out is not None:
        written[out] = b"".join(data)
    if c_file is not None:
        written[c_file] = _header(Path(c_file).stem, data).encode()
    write_files(written)
    for name, content in written.items():
        output.text(f"wrote {name} ({size(len(content))} bytes)")
    output.text(f"{len(data)} frames of {_size(first)} {pixel_format}, {size(len(data[0]))} bytes")
    output.json(
        {
            "written": [str(name) for name in written],
            "frames": len(data),
            "frame_bytes": len(data[0]),
        }
    )


def _check_paths(pictures: tuple[str, ...], out: str | None, c_file: str | None) -> None:
    """Wrong usage where a file would be written over another one, or its name is none in C."""
    seen = {Path(path).resolve() for path in pictures}
    for path in (out, c_file):
        if path is not None and Path(path).resolve() in seen:
            raise click.UsageError(f"{path} is named twice; it would be written over")
        if path is not None:
            seen.add(Path(path).resolve())
    if c_file is not None and not _C_NAME.fullmatch(Path(c_file).stem):
        raise click.UsageError(
            f"{c_file}: frames are named as the file, and {Path(c_file).stem!r} is no name in C"
        )


def _size(rgb: Pixels) -> str:
    return f"{rgb.shape[1]}x{rgb.shape[0]}"


def _header(name: str, data: list[bytes]) -> str:
    lines = ["/* Made by `ranvier frames`. */", "", "#include <stdint.h>", ""]
    lines.append(f"static const uint8_t {name}[{len(data)}][{len(data[0])}] = {{")
    for frame in data:
        lines.append("\t{")
        for start in range(0, len(frame), _BYTES_A_ROW):
            row = frame[start : start + _BYTES_A_ROW]
            lines.append("\t\t" + ", ".join(map(str, row)) + ",")
        lines.append("\t},")
    return "\n".join([*lines, "};", ""])
