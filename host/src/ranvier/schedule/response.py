# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Longest response times of tasks in lanes.

Between lanes the more urgent one takes over; inside a lane jobs run to their end, by earliest
deadline. For one lane that is non-preemptive EDF, whose longest response is found by trying the
releases within a busy period (George, Rivierre, Spuri: "Preemptive and Non-Preemptive Real-Time
UniProcessor Scheduling", INRIA RR-2966, 1996, theorem 18). Added to it are the more urgent lanes,
which take over at any time once the job runs, and what a job can wait for although nothing more
urgent runs:

- cooperative driver: one longest step of a less urgent lane, when the lane becomes ready: at
  release, and after each wait for the accelerator; an atomic job counts as one step;
- the remaining accelerator step of another lane, for each accelerator step of its own;
- the longest flash operation while an update is open, in the same places as a step.

The result is an upper bound for the costs that are given. It is as good as they are: an estimate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ranvier.schedule.tasks import Driver, Task, TaskSet

#: Releases tried for one task; above it, the length of the busy period is the answer.
_MOST_RELEASES = 20_000


@dataclass(frozen=True)
class Response:
    """What the analysis says of a task. Times in microseconds; None: no bound, lanes overloaded.

    ``blocking_us`` is the part of a response that less urgent work can cause, ``queueing_us`` an
    upper bound of the time until the first step.
    """

    task: Task
    blocking_us: int
    queueing_us: int | None
    response_us: int | None

    @property
    def meets(self) -> bool:
        """True where every job of the task is complete by its deadline."""
        return self.response_us is not None and self.response_us <= self.task.deadline_us


def analyse(task_set: TaskSet) -> tuple[Response, ...]:
    """The longest response of every task, in the order of the task set."""
    return tuple(_Lane(task_set, task.lane).response(task) for task in task_set.tasks)


def blocking_us(task_set: TaskSet, lane: int) -> int:
    """What delays a lane that becomes ready although nothing more urgent runs."""
    system = task_set.system
    lower = (task for task in task_set.tasks if task.lane > lane)
    step = max((task.longest_step_us for task in lower), default=0)
    return (step if system.driver is Driver.COOPERATIVE else 0) + system.max_flash_op_us


class _Lane:
    """One lane of a task set."""

    def __init__(self, task_set: TaskSet, lane: int) -> None:
        self._own = [task for task in task_set.tasks if task.lane == lane]
        self._higher = [task for task in task_set.tasks if task.lane < lane]
        self._blocking = blocking_us(task_set, lane)
        others = [task for task in task_set.tasks if task.lane != lane]
        self._npu_blocking = max((us for task in others for us in task.npu_us), default=0)
        self._uses_npu = any(task.npu_us for task in self._own)

    def cost(self, task: Task) -> int:
        """Time for which a job of this lane keeps it, more urgent lanes apart."""
        waits = len(task.npu_us)
        return task.cpu_us + sum(task.npu_us) + waits * (self._blocking + self._npu_blocking)

    def _interference(self, task: Task) -> int:
        """What a job of a more urgent lane takes from this one."""
        return task.cpu_us + (sum(task.npu_us) if self._uses_npu else 0)

    def _taken(self, window: int) -> int:
        """Time taken by more urgent lanes in a closed window."""
        return sum((window // h.period_us + 1) * self._interference(h) for h in self._higher)

    def _overloaded(self) -> bool:
        load = sum(self._interference(h) / h.period_us for h in self._higher)
        return load + sum(self.cost(t) / t.period_us for t in self._own) >= 1

    def busy_us(self) -> int:
        """Length of the longest time for which this lane or a more urgent one has work."""

        def demand(window: int) -> int:
            own = sum(-(-window // t.period_us) * self.cost(t) for t in self._own)
            higher = sum(-(-window // h.period_us) * self._interference(h) for h in self._higher)
            return self._blocking + own + higher

        return _fixpoint(demand, 1)

    def response(self, task: Task) -> Response:
        """The longest response of one task of this lane."""
        blocking = self._blocking + len(task.npu_us) * (self._blocking + self._npu_blocking)
        if self._overloaded():
            return Response(task, blocking, None, None)
        busy = self.busy_us()
        releases = self._releases(task, busy)
        if releases is None:
            return Response(task, blocking, busy, busy)
        queueing = response = 0
        for release in releases:
            start, end = self._run(task, release)
            queueing = max(queueing, start - release)
            response = max(response, end - release)
        return Response(task, blocking, queueing, response)

    def _run(self, task: Task, release: int) -> tuple[int, int]:
        """Latest start and end of a job of ``task`` released at ``release`` in a busy period."""

        def start_after(window: int) -> int:
            return self._before(task, release, window) + self._taken(window)

        start = _fixpoint(start_after, 0)
        work = self._before(task, release, start) + self.cost(task)

        def end_after(window: int) -> int:
            return work + self._taken(window)

        return start, _fixpoint(end_after, work)

    def _releases(self, task: Task, busy: int) -> Iterable[int] | None:
        """Releases that can be the worst: those at which some deadlines coincide, or all jobs."""
        count = sum(busy // t.period_us + 1 for t in self._own)
        if count > _MOST_RELEASES:
            return None
        releases = {
            k * t.period_us + t.deadline_us - task.deadline_us
            for t in self._own
            for k in range(busy // t.period_us + 1)
        }
        return sorted(release for release in {*releases, 0} if 0 <= release < busy)

    def _before(self, task: Task, release: int, window: int) -> int:
        """What this lane does in a window before a job of ``task`` released at ``release``."""
        deadline = release + task.deadline_us
        later = [self.cost(t) for t in self._own if t.deadline_us > deadline]
        total = self._blocking + max(later, default=0)
        for other in self._own:
            if other is task:
                total += release // task.period_us * self.cost(task)
            elif other.deadline_us <= deadline:
                jobs = min(
                    window // other.period_us,
                    (deadline - other.deadline_us) // other.period_us,
                )
                total += (jobs + 1) * self.cost(other)
        return total


def _fixpoint(function: Callable[[int], int], start: int) -> int:
    """The least fixpoint from ``start`` on of a function that never falls."""
    value = start
    while (following := function(value)) > value:
        value = following
    return value
