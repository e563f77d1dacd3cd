# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A short form of the soak of two cores, under sanitizers; ``make soak`` has the long one."""

from __future__ import annotations

import re
import shutil

import pytest

from ipc_soak import Soak

MESSAGES = 5_000_000
RESULTS = 50_000

pytestmark = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("cc") is None,
    reason="cmake or a C compiler is not installed",
)


@pytest.fixture(scope="module", params=["address,undefined", "thread"])
def soak(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return Soak(tmp_path_factory.mktemp("ipc_soak"), request.param)


def counts(said: str) -> dict[str, int]:
    """Every number by the word behind it."""
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", said)}


def test_every_message_comes_as_it_was_sent(soak: Soak) -> None:
    done = soak.ring(MESSAGES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts(done.stdout)["messages"] == MESSAGES


@pytest.mark.parametrize("how", ["processes", "threads"])
def test_every_result_is_right(soak: Soak, how: str) -> None:
    """Whichever side dies, begins anew, or has its memory spoilt."""
    done = soak.service(how, RESULTS, 1)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = counts(done.stdout)
    assert counted["right"] >= RESULTS
    assert counted["wrong"] == 0
    # All that it is for has happened.
    for what in ("cancelled", "late", "full", "stale", "answers", "restarts"):
        assert counted[what] > 0, what
    if how == "threads":
        assert counted["foreign"] == 0
        assert counted["bonds"] > 10
    else:
        assert counted["words"] == RESULTS // 2
