# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The profiler's dump, as a file or as lines in a console's log (SPEC.md, Trace)."""

from __future__ import annotations

import enum
import re
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from ranvier.errors import InputError

MAGIC = b"RNVT"
FORMAT = 1
LANES = 8
HEADER = struct.Struct("<4sHH5IHH8I")
MODEL = struct.Struct("<24I")
STEP = struct.Struct("<Q6I")
RECORD = struct.Struct("<IIIHBb")
_LINE = re.compile(rb"RNVT ([0-9a-f]{8}) ((?:[0-9a-f]{2}){1,32}) ([0-9a-f]{8})(?![0-9a-f])")
_PARALLEL = 1
_WRAP = 1 << 32
_SLACK_US = 1 << 26
"""By how much the clock of microseconds may fall behind the counter between two SUBMITs."""


class Kind(enum.IntEnum):
    """What an event tells: ``enum rnv_trace``."""

    SUBMIT = 1
    START = 2
    STEP_BEGIN = 3
    STEP_END = 4
    NPU_BEGIN = 5
    NPU_END = 6
    PREEMPT = 7
    RESUME = 8
    DONE = 9
    REFUSED = 10


@dataclass(frozen=True)
class StepCycles:
    """What a step took, in cycles: of the CPU, and the longest of the accelerator."""

    total: int
    runs: int
    min: int
    max: int
    last: int
    npu_runs: int
    npu_max: int


