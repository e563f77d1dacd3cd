# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The mutation tool: it makes the errors it says, in a copy, and counts right."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "mutation"))

import checks  # noqa: E402
import edits  # noqa: E402
import equivalents  # noqa: E402
import mutate  # noqa: E402
import targets  # noqa: E402

C = """\
#include "a < b.h"
#define LIMIT 7
/* x + 1 is no code */
static int f(const int8_t *p, uint32_t n)
{
\tint32_t sum = -*p;

\tif (n < 0x1Fu && sum != 3) {
\t\tsum += (int32_t)n << 2;
\t\tcall(sum,
\t\t     n);
\t}
\treturn sum * LIMIT;
}
"""
ASM = """\
#define FRAME 24
#define acc r3
/* smlad r0, r1, r2, r3 */
\t.balign\t4
1:\tsmlabb\tacc, r1, r2, acc
\tssat\tr4, #8, r4, asr #12\t/* #9 */
\tldr\tr5, [sp, #8]
\tcmp\tr4, r5
\tbne\t1b
"""
PYTHON = '''\
"""x < 1"""
def f(a: int | None, b: list[int]) -> int | None:
    if a is None or a < 2:
        return f"{a + 1}"
    b[0] = min(a, 3)
    b.append(a << 1)
    return a - b[0] if a in b else None
'''


def made(name: str, text: str) -> set[tuple[str, str, str]]:
    """Mutants of a text: rule, the text replaced, its replacement."""
    found = edits.mutants_of(Path(name), text)
    return {(m.rule, text[m.start : m.end], m.new) for m in found}


def test_mutants_of_c() -> None:
    assert made("a.c", C) == {
        ("constant", "7", "8"),
        ("operator", "<", "<="),
        ("constant", "0x1Fu", "0x20u"),
        ("operator", "&&", "||"),
        ("operator", "!=", "=="),
        ("constant", "3", "4"),
        ("condition", "(n < 0x1Fu && sum != 3)", "(!(n < 0x1Fu && sum != 3))"),
        ("operator", "+=", "-="),
        ("operator", "<<", ">>"),
        ("constant", "2", "3"),
        ("statement", "sum += (int32_t)n << 2;", ";"),
        ("statement", "call(sum,\n\t\t     n);", ";"),
        ("operator", "*", "+"),
    }


def test_mutants_of_assembly() -> None:
    assert made("a.S", ASM) == {
        ("immediate", "24", "28"),
        ("drop", "smlabb\tacc, r1, r2, acc", ""),
        ("sibling", "smlabb", "smlatb"),
        ("swap", "acc, r1, r2, acc", "r1, acc, r2, acc"),
        ("swap", "acc, r1, r2, acc", "r2, r1, acc, acc"),
        ("swap", "acc, r1, r2, acc", "acc, acc, r2, r1"),
        ("swap", "acc, r1, r2, acc", "acc, r1, acc, r2"),
        ("drop", "ssat\tr4, #8, r4, asr #12", ""),
        ("sibling", "ssat", "usat"),
        ("sibling", "asr", "lsr"),
        ("immediate", "8", "7"),
        ("immediate", "12", "13"),
        ("drop", "ldr\tr5, [sp, #8]", ""),
        ("immediate", "8", "12"),
        ("drop", "cmp\tr4, r5", ""),
        ("sibling", "cmp", "cmn"),
        ("drop", "bne\t1b", ""),
        ("sibling", "bne", "beq"),
    }


def test_mutants_of_python() -> None:
    assert made("a.py", PYTHON) == {
        ("operator", "is", "is not"),
        ("operator", "or", "and"),
        ("operator", "<", "<="),
        ("constant", "2", "3"),
        ("condition", "a is None or a < 2", "(not (a is None or a < 2))"),
        ("statement", "b[0] = min(a, 3)", "pass"),
        ("constant", "0", "1"),
        ("operator", "min", "max"),
        ("constant", "3", "4"),
        ("statement", "b.append(a << 1)", "pass"),
        ("operator", "<<", ">>"),
        ("constant", "1", "2"),
        ("operator", "-", "+"),
        ("operator", "in", "not in"),
    }


@pytest.mark.parametrize("text", [C, ASM, PYTHON])
def test_a_mutant_changes_its_place_alone(text: str) -> None:
    name = {C: "a.c", ASM: "a.S", PYTHON: "a.py"}[text]
    for mutant in edits.mutants_of(Path(name), text):
        new = mutant.apply(text)
        assert new != text
        assert new[: mutant.start] == text[: mutant.start]
        assert new.endswith(text[mutant.end :])
        before, after = mutant.lines(text)
        assert before != after
        assert text.splitlines()[mutant.line(text) - 1].strip() == before.splitlines()[0]


def test_every_rule_gets_its_turn() -> None:
    mutants = edits.mutants_of(Path("a.c"), C)
    drawn = list(edits.sampled(mutants, "1"))
    assert sorted(map(repr, drawn)) == sorted(map(repr, mutants))
    assert len({mutant.rule for mutant in drawn[:4]}) == 4
    assert drawn == list(edits.sampled(mutants, "1"))
    assert drawn != list(edits.sampled(mutants, "2"))


