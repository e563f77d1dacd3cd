# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the pixels of an 8-bit grey PNG as a C array: ``png_to_c.py FRAME.png FRAME.h``.

Only the standard library, because the Python that CMake finds may have nothing else.
"""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def read_png(data: bytes) -> tuple[int, int, bytes]:
    """Width, height and pixels, row by row; ValueError for any other kind of file."""
    if not data.startswith(_SIGNATURE):
        raise ValueError("is not a PNG file")
    position = len(_SIGNATURE)
    header = compressed = b""
    while position + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        body = data[position + 8 : position + 8 + size]
        header = body if kind == b"IHDR" else header
        compressed += body if kind == b"IDAT" else b""
        position += size + 12
    if len(header) != 13:
        raise ValueError("has no PNG header")
    width, height = struct.unpack_from(">II", header)
    if header[8:] != bytes([8, 0, 0, 0, 0]):
        raise ValueError("is not 8-bit grey without interlacing")
    lines = zlib.decompress(compressed)
    if len(lines) != height * (width + 1):
        raise ValueError("is cut off")
    return width, height, _unfilter(lines, width)


def _unfilter(lines: bytes, width: int) -> bytes:
    """Undo the filter that each line names in its first byte (PNG specification, section 9)."""
    above = bytearray(width)
    pixels = b""
    for start in range(0, len(lines), width + 1):
        kind = lines[start]
        row = bytearray(lines[start + 1 : start + 1 + width])
        for x in range(width):
            left = row[x - 1] if x else 0
            corner = above[x - 1] if x else 0
            guess = (0, left, above[x], (left + above[x]) // 2, _paeth(left, above[x], corner))
            row[x] = (row[x] + guess[kind]) & 0xFF
        pixels += row
        above = row
    return pixels


def _paeth(left: int, above: int, corner: int) -> int:
    estimate = left + above - corner
    return min((left, above, corner), key=lambda value: abs(estimate - value))


def c_source(width: int, height: int, pixels: bytes) -> str:
    """The array ``frame`` with a line for each row of pixels."""
    rows = [pixels[y * width : (y + 1) * width] for y in range(height)]
    body = "".join("\t" + ", ".join(map(str, row)) + ",\n" for row in rows)
    return f"static const unsigned char frame[{width * height}] = {{\n{body}}};\n"


def main() -> None:
    """Convert the file named first into the file named second."""
    source, target = map(Path, sys.argv[1:])
    try:
        text = c_source(*read_png(source.read_bytes()))
    except (ValueError, IndexError, zlib.error) as error:
        sys.exit(f"{source}: {error}")
    target.write_text(text)


if __name__ == "__main__":
    main()
