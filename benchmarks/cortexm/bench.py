# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Exactness, memory, code size and instructions of the test models on Cortex-M, as tables.

``make bench`` runs it. Exit code 1: a byte differs, a goal is missed, or a tool is missing. See
``benchmarks/README.md`` for what each figure means.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import code_size
import device
import host_times
import peers
import tables
from device import MODE
from subjects import MLPERF, SEED, Subject, load, model_paths

from ranvier.errors import RanvierError, ToolError
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from ranvier.testing import cortexm, qemu

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).with_name("RESULTS.md")
BUILD_TYPES = {"Os": "MinSizeRel", "O2": "RelWithDebInfo", "O3": "Release"}
#: Options of a run whose results are committed.
INPUTS, BUILD_TYPE = 100, "Os"
#: The CPU of everything that is measured on one CPU only.
CPU = "m33"
#: Name of the set of all ops in the table of code sizes.
EVERY_OP = "every op"

_HEAD = """\
<!--
SPDX-FileCopyrightText: 2026 The Ranvier authors
SPDX-License-Identifier: Apache-2.0
-->
# Ranvier on Cortex-M

Written by `make bench`; [README.md](../README.md) says what the figures mean, how far they go and
where the figures of others come from. All of them are counts: the same on every run."""


def main() -> int:
    """Measure, print, write; the exit code."""
    options = _arguments()
    try:
        missing = cortexm.missing_tool()
        if missing is not None:
            raise ToolError(missing)
        paths = model_paths(ROOT)
        if options.per_op:
            print(_per_op(paths, options))
            return 0
        subjects = {name: _load(name, path, options.inputs) for name, path in paths.items()}
        goals = tables.Goals()
        report = _report(_measure(subjects, options), options, goals)
    except RanvierError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(report)
    if options.host:
        print("\n## This host, wall-clock medians (information only)\n")
        print(tables.host({n: host_times.measure(s) for n, s in subjects.items()}))
    _write(report, subjects, options)
    for missed in goals.missed:
        print(f"bench: GOAL MISSED: {missed}", file=sys.stderr)
    return 1 if goals.missed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--inputs", type=int, default=INPUTS, metavar="N", help="input sets for each model (100)")
    add("--build-type", choices=BUILD_TYPES, default=BUILD_TYPE, help="optimisation (Os)")
    add("--per-op", metavar="MODEL", help="only a table of this model's steps")
    add("--cpu", choices=qemu.MACHINES, default=CPU, help="CPU for --per-op (m33)")
    add("--host", action="store_true", help="also wall-clock times on this host")
    options = parser.parse_args()
    if options.inputs < 2:
        parser.error("--inputs must be at least 2: the lowest and the highest values")
    return options


def _load(name: str, path: Path, inputs: int) -> Subject:
    _progress(f"{name}: compiling, {inputs} inferences by the reference")
    return load(name, path, inputs)


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _build(cpu: str, options: argparse.Namespace, *ops: str) -> cortexm.Firmware:
    return cortexm.build(ROOT, cpu, ops=ops, build_type=BUILD_TYPES[options.build_type])


@dataclass(frozen=True)
class Measured:
    """All results: by model; then costs by CPU in one mode, or by mode on one CPU."""

    subjects: Mapping[str, Subject]
    exact: Mapping[str, device.Exactness]
    by_cpu: Mapping[str, Mapping[str, device.Cost]]
    by_mode: Mapping[str, Mapping[IoMode, device.Cost]]
    codes: Mapping[str, code_size.Code]


def _measure(subjects: Mapping[str, Subject], options: argparse.Namespace) -> Measured:
    firmware = {cpu: _build(cpu, options) for cpu in qemu.MACHINES}
    exact: dict[str, device.Exactness] = {}
    by_cpu: dict[str, dict[str, device.Cost]] = {}
    by_mode: dict[str, dict[IoMode, device.Cost]] = {}
    for name, subject in subjects.items():
        _progress(f"{name}: host, {', '.join(firmware)}")
        exact[name] = device.exactness(subject, firmware)
        by_cpu[name] = {cpu: device.cost(subject, MODE, firmware[cpu]) for cpu in firmware}
        by_mode[name] = {mode: device.cost(subject, mode, firmware[CPU]) for mode in IoMode}
    return Measured(subjects, exact, by_cpu, by_mode, _codes(subjects, options))


