# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze --tasks``: which deadline can be missed."""

from __future__ import annotations

from collections.abc import Sequence

from ranvier.cli.output import Output, size
from ranvier.schedule import Response, System, analyse, read_tasks


def print_tasks(output: Output, file: str) -> bool:
    """The longest response of every task of a TOML file; True where all deadlines are met."""
    task_set = read_tasks(file)
    responses = analyse(task_set)
    output.text(f"{file}: {task_set.system.driver.value} driver, times in microseconds")
    output.text()
    output.table(
        ["task", "lane", "period", "deadline", "cost", "from", "blocking", "response", ""],
        [_row(response) for response in responses],
    )
    late = [response for response in responses if not response.meets]
    output.text()
    for response in late:
        output.text(f"{response.task.name}: {_advice(response, task_set.system)}")
    if not late:
        output.text("every deadline is met, if no step takes longer than its cost")
    output.text("costs of the scheduler and of the system's own interrupts are not in these times")
    output.json(
        {
            "file": file,
            "driver": task_set.system.driver.value,
            "met": not late,
            "tasks": [
                {
                    "name": response.task.name,
                    "lane": response.task.lane,
                    "period_us": response.task.period_us,
                    "deadline_us": response.task.deadline_us,
                    "cost_us": _cost(response),
                    "costs_from": response.task.source,
                    "blocking_us": response.blocking_us,
                    "queueing_us": response.queueing_us,
                    "response_us": response.response_us,
                    "meets": response.meets,
                }
                for response in responses
            ],
        }
    )
    return not late


def _cost(response: Response) -> int:
    return response.task.cpu_us + sum(response.task.npu_us)


def _row(response: Response) -> Sequence[str]:
    task = response.task
    longest = "no bound" if response.response_us is None else size(response.response_us)
    return [
        task.name,
        str(task.lane),
        size(task.period_us),
        size(task.deadline_us),
        size(_cost(response)),
        task.source,
        size(response.blocking_us),
        longest,
        "" if response.meets else "<- can be late",
    ]


def _advice(response: Response, system: System) -> str:
    task = response.task
    if response.response_us is None:
        return "its lane and those above it are overloaded; lower their rates or costs"
    if _cost(response) > task.deadline_us:
        return "takes longer than its deadline even alone"
    late = response.response_us - task.deadline_us
    if response.blocking_us >= late and response.blocking_us > system.max_flash_op_us:
        return (
            f"up to {late} us late; it can be blocked for {response.blocking_us} us: slice long "
            "steps (ranvier compile --max-step-us), or use a thread per lane"
        )
    return f"up to {late} us late; more urgent work and its own lane delay it"
