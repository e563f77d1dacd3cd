# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Stages after a network that classifies, from ``softmax`` to ``smooth``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ranvier.compiler.graph import DType, Quant, Tensor
from ranvier.compiler.ops.base import BYTE_TYPES
from ranvier.compiler.ops.entries import (
    ENTRIES_MAX,
    ENTRY_WORDS,
    q15,
    quant_of_scores,
    reals,
    threshold_q15,
)
from ranvier.compiler.ops.smooth import RUNS_MAX, WINDOW_MAX, state_words
from ranvier.compiler.pipeline.stage import Builder, Stage, Values

_PROBABILITY = Quant((1 / 256,), (-128,))


@dataclass(frozen=True)
class SoftmaxOptions:
    """Options of ``softmax``: scores along the last dimension become probabilities.

    ``output`` is the number of the value where the network, or the stage before, gives several.
    """

    output: int = 0


def build_softmax(builder: Builder, options: SoftmaxOptions, values: Values) -> Values:
    """Probabilities instead of one value's scores."""
    number = options.output
    if not 0 <= number < len(values):
        raise builder.error(
            f"stage softmax: there is no output {number}, only {len(values)}",
            "give the number of an output, from 0 on",
        )
    value = values[number]
    if value.dtype != DType.INT8 or value.quant is None or not value.shape:
        raise builder.error(
            f"stage softmax: {value.described} is not int8 scores", "use a model quantised to int8"
        )
    result = builder.tensor("probabilities", DType.INT8, value.shape, _PROBABILITY)
    builder.op("SOFTMAX", [value], [result], beta=1.0)
    return (*values[:number], result, *values[number + 1 :])


@dataclass(frozen=True)
class DequantizeOptions:
    """``dequantize`` has no options."""


def build_dequantize(builder: Builder, options: DequantizeOptions, values: Values) -> Values:
    """Every quantised value as float32; the others as they are."""
    return tuple(_real(builder, value) for value in values)


def _real(builder: Builder, value: Tensor) -> Tensor:
    if value.dtype not in BYTE_TYPES or value.quant is None:
        return value
    result = builder.tensor(f"{value.name}:real", DType.FLOAT32, value.shape)
    builder.op("DEQUANTIZE", [value], [result])
    return result


@dataclass(frozen=True)
class ArgmaxOptions:
    """``argmax`` has no options: the number of the highest score along the last dimension."""


def build_argmax(builder: Builder, options: ArgmaxOptions, values: Values) -> Values:
    """The number of the highest score, int32."""
    value = _one_value(builder, "argmax", values)
    _check_labels(builder, value.shape[-1])
    axis = Tensor("axis", DType.INT32, (1,), data=np.array([-1], np.int32))
    result = builder.tensor("class", DType.INT32, value.shape[:-1] or (1,))
    builder.op("ARG_MAX", [value, axis], [result], output_type="INT32")
    return (result,)


@dataclass(frozen=True)
class TopKOptions:
    """Options of ``top_k``: the ``k`` classes of the highest scores that reach ``threshold``."""

    k: int = 5
    threshold: float = 0.0


def build_top_k(builder: Builder, options: TopKOptions, values: Values) -> Values:
    """A list of the best classes."""
    value = _one_value(builder, "top_k", values)
    classes = value.elements
    _check_labels(builder, classes)
    most = min(classes, ENTRIES_MAX)
    if not 1 <= options.k <= most:
        raise builder.error(
            f"stage top_k: k = {options.k} of {classes} classes is impossible", f"give 1..{most}"
        )
    result = new_list(builder, "top", options.k)
    builder.op(
        "TOP_K",
        [value],
        [*result],
        k=options.k,
        threshold=threshold_q15(fraction(builder, "top_k", "threshold", options.threshold)),
        scores=q15(reals(_probabilities(builder, "top_k", value))),
    )
    return result


@dataclass(frozen=True)
class SmoothOptions:
    """Options of ``smooth``: events from the scores of run after run.

    The scores of the latest ``window`` runs are averaged. The class with the highest mean is an
    event where that is at least ``threshold`` and ``minimum`` runs were seen since a reset. For
    ``refractory`` runs after an event there is no other one, or with ``suppress = "same"`` none
    of the same class. ``ignore`` has labels, or numbers, of classes that are no event, such as
    silence.
    """

    window: int = 10
    threshold: float = 0.7
    refractory: int = 10
    minimum: int = 3
    suppress: Literal["any", "same"] = "any"
    ignore: tuple[str | int, ...] = ()


