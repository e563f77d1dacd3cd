# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Traces: what the reader makes of them, and of everything that is none."""

from __future__ import annotations

import random
import re
import struct

import pytest

from prof_device import (
    CORE,
    DONE,
    FREQUENCY,
    NPU_END,
    STEP_BEGIN,
    STEP_END,
    SUBMIT,
    any_events,
    dump_of,
    model_row,
    record,
    text_of,
)
from ranvier.errors import InputError
from ranvier.profile import Event, Kind, Summary, Trace, perfetto_json, read_trace
from ranvier.profile.trace import HEADER, MODEL, RECORD, STEP

STEP_ROW = struct.pack("<Q6I", 1 << 33, 4, 5, 6, 7, 8, 9)


def good() -> bytes:
    """Two slots, the second one watched; some events."""
    rows = [bytes(96), model_row(0xABCD, 2, *range(1, 19))]
    return dump_of(rows, [STEP_ROW, bytes(32)], any_events(1, 20))


def test_every_field() -> None:
    trace = read_trace(good(), "t")
    assert (trace.cycles_per_second, trace.lost, trace.parallel) == (FREQUENCY, 9, False)
    assert trace.arena_high_water == tuple(range(8))
    (slot,) = trace.slots
    assert (slot.slot, slot.package_crc, slot.arena_bytes) == (1, 0xABCD, 512)
    assert (slot.completed, slot.failed, slot.missed) == (3, 2, 1)
    assert slot.queueing == Summary(1, 2, 3, 4, 5, 6)
    assert slot.blocking == Summary(7, 8, 9, 10, 11, 12)
    assert slot.response == Summary(13, 14, 15, 16, 17, 18)
    step = slot.steps[0]
    assert (step.total, step.runs, step.min, step.max, step.last) == (1 << 33, 4, 5, 6, 7)
    assert (step.npu_runs, step.npu_max) == (8, 9)
    assert len(trace.events) == 20
    assert read_trace(dump_of(flags=1), "t").parallel


def test_every_field_of_events() -> None:
    rows = [
        record(SUBMIT, 100, 7, 5000, lane=7, slot=0),
        record(STEP_BEGIN, 150, 8, 0xFFFF, lane=2),
        record(NPU_END, 170, 8, 3, lane=2, status=-110),
        record(DONE, 180, 8, 1 << 31 | 77, status=-125),
        record(DONE, 190, 8, 0x7FFFFFFF),
    ]
    assert read_trace(dump_of([bytes(96)], (), rows), "t").events == (
        Event(Kind.SUBMIT, 0, 7, 0, 7),
        Event(Kind.STEP_BEGIN, 50, 2, 0, 8, step=0xFFFF),
        Event(Kind.NPU_END, 70, 2, 0, 8, step=3, status=-110),
        Event(Kind.DONE, 80, 0, 0, 8, status=-125, blocked_us=77, missed=True),
        Event(Kind.DONE, 90, 0, 0, 8, blocked_us=0x7FFFFFFF),
    )


