# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a model to the bytes of a package.

Everything in a package follows from the model, its file name and the options: the same input gives
the same bytes on every machine.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePath
from typing import Any, TypeAlias

from ranvier._version import __version__
from ranvier.compiler.check import UnsupportedOp, explained, refuse, unread_ops, unsupported_ops
from ranvier.compiler.emit import Header, emit_entries
from ranvier.compiler.golden import add_golden
from ranvier.compiler.graph import Graph
from ranvier.compiler.lower import Program
from ranvier.compiler.memory import MemoryPlan, plan_memory
from ranvier.compiler.npu import accelerator, mark
from ranvier.compiler.ops.convolution import CHANNEL_AXIS, macs_of
from ranvier.compiler.optimize import Goal, best_plan, predicted
from ranvier.compiler.passes import (
    bound_inputs,
    drop_constant_channels,
    drop_dead,
    fold_constants,
    fold_zero_points,
    fuse_energy,
    fuse_pad,
    fuse_quantize_pairs,
    fuse_steps,
    fuse_tables,
    make_tables,
    remove_noops,
    signal_state,
)
from ranvier.compiler.pipeline.build import attach
from ranvier.compiler.pipeline.options import Pipeline
from ranvier.compiler.report import Report, analyze_package
from ranvier.compiler.slices import StepLimit, joined, long_runs
from ranvier.compiler.tflite import read_tflite
from ranvier.errors import InputError, UnsupportedError
from ranvier.package.costs import CostTable
from ranvier.package.records import IoMode, Isa, PackageContent
from ranvier.package.writer import write_package

Pass = Callable[[Graph], int]
"""Changes a graph in place and returns the number of changes."""

PASSES_BEFORE_CHECK: tuple[Pass, ...] = (
    fold_constants.run,
    drop_dead.run,
    signal_state.run,
    fuse_energy.run,
    fuse_steps.run,
)
"""What makes models executable that only look as if they were not."""

PASSES: tuple[Pass, ...] = (
    remove_noops.run,
    fuse_quantize_pairs.run,
    fuse_pad.run,
    make_tables.run,
    fuse_tables.run,
    drop_dead.run,
)
"""What makes executable models small and fast; only for ops that have been checked.

Then follow ``drop_constant_channels``, unless the options keep them, and ``fold_zero_points``.
"""


@dataclass(frozen=True)
class CompileOptions:
    """How to compile.

    ``isa`` names the instruction set that weights are packed for (``"generic"``, ``"dsp"``,
    ``"base"``), ``optimize`` what packed programs are made for (``"speed"``, ``"balanced"``,
    ``"memory"``). ``input_mode`` may be given by its name (``"resident"``). ``name`` is the model's
    name in the package; None takes it from the file's name. ``strip_names`` leaves the names of
    tensors and ops out of the package. ``drop_constant_channels`` removes channels that have one
    value for every input. Steps of more than ``max_step_macs`` multiply-accumulates, or of more
    than ``max_step_us`` microseconds by ``costs``, are split by rows where that is possible.
    ``npu`` names an accelerator that may execute steps. ``pipeline`` has the stages before and
    after the network.
    """

    isa: str = "generic"
    optimize: str = Goal.BALANCED.value
    input_mode: IoMode | str = IoMode.KEPT
    name: str | None = None
    version: tuple[int, int, int] = (1, 0, 0)
    labels: tuple[str, ...] = ()
    strip_names: bool = False
    drop_constant_channels: bool = True
    max_step_macs: int | None = None
    max_step_us: float | None = None
    costs: CostTable | None = None
    npu: str | None = None
    pipeline: Pipeline | None = None

    @property
    def io_mode(self) -> IoMode:
        """The input mode; InputError for a name that is none."""
        if isinstance(self.input_mode, IoMode):
            return self.input_mode
        try:
            return IoMode[self.input_mode.upper()]
        except (KeyError, AttributeError):
            names = ", ".join(mode.name.lower() for mode in IoMode)
            raise InputError(f"{self.input_mode!r} is no input mode", f"one of {names}") from None

    def __post_init__(self) -> None:
        """Refuse names that are none at once, with the choices."""
        _isa(self.isa)
        Goal.of(self.optimize)
        assert self.io_mode is not None


