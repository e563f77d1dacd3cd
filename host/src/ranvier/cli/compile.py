# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier compile``."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import click

from ranvier.cli.advice import note_optimize
from ranvier.cli.keys import security_version_option
from ranvier.cli.labels import check_labels, labels_option, read_labels
from ranvier.cli.models import (
    isa_option,
    keep_channels_option,
    max_step_macs_option,
    optimize_option,
    pipeline_option,
    post_option,
    pre_option,
    print_layers,
    print_step_limit,
    print_totals,
    read_stages,
)
from ranvier.cli.output import Output, common_options, size
from ranvier.compiler.driver import CompileOptions, CompileResult, compile_model
from ranvier.compiler.npu import ACCELERATORS
from ranvier.compiler.report import Report
from ranvier.files import read_bytes, write_files
from ranvier.package.c_array import c_array, c_header
from ranvier.package.costs import CostTable, read_costs
from ranvier.package.records import IoMode
from ranvier.package.signing import PrivateKey, read_private_key, seal_package

_VERSION = re.compile(r"(\d{1,5})\.(\d{1,5})\.(\d{1,5})")


def parse_version(
    context: click.Context, parameter: click.Parameter, value: str
) -> tuple[int, int, int]:
    """Three numbers below 65536 as an option's value, or wrong usage."""
    match = _VERSION.fullmatch(value)
    if match is None or any(int(part) > 0xFFFF for part in match.groups()):
        raise click.BadParameter(f"{value!r} is not X.Y.Z with numbers up to 65535")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def check_paths(*paths: str | None) -> None:
    """Wrong usage where two files of this call are one, so that it might be written over.

    The last path is that of a C file, which has a header beside it.
    """
    header = str(Path(paths[-1]).with_suffix(".h")) if paths[-1] is not None else None
    seen: dict[Path, str] = {}
    for path in (*paths, header):
        if path is not None:
            resolved = Path(path).resolve()
            if resolved in seen:
                raise click.UsageError(
                    f"{path} is named twice (also as {seen[resolved]}); name two different files"
                )
            seen[resolved] = path


def check_outputs(out: str | None, c_file: str | None) -> None:
    """Wrong usage where nothing would be written, or under a name that misleads."""
    if out is None and c_file is None:
        raise click.UsageError("give -o OUT.rnv or --c-array OUT.c (or both)")
    if out is not None and Path(out).suffix.lower() == ".tflite":
        raise click.UsageError(f"{out}: a package is no TensorFlow Lite model; name it .rnv")
    if c_file is not None and Path(c_file).suffix.lower() == ".h":
        raise click.UsageError("--c-array takes the C file; the header is written beside it")


def check_limits(
    max_step_macs: int | None, max_step_us: float | None, costs: str | None, c_file: str | None
) -> None:
    """Wrong usage of the options for long steps, and of costs that nothing would use."""
    if max_step_us is not None and costs is None:
        raise click.UsageError("--max-step-us needs --costs")
    if costs is not None and max_step_us is None and c_file is None:
        raise click.UsageError("--costs are for --max-step-us and for --c-array")
    if max_step_us is not None and max_step_macs is not None:
        raise click.UsageError("give --max-step-macs or --max-step-us, not both")


def files_of(
    result: CompileResult, out: str | None, c_file: str | None, costs: CostTable | None
) -> dict[str | Path, bytes]:
    """What to write: the package, the C file with its header, or both."""
    files: dict[str | Path, bytes] = {}
    if out is not None:
        files[out] = result.package
    if c_file is not None:
        header = Path(c_file).with_suffix(".h")
        content = result.content
        step_us = () if costs is None else costs.of_steps(content, content.name)
        source = c_array(result.package, content.name, header.name, step_us)
        files[c_file] = source.encode()
        files[str(header)] = c_header(result.package, content, step_us).encode()
    return files


