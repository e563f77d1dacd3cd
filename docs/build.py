# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation site: ``make docs``, or this file with the name of one of its parts.

build.py           the site and the blocks
build.py site      Doxygen and Sphinx, warnings are errors; then the check of all internal links
build.py blocks    executes the code blocks of the pages
build.py ops       writes docs/SUPPORTED_OPS.md
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "docs"

sys.path.insert(0, str(ROOT / "docs"))

from sitegen import check_site, run_blocks, supported_ops  # noqa: E402
from sitegen.errors import SiteError  # noqa: E402
from sitegen.pages import INCLUDES, project  # noqa: E402
from sitegen.stage import stage  # noqa: E402


def doxygen() -> None:
    """The public headers as XML; a warning is an error."""
    program = shutil.which("doxygen")
    if program is None:
        raise SiteError(["doxygen is not installed: apt-get install doxygen, then make docs"])
    shutil.rmtree(OUT / "xml", ignore_errors=True)
    for folder in INCLUDES:
        target = OUT / "xml" / project(folder)
        target.mkdir(parents=True)
        log = target / "warnings.log"
        options = f"INPUT = {folder}\nOUTPUT_DIRECTORY = {target}\nWARN_LOGFILE = {log}\n"
        text = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8") + options
        done = subprocess.run([program, "-"], input=text, text=True, cwd=ROOT, check=False)
        warnings = log.read_text(encoding="utf-8").splitlines()
        if done.returncode or warnings:
            raise SiteError([*warnings, f"doxygen: correct the comments in {folder}"])


def sphinx() -> None:
    """The pages as HTML; a warning is an error."""
    command = [sys.executable, "-m", "sphinx", "-E", "-b", "html", "-W", "--keep-going", "-q"]
    done = subprocess.run(
        [*command, "-d", str(OUT / "doctrees"), str(OUT / "source"), str(OUT / "html")],
        env={**os.environ, "RANVIER_DOXYGEN": str(OUT / "xml")},
        check=False,
    )
    if done.returncode:
        raise SiteError(["sphinx: the warnings above are errors"])


def site() -> None:
    """The whole site, and the check of its links."""
    stage(OUT / "source")
    doxygen()
    sphinx()
    wrong = check_site.wrong_links(OUT / "html")
    if wrong:
        raise SiteError(wrong)


def blocks() -> None:
    """Execute the code blocks of all pages."""
    wrong = []
    for page in run_blocks.pages():
        with tempfile.TemporaryDirectory() as folder:
            wrong += run_blocks.run_page(page, Path(folder))
    if wrong:
        raise SiteError(wrong)


PARTS = {"site": (site,), "blocks": (blocks,), "ops": (supported_ops.write,)}


def main(arguments: list[str]) -> int:
    """Build; the exit code."""
    if len(arguments) > 1 or (arguments and arguments[0] not in PARTS):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for part in PARTS[arguments[0]] if arguments else (site, blocks):
            part()
    except SiteError as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    if arguments[:1] in ([], ["site"]):
        print(f"docs: {(OUT / 'html' / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
