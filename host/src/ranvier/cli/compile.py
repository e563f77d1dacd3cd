# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier compile``."""

from __future__ import annotations

import re
from math import prod
from pathlib import Path

import click

from ranvier.cli.advice import note_optimize
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
from ranvier.compiler.pipeline.options import Pipeline
from ranvier.errors import InputError
from ranvier.files import read_bytes, write_files
from ranvier.package.c_array import c_array, c_header
from ranvier.package.costs import CostTable, read_costs
from ranvier.package.records import IoMode, PackageContent

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
    """Wrong usage where a file would be written over another one of this call.

    The last path is that of a C file, which has a header beside it.
    """
    header = str(Path(paths[-1]).with_suffix(".h")) if paths[-1] is not None else None
    seen: dict[Path, str] = {}
    for path in (*paths, header):
        if path is not None:
            resolved = Path(path).resolve()
            if resolved in seen:
                raise click.UsageError(
                    f"{path} is named twice; it would be written over {seen[resolved]}"
                )
            seen[resolved] = path


def read_labels(path: str) -> tuple[str, ...]:
    """The labels of a UTF-8 file, one a line; blank lines at the end are ignored."""
    try:
        lines = read_bytes(path).decode("utf-8-sig").rstrip("\n\r ").splitlines()
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text", remedy="one label a line") from None
    labels = tuple(line.strip() for line in lines)
    if not labels or not all(labels):
        raise InputError(f"{path}: has no labels or an empty one", remedy="one label a line")
    return labels


def check_labels(path: str, content: PackageContent) -> None:
    """Raise :class:`InputError` where there is not one label for each value of the first output."""
    outputs = [tensor for entry in content.entries for tensor in entry.outputs]
    output = content.tensors[outputs[0]]
    values = prod(output.shape)
    if len(content.labels) != values:
        raise InputError(
            f"{path}: has {len(content.labels)} labels, output {output.name!r} of the model has "
            f"{values} values",
            remedy="give one label for each value of the first output, in its order",
        )


def stages_check_labels(pipeline: Pipeline | None) -> bool:
    """True where a stage after the network has checked the number of labels when it was built."""
    return pipeline is not None and any(
        use.stage.name not in ("softmax", "dequantize") for use in pipeline.post
    )


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
@click.option("--labels", type=click.Path(dir_okay=False), help="Text file, one label a line.")
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
    c_file: str | None,
) -> None:
    """Compile MODEL (.tflite) to a package (.rnv).

    Prints what the model needs. Files are written whole or not at all.
    """
    check_outputs(out, c_file)
    check_limits(max_step_macs, max_step_us, costs, c_file)
    check_paths(model, labels, costs, pipeline, out, c_file)
    table = None if costs is None else read_costs(read_bytes(costs), costs)
    options = CompileOptions(
        isa=isa,
        optimize=optimize,
        input_mode=IoMode[input_mode.upper()],
        name=name,
        version=version,
        labels=read_labels(labels) if labels else (),
        strip_names=strip_names,
        drop_constant_channels=not keep_constant_channels,
        max_step_macs=max_step_macs,
        max_step_us=max_step_us,
        costs=table if max_step_us is not None else None,
        npu=npu,
        pipeline=read_stages(pre, post, pipeline),
    )
    result = compile_model(read_bytes(model), model, options)
    if labels is not None and not stages_check_labels(options.pipeline):
        check_labels(labels, result.content)
    files = files_of(result, out, c_file, table)
    write_files(files)
    note_optimize(output, isa)
    print_layers(output, result.report)
    output.text()
    print_totals(output, result.report)
    print_step_limit(output, result.report)
    output.text()
    for path, data in files.items():
        output.text(f"wrote {path} ({size(len(data))} bytes)")
    output.json({"written": list(files), **result.report.to_dict()})
