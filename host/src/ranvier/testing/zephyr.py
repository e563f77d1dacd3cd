# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Finds a Zephyr workspace and runs its tools there: twister, and west flash.

The workspace is the user's: nothing in it is changed. Builds go to a folder of the caller's.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ranvier.errors import RanvierError, ToolError

NATIVE = "native_sim/native/64"
BOARD = "frdm_mcxn947/mcxn947/cpu0"
#: What is tested where no platform is named. Twister builds, and does not run, those of boards.
PLATFORMS = ("qemu_cortex_m3", "mps2/an521/cpu0", NATIVE, BOARD)

_CONVENTION = "~/zephyrproject/zephyr"
_COMPILER = "arm-none-eabi-gcc"
_GET_ONE = (
    "set ZEPHYR_BASE to the zephyr folder of a workspace, or get one: python3 -m venv "
    "~/zephyrproject/.venv && . ~/zephyrproject/.venv/bin/activate && pip install west && "
    "west init ~/zephyrproject && cd ~/zephyrproject && west update && west packages pip --install"
)
#: What a tool has printed last, kept for messages.
_TAIL = 4000
_REGION = re.compile(r"^\s*(FLASH|RAM):\s+(\d+) (B|KB|MB|GB)\s", re.MULTILINE)
_UNITS = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}

#: Takes what a tool prints, as it comes.
Show = Callable[[str], None]


@dataclass(frozen=True)
class Workspace:
    """A Zephyr workspace: ``base`` is Zephyr's own tree, ``python`` has west and twister's needs.

    ``python`` is a path that must not be resolved: it may be a virtual environment's link.
    """

    base: Path
    python: Path

    @property
    def top(self) -> Path:
        """The folder that ``west`` takes for the workspace."""
        return next((p for p in self.base.parents if (p / ".west").is_dir()), self.base.parent)

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """``given``, completed: the workspace's Zephyr and Python, a toolchain if none is set."""
        result = dict(given)
        result["ZEPHYR_BASE"] = str(self.base)
        result["PATH"] = os.pathsep.join((str(self.python.parent), given.get("PATH", os.defpath)))
        environment = self.python.parent.parent
        if (environment / "pyvenv.cfg").is_file():
            result["VIRTUAL_ENV"] = str(environment)
        compiler = shutil.which(_COMPILER, path=result["PATH"])
        chosen = {"ZEPHYR_TOOLCHAIN_VARIANT", "ZEPHYR_SDK_INSTALL_DIR"} & given.keys()
        if compiler is not None and not chosen:
            result["ZEPHYR_TOOLCHAIN_VARIANT"] = "gnuarmemb"
        if compiler is not None and result.get("ZEPHYR_TOOLCHAIN_VARIANT") == "gnuarmemb":
            result.setdefault("GNUARMEMB_TOOLCHAIN_PATH", str(Path(compiler).parent.parent))
        return result


def find_workspace(given: Mapping[str, str], base: Path | None = None) -> Workspace:
    """The workspace of ``base``, else of ZEPHYR_BASE in ``given``, else the conventional one.

    Raises :class:`ToolError` that says how to get one.
    """
    if base is None:
        named = given.get("ZEPHYR_BASE")
        base = Path(named or os.path.expanduser(_CONVENTION))
    if not (base / "scripts" / "twister").is_file():
        raise ToolError(f"there is no Zephyr workspace: {base} is not Zephyr's tree", _GET_ONE)
    base = base.absolute()
    tops = [path for path in base.parents if (path / ".west").is_dir()] or [base.parent]
    candidates = [tops[0] / ".venv" / "bin" / "python"]
    if active := given.get("VIRTUAL_ENV"):
        candidates.append(Path(active) / "bin" / "python")
    candidates.append(Path(sys.executable))
    if common := shutil.which("python3", path=given.get("PATH")):
        candidates.append(Path(common))
    for python in candidates:
        if python.is_file() and _imports_west(python):
            return Workspace(base, python)
    raise ToolError(
        f"no Python has west, for the Zephyr workspace {tops[0]}",
        f"python3 -m venv {tops[0]}/.venv && {tops[0]}/.venv/bin/pip install west, then there "
        "west packages pip --install",
    )


