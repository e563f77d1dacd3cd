# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The Python API: compile, Package and Model with NumPy arrays."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ranvier
from packages import deep, deep_model, rich, rich_model
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.graph import DType, Graph, Quant, Tensor
from ranvier.errors import InputError, ModelError, PackageError, UnsupportedError
from ranvier.files import write_bytes, write_files
from ranvier.model import Model, Package, TensorInfo
from ranvier.native import VIEW_BYTES_32
from ranvier.package.records import IoMode
from ranvier.package.writer import write_package
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

Array = NDArray[Any]
X, Y = (1, 6, 5, 3), (1, 6, 5, 4)


def random_int8(shape: Sequence[int], seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(-128, 128, shape).astype(np.int8)


def model_of(graph: Graph, mode: IoMode = IoMode.KEPT) -> tuple[bytes, Model]:
    data = build_tflite(graph)
    options = CompileOptions(input_mode=mode)
    return data, Model(compile_model(data, "model.tflite", options).package)


# compile


def test_compile_returns_what_it_writes(tmp_path: Path) -> None:
    source, target = tmp_path / "rich model.tflite", tmp_path / "out.rnv"
    source.write_bytes(rich_model())
    result = ranvier.compile(source, output=target)
    assert target.read_bytes() == result.package
    assert ranvier.compile(str(source)).package == result.package
    assert result.content.name == "rich_model"
    assert result.report.flash_bytes == len(result.package)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.rnv", "rich model.tflite"]


def test_compile_takes_options(tmp_path: Path) -> None:
    source = tmp_path / "rich.tflite"
    source.write_bytes(rich_model())
    options = ranvier.CompileOptions(
        input_mode=IoMode.RESIDENT, name="other", version=(3, 2, 1), labels=("a",) * 6
    )
    content = ranvier.Package(ranvier.compile(source, options).package).content
    assert (content.name, content.version, content.labels) == ("other", (3, 2, 1), ("a",) * 6)
    assert content.io_mode is IoMode.RESIDENT


def test_compile_that_fails_writes_nothing(tmp_path: Path) -> None:
    source, target = tmp_path / "m.tflite", tmp_path / "out.rnv"
    source.write_bytes(rich_model()[:400])
    with pytest.raises(ModelError, match=r"m\.tflite"):
        ranvier.compile(source, output=target)
    source.write_bytes(rich_model())
    with pytest.raises(UnsupportedError):
        ranvier.compile(source, ranvier.CompileOptions(isa="mve"), output=target)
    with pytest.raises(InputError, match=r"missing\.tflite: cannot be read: No such file"):
        ranvier.compile(tmp_path / "missing.tflite", output=target)
    with pytest.raises(InputError, match=r"nowhere.out\.rnv: cannot be written: No such file"):
        ranvier.compile(source, output=tmp_path / "nowhere" / "out.rnv")
    assert [p.name for p in tmp_path.iterdir()] == ["m.tflite"]


def test_every_error_has_the_one_root() -> None:
    for error in (InputError, ModelError, PackageError, UnsupportedError):
        assert issubclass(error, ranvier.RanvierError)
    assert str(InputError("what", "that")) == "what\n  try: that"
    assert str(InputError("what")) == "what"


def test_options_that_are_none_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="one of kept, donated, resident"):
        CompileOptions(input_mode="foo")
    with pytest.raises(InputError, match="one of speed, balanced, memory"):
        CompileOptions(optimize="size")
    with pytest.raises(UnsupportedError, match="dsp is for Cortex-M4"):
        CompileOptions(isa="m33")


# Package


def test_a_model_is_no_package(tmp_path: Path) -> None:
    path = tmp_path / "rich.tflite"
    path.write_bytes(rich_model())
    for make in (ranvier.Model, ranvier.Package):
        with pytest.raises(
            PackageError, match=r"rich\.tflite: is a TensorFlow Lite model"
        ) as error:
            make(path)
        assert "compile it first" in str(error.value)


