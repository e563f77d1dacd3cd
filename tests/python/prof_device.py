# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The C profiler with clocks that the test sets, and traces written by SPEC.md without it."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cffi
import pytest

from ranvier.native.binding import declarations

CORE = Path(__file__).resolve().parents[2] / "firmware" / "core"
FREQUENCY = 100_000_000

SUBMIT, START, STEP_BEGIN, STEP_END, NPU_BEGIN, NPU_END, PREEMPT, RESUME, DONE, REFUSED = range(
    1, 11
)

_PORT = """
#include "ranvier/port.h"
uint32_t test_cycles; uint64_t test_us;
uint32_t rnv_critical_enter(void) { return 0; }
void rnv_critical_exit(uint32_t key) { (void)key; }
uint64_t rnv_now_us(void) { return test_us; }
uint32_t rnv_cycles(void) { return test_cycles; }
uint32_t rnv_cycles_per_second(void) { return 100000000; }
"""

ffi = cffi.FFI()


@cache
def library() -> Any:
    """The profiler, compiled with a port of the test's."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    for name in ("job", "trace", "prof"):
        text = (CORE / "include" / "ranvier" / f"{name}.h").read_text(encoding="utf-8")
        ffi.cdef(declarations(text))
    ffi.cdef("extern uint32_t test_cycles; extern uint64_t test_us;")
    with tempfile.TemporaryDirectory() as folder:
        port, out = Path(folder) / "port.c", Path(folder) / "prof.so"
        port.write_text(_PORT)
        sources = [*sorted((CORE / "src" / "prof").glob("*.c")), CORE / "src/base/crc32.c", port]
        folders = [f"-I{CORE / 'include'}", f"-I{CORE / 'src'}"]
        subprocess.run(
            ["cc", "-std=c11", "-shared", "-fPIC", *folders, *map(str, sources), "-o", str(out)],
            check=True,
        )
        return ffi.dlopen(str(out))


class Device:
    """A profiler that watches a model of ``steps`` steps in each slot; the clock is ``cycles``."""

    def __init__(self, steps: Sequence[int], records: int, crcs: Sequence[int], flags: int = 0):
        self.lib = library()
        self.cycles = 0
        slots = ffi.new("struct rnv_prof_model[]", len(steps))
        ring = ffi.new("struct rnv_prof_record[]", records)
        config = ffi.new("struct rnv_prof_config *")
        config.models, config.model_count = slots, len(steps)
        config.records, config.record_count, config.flags = ring, records, flags
        self.prof = ffi.new("struct rnv_prof *")
        assert self.lib.rnv_prof_init(self.prof, config) == 0
        self._memory = [slots, ring]
        for slot, (count, crc) in enumerate(zip(steps, crcs, strict=True)):
            if count:
                target = ffi.new("struct rnv_prof_target *")
                target.steps = memory = ffi.new("struct rnv_prof_step[]", count)
                target.step_count, target.package_crc, target.arena_bytes = count, crc, 1000 + slot
                self._memory.append(memory)
                assert self.lib.rnv_prof_watch(self.prof, slot, target) == 0
        self.lib.rnv_prof_enable(self.prof, 1)

    def event(
        self, kind: int, lane: int, slot: int, job: int, step: int = 0, status: int = 0
    ) -> None:
        """Tell the profiler of an event, at the time of the clock."""
        event = ffi.new("struct rnv_trace_event *")
        event.kind, event.lane, event.model, event.job = kind, lane, slot, job
        event.step, event.status = step, status
        self._tell(event)

    def done(self, lane: int, slot: int, job: int, us: Sequence[int], **fields: int) -> None:
        """Tell of a job's end; ``us`` are its times of submission, start and end."""
        result = ffi.new("struct rnv_job_result *")
        result.job, result.lane = job, lane
        result.submit_us, result.start_us, result.end_us = us
        for name, value in fields.items():
            setattr(result, name, value)
        event = ffi.new("struct rnv_trace_event *")
        event.kind, event.lane, event.model, event.job = DONE, lane, slot, job
        event.result = result
        self._tell(event)

    def _tell(self, event: Any) -> None:
        self.lib.test_cycles = self.cycles % (1 << 32)
        self.lib.test_us = self.us
        self.lib.rnv_prof_trace(self.prof, event)

    @property
    def us(self) -> int:
        """The clock in microseconds."""
        return self.cycles * 1_000_000 // FREQUENCY

    def dump(self) -> bytes:
        """Switch off and read all."""
        self.lib.rnv_prof_enable(self.prof, 0)
        data = ffi.new("uint8_t[]", 1 << 20)
        count = self.lib.rnv_prof_dump(self.prof, 0, data, 1 << 20)
        return bytes(ffi.buffer(data, count))

    def lines(self) -> list[bytes]:
        """The dump as text."""
        offset = ffi.new("uint32_t *")
        line = ffi.new("char[]", self.lib.RNV_PROF_LINE_BYTES)
        lines = []
        while self.lib.rnv_prof_dump_line(self.prof, offset, line) > 0:
            lines.append(ffi.string(line))
        return lines


def record(
    kind: int, cycles: int, job: int, value: int, lane: int = 0, slot: int = 0, status: int = 0
) -> bytes:
    """An event as SPEC.md has it."""
    return struct.pack(
        "<IIIHBb", cycles % (1 << 32), job, value % (1 << 32), slot, kind | lane << 5, status
    )


def model_row(crc: int, steps: int, *times: int) -> bytes:
    """A model row; ``times`` are its three distributions."""
    return struct.pack("<6I18I", crc, 512, steps, 3, 2, 1, *(times or (0,) * 18))


def dump_of(
    models: Iterable[bytes] = (),
    steps: Iterable[bytes] = (),
    events: Iterable[bytes] = (),
    frequency: int = FREQUENCY,
    flags: int = 0,
) -> bytes:
    """A whole dump."""
    parts = [list(models), list(steps), list(events)]
    body = b"".join(b"".join(part) for part in parts)
    head = struct.pack("<4sHHIIIII", b"RNVT", 1, 64, 64 + len(body), frequency, len(parts[2]), 9,
                       len(parts[1]))  # fmt: skip
    return head + struct.pack("<HH8I", len(parts[0]), flags, *range(8)) + body


def text_of(dump: bytes) -> list[bytes]:
    """A dump's lines."""
    lines = []
    for offset in range(0, len(dump), 32):
        part = dump[offset : offset + 32]
        crc = zlib.crc32(struct.pack("<I", offset) + part)
        lines.append(b"RNVT %08x %s %08x" % (offset, part.hex().encode(), crc))
    return lines


def any_events(seed: int, count: int) -> list[bytes]:
    """Events of all kinds in an order that makes little sense."""
    rng = random.Random(seed)
    cycles = rng.randrange(1 << 32)
    rows = []
    for _ in range(count):
        cycles += rng.choice((0, 0, 1, 50, 3000, -7))
        rows.append(
            record(
                rng.randint(1, 10), cycles, rng.randint(1, 5), rng.randrange(4),
                rng.randrange(3), rng.randrange(2), -rng.randrange(2),
            )
        )  # fmt: skip
    return rows
