# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A short form of the scheduler's random soak; ``make soak`` runs 100,000 jobs with each driver."""

from __future__ import annotations

import re

import pytest

from sched_soak import DRIVERS, Soak, seeds

#: With each driver; 2,000 of each seed.
JOBS = 20_000


@pytest.fixture(scope="module")
def soak(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    return Soak(tmp_path_factory.mktemp("sched_soak"))


@pytest.mark.parametrize("driver", DRIVERS)
def test_nothing_is_ever_wrong(soak: Soak, driver: str) -> None:
    said = ""
    for seed, jobs in seeds(1000, JOBS, 2000):
        run = soak.run(driver, jobs, seed)
        assert run.returncode == 0, run.stderr
        said += run.stdout
    # All that it is for has happened.
    rare = ["swaps", "kept_state", "reopened", "claims", "resident_jobs", "callback_actions"]
    rare += ["cancels", "deadline_changes", "drains", "compared", "preempted", "missed", "refused"]
    rare += ["timeouts", "late", "faults", "quarantines", "recovered", "zombies", "fallbacks"]
    for counter in rare:
        assert sum(map(int, re.findall(rf"\b{counter} (\d+)", said))) > 10, counter
    blocked = [int(us) for us in re.findall(r"\bstep_blocked_us (\d+)", said)]
    assert any(blocked) == (driver == "cooperative")
