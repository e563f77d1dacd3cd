# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Persistent state and several entry points: what runs leave, and what the verifier proves."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import row_programs as rows
from packages import Verdict, hostile_values, verdict
from ranvier.compiler.golden import add_golden
from ranvier.errors import InputError
from ranvier.model import Model, Package
from ranvier.native.binding import ffi, library
from ranvier.package.format import golden_bytes
from ranvier.package.reader import read_package
from ranvier.package.records import (
    Alias,
    EntryRecord,
    IoMode,
    Layout,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.state import state_bytes, state_layout
from ranvier.package.writer import write_package
from stateful import SIZE, Instance, content, op, sealed_state, vector

PUSH, READ, CLEAR = range(3)
X, STATE, ZEROS, PUSHED, OUT = range(5)
each = pytest.mark.parametrize("mode", IoMode)
both = pytest.mark.parametrize("in_place", [True, False])


def ready(made: PackageContent) -> Instance:
    """An instance with state, and every entry point's buffers bound."""
    instance = Instance(made)
    assert instance.give_state() == 0
    for entry in range(len(made.entries)):
        instance.bind(entry)
    return instance


@each
@both
def test_state_lasts_from_run_to_run(mode: IoMode, in_place: bool) -> None:
    """Against sums that NumPy forms and saturates; the arena is not what remembers."""
    made = content(mode, in_place=in_place)
    instance = ready(made)
    random = np.random.default_rng(7)
    expected = np.zeros(SIZE, np.int64)
    for run in range(12):
        x = random.integers(-50, 50, SIZE, np.int8)
        assert instance.run(PUSH, {X: x.tobytes()}) == [x.tobytes()]
        expected = np.clip(expected + x, -128, 127)
        if run % 3 == 2:
            assert instance.run(READ, {}) == [expected.astype(np.int8).tobytes()]
        if run == 7:
            assert instance.run(CLEAR, {}) == []
            expected[:] = 0
            assert instance.tensor(STATE) == bytes(SIZE)
    assert np.abs(expected).max() > 50
    assert instance.tensor(STATE) == expected.astype(np.int8).tobytes()


@each
def test_a_self_test_is_of_every_entry_point(mode: IoMode) -> None:
    """From zero state, whatever it was; a trace is of one."""
    made = add_golden(content(mode, in_place=False))
    assert made.golden is not None
    pushed = golden_bytes(made.golden.seed, SIZE)
    assert made.golden.outputs == pushed + pushed
    instance = ready(made)
    for _ in range(3):
        instance.run(PUSH, {X: b"\x07" * SIZE})
        assert instance.lib.rnv_exec_selftest(instance.exec) == 0
    x = np.arange(SIZE, dtype=np.int8).reshape(1, SIZE)
    model = Model(write_package(made))
    for run in (1, 2):
        traced = {tensor: array for _, tensor, array in model.trace(x)}
        assert np.array_equal(traced[STATE], run * x)
        assert len(traced) == 3
    ((_, number, array),) = model.trace(entry="read")
    assert number == OUT + 1
    assert np.array_equal(array, 2 * x)
    assert np.array_equal(model.run(entry="read")[0], 2 * x)
    model.reset()
    assert not model.run(entry="read")[0].any()
    with pytest.raises(InputError, match="no entry point 'pull'"):
        model.run(entry="pull")


@each
def test_instances_are_independent(mode: IoMode) -> None:
    one, other = ready(content(mode)), ready(content(mode))
    one.run(PUSH, {X: b"\x05" * SIZE})
    other.run(PUSH, {X: b"\x07" * SIZE})
    assert one.run(READ, {}) == [b"\x05" * SIZE]
    assert other.run(READ, {}) == [b"\x07" * SIZE]


def test_the_first_entry_point_is_the_default() -> None:
    package = Package(write_package(content()))
    assert [info.name for info in package.inputs] == ["x"]
    assert [info.name for info in package.outputs] == ["pushed"]
    assert package.content == content()
    assert package.native.run([b"\x01" * SIZE]) == [b"\x01" * SIZE]
    lib, handle = library(), package.native.handle
    assert lib.rnv_package_output(handle, READ, 0) == OUT
    assert lib.rnv_package_input(handle, READ, 0) == lib.RNV_NO_TENSOR
    assert lib.rnv_package_output(handle, 3, 0) == lib.RNV_NO_TENSOR


def test_memory_for_state_is_checked() -> None:
    lib = library()
    instance = Instance(content())
    instance.bind(PUSH)
    context, address = instance.exec, instance.state.address
    assert lib.rnv_exec_start(context, PUSH) == lib.RNV_ESTATE
    assert lib.rnv_exec_set_state(context, ffi.NULL, 1 << 20) == lib.RNV_EINVAL
    assert lib.rnv_exec_set_state(context, address + 8, 1 << 20) == lib.RNV_EALIGN
    assert lib.rnv_exec_set_state(context, address, instance.state.size - 1) == lib.RNV_ENOMEM
    assert lib.rnv_exec_start(context, PUSH) == lib.RNV_ESTATE
    assert instance.give_state() == 0
    assert lib.rnv_exec_start(context, PUSH) == 0
    assert instance.give_state() == lib.RNV_EBUSY
    assert lib.rnv_exec_step(context) == 1
    assert lib.rnv_exec_step(context) == 0
    assert instance.give_state() == 0
    assert lib.rnv_exec_start(context, 3) == lib.RNV_EINVAL


def test_only_the_buffers_of_the_entry_point_are_needed() -> None:
    lib = library()
    instance = Instance(content())
    assert instance.give_state() == 0
    assert lib.rnv_exec_start(instance.exec, READ) == lib.RNV_ESTATE
    instance.bind(READ)
    assert instance.run(READ, {}) == [bytes(SIZE)]
    assert lib.rnv_exec_start(instance.exec, PUSH) == lib.RNV_ESTATE
    assert instance.run(CLEAR, {}) == []


def test_the_layout_is_a_hash_of_what_has_to_be_the_same() -> None:
    tensor = content().tensors[STATE]
    scale = struct.pack("<f", 0.5)
    record = struct.pack("<BBII", 1, 2, 0, SIZE) + scale + struct.pack("<i5I", 0, 1, SIZE, 0, 0, 0)
    assert content().state_layout == zlib.crc32(record)
    assert (state_bytes(content().tensors), state_layout(())) == (32, 0)
    others = [
        replace(tensor, dtype=2),
        replace(tensor, offset=16),
        replace(tensor, scale=0.25),
        replace(tensor, zero_point=1),
        replace(tensor, shape=(SIZE, 1)),
        replace(tensor, shape=(SIZE,)),
    ]
    assert len({state_layout((t,)) for t in (*others, tensor)}) == len(others) + 1


@both
def test_a_package_is_read_as_it_was_written(in_place: bool) -> None:
    made = content(in_place=in_place)
    assert read_package(write_package(made), "m") == made


# what the verifier refuses

Change = Callable[[PackageContent], PackageContent]


def tensor_with(number: int, **fields: object) -> Change:
    """The tensor changed, and the state's size and hash after it."""

    def change(made: PackageContent) -> PackageContent:
        tensors = list(made.tensors)
        tensors[number] = replace(tensors[number], **fields)  # type: ignore[arg-type]
        return sealed_state(replace(made, tensors=tuple(tensors)))

    return change


def entry_with(number: int, **fields: object) -> Change:
    def change(made: PackageContent) -> PackageContent:
        entries = list(made.entries)
        entries[number] = replace(entries[number], **fields)  # type: ignore[arg-type]
        return replace(made, entries=tuple(entries))

    return change


def second_state(offset: int) -> TensorRecord:
    return vector("other", Storage.STATE, offset, 0, 3)


def with_second_state(offset: int) -> Change:
    """A second state tensor, number 3."""

    def change(made: PackageContent) -> PackageContent:
        def moved(number: int) -> int:
            return number + (number >= PUSHED)

        tensors = (*made.tensors[:3], second_state(offset), *made.tensors[3:])
        ops = tuple(
            replace(o, inputs=tuple(map(moved, o.inputs)), outputs=tuple(map(moved, o.outputs)))
            for o in made.ops
        )
        entries = tuple(replace(e, outputs=tuple(map(moved, e.outputs))) for e in made.entries)
        return sealed_state(replace(made, tensors=tensors, ops=ops, entries=entries))

    return change


def op_with(number: int, **fields: object) -> Change:
    def change(made: PackageContent) -> PackageContent:
        ops = list(made.ops)
        ops[number] = replace(ops[number], **fields)  # type: ignore[arg-type]
        return replace(made, ops=tuple(ops))

    return change


def aliased(made: PackageContent) -> PackageContent:
    """A second state tensor over the first one, as if it replaced it."""
    both = with_second_state(0)(made)
    tensors = list(both.tensors)
    tensors[3] = replace(tensors[3], alias=Alias.SAME, alias_tensor=STATE)
    return sealed_state(replace(both, tensors=tuple(tensors)))


def many(made: PackageContent) -> PackageContent:
    """Nine entry points, of which seven clear the state."""
    extra = 6
    steps = (*made.steps, *(StepRecord(len(made.ops) + i) for i in range(extra)))
    last = len(steps) - 1
    tensors = tuple(
        replace(t, last_step=last) if t.storage in (Storage.STATE, Storage.CONST) else t
        for t in made.tensors
    )
    entries = tuple(EntryRecord(f"clear{i}", 4 + i, 1, (), ()) for i in range(extra))
    return sealed_state(
        replace(
            made,
            tensors=tensors,
            ops=(*made.ops, *(made.ops[-1],) * extra),
            steps=steps,
            entries=(*made.entries, *entries),
        )
    )


REFUSED: dict[str, tuple[Change, str]] = {
    "size": (lambda c: replace(c, state_bytes=48), "persistent state"),
    "hash": (lambda c: replace(c, state_layout=c.state_layout ^ 1), "persistent state"),
    "no hash": (lambda c: replace(c, state_layout=0), "persistent state"),
    "begins late": (tensor_with(STATE, first_step=1), "tensor record"),
    "ends early": (tensor_with(STATE, last_step=2), "persistent state"),
    "not aligned": (tensor_with(STATE, offset=8), "tensor record"),
    "outside": (
        lambda c: replace(tensor_with(STATE, offset=64)(c), state_bytes=32),
        "tensor record",
    ),
    "an input": (tensor_with(STATE, is_input=True), "tensor record"),
    "an output": (tensor_with(STATE, is_output=True), "tensor record"),
    "two that overlap": (with_second_state(16), "persistent state"),
    "two in one place": (with_second_state(0), "persistent state"),
    "a state that replaces another": (aliased, "tensor record"),
    "an output twice": (op_with(3, outputs=(STATE, STATE)), "parameters of an op"),
    "nine entry points": (many, "number of entry points"),
    "a gap": (entry_with(READ, step_first=3), "entry point"),
    "steps of two": (entry_with(PUSH, step_count=3), "entry point"),
    "steps of none": (lambda c: replace(c, entries=c.entries[:2]), "entry point"),
    "another order": (lambda c: replace(c, entries=c.entries[::-1]), "entry point"),
    "no steps": (entry_with(READ, step_count=0), "entry point"),
    "one name": (entry_with(CLEAR, name="push"), "entry point"),
    "an output of two": (entry_with(CLEAR, outputs=(OUT,)), "tensor record"),
    "an input of two": (entry_with(READ, inputs=(X,)), "tensor record"),
    "an output of another": (entry_with(PUSH, outputs=(OUT,)), "tensor record"),
    "an output of none": (entry_with(READ, outputs=()), "header field"),
    "a life across entry points": (
        tensor_with(X, last_step=2),
        "use of a tensor outside its lifetime",
    ),
    "an input of another, read": (
        op_with(2, inputs=(X,)),
        "use of a tensor outside its lifetime",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    change, what = REFUSED[name]
    found = verdict(write_package(change(content())))
    assert (found.status, found.what) == ("EFORMAT", what)


def test_what_is_accepted() -> None:
    for mode in IoMode:
        for in_place in (True, False):
            made = content(mode, in_place=in_place)
            assert verdict(write_package(made)) == Verdict("OK", "nothing", 0, 0)
    assert verdict(write_package(with_second_state(32)(content()))).status == "OK"
    eight = many(content())
    eight = replace(eight, entries=(*eight.entries[:7], replace(eight.entries[7], step_count=2)))
    assert verdict(write_package(eight)).status == "OK"


def test_without_state_an_entry_point_has_outputs() -> None:
    """It would have no effect."""
    made = content()
    tensors = (made.tensors[X], made.tensors[PUSHED])
    made = replace(
        made,
        tensors=(replace(tensors[0], last_step=0), replace(tensors[1], first_step=0, last_step=0)),
        ops=(replace(made.ops[1], inputs=(0,), outputs=(1,)),),
        steps=(StepRecord(0),),
        entries=(EntryRecord("push", 0, 1, (0,), (1,)),),
        state_bytes=0,
        state_layout=0,
    )
    assert verdict(write_package(made)).status == "OK"
    outputless = replace(made, entries=(EntryRecord("push", 0, 1, (0,), ()),))
    assert verdict(write_package(outputless)).what == "entry point"


def test_a_state_is_replaced_only_where_the_kernel_allows_it() -> None:
    """COPY of a state to itself, ADD of it to itself; a pool reads what it has overwritten."""
    for change in (op_with(3, inputs=(STATE,)), op_with(0, inputs=(STATE, STATE))):
        assert verdict(write_package(change(content()))).status == "OK"
    pool = replace(op("MAX_POOL_2D_S8", (STATE,), STATE), inputs=(STATE,), outputs=(STATE,))
    made = content()
    refused = replace(made, ops=(*made.ops[:3], pool))
    found = verdict(write_package(refused))
    assert (found.status, found.what) == ("EFORMAT", "overlap of live tensors")
    apart = replace(made, ops=(*made.ops[:3], replace(pool, inputs=(ZEROS,))))
    assert verdict(write_package(apart)).status == "OK"


def test_a_mark_for_an_accelerator_needs_another_output() -> None:
    made = content()
    for number, status in ((0, "EFORMAT"), (1, "OK"), (2, "OK"), (3, "OK")):
        steps = list(made.steps)
        steps[number] = replace(steps[number], npu=True)
        found = verdict(write_package(replace(made, steps=tuple(steps))))
        assert found.status == status
        if status != "OK":
            assert (found.what, found.index) == ("step", number)


@each
def test_hostile_values_everywhere(mode: IoMode) -> None:
    """Whatever is accepted runs within its memory, every entry point twice."""
    package = write_package(content(mode, in_place=False))
    end = len(package) - 112
    accepted = 0
    for at in range(8, end, 2):
        present = int.from_bytes(package[at : at + 2], "little")
        for value in hostile_values(16, False, present):
            data = bytearray(package)
            data[at : at + 2] = value.to_bytes(2, "little")
            found = verdict(bytes(data), check_crc=False)
            assert (found.status == "OK") == (found.what == "nothing")
            accepted += found.status == "OK"
    assert accepted > 100


def by_rows(target: int, runs: list[tuple[int, int, int]], split: int) -> PackageContent:
    """The sum of a state image and itself, by rows; the first entry point has ``split`` steps."""
    images = [rows.image(offset, layout=Layout.DENSE, storage=Storage.STATE) for offset in (0, 48)]
    made = rows.program(images, [rows.add(0, 0, target)], runs)
    last = len(runs) - 1
    tensors = tuple(replace(t, first_step=0, last_step=last) for t in made.tensors)
    entries = [EntryRecord("first", 0, split, (), ())]
    if split != len(runs):
        entries.append(EntryRecord("second", split, len(runs) - split, (), ()))
    return sealed_state(replace(made, tensors=tensors, entries=tuple(entries)))


def test_an_entry_point_completes_its_ops() -> None:
    runs = [(0, 0, 3), (0, 3, 5)]
    assert verdict(write_package(by_rows(1, runs, 2))).status == "OK"
    found = verdict(write_package(by_rows(1, runs, 1)))
    assert (found.status, found.what, found.index) == ("EFORMAT", "sliced step", 1)


def test_slices_of_state() -> None:
    """Row by row over itself a kernel could, but a reader does not follow it."""
    instance = Instance(by_rows(1, [(0, 0, 3), (0, 3, 5)], 2))
    assert instance.give_state() == 0
    picture = rows.picture(3)
    instance.run(0, {0: picture.tobytes()})
    assert instance.tensor(1) == rows.added(picture, picture).tobytes()
    assert instance.tensor(0) == picture.tobytes()
    assert verdict(write_package(by_rows(0, [(0, 0, 8)], 1))).status == "OK"
    found = verdict(write_package(by_rows(0, [(0, 0, 3), (0, 3, 5)], 2)))
    assert (found.status, found.what, found.index) == ("EFORMAT", "sliced step", 1)
