# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier test``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from ranvier.cli.output import Exit, Output, common_options, printable, size
from ranvier.errors import RanvierError
from ranvier.testing import zephyr
from ranvier.testing.zephyr import Request, Suite

_FOLDERS = ("firmware/app", "samples", "tests/zephyr")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("test")
@click.argument("paths", nargs=-1, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--platform", "-p", "platforms", multiple=True, help="Zephyr platform; repeatable.")
@click.option("--native", is_flag=True, help=f"Only {zephyr.NATIVE}.")
@click.option("--build-only", is_flag=True, help="Build, run nothing.")
@click.option("--hardware-map", metavar="FILE", type=_FILE, help="Boards, in twister's format.")
@click.option("--device-serial", metavar="PORT", help="One board, at this serial port.")
@common_options("test")
def test(
    output: Output,
    paths: tuple[Path, ...],
    platforms: tuple[str, ...],
    native: bool,
    build_only: bool,
    hardware_map: Path | None,
    device_serial: str | None,
) -> None:
    """Run Zephyr tests and samples with twister, in a Zephyr workspace.

    PATHS are folders with testcase.yaml or sample.yaml somewhere below; by default the samples and
    tests of this checkout. By default they run on two emulated boards and on this host, and are
    built for a board. With --hardware-map or --device-serial they run on boards: those of the map,
    or the one of --platform (default: frdm_mcxn947/mcxn947/cpu0). The workspace is that of
    ZEPHYR_BASE, else ~/zephyrproject. Exit code 1 where a test failed or could not be built.
    """
    if (native + bool(platforms)) > 1 or (hardware_map and device_serial):
        raise click.UsageError(
            "give one of --native and --platform, and one of --hardware-map and --device-serial"
        )
    if device_serial is not None and len(platforms) > 1:
        raise click.UsageError("--device-serial is one board: give one --platform")
    for path in paths:
        if not zephyr.has_tests(path):
            raise RanvierError(
                f"no testcase.yaml or sample.yaml below {path}",
                "a folder of tests or samples, or none for those of this checkout",
            )
    workspace = zephyr.find_workspace(os.environ)
    checkout = zephyr.find_checkout(Path.cwd())
    request = Request(
        tuple(path.absolute() for path in paths) or _own_paths(checkout),
        _platforms(platforms, native, hardware_map is not None, device_serial is not None),
        build_only,
        None if hardware_map is None else hardware_map.absolute(),
        device_serial,
    )
    folder = (checkout / "build" / "twister") if checkout else Path.cwd() / "twister-out"
    suites = zephyr.run_twister(workspace, request, folder, _show(output), os.environ)
    if not suites:
        raise RanvierError(
            f"none of {', '.join(map(str, request.paths))} is for {', '.join(request.platforms)}",
            "another --platform; testcase.yaml or sample.yaml lists them as platform_allow",
        )
    print_suites(output, suites)
    if not all(suite.good for suite in suites):
        sys.exit(Exit.NO)


def _platforms(
    given: tuple[str, ...], native: bool, mapped: bool, connected: bool
) -> tuple[str, ...]:
    if native:
        return (zephyr.NATIVE,)
    if given or mapped:
        return given
    return (zephyr.BOARD,) if connected else zephyr.PLATFORMS


def _own_paths(checkout: Path | None) -> tuple[Path, ...]:
    if checkout is None:
        raise RanvierError(
            "this is no checkout of Ranvier, so there is nothing to test by default",
            "name folders of samples or tests, or change to a checkout",
        )
    return tuple(checkout / folder for folder in _FOLDERS)


def _show(output: Output) -> zephyr.Show:
    """Twister's text goes to standard error, so that the results can be piped."""

    def show(text: str) -> None:
        if not output.as_json and not output.quiet:
            click.echo(text, nl=False, err=True)

    return show


def print_suites(output: Output, suites: Sequence[Suite]) -> None:
    """Print a table of platforms, one of sizes, and what failed."""
    platforms = sorted({suite.platform for suite in suites})
    output.table(
        ["platform", "suites", "cases passed", "failed", "skipped", "only built"],
        [_row(name, [s for s in suites if s.platform == name]) for name in platforms],
    )
    sized = [suite for suite in suites if suite.flash is not None and suite.ram is not None]
    if sized:
        output.text()
        output.table(
            ["built", "platform", "flash bytes", "RAM bytes"],
            [[s.name, s.platform, size(s.flash or 0), size(s.ram or 0)] for s in sized],
        )
    output.text()
    for suite in suites:
        if not suite.good:
            why = f": {suite.reason}" if suite.reason else ""
            output.text(printable(f"{suite.name} on {suite.platform}: {suite.status}{why}"))
    passed, failed = _count(suites, "passed"), _failed(suites)
    built = sum(suite.status == "not run" for suite in suites)
    output.text(f"{passed} cases passed, {failed} failed; {built} suites only built")
    output.json({"suites": [_to_dict(suite) for suite in suites]})


def _row(platform: str, suites: Sequence[Suite]) -> list[str]:
    counts = (len(suites), _count(suites, "passed"), _failed(suites), _count(suites, "skipped"))
    built = sum(suite.status == "not run" for suite in suites)
    return [platform, *(str(count) for count in (*counts, built))]


def _count(suites: Iterable[Suite], status: str) -> int:
    return sum(suite.cases.get(status, 0) for suite in suites)


def _failed(suites: Iterable[Suite]) -> int:
    """Cases that did not pass; of a suite that failed as a whole, at least one."""
    good = ("passed", "skipped", "not run")
    return sum(
        max(sum(n for status, n in suite.cases.items() if status not in good), not suite.good)
        for suite in suites
    )


def _to_dict(suite: Suite) -> dict[str, object]:
    return {
        "name": suite.name,
        "platform": suite.platform,
        "status": suite.status,
        "reason": suite.reason,
        "cases": dict(suite.cases),
        "flash_bytes": suite.flash,
        "ram_bytes": suite.ram,
    }
