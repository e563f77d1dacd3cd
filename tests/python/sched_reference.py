# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A small model of the scheduling policy, written from the headers and not from the code.

Time is virtual and whole microseconds; a step takes exactly its cost. It keeps plain lists and
searches them: slow, and easy to read.
"""

from __future__ import annotations

from dataclasses import dataclass, field

NEVER = 0xFFFFFFFFFFFFFFFF


@dataclass(frozen=True)
class LaneSpec:
    """A lane: how many jobs may be queued, and whether a full one drops its oldest."""

    depth: int
    drop_oldest: bool = False


@dataclass(frozen=True)
class Submit:
    """Submit job number ``job`` (each number once)."""

    at: int
    job: int
    lane: int
    steps: tuple[int, ...]
    deadline: int = NEVER
    drop_late: bool = False
    atomic: bool = False


@dataclass(frozen=True)
class Cancel:
    """Cancel a job, whatever has become of it."""

    at: int
    job: int


@dataclass(frozen=True)
class SetDeadline:
    """Change the deadline of a job, whatever has become of it."""

    at: int
    job: int
    deadline: int


Action = Submit | Cancel | SetDeadline


@dataclass
class Job:
    """What has become of a job. ``status`` is None while it is not complete."""

    spec: Submit
    deadline: int
    step: int = 0
    started: int | None = None
    ended: int | None = None
    status: str | None = None
    cancelled: bool = False


@dataclass
class _Lane:
    spec: LaneSpec
    queue: list[Job] = field(default_factory=list)
    current: Job | None = None


class Reference:
    """Runs a script of actions to its end. ``answers`` has what each action returned."""

    def __init__(self, lanes: list[LaneSpec], script: list[Action], *, preemptive: bool) -> None:
        self.jobs: dict[int, Job] = {}
        self.answers: list[str] = []
        self._lanes = [_Lane(spec) for spec in lanes]
        self._script = sorted(script, key=lambda action: action.at)
        self._preemptive = preemptive
        self._now = 0
        self._next = 0
        self._run()

    # --- actions ---

    def _perform_due(self) -> None:
        while self._next < len(self._script) and self._script[self._next].at <= self._now:
            action = self._script[self._next]
            self._next += 1
            if isinstance(action, Submit):
                self.answers.append(self._submit(action))
            elif isinstance(action, Cancel):
                self.answers.append(self._cancel(action))
            else:
                self.answers.append(self._set_deadline(action))

    def _submit(self, spec: Submit) -> str:
        lane = self._lanes[spec.lane]
        if len(lane.queue) == lane.spec.depth:
            if not lane.spec.drop_oldest:
                return "EAGAIN"
            self._end(lane.queue.pop(0), "ENOBUFS")
        job = Job(spec, spec.deadline)
        self.jobs[spec.job] = job
        lane.queue.append(job)
        return "OK"

    def _cancel(self, action: Cancel) -> str:
        job = self.jobs.get(action.job)
        if job is None or job.status is not None:
            return "ENOENT"
        lane = self._lanes[job.spec.lane]
        if job in lane.queue:
            lane.queue.remove(job)
            self._end(job, "ECANCELED")
        else:
            job.cancelled = True
        return "OK"

    def _set_deadline(self, action: SetDeadline) -> str:
        job = self.jobs.get(action.job)
        if job is None or job.status is not None:
            return "ENOENT"
        if job not in self._lanes[job.spec.lane].queue:
            return "ESTATE"
        job.deadline = action.deadline
        return "OK"

    def _end(self, job: Job, status: str) -> None:
        job.status = status
        job.ended = self._now

    # --- execution ---

    def _pick(self, first: int, beyond: int) -> _Lane | None:
        """The most urgent of the lanes ``first .. beyond - 1`` with work, its job started."""
        for lane in self._lanes[first:beyond]:
            while lane.current is None and lane.queue:
                job = min(lane.queue, key=lambda job: job.deadline)  # first of equal ones
                lane.queue.remove(job)
                if job.spec.drop_late and job.deadline < self._now:
                    self._end(job, "ETIME")
                    continue
                job.started = self._now
                lane.current = job
            if lane.current is not None:
                return lane
        return None

    def _run(self) -> None:
        self._perform_due()
        while True:
            self._end_cancelled()
            lane = self._pick(0, len(self._lanes))
            if lane is not None:
                self._step(lane)
            elif self._next < len(self._script):
                self._now = max(self._now, self._script[self._next].at)
                self._perform_due()
            else:
                return

    def _step(self, lane: _Lane) -> None:
        """One step of a lane's job; atomic: all of them, one after the other."""
        job = lane.current
        assert job is not None
        while True:
            if job.cancelled:
                self._finish(lane, job, "ECANCELED")
                return
            self._spend(job.spec.steps[job.step], job.spec.lane)
            job.step += 1
            if job.step == len(job.spec.steps):
                self._finish(lane, job, "OK")
                return
            if not job.spec.atomic:
                return
            self._end_cancelled()
            if lane.current is not job:
                return

    def _end_cancelled(self) -> None:
        """Cooperative: every step boundary is one of all started jobs."""
        for lane in self._lanes:
            job = lane.current
            if not self._preemptive and job is not None and job.cancelled:
                self._finish(lane, job, "ECANCELED")

    def _finish(self, lane: _Lane, job: Job, status: str) -> None:
        lane.current = None
        self._end(job, status)

    def _spend(self, cost: int, lane: int) -> None:
        """Let time pass; actions happen when they are due. Preemptive: also more urgent lanes."""
        left = cost
        while left > 0:
            pause = left
            if self._next < len(self._script):
                pause = min(left, max(0, self._script[self._next].at - self._now))
            self._now += pause
            left -= pause
            self._perform_due()
            while self._preemptive and (higher := self._pick(0, lane)) is not None:
                self._step(higher)