def build_smooth(builder: Builder, options: SmoothOptions, values: Values) -> Values:
    """A list of one event or none."""
    value = _one_value(builder, "smooth", values)
    classes = value.elements
    _check_labels(builder, classes)
    limits = {"window": (1, WINDOW_MAX), "refractory": (0, RUNS_MAX), "minimum": (1, RUNS_MAX)}
    for name, (low, high) in limits.items():
        if not low <= getattr(options, name) <= high:
            raise builder.error(
                f"stage smooth: {name} = {getattr(options, name)} is impossible",
                f"give {low}..{high}",
            )
    if options.refractory == 0:
        builder.unused("smooth", "suppress", "refractory is 0")
    ignored = np.zeros(classes, np.uint8)
    ignored[[_class_number(builder, name, classes) for name in options.ignore]] = 1
    state = builder.state("smooth", DType.INT16, (state_words(classes, options.window),))
    result = new_list(builder, "event", 1)
    builder.op(
        "SMOOTH",
        [value, state],
        [state, *result],
        window=options.window,
        threshold=threshold_q15(fraction(builder, "smooth", "threshold", options.threshold)),
        refractory=options.refractory,
        minimum=options.minimum,
        any_class=int(options.suppress == "any"),
        scores=q15(reals(_probabilities(builder, "smooth", value))),
        ignored=ignored,
    )
    return result


def _class_number(builder: Builder, name: str | int, classes: int) -> int:
    """The class with a label or number; an error where there is none."""
    if isinstance(name, int) and 0 <= name < classes:
        return name
    if name in builder.labels:
        return builder.labels.index(str(name))
    if isinstance(name, str) and not builder.labels:
        raise builder.error(
            f"stage smooth: ignore = {name!r} is a label, and labels are not known",
            f"give the model's labels (--labels FILE), or a number below {classes}",
        )
    raise builder.error(
        f"stage smooth: ignore = {name!r} is no class",
        f"one of {', '.join(builder.labels)}" if builder.labels else f"a number below {classes}",
    )


def new_list(builder: Builder, name: str, capacity: int) -> tuple[Tensor, Tensor]:
    """The two tensors of a list of results."""
    count = builder.tensor(f"{name}:count", DType.INT32, (1,))
    return count, builder.tensor(f"{name}:entries", DType.INT16, (capacity, ENTRY_WORDS))


def fraction(builder: Builder, stage: str, name: str, value: float) -> float:
    """``value``, which has to be 0..1."""
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise builder.error(f"stage {stage}: {name} = {value:g} is not 0..1", "give 0..1")
    return value


def _one_value(builder: Builder, stage: str, values: Values) -> Tensor:
    """The only value of the stage before: int8, at least one class."""
    if len(values) != 1 or values[0].dtype != DType.INT8 or not values[0].shape:
        given = ", ".join(value.described for value in values)
        raise builder.error(
            f"stage {stage} needs one int8 tensor of scores, and is given {given}",
            "put it behind the network or softmax, and use a model quantised to int8",
        )
    return values[0]


def _check_labels(builder: Builder, classes: int) -> None:
    if builder.labels and len(builder.labels) != classes:
        raise builder.error(
            f"there are {len(builder.labels)} labels for {classes} classes",
            "give one label for each class, in their order",
        )


def _probabilities(builder: Builder, stage: str, value: Tensor) -> Quant:
    """The quantisation of a value whose numbers can be scores of 0..1."""
    quant = quant_of_scores(value)
    if quant is None:
        raise builder.error(
            f"stage {stage}: {value.described} are not scores of 0..1",
            "add --post softmax before it",
        )
    return quant


STAGES = (
    Stage("softmax", "post", SoftmaxOptions, build_softmax),
    Stage("dequantize", "post", DequantizeOptions, build_dequantize),
    Stage("argmax", "post", ArgmaxOptions, build_argmax),
    Stage("top_k", "post", TopKOptions, build_top_k),
    Stage("smooth", "post", SmoothOptions, build_smooth),
)