def _report(measured: Measured, options: argparse.Namespace, goals: tables.Goals) -> str:
    every = measured.codes[EVERY_OP]
    judged = goals if options.build_type == BUILD_TYPE else None
    on_cpu = {name: cpus[CPU] for name, cpus in measured.by_cpu.items()}
    parts = [
        _HEAD,
        _setting(every, options),
        *_left_out(measured.subjects),
        f"## Differing bytes against tflite-micro, Cortex-M in mode {MODE.name.lower()}",
        tables.exactness(measured.exact, options.inputs, goals),
        "## RAM in bytes: arena + state + view + all inputs and outputs, by input mode",
        tables.memory(measured.by_mode, goals),
        "## Code in bytes on Cortex-M33",
        f"Goals at -Os: reader + verifier + executor {peers.CORE_BYTES_GOAL:,}; with every kernel "
        f"of the MLPerf Tiny four {peers.FOUR_BYTES_GOAL:,}.",
        tables.code_totals(measured.codes, judged),
        f"Linked with {', '.join(sorted(every.library))} of the C library. Static RAM of all "
        f"objects: {every.writable} bytes. Every object:",
        tables.code_objects(every),
        "## Opening a package on Cortex-M33: instructions, and bytes of stack",
        f"Goals at -Os: {peers.OPEN_INSTRUCTIONS_GOAL:,} instructions without the CRC, "
        f"{peers.OPEN_STACK_GOAL} bytes of stack.",
        tables.opening(measured.subjects, on_cpu, judged),
        "## Instructions of one inference (in brackets: per MAC), portable C kernels",
        tables.inference(measured.subjects, measured.by_cpu),
    ]
    scope = (
        "Goals" if judged is not None else f"Goals of exactness and RAM (others at {BUILD_TYPE})"
    )
    missed = "; ".join(goals.missed)
    parts.append(f"{scope}: MISSED: {missed}." if missed else f"{scope}: all met.")
    return "\n\n".join(parts)


def _setting(code: code_size.Code, options: argparse.Namespace) -> str:
    machines = ", ".join(f"{cpu} {machine}" for cpu, machine in qemu.MACHINES.items())
    return "\n".join(
        [
            f"- compiler: {code_size.version('arm-none-eabi-gcc')}",
            f"- flags (Cortex-M33): `{code.flags}`",
            f"- emulator: {code_size.version(qemu.find_qemu())}; machines: {machines}",
            f"- reference: tflite-micro {version('tflite-micro')}, reference kernels on the host",
            f"- inputs of each model: {options.inputs}: all lowest, all highest, the rest random "
            f"(seed {SEED})",
        ]
    )


def _left_out(subjects: Mapping[str, Subject]) -> list[str]:
    missing = [name for name in MLPERF if name not in subjects]
    if not missing:
        return []
    return [f"Left out, because ../shared/models has no file for them: {', '.join(missing)}."]


def _codes(
    subjects: Mapping[str, Subject], options: argparse.Namespace
) -> dict[str, code_size.Code]:
    """Code for each model alone, for the MLPerf Tiny four together, and for every op."""
    sets = {name: subject.ops for name, subject in subjects.items()}
    if all(name in sets for name in MLPERF):
        sets[tables.THE_FOUR] = tuple(op for op in op_codes() if any(op in sets[n] for n in MLPERF))
    sets[EVERY_OP] = ()
    codes = {}
    for name, ops in sets.items():
        _progress(f"code: {name}")
        codes[name] = code_size.measure(_build(CPU, options, *ops))
    return codes


def _per_op(paths: Mapping[str, Path], options: argparse.Namespace) -> str:
    name = options.per_op
    if name not in paths:
        raise ToolError(f"there is no model {name!r}", f"one of {', '.join(paths)}")
    subject = _load(name, paths[name], device.COUNTED)
    cost = device.cost(subject, MODE, _build(options.cpu, options))
    title = f"{name}, {options.cpu}, -{options.build_type}, mode {MODE.name.lower()}"
    return f"## Instructions of each step: {title}\n\n{tables.steps(subject, cost)}"


def _write(report: str, subjects: Mapping[str, Subject], options: argparse.Namespace) -> None:
    """Keep a run of all models with the default options."""
    defaults = options.inputs == INPUTS and options.build_type == BUILD_TYPE
    if defaults and all(name in subjects for name in MLPERF):
        RESULTS.write_text(report + "\n")
        _progress(f"wrote {RESULTS.relative_to(ROOT)}")
    else:
        _progress(f"{RESULTS.relative_to(ROOT)} is left as it is: not all models or other options")


if __name__ == "__main__":
    sys.exit(main())
