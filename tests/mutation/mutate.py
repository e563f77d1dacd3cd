# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Mutation run: does some test fail for every small error in kernels and passes?

``mutate.py [--count N] [--seed S] [--only PART] [--workers N] [--build DIR]``

Every worker has its own copy of the sources; the working tree is only read. Prints a line for each
file and its survivors; ends with 1 if a mutant survived, a file's own tests fail without a
mutant, or an entry of equivalents.py is stale.
"""

from __future__ import annotations

import argparse
import queue
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from checks import Check, Ended, Workplace, forget_bytecode
from edits import mutants_of, sampled
from equivalents import EQUIVALENT
from mutant import Mutant
from targets import targets as all_targets

ROOT = Path(__file__).resolve().parents[2]
#: A run with a mutant that takes this much longer than without one hangs.
TIMES_LONGER, SECONDS_MORE = 6.0, 15.0


@dataclass
class Score:
    """What became of the mutants of one file; ``error`` where its tests fail without one."""

    path: str
    killed: int = 0
    stillborn: int = 0
    equivalent: int = 0
    survivors: list[str] = field(default_factory=list)
    kills: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def tested(self) -> int:
        """Mutants that compile."""
        return self.killed + self.equivalent + len(self.survivors)


def identity(path: str, text: str, mutant: Mutant) -> tuple[str, str, str]:
    """How equivalents.py names a mutant: its file, and its lines before and after."""
    return (path, *mutant.lines(text))


def stale(root: Path, entries: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """Entries of equivalents.py that are no mutant of the present sources."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    for path, _, _ in entries:
        if path not in found and (root / path).exists():
            text = (root / path).read_text(encoding="utf-8")
            found[path] = {identity(path, text, m) for m in mutants_of(root / path, text)}
    return [entry for entry in entries if entry not in found.get(entry[0], set())]


def copy_sources(root: Path, tree: Path) -> None:
    """Bring a copy of the sources up to date; what did not change keeps its time."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")
    names = {name for name in listed if name and (root / name).is_file()}
    for name in names:
        source, target = root / name, tree / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        shutil.copymode(source, target)
        forget_bytecode(target)
    for old in (path for path in tree.rglob("*") if path.is_file()):
        path = old.relative_to(tree)
        made = path.parts[0] == "build" or "__pycache__" in path.parts
        if not made and path.as_posix() not in names:
            old.unlink()


class Worker:
    """Tests mutants one after the other in a copy of the sources."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._at = Workplace(folder / "tree", folder / "builds")
        self._at.builds.mkdir(parents=True, exist_ok=True)
        copy_sources(root, self._at.tree)
        self._healthy: dict[Check, float | str] = {}

    def test(self, path: str, checks: tuple[Check, ...], count: int, seed: str) -> Score:
        """Test ``count`` mutants of a file that compile."""
        score = Score(path)
        for check in checks:
            healthy = self._baseline(check)
            if isinstance(healthy, str):
                score.error = f"{check.name}: {healthy[-800:]}"
                return score
        file = self._at.tree / path
        text = file.read_text(encoding="utf-8")
        try:
            for mutant in sampled(mutants_of(file, text), f"{seed}:{path}"):
                if score.tested >= count or score.stillborn >= 4 * count:
                    break
                self._test_one(file, text, mutant, checks, score)
        finally:
            self._write(file, text)
        return score

    def _baseline(self, check: Check) -> float | str:
        """How long a check takes without a mutant, or how it fails."""
        if check not in self._healthy:
            said = check.build(self._at)
            if said is None:
                ended = check.run(self._at, 900.0)
                self._healthy[check] = ended.seconds if ended.code == 0 else ended.said
            else:
                self._healthy[check] = said
        return self._healthy[check]

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        forget_bytecode(file)

    def _test_one(
        self, file: Path, text: str, mutant: Mutant, checks: tuple[Check, ...], score: Score
    ) -> None:
        entry = identity(score.path, text, mutant)
        if entry in EQUIVALENT:
            score.equivalent += 1
            return
        self._write(file, mutant.apply(text))
        before, after = mutant.lines(text)
        told = f"{score.path}:{mutant.line(text)}: {mutant.rule}\n  - {before}\n  + {after}"
        for check in checks:
            if check.build(self._at) is not None:
                score.stillborn += 1
                return
            seconds = self._healthy[check]
            assert isinstance(seconds, float)
            ended = check.run(self._at, TIMES_LONGER * seconds + SECONDS_MORE)
            if ended.code != 0:
                score.killed += 1
                score.kills.append(f"{told}\n    killed by {check.name}: {_reason(ended)}")
                return
        score.survivors.append(told)


