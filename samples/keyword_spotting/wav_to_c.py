# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the samples of a WAV file as a C array: wav_to_c.py CLIP.wav clip.h [SECONDS]."""

from __future__ import annotations

import struct
import sys
import wave

RATE = 16_000


def main(source: str, target: str, seconds: float) -> None:
    """``target`` gets ``clip``, the first ``seconds`` of ``source``."""
    try:
        with wave.open(source, "rb") as file:
            found = file.getframerate(), file.getnchannels(), file.getsampwidth()
            count = min(int(seconds * RATE), file.getnframes())
            data = file.readframes(count)
    except (OSError, EOFError, wave.Error) as error:
        why = str(error) or "is empty or ends too early"
        sys.exit(f"{source}: {why}; give a WAV file of plain samples")
    if found != (RATE, 1, 2) or not data:
        why = "has no samples" if not data else "not samples at 16 kHz, mono, 16 bits"
        sys.exit(f"{source}: {why}; convert it: sox {source} -r {RATE} -c 1 -b 16 clip.wav")
    if len(data) != 2 * count:
        sys.exit(f"{source}: the file is truncated; give a WAV file that is whole")
    samples = struct.unpack(f"<{count}h", data)
    rows = [
        "\t" + ", ".join(map(str, samples[i : i + 12])) + "," for i in range(0, len(samples), 12)
    ]
    text = [
        f"/* Made by wav_to_c.py: {len(samples)} samples at {RATE} Hz. */",
        "",
        "#include <stdint.h>",
        "",
        "static const int16_t clip[] = {",
        *rows,
        "};",
        "",
    ]
    with open(target, "w", encoding="ascii") as file:
        file.write("\n".join(text))


if len(sys.argv) not in (3, 4):
    print("usage: wav_to_c.py CLIP.wav clip.h [SECONDS]", file=sys.stderr)
    sys.exit(2)
main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 3600.0)
