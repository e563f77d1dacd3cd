# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What makes models of the audio front end executable: options, state, thresholds, streams."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from flatbuffers import flexbuffers
from numpy.typing import NDArray

from ranvier.compiler.driver import check_model, compile_model
from ranvier.compiler.emit import Header, emit_entries
from ranvier.compiler.flexbuffer import read_map
from ranvier.compiler.graph import DType, Graph, Op, Tensor
from ranvier.compiler.lower import lower_graph
from ranvier.compiler.memory import plan_memory
from ranvier.compiler.ops import op_specs
from ranvier.compiler.passes import fuse_energy, fuse_steps, signal_state
from ranvier.errors import UnsupportedError
from ranvier.model import Model
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.tflite_builder import build_tflite
from signal_models import flexbuffer, signal_model
from test_signal_ops import subtraction_model

# FlexBuffers


@pytest.mark.parametrize("seed", range(40))
def test_maps_are_read_as_they_were_written(seed: int) -> None:
    rng = random.Random(seed)
    values: list[Any] = [0, -1, 127, -128, 40000, -(2**40), 2**63 - 1, True, False, 0.5, 0.1]
    keys = rng.sample(
        ["a", "shift", "T", "num_channels", "x" * 120, "z", "b", "c"], rng.randint(0, 8)
    )
    written = {key: rng.choice(values) for key in keys}
    found = read_map(flexbuffer(written))
    assert found == written
    assert {key: type(value) for key, value in found.items()} == {
        key: type(value) for key, value in written.items()
    }


def test_indirect_and_unsigned_numbers_are_read() -> None:
    builder = flexbuffers.Builder()
    with builder.Map():
        builder.IndirectInt("a", -70000)
        builder.IndirectUInt("b", 2**64 - 1)
        builder.IndirectFloat("c", 0.25)
        builder.UInt("d", 2**32 - 1)
    assert read_map(bytes(builder.Finish())) == {
        "a": -70000,
        "b": 2**64 - 1,
        "c": 0.25,
        "d": 2**32 - 1,
    }


@pytest.mark.parametrize("value", [1, "text", [1, 2], {"a": "text"}, {"a": {"b": 1}}, {"a": [1]}])
def test_what_is_no_map_of_numbers_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"not a map|is no number"):
        read_map(bytes(flexbuffers.Dumps(value)))


def test_large_maps_are_refused() -> None:
    with pytest.raises(ValueError, match="limit is 64"):
        read_map(flexbuffer({f"k{i:03}": i for i in range(65)}))
    assert len(read_map(flexbuffer({f"k{i:03}": i for i in range(64)}))) == 64


def test_damaged_maps_give_an_error_or_a_map() -> None:
    """All single bytes, cuts, and random mutations."""
    seeds = [flexbuffer({"T": 7, "fft_length": 512}), flexbuffer({"a": 0.5, "b": 2**40, "c": True})]
    rng = random.Random(3)
    mutants = [data[:end] for data in seeds for end in range(len(data))]
    mutants += [
        data[:at] + bytes([value]) + data[at + 1 :]
        for data in seeds
        for at in range(len(data))
        for value in range(256)
    ]
    for _ in range(20000):
        data = bytearray(rng.choice(seeds))
        for _ in range(rng.randint(2, 6)):
            data[rng.randrange(len(data))] = rng.choice(
                [0, 1, 2, 4, 8, 36, 37, 255, rng.getrandbits(8)]
            )
        mutants.append(bytes(data))
    maps = 0
    for mutant in mutants:
        with contextlib.suppress(ValueError):
            read_map(mutant)
            maps += 1
    assert 0 < maps < len(mutants)


# State


def test_the_noise_estimate_becomes_state() -> None:
    result = compile_model(subtraction_model({"num_channels": 3}), "m.tflite")
    assert result.content.state_bytes == 16
    assert [entry.name for entry in result.content.entries] == ["infer", "reset"]


def test_an_op_that_is_not_of_the_model_keeps_its_operands() -> None:
    """Of another number of operands, which its check refuses."""
    x = Tensor("x", DType.UINT32, (3,))
    op = Op("CUSTOM:SignalFilterBankSpectralSubtraction", [x], [Tensor("y", DType.UINT32, (3,))])
    assert signal_state.run(Graph("m", [op], [x], op.outputs)) == 0
    assert len(op.inputs) == 1


# Zeros around energies


