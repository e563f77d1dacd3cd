# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""How large store, updates and SMP are on a Cortex-M33: measured, and within the goals."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ranvier.errors import ToolError
from ranvier.testing import cortexm, link_map, path_counts

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "benchmarks" / "store"
MAP = """\
Discarded input sections

 .text.gone     0x0000000000000000       0x99 a/ranvier_core.dir/core/src/store/mount.c.obj

Linker script and memory map

 .text.rnv_store_mount
                0x0000000010000100       0x20 a/ranvier_core.dir/core/src/store/mount.c.obj
 .rodata.rows   0x0000000010000120        0x4 a/ranvier_core.dir/core/src/store/mount.c.obj
 .text.put_row  0x0000000010000124       0x10 mgmt/librnv_smp.a(smp_map.c.obj)
 .bss.store     0x0000000030000000      0x100 a/main.c.obj
"""


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """The benchmark, which is run as a script in its own folder."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("update_size")
    finally:
        sys.path.remove(str(FOLDER))


def text_and_rodata(elf: Path) -> int:
    """Bytes of the sections of code and of constants of a program."""
    command = ["arm-none-eabi-size", "-A", str(elf)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return sum(int(size) for size in re.findall(r"^\.(?:text|rodata)\s+(\d+)", said, re.MULTILINE))


def test_code_and_ram_stay_within_what_they_met(bench: ModuleType) -> None:
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    folder = path_counts.build(ROOT, "update", f"-DPython3_EXECUTABLE={sys.executable}")
    code = {name: bench.code_of(link_map.kept(folder / f"{name}.map")) for name in bench.PROGRAMS}
    for name in bench.PROGRAMS:  # the rest is the table of vectors and what aligns
        kept, whole = link_map.kept(folder / f"{name}.map"), text_and_rodata(folder / f"{name}.elf")
        assert 0.99 * whole <= sum(kept.values()) <= whole
    ram = bench.variables(folder / "CMakeFiles/update.dir/main.c.obj")
    assert bench.above_goal(code["update_patches"], ram) == []
    for part in bench.PARTS:  # each is linked, and patches only where they are taken
        assert code["update_patches"][part] > 0
        assert (code["update"][part] > 0) == (part is not bench.PATCHES)
    assert ram["engine"] < ram["server"]  # which has it
    text = bench.report(code, ram)
    assert all(f"| {title} " in text for title in bench.SUMS)


def test_bytes_that_are_kept_are_of_their_objects_parts(tmp_path: Path, bench: ModuleType) -> None:
    (tmp_path / "a.map").write_text(MAP)
    sizes = bench.code_of(link_map.kept(tmp_path / "a.map"))
    assert {part: size for part, size in sizes.items() if size} == {
        bench.STORE: 0x24,
        bench.SMP_UPDATE: 0x10,
    }


def test_an_object_of_no_part_is_refused(bench: ModuleType) -> None:
    with pytest.raises(ToolError, match="belongs to no row"):
        bench.code_of({"a/ranvier_core.dir/core/src/news/mount.c.obj": 4})


def test_a_map_without_objects_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.map").write_text(MAP.partition("Linker script")[0])
    with pytest.raises(ToolError, match="names no object"):
        link_map.kept(tmp_path / "a.map")


def test_what_exceeds_a_goal_is_named(bench: ModuleType) -> None:
    code = dict.fromkeys(bench.PARTS, 0)
    ram = {"store": 1, "store_models": 1, "server": 2, "server_models": 1}
    ram |= {"engine": 1, "smp": 1, "patch": 5_993}
    assert bench.ram_of(ram, 1) == 5_999
    assert bench.above_goal(code | {bench.STORE: 16_000}, ram) == []
    assert len(bench.above_goal(code | {bench.STORE: 16_001}, ram | {"smp": 3})) == 2


def test_defaults_are_those_of_kconfig(bench: ModuleType) -> None:
    assert bench.zephyr_default("RANVIER_STORE_TRIAL_BOOTS") == 3
    with pytest.raises(ToolError, match="no default"):
        bench.zephyr_default("RANVIER_STORE_KEYS")
