# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Both cores under QEMU, and the first one alone where the second has no image; by twister."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from intelhex import IntelHex
from twister_harness import DeviceAdapter

PATIENCE_S = 120
"""For one run of some seconds: an emulator on a busy machine is slow."""
CLIENT = re.compile(
    r"client: bonded (\d+), (\d+) bonds, (\d+) dead, (\d+) broken; (\d+) requests, "
    r"(\d+) completed, (\d+) failed, (\d+) refused, (\d+) foreign, most (\d+) at once"
)
LOCAL = re.compile(r"local: (\d+) done, (\d+) failed, (\d+) other, most \d+ us")
PARKS = re.compile(r"parks: (\d+), (\d+) late, (\d+) left")
ROUND = re.compile(
    r"round (\d+): (\d+) right, (\d+) wrong, (\d+) cancelled, (\d+) stale, (\d+) failed"
)


def numbers(pattern: re.Pattern[str], lines: list[str]) -> list[int]:
    """Of the last line that matches."""
    found = [match for line in lines if (match := pattern.search(line))]
    assert found, f"no line like {pattern.pattern!r}"
    return [int(number) for number in found[-1].groups()]


def expect_local_jobs(lines: list[str]) -> None:
    done, failed, other = numbers(LOCAL, lines)
    assert done >= 5
    assert (failed, other) == (0, 0)


def run_with_image(build: Path, image: IntelHex, name: str) -> list[str]:
    """What the first core prints, with another image in the place of the second one's."""
    file = build / f"{name}.hex"
    image.write_hex_file(file)
    command = ["qemu-system-arm", "-machine", "mps2-an521", "-cpu", "cortex-m33", "-m", "16"]
    command += ["-display", "none", "-monitor", "none", "-serial", "stdio", "-net", "none"]
    command += ["-kernel", str(build / "zephyr/zephyr.elf"), "-device", f"loader,file={file}"]
    lines = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as emulator:
        assert emulator.stdout is not None
        for line in emulator.stdout:
            lines.append(line.rstrip())
            if lines[-1] == "done":
                break
        emulator.kill()
    return lines


def first_core(dut: DeviceAdapter) -> Path:
    """Its build directory, beside that of the second one."""
    build = Path(dut.device_config.build_dir)
    return build if (build / "zephyr/zephyr.elf").exists() else build / "dual_core"


def test_both_cores(dut: DeviceAdapter) -> None:
    lines = dut.readlines_until(regex="^done", timeout=PATIENCE_S)
    log = (first_core(dut) / "remote.log").read_text(encoding="utf-8", errors="replace")
    expect_local_jobs(lines)
    assert any("second core: started" in line for line in lines)
    assert any("stray thread: aborted, all else goes on" in line for line in lines)

    bonded, bonds, dead, broken, requests, completed, failed, refused, foreign, most = numbers(
        CLIENT, lines
    )
    assert (bonded, bonds, dead, broken) == (1, 1, 0, 0)
    assert (refused, foreign) == (0, 0)
    assert completed >= 30
    assert requests > completed + failed
    assert 2 <= most <= 4

    parks, late, left = numbers(PARKS, lines)
    assert parks >= 3
    assert (late, left) == (0, 0)

    rounds, right, wrong, cancelled, stale, remote_failed = numbers(ROUND, log.splitlines())
    assert right + cancelled == 11 * rounds
    assert right >= 10 * rounds
    assert (wrong, stale, remote_failed) == (0, 0, 0)


def test_a_damaged_image_is_not_started(unlaunched_dut: DeviceAdapter) -> None:
    build = first_core(unlaunched_dut)
    image = IntelHex(str(build / "../remote/zephyr/remote.hex"))
    image[image.minaddr() + 0x1234] ^= 0x10
    lines = run_with_image(build, image, "damaged")
    assert any("second core: not started (-74)" in line for line in lines)
    assert not any("second core: started" in line for line in lines)
    assert numbers(CLIENT, lines)[:2] == [0, 0]
    expect_local_jobs(lines)


def test_no_image_is_not_started(unlaunched_dut: DeviceAdapter) -> None:
    build = first_core(unlaunched_dut)
    nothing = IntelHex({0x80000000: 0})
    lines = run_with_image(build, nothing, "nothing")
    assert any("second core: not started (-2)" in line for line in lines)
    assert not any("second core: started" in line for line in lines)
    expect_local_jobs(lines)