@dataclass(frozen=True)
class Summary:
    """A distribution of microseconds. From a device, percentiles are within 12.5 percent."""

    count: int
    min_us: float
    mean_us: float
    p50_us: float
    p99_us: float
    max_us: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Summary:
        """The distribution of values; percentiles are nearest ranks."""
        ranked = sorted(values)
        count = len(ranked)
        if not count:
            return cls(0, 0, 0, 0, 0, 0)
        p50, p99 = (ranked[-(-count * percent // 100) - 1] for percent in (50, 99))
        return cls(count, ranked[0], sum(ranked) / count, p50, p99, ranked[-1])


@dataclass(frozen=True)
class SlotProfile:
    """What was counted of the model in a slot of the scheduler."""

    slot: int
    package_crc: int
    arena_bytes: int
    completed: int
    failed: int
    missed: int
    queueing: Summary
    blocking: Summary
    response: Summary
    steps: tuple[StepCycles, ...]


@dataclass(frozen=True)
class Event:
    """An event of the ring; ``at`` are cycles since the first one.

    ``step`` is that of STEP_BEGIN to NPU_END, ``status`` of NPU_END and DONE; the last two are of
    DONE.
    """

    kind: Kind
    at: int
    lane: int
    slot: int
    job: int
    step: int = 0
    status: int = 0
    blocked_us: int = 0
    missed: bool = False


@dataclass(frozen=True)
class Trace:
    """A whole dump. ``slots`` are those that were watched, ``lost`` counts events before the first.

    ``parallel``: lanes ran on several cores at once. ``host``: times of this machine, not of a
    device.
    """

    cycles_per_second: int
    parallel: bool
    lost: int
    arena_high_water: tuple[int, ...]
    slots: tuple[SlotProfile, ...]
    events: tuple[Event, ...]
    host: bool = False

    def us(self, cycles: float) -> float:
        """Cycles as microseconds."""
        return cycles * 1e6 / self.cycles_per_second


def is_trace(data: bytes) -> bool:
    """True for a dump, or a log that has lines of one."""
    return data[:4] == MAGIC or _LINE.search(data) is not None


def read_trace(data: bytes, name: str) -> Trace:
    """The trace in a file's bytes: a dump, or a log with its lines (the last dump in it).

    ``name`` is the file's name for messages. Raises :class:`InputError` where it is not whole.
    """
    reader = _Reader(name)
    if data[:4] != MAGIC or data[4:5] == b" ":
        data = reader.dump_of_log(data)
    return reader.trace(data)


class _Reader:
    """Reads one file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _fail(self, reason: str) -> NoReturn:
        raise InputError(
            f"{self._name}: {reason}",
            remedy="dump it again: switch the profiler off, then `ranvier prof dump`",
        )

    def dump_of_log(self, log: bytes) -> bytes:
        """The last dump whose lines are in a log."""
        dump: bytearray | None = None
        gap: int | None = None
        for digits, payload, crc in _LINE.findall(log):
            offset, part = int(digits, 16), bytes.fromhex(payload.decode())
            if zlib.crc32(struct.pack("<I", offset) + part) != int(crc, 16):
                continue  # leaves a gap
            if offset == 0:
                dump, gap = bytearray(), None
            if dump is None or offset != len(dump):
                gap = len(dump or b"") if gap is None else gap
                continue
            dump += part
        if gap is not None:
            self._fail(f"the line of byte {gap} of the trace is missing or damaged")
        if dump is None:
            self._fail("is neither a trace nor a log with one (lines that begin with RNVT)")
        return bytes(dump)

    def trace(self, data: bytes) -> Trace:
        """The trace of a whole dump."""
        if len(data) < HEADER.size:
            self._fail(f"is cut: {len(data)} bytes of a header of {HEADER.size}")
        (
            _,
            number,
            header_bytes,
            total,
            frequency,
            records,
            lost,
            steps,
            models,
            flags,
            *arenas,
        ) = HEADER.unpack_from(data)
        if (number, header_bytes) != (FORMAT, HEADER.size):
            self._fail(f"is of format {number}, this version reads {FORMAT}")
        if len(data) != total:
            self._fail(f"has {len(data)} bytes, its header says {total}")
        sizes = (models * MODEL.size, steps * STEP.size, records * RECORD.size)
        if HEADER.size + sum(sizes) != total:
            self._fail(f"{models} models, {steps} steps and {records} events are not {total} bytes")
        if frequency == 0:
            self._fail("its counter has 0 cycles in a second")
        if flags & ~_PARALLEL:
            self._fail(f"unknown flags {flags:#x}")
        ends = [HEADER.size + sum(sizes[:i]) for i in range(4)]
        parts = [data[begin:end] for begin, end in pairwise(ends)]
        return Trace(
            cycles_per_second=frequency,
            parallel=bool(flags & _PARALLEL),
            lost=lost,
            arena_high_water=tuple(arenas),
            slots=self._slots(parts[0], parts[1]),
            events=self._events(parts[2], models, frequency),
        )

    def _slots(self, models: bytes, steps: bytes) -> tuple[SlotProfile, ...]:
        rows = [StepCycles(*row) for row in STEP.iter_unpack(steps)]
        slots = []
        first = 0
        for slot, row in enumerate(MODEL.iter_unpack(models)):
            crc, arena, count, completed, failed, missed = row[:6]
            if count == 0:
                continue
            if first + count > len(rows):
                self._fail(f"slot {slot} has {count} steps, {len(rows) - first} are left")
            queueing, blocking, response = (
                Summary(*row[6 * part : 6 * part + 6]) for part in (1, 2, 3)
            )
            slots.append(
                SlotProfile(
                    slot=slot,
                    package_crc=crc,
                    arena_bytes=arena,
                    completed=completed,
                    failed=failed,
                    missed=missed,
                    queueing=queueing,
                    blocking=blocking,
                    response=response,
                    steps=tuple(rows[first : first + count]),
                )
            )
            first += count
        if first != len(rows):
            self._fail(f"{len(rows) - first} steps belong to no model")
        return tuple(slots)

    def _events(self, data: bytes, models: int, frequency: int) -> tuple[Event, ...]:
        clock = _Clock(frequency)
        events = []
        for number, row in enumerate(RECORD.iter_unpack(data)):
            cycles, job, value, slot, code, status = row
            try:
                kind = Kind(code & 31)
            except ValueError:
                self._fail(f"event {number} is of an unknown kind, {code & 31}")
            if slot >= models:
                self._fail(f"event {number} is of model {slot}, there are {models}")
            if status > 0:
                self._fail(f"event {number} has status {status}")
            stepped = Kind.STEP_BEGIN <= kind <= Kind.NPU_END
            if stepped and value > 0xFFFF:
                self._fail(f"event {number} is of step {value}")
            done = kind == Kind.DONE
            events.append(
                Event(
                    kind=kind,
                    at=clock.at(cycles, value if kind == Kind.SUBMIT else None),
                    lane=code >> 5,
                    slot=slot,
                    job=job,
                    step=value if stepped else 0,
                    status=status,
                    blocked_us=value & 0x7FFFFFFF if done else 0,
                    missed=done and bool(value >> 31),
                )
            )
        return tuple(events)


class _Clock:
    """Makes one time line of a counter that wraps, and may run back.

    Between two events that are no SUBMIT, less than half a wrap passes. A SUBMIT may come after a
    long idle time; its microseconds tell how often the counter wrapped.
    """

    def __init__(self, frequency: int) -> None:
        self._frequency = frequency
        self._cycles: int | None = None
        self._at = 0
        self._anchor: tuple[int, int] | None = None

    def at(self, cycles: int, us: int | None) -> int:
        """Time of the next event in cycles; ``us`` where it is a SUBMIT."""
        passed = 0 if self._cycles is None else (cycles - self._cycles) % _WRAP
        self._cycles = cycles
        if us is not None and self._anchor is not None:
            since, start = self._anchor
            known = (self._at - start) * 1_000_000 // self._frequency
            idle = (us - since - known + _SLACK_US) % _WRAP - _SLACK_US
            passed += round((idle * self._frequency / 1_000_000 - passed) / _WRAP) * _WRAP
        elif passed >= _WRAP // 2:
            passed = 0
        self._at += max(passed, 0)
        if us is not None:
            self._anchor = (us, self._at)
        return self._at
