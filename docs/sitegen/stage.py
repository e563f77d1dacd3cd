# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the sources of the site together: pages of docs/, files of the repository, generated ones.

A page may have these lines. A file is included without its title; ``optional`` means that it may be
missing::

    <!-- include: firmware/app/README.md -->
    <!-- include: path/NOTES.md optional -->
    <!-- include-section: README.md | Heading of the section -->
    <!-- image: images/report.png | What it shows -->
    <!-- generate: stages -->
"""

from __future__ import annotations

import re
from pathlib import Path

from sitegen import generated
from sitegen.errors import SiteError
from sitegen.markdown import outside, without_head_comment
from sitegen.pages import DOCS, ROOT, Links, found_pages, headers

_INCLUDE = re.compile(r"^<!-- include: (\S+?)( optional)? -->$", re.MULTILINE)
_SECTION = re.compile(r"^<!-- include-section: (\S+) \| (.+) -->$", re.MULTILINE)
_IMAGE = re.compile(r"^<!-- image: (\S+) \| (.+) -->$", re.MULTILINE)
_GENERATE = re.compile(r"^<!-- generate: (\S+) -->$", re.MULTILINE)
_ASSETS = {".png", ".svg", ".css"}


class Stage:
    """A folder with the sources of the site; files that did not change are not written again."""

    def __init__(self, target: Path, root: Path = ROOT) -> None:
        self.target = target
        self.root = root
        self.links = Links(root)
        self.written: set[Path] = set()

    def write(self, name: str, data: str | bytes) -> None:
        """Write a file of the site's sources."""
        path = self.target / name
        content = data.encode() if isinstance(data, str) else data
        self.written.add(path)
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def file(self, source: str) -> str:
        """The text of a Markdown file of the repository, as its page shows it."""
        text = without_head_comment((self.root / source).read_text(encoding="utf-8"))
        text = outside(text, lambda part: self._expanded(part, source))
        return outside(text, lambda part: self.links.rewrite(part, source))

    def _expanded(self, text: str, source: str) -> str:
        if not source.startswith("docs/"):
            return text
        text = _INCLUDE.sub(lambda match: self._include(match, source), text)
        text = _SECTION.sub(lambda match: self._section(match[1], match[2], source), text)
        text = _IMAGE.sub(lambda match: self._image(match[1], match[2]), text)
        return _GENERATE.sub(lambda match: generated.part(match[1]), text)

    def _include(self, match: re.Match[str], source: str) -> str:
        if not (self.root / match[1]).is_file():
            if match[2] is None:
                self.links.wrong.append(f"{source}: includes {match[1]}, which is not there")
            return ""
        return re.sub(r"\A# .*\n", "", self.file(match[1]))

    def _section(self, name: str, heading: str, source: str) -> str:
        """The text below a heading of a file, up to the next one of its level."""
        text = self.file(name)
        found = re.search(rf"^(#+) {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.M | re.S)
        if found is None:
            self.links.wrong.append(f"{source}: {name} has no heading {heading!r}")
            return ""
        return found[2]

    def _image(self, name: str, words: str) -> str:
        return f"![{words}](/{name})" if (self.root / "docs" / name).is_file() else ""

    def finish(self) -> None:
        """Copy what is linked, and remove what an earlier build left."""
        for name in sorted(self.links.files):
            self.write(f"_files/{name}", (self.root / name).read_bytes())
        for path in self.target.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()
        if self.links.wrong:
            raise SiteError(sorted(set(self.links.wrong)))


def stage(target: Path) -> None:
    """Make the sources of the site in ``target``; raises SiteError for links that lead nowhere."""
    made = Stage(target)
    included = set()
    for path in sorted(DOCS.rglob("*.md")):
        name = path.relative_to(DOCS).as_posix()
        made.write(name, made.file(f"docs/{name}"))
        included |= {match[1] for match in _INCLUDE.finditer(path.read_text(encoding="utf-8"))}
    for source, page in found_pages().items():
        if source not in included:
            made.write(page, made.file(source))
    for asset in sorted(DOCS.rglob("*")):
        if asset.suffix in _ASSETS or asset.name == "conf.py":
            made.write(asset.relative_to(DOCS).as_posix(), asset.read_bytes())
    for header, name, page in headers():
        made.write(page, generated.header_page(header, name))
    for name, text in generated.python_pages():
        made.write(name, text)
    made.finish()
