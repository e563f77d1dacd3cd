# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier profile``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

import click
from numpy.typing import NDArray

from ranvier.cli.device import Target, device_option
from ranvier.cli.device_run import device_trace
from ranvier.cli.inputs import Pixels, load_inputs
from ranvier.cli.models import is_package, is_tflite, isa_option, require_package
from ranvier.cli.output import Output, common_options, size
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.errors import InputError
from ranvier.files import read_bytes, write_bytes
from ranvier.model import Package
from ranvier.package.costs import DEFAULT_MARGIN, CostTable
from ranvier.profile import (
    SlotProfile,
    StepRow,
    Trace,
    max_us,
    perfetto_json,
    profile_host,
    read_trace,
    slot_of,
    step_rows,
)
from ranvier.report.profile_page import profile_html
from ranvier.testing.validate import random_values

_HOST = "times of this host, not of a device"
_MOST_SETS = 10
_RUNS = 20
_TIMES = ("queueing", "blocking", "response")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False), required=False)
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False),
    help="A device's dump, or a console log with one; FILE may be one as well.",
)
@click.option(
    "--model",
    "models",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Trace: a package (.rnv) that the device ran, to name its steps. Once for each.",
)
@click.option("--runs", type=click.IntRange(1), help="Model: inferences to time.  [default: 20]")
@click.option(
    "--input",
    "-i",
    "inputs",
    multiple=True,
    type=click.Path(dir_okay=False),
    help="Model: input file (.npy, .png, raw), once for each input; else random inputs.",
)
@isa_option
@click.option(
    "--perfetto",
    type=click.Path(dir_okay=False),
    help="Write a time line for ui.perfetto.dev (Chrome's trace events, JSON).",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False),
    help="Write a page with a time line, bars and histograms: one file, for any browser.",
)
@click.option(
    "--costs",
    type=click.Path(dir_okay=False),
    help="Write each step's longest time, for compile --max-step-us and analyze --tasks.",
)
@click.option(
    "--margin",
    type=click.FloatRange(1, 100),
    help=f"Costs: by how much a step may take longer.  [default: {DEFAULT_MARGIN}]",
)
@device_option
@common_options("profile")
def profile(
    output: Output,
    file: str | None,
    trace_file: str | None,
    models: tuple[str, ...],
    runs: int | None,
    inputs: tuple[str, ...],
    isa: str,
    perfetto: str | None,
    html: str | None,
    costs: str | None,
    margin: float | None,
    device: Target | None,
) -> None:
    """Show what each step and each job took.

    FILE is a model or package (.tflite, .rnv), which is run on this host, or what a device's
    profiler recorded: the shell's `ranvier prof dump` in a console log, or the dump's bytes. Times
    of this host say where the work is; how long a device takes only a device can tell. Every run is
    a job of each entry point.

    With --device FILE is a package that the device has, and is run there; without FILE it is what
    the device's profiler has recorded so far.
    """
    if (file is None) == (trace_file is None) and (device is None or file is not None):
        raise click.UsageError("give either FILE or --trace")
    if device is not None and trace_file is not None:
        raise click.UsageError("--trace is a device's dump already: --device is to read one")
    if margin is not None and costs is None:
        raise click.UsageError("--margin is for --costs")
    path = file or trace_file or (device.name if device is not None else "")
    if device is not None:
        trace, packages = _device_trace(output, device, file, models, inputs, runs, isa)
    else:
        trace, packages = _recorded(path, trace_file, models, inputs, runs, isa)
    if costs is not None:
        _write_costs(costs, trace, packages, DEFAULT_MARGIN if margin is None else margin)
    if perfetto is not None:
        write_bytes(perfetto, perfetto_json(trace, packages).encode())
    rows = {slot.slot: step_rows(trace, slot, packages.get(slot.slot)) for slot in trace.slots}
    if html is not None:
        name = PurePath(path).name
        write_bytes(html, profile_html(name, trace, packages, rows).encode())
    _print(output, trace, packages, rows)
    output.json({"file": path, **_value(trace, packages, rows)})


def _recorded(
    path: str,
    trace_file: str | None,
    models: tuple[str, ...],
    inputs: tuple[str, ...],
    runs: int | None,
    isa: str,
) -> tuple[Trace, dict[int, Package]]:
    """Of a file: a model or package that is run here, or a dump."""
    data = read_bytes(path)
    if trace_file is None and (is_package(data) or is_tflite(data)):
        if models:
            raise click.UsageError(f"{path} is a model: --model is for traces")
        package = _package(data, path, isa)
        return _host_trace(package, inputs, runs or _RUNS), {0: package}
    if runs is not None or inputs or isa != "generic":
        raise click.UsageError(f"{path}: --runs, --input and --isa are for models, not traces")
    trace = read_trace(data, path)
    return trace, _packages(trace, models)


def _device_trace(
    output: Output,
    device: Target,
    file: str | None,
    models: tuple[str, ...],
    inputs: tuple[str, ...],
    runs: int | None,
    isa: str,
) -> tuple[Trace, dict[int, Package]]:
    """Of a device: a package that is run there, or what its profiler has."""
    if isa != "generic":
        raise click.UsageError("--isa is for models: a device runs packages")
    if file is None:
        if runs is not None or inputs:
            raise click.UsageError("--runs and --input need a PACKAGE to run on the device")
        trace = read_trace(device_trace(output, device, None, (), 0), device.name)
        return trace, _packages(trace, models)
    data = read_bytes(file)
    require_package(data, file)
    package = Package(data, file)
    count = runs or _RUNS
    dump = device_trace(output, device, package, _inputs(package, inputs, count), count)
    trace = read_trace(dump, device.name)
    return trace, {**_packages(trace, models), slot_of(trace, package).slot: package}


