# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier compile``, ``analyze`` and ``ops``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli_tools import DIGITS, ROOT, names, put, ranvier, rich_files, unsupported_model
from packages import deep, deep_model, rich, rich_model
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.model import Package
from ranvier.native import op_codes
from ranvier.package.records import IoMode
from tflite_models import KIND, TYPE, ModelDef, OpDef, TensorDef, chain

#: In the environment that the tests run in, or the system's.
CMAKE = shutil.which("cmake", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")


def labels_file(folder: Path, count: int) -> Path:
    text = "".join(f"label {i}\n" for i in range(count))
    return put(folder, "labels.txt", text.encode())


# compile


@pytest.mark.parametrize("mode", IoMode)
def test_compile_writes_what_the_library_makes(mode: IoMode, tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    out = tmp_path / "out.rnv"
    answer = ranvier("compile", model, "-o", out, "--input", mode.name.lower())
    assert answer.code == 0
    expected = compile_model(rich_model(), "rich.tflite", CompileOptions(input_mode=mode))
    assert out.read_bytes() == expected.package
    assert f"wrote {out} ({len(expected.package):,} bytes)" in answer.out
    for layer in expected.report.layers:
        assert layer.op in answer.out
    assert f"RAM         {expected.report.ram_bytes:,} bytes ({mode.name.lower()}" in answer.out


def test_compile_options_reach_the_package(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    out = tmp_path / "out.rnv"
    labels = labels_file(tmp_path, 6)
    arguments = ["--name", "my.model-2", "--version", "1.20.300", "--labels", labels]
    answer = ranvier("compile", model, "-o", out, *arguments, "--strip-names", "--json")
    assert answer.code == 0
    content = Package(out).content
    assert (content.name, content.version) == ("my.model-2", (1, 20, 300))
    assert content.labels == tuple(f"label {i}" for i in range(6))
    assert all(op.name == "" for op in content.ops)
    assert answer.json["written"] == [str(out)]
    assert answer.json["name"] == "my.model-2"
    assert answer.json["flash_bytes"] == out.stat().st_size
    assert len(answer.json["layers"]) == len(content.steps)


def test_compile_is_reproducible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice, from other folders, by other paths: the same bytes."""
    made = []
    for i, folder in enumerate(("one", "two/three")):
        place = tmp_path / folder
        place.mkdir(parents=True)
        put(place, "rich.tflite", rich_model())
        monkeypatch.chdir(place if i == 0 else tmp_path)
        path = "rich.tflite" if i == 0 else str(place / "rich.tflite")
        answer = ranvier("compile", path, "-o", "out.rnv", "--c-array", "out.c")
        assert answer.code == 0
        made.append([Path(f"out.{ending}").read_bytes() for ending in ("rnv", "c", "h")])
    assert made[0] == made[1]


def test_compile_replaces_an_older_file(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    package.write_bytes(b"old")
    assert ranvier("compile", model, "-o", package).code == 0
    assert Package(package).name == "rich"
    assert names(tmp_path) == ["rich.rnv", "rich.tflite"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
@pytest.mark.parametrize("mode", IoMode)
def test_c_array_compiles_and_holds_the_package(mode: IoMode, tmp_path: Path) -> None:
    model = put(tmp_path, "my model.tflite", rich_model())
    source = tmp_path / "model.c"
    arguments = ["--c-array", source, "-o", tmp_path / "model.rnv", "--input", mode.name.lower()]
    assert ranvier("compile", model, *arguments).code == 0
    main = put(
        tmp_path,
        "main.c",
        b'#include <stdio.h>\n#include "model.h"\n'
        b"int main(void)\n{\n"
        b"\tfwrite(ranvier_my_model, 1, ranvier_my_model_bytes, stdout);\n"
        b'\tfprintf(stderr, "%d %d %d", RANVIER_MY_MODEL_ARENA_BYTES,\n'
        b"\t\tRANVIER_MY_MODEL_EXTERNAL_COUNT, (int)((unsigned long)ranvier_my_model % 16));\n"
        b"\treturn sizeof(ranvier_my_model) != ranvier_my_model_bytes;\n}\n",
    )
    program = tmp_path / "program"
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{tmp_path}"]
    subprocess.run(["cc", *flags, source, main, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, check=True)
    assert done.stdout == (tmp_path / "model.rnv").read_bytes()
    header = Package(done.stdout).native.header
    assert done.stderr.decode() == f"{header.arena_bytes} {header.external_count} 0"


def test_c_array_counts_external_slots_as_the_package_does(tmp_path: Path) -> None:
    """In donated mode a value may lie in an input's memory: it has no slot of its own."""
    content = deep(IoMode.DONATED).content
    assert any(t.storage == 2 and not (t.is_input or t.is_output) for t in content.tensors)
    model = put(tmp_path, "deep.tflite", deep_model())
    source = tmp_path / "deep.c"
    assert ranvier("compile", model, "--c-array", source, "--input", "donated").code == 0
    assert "#define RANVIER_DEEP_EXTERNAL_COUNT 2\n" in (tmp_path / "deep.h").read_text()


def test_c_array_alone_writes_no_package(tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    answer = ranvier("compile", model, "--c-array", tmp_path / "out.c", "--json")
    assert names(tmp_path) == ["out.c", "out.h", "rich.tflite"]
    assert sorted(answer.json["written"]) == [str(tmp_path / n) for n in ("out.c", "out.h")]


@pytest.mark.parametrize(
    "arguments",
    [
        ["-o", "nowhere/out.rnv"],
        ["-o", "out.rnv", "--c-array", "nowhere/out.c"],
        ["-o", "nowhere/out.rnv", "--c-array", "out.c"],
        ["-o", "rich.tflite/out.rnv"],
        ["-o", "n" * 300],
    ],
)
def test_output_that_cannot_be_written_leaves_nothing(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(tmp_path, "rich.tflite", rich_model())
    answer = ranvier("compile", "rich.tflite", *arguments)
    assert answer.code == 3
    assert "error: " in answer.both
    assert "cannot be written: " in answer.both
    assert names(tmp_path) == ["rich.tflite"]


def test_a_folder_as_the_target_is_wrong_usage(tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    folder = tmp_path / "folder"
    folder.mkdir()
    for option in ("-o", "--c-array"):
        assert ranvier("compile", model, option, folder).code == 2
    (tmp_path / "out.h").mkdir()
    answer = ranvier("compile", model, "--c-array", tmp_path / "out.c", "-o", tmp_path / "o.rnv")
    assert answer.code == 3
    assert "out.h: is a directory" in answer.both
    assert list(folder.iterdir()) == []


def test_a_failing_compile_keeps_the_old_package(tmp_path: Path) -> None:
    model = put(tmp_path, "bad.tflite", unsupported_model())
    old = put(tmp_path, "old.rnv", b"old")
    assert ranvier("compile", model, "-o", old).code == 3
    assert old.read_bytes() == b"old"
    assert names(tmp_path) == ["bad.tflite", "old.rnv"]


@pytest.mark.parametrize("name", ["", "a b", "x" * 32, "naïve"])
def test_a_name_that_a_package_cannot_have(name: str, tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    answer = ranvier("compile", model, "-o", tmp_path / "out.rnv", "--name", name)
    assert answer.code == 3
    assert f"model name {name!r}" in answer.both
    assert "try: give another with --name" in answer.both
    assert names(tmp_path) == ["rich.tflite"]


# Labels


@pytest.mark.parametrize("count", [1, 5, 7])
def test_a_wrong_number_of_labels(count: int, tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    labels = labels_file(tmp_path, count)
    answer = ranvier("compile", model, "-o", tmp_path / "out.rnv", "--labels", labels)
    assert answer.code == 3
    assert f"{labels}: has {count} labels" in answer.both
    assert "has 6 values" in answer.both
    assert "try: give one label for each value" in answer.both
    assert names(tmp_path) == ["labels.txt", "rich.tflite"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "has no labels or an empty one"),
        (b"\n\n", "has no labels or an empty one"),
        (b"a\n\nb\nc\nd\ne\n", "has no labels or an empty one"),
        (b"\xff\xfea\0", "is not UTF-8 text"),
    ],
)
def test_a_bad_labels_file(data: bytes, reason: str, tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    labels = put(tmp_path, "labels.txt", data)
    answer = ranvier("compile", model, "-o", tmp_path / "out.rnv", "--labels", labels)
    assert answer.code == 3
    assert f"{labels}: {reason}" in answer.both
    assert "try: one label a line" in answer.both
    assert names(tmp_path) == ["labels.txt", "rich.tflite"]


def test_a_label_with_a_zero_byte(tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    labels = put(tmp_path, "labels.txt", b"a\0\nb\nc\nd\ne\nf\n")
    answer = ranvier("compile", model, "-o", tmp_path / "out.rnv", "--labels", labels)
    assert answer.code == 3
    assert "contains a zero byte" in answer.both


@pytest.mark.parametrize(
    "data",
    [
        b"a\nb\nc\nd\ne\nf",
        b"a\nb\nc\nd\ne\nf\n\n\n",
        b"\xef\xbb\xbfa\r\nb\r\nc\r\nd\r\ne\r\nf\r\n",
        b" a\n b \nc\nd\ne\nf\t\n",
    ],
)
def test_labels_as_editors_write_them(data: bytes, tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    labels = put(tmp_path, "labels.txt", data)
    out = tmp_path / "out.rnv"
    assert ranvier("compile", model, "-o", out, "--labels", labels).code == 0
    assert Package(out).labels == ("a", "b", "c", "d", "e", "f")


def test_missing_labels_file(tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    answer = ranvier("compile", model, "-o", tmp_path / "o", "--labels", tmp_path / "none.txt")
    assert answer.code == 3
    assert "none.txt: cannot be read" in answer.both
    assert names(tmp_path) == ["rich.tflite"]


# Models that cannot be compiled (cases 3, 4, 8, 9, 10)


def test_unsupported_ops_are_all_listed(tmp_path: Path) -> None:
    model = put(tmp_path, "bad.tflite", unsupported_model())
    answer = ranvier("compile", model, "-o", tmp_path / "out.rnv")
    assert answer.code == 3
    assert "error: bad.tflite: 3 of 4 ops cannot be executed" in answer.both
    for text in (
        "op 1 CAST version 1",
        "this kind of op is not implemented",
        "op 2 CONV_2D version 4",
        "is int16, needs int8",
        "op 3 SOFTMAX version 77",
        "version 77 is newer than",
        "try: use only ops of these kinds: ",
        "convert the model with an earlier TensorFlow",
        "quantise all of the model to int8",
    ):
        assert text in answer.both
    assert names(tmp_path) == ["bad.tflite"]


def test_analyze_gives_a_table_of_unsupported_ops(tmp_path: Path) -> None:
    model = put(tmp_path, "bad.tflite", unsupported_model())
    answer = ranvier("analyze", model)
    assert answer.code == 1
    rows = [line.split()[:3] for line in answer.out.splitlines() if line.strip()[:1].isdigit()]
    assert ["1", "CAST", "1"] in rows
    assert ["2", "CONV_2D", "4"] in rows
    assert ["3", "SOFTMAX", "77"] in rows
    answer = ranvier("analyze", model, "--json")
    assert answer.code == 1
    assert answer.json["supported"] is False
    assert [op["index"] for op in answer.json["unsupported"]] == [1, 2, 3]
    assert all(op["reasons"] and op["inputs"] for op in answer.json["unsupported"])
    remedy = ranvier("compile", model, "-o", tmp_path / "o.rnv", "--json").json["error"]["remedy"]
    assert answer.json["remedy"] == remedy
    assert f"  try: {remedy}" in ranvier("analyze", model).out


@pytest.mark.parametrize("command", ["compile", "analyze"])
def test_ops_are_listed_beside_tensors_that_cannot_be_represented(
    command: str, tmp_path: Path
) -> None:
    """Tensors of a type that a graph lacks hide no op, and count only where the op is known."""
    tensors = [
        TensorDef(name="x", type=TYPE.INT16),
        TensorDef(name="u", type=TYPE.UINT16),
        TensorDef(name="v", type=TYPE.UINT16),
        TensorDef(name="y"),
        TensorDef(name="z"),
    ]
    ops = [
        OpDef(kind=KIND.CUSTOM, custom="Energy", inputs=(0,), outputs=(1,)),
        OpDef(kind=KIND.RELU, inputs=(1,), outputs=(2,)),
        OpDef(kind=KIND.CAST, inputs=(2,), outputs=(3,)),
        OpDef(kind=KIND.RELU, inputs=(3,), outputs=(4,)),
    ]
    path = put(tmp_path, "m.tflite", ModelDef(tensors, ops, outputs=(4,)).write())
    more = ["-o", tmp_path / "out.rnv"] if command == "compile" else []
    answer = ranvier(command, path, *more)
    for text in ("CUSTOM:Energy", "CAST", "RELU", 'tensor 1 "u"', "UINT16: its type is not one of"):
        assert text in answer.both
    for remedy in ("use only ops of these kinds", "what the custom ops do in the application"):
        assert remedy in answer.both
    if command == "analyze":
        found = ranvier("analyze", path, "--json").json["unsupported"]
        assert [op["index"] for op in found][:3] == [0, 1, 2]
        assert [len(op["reasons"]) for op in found][:3] == [1, 2, 1]


def test_an_op_without_outputs_beside_a_tensor_that_cannot_be_represented(tmp_path: Path) -> None:
    """No op is judged that has not what every op has."""
    tensors = [TensorDef(name="x", type=TYPE.UINT16), TensorDef(name="y"), TensorDef(name="z")]
    ops = [OpDef(), OpDef(KIND.RELU, (1,), ()), OpDef(KIND.RELU, (1,), (2,))]
    path = put(tmp_path, "m.tflite", ModelDef(tensors, ops, outputs=(2,)).write())
    answer = ranvier("analyze", path)
    assert answer.code == 1
    assert 'tensor 0 "x"' in answer.out


def test_validate_lists_unsupported_ops_too(tmp_path: Path) -> None:
    model = put(tmp_path, "bad.tflite", unsupported_model())
    answer = ranvier("validate", model)
    assert answer.code == 3
    assert "3 of 4 ops cannot be executed" in answer.both


@pytest.mark.parametrize("command", ["compile", "analyze"])
@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ((-1, 4), ["static shapes only", '"x"']),
        ((65536, 65536), ['"x"']),
        ((0, 4), ['"x"']),
        ((1,) * 9, ['"x"', "9 dimensions, the limit is 5"]),
    ],
)
def test_shapes_that_are_refused(
    command: str, shape: tuple[int, ...], words: list[str], tmp_path: Path
) -> None:
    path = put(tmp_path, "m.tflite", chain(shape=shape).write())
    more = ["-o", tmp_path / "out.rnv"] if command == "compile" else []
    answer = ranvier(command, path, *more)
    malformed = shape == (65536, 65536)  # its data cannot be there
    assert answer.code == (1 if command == "analyze" and not malformed else 3)
    assert "m.tflite" in answer.both
    for word in words:
        assert word in answer.both
    assert "try: " in answer.both
    assert names(tmp_path) == ["m.tflite"]


def test_an_op_number_that_nobody_knows(tmp_path: Path) -> None:
    tensors = [TensorDef(name="x"), TensorDef(name="y")]
    model = ModelDef(tensors, [OpDef(kind=9999)])
    path = put(tmp_path, "m.tflite", model.write())
    answer = ranvier("analyze", path)
    assert answer.code == 1
    assert "9999" in answer.out


def test_a_custom_op_is_named(tmp_path: Path) -> None:
    tensors = [TensorDef(name="x"), TensorDef(name="y")]
    model = ModelDef(tensors, [OpDef(kind=KIND.CUSTOM, custom="MyOp")])
    answer = ranvier("analyze", put(tmp_path, "m.tflite", model.write()))
    assert answer.code == 1
    assert "MyOp" in answer.out


# analyze


def test_a_generic_package_names_what_is_faster(tmp_path: Path) -> None:
    model = DIGITS / "digits.tflite"
    hint = "packing     generic, for every device; faster where it fits: --isa dsp (Cortex-M4, M7,"
    assert hint in ranvier("compile", model, "-o", tmp_path / "g.rnv").out
    assert hint in ranvier("analyze", model).out
    assert hint in ranvier("analyze", tmp_path / "g.rnv").out
    assert "packing" not in ranvier("analyze", model, "--isa", "dsp").out


@pytest.mark.parametrize("command", ["compile", "analyze"])
def test_optimising_a_generic_package_is_told_to_be_of_no_effect(
    command: str, tmp_path: Path
) -> None:
    more = ["-o", tmp_path / "out.rnv"] if command == "compile" else []
    arguments = (command, DIGITS / "digits.tflite", *more)
    note = "note: --optimize has no effect for --isa generic\n"
    given = ranvier(*arguments, "--optimize", "memory")
    assert (given.code, note in given.both, note in given.out) == (0, True, False)
    for options in ((), ("--optimize", "memory", "--isa", "dsp"), ("--optimize", "speed", "-q")):
        assert note not in ranvier(*arguments, *options).both


def test_goals_are_explained_beside_their_figures() -> None:
    answer = ranvier("analyze", DIGITS / "digits.tflite", "--isa", "dsp")
    assert "balanced, the default, takes a faster kernel only where" in answer.out


def test_analyze_says_the_same_of_model_and_package(tmp_path: Path) -> None:
    model, _ = rich_files(tmp_path)
    for mode in IoMode:
        package = tmp_path / f"{mode.name}.rnv"
        name = mode.name.lower()
        assert ranvier("compile", model, "-o", package, "--input", name).code == 0
        of_model = ranvier("analyze", model, "--input", name)
        of_package = ranvier("analyze", package)
        assert of_model.code == of_package.code == 0
        assert of_model.out == of_package.out
        answers = [("analyze", model, "--input", name, "--json"), ("analyze", package, "--json")]
        values = [ranvier(*answer).json for answer in answers]
        assert values[0].pop("file") != values[1].pop("file")
        assert values[0] == values[1]


def test_analyze_shows_each_layer_and_the_peak(tmp_path: Path) -> None:
    _, package = rich_files(tmp_path)
    answer = ranvier("analyze", package)
    report = rich().report
    rows = [line for line in answer.out.splitlines() if line[:4].strip().isdigit()]
    assert len(rows) == len(report.layers)
    for layer, row in zip(report.layers, rows, strict=True):
        assert layer.kind is not None
        assert row.split()[:3] == [str(layer.step), layer.kind, layer.op]
        assert f"{layer.macs:,}" in row
        assert ("in-place" in row) == layer.in_place
        assert ("<- peak" in row) == (layer.step == report.peak_step)
    assert f"MACs        {report.macs:,}" in answer.out
    assert f"flash       {len(rich().package):,} bytes" in answer.out


# ops


def test_ops_of_packages(tmp_path: Path) -> None:
    a, b = put(tmp_path, "a.rnv", rich().package), put(tmp_path, "b.rnv", deep().package)
    codes = op_codes()
    names_of = {code: name for name, code in codes.items()}
    used = {op.code for result in (rich(), deep()) for op in result.content.ops}
    expected = [names_of[code] for code in sorted(used)]
    listed = ranvier("ops", a, b, "--format", "list")
    assert listed.code == 0
    assert listed.out.split() == expected
    assert ranvier("ops", b, a, b, "--format", "list").out == listed.out
    assert ranvier("ops", a, b).out == f"set(RANVIER_OPS {' '.join(expected)})\n"
    kconfig = ranvier("ops", a, b, "--format", "kconfig").out
    assert kconfig.split() == [f"CONFIG_RANVIER_OP_{name}=y" for name in expected]
    document = ranvier("ops", a, b, "--json").json
    assert document["ops"] == [{"name": name, "code": codes[name]} for name in expected]


def test_ops_without_packages_are_all() -> None:
    listed = ranvier("ops", "--format", "list").out.split()
    assert listed == sorted(op_codes(), key=op_codes().__getitem__)


@pytest.mark.skipif(CMAKE is None, reason="no cmake")
def test_cmake_takes_the_list(tmp_path: Path) -> None:
    """The printed line, read by CMake, selects exactly these kernels."""
    package = put(tmp_path, "a.rnv", rich().package)
    script = f"""
cmake_minimum_required(VERSION 3.20)
include({ROOT}/firmware/core/sources.cmake)
{ranvier("ops", package).out}
rnv_core_kernels(SOURCES {tmp_path}/table.c s8 ${{RANVIER_OPS}})
"""
    put(tmp_path, "CMakeLists.txt", f"{script}project(x NONE)\n".encode())
    env = {key: value for key, value in os.environ.items() if key != "CMAKE_GENERATOR"}
    subprocess.run(
        [str(CMAKE), "-S", tmp_path, "-B", tmp_path / "build"],
        check=True,
        capture_output=True,
        env=env,
    )
    table = (tmp_path / "table.c").read_text()
    used = ranvier("ops", package, "--format", "list").out.split()
    assert [name for name in op_codes() if f'"{name}"' in table] == used


def test_the_digits_compile_with_their_labels(tmp_path: Path) -> None:
    out = tmp_path / "digits.rnv"
    answer = ranvier(
        "compile", DIGITS / "digits.tflite", "-o", out, "--labels", DIGITS / "labels.txt"
    )
    assert answer.code == 0
    assert Package(out).labels == tuple("0123456789")
