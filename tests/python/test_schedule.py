# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Response times on the desk: against a simulation, against numbers by hand, and bad task files."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from cli_tools import ranvier
from ranvier.errors import InputError
from ranvier.package.costs import CostTable
from ranvier.package.reader import read_package
from ranvier.schedule import Driver, System, Task, TaskSet, analyse, read_tasks
from sched_reference import Action, LaneSpec, Reference, Submit
from sched_simulation import chain


def random_tasks(rng: random.Random) -> TaskSet:
    """One to five tasks in up to three lanes, between lightly and fully loaded."""
    tasks = []
    count = rng.randint(1, 5)
    for number in range(count):
        period = rng.randint(20, 400)
        share = rng.uniform(0.05, 1.6 / count)
        total = max(1, int(period * share))
        cuts = sorted(rng.sample(range(1, total), min(rng.randint(0, 4), total - 1)))
        steps = tuple(b - a for a, b in zip([0, *cuts], [*cuts, total], strict=True))
        tasks.append(
            Task(
                name=f"t{number}",
                lane=rng.randint(0, 2),
                period_us=period,
                deadline_us=rng.randint(max(1, period // 2), 2 * period),
                steps_us=steps,
                atomic=rng.random() < 0.2,
            )
        )
    return TaskSet(System(rng.choice(list(Driver))), tuple(tasks))


def script_of(rng: random.Random, task_set: TaskSet, until: int) -> list[Action]:
    """Releases of all tasks: at the least period, or now and then later; offsets by chance."""
    preemptive = task_set.system.driver is Driver.THREAD_PER_LANE
    actions: list[Action] = []
    for task in task_set.tasks:
        at = rng.choice((0, 0, 1, rng.randint(0, task.period_us)))
        lazy = rng.random() < 0.3
        while at < until:
            actions.append(
                Submit(
                    at,
                    len(actions),
                    task.lane,
                    task.steps_us,
                    at + task.deadline_us,
                    atomic=task.atomic and not preemptive,
                )
            )
            at += task.period_us + (rng.randint(0, task.period_us // 2) if lazy else 0)
    return actions


def longest_responses(task_set: TaskSet, script: list[Action]) -> dict[tuple[object, ...], int]:
    """Longest response of the jobs of each task, told apart by lane and steps."""
    preemptive = task_set.system.driver is Driver.THREAD_PER_LANE
    run = Reference([LaneSpec(1 << 30)] * 3, script, preemptive=preemptive)
    longest: dict[tuple[object, ...], int] = {}
    for job in run.jobs.values():
        key = (job.spec.lane, job.spec.steps, job.spec.deadline - job.spec.at)
        assert job.ended is not None
        longest[key] = max(longest.get(key, 0), job.ended - job.spec.at)
    return longest


@pytest.mark.parametrize("block", range(4))
def test_no_simulated_response_exceeds_the_bound(block: int) -> None:
    tight = bounded = 0
    for seed in range(block * 200, block * 200 + 200):
        rng = random.Random(seed)
        task_set = random_tasks(rng)
        longest: dict[tuple[object, ...], int] = {}
        for _ in range(3):
            found = longest_responses(task_set, script_of(rng, task_set, 5000))
            longest = {key: max(us, longest.get(key, 0)) for key, us in found.items()}
        for response in analyse(task_set):
            task = response.task
            seen = longest[task.lane, task.steps_us, task.deadline_us]
            if response.response_us is not None:
                assert seen <= response.response_us, f"seed {seed}: {response}"
                bounded += 1
                tight += seen * 1.25 >= response.response_us
    assert bounded > 200
    assert tight > bounded / 3  # the bound is no empty promise


def task(name: str, lane: int, period_us: int, *steps: int, deadline_us: int = 0) -> Task:
    return Task(name, lane, period_us, deadline_us or period_us, steps)


def test_by_hand() -> None:
    tasks = (
        task("urgent", 0, 100, 10, 5),
        task("plain", 1, 1000, 30, 40),
        task("slow", 2, 5000, 60),
    )
    cooperative = analyse(TaskSet(System(), tasks))
    assert [r.blocking_us for r in cooperative] == [60, 60, 0]
    assert cooperative[0].response_us == 60 + 15
    assert cooperative[1].response_us == 60 + 70 + 2 * 15  # released with it, and 100 later
    threads = analyse(TaskSet(System(Driver.THREAD_PER_LANE), tasks))
    assert [r.blocking_us for r in threads] == [0, 0, 0]
    assert threads[0].response_us == 15


def test_the_accelerator_and_flash_count() -> None:
    npu = Task("npu", 0, 1000, 1000, (10, 10), npu_us=(100,))
    other = Task("other", 1, 10000, 10000, (25,), npu_us=(40,))
    (first, _) = analyse(TaskSet(System(max_flash_op_us=7), (npu, other)))
    # A step and a flash operation at release and after the wait, the other's accelerator step.
    assert first.blocking_us == 2 * (25 + 7) + 40
    assert first.response_us == 20 + 100 + first.blocking_us


def test_in_a_lane_the_later_deadline_may_have_started() -> None:
    short = task("short", 0, 100, 10, deadline_us=20)
    long = task("long", 0, 1000, 50, deadline_us=900)
    (first, second) = analyse(TaskSet(System(), (short, long)))
    assert first.response_us == 60
    assert not first.meets
    assert second.meets


def test_overload_has_no_bound() -> None:
    (first, second) = analyse(TaskSet(System(), (task("a", 0, 10, 6), task("b", 1, 10, 5))))
    assert first.response_us == 11
    assert second.response_us is None
    assert not second.meets


GOOD = """
[system]
driver = "thread-per-lane"
[[task]]
name = "a"
lane = 1
period_us = 1000
steps_us = [10, 20]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "tasks.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file(tmp_path: Path) -> None:
    task_set = read_tasks(write(tmp_path, GOOD))
    assert task_set == TaskSet(
        System(Driver.THREAD_PER_LANE), (Task("a", 1, 1000, 1000, (10, 20)),)
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[system]", "[system", "is not TOML"),
        ('"thread-per-lane"', '"threads"', "driver is cooperative or thread-per-lane"),
        ("lane = 1", "lane = 8", "lane is not a number from 0 to 7"),
        ("lane = 1", "lane = true", "lane is not a number"),
        ("period_us = 1000", "period_us = 0", "period_us is not a whole number"),
        ("period_us = 1000", "period_us = 1.5", "period_us is not a whole number"),
        ("period_us = 1000", "", "period_us is not a whole number"),
        ("[10, 20]", "[]", "steps_us is empty"),
        ("[10, 20]", "[10, -1]", "steps_us is not a whole number"),
        ("steps_us = [10, 20]", "", "neither package nor steps_us"),
        ("lane = 1", "lane = 1\nprio = 3", "unknown prio"),
        ('name = "a"', "", "has no name"),
        (
            "[[task]]",
            '[[task]]\nname="a"\nlane=0\nperiod_us=9\nsteps_us=[1]\n[[task]]',
            "two tasks",
        ),
    ],
)
def test_a_bad_file(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_tasks(write(tmp_path, GOOD.replace(old, new)))


def test_the_command(tmp_path: Path) -> None:
    tasks = write(tmp_path, GOOD)
    run = ranvier("analyze", "--tasks", tasks)
    assert run.code == 0
    assert "every deadline is met" in run.out
    late = write(tmp_path, GOOD.replace("period_us = 1000", "period_us = 1000\ndeadline_us = 29"))
    run = ranvier("analyze", "--tasks", late, "--json")
    assert run.code == 1
    document = run.json
    assert not document["met"]
    assert document["tasks"][0]["response_us"] == 30
    assert ranvier("analyze").code == 2
    assert ranvier("analyze", "x.tflite", "--tasks", tasks).code == 2
    assert ranvier("analyze", "--tasks", tmp_path / "none.toml").code == 3


def test_costs_of_packages(tmp_path: Path) -> None:
    data = chain(3)
    (tmp_path / "chain.rnv").write_bytes(data)
    costs = CostTable.of(data, read_package(data, "chain"), (10.0, 0.5, 7.0), margin=2.0)
    (tmp_path / "chain.json").write_text(costs.to_json(), encoding="utf-8")
    text = GOOD.replace("steps_us = [10, 20]", 'package = "chain.rnv"\ncosts = "chain.json"')
    (task,) = read_tasks(write(tmp_path, text)).tasks
    assert (task.steps_us, task.source) == ((20, 1, 14), "measured")
    (tmp_path / "chain.rnv").write_bytes(chain(2))
    with pytest.raises(InputError, match="were measured with package"):
        read_tasks(write(tmp_path, text))
    text = text.replace('costs = "chain.json"\n', "")
    with pytest.raises(InputError, match="no clock_mhz"):
        read_tasks(write(tmp_path, text))
    clock = "[system]\nclock_mhz = 10\ncycles_per_instruction = 2\n"
    with pytest.raises(InputError, match="predicts no instructions"):
        read_tasks(write(tmp_path, text.replace("[system]\n", clock)))


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    text = GOOD.replace("steps_us = [10, 20]", 'package = "\\u0000"')
    with pytest.raises(InputError, match="cannot be read"):
        read_tasks(write(tmp_path, text))
