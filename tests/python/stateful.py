# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages with persistent state and several entry points, made by hand, and a way to run them.

``push`` adds a vector to the state and puts out what it adds, ``read`` copies the state out, and
``clear`` writes zeros into it: what an op with a state of its own would do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from guarded_runs import Guarded
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import Quant
from ranvier.native import NativePackage, op_codes
from ranvier.native.binding import ffi, library
from ranvier.package.records import (
    EntryRecord,
    IoMode,
    OpRecord,
    PackageContent,
    StepRecord,
    Storage,
    TensorRecord,
)
from ranvier.package.state import state_bytes, state_layout
from ranvier.package.writer import write_package
from ranvier.testing.tflite_builder import build_tflite

SIZE = 20
SCALE = 0.5


@cache
def params(kind: str) -> tuple[int, ...]:
    """Parameters of ADD of two vectors of one scale, of COPY, or of a pool of three."""
    make = Maker(1)
    quant = Quant((SCALE,), (0,))
    shape = (1, SIZE)
    inputs = [make.tensor(shape, quant), make.tensor(shape, quant)]
    make.inputs = inputs if kind == "ADD_S8" else inputs[:1]
    if kind == "ADD_S8":
        output = make.op("ADD", inputs, make.tensor(shape, quant))
    elif kind == "MAX_POOL_2D_S8":
        make.inputs = [make.tensor((1, 1, SIZE, 1), quant)]
        attrs: dict[str, Any] = {"padding": "SAME", "fused_activation_function": "NONE"}
        attrs |= {"stride_h": 1, "stride_w": 1, "filter_height": 1, "filter_width": 3}
        output = make.op("MAX_POOL_2D", make.inputs, make.tensor((1, 1, SIZE, 1), quant), attrs, 2)
    else:
        output = make.reshape(inputs[0], (SIZE, 1))
    result = compile_model(build_tflite(make.graph(output)), "m.tflite", CompileOptions())
    op = next(op for op in result.content.ops if op.code == op_codes()[kind])
    return op.params


def vector(name: str, storage: Storage, offset: int, first: int, last: int) -> TensorRecord:
    return TensorRecord(name, 1, (1, SIZE), storage, offset, SIZE, first, last, scale=SCALE)


def op(kind: str, inputs: Sequence[int], output: int) -> OpRecord:
    return OpRecord(kind.lower(), op_codes()[kind], tuple(inputs), (output,), params(kind))


def sealed_state(content: PackageContent) -> PackageContent:
    """The content with the state's size and layout as its tensors have them."""
    return replace(
        content,
        state_bytes=state_bytes(content.tensors),
        state_layout=state_layout(content.tensors),
    )


def content(mode: IoMode = IoMode.KEPT, *, in_place: bool = True) -> PackageContent:
    """Three entry points over one state.

    ``in_place``: the sum is written over the state; else it takes a way through the arena.
    """
    resident = mode == IoMode.RESIDENT
    outside = Storage.ARENA if resident else Storage.EXTERNAL
    read = 2 if in_place else 3  # the step that reads the state out; the next one clears it
    zeros = vector("zeros", Storage.CONST, 0, 0, read + 1)
    tensors = [
        replace(vector("x", outside, 0, 0, read - 1), is_input=True),
        vector("state", Storage.STATE, 0, 0, read + 1),
        replace(zeros, data=bytes(SIZE)),
        *([] if in_place else [vector("sum", Storage.ARENA, 32, 0, 1)]),
        replace(
            vector("pushed", outside, 64 if resident else 1, read - 1, read - 1), is_output=True
        ),
        replace(vector("read", outside, 96 if resident else 2, read, read), is_output=True),
    ]
    added = [op("ADD_S8", (0, 1), 1)]
    if not in_place:
        added = [op("ADD_S8", (1, 0), 3), op("COPY", (3,), 1)]
    outputs = len(tensors) - 2
    copies = [op("COPY", (0,), outputs), op("COPY", (1,), outputs + 1), op("COPY", (2,), 1)]
    made = PackageContent(
        name="stateful",
        version=(1, 0, 0),
        io_mode=mode,
        arena_bytes=128 if resident else (0 if in_place else 64),
        max_live=3,
        tensors=tuple(tensors),
        ops=(*added, *copies),
        steps=tuple(StepRecord(number) for number in range(read + 2)),
        entries=(
            EntryRecord("push", 0, read, (0,), (outputs,)),
            EntryRecord("read", read, 1, (), (outputs + 1,)),
            EntryRecord("clear", read + 1, 1, (), ()),
        ),
    )
    return sealed_state(made)


@dataclass
class Instance:
    """A package's context with memory for everything, each between guard bytes."""

    content: PackageContent
    fill: int = 0x5A

    def __post_init__(self) -> None:
        self.lib = library()
        self.package = NativePackage(write_package(self.content))
        self.arena = Guarded(self.content.arena_bytes, self.fill)
        self.state = Guarded(self.content.state_bytes, 0)
        self.exec = ffi.new("struct rnv_exec *")
        count = self.package.header.external_count
        self._slots = ffi.new("void *[]", count + 1)
        arguments = (self.arena.address, self.arena.size, self._slots, count)
        assert self.lib.rnv_exec_init(self.exec, self.package.handle, *arguments) == 0
        self._buffers: dict[int, Guarded] = {}

    def give_state(self) -> int:
        """The answer of the core."""
        answer = self.lib.rnv_exec_set_state(self.exec, self.state.address, self.state.size)
        return int(answer)

    def bind(self, entry: int) -> None:
        record = self.content.entries[entry]
        for number in (*record.inputs, *record.outputs):
            tensor = self.content.tensors[number]
            if tensor.storage is Storage.EXTERNAL:
                buffer = self._buffers[number] = Guarded(tensor.bytes, self.fill)
                answer = self.lib.rnv_exec_bind(self.exec, number, buffer.address, buffer.size)
                assert answer == 0

    def run(self, entry: int, inputs: Mapping[int, bytes]) -> list[bytes]:
        """One run of an entry point; its outputs."""
        for number, data in inputs.items():
            ffi.memmove(self.lib.rnv_exec_tensor(self.exec, number), data, len(data))
        assert self.lib.rnv_exec_run(self.exec, entry) == 0
        assert self.arena.guards_are_whole()
        assert self.state.guards_are_whole()
        return [self.tensor(number) for number in self.content.entries[entry].outputs]

    def tensor(self, number: int) -> bytes:
        data = self.lib.rnv_exec_tensor(self.exec, number)
        return bytes(ffi.buffer(data, self.content.tensors[number].bytes))