def energies(**changes: Any) -> Graph:
    """SignalEnergy of 20 bins, of which 4 to 14 are in use, with zeros around bins 3 to 15."""
    bins, first, last = 20, changes.get("first", 3), changes.get("last", 15)
    x = Tensor("x", DType.INT16, (2 * bins,))
    energy, out = (Tensor(name, DType.UINT32, (bins,)) for name in ("energy", "out"))
    cast, joined = (Tensor(name, DType.INT32, (bins,)) for name in ("cast", "joined"))
    middle = Tensor("middle", DType.INT32, (last - first,))
    options = {"start_index": changes.get("start", 4), "end_index": changes.get("end", 14)}

    def constant(values: Any) -> Tensor:
        data = np.array(values, np.int32)
        return Tensor("c", DType.INT32, data.shape, data=data)

    before = constant(np.full(changes.get("before", first), changes.get("fill", 0)))
    bounds = [constant([value]) for value in (first, last, changes.get("stride", 1))]
    after = constant(np.zeros(bins - last, np.int32))
    ops = [
        Op("CUSTOM:SignalEnergy", [x], [energy], {"_options": options}),
        Op("CAST", [energy], [cast]),
        Op("STRIDED_SLICE", [cast, *bounds], [middle], {"begin_mask": changes.get("mask", 0)}),
        Op("CONCATENATION", [before, middle, after], [joined], {"axis": changes.get("axis", 0)}),
        Op("CAST", [joined], [out]),
    ]
    outputs = [out, *([cast] if changes.get("shown") else [])]
    return Graph("m", ops, [x], outputs)


def test_zeros_around_energies_are_the_op_s() -> None:
    graph = energies()
    assert fuse_energy.run(graph) == 1
    assert [op.kind for op in graph.ops] == ["CUSTOM:SignalEnergy"]
    assert graph.ops[0].outputs == graph.outputs
    x = np.arange(-20, 20, dtype=np.int16)
    squares = (x.astype(np.int64) ** 2).reshape(20, 2).sum(axis=1)
    squares[:4] = squares[14:] = 0
    assert np.array_equal(_entries({"infer": graph}).run(x)[0], squares)


@pytest.mark.parametrize(
    "changes",
    [
        {"first": 5},
        {"last": 13},
        {"before": 2},
        {"fill": 1},
        {"stride": 2},
        {"mask": 1},
        {"axis": 1},
        {"shown": True},
        {"start": 2},
    ],
)
def test_what_changes_energies_stays(changes: dict[str, Any]) -> None:
    graph = energies(**changes)
    assert fuse_energy.run(graph) == 0
    assert len(graph.ops) == 5


# Thresholds

Link = tuple[str, int]
Values = NDArray[np.int64]


def arithmetic(links: Sequence[Link], target: DType = DType.INT8, **changes: Any) -> Graph:
    """CAST of int16 to int32, ops with a constant each, CAST to ``target``."""
    shape = (1, 2**16)
    x = Tensor("x", changes.get("source", DType.INT16), shape)
    ops = [Op("CAST", [x], [Tensor("cast", DType.INT32, shape)])]
    for number, (kind, value) in enumerate(links):
        size = changes.get("size", 1)
        data = np.full((size,) if size > 1 else (), value, np.int32)
        constant = Tensor(f"c{number}", DType.INT32, data.shape, data=data)
        inputs: list[Tensor | None] = [ops[-1].outputs[0], constant]
        if changes.get("swapped"):
            inputs.reverse()
        attrs = {"fused_activation_function": changes.get("activation", "NONE")}
        if kind in ("MINIMUM", "MAXIMUM"):
            attrs = {}
        ops.append(Op(kind, inputs, [Tensor(f"t{number}", DType.INT32, shape)], attrs))
    ops.append(Op("CAST", [ops[-1].outputs[0]], [Tensor("y", target, shape)]))
    outputs = [ops[-1].outputs[0], *([ops[0].outputs[0]] if changes.get("shown") else [])]
    return Graph("m", ops, [x], outputs)


CLIP = [("MINIMUM", 127), ("MAXIMUM", -128)]


@pytest.mark.parametrize(
    ("links", "target"),
    [
        ([("MUL", 256), ("ADD", 333), ("DIV", 666), ("ADD", -128), *CLIP], DType.INT8),
        ([("MUL", 3), ("SUB", 1000), ("DIV", 7), *CLIP], DType.INT8),
        ([("DIV", -300), ("MUL", -1), *CLIP], DType.INT8),
        ([("ADD", 5), ("MAXIMUM", 0), ("MINIMUM", 255)], DType.UINT8),
        ([("MAXIMUM", 3), ("MINIMUM", 3)], DType.UINT8),
        (CLIP, DType.INT8),
    ],
)
def test_integer_arithmetic_becomes_thresholds(links: list[Link], target: DType) -> None:
    """For all int16, against the ops as they are defined."""
    values = np.arange(-(2**15), 2**15, dtype=np.int16)
    graph = arithmetic(links, target)
    expected = _by_hand(values.astype(np.int64), links).astype(target.numpy)
    assert fuse_steps.run(graph) == 1
    assert [op.kind for op in graph.ops] == ["STEPS"]
    model = _entries({"infer": graph})
    assert np.array_equal(model.run(values.reshape(1, -1))[0].ravel(), expected)


