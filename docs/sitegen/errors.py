# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The one error of the site's build."""

from __future__ import annotations

from collections.abc import Iterable


class SiteError(Exception):
    """The site cannot be built; the message lists everything that is wrong, one a line."""

    def __init__(self, wrong: Iterable[str]) -> None:
        self.wrong = tuple(wrong)
        super().__init__("\n".join(self.wrong))
