# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""What ``ranvier doctor`` looks at: the Zephyr workspace, its toolchain, serial ports, probes."""

from __future__ import annotations

import grp
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ranvier.cli.checks import BOARDS, ZEPHYR, Check, Machine, State, version_of
from ranvier.errors import ToolError
from ranvier.testing.zephyr import Workspace, find_workspace

_TESTED = "4.2.99"
_PORTS = ("ttyACM*", "ttyUSB*")
_PACK = "MCXN947"
_VARIABLES = ("ZEPHYR_TOOLCHAIN_VARIANT", "GNUARMEMB_TOOLCHAIN_PATH", "ZEPHYR_SDK_INSTALL_DIR")


def zephyr_checks(machine: Machine) -> Iterator[Check]:
    """The workspace, its Python, the toolchain, and what flashes boards."""
    workspace: Workspace | None = None
    try:
        workspace = find_workspace(machine.given)
    except ToolError as error:
        yield Check(ZEPHYR, "workspace", State.MISSING, error.message, error.remedy or "")
    else:
        yield from _workspace(machine, workspace)
    yield _toolchain(machine)
    yield from port_checks(machine)
    yield from _flashers(machine, workspace)


def _workspace(machine: Machine, workspace: Workspace) -> Iterator[Check]:
    version = zephyr_version(workspace.base)
    found = f"Zephyr {version or 'of unknown version'}, {workspace.base}"
    named = "ZEPHYR_BASE" if machine.given.get("ZEPHYR_BASE") else "~/zephyrproject"
    yield Check(ZEPHYR, "workspace", State.OK, f"{found} ({named}; tested: {_TESTED})")
    west = machine.said(str(workspace.python), "-m", "west", "--version")
    found = f"{version_of(west or '') or 'of unknown version'}, {workspace.python}"
    yield Check(ZEPHYR, "west", State.OK, found)


def zephyr_version(base: Path) -> str | None:
    """The version that Zephyr's tree states; None where it does not."""
    try:
        text = (base / "VERSION").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = dict(re.findall(r"^(\w+) *= *(\w+)", text, re.MULTILINE))
    parts = [fields.get(name) for name in ("VERSION_MAJOR", "VERSION_MINOR", "PATCHLEVEL")]
    return None if None in parts else ".".join(str(part) for part in parts)


def _toolchain(machine: Machine) -> Check:
    """Whether the variables name a toolchain that is there."""
    name = "toolchain variables"
    given = {key: machine.given[key] for key in _VARIABLES if machine.given.get(key)}
    found = ", ".join(f"{key}={value}" for key, value in given.items()) or "none set"
    variant = given.get("ZEPHYR_TOOLCHAIN_VARIANT")
    if variant == "gnuarmemb" and "GNUARMEMB_TOOLCHAIN_PATH" in given:
        compiler = Path(given["GNUARMEMB_TOOLCHAIN_PATH"]) / "bin" / "arm-none-eabi-gcc"
        if not compiler.exists():
            remedy = f"there is no {compiler}: correct GNUARMEMB_TOOLCHAIN_PATH (/usr on Debian)"
            return Check(ZEPHYR, name, State.MISSING, found, remedy)
    sdk = given.get("ZEPHYR_SDK_INSTALL_DIR")
    if sdk is not None and not Path(sdk).is_dir():
        remedy = f"{sdk} is no folder: correct or unset ZEPHYR_SDK_INSTALL_DIR"
        return Check(ZEPHYR, name, State.MISSING, found, remedy)
    if given:
        return Check(ZEPHYR, name, State.OK, found)
    if machine.which("arm-none-eabi-gcc"):
        told = f"{found}: ranvier test and flash take arm-none-eabi-gcc; set them for west"
        return Check(ZEPHYR, name, State.NOTE, told)
    remedy = "install the Zephyr SDK, or apt-get install gcc-arm-none-eabi"
    return Check(ZEPHYR, name, State.MISSING, found, remedy)


def port_checks(machine: Machine) -> Iterator[Check]:
    """Serial ports, and whether this user may open them."""
    ports = sorted(port for pattern in _PORTS for port in machine.dev.glob(pattern))
    if not ports:
        yield Check(BOARDS, "serial ports", State.NOTE, "none: no board is connected")
    for port in ports:
        if os.access(port, os.R_OK | os.W_OK):
            yield Check(BOARDS, str(port), State.OK, "may be read and written")
            continue
        group = _group(port)
        remedy = f"sudo usermod -aG {group} $USER, then log in again"
        found = f"no permission; it belongs to the group {group}"
        yield Check(BOARDS, str(port), State.MISSING, found, remedy)


def _group(port: Path) -> str:
    try:
        return grp.getgrgid(port.stat().st_gid).gr_name
    except (KeyError, OSError):
        return "dialout"


def _flashers(machine: Machine, workspace: Workspace | None) -> Iterator[Check]:
    """LinkServer or pyOCD, of which one is enough; with pyOCD its pack, and the probes."""
    own = [] if workspace is None else [workspace.python.parent]
    server = machine.which("LinkServer")
    if server is not None:
        yield Check(BOARDS, "LinkServer", State.OK, server)
    pyocd = machine.which("pyocd", own)
    if pyocd is None:
        if server is None:
            found = "neither LinkServer nor pyocd is there"
            remedy = "install NXP's LinkServer, or pip install pyocd in the workspace's Python"
            yield Check(BOARDS, "flash tool", State.MISSING, found, remedy)
        return
    probes = _probes(machine, pyocd)
    yield Check(BOARDS, "pyOCD", State.OK, f"{probes.version}, {pyocd}")
    packs = machine.said(pyocd, "pack", "show") or ""
    have = re.search(rf"{_PACK}\S*\s+(\S+)", packs, re.IGNORECASE)
    remedy = f"{pyocd} pack install {_PACK.lower()}, or ranvier flash --pack FILE"
    state = State.OK if have else State.MISSING
    found = f"version {have[1]}" if have else "not installed; FRDM-MCXN947 needs it"
    yield Check(BOARDS, f"pyOCD's pack for {_PACK}", state, found, "" if have else remedy)
    yield probes.check


@dataclass(frozen=True)
class _Probes:
    """What pyOCD says of itself and of debug probes."""

    version: str
    check: Check


def _probes(machine: Machine, pyocd: str) -> _Probes:
    name = "debug probes"
    try:
        said = json.loads(machine.said(pyocd, "json", "--probes") or "")
        names = [str(board.get("info") or board.get("unique_id")) for board in said["boards"]]
        version = str(said.get("pyocd_version", "unknown version"))
    except (ValueError, KeyError, TypeError, AttributeError):
        found = "pyocd cannot list them"
        remedy = f"{pyocd} list --probes says why; a probe needs its udev rule"
        return _Probes("unknown version", Check(BOARDS, name, State.MISSING, found, remedy))
    if not names:
        found = "none found; where one is connected, its udev rule is missing"
        return _Probes(version, Check(BOARDS, name, State.NOTE, found))
    return _Probes(version, Check(BOARDS, name, State.OK, ", ".join(names)))