def test_a_package_describes_itself() -> None:
    package = ranvier.Package(rich().package, "rich.rnv")
    assert package.name == "rich"
    assert package.labels == ("zero", "one", "two", "thrée", "four", "五")
    assert [info.shape for info in package.inputs] == [X, Y]
    assert [info.shape for info in package.outputs] == [(1, 6), Y]
    assert {info.dtype for info in (*package.inputs, *package.outputs)} == {np.dtype(np.int8)}
    softmax = package.outputs[0]
    assert (softmax.scale, softmax.zero_point, softmax.quantised) == (1 / 256, -128, True)
    assert package.source == "rich.rnv"


@pytest.mark.parametrize("mode", IoMode)
def test_ram_is_arena_view_state_and_external_tensors(mode: IoMode) -> None:
    package = ranvier.Package(rich(mode).package)
    content = package.content
    slots = 0 if mode is IoMode.RESIDENT else 4
    external = 0 if mode is IoMode.RESIDENT else 90 + 120 + 6 + 120
    assert package.ram_bytes == content.arena_bytes + external + VIEW_BYTES_32 + 4 * slots
    assert package.ram_bytes == rich(mode).report.ram_bytes


def test_a_package_from_a_file_and_from_bytes_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rich.rnv"
    path.write_bytes(rich().package)
    inputs = random_int8(X), random_int8(Y)
    expected = ranvier.Model(rich().package).run(*inputs)
    for source in (path, str(path), ranvier.Package(path)):
        got = ranvier.Model(source).run(*inputs)
        assert [a.tobytes() for a in got] == [a.tobytes() for a in expected]
    path.write_bytes(rich().package[:-16])
    with pytest.raises(PackageError, match=r"rich\.rnv: size of the package is wrong"):
        ranvier.Package(path)


# Model.run


@pytest.mark.parametrize("mode", IoMode)
def test_several_inputs_and_outputs(mode: IoMode) -> None:
    model = Model(rich(mode).package)
    oracle = TfliteMicroOracle(rich_model())
    for seed in range(5):
        inputs = random_int8(X, seed), random_int8(Y, seed + 100)
        got, want = model.run(*inputs), oracle.run(inputs)
        assert [a.shape for a in got] == [(1, 6), Y]
        assert [a.tobytes() for a in got] == [a.tobytes() for a in want]


def test_outputs_stay_after_the_next_run() -> None:
    model = Model(rich().package)
    first = model.run(random_int8(X, 1), random_int8(Y, 1))
    kept = [output.tobytes() for output in first]
    model.run(random_int8(X, 2), random_int8(Y, 2))
    assert [output.tobytes() for output in first] == kept


@pytest.mark.parametrize("mode", IoMode)
def test_outputs_are_the_callers_to_write(mode: IoMode) -> None:
    model = Model(rich(mode).package)
    inputs = random_int8(X, 3), random_int8(Y, 4)
    want = [output.copy() for output in model.run(*inputs)]
    for outputs in (model.run(*inputs), model.profile(*inputs)[0]):
        for output in outputs:
            output[:] = 77
    for _, _, array in model.trace(*inputs):
        array[:] = 77
    assert [a.tobytes() for a in model.run(*inputs)] == [a.tobytes() for a in want]


@pytest.mark.parametrize("mode", IoMode)
def test_inputs_are_not_changed(mode: IoMode) -> None:
    model = Model(deep(mode).package)
    values = np.random.default_rng(1).standard_normal((1, 4, 4, 2)).astype(np.float32)
    before = values.tobytes()
    model.run(values)
    assert values.tobytes() == before


@pytest.mark.parametrize("mode", IoMode)
def test_float_model(mode: IoMode) -> None:
    model = Model(deep(mode).package)
    oracle = TfliteMicroOracle(deep_model())
    values = np.random.default_rng(2).standard_normal((1, 4, 4, 2)).astype(np.float32)
    (got,), (want,) = model.run(values), oracle.run([values])
    assert got.dtype == want.dtype == np.float32
    assert got.tobytes() == want.tobytes()
    (double,) = model.run(values.astype(np.float64))
    assert double.tobytes() == got.tobytes()