def _reason(ended: Ended) -> str:
    if ended.code is None:
        return "time-out"
    lines = [line for line in ended.said.splitlines() if line.strip()]
    return f"{ended.code}: {lines[-1][:200] if lines else ''}"


def run(
    root: Path,
    build: Path,
    targets: dict[str, tuple[Check, ...]],
    count: float,
    seed: str,
    workers: int,
) -> list[Score]:
    """Test mutants of all targets."""
    waiting: queue.SimpleQueue[tuple[str, tuple[Check, ...]]] = queue.SimpleQueue()
    for item in targets.items():
        waiting.put(item)
    scores: list[Score] = []

    def work(number: int) -> None:
        worker = Worker(root, build / str(number))
        while True:
            try:
                path, checks = waiting.get_nowait()
            except queue.Empty:
                return
            scores.append(worker.test(path, checks, wanted(path, count), seed))
            found = [f"survived: {told}" for told in scores[-1].survivors]
            print("\n".join([line_of(scores[-1]), *found]), flush=True)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(scores, key=lambda score: score.path)


def wanted(path: str, count: float) -> int:
    """How many mutants of a file: assembly has most that can be wrong in it."""
    return round(count * (2.0 if path.endswith(".S") else 1.0))


def line_of(score: Score) -> str:
    """A line about one file."""
    if score.error:
        return f"{score.path}: the tests fail without a mutant"
    return (
        f"{score.path}: {score.tested} mutants, {score.killed} killed, "
        f"{score.equivalent} equivalent, {len(score.survivors)} survived"
        f" ({score.stillborn} more did not compile)"
    )


def report(scores: list[Score], old: list[tuple[str, str, str]]) -> str:
    """What is wrong, but for the survivors, which follow their file's line; and the sums."""
    parts = [f"{s.path}: the tests fail without a mutant: {s.error}" for s in scores if s.error]
    parts += [f"stale in equivalents.py: {entry}" for entry in old]
    tested = sum(score.tested for score in scores)
    killed = sum(score.killed for score in scores)
    equivalent = sum(score.equivalent for score in scores)
    left = sum(len(score.survivors) for score in scores)
    parts.append(
        f"{len(scores)} files, {tested} mutants: {killed} killed, {equivalent} equivalent, "
        f"{left} survived"
    )
    return "\n".join(parts)


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", type=float, default=10, help="mutants of a file; twice for .S")
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--only", action="append", help="part of a path; more than one may be given"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--build", type=Path, default=ROOT / "build/mutation")
    parser.add_argument("--kills", action="store_true", help="also print what was killed, and how")
    given = parser.parse_args()
    targets = {
        path: checks
        for path, checks in all_targets(ROOT).items()
        if not given.only or any(part in path for part in given.only)
    }
    scores = run(ROOT, given.build.resolve(), targets, given.count, given.seed, given.workers)
    if given.kills:
        print("\n".join(told for score in scores for told in score.kills))
    old = stale(ROOT, EQUIVALENT)
    print(report(scores, old))
    return 1 if old or any(score.survivors or score.error for score in scores) else 0


if __name__ == "__main__":
    sys.exit(main())