def _imports_west(python: Path) -> bool:
    command = [str(python), "-c", "import west"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def find_checkout(start: Path) -> Path | None:
    """The checkout of Ranvier around ``start``, else the one that this package is used from."""
    for folder in (start, *start.parents, *Path(__file__).resolve().parents):
        module = folder / "zephyr" / "module.yml"
        if module.is_file() and re.search(r"^name: ranvier$", module.read_text(), re.MULTILINE):
            return folder
    return None


def has_tests(folder: Path) -> bool:
    """Whether twister finds a test or sample below a folder; like it, follows links."""
    files = (set(names) for _, _, names in os.walk(folder, followlinks=True))
    return any(names & {"testcase.yaml", "sample.yaml"} for names in files)


@dataclass(frozen=True)
class Request:
    """What twister shall test, and on what; no ``platforms`` with a hardware map: those it has."""

    paths: tuple[Path, ...]
    platforms: tuple[str, ...] = PLATFORMS
    build_only: bool = False
    hardware_map: Path | None = None
    device_serial: str | None = None


@dataclass(frozen=True)
class Suite:
    """A test or sample on a platform.

    ``status`` is twister's: passed, failed, error, skipped, "not run" (only built). ``cases`` has
    the number of cases by their status. ``flash`` and ``ram`` are bytes as the linker states them;
    None where it does not (native_sim), or nothing was linked.
    """

    name: str
    platform: str
    status: str
    reason: str
    cases: Mapping[str, int]
    flash: int | None
    ram: int | None

    @property
    def good(self) -> bool:
        """True where nothing failed."""
        return self.status in ("passed", "skipped", "not run")


def run_twister(
    workspace: Workspace, request: Request, folder: Path, show: Show, given: Mapping[str, str]
) -> list[Suite]:
    """Build and run; ``folder`` is replaced by twister's results.

    Raises :class:`ToolError` if twister did not come to results.
    """
    environment = workspace.environment(given)
    folder.parent.mkdir(parents=True, exist_ok=True)
    report = folder / "twister.json"
    report.unlink(missing_ok=True)
    command = twister_command(workspace, request, folder, environment)
    code, said = run_tool(command, workspace.top, environment, show)
    try:
        suites = read_suites(json.loads(report.read_text(encoding="utf-8")), folder)
    except (OSError, ValueError, KeyError) as error:
        if unknown := re.search(r"unrecognized platform - (\S+)", said):
            raise ToolError(
                f"unknown platform {unknown.group(1)}", "west boards, in the workspace, lists them"
            ) from error
        lines = "\n".join(said.strip().splitlines()[-12:])
        raise ToolError(f"twister ended with {code} and no results:\n{lines}") from error
    if code != 0 and all(suite.good for suite in suites):
        lines = "\n".join(said.strip().splitlines()[-12:])
        raise ToolError(f"twister ended with {code} although no test failed:\n{lines}")
    return suites


def twister_command(
    workspace: Workspace, request: Request, folder: Path, environment: Mapping[str, str]
) -> list[str]:
    """The command line of twister."""
    command = [str(workspace.python), str(workspace.base / "scripts" / "twister")]
    command += ["--clobber-output", "--inline-logs", "--outdir", str(folder)]
    for path in request.paths:
        command += ["--testsuite-root", str(path)]
    for platform in request.platforms:
        command += ["--platform", platform]
    if request.build_only:
        command.append("--build-only")
    if request.hardware_map is not None:
        command += ["--device-testing", "--hardware-map", str(request.hardware_map)]
    if request.device_serial is not None:
        command += ["--device-testing", "--device-serial", request.device_serial]
    own = Path(sys.executable).with_name("ranvier")
    if own.is_file() and "RANVIER_COMMAND" not in environment:
        command.append(f"--extra-args=RANVIER_COMMAND={own}")
    if environment.get("ZEPHYR_TOOLCHAIN_VARIANT") == "gnuarmemb":
        # Twister makes warnings errors, and binutils warns of assembly in the compiler's library.
        command.append("--extra-args=EXTRA_LDFLAGS=-Wl,-z,noexecstack")
    return command


def read_suites(report: Mapping[str, Any], folder: Path) -> list[Suite]:
    """What twister's ``twister.json`` says, without what it filtered out."""
    suites = []
    for entry in report["testsuites"]:
        if entry["status"] == "filtered":
            continue
        cases: dict[str, int] = {}
        for case in entry["testcases"]:
            cases[case["status"]] = cases.get(case["status"], 0) + 1
        sizes = _sizes(folder, entry["platform"], entry["name"])
        suites.append(
            Suite(
                entry["name"],
                entry["platform"],
                entry["status"],
                entry.get("reason", ""),
                cases,
                sizes.get("FLASH"),
                sizes.get("RAM"),
            )
        )
    return suites


def _sizes(folder: Path, platform: str, name: str) -> dict[str, int]:
    """Bytes by memory region, as the linker of the suite's build printed them."""
    build = Path(name).name
    for log in sorted((folder / platform.replace("/", "_")).glob(f"**/{build}/build.log")):
        text = log.read_text(encoding="utf-8", errors="replace")
        found = {region: int(n) * _UNITS[unit] for region, n, unit in _REGION.findall(text)}
        if found:
            return found
    return {}


def run_tool(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], show: Show
) -> tuple[int, str]:
    """Run a tool, show what it prints as it comes; its exit code and the last of its text."""
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
    except OSError as error:
        raise ToolError(f"{command[0]} cannot be run: {error}") from error
    said = ""
    assert process.stdout is not None
    with process:
        while block := os.read(process.stdout.fileno(), 4096):
            text = block.decode(errors="replace")
            show(text)
            said = (said + text)[-_TAIL:]
    return process.returncode, said


