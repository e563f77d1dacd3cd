# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Execution writes exactly what it may: each step its outputs and its scratch (case 15)."""

from __future__ import annotations

from functools import cache

import pytest

from guarded_runs import Run
from packages import deep, rich
from random_models import random_graph
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.native.binding import ffi
from ranvier.package.records import IoMode, PackageContent, Storage
from ranvier.testing.cases import generate
from ranvier.testing.tflite_builder import build_tflite


def allowed(content: PackageContent, step: int) -> set[int]:
    """Offsets in the arena that a step may write."""
    op = content.ops[content.steps[step].op]
    places = set(range(op.scratch_offset, op.scratch_offset + op.scratch_bytes))
    for number in op.outputs:
        tensor = content.tensors[number]
        if tensor.storage is Storage.ARENA:
            places |= set(range(tensor.offset, tensor.offset + tensor.bytes))
    return places


@cache
def made() -> list[CompileResult]:
    """Packages of several ops in every mode, and of single ops."""
    results = [make(mode) for make in (rich, deep) for mode in IoMode]
    for seed in range(12):
        options = CompileOptions(input_mode=IoMode(seed % 3))
        results.append(compile_model(build_tflite(random_graph(seed)), "random.tflite", options))
    for op in ("CONV_2D", "DEPTHWISE_CONV_2D", "SOFTMAX", "CONCATENATION", "PAD", "MEAN"):
        for seed in range(3):
            options = CompileOptions(input_mode=IoMode(seed))
            results.append(compile_model(generate(seed, op).model, f"{op}.tflite", options))
    return results


@pytest.fixture(params=range(36))
def result(request: pytest.FixtureRequest) -> CompileResult:
    return made()[request.param]


def test_a_step_writes_its_outputs_and_its_scratch(result: CompileResult) -> None:
    run = Run(result, 0xA5)
    run.start()
    before = run.arena.read()
    for step in range(len(run.content.steps)):
        run.step()
        after = run.arena.read()
        changed = {i for i in range(len(after)) if after[i] != before[i]}
        assert changed <= allowed(run.content, step), f"step {step}"
        before = after
    assert run.arena.guards_are_whole()
    assert all(buffer.guards_are_whole() for buffer in run.buffers.values())


def test_results_do_not_depend_on_the_memory(result: CompileResult) -> None:
    runs = [Run(result, fill) for fill in (0x00, 0xFF, 0x80)]
    for run in runs:
        run.start()
        for _ in run.content.steps:
            run.step()
    assert runs[0].outputs() == runs[1].outputs() == runs[2].outputs()


def test_contexts_may_take_turns(result: CompileResult) -> None:
    alone = [Run(result, 0, seed) for seed in (10, 20)]
    for run in alone:
        run.start()
        for _ in run.content.steps:
            run.step()
    turns = [Run(result, 0xFF, seed) for seed in (10, 20)]
    for run in turns:
        run.start()
    for _ in turns[0].content.steps:
        for run in turns:
            run.step()
    assert [run.outputs() for run in turns] == [run.outputs() for run in alone]


def test_kept_inputs_are_not_written() -> None:
    kept = [result for result in made() if result.content.io_mode is IoMode.KEPT]
    assert len(kept) > 8
    for result in kept:
        run = Run(result, 0)
        before = {n: run.tensor(n) for n in run.content.entries[0].inputs}
        run.start()
        for _ in run.content.steps:
            run.step()
        assert {n: run.tensor(n) for n in run.content.entries[0].inputs} == before


def test_scratch_is_used_to_its_last_byte() -> None:
    """Filled with two different values, the last byte of the scratch holds another one after."""
    seen = 0
    for result in made():
        for step, op in enumerate(result.content.ops):
            if op.scratch_bytes == 0:
                continue
            last = []
            for fill in (0x11, 0xEE):
                run = Run(result, fill)
                run.start()
                for _ in range(step):
                    run.step()
                place = op.scratch_offset + op.scratch_bytes - 1
                ffi.memmove(run.arena.address + place, bytes([fill]), 1)
                run.step()
                last.append(run.arena.read()[place])
            assert last[0] == last[1], f"step {step} of {result.content.name}"
            seen += 1
    assert seen >= 10
