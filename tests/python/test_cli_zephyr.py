# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier test`` and ``ranvier flash`` in made-up workspaces: what they run and say."""

from __future__ import annotations

import itertools
import json
import shlex
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cli_tools import ROOT, Answer, ranvier
from ranvier.errors import ToolError
from ranvier.testing import zephyr

LINKED = """\
Memory region         Used Size  Region Size  %age Used
           FLASH:       66188 B         2 MB      3.16%
             RAM:         13 KB       320 KB      4.12%
        IDT_LIST:          0 GB        32 KB      0.00%
"""


@dataclass(frozen=True)
class Fake:
    """A workspace whose Python is a shell script that notes its arguments and environment."""

    top: Path

    @property
    def base(self) -> Path:
        return self.top / "zephyr"

    @property
    def arguments(self) -> list[str]:
        """Of the last tool that was run; without the interpreter."""
        return (self.top / "arguments").read_text().splitlines()

    @property
    def environment(self) -> dict[str, str]:
        lines = (self.top / "environment").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def answers(self, script: str) -> None:
        """What the tool does beside noting."""
        python = self.top / ".venv" / "bin" / "python"
        top = shlex.quote(str(self.top))
        executable(
            python,
            f'#!/bin/sh\n[ "$1" = -c ] && exit 0\nprintf "%s\\n" "$@" >{top}/arguments\n'
            f"env >{top}/environment\npwd >{top}/pwd\n{script}\n",
        )


