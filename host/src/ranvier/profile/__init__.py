# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What steps and jobs took, on a device or on this host: tables, traces for Perfetto, costs."""

from ranvier.profile.host import profile_host
from ranvier.profile.perfetto import perfetto_json
from ranvier.profile.steps import StepRow, max_us, slot_of, step_rows
from ranvier.profile.trace import (
    Event,
    Kind,
    SlotProfile,
    StepCycles,
    Summary,
    Trace,
    read_trace,
)

__all__ = [
    "Event",
    "Kind",
    "SlotProfile",
    "StepCycles",
    "StepRow",
    "Summary",
    "Trace",
    "max_us",
    "perfetto_json",
    "profile_host",
    "read_trace",
    "slot_of",
    "step_rows",
]