@dataclass(frozen=True)
class CompileResult:
    """A package: its bytes, what is in it, and what it needs."""

    package: bytes
    content: PackageContent
    report: Report


def compile_model(
    data: bytes, filename: str, options: CompileOptions | None = None
) -> CompileResult:
    """Compile the bytes of a ``.tflite`` file; only the last part of ``filename`` is used.

    Raises ModelError for a malformed file, and UnsupportedError that lists everything in it that
    cannot be executed.
    """
    options = options or CompileOptions()
    source = PurePath(filename).name
    header = Header(
        name=options.name if options.name is not None else package_name(source),
        io_mode=options.io_mode,
        version=options.version,
        labels=options.labels,
        isa=_isa(options.isa),
        keep_names=not options.strip_names,
    )
    _check_limits(options)
    target = None if options.npu is None else accelerator(options.npu)
    graph, reduction = _optimized(data, source, options.drop_constant_channels)
    graphs = attach(graph, options.pipeline, options.labels)
    plans, limit = _planned(graphs, header, options)
    meta = _meta(data, source, [plan.program for plan in plans.values()]) | reduction
    if limit is not None:
        meta["step_limit"] = _limit_meta(plans, limit, header)
    if options.pipeline is not None:
        meta["pipeline"] = options.pipeline.to_dict()
    content = emit_entries(plans, header, meta)
    if target is not None:
        content = mark(content, target)
    content = add_golden(content)
    package = write_package(content)
    return CompileResult(package, content, analyze_package(content, len(package)))


def check_model(data: bytes, filename: str) -> tuple[UnsupportedOp, ...]:
    """Every op of a ``.tflite`` file that cannot be executed; raises ModelError as the compiler.

    UnsupportedError is raised where something else than ops is to blame.
    """
    try:
        return unsupported_ops(_prepared(data, PurePath(filename).name))
    except UnsupportedError as error:
        found = unread_ops(error)
        if not found:
            raise
        return found


def package_name(filename: str) -> str:
    """A valid package name made from a file's name."""
    stem = PurePath(filename).stem
    return re.sub(r"[^A-Za-z0-9_.-]", "_", stem)[:31] or "model"


def _prepared(data: bytes, source: str) -> Graph:
    graph = read_tflite(data, source)
    for change in PASSES_BEFORE_CHECK:
        change(graph)
    return graph


def _optimized(data: bytes, source: str, reduce: bool) -> tuple[Graph, dict[str, Any]]:
    """The graph to lower, and what hosts want to know of removed channels: nothing if none is."""
    try:
        graph = _prepared(data, source)
    except UnsupportedError as error:
        raise explained(error, source) from None
    unsupported = unsupported_ops(graph)
    if unsupported:
        raise refuse(source, unsupported, len(graph.ops))
    for change in PASSES:
        change(graph)
    macs = sum(macs_of(op) for op in graph.ops if op.kind in CHANNEL_AXIS)
    removed = drop_constant_channels.run(graph) if reduce else 0
    fold_zero_points.run(graph)
    bound_inputs.run(graph)
    reduction = {"constant_channels": {"removed": removed, "macs_before": macs}} if removed else {}
    return graph, reduction


PACKINGS = {isa.name.lower(): isa for isa in (Isa.GENERIC, Isa.DSP, Isa.BASE)}
"""Instruction sets that weights can be packed for, by name."""

CPUS = (
    "dsp is for Cortex-M4, M7 and M33 with the DSP extension, base for Cortex-M33 without it, "
    "generic for every device: the fastest on Cortex-M55 and M85 (RANVIER_KERNELS=mve)."
)
"""Which processor wants which packing."""


