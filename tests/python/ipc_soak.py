# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The soak of the rings and of the service (tests/ipc): builds and runs it.

``make soak`` is a billion messages and a million results; ``make test`` a part, also under
sanitizers. Counts decide, not time.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from sched_soak import chain

ROOT = Path(__file__).resolve().parents[2]
#: As tests/ipc/soak.h has it.
TENSOR = 208
STEPS = 3


def model() -> tuple[bytes, bytes]:
    """The package, and what it makes of each byte: the tables of its steps one after the other."""
    shuffle = random.Random(f"soak {STEPS} {TENSOR}")  # as chain() draws them
    bytes_now = bytes(range(256))
    for _ in range(STEPS):
        table = bytes(shuffle.sample(range(256), 256))
        bytes_now = bytes(table[byte] for byte in bytes_now)
    return chain("soak", STEPS, TENSOR), bytes_now


class Soak:
    """The two programs, built in ``folder``; ``sanitize`` names sanitizers."""

    def __init__(self, folder: Path, sanitize: str = "") -> None:
        self._folder = folder
        self._build = folder / "build"
        source, build = str(ROOT / "tests" / "ipc"), str(self._build)
        targets = ["--target", "ring_soak", "service_soak"]
        for step in (
            ["-S", source, "-B", build, f"-DRNV_SANITIZE={sanitize}"],
            ["--build", build, "--parallel", "2", *targets],
        ):
            done = subprocess.run(["cmake", *step], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise RuntimeError(done.stdout + done.stderr)
        package, table = model()
        (folder / "soak.rnv").write_bytes(package)
        (folder / "soak.map").write_bytes(table)

    def ring(self, messages: int) -> subprocess.CompletedProcess[str]:
        """So many messages in all, between threads and between processes."""
        return self._run("ring_soak", str(messages))

    def service(self, how: str, results: int, seed: int) -> subprocess.CompletedProcess[str]:
        """So many right results; ``how`` is processes or threads."""
        with tempfile.TemporaryDirectory() as place:
            files = [f"{place}/region", str(self._folder / "soak.rnv")]
            files.append(str(self._folder / "soak.map"))
            return self._run("service_soak", *files, str(results), str(seed), how)

    def _run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._build / name), *arguments], capture_output=True, text=True, check=False
        )


def main() -> int:
    """Run all of it, print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=1_000_000_000)
    parser.add_argument("--results", type=int, default=1_000_000, help="with each seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "ipc-soak")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    soak = Soak(options.folder)
    failed = False
    for name, run in (
        ("ring", lambda: soak.ring(options.messages)),
        ("service, processes", lambda: soak.service("processes", options.results, options.seed)),
        ("service, threads", lambda: soak.service("threads", options.results, options.seed)),
    ):
        done = run()
        failed = failed or done.returncode != 0
        for line in (done.stdout + done.stderr).splitlines():
            print(f"soak ({name}): {line}", flush=True)
    print(f"soak: {'FAILED' if failed else 'passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
