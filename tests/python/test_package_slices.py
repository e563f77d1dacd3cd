# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packed packages, whole and by rows: what steps write, switches between steps, every layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from guarded_runs import Guarded, Run
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import PackageError, ToolError
from ranvier.model import Model, Package
from ranvier.native import NativePackage
from ranvier.native.session import Session
from ranvier.package.records import (
    IoMode,
    Isa,
    Layout,
    PackageContent,
    Storage,
    TensorRecord,
)
from ranvier.package.writer import write_package
from ranvier.testing.cases import generate
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.validate import random_inputs, validate
from row_programs import samples
from sliced_models import TARGETS, waist, waist_model

FILLS = (0x00, 0xFF, 0x80)


@dataclass(frozen=True)
class Made:
    """A package made by hand."""

    package: bytes
    content: PackageContent


@cache
def made() -> dict[str, Made]:
    """The waist in every packing and goal, and programs by rows made by hand."""
    found = {name: Made(write_package(content), content) for name, content in samples().items()}
    for isa, goal, mode in WAISTS:
        result = waist(isa, goal, mode)
        found[f"{isa}-{goal}-{mode.name.lower()}"] = Made(result.package, result.content)
    return found


WAISTS = [
    (isa, goal, mode)
    for isa, goal in TARGETS
    for mode in (IoMode if (isa, goal) == ("dsp", "memory") else (IoMode.RESIDENT,))
]
"""Compiling takes most of the time of these tests."""

NAMES = [*samples(), *(f"{isa}-{goal}-{mode.name.lower()}" for isa, goal, mode in WAISTS)]
each = pytest.mark.parametrize("name", NAMES)


def test_the_packages_have_what_is_tested() -> None:
    """Slices, rings, all layouts, packed streams, and goals that differ."""
    contents = [made()[name].content for name in NAMES]
    assert sum(any(step.rows for step in content.steps) for content in contents) >= 8
    assert sum(any(t.ring_rows for t in content.tensors) for content in contents) >= 6
    layouts = {t.layout for content in contents for t in content.tensors}
    assert layouts >= {Layout.DENSE, Layout.PLANES, Layout.ROWS}
    packings = {op.packing for content in contents for op in content.ops}
    assert packings == {Isa.GENERIC, Isa.DSP, Isa.BASE}
    for isa in ("dsp", "base"):
        arenas = [waist(isa, goal).content.arena_bytes for goal in ("speed", "balanced", "memory")]
        assert arenas[0] >= arenas[1] > arenas[2]


def rows_of(tensor: TensorRecord, row0: int, rows: int | None) -> set[int]:
    """Offsets, from the tensor's start, of the elements of some of its rows (None: of all)."""
    size = tensor.held_bytes
    if rows is None or tensor.layout == Layout.DENSE:
        return set(range(size))
    _, height, width, channels = tensor.shape
    if tensor.layout == Layout.PLANES_TRANSPOSED:
        height, width = width, height
    held = tensor.ring_rows or height
    places = np.arange(size)
    if tensor.layout == Layout.ROWS:
        image = places.reshape(held, channels, width).transpose(1, 0, 2)
    else:
        image = places.reshape(channels, held, width)
    return {int(p) for row in range(row0, row0 + rows) for p in image[:, row % held].flat}


def allowed(content: PackageContent, step: int) -> set[int]:
    """Offsets in the arena that a step may change: the rows it computes, and scratch."""
    run = content.steps[step]
    op = content.ops[run.op]
    places = set(range(op.scratch_offset, op.scratch_offset + op.scratch_bytes))
    for number in op.outputs:
        tensor = content.tensors[number]
        if tensor.storage is Storage.ARENA:
            places |= {tensor.offset + place for place in rows_of(tensor, run.row0, run.rows)}
    return places


@each
def test_a_step_writes_its_rows_and_its_scratch(name: str) -> None:
    run = Run(made()[name], 0xA5)
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


@each
def test_results_do_not_depend_on_the_memory(name: str) -> None:
    outputs = [Run(made()[name], fill).finish() for fill in FILLS]
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("rows")])
def test_the_self_test_does_not_depend_on_the_memory(name: str) -> None:
    """Its trace has rings, whose last bytes may belong to nothing."""
    for fill in FILLS:
        run = Run(made()[name], fill)
        assert run.lib.rnv_exec_selftest(run.exec) == 0


PAIRS = [
    ("dsp-memory-resident", "base-memory-resident"),
    ("dsp-memory-kept", "rows-ring"),
    ("dsp-memory-donated", "base-speed-resident"),
    ("rows-in-place", "rows-ring-rows"),
]
pairs = pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: "+".join(pair))


@pairs
def test_two_models_take_turns_at_every_step(pair: tuple[str, str]) -> None:
    """One step of each, in memory side by side, as far as both have steps."""
    first, second = (made()[name] for name in pair)
    expected = [Run(model, 0, seed).finish() for model, seed in ((first, 3), (second, 4))]
    runs = [Run(first, 0xFF, 3), Run(second, 0xFF, 4)]
    waiting = list(runs)
    for run in runs:
        run.start()
    while waiting:
        waiting = [run for run in waiting if run.step()]
    assert [run.outputs() for run in runs] == expected
    assert all(run.arena.guards_are_whole() for run in runs)


