# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Which file of the repository is which page of the site, and where links between them lead."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

FILES = {
    "README.md": "overview.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "firmware/app/README.md": "samples/app.md",
    "firmware/remote/README.md": "samples/remote.md",
    "samples/dual_core/posix/README.md": "samples/dual_core_posix.md",
    "firmware/core/DESIGN.md": "project/design.md",
    "firmware/core/SPEC.md": "reference/spec.md",
    "firmware/port/PORTING.md": "porting.md",
    "host/src/ranvier/compiler/pipeline/PIPELINES.md": "pipelines.md",
    "host/src/ranvier/package/LAYOUT.md": "layouts.md",
    "host/src/ranvier/schedule/TASKS.md": "tasks.md",
}
"""Single files that are pages, or (PIPELINES.md) part of one."""

PATTERNS = {
    "samples/*/README.md": "samples/{}.md",
    "models/*/README.md": "models/{}.md",
    "modules/*/README.md": "modules/{}.md",
    "tests/*/README.md": "project/{}.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "benchmarks/*/*.md": "project/{}-{}.md",
}
"""Files that are found, and their pages: the braces are the path's folder, then its name."""

INCLUDES = {
    "firmware/core/include": "Core",
    "firmware/port/zephyr/include": "Zephyr",
    "firmware/port/posix/include": "POSIX",
    "firmware/port/psa/include": "PSA",
}
"""Folders of public headers, and what they are for; Doxygen reads each as a project."""

_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def found_pages(root: Path = ROOT) -> dict[str, str]:
    """Every file of the repository that is a page by itself, and that page."""
    pages = {source: page for source, page in FILES.items() if (root / source).is_file()}
    for pattern, page in PATTERNS.items():
        for path in sorted(root.glob(pattern)):
            names = (path.parent.name, path.stem.lower())
            pages[path.relative_to(root).as_posix()] = page.format(*names)
    return pages


def project(folder: str) -> str:
    """The name of a folder of headers as a project of Doxygen."""
    return INCLUDES[folder].lower()


def headers(root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Every public header: its path, its name in an #include, and its page."""
    for folder in INCLUDES:
        for path in sorted((root / folder).rglob("*.h")):
            name = path.relative_to(root / folder).as_posix()
            page = name.removesuffix(".h").replace("/", "-")
            yield path.relative_to(root).as_posix(), name, f"reference/c/{page}.md"


class Links:
    """Rewrites the links of a file of the repository for the page that shows it."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.pages = found_pages(root)
        for path in (root / "docs").rglob("*.md"):
            name = path.relative_to(root / "docs").as_posix()
            self.pages[f"docs/{name}"] = name
        self.pages |= {path: page for path, _, page in headers(root)}
        self.files: set[str] = set()
        """Files that are linked and no pages; the site gets copies of them."""
        self.wrong: list[str] = []
        """Links that lead nowhere."""

    def rewrite(self, text: str, source: str) -> str:
        """The Markdown ``text`` of the file ``source``, outside of code blocks."""
        return _LINK.sub(lambda match: self._link(match, source), text)

    def _link(self, match: re.Match[str], source: str) -> str:
        words, target = match[1], match[2]
        path, hash_, anchor = target.partition("#")
        if not path or path.startswith("/") or re.match(r"[a-z][a-z+]*:", path):
            return match[0]
        folder = PurePosixPath(source).parent.as_posix()
        wanted = os.path.normpath(f"{folder}/{path}")
        place = self.root / wanted
        page = self.pages.get(wanted) or self.pages.get(f"{wanted}/README.md")
        if page is not None:
            return f"[{words}](/{page}{hash_}{anchor})"
        if place.is_dir():
            return words
        if not place.is_file():
            self.wrong.append(f"{source}: links to {target}, which is not there")
            return words
        self.files.add(wanted)
        return f"[{words}](/_files/{wanted})"
