# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Can these jobs meet their deadlines? Answered on the desk, before there is a device."""

from ranvier.schedule.response import Response, analyse
from ranvier.schedule.tasks import Driver, System, Task, TaskSet, read_tasks

__all__ = ["Driver", "Response", "System", "Task", "TaskSet", "analyse", "read_tasks"]