def executable(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """The workspace that is found, with the current folder a checkout beside it."""
    for name in ("ZEPHYR_TOOLCHAIN_VARIANT", "ZEPHYR_SDK_INSTALL_DIR", "GNUARMEMB_TOOLCHAIN_PATH"):
        monkeypatch.delenv(name, raising=False)
    made = Fake(tmp_path / "workspace")
    (made.base / "scripts").mkdir(parents=True)
    (made.base / "scripts" / "twister").write_text("")
    (made.top / ".west").mkdir()
    made.answers("exit 0")
    monkeypatch.setenv("ZEPHYR_BASE", str(made.base))
    checkout = tmp_path / "checkout"
    (checkout / "zephyr").mkdir(parents=True)
    (checkout / "zephyr" / "module.yml").write_text("name: ranvier\n")
    monkeypatch.chdir(checkout)
    return made


def suite(name: str, platform: str, status: str, **more: Any) -> dict[str, Any]:
    cases = more.pop("cases", [status])
    return {
        "name": name,
        "platform": platform,
        "status": status,
        "testcases": [{"identifier": f"{name}.{i}", "status": s} for i, s in enumerate(cases)],
        **more,
    }


def twister_gives(fake: Fake, *suites: Mapping[str, Any], code: int = 0, log: str = "") -> None:
    """Let twister write these results; ``log`` is the build's of every suite."""
    report = shlex.quote(json.dumps({"environment": {}, "testsuites": suites}))
    out = "build/twister"
    lines = ["cd ../checkout", f"rm -rf {out}", f"mkdir -p {out}"]
    lines.append(f"printf %s {report} >{out}/twister.json")
    for entry in suites:
        build = f"{out}/{entry['platform'].replace('/', '_')}/gnuarmemb/some/where/{entry['name']}"
        lines += [f"mkdir -p {build}", f"printf %s {shlex.quote(log)} >{build}/build.log"]
    fake.answers("\n".join([*lines, f"echo INFO twister; exit {code}"]))


def value_of(arguments: list[str], option: str) -> list[str]:
    return [b for a, b in itertools.pairwise(arguments) if a == option]


# --- the workspace ---


def test_no_workspace_is_one_line_and_how_to_get_one(tmp_path: Path) -> None:
    answer = ranvier("test", env={"ZEPHYR_BASE": str(tmp_path)})
    assert answer.code == 4
    lines = answer.both.splitlines()
    assert len(lines) == 2
    assert lines[0] == f"error: there is no Zephyr workspace: {tmp_path} is not Zephyr's tree"
    assert "west init" in lines[1]
    assert "ZEPHYR_BASE" in lines[1]


def test_the_conventional_workspace_is_found(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.top.rename(fake.top.parent / "zephyrproject")
    monkeypatch.setenv("HOME", str(fake.top.parent))
    found = zephyr.find_workspace({})
    assert found.base == fake.top.parent / "zephyrproject" / "zephyr"
    assert found.python == fake.top.parent / "zephyrproject" / ".venv" / "bin" / "python"
    assert found.top == fake.top.parent / "zephyrproject"


def test_python_of_the_active_environment_where_the_workspace_has_none(fake: Fake) -> None:
    active = fake.top.parent / "active"
    (fake.top / ".venv" / "bin" / "python").rename(fake.top / "python")
    executable(active / "bin" / "python", "#!/bin/sh\nexit 0\n")
    environment = {"ZEPHYR_BASE": str(fake.base), "VIRTUAL_ENV": str(active)}
    assert zephyr.find_workspace(environment).python == active / "bin" / "python"


def test_no_python_with_west(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    executable(fake.top / ".venv" / "bin" / "python", "#!/bin/sh\nexit 1\n")
    monkeypatch.setattr(sys, "executable", str(fake.top / "none"))
    environment = {"ZEPHYR_BASE": str(fake.base), "PATH": str(fake.top)}
    with pytest.raises(ToolError, match="no Python has west") as error:
        zephyr.find_workspace(environment)
    assert "pip install west" in str(error.value)


@pytest.mark.parametrize(
    ("given", "variant", "compiler"),
    [
        ({}, "gnuarmemb", "{tools}"),
        ({"ZEPHYR_TOOLCHAIN_VARIANT": "zephyr"}, "zephyr", None),
        ({"ZEPHYR_SDK_INSTALL_DIR": "/sdk"}, None, None),
        ({"GNUARMEMB_TOOLCHAIN_PATH": "/other"}, "gnuarmemb", "/other"),
        ({"ZEPHYR_TOOLCHAIN_VARIANT": "gnuarmemb"}, "gnuarmemb", "{tools}"),
    ],
)
def test_a_toolchain_is_named_only_where_none_is(
    fake: Fake, given: dict[str, str], variant: str | None, compiler: str | None
) -> None:
    tools = fake.top / "tools"
    executable(tools / "bin" / "arm-none-eabi-gcc", "#!/bin/sh\n")
    workspace = zephyr.find_workspace({"ZEPHYR_BASE": str(fake.base)})
    result = workspace.environment({"PATH": str(tools / "bin"), **given})
    assert result.get("ZEPHYR_TOOLCHAIN_VARIANT") == variant
    expected = None if compiler is None else compiler.format(tools=tools)
    assert result.get("GNUARMEMB_TOOLCHAIN_PATH") == expected
    without = workspace.environment({"PATH": str(fake.top)})
    assert "ZEPHYR_TOOLCHAIN_VARIANT" not in without


def test_the_workspace_s_environment_is_active(fake: Fake) -> None:
    (fake.top / ".venv" / "pyvenv.cfg").write_text("")
    twister_gives(fake, suite("a", "qemu_cortex_m3", "passed"))
    assert ranvier("test", env={"VIRTUAL_ENV": "/elsewhere"}).code == 0
    assert fake.environment["VIRTUAL_ENV"] == str(fake.top / ".venv")
    assert fake.environment["PATH"].startswith(str(fake.top / ".venv" / "bin") + ":")
    assert (fake.top / "pwd").read_text().strip() == str(fake.top)


# --- test ---


def test_by_default_all_of_the_checkout_on_all_platforms(fake: Fake) -> None:
    twister_gives(
        fake,
        suite("core.a", "qemu_cortex_m3/ti_lm3s6965", "passed", cases=["passed"] * 12),
        suite("core.b", "native_sim/native/64", "passed", cases=["passed", "skipped"]),
        suite("core.c", "native_sim/native/64", "filtered"),
        suite("hello", "frdm_mcxn947/mcxn947/cpu0", "not run"),
        log=LINKED,
    )
    answer = ranvier("test")
    assert answer.code == 0
    out = Path.cwd() / "build" / "twister"
    assert fake.arguments[0] == str(fake.base / "scripts" / "twister")
    assert value_of(fake.arguments, "--outdir") == [str(out)]
    assert value_of(fake.arguments, "--platform") == [
        "qemu_cortex_m3",
        "mps2/an521/cpu0",
        "native_sim/native/64",
        "frdm_mcxn947/mcxn947/cpu0",
    ]
    roots = [str(Path.cwd() / each) for each in ("firmware/app", "samples", "tests/zephyr")]
    assert value_of(fake.arguments, "--testsuite-root") == roots
    assert "13 cases passed, 0 failed; 1 suites only built" in answer.out
    assert "core.c" not in answer.out
    rows = [line.split() for line in answer.out.splitlines()]
    assert ["hello", "frdm_mcxn947/mcxn947/cpu0", "66,188", "13,312"] in rows
    assert ["native_sim/native/64", "1", "1", "0", "1", "0"] in rows
    assert "INFO twister" in answer.both
    assert "INFO twister" not in answer.out


def test_options_reach_twister(fake: Fake, tmp_path: Path) -> None:
    twister_gives(fake, suite("a", "x", "not run"))
    sample = tmp_path / "sample"
    sample.mkdir()
    (sample / "sample.yaml").write_text("")
    assert ranvier("test", "-p", "x", "-p", "y/z", "--build-only", sample).code == 0
    assert value_of(fake.arguments, "--platform") == ["x", "y/z"]
    assert value_of(fake.arguments, "--testsuite-root") == [str(sample)]
    assert "--build-only" in fake.arguments
    assert ranvier("test", "--native").code == 0
    assert value_of(fake.arguments, "--platform") == ["native_sim/native/64"]
    assert "--build-only" not in fake.arguments
    assert "--device-testing" not in fake.arguments


def test_models_are_compiled_by_this_command_or_the_one_that_is_named(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = fake.top / "bin" / "python"
    executable(fake.top / "bin" / "ranvier", "#!/bin/sh\n")
    monkeypatch.setattr(sys, "executable", str(python))
    workspace = zephyr.Workspace(fake.base, fake.top / ".venv" / "bin" / "python")
    request = zephyr.Request((Path.cwd(),), ("x",))
    mine = f"--extra-args=RANVIER_COMMAND={fake.top}/bin/ranvier"
    assert mine in zephyr.twister_command(workspace, request, Path.cwd(), {})
    named = {"RANVIER_COMMAND": "/else/where/ranvier"}
    assert mine not in zephyr.twister_command(workspace, request, Path.cwd(), named)


def test_boards(fake: Fake, tmp_path: Path) -> None:
    twister_gives(fake, suite("a", "x", "passed"))
    boards = tmp_path / "map.yml"
    boards.write_text("")
    assert ranvier("test", "--hardware-map", boards).code == 0
    assert "--device-testing" in fake.arguments
    assert value_of(fake.arguments, "--hardware-map") == [str(boards)]
    assert "--platform" not in fake.arguments
    assert ranvier("test", "--device-serial", "/dev/ttyACM0").code == 0
    assert "--device-testing" in fake.arguments
    assert value_of(fake.arguments, "--device-serial") == ["/dev/ttyACM0"]
    assert value_of(fake.arguments, "--platform") == ["frdm_mcxn947/mcxn947/cpu0"]


@pytest.mark.parametrize(
    "options",
    [
        ("--native", "-p", "x"),
        ("--device-serial", "/dev/x", "-p", "x", "-p", "y"),
        ("--hardware-map", "missing.yml"),
        ("missing-folder",),
    ],
)
def test_wrong_usage(fake: Fake, options: tuple[str, ...]) -> None:
    assert ranvier("test", *options).code == 2
    assert not (fake.top / "arguments").exists()


@pytest.mark.parametrize(
    ("status", "cases", "failed"),
    [("failed", ["passed", "failed", "blocked"], 2), ("error", [], 1), ("failed", ["passed"], 1)],
)
def test_what_failed_is_named(fake: Fake, status: str, cases: list[str], failed: int) -> None:
    bad = suite("b", "x", status, cases=cases, reason="Build failure")
    twister_gives(fake, suite("a", "x", "passed"), bad, code=1)
    answer = ranvier("test")
    assert answer.code == 1
    assert f"b on x: {status}: Build failure" in answer.out
    passed = 1 + cases.count("passed")
    assert f"{passed} cases passed, {failed} failed; 0 suites only built" in answer.out


def test_json(fake: Fake) -> None:
    twister_gives(fake, suite("a", "x", "passed", cases=["passed", "passed"]), log=LINKED)
    answer = ranvier("test", "--json")
    assert answer.json["schema"] == "ranvier.test/1"
    assert answer.json["suites"] == [
        {
            "name": "a",
            "platform": "x",
            "status": "passed",
            "reason": "",
            "cases": {"passed": 2},
            "flash_bytes": 66188,
            "ram_bytes": 13312,
        }
    ]
    assert "INFO" not in answer.both


def test_twister_without_results_is_no_success(fake: Fake) -> None:
    old = Path.cwd() / "build" / "twister" / "twister.json"
    old.parent.mkdir(parents=True)
    old.write_text(json.dumps({"testsuites": [suite("old", "x", "passed")]}))
    fake.answers("echo unrecognized platform; exit 3")
    answer = ranvier("test")
    assert answer.code == 4
    assert "twister ended with 3 and no results" in answer.both
    assert "unrecognized platform" in answer.both


def test_a_folder_without_tests_does_not_start_twister(fake: Fake, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    (empty / "src").mkdir(parents=True)
    answer = ranvier("test", empty)
    assert answer.code == 3
    assert f"no testcase.yaml or sample.yaml below {empty}" in answer.both
    assert "try: " in answer.both
    assert not (fake.top / "arguments").exists()
    twister_gives(fake, suite("a", "x", "passed"))
    (empty / "src" / "testcase.yaml").write_text("")
    assert ranvier("test", empty).code == 0


def test_an_unknown_platform_is_named_once(fake: Fake) -> None:
    fake.answers("echo 'ERROR   - platform_filter - unrecognized platform - mars/x'; exit 1")
    answer = ranvier("test", "-p", "mars/x", "--quiet")
    assert answer.code == 4
    assert answer.both.count("mars/x") == 1
    assert "unknown platform mars/x" in answer.both
    assert "try: west boards" in answer.both


def test_a_failing_twister_is_no_success(fake: Fake) -> None:
    twister_gives(fake, suite("a", "x", "passed"), code=2)
    assert ranvier("test").code == 4


def test_nothing_for_a_platform_is_no_success(fake: Fake) -> None:
    twister_gives(fake, suite("a", "x", "filtered"))
    answer = ranvier("test", "-p", "x")
    assert answer.code == 3
    assert "none of" in answer.both
    assert "is for x" in answer.both


def test_the_checkout_of_this_package_is_found(tmp_path: Path) -> None:
    assert zephyr.find_checkout(ROOT / "tests") == ROOT
    assert zephyr.find_checkout(tmp_path) == ROOT


# --- flash ---


def board_build(
    folder: Path,
    fake: Fake,
    *,
    sysbuild: bool = False,
    runners: tuple[str, ...] = ("linkserver", "jlink", "pyocd"),
) -> Path:
    """A build folder as west leaves it."""
    image = folder / "hello" if sysbuild else folder
    (image / "zephyr").mkdir(parents=True)
    (image / "CMakeCache.txt").write_text(f"A:STRING=b\nZEPHYR_BASE:PATH={fake.base}\n")
    (image / "zephyr" / "runners.yaml").write_text(
        "# Available.\nrunners:\n"
        + "".join(f"- {name}\n" for name in runners)
        + f"\nflash-runner: {runners[0]}\n"
    )
    if sysbuild:
        (folder / "domains.yaml").write_text("default: hello\nbuild_dir: x\n")
    return folder


def flash(fake: Fake, build: Path, *options: object, says: str = "", code: int = 0) -> Answer:
    fake.answers(f"printf '%s\\n' {shlex.quote(says)}; exit {code}")
    return ranvier("flash", build, *options)


@pytest.mark.parametrize("sysbuild", [False, True])
def test_flash_runs_west_of_the_build_s_workspace(
    fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sysbuild: bool
) -> None:
    monkeypatch.setenv("ZEPHYR_BASE", "/elsewhere")
    build = board_build(tmp_path / "build", fake, sysbuild=sysbuild)
    answer = flash(fake, build)
    assert answer.code == 0
    assert fake.arguments == ["-m", "west", "flash", "--skip-rebuild", "--build-dir", str(build)]
    assert "is on the board" in answer.out


def test_flash_by_pyocd_does_not_wait_for_a_board(fake: Fake, tmp_path: Path) -> None:
    build = board_build(tmp_path / "build", fake)
    pack = tmp_path / "chip.pack"
    pack.write_text("")
    assert flash(fake, build, "--runner", "pyocd").code == 0
    tail = ["--runner", "pyocd", "--flash-opt=--no-wait"]
    assert fake.arguments[-3:] == tail
    assert flash(fake, build, "--pack", pack).code == 0
    assert fake.arguments[-4:] == [*tail, f"--flash-opt=--pack={pack}"]
    assert flash(fake, build, "--pack", pack, "--runner", "jlink").code == 2


@pytest.mark.parametrize(
    ("says", "message", "remedy"),
    [
        (
            "C Target type mcxn947 not recognized. Use 'pyocd list --targets' to see",
            "CMSIS pack is missing",
            "pyocd pack install mcxn947, or name the pack's file with --pack FILE",
        ),
        (
            "FATAL ERROR: required program LinkServer not found; install it or add its location",
            "LinkServer, which flashes this board, is not installed",
            "--runner: linkserver, jlink, pyocd",
        ),
        ("No connected debug probes", "no board is connected", "pyocd list"),
        ("something else", "west flash ended with 1:\nsomething else", "west flash --context"),
    ],
)
def test_flash_says_what_is_missing(
    fake: Fake, tmp_path: Path, says: str, message: str, remedy: str
) -> None:
    answer = flash(fake, board_build(tmp_path / "build", fake), says=says, code=1)
    assert answer.code == 4
    assert message in answer.both
    assert remedy in answer.both
    assert "is on the board" not in answer.both


def test_flash_of_a_program_for_this_host(fake: Fake, tmp_path: Path) -> None:
    """West's runner of native_sim would start it, and never end."""
    build = board_build(tmp_path / "build", fake, runners=("native",))
    answer = flash(fake, build)
    assert answer.code == 3
    assert "has no build for a board" in answer.both
    assert f"to run it, west build -t run -d {build}" in answer.both
    assert not (fake.top / "arguments").exists()


def test_flash_by_a_runner_that_the_board_has_not(fake: Fake, tmp_path: Path) -> None:
    answer = flash(fake, board_build(tmp_path / "build", fake), "--runner", "foo")
    assert answer.code == 3
    assert "has no runner foo" in answer.both
    assert "linkserver, jlink, pyocd" in answer.both
    assert not (fake.top / "arguments").exists()


def test_flash_without_a_build(fake: Fake, tmp_path: Path) -> None:
    answer = flash(fake, tmp_path / "none")
    assert answer.code == 3
    assert "has no build for a board" in answer.both
    assert "west build -b" in answer.both
    assert not (fake.top / "arguments").exists()
