# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Channels that never change are removed where that is exact, and only there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli_tools import put, ranvier
from constant_channels import average_pool, chain, extreme_inputs, kill
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.graph import Graph, Quant, Tensor
from ranvier.compiler.passes import drop_constant_channels
from ranvier.compiler.report import analyze_package
from ranvier.model import Package
from ranvier.native import NativePackage
from ranvier.package.records import IoMode
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite
from ranvier.testing.validate import random_inputs, validate

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "models"
DIGITS = ROOT / "models" / "digits" / "digits.tflite"
VWW = SHARED / "mlperf_vww_mnv1_int8.tflite"
KWS = SHARED / "mlperf_kws_dscnn_int8.tflite"
needs_public = pytest.mark.skipif(not SHARED.is_dir(), reason="the public models are not here")


def compiled(graph: Graph, mode: IoMode = IoMode.KEPT, drop: bool = True) -> CompileResult:
    options = CompileOptions(input_mode=mode, drop_constant_channels=drop)
    return compile_model(build_tflite(graph), "model.tflite", options)


def assert_equals_reference(graph: Graph, mode: IoMode = IoMode.KEPT, seed: int = 0) -> int:
    """Compare many inputs; the number of channels that were removed."""
    oracle = TfliteMicroOracle(build_tflite(graph))
    result = compiled(graph, mode)
    package = NativePackage(result.package)
    for inputs in extreme_inputs(graph, seed, 5):
        expected = [output.tobytes() for output in oracle.run(inputs)]
        assert package.run([data.tobytes() for data in inputs]) == expected
    return result.report.removed_channels


# Exactness


@pytest.mark.parametrize("mode", IoMode)
@pytest.mark.parametrize("seed", range(60))
def test_chains_equal_the_reference(seed: int, mode: IoMode) -> None:
    assert_equals_reference(chain(seed), mode, seed)


def test_chains_lose_channels() -> None:
    removed = [compiled(chain(seed)).report.removed_channels for seed in range(60)]
    assert sum(count > 0 for count in removed) >= 30


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_has_the_values_of_the_reference(seed: int) -> None:
    model = build_tflite(chain(seed))
    package = Package(compile_model(model, "model.tflite").package)
    inputs = random_inputs(package, 3, seed)
    result = validate(model, package, TfliteMicroOracle(model), inputs)
    assert result.passed, str(result.first_divergent)


# What is removed, and what is not


def first(make: Maker, channels: int = 4) -> Tensor:
    return make.conv(make.input((1, 6, 6, 3)), channels, 1)


def value_of(make: Maker, channel: int, steps: int) -> None:
    """Kill a filter of the last op: its output is ``steps`` from the zero point."""
    op = make.ops[-1]
    kill(op, channel, "zero")
    x, y = op.inputs[0], op.outputs[0]
    weights, bias = op.inputs[1], op.inputs[2]
    assert x is not None
    assert x.quant is not None
    assert y.quant is not None
    assert weights is not None
    assert weights.quant is not None
    assert bias is not None
    assert bias.data is not None
    bias.data[channel] = round(
        steps * y.quant.scale / (x.quant.scale * weights.quant.scales[channel])
    )


def shapes(graph: Graph) -> list[tuple[int, ...]]:
    drop_constant_channels.run(graph)
    return [op.outputs[0].shape for op in graph.ops]


@pytest.mark.parametrize("steps", [0, 5])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_constant_beside_padding_must_be_the_zero_point(padding: str, steps: int) -> None:
    make = Maker(2)
    x = first(make)
    value_of(make, 1, steps)
    graph = make.graph(make.conv(x, 2, 3, padding))
    removed = assert_equals_reference(graph)
    assert removed == (0 if padding == "SAME" and steps else 1)


@pytest.mark.parametrize("activation", ["NONE", "RELU"])
def test_the_constant_reaches_the_bias_of_every_reader(activation: str) -> None:
    make = Maker(4)
    x = first(make, 5)
    value_of(make, 0, 9)
    value_of(make, 3, -11)
    readers = [make.conv(x, 2, 1, activation=activation), make.conv(x, 3, 2, "VALID")]
    make.ops[-1].inputs[2] = None
    assert assert_equals_reference(make.graph(*readers)) == 2


def test_one_reader_that_needs_a_channel_keeps_it() -> None:
    make = Maker(5)
    x = first(make)
    value_of(make, 0, 9)
    value_of(make, 1, 0)
    readers = [make.conv(x, 2, 1), make.conv(x, 3, 3, "SAME")]
    assert assert_equals_reference(make.graph(*readers)) == 1


