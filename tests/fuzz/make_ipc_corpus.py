# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes what fuzz_ipc starts from: courses of a client and its server.

Usage: make_ipc_corpus.py FOLDER.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

(SERVER, CLIENT, STEP, PASS, START_CLIENT, SUBMIT, LOOK_UP, STATUS, CANCEL, GIVE) = range(10)
POKE, MESSAGE, FILL, START_SERVER, DRAIN = range(10, 15)
RIGHT = 31
"""A message's epoch, model, slot, size and lane are made right."""
LINES = 112
"""Words of the region in front of its messages."""

BOND = bytes([CLIENT, SERVER, CLIENT])
RUN = bytes([SERVER, STEP, STEP, STEP, STEP, SERVER, CLIENT])


def poke(word: int, value: int) -> bytes:
    """A word of the region gets a value."""
    return struct.pack("<BHI", POKE, word, value)


def message(kind: int, mend: int = RIGHT, args: tuple[int, int, int] = (0, 0, 0)) -> bytes:
    """A request into the ring."""
    fields = struct.pack("<IIHhII3I", 1, 1, kind, 0, 704, 64, *args)
    return bytes([MESSAGE, mend]) + fields


def courses() -> dict[str, bytes]:
    """What happens, by name."""
    job = bytes([SUBMIT | 16])
    out = {
        "infer": BOND + job + RUN,
        "look-up": BOND + bytes([LOOK_UP]) + RUN,
        "status": BOND + bytes([STATUS]) + RUN,
        "three": BOND + job + bytes([SUBMIT | 80]) + job + RUN + RUN + RUN,
        "cancel": BOND + job + bytes([SERVER, STEP, CANCEL]) + RUN,
        "client-again": BOND + job + bytes([SERVER, STEP, START_CLIENT]) + BOND + RUN + BOND,
        "server-again": BOND + job + bytes([SERVER, STEP, START_SERVER]) + BOND + RUN + BOND,
        "dead": BOND + job + bytes([SERVER, PASS | 240, SERVER]) + BOND + RUN,
        "drain": BOND + job + bytes([SERVER, DRAIN | 32]) + RUN + bytes([DRAIN | 16]) + RUN,
        "held": BOND + message(1) * 9 + bytes([SERVER, SERVER]) + RUN,
        "messages": BOND + b"".join(message(kind) + RUN for kind in range(6)),
        "never": BOND + message(3, args=(0, 1 << 16, 0xFFFFFFFF)) + RUN,
    }
    for word in range(0, LINES, 3):
        out[f"poke-{word}"] = BOND + job + bytes([SERVER]) + poke(word, word * 0x01010101) + RUN
    out["fill"] = BOND + job + bytes([FILL | 240]) + struct.pack("<H", 128) + bytes(256) + RUN
    return out


def main(folder: Path) -> None:
    """Write all of it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, course in courses().items():
        (folder / name).write_bytes(course)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
