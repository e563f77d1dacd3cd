# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The instructions of an inference by mnemonic: what a bound is derived from."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown import NONE, number, per, table

#: Groups of mnemonics, tried in this order on the mnemonic in lower case.
_GROUPS = (
    ("multiply-accumulate", re.compile(r"v?(sml|smm|smu|mla|mls|umla|uml|mul|mlada|mlala)")),
    ("unpack, saturate", re.compile(r"sxt|uxt|pkh|ssat|usat|rev|sel$|bfi|sbfx|ubfx|vq|vmov|vdup")),
    ("load", re.compile(r"v?ld|pop")),
    ("store", re.compile(r"v?st|push")),
    (
        "branch, loop",
        re.compile(r"b$|bl|bx|b(eq|ne|cs|hs|cc|lo|mi|pl|hi|ls|ge|lt|gt|le)$|cb|tb|[wd]ls|le|it"),
    ),
)
_OTHER = "other"
#: Shown by name; the others are one line.
_SHOWN = 40


def merged(mix: Mapping[str, int]) -> dict[str, int]:
    """Encodings of one instruction together, the most frequent first."""
    counts: dict[str, int] = {}
    for mnemonic, count in mix.items():
        name = re.sub(r"\.[wn]$", "", mnemonic.lower())
        counts[name] = counts.get(name, 0) + count
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def group_of(mnemonic: str) -> str:
    """The group of a mnemonic."""
    return next((name for name, pattern in _GROUPS if pattern.match(mnemonic)), _OTHER)


def mix_tables(mix: Mapping[str, int], macs: int) -> str:
    """The histogram by group, then by mnemonic."""
    counts = merged(mix)
    groups = dict.fromkeys((*(name for name, _ in _GROUPS), _OTHER), 0)
    for name, count in counts.items():
        groups[group_of(name)] += count
    total = sum(counts.values())
    named = dict(list(counts.items())[:_SHOWN])
    rest = total - sum(named.values())
    if rest:
        named["the rest"] = rest
    head = ["instructions", "share", "per MAC"]
    return "\n\n".join(
        table(
            ["group" if part is groups else "mnemonic", *head],
            [
                [name, number(count), f"{count / total:.1%}" if total else NONE, per(count, macs)]
                for name, count in (*part.items(), ("all", total))
            ],
        )
        for part in (groups, named)
    )