def _package(data: bytes, path: str, isa: str) -> Package:
    if not is_package(data):
        return Package(compile_model(data, path, CompileOptions(isa=isa)).package, path)
    if isa != "generic":
        raise click.UsageError(f"{path} is a package: --isa is for models")
    return Package(data, path)


def _host_trace(package: Package, inputs: tuple[str, ...], runs: int) -> Trace:
    return profile_host(package, _inputs(package, inputs, runs), runs)


def _inputs(package: Package, inputs: tuple[str, ...], runs: int) -> list[list[NDArray[Any]]]:
    """Inputs of all entry points, one after the other: of files, or some random ones."""
    infos = [info for entry in package.entries for info in entry.inputs]
    if inputs:
        return [load_inputs(inputs, infos, Pixels())]
    return random_values(infos, min(runs, _MOST_SETS), 0)


def _packages(trace: Trace, models: Sequence[str]) -> dict[int, Package]:
    """The packages that were given, by the slot that ran each."""
    packages = {}
    for path in models:
        data = read_bytes(path)
        require_package(data, path)
        package = Package(data, path)
        packages[slot_of(trace, package).slot] = package
    return packages


def _write_costs(path: str, trace: Trace, packages: Mapping[int, Package], margin: float) -> None:
    if len(packages) != 1:
        raise InputError(
            f"costs are those of one package, {len(packages)} are given",
            remedy="name the package that the device ran with --model",
        )
    ((number, package),) = packages.items()
    (slot,) = (slot for slot in trace.slots if slot.slot == number)
    table = CostTable.of(package.data, package.content, max_us(trace, slot), margin)
    write_bytes(path, table.to_json().encode())


def _print(
    output: Output,
    trace: Trace,
    packages: Mapping[int, Package],
    rows: Mapping[int, tuple[StepRow, ...]],
) -> None:
    for slot in trace.slots:
        package = packages.get(slot.slot)
        name = package.name if package else f"package {slot.package_crc:08x}"
        output.text(f"{name}  {_HOST if trace.host else f'slot {slot.slot}'}")
        _print_steps(output, rows[slot.slot])
        output.text()
        _print_jobs(output, trace, slot)
        output.text()
    if not trace.slots:
        output.text("no model was watched")
    for lane, used in enumerate(trace.arena_high_water):
        if used:
            output.text(f"lane {lane}: arena high-water {size(used)} bytes")
    lost = f", {size(trace.lost)} older ones were lost" if trace.lost else ""
    output.text(f"{size(len(trace.events))} events{lost}")


def _print_steps(output: Output, rows: Sequence[StepRow]) -> None:
    predicted = any(row.predicted for row in rows)
    npu = any(row.npu_runs for row in rows)
    sliced = any(row.rows for row in rows)
    header = ["step", "layer", "kernel", *(["rows"] if sliced else []), "MACs"]
    header += ["instructions"] if predicted else []
    header += ["runs", "min us", "mean us", "max us", "share"]
    header += ["npu runs", "npu max us"] if npu else []
    table = []
    for row in rows:
        cells = [str(row.step), row.layer or "-", row.op or "-"]
        cells += [f"{row.row0}+{row.rows}" if row.rows else "-"] if sliced else []
        cells += [size(row.macs) if row.op else "-"]
        cells += [size(row.predicted) if row.predicted else "-"] if predicted else []
        cells += [size(row.runs), *(f"{us:.1f}" for us in (row.min_us, row.mean_us, row.max_us))]
        cells += [f"{100 * row.share:.1f} %"]
        cells += [size(row.npu_runs), f"{row.npu_max_us:.1f}"] if npu else []
        table.append(cells)
    output.table(header, table)


def _print_jobs(output: Output, trace: Trace, slot: SlotProfile) -> None:
    output.text(
        f"jobs: {size(slot.completed)} completed, {size(slot.failed)} failed, "
        f"{size(slot.missed)} missed; arena {size(slot.arena_bytes)} bytes"
    )
    times = [(name, getattr(slot, name)) for name in _TIMES]
    output.table(
        ["us", "min", "mean", "p50", "p99", "max"],
        [
            [
                name,
                *(
                    f"{us:,.1f}" if trace.host else f"{us:,}"
                    for us in (
                        summary.min_us,
                        summary.mean_us,
                        summary.p50_us,
                        summary.p99_us,
                        summary.max_us,
                    )
                ),
            ]
            for name, summary in times
            if summary.count
        ],
    )
    if slot.completed and not trace.host:
        output.text("p50 and p99 are within 12.5 %")


def _value(
    trace: Trace,
    packages: Mapping[int, Package],
    rows: Mapping[int, tuple[StepRow, ...]],
) -> dict[str, Any]:
    """All of it as JSON values."""
    return {
        "host": trace.host,
        "cycles_per_second": trace.cycles_per_second,
        "events": len(trace.events),
        "lost": trace.lost,
        "arena_high_water": list(trace.arena_high_water),
        "models": [
            {
                "slot": slot.slot,
                "package": f"{slot.package_crc:08x}",
                "name": packages[slot.slot].name if slot.slot in packages else None,
                "arena_bytes": slot.arena_bytes,
                "completed": slot.completed,
                "failed": slot.failed,
                "missed": slot.missed,
                **{name: asdict(getattr(slot, name)) for name in _TIMES},
                "steps": [asdict(row) for row in rows[slot.slot]],
            }
            for slot in trace.slots
        ],
    }
