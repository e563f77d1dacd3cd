# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile ``.tflite`` files: they cost no more than their size and cannot crash the reader."""

from __future__ import annotations

import importlib.util
import struct
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import flatbuffers
import pytest
import tflite

from ranvier.compiler.flatbuffer import FlatBuffer
from ranvier.compiler.graph import Graph
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import ModelError, RanvierError
from tflite_models import KIND, ModelDef, OpDef, TensorDef, chain, refused, weights

REPOSITORY = Path(__file__).resolve().parents[2]


def _peak(action: Callable[[], None]) -> int:
    """Return the most memory that ``action`` holds, in bytes."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_operators_that_share_a_long_vector_arerefused() -> None:
    count = 1000
    tensors = [TensorDef((1,))] * (count + 1)
    ops = [OpDef(KIND.CONCATENATION, outputs=(i + 1,)) for i in range(count)]
    data = ModelDef(tensors, ops, shared_inputs=[0] * 10 * count).write()
    refuse = ("operators[", ".inputs", "refer to the same bytes")
    assert _peak(lambda: refused(data, ModelError, *refuse)) < 40 * len(data)


def test_buffers_that_share_their_bytes_arerefused() -> None:
    tensors = [TensorDef((1 << 16,))] * 500
    data = ModelDef(tensors, [], (), range(500), shared_data=bytes(1 << 16)).write()
    refuse = ("buffers[", ".data", "refer to the same bytes")
    assert _peak(lambda: refused(data, ModelError, *refuse)) < 40 * len(data)


def test_many_tensors_may_share_one_buffer() -> None:
    tensors = [TensorDef((1 << 16,), data=bytes(1 << 16)), *[TensorDef((1 << 16,), buffer=1)] * 500]
    data = ModelDef(tensors, [], (), range(501)).write()
    graph: list[Graph] = []
    assert _peak(lambda: graph.append(read_tflite(data, "m"))) < 40 * len(data)
    assert len(graph[0].outputs) == 501


def test_a_declared_size_allocates_nothing() -> None:
    data = chain(shape=(2**31 - 1,)).write()
    graph: list[Graph] = []
    assert _peak(lambda: graph.append(read_tflite(data, "m"))) < 1 << 20
    assert graph[0].inputs[0].bytes == 2**31 - 1


def _table(vtable: list[int], body: bytes) -> FlatBuffer:
    """Make a file of a root offset, a vtable, and a table whose fields are ``body``."""
    raw = struct.pack(f"<I{len(vtable)}H", 4 + 2 * len(vtable), *vtable)
    return FlatBuffer(raw + struct.pack("<i", 2 * len(vtable)) + body, "m")


def test_a_table_that_fits_exactly_is_read() -> None:
    file = _table([8, 8, 4, 0], struct.pack("<f", 1.5))
    root = file.root("root", {"a": 0, "b": 1, "c": 2})
    assert (root.real("a"), root.real("b", 7.0), root.integer("c", "i", 9)) == (1.5, 7.0, 9)


@pytest.mark.parametrize(
    ("vtable", "body", "words"),
    [
        ([2, 8, 4], bytes(4), "vtable has the impossible size 2"),
        ([15, 8, 4], bytes(4), "vtable has the impossible size 15"),
        ([6, 3, 4], bytes(4), "table has the impossible size 3"),
        ([6, 9, 4], bytes(4), "table has the impossible size 9"),
        ([6, 8, 2], bytes(4), "root.a: offset 2 lies outside of its table of 8"),
        ([6, 8, 5], bytes(4), "root.a: offset 5 lies outside of its table of 8"),
        ([6, 8, 65535], bytes(4), "root.a: offset 65535 lies outside of its table of 8"),
    ],
)
def test_tables_that_do_not_fit(vtable: list[int], body: bytes, words: str) -> None:
    file = _table(vtable, body)
    with pytest.raises(ModelError, match=words):
        file.root("root", {"a": 0}).real("a")


@pytest.mark.parametrize("count", [2, 2**30, 2**32 - 1])
def test_vectors_that_do_not_fit(count: int) -> None:
    file = _table([6, 8, 4], struct.pack("<IIi", 4, count, 5))
    root = file.root("root", {"a": 0})
    words = f"root.a: {count} elements of 4 bytes do not fit into the last 4 bytes"
    with pytest.raises(ModelError, match=words):
        root.integers("a")
    with pytest.raises(ModelError, match=words):
        root.tables("a", {})


@pytest.mark.parametrize("back", [5, 100, -4, -100, 2**31 - 1, -(2**31)])
def test_a_vtable_outside_of_the_file(back: int) -> None:
    file = FlatBuffer(struct.pack("<Ii", 4, back), "m")
    with pytest.raises(ModelError, match="outside of the file"):
        file.root("root", {})


def _fuzzer() -> ModuleType:
    path = REPOSITORY / "tests" / "fuzz" / "fuzz_tflite.py"
    spec = importlib.util.spec_from_file_location("fuzz_tflite", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz_tflite"] = module
    spec.loader.exec_module(module)
    return module


def _corpus() -> list[bytes]:
    custom = OpDef(KIND.CUSTOM, custom="Detect", custom_options=b"123")
    reshape = OpDef(KIND.RESHAPE, options=(17, lambda b: _options(b, "ReshapeOptions")))
    models = [
        weights(scale=(0.5, 0.25), zero_point=(0, 0)),
        chain(scale=(1,), zero_point=(-1,), signature=(-1, 4)),
        ModelDef([TensorDef(name="a"), TensorDef(name="b")], [custom]),
        ModelDef([TensorDef(name="a"), TensorDef(name="b")], [reshape]),
        ModelDef([TensorDef((8,)), TensorDef((8,))], inputs=(), outside=(16, 8)),
    ]
    return [model.write() for model in models]


def _options(b: flatbuffers.Builder, name: str) -> int:
    getattr(tflite, f"{name}Start")(b)
    return int(getattr(tflite, f"{name}End")(b))


def test_mutants_are_read_orrefused() -> None:  # 2, 54
    fuzzer = _fuzzer()
    seeds = [fuzzer.Seed.of(data) for data in _corpus()]
    accepted = 0
    for number in range(3000):
        data = fuzzer.mutant(1, number, seeds)
        failure = fuzzer.run_targets(data)
        assert failure is None, f"mutant {number} of seed 1: {failure}\n{data.hex()}"
        try:
            graph = read_tflite(data, "mutant")
        except RanvierError:
            continue
        accepted += 1
        _check_promises(graph)
    assert 300 < accepted < 2700


def _check_promises(graph: Graph) -> None:
    """Check what the docstrings of the graph say of every graph."""
    known = {*graph.inputs}
    for op in graph.ops:
        for tensor in op.inputs:
            assert tensor is None or tensor.is_const or tensor in known
        for tensor in op.outputs:
            assert not tensor.is_const
            assert tensor not in known
            known.add(tensor)
    for tensor in graph.outputs:
        assert tensor.is_const or tensor in known
    for tensor in known:
        assert len(tensor.shape) <= 5
        assert all(size > 0 for size in tensor.shape)
        if tensor.data is not None:
            assert tensor.data.shape == tensor.shape
            assert tensor.data.dtype == tensor.dtype.numpy
        if tensor.quant:
            count = len(tensor.quant.scales)
            assert len(tensor.quant.zero_points) == count
            assert count in (1, tensor.shape[tensor.quant.axis])


def test_the_fuzzer_is_deterministic_and_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzer = _fuzzer()
    seeds = [fuzzer.Seed.of(data) for data in _corpus()]
    first = [fuzzer.mutant(7, number, seeds) for number in range(50)]
    assert first == [fuzzer.mutant(7, number, seeds) for number in range(50)]
    assert first != [fuzzer.mutant(8, number, seeds) for number in range(50)]
    monkeypatch.setitem(fuzzer.TARGETS, "broken", lambda data: data[len(data)])
    assert "broken" in fuzzer.run_targets(first[0])
    assert "IndexError" in fuzzer.run_targets(first[0])