@dataclass(frozen=True)
class Agreeing:
    """A check in the place of tests: what a file of the copy must say, and what compiles."""

    path: str
    wanted: tuple[str, ...]
    broken: str = "no text has this"
    name: str = "agreeing"

    def build(self, at: checks.Workplace) -> str | None:
        return "error" if self.broken in (at.tree / self.path).read_text() else None

    def run(self, at: checks.Workplace, timeout_s: float) -> checks.Ended:
        text = (at.tree / self.path).read_text()
        return checks.Ended(0 if all(word in text for word in self.wanted) else 1, "", 0.1)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.c").write_text("int f(int a)\n{\n\treturn a + 1 < 5 && a != 9;\n}\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    return root


def run(root: Path, check: Any, count: int = 100) -> mutate.Score:
    build = root.parent / "build"
    (score,) = mutate.run(root, build, {"src/a.c": (check,)}, count, "1", 1)
    return score


def test_counts(repository: Path) -> None:
    """Seven mutants, of + < && != 1 5 9: the check finds those of <, != and 1."""
    before = (repository / "src/a.c").read_text()
    score = run(repository, Agreeing("src/a.c", ("1 < ", "!="), "< 6"))
    assert (score.killed, score.stillborn, score.equivalent) == (3, 1, 0)
    assert len(score.survivors) == 3
    assert any(
        told
        == "src/a.c:3: operator\n  - return a + 1 < 5 && a != 9;\n  + return a + 1 < 5 || a != 9;"
        for told in score.survivors
    )
    assert (repository / "src/a.c").read_text() == before
    copy = repository.parent / "build" / "0" / "tree" / "src" / "a.c"
    assert copy.read_text() == before
    assert mutate.report([score], []).endswith(
        "1 files, 6 mutants: 3 killed, 0 equivalent, 3 survived"
    )


def test_count_is_of_mutants_that_compile(repository: Path) -> None:
    score = run(repository, Agreeing("src/a.c", (), "< 6"), 6)
    assert len(score.survivors) == 6


def test_equivalents_are_counted_apart(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "return a + 1 < 5 && a != 9;"
    entry = ("src/a.c", line, line.replace("&&", "||"))
    monkeypatch.setitem(equivalents.EQUIVALENT, entry, "a reason")
    score = run(repository, Agreeing("src/a.c", ()))
    assert (score.equivalent, len(score.survivors)) == (1, 6)
    assert mutate.stale(repository, [entry]) == []
    source = repository / "src/a.c"
    source.write_text(source.read_text().replace("< 5", "< 7"))
    assert mutate.stale(repository, [entry]) == [entry]


def test_tests_that_fail_without_a_mutant_are_reported(repository: Path) -> None:
    score = run(repository, Agreeing("src/a.c", ("is not there",)))
    assert score.error
    assert score.tested == 0
    assert "fail without a mutant" in mutate.report([score], [])


def test_copy_follows_its_source(repository: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (repository / "src" / "b.c").write_text("b\n")
    mutate.copy_sources(repository, tree)
    (tree / "src" / "a.c").write_text("mutated\n")
    (repository / "src" / "b.c").unlink()
    mutate.copy_sources(repository, tree)
    assert (tree / "src" / "a.c").read_text() == (repository / "src" / "a.c").read_text()
    assert not (tree / "src" / "b.c").exists()


def test_the_binding_finds_its_headers(tmp_path: Path) -> None:
    """Those that host/native installs, beside a copy's library."""
    checks.link_headers(ROOT, tmp_path / "include")
    checks.link_headers(ROOT, tmp_path / "include")  # a later mutant's build
    text = (ROOT / "host/native/CMakeLists.txt").read_text(encoding="utf-8")
    folders = re.findall(r"DESTINATION ranvier/native/(include/\w+)", text)
    assert len(folders) == 2
    assert all(any((tmp_path / folder).glob("*.h")) for folder in folders)


def test_programs_of_contracts_are_found(tmp_path: Path) -> None:
    program = tmp_path / "unit" / "contract" / "contract_seam_test"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    at = checks.Workplace(tmp_path, tmp_path)
    assert checks.Unit("contract_seam_test").run(at, 60).code == 3


def test_a_hang_ends(tmp_path: Path) -> None:
    ended = checks.execute(["sh", "-c", "sleep 60 & sleep 60"], tmp_path, 0.2)
    assert ended.code is None
    assert ended.seconds < 30


def test_targets_exist_and_their_equivalents_have_reasons() -> None:
    found = targets.targets(ROOT)
    assert len(found) > 90
    assert {Path(path).suffix for path in found} == {".S", ".c", ".h", ".inc", ".py"}
    assert not [path for path in found if "predict" in path]
    assert {path for path, _, _ in equivalents.EQUIVALENT} <= found.keys()
    assert all(len(reason) > 20 for reason in equivalents.EQUIVALENT.values())