def test_a_channel_that_only_a_dead_filter_reads_goes_with_it() -> None:
    """The depthwise filter is dead, what it reads is not."""
    make = Maker(6)
    x = make.depthwise(first(make))
    value_of(make, 2, 7)
    graph = make.graph(make.conv(x, 2, 1))
    assert assert_equals_reference(graph) == 2
    assert shapes(graph) == [(1, 6, 6, 3), (1, 6, 6, 3), (1, 6, 6, 2)]


def test_a_constant_that_differs_at_a_depthwise_border_stays() -> None:
    make = Maker(7)
    x = first(make)
    value_of(make, 2, 7)
    graph = make.graph(make.conv(make.depthwise(x), 2, 1))
    assert assert_equals_reference(graph) == 0


def test_a_depthwise_input_of_the_model_stays() -> None:
    make = Maker(8)
    x = make.depthwise(make.input((1, 6, 6, 3)))
    value_of(make, 1, 3)
    assert assert_equals_reference(make.graph(make.conv(x, 2, 1))) == 0


def test_one_channel_is_kept() -> None:
    make = Maker(9)
    x = first(make, 3)
    for channel in range(3):
        value_of(make, channel, channel)
    graph = make.graph(make.conv(x, 2, 1))
    assert assert_equals_reference(graph) == 2
    assert shapes(graph)[0] == (1, 6, 6, 1)


@pytest.mark.parametrize("size", [(6, 6), (2, 3), (1, 1)])
def test_through_pools_and_reshapes(size: tuple[int, int]) -> None:
    """Every pixel of a channel goes, from the weights of a fully connected op too."""
    make = Maker(10)
    x = first(make)
    value_of(make, 1, 8)
    value_of(make, 2, -3)
    x = average_pool(make, make.unary("LEAKY_RELU", make.max_pool(make.max_pool(x))), (1, 1))
    x = average_pool(make, x, (min(size[0], 2), min(size[1], 2)))
    flat = make.reshape(x, (1, x.elements))
    graph = make.graph(make.fully_connected(flat, 3))
    assert assert_equals_reference(graph) == 2
    assert compiled(graph).report.macs_before > compiled(graph).report.macs


def test_rows_of_a_fully_connected_op() -> None:
    make = Maker(11)
    rows = make.reshape(make.input((1, 2, 3, 4)), (6, 4))
    x = make.fully_connected(rows, 5)
    value_of(make, 4, 12)
    value_of(make, 0, 0)
    assert assert_equals_reference(make.graph(make.fully_connected(x, 3))) == 2


def across_channels(make: Maker, x: Tensor) -> list[Tensor]:
    """Rows of 6 out of pixels of 4 channels."""
    filters, bias = make.weights((2, 6), x, 0)
    attrs = {"fused_activation_function": "NONE"}
    output = make.tensor((24, 2))
    return [make.op("FULLY_CONNECTED", [x, filters, bias], output, attrs, 5)]


def multiplied(make: Maker, x: Tensor) -> list[Tensor]:
    """Two depthwise filters for each channel."""
    filters, bias = make.weights((1, 1, 1, 8), x, 3)
    attrs = {"padding": "SAME", "stride_h": 1, "stride_w": 1, "depth_multiplier": 2}
    output = make.tensor((1, 6, 6, 8))
    x = make.op("DEPTHWISE_CONV_2D", [x, filters, bias], output, attrs, 3)
    return [make.conv(x, 2, 1)]


Ending = Callable[[Maker, Tensor], list[Tensor]]


@pytest.mark.parametrize(
    "ending",
    [
        lambda make, x: [make.conv(x, 2, 1), x],
        lambda make, x: [make.conv(make.binary("ADD", x, x), 2, 1)],
        lambda make, x: [make.conv(x, 2, 1), make.unary("SOFTMAX", x)],
        lambda make, x: [make.conv(make.reshape(x, (1, 8, 18, 1)), 2, 1)],
        lambda make, x: [make.unary("TANH", x)],
        across_channels,
        multiplied,
    ],
    ids=["output", "add", "softmax", "reshape", "table", "rows", "multiplier"],
)
def test_channels_that_are_needed_in_their_places_stay(ending: Ending) -> None:
    make = Maker(12)
    x = first(make)
    value_of(make, 1, 0)
    assert assert_equals_reference(make.graph(*ending(make, x))) == 0


def test_grouped_convolutions_stay() -> None:
    make = Maker(13)
    x = first(make)
    value_of(make, 1, 0)
    y = make.conv(x, 4, 1)
    filters = make.ops[-1].inputs[1]
    assert filters is not None
    assert filters.data is not None
    filters.data = np.ascontiguousarray(filters.data[..., :2])
    filters.shape = filters.data.shape
    kill(make.ops[-1], 2, "zero")
    assert assert_equals_reference(make.graph(make.conv(y, 2, 1))) == 0


