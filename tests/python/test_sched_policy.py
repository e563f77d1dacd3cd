# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Random scripts: the core's scheduler against a small reference model of the policy."""

from __future__ import annotations

import random

import pytest

from sched_reference import NEVER, Cancel, LaneSpec, Reference, Submit
from sched_simulation import Simulation, random_script

#: Scripts of one block; 20 blocks for each driver make 10,400 different ones.
SCRIPTS = 260


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(tmp_path_factory.mktemp("sched_sim"))


@pytest.mark.parametrize("driver", ["cooperative", "thread-per-lane"])
@pytest.mark.parametrize("block", range(20))
def test_equals_the_reference(simulation: Simulation, driver: str, block: int) -> None:
    preemptive = driver == "thread-per-lane"
    first = (block + 20 * preemptive) * SCRIPTS
    for seed in range(first, first + SCRIPTS):
        lanes, script = random_script(random.Random(seed))
        expected = Reference(lanes, script, preemptive=preemptive)
        answers, outcomes = simulation.run(lanes, script, preemptive=preemptive)
        assert answers == expected.answers, f"seed {seed}"
        assert outcomes.keys() == expected.jobs.keys()
        for number, job in expected.jobs.items():
            outcome = outcomes[number]
            where = f"seed {seed} job {number}: {outcome} {job}"
            assert outcome.completions == 1, where
            assert (outcome.status, outcome.start) == (job.status, job.started), where
            assert outcome.end == job.ended, where
            late = job.status == "OK" and job.ended is not None and job.ended > job.deadline
            assert outcome.missed == late, where
        assert simulation.slots_in_use() == 0, f"seed {seed}"


def test_blocking_is_at_most_one_longest_lower_step(simulation: Simulation) -> None:
    seen = 0
    for seed in range(500):
        lanes, script = random_script(random.Random(seed))
        submits = [action for action in script if isinstance(action, Submit)]
        simulation.run(lanes, script, preemptive=False)
        for lane in range(len(lanes)):
            lower = [sum(s.steps) if s.atomic else max(s.steps) for s in submits if s.lane > lane]
            blocked = simulation.longest_blocked(lane)
            assert blocked <= max(lower, default=0), f"seed {seed} lane {lane}"
            seen += blocked > 0
    assert seen > 100


def test_with_a_thread_per_lane_nothing_blocks(simulation: Simulation) -> None:
    for seed in range(200):
        lanes, script = random_script(random.Random(seed))
        simulation.run(lanes, script, preemptive=True)
        assert not any(simulation.longest_blocked(lane) for lane in range(len(lanes)))


def test_the_reference_by_hand() -> None:
    lanes = [LaneSpec(4), LaneSpec(1)]
    script = [
        Submit(0, 0, 1, (10, 10, 10)),
        Submit(5, 1, 0, (4,), deadline=100),
        Submit(6, 2, 0, (4,), deadline=50),
        Submit(7, 3, 1, (1,)),
        Submit(8, 4, 1, (1,)),
        Cancel(22, 0),
    ]
    run = Reference(lanes, list(script), preemptive=False)
    assert run.answers == ["OK"] * 4 + ["EAGAIN", "OK"]
    times = {number: (job.started, job.ended, job.status) for number, job in run.jobs.items()}
    assert times == {
        0: (0, 28, "ECANCELED"),  # its second step ends
        1: (14, 18, "OK"),
        2: (10, 14, "OK"),  # the earlier deadline
        3: (28, 29, "OK"),
    }
    threads = Reference(lanes, list(script), preemptive=True)
    assert threads.jobs[1].started == 5
    assert threads.jobs[2].started == 9
    assert threads.jobs[0].ended == 28
    assert NEVER == 2**64 - 1
