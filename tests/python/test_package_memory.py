# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The package verifier's proof: lifetimes, overlaps, aliases and scratch (case 16).

Programs are made by hand of COPY (may replace its input), CONCATENATION (may not) and CONV_2D (has
scratch).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from packages import Image, rich, verdict
from random_models import Maker
from ranvier.compiler.driver import compile_model
from ranvier.errors import PackageError
from ranvier.native import NativePackage, op_codes
from ranvier.package.records import (
    Alias,
    EntryRecord,
    IoMode,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.writer import write_package
from ranvier.testing.tflite_builder import build_tflite

OVERLAP = "overlap of live tensors"
LIFETIME = "use of a tensor outside its lifetime"
RECORD = "tensor record"


def tensor(size: int, first: int, last: int, offset: int = 0, **more: Any) -> TensorRecord:
    """An int8 tensor in the arena; ``same`` names the one that it replaces."""
    if "same" in more:
        more |= {"alias": Alias.SAME, "alias_tensor": more.pop("same")}
    return TensorRecord(
        name="",
        dtype=1,
        shape=(size,),
        storage=more.pop("storage", Storage.ARENA),
        offset=offset,
        bytes=size,
        first_step=first,
        last_step=last,
        **more,
    )


def given(size: int, last: int, slot: int = 0) -> TensorRecord:
    """An external input."""
    return tensor(size, 0, last, slot, storage=Storage.EXTERNAL, is_input=True)


def taken(size: int, first: int, last: int, slot: int = 1) -> TensorRecord:
    """An external output; ``last`` is the last step of the package."""
    return tensor(size, first, last, slot, storage=Storage.EXTERNAL, is_output=True)


def copy(source: int, target: int, size: int) -> OpRecord:
    return OpRecord("", op_codes()["COPY"], (source,), (target,), (size,))


def join(sources: Sequence[int], target: int, sizes: Sequence[int]) -> OpRecord:
    return OpRecord("", op_codes()["CONCATENATION"], tuple(sources), (target,), (1, *sizes))


def program(
    tensors: Sequence[TensorRecord],
    ops: Sequence[OpRecord],
    arena: int,
    max_live: int = 32,
    mode: IoMode = IoMode.KEPT,
) -> PackageContent:
    """A package of one entry point over the flagged tensors, in order."""
    numbers = range(len(tensors))
    return PackageContent(
        name="hand",
        version=(1, 0, 0),
        io_mode=mode,
        arena_bytes=arena,
        max_live=max_live,
        tensors=tuple(tensors),
        ops=tuple(ops),
        steps=tuple(StepRecord(i) for i in range(len(ops))),
        entries=(
            EntryRecord(
                "infer",
                0,
                len(ops),
                tuple(i for i in numbers if tensors[i].is_input),
                tuple(i for i in numbers if tensors[i].is_output),
            ),
        ),
    )


def judge(content: PackageContent) -> tuple[str, str, int]:
    """Status, diagnosis and index of the verifier."""
    found = verdict(write_package(content))
    return found.status, found.what, found.index


ACCEPTED = ("OK", "nothing", 0)


def chain() -> PackageContent:
    """in -> copy -> a -> join(a, a) -> b -> copy -> out; a and b both live in step 1."""
    tensors = [
        given(20, 0),
        tensor(20, 0, 1, 0),
        tensor(40, 1, 2, 32),
        taken(40, 2, 2),
    ]
    return program(tensors, [copy(0, 1, 20), join([1, 1], 2, [20, 20]), copy(2, 3, 40)], 72, 2)


def changed(content: PackageContent, index: int, **fields: Any) -> PackageContent:
    """The package with other fields in one tensor."""
    tensors = list(content.tensors)
    tensors[index] = replace(tensors[index], **fields)
    return replace(content, tensors=tuple(tensors))


def with_op(content: PackageContent, index: int, op: OpRecord) -> PackageContent:
    ops = list(content.ops)
    ops[index] = op
    return replace(content, ops=tuple(ops))


def test_chain_is_accepted_and_right() -> None:
    data = bytes(range(20))
    assert judge(chain()) == ACCEPTED
    assert NativePackage(write_package(chain())).run([data]) == [data + data]


# Overlaps


@pytest.mark.parametrize("offset", [0, 16])
def test_overlapping_live_tensors_are_refused(offset: int) -> None:
    found = verdict(write_package(changed(chain(), 2, offset=offset)))
    assert (found.status, found.what) == ("EFORMAT", OVERLAP)
    assert (found.index, found.value) == (2, 1)


def test_touching_tensors_are_accepted() -> None:
    content = changed(changed(chain(), 1, offset=48), 2, offset=0)
    assert judge(content) == ("OK", "nothing", 0)
    tight = program(
        [given(16, 0), tensor(16, 0, 1, 0), tensor(32, 1, 2, 16), taken(32, 2, 2)],
        [copy(0, 1, 16), join([1, 1], 2, [16, 16]), copy(2, 3, 32)],
        48,
    )
    assert judge(tight) == ACCEPTED
    assert judge(changed(tight, 1, offset=16))[1] == OVERLAP


def test_a_byte_of_overlap_is_refused() -> None:
    tensors = [given(17, 0), tensor(17, 0, 1, 0), tensor(34, 1, 2, 16), taken(34, 2, 2)]
    ops = [copy(0, 1, 17), join([1, 1], 2, [17, 17]), copy(2, 3, 34)]
    assert judge(program(tensors, ops, 64)) == ("EFORMAT", OVERLAP, 2)


def test_memory_is_reused_once_its_tensor_is_dead() -> None:
    tensors = [
        given(20, 0),
        tensor(20, 0, 1, 0),
        tensor(20, 1, 2, 32),
        tensor(20, 2, 3, 0),
        taken(20, 3, 3),
    ]
    ops = [copy(i, i + 1, 20) for i in range(4)]
    assert judge(program(tensors, ops, 52, 2)) == ACCEPTED
    tensors[1] = tensor(20, 0, 2, 0)
    assert judge(program(tensors, ops, 52, 3)) == ("EFORMAT", OVERLAP, 3)


def test_resident_input_and_output_must_not_overlap() -> None:
    tensors = [tensor(20, 0, 0, 0, is_input=True), tensor(40, 0, 0, 32, is_output=True)]
    content = program(tensors, [join([0, 0], 1, [20, 20])], 72, 2, IoMode.RESIDENT)
    assert judge(content) == ACCEPTED
    assert judge(changed(content, 1, offset=16)) == ("EFORMAT", OVERLAP, 1)


def test_resident_inputs_must_not_overlap() -> None:
    tensors = [
        tensor(20, 0, 0, 0, is_input=True),
        tensor(20, 0, 0, 32, is_input=True),
        tensor(40, 0, 0, 64, is_output=True),
    ]
    content = program(tensors, [join([0, 1], 2, [20, 20])], 104, 3, IoMode.RESIDENT)
    assert judge(content) == ACCEPTED
    assert judge(changed(content, 1, offset=16)) == ("EFORMAT", OVERLAP, 1)


def test_external_tensors_in_resident_mode_are_refused() -> None:
    content = replace(chain(), io_mode=IoMode.RESIDENT)
    assert judge(content) == ("EFORMAT", RECORD, 0)


# Lifetimes


def test_use_before_write_is_refused() -> None:
    early = program(
        [given(8, 1), tensor(8, 0, 1, 0), tensor(8, 1, 1, 16), taken(8, 1, 1)],
        [copy(2, 1, 8), copy(0, 2, 8)],
        32,
    )
    assert judge(early) == ("EFORMAT", LIFETIME, 2)


def test_an_op_that_reads_its_own_output_is_refused() -> None:
    own = program([given(8, 0), taken(8, 0, 0)], [copy(1, 1, 8)], 0)
    assert judge(own) == ("EFORMAT", LIFETIME, 1)


def test_read_after_the_last_step_is_refused() -> None:
    assert judge(changed(chain(), 1, last_step=0)) == ("EFORMAT", LIFETIME, 1)
    assert judge(changed(chain(), 2, last_step=1)) == ("EFORMAT", LIFETIME, 2)


def test_input_read_after_its_last_step_is_refused() -> None:
    content = with_op(chain(), 2, join([0, 0], 3, [20, 20]))
    assert judge(content) == ("EFORMAT", LIFETIME, 0)
    assert judge(changed(content, 0, last_step=2)) == ACCEPTED


def test_a_tensor_that_nobody_writes_is_refused() -> None:
    tensors = [given(8, 0), tensor(8, 0, 0, 0), taken(8, 0, 0)]
    assert judge(program(tensors, [copy(0, 2, 8)], 16)) == ("EFORMAT", LIFETIME, 1)


def test_a_tensor_written_in_another_step_than_it_says_is_refused() -> None:
    late = changed(chain(), 1, first_step=1)
    assert judge(late)[0] == "EFORMAT"
    tensors = [given(8, 0), tensor(8, 0, 1, 0), tensor(8, 0, 1, 16), taken(8, 1, 1)]
    assert judge(program(tensors, [copy(0, 1, 8), copy(1, 3, 8)], 32)) == ("EFORMAT", LIFETIME, 2)


def test_a_tensor_written_twice_is_refused() -> None:
    tensors = [given(8, 1), tensor(8, 0, 2, 0), taken(8, 2, 2)]
    ops = [copy(0, 1, 8), copy(0, 1, 8), copy(1, 2, 8)]
    assert judge(program(tensors, ops, 16)) == ("EFORMAT", "step", 1)


@pytest.mark.parametrize("target", [0, 1])
def test_inputs_and_constants_are_never_written(target: int) -> None:
    const = tensor(8, 0, 1, storage=Storage.CONST, data=bytes(8))
    tensors = [given(8, 1), const, taken(8, 1, 1)]
    source = 1 - target
    ops = [copy(source, target, 8), copy(0, 2, 8)]
    assert judge(program(tensors, ops, 0)) == ("EFORMAT", LIFETIME, target)
    assert judge(program(tensors, [copy(1, 2, 8)], 0))[0] == "EFORMAT"


def test_a_constant_from_a_later_step_is_refused() -> None:
    tensors = [
        given(8, 0),
        tensor(8, 0, 1, 0),
        tensor(8, 1, 1, storage=Storage.CONST, data=bytes(8)),
        taken(16, 1, 1),
    ]
    ops = [copy(0, 1, 8), join([1, 2], 3, [8, 8])]
    assert judge(program(tensors, ops, 16)) == ("EFORMAT", LIFETIME, 2)
    tensors[1], tensors[2] = replace(tensors[2], first_step=0), tensors[1]
    ops = [copy(0, 2, 8), join([2, 1], 3, [8, 8])]
    assert judge(program(tensors, ops, 16)) == ACCEPTED


# Aliases


def in_place() -> PackageContent:
    """in -> copy -> a -> copy in place -> b -> copy -> out."""
    tensors = [given(20, 0), tensor(20, 0, 1), tensor(20, 1, 2, same=1), taken(20, 2, 2)]
    return program(tensors, [copy(i, i + 1, 20) for i in range(3)], 32, 2)


def test_replacing_a_dying_input_is_accepted_and_right() -> None:
    data = bytes(range(100, 120))
    assert judge(in_place()) == ACCEPTED
    assert NativePackage(write_package(in_place())).run([data]) == [data]


def test_the_same_place_without_an_alias_is_refused() -> None:
    content = changed(in_place(), 2, alias=Alias.NONE, alias_tensor=None)
    assert judge(content) == ("EFORMAT", OVERLAP, 2)


def test_replacing_what_is_still_needed_is_refused() -> None:
    content = with_op(in_place(), 2, join([1, 2], 3, [20, 20]))
    content = changed(changed(content, 1, last_step=2), 3, shape=(40,), bytes=40)
    assert judge(content) == ("EFORMAT", OVERLAP, 2)


def test_replacing_what_died_earlier_is_refused() -> None:
    tensors = [
        given(8, 1),
        tensor(8, 0, 0),
        tensor(8, 1, 2, same=1),
        taken(8, 2, 2),
    ]
    ops = [copy(0, 1, 8), copy(0, 2, 8), copy(2, 3, 8)]
    assert judge(program(tensors, ops, 16)) == ("EFORMAT", OVERLAP, 2)


def test_replacing_is_refused_where_the_kernel_forbids_it() -> None:
    tensors = [given(20, 0), tensor(20, 0, 1), tensor(20, 1, 2, same=1), taken(20, 2, 2)]
    ops = [copy(0, 1, 20), join([1], 2, [20]), copy(2, 3, 20)]
    assert judge(program(tensors, ops, 32)) == ("EFORMAT", OVERLAP, 2)


def test_a_convolution_in_place_is_refused() -> None:
    """The rich package's depthwise convolution, made to replace its input."""
    content = rich().content
    source, target = content.ops[1].inputs[0], content.ops[1].outputs[0]
    same = {
        "offset": content.tensors[source].offset,
        "alias": Alias.SAME,
        "alias_tensor": source,
    }
    follower = changed(content, target, **same)
    after = next(i for i, t in enumerate(content.tensors) if t.alias_tensor == target)
    follower = changed(follower, after, offset=content.tensors[source].offset)
    assert judge(follower) == ("EFORMAT", OVERLAP, target)


@pytest.mark.parametrize("rows", [1, 3])
def test_a_broadcast_operand_is_not_replaced(rows: int) -> None:
    """ADD may replace each operand of the output's shape, but not one that it reads repeatedly."""
    make = Maker()
    x, y = make.input((1, 3, 4)), make.input((1, rows, 4))
    model = build_tflite(make.graph(make.binary("ADD", x, y)))
    add = compile_model(model, "add.tflite").content.ops[0]
    size = 4 * rows
    tensors = [given(12, 0), given(size, 1, 1), tensor(12, 0, 2, 0), tensor(size, 1, 2, 16)]
    ops = [copy(0, 2, 12), copy(1, 3, size), replace(add, inputs=(2, 3), outputs=(4,))]
    for source, found in ((2, ACCEPTED), (3, ACCEPTED if rows == 3 else ("EFORMAT", OVERLAP, 4))):
        replacing = tensor(12, 2, 3, tensors[source].offset, same=source)
        content = program([*tensors, replacing, taken(12, 3, 3, 2)], [*ops, copy(4, 5, 12)], 32)
        assert judge(content) == found


def test_a_model_output_is_never_replaced() -> None:
    tensors = [
        tensor(20, 0, 0, 0, is_input=True),
        tensor(20, 0, 1, 32, is_output=True),
        tensor(20, 1, 1, 32, is_output=True, same=1),
    ]
    content = program(tensors, [copy(0, 1, 20), copy(1, 2, 20)], 64, 3, IoMode.RESIDENT)
    assert judge(content) == ("EFORMAT", RECORD, 2)
    apart = changed(content, 2, offset=0, alias=Alias.NONE, alias_tensor=None)
    assert judge(apart) == ACCEPTED


def donated() -> PackageContent:
    """The input's memory holds the copy, then the output is made of it."""
    tensors = [
        given(20, 0),
        tensor(20, 0, 1, 0, storage=Storage.EXTERNAL, same=0),
        taken(40, 1, 1),
    ]
    return program(tensors, [copy(0, 1, 20), join([1, 1], 2, [20, 20])], 0, 1, IoMode.DONATED)


def test_a_donated_input_may_be_replaced() -> None:
    assert judge(donated()) == ACCEPTED
    data = bytes(range(20))
    assert NativePackage(write_package(donated())).run([data]) == [data + data]


def test_a_kept_input_is_never_replaced() -> None:
    assert judge(replace(donated(), io_mode=IoMode.KEPT)) == ("EFORMAT", RECORD, 1)


def test_what_replaces_a_donated_input_must_fit_into_it() -> None:
    content = with_op(donated(), 0, join([0, 0], 1, [20, 20]))
    content = with_op(content, 1, copy(1, 2, 40))
    assert judge(changed(content, 1, shape=(40,), bytes=40)) == ("EFORMAT", RECORD, 1)


def test_a_constant_is_never_replaced() -> None:
    const = tensor(8, 0, 0, storage=Storage.CONST, data=bytes(8))
    target = tensor(8, 0, 1, storage=Storage.CONST, data=bytes(8), same=0)
    tensors = [const, target, taken(8, 1, 1, 0)]
    assert judge(program(tensors, [copy(0, 1, 8), copy(1, 2, 8)], 0)) == ("EFORMAT", RECORD, 1)


# How many are live


@pytest.mark.parametrize(("inputs", "status"), [(31, "OK"), (32, "EFORMAT")])
def test_at_most_32_tensors_are_live(inputs: int, status: str) -> None:
    """A CONCATENATION of ``inputs`` copies of the model's input, with its output in the arena."""
    tensors = [given(4, inputs - 1)]
    tensors += [tensor(4, i, inputs, 16 * i) for i in range(inputs)]
    joined = tensor(4 * inputs, inputs, inputs + 1, 16 * inputs)
    tensors += [joined, taken(4 * inputs, inputs + 1, inputs + 1)]
    ops = [copy(0, 1 + i, 4) for i in range(inputs)]
    ops += [join(range(1, inputs + 1), inputs + 1, [4] * inputs)]
    ops += [copy(inputs + 1, inputs + 2, 4 * inputs)]
    content = program(tensors, ops, 16 * inputs + 4 * inputs)
    found = verdict(write_package(content))
    assert found.status == status
    if status == "OK":
        assert NativePackage(write_package(content)).run([b"abcd"]) == [b"abcd" * inputs]
    else:
        assert (found.what, found.index) == ("number of live tensors", inputs)
        assert verdict(write_package(replace(content, max_live=33))).index == 0


# Entry points


def resident(inputs: Sequence[int], outputs: Sequence[int]) -> PackageContent:
    """Two inputs and two outputs in the arena; the entry point lists those given."""
    tensors = [
        tensor(8, 0, 1, 0, is_input=True),
        tensor(8, 0, 1, 16, is_input=True),
        tensor(8, 0, 1, 32, is_output=True),
        tensor(8, 1, 1, 48, is_output=True),
    ]
    content = program(tensors, [copy(0, 2, 8), copy(1, 3, 8)], 64, 4, IoMode.RESIDENT)
    entry = replace(content.entries[0], inputs=tuple(inputs), outputs=tuple(outputs))
    return replace(content, entries=(entry,))


def test_inputs_and_outputs_are_listed_once_and_flagged() -> None:
    assert judge(resident([0, 1], [2, 3])) == ACCEPTED
    assert judge(resident([1, 0], [3, 2])) == ACCEPTED
    assert judge(resident([0, 0], [2, 3])) == ("EFORMAT", RECORD, 0)
    assert judge(resident([0, 1], [3, 3])) == ("EFORMAT", RECORD, 3)
    assert judge(resident([0, 2], [1, 3])) == ("EFORMAT", RECORD, 2)
    assert judge(resident([0, 1], [2, 0])) == ("EFORMAT", RECORD, 0)
    assert judge(resident([0], [2, 3])) == ("EFORMAT", "entry point", 0)
    assert judge(resident([0, 1], [2])) == ("EFORMAT", "entry point", 0)


@pytest.mark.parametrize(("outputs", "status"), [(31, "OK"), (32, "EFORMAT")])
def test_at_most_32_inputs_and_outputs(outputs: int, status: str) -> None:
    tensors = [given(4, outputs - 1)]
    tensors += [taken(4, i, outputs - 1, 1 + i) for i in range(outputs)]
    content = program(tensors, [copy(0, 1 + i, 4) for i in range(outputs)], 0)
    found = verdict(write_package(content))
    assert found.status == status
    assert found.what == ("nothing" if status == "OK" else "entry point")


# Case 54, and sizes that overflow (cases 3 and 4)


def test_an_output_number_beyond_the_tensors_is_refused() -> None:
    content = chain()
    entry = replace(content.entries[0], outputs=(0xFFFE,))
    found = verdict(write_package(replace(content, entries=(entry,))))
    assert (found.status, found.what, found.value) == ("EFORMAT", "operand", 0xFFFE)


def test_a_weight_larger_than_its_data_is_refused() -> None:
    tensors = [
        tensor(16, 0, 0, storage=Storage.CONST, data=bytes(16)),
        taken(1 << 20, 0, 0, 0),
    ]
    content = program(tensors, [copy(0, 1, 1 << 20)], 0)
    for fields in ({"shape": (1, 1 << 20)}, {"shape": (1, 1 << 20), "bytes": 1 << 20}):
        assert judge(changed(content, 0, **fields)) == ("EFORMAT", RECORD, 0)


@pytest.mark.parametrize(
    "shape",
    [(65536, 65536), (1 << 31,), (0xFFFFFFFF, 2), (1 << 16, 1 << 16, 1 << 16, 1 << 16), (0, 8)],
)
@pytest.mark.parametrize("size", [0, 8, 0x7FFFFFFF, 0xFFFFFFFF])
def test_shapes_that_overflow_are_refused(shape: tuple[int, ...], size: int) -> None:
    image = Image(write_package(chain()))
    record = image.tensor(0)
    record.rank, record.bytes = len(shape), size
    record.dims = [*shape, *(0,) * (5 - len(shape))]
    found = verdict(image.sealed())
    assert (found.status, found.what, found.index) == ("EFORMAT", RECORD, 0)


@pytest.mark.parametrize(("size", "status"), [((1 << 31) - 1, "OK"), (1 << 31, "EFORMAT")])
def test_the_largest_tensor(size: int, status: str) -> None:
    words = (size,) if size < 1 << 31 else (-(1 << 31),)
    op = replace(copy(0, 1, 0), params=words)
    image = Image(write_package(program([given(8, 0), taken(8, 0, 0)], [op], 0)))
    for tensor_number in range(2):
        image.tensor(tensor_number).bytes = image.tensor(tensor_number).dims[0] = size
    image.header.io_bytes = 2 * size & 0xFFFFFFFF
    assert verdict(image.sealed()).status == status


def test_rank_nine_is_refused() -> None:
    image = Image(write_package(chain()))
    image.tensor(1).rank = 9
    found = verdict(image.sealed())
    assert (found.status, found.what, found.index) == ("EFORMAT", RECORD, 1)


# Random programs against a judge that simulates every byte


def random_program(rng: random.Random) -> PackageContent:
    """COPY ops over tensors of random places, some replacing their input."""
    steps = rng.randint(2, 5)
    size = 16
    tensors, ops = [given(size, steps)], []
    written_at = {0: -1}
    reads: dict[int, int] = {}
    for step in range(steps):
        source = rng.choice(list(written_at))
        reads[source] = step
        ops.append((source, step + 1))
        written_at[step + 1] = step
    target = steps + 1
    reads[steps] = steps
    for step in range(steps):
        source = ops[step][0]
        number = step + 1
        last = max(reads.get(number, step), step)
        same = source != 0 and rng.random() < 0.4
        offset = tensors[source].offset if same else 16 * rng.randint(0, 2)
        tensors.append(tensor(size, step, last, offset, **({"same": source} if same else {})))
    tensors.append(taken(size, steps, steps))
    records = [copy(source, number, size) for source, number in ops] + [copy(steps, target, size)]
    return program(tensors, records, 48)


def is_corrupted(content: PackageContent) -> bool:
    """Simulates who wrote each byte of the arena last: does any op read what another wrote?"""
    owner: dict[int, int] = {}

    def places(number: int) -> range:
        record = content.tensors[number]
        inside = record.storage is Storage.ARENA
        return range(record.offset, record.offset + record.bytes) if inside else range(0)

    for op in content.ops:
        if any(owner.get(at) != source for source in op.inputs for at in places(source)):
            return True
        for target in op.outputs:
            owner.update(dict.fromkeys(places(target), target))
    return False


def has_overlap(content: PackageContent) -> bool:
    """Two tensors of the arena share bytes in a step in which both are live."""
    arena = [t for t in content.tensors if t.storage is Storage.ARENA]
    return any(
        a.offset < b.offset + b.bytes
        and b.offset < a.offset + a.bytes
        and a.first_step <= b.last_step
        and b.first_step <= a.last_step
        for i, a in enumerate(arena)
        for b in arena[:i]
    )


def test_random_programs() -> None:
    """What is accepted reads only what was written for it; what is refused does overlap."""
    rng = random.Random(1)
    accepted = replacing = refused = 0
    for _ in range(3000):
        content = random_program(rng)
        status, what, _ = judge(content)
        if status == "OK":
            accepted += 1
            replacing += any(t.alias is Alias.SAME for t in content.tensors)
            assert not is_corrupted(content)
            data = bytes(rng.randrange(256) for _ in range(16))
            assert NativePackage(write_package(content)).run([data]) == [data]
        else:
            refused += 1
            assert what == OVERLAP
            assert has_overlap(content) or any(
                t.alias_tensor is not None
                and content.tensors[t.alias_tensor].last_step != t.first_step
                for t in content.tensors
            )
    assert min(accepted, refused, replacing) > 100


def test_the_writer_refuses_a_constant_without_data() -> None:
    content = chain()
    tensors = (replace(content.tensors[0], storage=Storage.CONST), *content.tensors[1:])
    with pytest.raises(PackageError, match="has no data"):
        write_package(replace(content, tensors=tensors))