@pytest.mark.parametrize("seed", range(5))
def test_one_time_line_of_a_counter_that_wraps(seed: int) -> None:
    """True times, of which a trace has only the low bits, come back."""
    rng = random.Random(seed)
    at = rng.randrange(1 << 50)
    first = at
    rows, times = [], []
    for _ in range(500):
        if rng.random() < 0.2:  # idle, up to the 71 minutes that microseconds tell
            at += rng.randrange(1, 4200) * FREQUENCY + rng.randrange(FREQUENCY)
            rows.append(record(SUBMIT, at, 1, at * 1_000_000 // FREQUENCY))
        else:
            at += rng.choice((0, 1, 1000, (1 << 31) - 1))
            rows.append(record(rng.choice((STEP_BEGIN, STEP_END)), at, 1, 0))
        times.append(at - first)
    if not rows or rows[0][14] & 31 != SUBMIT:  # the first time is the anchor
        rows.insert(0, record(SUBMIT, first, 1, first * 1_000_000 // FREQUENCY))
        times.insert(0, 0)
    else:
        times = [time - times[0] for time in times]
    events = read_trace(dump_of([bytes(96)], (), rows), "t").events
    assert [event.at for event in events] == times


def test_a_counter_that_runs_back_never_runs_back_here() -> None:
    """Case 39."""
    rows = [
        record(SUBMIT, 1000, 1, 10),
        record(STEP_BEGIN, 900, 1, 0),
        record(STEP_END, 950, 1, 0),
        record(SUBMIT, 940, 2, 10),
        record(SUBMIT, 941, 3, 9),
        record(STEP_BEGIN, 951, 1, 0),
        record(STEP_BEGIN, 951 + (1 << 31), 1, 0),
        record(STEP_BEGIN, 951 - 1, 1, 0),
    ]
    events = read_trace(dump_of([bytes(96)], (), rows), "t").events
    assert [event.at for event in events] == [0, 0, 50, 50, 51, 61, 61, 61 + (1 << 31) - 1]


def cut(data: bytes, *, at: int) -> bytes:
    return data[:at]


def put(data: bytes, at: int, code: str, value: int) -> bytes:
    size = struct.calcsize(code)
    return data[:at] + struct.pack("<" + code, value) + data[at + size :]


EVENTS = 64 + 2 * 96 + 2 * 32
BAD = {
    "neither a trace": b"",
    "neither a trace nor": b"some log\r\nRNVT is what lines begin with\n",
    "cut: 63": good()[:63],
    "format 2": put(good(), 4, "H", 2),
    "format 1": put(good(), 6, "H", 68),
    "its header says 640": good() + b"\0",
    "has 639": good()[:-1],
    "2 models, 2 steps and 21 events": put(good(), 16, "I", 21),
    "4294967295 steps": put(good(), 24, "I", 0xFFFFFFFF),
    "65535 models": put(good(), 28, "H", 0xFFFF),
    "0 cycles": put(good(), 12, "I", 0),
    "flags 0x3": put(good(), 30, "H", 3),
    "slot 1 has 3 steps": put(good(), 64 + 96 + 8, "I", 3),
    "1 steps belong": put(good(), 64 + 96 + 8, "I", 1),
    "event 3 is of an unknown kind, 11": put(good(), EVENTS + 3 * 16 + 14, "B", 11),
    "event 0 is of an unknown kind, 0": put(good(), EVENTS + 14, "B", 0xE0),
    "event 19 is of model 2": put(good(), EVENTS + 19 * 16 + 12, "H", 2),
    "event 2 has status 1": put(good(), EVENTS + 2 * 16 + 15, "b", 1),
}


@pytest.mark.parametrize("reason", BAD)
def test_what_is_no_trace_is_refused(reason: str) -> None:
    with pytest.raises(InputError, match=re.escape(reason)) as caught:
        read_trace(BAD[reason], "file.bin")
    assert caught.value.message.startswith("file.bin: ")
    assert caught.value.remedy


def test_a_step_number_of_17_bits_is_refused() -> None:
    rows = [record(STEP_BEGIN, 0, 1, 0x10000)]
    with pytest.raises(InputError, match="event 0 is of step 65536"):
        read_trace(dump_of([bytes(96)], (), rows), "t")


def test_every_cut_is_refused() -> None:
    data = good()
    for length in range(len(data)):
        with pytest.raises(InputError):
            read_trace(data[:length], "t")


def trace_or_error(data: bytes) -> Trace | InputError:
    try:
        return read_trace(data, "t")
    except InputError as error:
        return error


def test_any_damage_gives_a_trace_or_a_clear_error() -> None:
    """Random changes; whatever is accepted can be drawn."""
    rng = random.Random(20261130)
    base = good()
    accepted = 0
    for _ in range(3000):
        data = bytearray(base)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.choice(
                (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256))
            )
        if rng.random() < 0.2:
            del data[rng.randrange(len(data)) :]
        trace = trace_or_error(bytes(data))
        if isinstance(trace, Trace):
            perfetto_json(trace, {})
            accepted += 1
        else:
            assert trace.message.startswith("t: ")
    assert 300 < accepted < 2900


# Logs


def log_of(lines: list[bytes]) -> bytes:
    """As a console shows them: prompts, other messages, carriage returns."""
    noise = b"[00:00:01.500,000] <inf> app: RNVT lines follow\r\n"
    return noise + b"\r\n".join(b"uart:~$ " + line + b"\r\nother text" for line in lines)


def test_a_log_has_the_same_trace() -> None:
    assert read_trace(log_of(text_of(good())), "log") == read_trace(good(), "t")
    assert read_trace(b"\n".join(text_of(good())), "log") == read_trace(good(), "t")


def test_the_last_dump_of_a_log_counts() -> None:
    other = dump_of([bytes(96)], (), any_events(2, 3)[:0])
    log = log_of(text_of(good())[:-3] + text_of(good()) + text_of(other))
    assert read_trace(log, "log") == read_trace(other, "t")


def test_a_missing_or_damaged_line_is_named() -> None:
    lines = text_of(good())
    for number in range(len(lines)):
        at = "cut|neither|missing" if number in (0, len(lines) - 1) else f"byte {32 * number} of"
        with pytest.raises(InputError, match=rf"{at}|its header says"):
            read_trace(log_of(lines[:number] + lines[number + 1 :]), "log")
        damaged = lines[number].replace(b" 0", b" 1", 1)
        assert damaged != lines[number]
        with pytest.raises(InputError, match=rf"{at}|its header says"):
            read_trace(log_of([*lines[:number], damaged, *lines[number + 1 :]]), "log")


def test_a_line_twice_is_a_line_out_of_order() -> None:
    lines = text_of(good())
    for number in range(1, len(lines)):
        with pytest.raises(InputError, match="is missing or damaged"):
            read_trace(log_of([*lines[: number + 1], *lines[number:]]), "log")


def test_any_damage_of_a_log_is_found() -> None:
    """A line that is changed has another CRC: no change goes unseen."""
    rng = random.Random(7)
    base = log_of(text_of(good()))
    right = read_trace(base, "log")
    for _ in range(1000):
        data = bytearray(base)
        data[rng.randrange(len(data))] = rng.randrange(256)
        trace = trace_or_error(bytes(data))
        assert trace == right if isinstance(trace, Trace) else trace.message.startswith("t: ")


# SPEC.md

SPEC = (CORE / "SPEC.md").read_text(encoding="utf-8").split("## 5. Trace")[-1]
ROW = re.compile(r"^\| (\d+) \| ([ui])(\d+)(?:\[(\d+)\])? \|", re.MULTILINE)
CODES = {"u8": "B", "i8": "b", "u16": "H", "u32": "I", "u64": "Q"}


@pytest.mark.parametrize(
    ("title", "layout"),
    [("5.1", HEADER), ("5.2", MODEL), ("5.3", STEP), ("5.4", RECORD)],
)
def test_the_reader_has_the_layout_of_the_specification(title: str, layout: struct.Struct) -> None:
    section = SPEC.split(f"### {title} ")[1].split("\n###")[0]
    assert re.match(rf"\w[\w ]*, {layout.size} bytes\n", section)
    codes = ""
    for offset, sign, bits, count in ROW.findall(section):
        assert int(offset) == struct.calcsize("<" + codes)
        codes += CODES[sign + bits] * int(count or 1)
    expanded = re.sub(r"(\d+)([A-Z])", lambda m: m[2] * int(m[1]), layout.format)
    assert "<" + codes == expanded.replace("4s", "I")


def test_the_kinds_are_those_of_the_specification_and_of_c() -> None:
    table = SPEC.split("| kind | name |")[1].split("\n#")[0]
    named = {}
    for numbers, names in re.findall(r"^\| ([\d, ]+) \| ([A-Z_, ]+) \|", table, re.MULTILINE):
        named |= dict(zip(names.split(", "), map(int, numbers.split(", ")), strict=True))
    assert named == {kind.name: kind.value for kind in Kind}
    header = (CORE / "include" / "ranvier" / "trace.h").read_text(encoding="utf-8")
    in_c = {name: int(n) for name, n in re.findall(r"RNV_TRACE_(\w+) = (\d+),", header)}
    assert named == in_c


def test_the_line_of_the_specification_is_one() -> None:
    (line,) = re.findall(r"^    (RNVT .*)$", SPEC, re.MULTILINE)
    lines = text_of(bytes(32) + bytes.fromhex(line.split()[2]))
    assert lines[1].decode() == line