# --- flashing ---


@dataclass(frozen=True)
class Flash:
    """A build folder to write to a board, by the runner named or the board's own."""

    build: Path
    runner: str | None = None
    pack: Path | None = None


def flash(request: Flash, show: Show, given: Mapping[str, str]) -> None:
    """Write a build to a board with ``west flash``; it is not built again.

    Raises :class:`ToolError` that says what is missing: the build, a tool, a CMSIS pack, a board.
    """
    image = _image_folder(request.build)
    cache = (image / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    base = re.search(r"^ZEPHYR_BASE:\w+=(.+)$", cache, re.MULTILINE)
    workspace = find_workspace(given, Path(base.group(1)) if base else None)
    runners = _runners(image)
    runner = request.runner or ("pyocd" if request.pack else None)
    _check_runner(request.build, runner, [name for name in runners if name != "default"])
    command = [str(workspace.python), "-m", "west", "flash", "--skip-rebuild"]
    command += ["--build-dir", str(request.build)]
    if runner is not None:
        command += ["--runner", runner]
    if (runner or runners.get("default")) == "pyocd":
        command.append("--flash-opt=--no-wait")  # for a board to be connected
        if request.pack is not None:
            command.append(f"--flash-opt=--pack={request.pack}")
    code, said = run_tool(command, workspace.top, workspace.environment(given), show)
    if code != 0:
        raise _flash_error(code, said, runners)


def _check_runner(build: Path, runner: str | None, names: Sequence[str]) -> None:
    """Refuse a build whose program west would run on this host, and a runner that is not there."""
    if names == ["native"]:
        raise RanvierError(
            f"{build} has no build for a board, but a program for this host",
            f"to run it, west build -t run -d {build}",
        )
    if runner is not None and runner not in names:
        raise RanvierError(
            f"the board of {build} has no runner {runner}", f"--runner, with {', '.join(names)}"
        )


def _image_folder(build: Path) -> Path:
    """Of a build folder: that of the image, which with sysbuild is inside of it."""
    domains = build / "domains.yaml"
    if domains.is_file():
        match = re.search(r"^default: (\S+)$", domains.read_text(), re.MULTILINE)
        if match is not None:
            build = build / match.group(1)
    if (
        not (build / "zephyr" / "runners.yaml").is_file()
        or not (build / "CMakeCache.txt").is_file()
    ):
        raise RanvierError(
            f"{build} has no build for a board",
            "build one, e.g. west build -b frdm_mcxn947 samples/hello_inference, and give its "
            "build folder",
        )
    return build


def _runners(image: Path) -> dict[str, str]:
    """The board's runners by name, and as "default" the one that west takes."""
    text = (image / "zephyr" / "runners.yaml").read_text(encoding="utf-8", errors="replace")
    block = re.search(r"^runners:\n((?:- \S+\n)+)", text, re.MULTILINE)
    result = {name: name for name in re.findall(r"- (\S+)", block.group(1))} if block else {}
    default = re.search(r"^flash-runner: (\S+)$", text, re.MULTILINE)
    if default is not None:
        result["default"] = default.group(1)
    return result


def _flash_error(code: int, said: str, runners: Mapping[str, str]) -> ToolError:
    """What is wrong, of what west and the runner's tool have printed."""
    if match := re.search(r"required program (\S+) not found", said):
        others = ", ".join(name for name in runners if name != "default")
        return ToolError(
            f"{match.group(1)}, which flashes this board, is not installed",
            f"install it and add it to PATH, or choose another with --runner: {others}",
        )
    if match := re.search(r"Target type (\S+) not recognized", said):
        target = match.group(1)
        return ToolError(
            f"pyOCD does not know {target}: the chip's CMSIS pack is missing",
            f"pyocd pack install {target}, or name the pack's file with --pack FILE",
        )
    if re.search(r"[Nn]o (?:connected|available) debug probes|No target device available", said):
        return ToolError("no board is connected, or its debug probe is not seen", "pyocd list")
    lines = "\n".join(said.strip().splitlines()[-12:])
    return ToolError(f"west flash ended with {code}:\n{lines}", "west flash --context")
