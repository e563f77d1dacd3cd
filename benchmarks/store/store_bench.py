# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What updates, boots and mounts do to the flash: erases, program calls and reads, as tables.

Writes RESULTS.md. The core's store and update engine run in this process on a flash that counts;
all figures are the same on every run. Exit code 1: a goal is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cortexm"))

import store_counts as counts  # noqa: E402
from counted_device import TRIAL_BOOTS  # noqa: E402
from counted_flash import Counts, Geometry  # noqa: E402
from markdown import table  # noqa: E402

from ranvier.errors import RanvierError  # noqa: E402

GEOMETRIES = (
    Geometry("8 KB, 16 bytes", 8192, 16),
    Geometry("4 KB, 1 byte", 4096, 1),
)
"""The inner flash of an MCX N947, and the W25Q64 beside it on the FRDM board."""
MOST_MODELS = 16
CALLS = 2
"""Most program calls that make a package real, of one model."""
RESULTS = HERE / "RESULTS.md"
Commits = dict[tuple[Geometry, int], dict[str, Counts]]
_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# What the model store does to the flash

Written by `benchmarks/store/store_bench.py`. The core's store and update engine, on a flash in
memory that counts; no board was measured. *Flash* is sector and unit: those of the FRDM board's
inner flash (8 KB, 16 bytes) and of its external one (4 KB, 1 byte). The package has {bytes:,}
bytes, two versions of it follow each other. One model, unless something else is said.
"""
_WEAR = """\
## Wear

{updates} updates one after the other, each: the device starts, the new version is received into the
slot that is not in use, is activated on trial, the device starts again, and the trial is confirmed.
*Resumed*: the power goes once, in the middle of the upload. Erases are per update: of both
sectors of the registry, of all sectors of both slots, and of the sector that was erased most.
Years until that one has had so many erases; days from update to update: {days:g}. How many erases
a sector stands says the data sheet of the flash: these are parameters (`--cycles`, `--days`), not
figures of a part.
"""
_WHY = """\
A patch changes what is sent, not what is erased. Each slot is filled at every other update. The
first change after a start erases one of the registry's two sectors, in turn: for the upload, for
the trial's first start, and once more where the upload goes on after a reset.
"""
_QUIET = """\
{boots} starts that change nothing (mount, choose, verify, load): {erases} erases, {programs}
program calls. A trial that nobody confirms ends at the start after its {trial} starts; each is
counted before it is tried, which is an erase of the registry, and the end is one more: {failed}
with that of its upload.
"""
_COMMIT = """\
## What a change writes

The entry is the last program call, of one unit or, where units are smaller, of 16 bytes: before it
the old state holds, after it the new one. The *first* change after a start erases a sector of the
registry and gives it a header before, in calls of at most 128 bytes. Goal: at most {calls} program
calls, of one model.
"""
_READS = """\
## What a start reads

*Mount* reads the registry: the headers of both sectors and the log of the newer one, each place at
least twice, because what was torn may read otherwise each time; the log is full here. Of slots it
reads nothing. *Load* is all else until the model can run: the chosen slot's package, every byte
once, guarded, and its header once more. Bytes are those of read calls; what is read as mapped
memory is not counted.
"""


def main() -> int:
    """Measure, print, write; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, action="append", help="erases that a sector stands")
    parser.add_argument("--days", type=float, default=1.0, help="from update to update")
    options = parser.parse_args()
    cycles = options.cycles or [10_000, 100_000]
    try:
        first, second = counts.packages()
        commits = {
            (geometry, models): counts.commits(geometry, first, second, models)
            for geometry in GEOMETRIES
            for models in (1, MOST_MODELS)
        }
        quiet = [counts.quiet(geometry, first) for geometry in GEOMETRIES]
        text = "\n".join(
            [
                _HEAD.format(bytes=len(first)),
                _WEAR.format(updates=counts.UPDATES, days=options.days),
                wear_table(first, second, cycles, options.days),
                "",
                _WHY,
                _QUIET.format(
                    boots=counts.BOOTS,
                    erases=sum(found.erases.total() for found in quiet),
                    programs=sum(len(found.programs) for found in quiet),
                    trial=TRIAL_BOOTS,
                    failed=counts.failed_trial(GEOMETRIES[0], first, second),
                ),
                _COMMIT.format(calls=CALLS),
                commit_table(commits),
                "",
                _READS,
                read_table(first),
                "",
            ]
        )
    except RanvierError as error:
        print(f"store_bench: {error}", file=sys.stderr)
        return 1
    print(text)
    RESULTS.write_text(text, encoding="utf-8")
    failures = list(too_many_calls(commits))
    if any(found.programs or found.erases for found in quiet):
        failures.append("starts that change nothing write")
    for failure in failures:
        print(f"store_bench: TOO MUCH: {failure}", file=sys.stderr)
    return 1 if failures else 0


def wear_table(first: bytes, second: bytes, cycles: Sequence[int], days: float) -> str:
    """Erases per update, and years."""
    head = ["flash", "update", "resumed", "registry", "slots", "worst sector"]
    head += [f"years to {count:,}" for count in cycles]
    uploads = {kind: (kind(second, first), kind(first, second)) for kind in counts.KINDS}
    rows = []
    for geometry in GEOMETRIES:
        for kind, pair in uploads.items():
            for resumed in (False, True):
                wear = counts.wear(geometry, pair, resumed)
                cells = [geometry.title, kind.__name__, "once" if resumed else "no"]
                cells += [f"{wear.registry:g}", f"{wear.slots:g}", f"{wear.worst:g}"]
                rows.append([*cells, *(f"{wear.years(count, days):.0f}" for count in cycles)])
    return table(head, rows, left=3)


def commit_table(commits: Commits) -> str:
    """Erases, program calls and their bytes of each change."""
    head = ["change", "flash", "models", "erases", "program calls", "bytes of each"]
    rows = []
    for (geometry, models), changes in commits.items():
        for title, found in changes.items():
            sizes = ", ".join(str(count) for _, count in found.programs)
            cells = [title, geometry.title, str(models), str(found.erases.total())]
            rows.append([*cells, str(len(found.programs)), sizes])
    return table(head, rows, left=2)


def too_many_calls(commits: Commits) -> Iterator[str]:
    """Changes of one model that take more calls than the goal; an announcement decides nothing."""
    for (geometry, models), changes in commits.items():
        for title, found in changes.items():
            if models == 1 and len(found.programs) > CALLS and title != counts.ANNOUNCED:
                yield f"{title}, {geometry.title}: {len(found.programs)} program calls"


def read_table(package: bytes) -> str:
    """Reads of a mount and of a load."""
    head = ["flash", "models", "mount: calls", "bytes", "of slots", "load: calls", "bytes"]
    rows = []
    for geometry in GEOMETRIES:
        for models in (1, MOST_MODELS):
            mount, load = counts.first_reads(geometry, package, models)
            slots = sum(n for at, n in mount.reads if at >= 2 * geometry.sector_bytes)
            figures = [models, len(mount.reads), sum(n for _, n in mount.reads), slots]
            figures += [len(load.reads), sum(n for _, n in load.reads)]
            rows.append([geometry.title, *(f"{figure:,}" for figure in figures)])
    return table(head, rows)


if __name__ == "__main__":
    sys.exit(main())