@pairs
def test_a_whole_run_of_another_model_between_any_two_steps(pair: tuple[str, str]) -> None:
    first, second = (made()[name] for name in pair)
    expected = Run(first, 0, 3).finish()
    other = Run(second, 0xFF, 4)
    expected_other = Run(second, 0, 4).finish()
    run = Run(first, 0xFF, 3)
    run.start()
    more = True
    while more:
        more = run.step()
        again = Run(second, 0x55, 4, other.arena)
        assert again.finish() == expected_other
    assert run.outputs() == expected


@pairs
def test_two_models_use_one_arena_by_turns(pair: tuple[str, str]) -> None:
    """Whatever a model leaves in the arena, also after some steps only, does not matter."""
    models = [made()[name] for name in pair]
    expected = [Run(model, 0, seed).finish() for seed, model in enumerate(models)]
    shared = Guarded(max(model.content.arena_bytes for model in models), 0xC3)
    for steps in (1, 2, 5, 9):
        for seed, model in enumerate(models):
            left = Run(model, 0xC3, 77, shared)
            left.start()
            for _ in range(min(steps, len(model.content.steps))):
                left.step()
            other = 1 - seed
            assert Run(models[other], 0xC3, other, shared).finish() == expected[other]
            assert Run(model, 0xC3, seed, shared).finish() == expected[seed]
    assert shared.guards_are_whole()


# Every layer


@pytest.mark.parametrize(("isa", "goal", "mode"), WAISTS)
def test_every_layer_equals_the_reference(isa: str, goal: str, mode: IoMode) -> None:
    """Also those that exist only some rows at a time: the trace puts these together."""
    model = waist_model()
    package = Package(waist(isa, goal, mode).package)
    try:
        oracle = TfliteMicroOracle(model)
    except ToolError:
        pytest.skip("the reference is not installed")
    found = validate(model, package, oracle, random_inputs(package, 2, 5))
    assert found.passed
    assert len(found.layers) >= 9
    rings = {t.name for t in package.content.tensors if t.ring_rows}
    if goal == "memory":
        assert rings
    assert rings <= {layer.tensor for layer in found.layers}


@pytest.mark.parametrize(("isa", "goal"), TARGETS)
def test_a_trace_is_the_same_for_every_goal(isa: str, goal: str) -> None:
    plain = Model(Package(compile_model(waist_model(), "waist.tflite").package))
    packed = Model(Package(waist(isa, goal).package))
    (values,) = random_inputs(packed.package, 1, 9)
    images = [
        {model.package.info(tensor).name: array for _, tensor, array in model.trace(*values)}
        for model in (plain, packed)
    ]
    common = images[0].keys() & images[1].keys()
    assert len(common) >= 9
    for tensor in common:
        assert images[0][tensor].shape == images[1][tensor].shape
        assert (images[0][tensor] == images[1][tensor]).all(), tensor


def test_a_run_may_be_given_up_between_slices() -> None:
    """A session starts again from the beginning, after any number of steps."""
    package = NativePackage(waist("dsp", "memory").package)
    size = package.tensor_bytes(package.inputs()[0])
    inputs = [np.random.default_rng(0).integers(0, 256, size, np.uint8).tobytes()]
    expected = package.run(inputs)
    session = Session(package)
    for steps in range(1, len(waist("dsp", "memory").content.steps), 3):
        session.start([bytes(size)])
        for _ in range(steps):
            session.step()
        assert session.run(inputs) == expected


# Packings


def test_an_op_has_the_packing_that_the_header_names() -> None:
    content = waist("dsp", "speed").content
    for isa in (Isa.GENERIC, Isa.BASE):
        with pytest.raises(PackageError, match="op record"):
            NativePackage(write_package_as(content, isa))
    with pytest.raises(PackageError, match="instruction-set packing"):
        NativePackage(write_package_as(content, Isa.MVE))
    assert NativePackage(write_package_as(content, Isa.DSP))


def write_package_as(content: PackageContent, isa: Isa) -> bytes:
    """The package with another packing in its header."""
    return write_package(replace(content, isa=isa))


@pytest.mark.parametrize("isa", [Isa.GENERIC, Isa.BASE, Isa.MVE])
def test_a_stream_is_not_decoded_by_another_kernels_packing(isa: Isa) -> None:
    content = waist("dsp", "speed").content
    index = next(i for i, op in enumerate(content.ops) if op.packing is Isa.DSP)
    ops = list(content.ops)
    ops[index] = replace(ops[index], packing=isa)
    with pytest.raises(PackageError, match="op record"):
        NativePackage(write_package(replace(content, ops=tuple(ops))))


@pytest.mark.parametrize("seed", range(6))
def test_random_chains_do_not_depend_on_the_memory(seed: int) -> None:
    isa, goal = TARGETS[seed % len(TARGETS)]
    options = CompileOptions(isa=isa, optimize=goal, input_mode=IoMode(seed % 3))
    result = compile_model(generate(seed, "IMAGE_CHAIN").model, "chain.tflite", options)
    outputs = [Run(result, fill).finish() for fill in FILLS]
    assert outputs[0] == outputs[1] == outputs[2]
    for fill in FILLS:
        run = Run(result, fill)
        assert run.lib.rnv_exec_selftest(run.exec) == 0