@pytest.mark.parametrize("mode", IoMode)
def test_outputs_that_are_inputs_or_twice(mode: IoMode) -> None:
    make = Maker()
    x, y = make.input((1, 4)), make.input((1, 3))
    relu = make.clamp("RELU", x)
    _, model = model_of(make.graph(relu, x, relu, y), mode)
    values = np.array([[-5, 0, 5, 127]], np.int8), np.array([[1, 2, 3]], np.int8)
    outputs = model.run(*values)
    assert [o.shape for o in outputs] == [(1, 4), (1, 4), (1, 4), (1, 3)]
    assert x.quant is not None
    assert outputs[0].tolist() == np.maximum(values[0], x.quant.zero_point).tolist()
    assert outputs[2].tolist() == outputs[0].tolist()
    assert outputs[1].tolist() == values[0].tolist()
    assert outputs[3].tolist() == values[1].tolist()


def test_batch_of_two() -> None:
    make = Maker(4)
    x = make.input((2, 5, 5, 3))
    pooled = make.max_pool(make.depthwise(make.conv(x, 6)))
    data, model = model_of(make.graph(pooled))
    values = random_int8((2, 5, 5, 3), 3)
    (got,), (want,) = model.run(values), TfliteMicroOracle(data).run([values])
    assert got.shape == want.shape
    assert got.tobytes() == want.tobytes()
    with pytest.raises(InputError, match="shape"):
        model.run(values[:1])


def test_the_leading_dimension_of_one_may_be_left_out() -> None:
    model = Model(rich().package)
    whole = model.run(random_int8(X), random_int8(Y))
    bare = model.run(random_int8(X)[0], random_int8(Y)[0])
    assert [a.tobytes() for a in bare] == [a.tobytes() for a in whole]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64, ">i4"])
def test_integers_of_another_type_are_taken_where_they_fit(dtype: Any) -> None:
    model = Model(rich().package)
    x, y = np.abs(random_int8(X).astype(int)) // 2, np.abs(random_int8(Y).astype(int)) // 2
    got = model.run(x.astype(dtype), y.tolist())
    want = model.run(x.astype(np.int8), y.astype(np.int8))
    assert [a.tobytes() for a in got] == [a.tobytes() for a in want]


def test_arrays_of_any_memory_order() -> None:
    model = Model(rich().package)
    x, y = random_int8(X), random_int8(Y)
    views = np.asfortranarray(x), np.repeat(y, 2, axis=2)[:, :, ::2]
    assert not views[1].flags.c_contiguous
    got, want = model.run(*views), model.run(x, y)
    assert [a.tobytes() for a in got] == [a.tobytes() for a in want]