def _isa(name: str) -> Isa:
    if name not in PACKINGS:
        raise UnsupportedError(
            f"instruction set {name!r}: weights can be packed for {', '.join(PACKINGS)}",
            f"one of these; {CPUS}",
        )
    return PACKINGS[name]


def _check_limits(options: CompileOptions) -> None:
    """Raise :class:`InputError` for limits of a step that cannot be."""
    if options.max_step_us is not None and options.max_step_macs is not None:
        raise InputError("a step is limited twice", "give max_step_macs or max_step_us, not both")
    if (options.max_step_us is None) != (options.costs is None):
        raise InputError(
            "a limit in microseconds needs measured costs, and costs a limit",
            "give max_step_us with costs, or max_step_macs alone",
        )
    most = options.max_step_us if options.max_step_macs is None else options.max_step_macs
    if most is not None and not (math.isfinite(most) and most > 0):
        raise InputError(f"a step cannot be limited to {most:g}", "give a number above 0")


Plans: TypeAlias = Mapping[str, MemoryPlan]
"""The program of every entry point with its memory."""


def _planned(
    graphs: Mapping[str, Graph], header: Header, options: CompileOptions
) -> tuple[Plans, StepLimit | None]:
    """The programs, and the limit that their steps were split for.

    Measured costs belong to the ops of one package, so that is made as without a limit, and only
    its steps and its memory change.
    """
    goal = Goal.of(options.optimize)
    most = options.max_step_macs
    limit = None if most is None else StepLimit(most)
    plans = {
        name: best_plan(graph, header.isa, options.io_mode, goal, limit)
        for name, graph in graphs.items()
    }
    if options.max_step_us is None or options.costs is None:
        return plans, limit
    source = next(iter(graphs.values())).name
    options.costs.require_program(emit_entries(plans, header).ops, source)
    limit = StepLimit(options.max_step_us, "us", options.costs.op_us())
    fixed = {
        name: replace(plan.program, runs=plan.program.schedule) for name, plan in plans.items()
    }
    return {
        name: plan_memory(fixed[name], options.io_mode, limit.of_ops(first))
        for name, first in _first_ops(plans).items()
    }, limit


def _first_ops(plans: Plans) -> dict[str, int]:
    """The number in the package of every entry point's first op."""
    counts = [len(plan.program.steps) for plan in plans.values()]
    return dict(zip(plans, accumulate(counts, initial=0), strict=False))


def _limit_meta(plans: Plans, limit: StepLimit, header: Header) -> dict[str, Any]:
    """What a limit of steps led to: what exceeds it, and what the program needs without slices."""
    over: list[list[float]] = []
    for name, first in _first_ops(plans).items():
        runs = long_runs(plans[name].program, limit.of_ops(first))
        over += [[first + run.step, run.cost] for run in runs]
    whole = [joined(plan.program) for plan in plans.values()]
    fixed = [replace(program, runs=program.schedule) for program in whole]
    return {
        "unit": limit.unit,
        "most": limit.most,
        "over": sorted(over, key=lambda run: -run[1]),
        "whole_steps": sum(len(program.schedule) for program in whole),
        "whole_arena_bytes": max(
            plan_memory(program, header.io_mode).arena_bytes for program in fixed
        ),
        "whole_predicted": sum(predicted(program, header.isa) for program in whole),
    }


def _meta(data: bytes, source: str, programs: Iterable[Program]) -> dict[str, Any]:
    """What hosts want to know of a package's origin; ``steps`` is in the order of the ops."""
    return {
        "compiler": f"ranvier {__version__}",
        "source": {"file": source, "sha256": hashlib.sha256(data).hexdigest()},
        "steps": [
            {
                "kind": step.kind,
                "ops": list(step.sources),
                "parameters": step.lowered.parameters,
                **({"proof": step.lowered.proof.meta} if step.lowered.proof else {}),
            }
            for program in programs
            for step in program.steps
        ],
    }
