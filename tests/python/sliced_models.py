# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A model that runs by rows where memory is the goal, compiled for every packing and goal."""

from __future__ import annotations

from functools import cache

from random_models import Maker
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.optimize import Goal
from ranvier.package.records import IoMode
from ranvier.testing.tflite_builder import build_tflite

TARGETS = [(isa, goal.value) for isa in ("dsp", "base") for goal in Goal]


def waist_model() -> bytes:
    """Images that are large only between the first and the fourth op, then a residual block."""
    make = Maker(11)
    x = make.input((1, 20, 15, 2))
    wide = make.conv(x, 10, activation="RELU")
    wide = make.depthwise(wide, activation="RELU6")
    narrow = make.conv(wide, 5, stride=2)
    inner = make.depthwise(make.conv(narrow, 5, kernel=1, activation="RELU"))
    joined = make.unary("LOGISTIC", make.binary("ADD", narrow, inner))
    pooled = make.max_pool(joined)
    dense = make.fully_connected(make.reshape(pooled, (1, pooled.elements)), 7)
    return build_tflite(make.graph(make.unary("SOFTMAX", dense)))


@cache
def in_place(mode: IoMode = IoMode.KEPT, max_step_macs: int | None = None) -> CompileResult:
    """A pointwise and a depthwise convolution, both of which may replace their input."""
    make = Maker(12)
    wide = make.conv(make.input((1, 12, 12, 2)), 16, activation="RELU")
    deep = make.depthwise(make.conv(wide, 16, kernel=1, activation="RELU"), activation="RELU")
    data = build_tflite(make.graph(make.conv(deep, 3, kernel=1)))
    options = CompileOptions(isa="dsp", input_mode=mode, max_step_macs=max_step_macs)
    return compile_model(data, "in_place.tflite", options)


@cache
def waist(isa: str, goal: str, mode: IoMode = IoMode.RESIDENT) -> CompileResult:
    """The model, compiled."""
    options = CompileOptions(isa=isa, optimize=goal, input_mode=mode)
    return compile_model(waist_model(), "waist.tflite", options)