GOOD = np.zeros(X, np.int8)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (np.zeros((6, 5, 4), np.int8), r"'t1' takes shape \(1, 6, 5, 3\), \(6, 5, 4\) was given"),
        (np.zeros((90,), np.int8), "shape"),
        (np.zeros((2, *X), np.int8), "shape"),
        (np.zeros(0, np.int8), "shape"),
        (5, "shape"),
        (None, "shape"),
        ({}, "shape"),
        ([[1], [2, 3]], "unequal length"),
        (np.full(X, 128), "'t1' is int8, a value lies outside"),
        (np.full(X, -129), "outside"),
        (np.full(X, 1 << 40), "outside"),
        (np.full(X, np.nan), "'t1' contains NaN"),
        (np.full(X, "a"), "takes int8"),
        (np.zeros(X, np.uint8), "takes int8, uint8 was given.*array / 255"),
        (np.zeros(X, np.uint32), "takes int8, uint32 was given"),
        (np.full(X, True), "takes int8, bool was given"),
        (np.full(X, 1j), "takes int8, complex128 was given"),
        (np.full(X, None), "takes int8, object was given"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(value: Any, reason: str) -> None:
    model = Model(rich().package)
    with pytest.raises(InputError, match=f"(?s){reason}") as raised:
        model.run(value, np.zeros(Y, np.int8))
    assert raised.value.remedy
    model.run(GOOD, np.zeros(Y, np.int8))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_inputs_is_refused(count: int) -> None:
    model = Model(rich().package)
    with pytest.raises(InputError, match=f"the model has 2 inputs, {count} were given"):
        model.run(*[GOOD] * count)
    with pytest.raises(InputError, match=f"the model has 2 inputs, {count} were given"):
        Package(rich().package).native.run([bytes(90)] * count)


def test_raw_bytes_of_a_wrong_size_are_refused() -> None:
    with pytest.raises(InputError, match="input 1 has 119 bytes, the model takes 120"):
        Package(rich().package).native.run([bytes(90), bytes(119)])


# Quantisation


def quantise_model(scale: float, zero_point: int, dtype: DType, count: int) -> bytes:
    x = Tensor("x", DType.FLOAT32, (1, count))
    y = Tensor("y", dtype, (1, count), Quant((scale,), (zero_point,)))
    make = Maker()
    make.inputs.append(x)
    make.op("QUANTIZE", [x], y)
    return build_tflite(make.graph(y))


@pytest.mark.parametrize(
    ("scale", "zero_point"), [(0.1, 0), (1 / 255, -128), (0.0235, 17), (3.7e-5, 127), (1000.0, -3)]
)
def test_quantisation_is_the_references(scale: float, zero_point: int) -> None:
    """Random values, ties, their neighbours, and what saturates, against QUANTIZE itself."""
    exact = float(np.float32(scale))
    ties = (np.arange(-140, 140) + 0.5).astype(np.float32) * np.float32(exact)
    near = [np.nextafter(ties, np.float32(way)) for way in (np.inf, -np.inf)]
    rng = np.random.default_rng(5)
    spread = (rng.uniform(-200, 200, 2000) * exact).astype(np.float32)
    values = np.concatenate([ties, *near, spread, [0.0, -0.0, 1e6 * exact, -1e6 * exact]])
    values = values.astype(np.float32).reshape(1, -1)
    info = TensorInfo("x", np.dtype(np.int8), values.shape, exact, zero_point)
    model = quantise_model(exact, zero_point, DType.INT8, values.size)
    (want,) = TfliteMicroOracle(model).run([values])
    assert info.quantise(values).tolist() == want.tolist()
    steps = (values / np.float32(exact)).astype(float)
    away = np.sign(steps) * np.floor(np.abs(steps) + 0.5) + zero_point
    assert info.quantise(values).tolist() == np.clip(away, -128, 127).tolist()


def test_quantisation_saturates_what_no_number_can_hold() -> None:
    info = TensorInfo("x", np.dtype(np.int8), (4,), 0.1, 3)
    got = info.quantise(np.array([np.inf, -np.inf, 1e300, -1e300]))
    assert got.tolist() == [127, -128, 127, -128]
    unsigned = TensorInfo("x", np.dtype(np.uint8), (3,), 0.1, 3)
    assert unsigned.quantise([-1.0, 0.0, 100.0]).tolist() == [0, 3, 255]


def test_floats_are_quantised_before_a_run() -> None:
    package = Package(rich().package)
    model = Model(package)
    rng = np.random.default_rng(6)
    real = [rng.uniform(-3, 3, info.shape) for info in package.inputs]
    quantised = [i.quantise(r) for i, r in zip(package.inputs, real, strict=True)]
    got, want = model.run(*real), model.run(*quantised)
    assert [a.tobytes() for a in got] == [a.tobytes() for a in want]
    (half,) = [model.run(*(r.astype(np.float16) for r in real))[0]]
    assert half.dtype == np.int8


def test_dequantisation() -> None:
    info = TensorInfo("y", np.dtype(np.int8), (3,), 0.5, -28)
    values = np.array([-128, -28, 127], np.int8)
    assert info.dequantise(values).tolist() == [-50.0, 0.0, 77.5]
    assert info.dequantise(values).dtype == np.float32
    plain = TensorInfo("y", np.dtype(np.int32), (2,), 0.0, 0)
    assert not plain.quantised
    assert plain.dequantise(np.array([1, -2], np.int32)).tolist() == [1.0, -2.0]


# profile, trace, selftest


def test_profile_times_every_step() -> None:
    model = Model(rich().package)
    inputs = random_int8(X), random_int8(Y)
    outputs, times = model.profile(*inputs)
    assert [t.step for t in times] == list(range(7))
    assert all(t.seconds >= 0 for t in times)
    assert [a.tobytes() for a in outputs] == [a.tobytes() for a in model.run(*inputs)]


@pytest.mark.parametrize("mode", IoMode)
def test_trace_gives_what_every_step_wrote(mode: IoMode) -> None:
    package = Package(rich(mode).package)
    inputs = random_int8(X, 7), random_int8(Y, 8)
    expected = TfliteMicroOracle(rich_model()).tensors(inputs)
    flat = {array.tobytes() for array in expected.values()}
    seen = []
    for step, tensor, array in Model(package).trace(*inputs):
        assert package.content.tensors[tensor].first_step == step
        assert array.shape == package.content.tensors[tensor].shape
        assert array.tobytes() in flat
        seen.append(step)
    assert seen == list(range(7))


def test_a_trace_may_be_left_for_another_run() -> None:
    model = Model(rich().package)
    inputs = random_int8(X), random_int8(Y)
    want = [a.tobytes() for a in model.run(*inputs)]
    trace = model.trace(*inputs)
    next(trace)
    next(trace)
    assert [a.tobytes() for a in model.run(*inputs)] == want


def test_selftest() -> None:
    assert Model(rich().package).selftest()
    golden = rich().content.golden
    assert golden is not None
    wrong = replace(golden, outputs=golden.outputs[::-1])
    assert not Model(write_package(replace(rich().content, golden=wrong))).selftest()
    with pytest.raises(PackageError, match=r"carries no self-test \(EINVAL\)"):
        Model(write_package(replace(rich().content, golden=None))).selftest()


def test_a_package_serves_several_threads() -> None:
    package = Package(rich().package)
    inputs = [(random_int8(X, i), random_int8(Y, i)) for i in range(8)]
    want = [[a.tobytes() for a in Model(package).run(*values)] for values in inputs]
    got: dict[int, list[list[bytes]]] = {}

    def work(number: int) -> None:
        model = Model(package)
        got[number] = [[a.tobytes() for a in model.run(*inputs[number])] for _ in range(50)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result == [want[i]] * 50 for i, result in got.items())
    assert len(got) == 8


# Files


def test_a_file_is_replaced_whole_or_kept(tmp_path: Path) -> None:
    path = tmp_path / "out.bin"
    path.write_bytes(b"old")
    write_bytes(path, b"new")
    assert path.read_bytes() == b"new"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    with pytest.raises(InputError, match="cannot be written"):
        write_bytes(tmp_path / ("n" * 300), b"data")
    assert [p.name for p in tmp_path.iterdir()] == ["out.bin"]


def test_all_files_are_written_or_none(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "nowhere" / "bad"
    with pytest.raises(InputError, match="bad: cannot be written: No such file or directory"):
        write_files({good: b"1", bad: b"2"})
    assert list(tmp_path.iterdir()) == []
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match=r"folder: .*[iI]s a directory"):
        write_files({folder: b"2"})
    assert list(folder.iterdir()) == []


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real/file")
    write_bytes(link, b"data")
    assert link.is_symlink()
    assert (tmp_path / "real" / "file").read_bytes() == b"data"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received: list[bytes] = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"data")
    reader.join(10)
    assert received == [b"data"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