def _by_hand(values: Values, links: Sequence[Link]) -> Values:
    ops: dict[str, Callable[[Values, int], Values]] = {
        "ADD": lambda x, c: x + c,
        "SUB": lambda x, c: x - c,
        "MUL": lambda x, c: x * c,
        "DIV": lambda x, c: np.trunc(x / c).astype(np.int64),
        "MINIMUM": np.minimum,
        "MAXIMUM": np.maximum,
    }
    for kind, constant in links:
        values = ops[kind](values, constant)
    return values


@pytest.mark.parametrize(
    ("links", "changes"),
    [
        ([("MUL", -1), *CLIP], {}),  # falls
        ([("ADD", 1)], {}),  # the cast wraps
        ([("MUL", 70000), *CLIP], {}),  # beyond int32
        ([("ADD", 2**31 - 1), *CLIP], {}),
        ([("DIV", 0), *CLIP], {}),
        ([("ADD", 1), *CLIP], {"size": 2**16}),
        ([("ADD", 1), *CLIP], {"activation": "RELU"}),
        ([("ADD", 1), *CLIP], {"shown": True}),
        ([("ADD", 1), *CLIP], {"source": DType.INT32}),
        ([("SUB", 1), *CLIP], {"swapped": True}),
        ([("POW", 1), *CLIP], {}),
    ],
)
def test_other_arithmetic_stays_and_is_refused(links: list[Link], changes: dict[str, Any]) -> None:
    graph = arithmetic(links, **changes)
    count = len(graph.ops)
    assert fuse_steps.run(graph) == 0
    assert len(graph.ops) == count
    if changes.get("source") is None and links[0][0] != "POW":
        with pytest.raises(UnsupportedError, match="CAST"):
            compile_model(build_tflite(graph), "m.tflite")


# Streams


def test_a_stream_keeps_its_newest_elements() -> None:
    """Against a list; the state is zero at first and after a reset."""
    for dtype, rows, new in ((DType.INT16, 7, 3), (DType.INT8, 5, 1), (DType.UINT64, 4, 4)):
        x = Tensor("x", dtype, (new, 2))
        state = Tensor("s", dtype, (rows, 2), state=True)
        y = Tensor("y", dtype, (rows, 2))
        push = Graph("m", [Op("STREAM_PUSH", [x, state], [state])], [x], [])
        show = Graph("m", [Op("RESHAPE", [state], [y])], [], [y])
        clear = Graph("m", [Op("CLEAR", [], [state])], [], [])
        model = _entries({"push": push, "infer": show, "reset": clear})
        rng = np.random.default_rng(1)
        for _ in range(2):
            expected = [np.zeros(2, dtype.numpy)] * rows
            for _ in range(6):
                rows_in = rng.integers(0, 100, (new, 2)).astype(dtype.numpy)
                model.run(rows_in, entry="push")
                expected = [*expected, *rows_in][-rows:]
                assert np.array_equal(model.run(entry="infer")[0], np.array(expected))
            model.run(entry="reset")
            assert not model.run(entry="infer")[0].any()


@pytest.mark.parametrize(
    ("op", "words"),
    [
        (("STREAM_PUSH", "x", "x", "x"), "not the same state"),
        (("STREAM_PUSH", "x", "state", "x"), "not the same state"),
        (("STREAM_PUSH", "long", "state", "state"), "does not fit"),
        (("STREAM_PUSH", "other", "state", "state"), "does not fit"),
    ],
)
def test_pushes_that_do_not_fit_are_refused(op: tuple[str, ...], words: str) -> None:
    tensors = {
        "x": Tensor("x", DType.INT8, (2,)),
        "long": Tensor("long", DType.INT8, (9,)),
        "other": Tensor("other", DType.UINT8, (2,)),
        "state": Tensor("state", DType.INT8, (8,), state=True),
    }
    kind, *names, output = op
    reasons = op_specs()[kind].check(Op(kind, [tensors[n] for n in names], [tensors[output]]))
    assert words in "\n".join(reasons)


def test_operands_are_counted() -> None:
    for kind in ("STREAM_PUSH", "CLEAR", "MATRIX", "STEPS"):
        assert op_specs()[kind].check(Op(kind, [None, None, None], []))


def _entries(graphs: dict[str, Graph]) -> Model:
    plans = {name: plan_memory(lower_graph(graph), IoMode.KEPT) for name, graph in graphs.items()}
    return Model(write_package(emit_entries(plans, Header("m", IoMode.KEPT))))


def test_kinds_that_only_the_compiler_makes_are_not_offered() -> None:
    model = signal_model("Other", [("int16", (4,))], [("int16", (4,))], {})
    (unsupported,) = check_model(model, "m.tflite")
    assert unsupported.kind == "CUSTOM:Other"
    with pytest.raises(UnsupportedError) as caught:
        compile_model(model, "m.tflite")
    assert "CUSTOM:SignalRfft" in str(caught.value.remedy)
    for kind in ("STEPS", "MATRIX", "STREAM_PUSH", "CLEAR"):
        assert kind not in str(caught.value.remedy)
