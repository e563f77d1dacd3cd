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
        paths = model_paths(ROOT)
        subjects = {name: _load(name, paths[name], options.inputs) for name in paths}
        if options.per_op:
            return _per_op(subjects, options)
        goals = tables.Goals()
        report = _report(subjects, options, goals)
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


def _report(
    subjects: Mapping[str, Subject], options: argparse.Namespace, goals: tables.Goals
) -> str:
    firmware = {cpu: _build(cpu, options) for cpu in qemu.MACHINES}
    exact = {}
    costs: dict[str, dict[str, device.Cost]] = {}
    memory = {}
    for name, subject in subjects.items():
        _progress(f"{name}: host, {', '.join(firmware)}")
        exact[name] = device.exactness(subject, firmware)
        costs[name] = {cpu: device.cost(subject, MODE, firmware[cpu]) for cpu in firmware}
        others = {m: device.cost(subject, m, firmware[CPU]) for m in IoMode if m is not MODE}
        memory[name] = {MODE: costs[name][CPU], **others}
    codes = _codes(subjects, options)
    every = codes["every op"]
    judged = goals if options.build_type == BUILD_TYPE else None
    on_cpu = {name: cpus[CPU] for name, cpus in costs.items()}
    parts = [
        _HEAD,
        _setting(every, options),
        *_left_out(subjects),
        f"## Differing bytes against tflite-micro, Cortex-M in mode {MODE.name.lower()}",
        tables.exactness(exact, options.inputs, goals),
        "## RAM in bytes: arena + state + view + all inputs and outputs, by input mode",
        tables.memory(memory, goals),
        "## Code in bytes on Cortex-M33",
        f"Goals at -Os: reader + verifier + executor {peers.CORE_BYTES_GOAL:,}; with every kernel of "
        f"the MLPerf Tiny four {peers.FOUR_BYTES_GOAL:,}.",
        tables.code_totals(codes, judged),
        f"Linked with {', '.join(sorted(every.library))} of the C library. Static RAM of all "
        f"objects: {every.writable} bytes. Every object:",
        tables.code_objects(every),
        "## Opening a package on Cortex-M33: instructions, and bytes of stack",
        f"Goals at -Os: {peers.OPEN_INSTRUCTIONS_GOAL:,} instructions without the CRC, "
        f"{peers.OPEN_STACK_GOAL} bytes of stack.",
        tables.opening(subjects, on_cpu, judged),
        "## Instructions of one inference (in brackets: per MAC), portable C kernels",
        tables.inference(subjects, costs),
        "Goals: " + ("all met." if not goals.missed else f"MISSED: {'; '.join(goals.missed)}."),
    ]
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
        sets["the four"] = tuple(op for op in op_codes() if any(op in sets[n] for n in MLPERF))
    sets["every op"] = ()
    codes = {}
    for name, ops in sets.items():
        _progress(f"code: {name}")
        codes[name] = code_size.measure(_build(CPU, options, *ops))
    return codes


def _per_op(subjects: Mapping[str, Subject], options: argparse.Namespace) -> int:
    subject = subjects.get(options.per_op)
    if subject is None:
        raise ToolError(f"no model {options.per_op!r}", f"one of {', '.join(subjects)}")
    cost = device.cost(subject, MODE, _build(options.cpu, options))
    print(f"{subject.name} on {options.cpu}, -{options.build_type}, one inference\n")
    print(tables.steps(subject, cost))
    return 0


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