def print_result(
    output: Output, report: Report, files: dict[str | Path, bytes], key: PrivateKey | None
) -> None:
    """What the package needs, what was written, and who signed it."""
    print_layers(output, report)
    output.text()
    print_totals(output, report)
    print_step_limit(output, report)
    output.text()
    for path, data in files.items():
        output.text(f"wrote {path} ({size(len(data))} bytes)")
    key_id = None if key is None else f"{key.public.key_id:08x}"
    if key_id is not None:
        output.text(f"signed with the key {key_id}")
    output.json({"written": list(files), **report.to_dict(), "key_id": key_id})


@click.command("compile")
@click.argument("model", type=click.Path(dir_okay=False))
@click.option("-o", "--output", "out", type=click.Path(dir_okay=False), help="Package to write.")
@isa_option
@optimize_option
@click.option(
    "--input",
    "input_mode",
    type=click.Choice([mode.name.lower() for mode in IoMode]),
    default="kept",
    show_default=True,
    help="kept: input buffers are only read. donated: they may be overwritten once dead. "
    "resident: inputs and outputs lie in the arena, which they share with what is computed "
    "(mostly the lowest RAM: compare with analyze; one job at a time).",
)
@click.option("--name", help="Model name in the package.  [default: from the file's name]")
@click.option(
    "--version", metavar="X.Y.Z", callback=parse_version, default="1.0.0", show_default=True
)
@labels_option
@click.option("--strip-names", is_flag=True, help="Leave debug names out.")
@keep_channels_option
@max_step_macs_option
@click.option(
    "--max-step-us",
    type=click.FloatRange(min=0, min_open=True),
    metavar="T",
    help="Split steps that take longer, by the measured --costs, by rows.",
)
@click.option(
    "--costs",
    type=click.Path(dir_okay=False),
    help="What ranvier profile measured with the package of this model, compiled without limit; "
    "--c-array then has the costs of the steps, too, for admission.",
)
@click.option(
    "--npu",
    type=click.Choice(sorted(ACCELERATORS)),
    help="Mark the steps that this accelerator may execute; the CPU stays able to.",
)
@pre_option
@post_option
@pipeline_option
@click.option(
    "--sign",
    "key",
    metavar="KEY.pem",
    type=click.Path(dir_okay=False),
    help="Sign the package with this private key, of ranvier keys new.",
)
@security_version_option
@click.option(
    "--c-array",
    "c_file",
    metavar="FILE.c",
    type=click.Path(dir_okay=False),
    help="C file to write, with a header FILE.h beside it.",
)
@common_options("compile")
def compile_command(
    output: Output,
    model: str,
    out: str | None,
    isa: str,
    optimize: str,
    input_mode: str,
    name: str | None,
    version: tuple[int, int, int],
    labels: str | None,
    strip_names: bool,
    keep_constant_channels: bool,
    max_step_macs: int | None,
    max_step_us: float | None,
    costs: str | None,
    npu: str | None,
    pre: tuple[str, ...],
    post: tuple[str, ...],
    pipeline: str | None,
    key: str | None,
    security_version: int | None,
    c_file: str | None,
) -> None:
    """Compile MODEL (.tflite) to a package (.rnv).

    Prints what the model needs. Files are written whole or not at all.
    """
    check_outputs(out, c_file)
    check_limits(max_step_macs, max_step_us, costs, c_file)
    check_paths(model, labels, costs, pipeline, key, out, c_file)
    private = None if key is None else read_private_key(read_bytes(key), key)
    table = None if costs is None else read_costs(read_bytes(costs), costs)
    options = CompileOptions(
        isa=isa,
        optimize=optimize,
        input_mode=IoMode[input_mode.upper()],
        name=name,
        version=version,
        labels=read_labels(labels),
        strip_names=strip_names,
        drop_constant_channels=not keep_constant_channels,
        max_step_macs=max_step_macs,
        max_step_us=max_step_us,
        costs=table if max_step_us is not None else None,
        npu=npu,
        pipeline=read_stages(pre, post, pipeline),
    )
    result = compile_model(read_bytes(model), model, options)
    check_labels(labels, options.pipeline, result.content)
    package = seal_package(result.package, model, key=private, security_version=security_version)
    files = files_of(replace(result, package=package), out, c_file, table)
    write_files(files)
    note_optimize(output, isa)
    print_result(output, result.report, files, private)
