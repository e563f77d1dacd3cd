# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier view``."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

import click
from numpy.typing import NDArray

from ranvier.audio import Samples
from ranvier.cli.analysis import analysis_of, analysis_options
from ranvier.cli.inputs import Pixels, input_of
from ranvier.cli.output import Output, common_options
from ranvier.cli.pictures import picture_of
from ranvier.cli.streams import samples_of
from ranvier.errors import InputError
from ranvier.files import read_bytes
from ranvier.model import Package
from ranvier.profile import read_trace
from ranvier.stages import picture_format
from ranvier.view.outcome import outcome_html
from ranvier.view.page import Recorded, page_files
from ranvier.view.request import Upload, parse_request
from ranvier.view.runs import Loaders, Runner
from ranvier.view.server import Server


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port.  [default: one that is free]"
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@click.option(
    "--trace",
    "trace_file",
    type=click.Path(dir_okay=False),
    help="A device's dump, or a console log with one: the page shows what ran when.",
)
@analysis_options
@common_options("view")
def view(
    output: Output,
    file: str,
    port: int,
    no_browser: bool,
    trace_file: str | None,
    **chosen: Any,
) -> None:
    """Look at FILE (.tflite or .rnv) in a browser: layers, memory, runs, a device's trace.

    The page comes from this machine and only this machine can open it; the address that is printed
    holds a secret. Runs are of the same core that runs on the device, and their times this host's.
    Ctrl-C ends it.
    """
    data = read_bytes(file)
    recorded = None
    if trace_file is not None:
        recorded = Recorded(trace_file, read_trace(read_bytes(trace_file), trace_file))
    found = analysis_of(output, file, data, **chosen)
    package = Package(found.package, PurePath(file).name)
    runner = Runner(package, Loaders(_values, _samples))

    def run(body: bytes) -> str:
        outcome = runner.run(parse_request(body))
        return outcome_html(outcome, found.analysis.report, package.labels)

    pages = page_files(found.analysis, package, recorded)
    with Server(port, pages, {"run": run}) as server:
        output.text(f"{server.url}\nCtrl-C ends it.")
        output.json({"file": file, "url": server.url})
        if not no_browser:
            # A browser in the terminal would wait for an answer, and keep us from giving it.
            threading.Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            output.text()


def _values(
    package: Package, files: Sequence[Upload], scale: float, offset: float
) -> list[NDArray[Any]]:
    """An array for each input, as ``ranvier run`` reads its files."""
    if len(files) != len(package.inputs):
        names = ", ".join(repr(info.name) for info in package.inputs)
        raise InputError(
            f"the model has {len(package.inputs)} inputs ({names}), {len(files)} files were given",
            remedy="choose a file for each",
        )
    pixels = Pixels(scale, offset)
    pixel_format = picture_format(package)
    found = []
    for number, (file, info) in enumerate(zip(files, package.inputs, strict=True)):
        if number == 0 and pixel_format is not None:
            found.append(picture_of(file.name, file.data, package, pixel_format))
        else:
            found.append(input_of(file.name, file.data, info, pixels))
    return found


def _samples(file: Upload, rate: int) -> Samples:
    """Sound, as ``ranvier run`` reads it."""
    return samples_of(file.name, file.data, rate)