def test_weights_with_a_zero_point() -> None:
    make = Maker(19)
    x = make.fully_connected(make.input((3, 4)), 5)
    value_of(make, 2, 12)
    y = make.fully_connected(x, 3)
    _, filters, bias = make.ops[-1].inputs
    assert filters is not None
    assert filters.data is not None
    assert bias is not None
    assert x.quant is not None
    filters.data = np.clip(filters.data, -90, 90)
    filters.quant = Quant((0.01,), (7,))
    bias.quant = Quant((x.quant.scale * 0.01,), (0,))
    assert assert_equals_reference(make.graph(y)) == 1


def test_weights_that_two_ops_share_are_not_changed() -> None:
    make = Maker(14)
    x, other = first(make), make.input((1, 6, 6, 4))
    value_of(make, 3, 9)
    y = make.conv(x, 2, 1)
    z = make.conv(other, 2, 1)
    other.quant = x.quant
    make.ops[-1].inputs[1:] = make.ops[-2].inputs[1:]
    assert assert_equals_reference(make.graph(y, z)) == 1


def test_bias_wraps_as_the_sum_does() -> None:
    make = Maker(15)
    x = first(make)
    value_of(make, 1, 20)
    y = make.conv(x, 1, 1)
    _, filters, bias = make.ops[-1].inputs
    assert filters is not None
    assert filters.data is not None
    assert bias is not None
    assert bias.data is not None
    filters.data[0, 0, 0, 1] = 127
    bias.data[0] = 2**31 - 1
    graph = make.graph(y)
    drop_constant_channels.run(graph)
    folded = graph.ops[-1].inputs[2]
    assert folded is not None
    assert folded.data is not None
    assert folded.data.tolist() == [2**31 - 1 + 127 * 20 - 2**32]


# Options and reports


def small() -> Graph:
    make = Maker(16)
    x = first(make)
    value_of(make, 1, 5)
    return make.graph(make.conv(x, 2, 1))


def test_kept_on_demand() -> None:
    kept, dropped = compiled(small(), drop=False), compiled(small())
    assert "constant_channels" not in kept.content.meta
    assert (kept.report.removed_channels, dropped.report.removed_channels) == (0, 1)
    assert kept.report.macs == kept.report.macs_before == dropped.report.macs_before == 36 * 20
    assert dropped.report.macs == 36 * 15
    assert dropped.content.tensors[1].name.endswith(" (3 of 4 channels)")
    assert not any("channels" in tensor.name for tensor in kept.content.tensors)


def test_nothing_removed_changes_no_byte() -> None:
    make = Maker(17)
    graph = make.graph(make.conv(first(make), 2, 1))
    assert compiled(graph).package == compiled(graph, drop=False).package


@pytest.mark.parametrize("value", [None, 3, [], {}, {"removed": "x", "macs_before": 3}])
def test_odd_metadata(value: Any) -> None:
    content = compiled(small()).content
    report = analyze_package(replace(content, meta={"constant_channels": value}), 0)
    assert (report.removed_channels, report.macs_before) == (0, report.macs)


def test_the_command_says_so(tmp_path: Path) -> None:
    model, out = put(tmp_path, "m.tflite", build_tflite(small())), tmp_path / "m.rnv"
    line = "channels    1 that never change are left out; with them 720 MACs"
    assert line in ranvier("compile", model, "-o", out).out
    assert line in ranvier("analyze", out).out
    assert line in ranvier("analyze", model).out
    kept = ranvier("compile", model, "-o", out, "--keep-constant-channels", "--json")
    assert (kept.json["removed_channels"], kept.json["macs"]) == (0, 720)
    assert "left out" not in ranvier("analyze", model, "--keep-constant-channels").out
    assert "left out" not in ranvier("analyze", out).out


# Real models


@needs_public
def test_vww_loses_most_channels() -> None:
    model = VWW.read_bytes()
    result = compile_model(model, VWW.name)
    report = result.report
    assert (report.removed_channels, report.macs, report.macs_before) == (1592, 3903749, 7489664)
    package, oracle = Package(result.package), TfliteMicroOracle(model)
    for values in random_inputs(package, 30, 7):
        got = package.native.run([array.tobytes() for array in values])
        assert got == [array.tobytes() for array in oracle.run(values)]


@needs_public
def test_kws_loses_none() -> None:
    assert compile_model(KWS.read_bytes(), KWS.name).report.removed_channels == 0


def test_the_digits_lose_none() -> None:
    assert compile_model(DIGITS.read_bytes(), DIGITS.name).report.removed_channels == 0
