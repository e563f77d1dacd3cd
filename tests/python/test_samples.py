# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Applications built with CMake: the sample on a host and a Cortex-M33, the CMake functions."""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import ranvier
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.native import op_codes
from ranvier.package.c_array import c_array, c_header
from ranvier.package.records import IoMode
from ranvier.testing import cortexm, qemu
from ranvier.testing.oracle import TfliteMicroOracle
from ranvier.testing.tflite_builder import build_tflite

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "hello_inference"
DIGITS = ROOT / "models" / "digits"
CMAKE_FOLDER = ROOT / "firmware" / "cmake"
TOOLCHAIN = ROOT / "firmware/port/baremetal/cmake/arm-none-eabi.cmake"
#: Programs may lie beside the interpreter, as they do in a virtual environment.
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])

NO_CMAKE = shutil.which("cmake", path=PATH) is None or shutil.which("cc") is None
needs_cmake = pytest.mark.skipif(NO_CMAKE, reason="cmake or a C compiler is not installed")


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A `ranvier` command that is this interpreter with the package under test."""
    path = tmp_path_factory.mktemp("bin") / "ranvier"
    path.write_text(
        f"#!/bin/sh\nexec '{sys.executable}' -c 'from ranvier.cli import main; main()' \"$@\"\n"
    )
    path.chmod(0o755)
    return path


@dataclass(frozen=True)
class Ended:
    """How a program ended; ``said`` is its standard output and error."""

    code: int
    said: str

    def check(self) -> str:
        assert self.code == 0, self.said
        return self.said


def run(*arguments: str | Path) -> Ended:
    done = subprocess.run(
        [str(argument) for argument in arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PATH": PATH},
        check=False,
    )
    return Ended(done.returncode, done.stdout)


def configure(source: Path, build: Path, command: Path, *options: str) -> Ended:
    return run("cmake", "-S", source, "-B", build, f"-DRANVIER_COMMAND={command}", *options)


def build(folder: Path) -> Ended:
    return run("cmake", "--build", folder)


# The sample


def expected_output(frame: Path, view_bytes: int) -> str:
    """What the sample prints, from the Python API and TensorFlow Lite Micro."""
    data = (DIGITS / "digits.tflite").read_bytes()
    labels = tuple((DIGITS / "labels.txt").read_text().split())
    result = ranvier.compile(DIGITS / "digits.tflite", CompileOptions(labels=labels))
    content = result.content
    model = ranvier.Model(ranvier.Package(result.package))
    pixels = np.asarray(Image.open(frame)).reshape(1, 28, 28, 1)
    quantised = (pixels.astype(np.int16) - 128).astype(np.int8)
    ram = content.arena_bytes + 784 + 10 + view_bytes
    lines = [
        f"model digits: flash {len(result.package)} bytes",
        f"RAM: arena {content.arena_bytes} + input 784 + output 10 + view {view_bytes} "
        f"= {ram} bytes",
    ]
    for step, tensor, array in model.trace(quantised):
        shape = "x".join(map(str, content.tensors[tensor].shape))
        lines.append(f"step {step}: {shape} crc 0x{zlib.crc32(array.tobytes()):08x}")
    scores = TfliteMicroOracle(data).run([quantised])[0].ravel()
    lines.append("scores: " + " ".join(map(str, scores)))
    best = int(scores.argmax())
    lines.append(f"digit: {labels[best]}, {100 * (int(scores[best]) + 128) / 256:.1f} %")
    return "\n".join(lines) + "\n"


def view_bytes(output: str) -> int:
    """RAM of view, context and pointers as printed; its parts are the ABI's, tested elsewhere."""
    found = re.search(r"view (\d+)", output)
    assert found is not None, output
    return int(found.group(1))


@needs_cmake
def test_hello_inference_on_this_host(command: Path, tmp_path: Path) -> None:
    folder = tmp_path / "hello"
    configure(SAMPLE, folder, command).check()
    build(folder).check()
    output = run(folder / "hello").check()
    assert output == expected_output(DIGITS / "examples/7.png", view_bytes(output))
    if struct.calcsize("P") == 8:
        assert output in (SAMPLE / "README.md").read_text(), "the README shows another output"

    configure(SAMPLE, folder, command, f"-DHELLO_FRAME={DIGITS / 'examples/3.png'}").check()
    build(folder).check()
    output = run(folder / "hello").check()
    assert output == expected_output(DIGITS / "examples/3.png", view_bytes(output))
    assert "digit: 3" in output


@needs_cmake
def test_hello_inference_says_which_op_is_missing(command: Path, tmp_path: Path) -> None:
    """The sample with another set of ops linked than its model's."""
    copy = tmp_path / "ranvier" / "samples" / "hello_inference"
    shutil.copytree(SAMPLE, copy)
    for name in ("firmware", "models", "host"):
        (tmp_path / "ranvier" / name).symlink_to(ROOT / name)
    for path in copy.glob("*.*"):
        text = path.read_text()
        path.write_text(
            re.sub(r"ranvier_model_ops\(RANVIER_OPS [^)]*\)", "set(RANVIER_OPS SOFTMAX_S8)", text)
        )
    configure(copy, tmp_path / "build", command).check()
    build(tmp_path / "build").check()
    ended = run(tmp_path / "build" / "hello")
    assert ended.code == 1
    codes = op_codes()
    assert f"op code {codes['CONV_2D_S8']}: run `ranvier ops model.rnv`" in ended.said
    assert "op that this build lacks: index 0, value" in ended.said


@needs_cmake
def test_hello_inference_on_a_cortex_m33(command: Path, tmp_path: Path) -> None:
    missing = cortexm.missing_tool()
    if missing is not None:
        pytest.skip(missing)
    options = ["-DRNV_CPU=m33", f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"]
    configure(SAMPLE, tmp_path, command, *options).check()
    build(tmp_path).check()
    output = qemu.run(tmp_path / "hello.elf", "m33").check().stdout
    package = ranvier.Package(ranvier.compile(DIGITS / "digits.tflite").package)
    assert output == expected_output(DIGITS / "examples/7.png", view_bytes(output))
    assert f" = {package.ram_bytes} bytes" in output, "RAM is what `ranvier compile` states"
    assert output in (SAMPLE / "README.md").read_text(), "the README shows another output"
    symbols = run("arm-none-eabi-nm", tmp_path / "hello.elf").check()
    kernels = re.findall(r" R rnv_(\w+_s8|lut_\w+|copy|pad|concatenation)\n", symbols)
    assert sorted(kernels) == [
        "average_pool_2d_s8",
        "conv_2d_s8",
        "depthwise_conv_2d_s8",
        "fully_connected_s8",
        "softmax_s8",
    ], "only the model's ops are linked"


def test_frame_of_every_png_filter(tmp_path: Path) -> None:
    """Random bytes are valid under each of the five filters; Pillow says what they stand for."""
    width, height = 13, 20
    random = np.random.default_rng(1)
    lines = random.integers(0, 256, (height, width + 1), np.uint8)
    lines[:, 0] = [0, 1, 2, 3, 4, 4, 3, 2, 1, 0] * 2
    (tmp_path / "frame.png").write_bytes(png(width, height, zlib.compress(lines.tobytes())))
    expected = np.asarray(Image.open(tmp_path / "frame.png"))
    convert(tmp_path / "frame.png", tmp_path / "frame.h").check()
    text = (tmp_path / "frame.h").read_text()
    assert text.startswith(f"static const unsigned char frame[{width * height}] = {{\n")
    numbers = re.findall(r"\d+", text.partition("{")[2])
    assert list(map(int, numbers)) == expected.ravel().tolist()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"P5 2 2 255 abcd", "is not a PNG file"),
        ((DIGITS / "examples/7.png").read_bytes()[:20], "has no PNG header"),
        ((DIGITS / "examples/7.png").read_bytes()[:60], "incomplete or truncated stream"),
    ],
)
def test_frame_that_is_no_image(data: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "frame.png").write_bytes(data)
    ended = convert(tmp_path / "frame.png", tmp_path / "frame.h")
    assert ended.code == 1
    assert "frame.png: " in ended.said
    assert reason in ended.said
    assert not (tmp_path / "frame.h").exists()


def convert(source: Path, target: Path) -> Ended:
    return run(sys.executable, SAMPLE / "png_to_c.py", source, target)


def png(width: int, height: int, compressed: bytes) -> bytes:
    """An 8-bit grey PNG file."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", compressed), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )


# CMake functions


def project(folder: Path, *lines: str) -> Path:
    """An application's CMakeLists.txt; ``folder`` has its sources."""
    head = ["cmake_minimum_required(VERSION 3.20)", "project(application LANGUAGES C)"]
    (folder / "CMakeLists.txt").write_text("\n".join([*head, *lines]) + "\n")
    return folder


INCLUDE = f'include("{CMAKE_FOLDER}/ranvier.cmake")'
SUBDIRECTORY = f'add_subdirectory("{ROOT}/firmware" ranvier)'


@needs_cmake
def test_missing_command_names_the_remedy(tmp_path: Path) -> None:
    source = project(tmp_path, INCLUDE, "ranvier_model_ops(OPS model.tflite)")
    ended = configure(source, tmp_path / "build", tmp_path / "no-such-command")
    assert ended.code != 0
    assert "the `ranvier` command, which compiles models, was not found" in ended.said
    assert "pip install" in ended.said
    assert "-DRANVIER_COMMAND=" in ended.said


@needs_cmake
def test_unknown_argument_is_refused(command: Path, tmp_path: Path) -> None:
    source = project(tmp_path, INCLUDE, "ranvier_add_model(app model.tflite INPUTS kept)")
    ended = configure(source, tmp_path / "build", command)
    assert ended.code != 0
    assert re.search(r"ranvier_add_model\(app \.\.\.\): cannot use: INPUTS;?\s*kept", ended.said)


@needs_cmake
@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ("none.tflite", "model none.tflite"),
        ("model.tflite LABELS none.txt", "LABELS none.txt"),
        ("model.tflite COSTS none.json", "COSTS none.json"),
        ("model.tflite PIPELINE none.toml", "PIPELINE none.toml"),
        ("made.tflite LABELS made.txt", None),
    ],
)
def test_a_file_that_is_missing_is_named(
    command: Path, tmp_path: Path, arguments: str, missing: str | None
) -> None:
    """But for those that the build makes."""
    (tmp_path / "model.tflite").write_bytes(b"")
    (tmp_path / "app.c").write_text("int unused;\n")
    made = "${CMAKE_CURRENT_SOURCE_DIR}/made"
    source = project(
        tmp_path,
        INCLUDE,
        "add_library(app STATIC app.c)",
        f"add_custom_command(OUTPUT {made}.tflite {made}.txt COMMAND ${{CMAKE_COMMAND}} -E true)",
        f"ranvier_add_model(app {arguments})",
    )
    ended = configure(source, tmp_path / "build", command)
    assert (ended.code == 0) == (missing is None), ended.said
    if missing is not None:
        what, name = missing.split()
        assert f"there is no {what} {tmp_path}/{name}" in " ".join(ended.said.split())


@needs_cmake
def test_bad_model_stops_the_configuration(command: Path, tmp_path: Path) -> None:
    (tmp_path / "model.tflite").write_bytes(b"\x1c\0\0\0TFL3")
    source = project(tmp_path, INCLUDE, "ranvier_model_ops(OPS model.tflite)")
    ended = configure(source, tmp_path / "build", command)
    assert ended.code != 0
    said = " ".join(ended.said.split())  # CMake wraps lines
    assert "compile failed (3)" in said
    assert "model.tflite: " in said


@needs_cmake
def test_bad_model_stops_the_build(command: Path, tmp_path: Path) -> None:
    (tmp_path / "model.tflite").write_bytes(b"\x1c\0\0\0TFL3")
    (tmp_path / "app.c").write_text("int unused;\n")
    lines = [INCLUDE, "add_library(app STATIC app.c)", "ranvier_add_model(app model.tflite)"]
    configure(project(tmp_path, *lines), tmp_path / "build", command).check()
    ended = build(tmp_path / "build")
    assert ended.code != 0
    assert "model.tflite: " in ended.said
    assert not list((tmp_path / "build" / "ranvier-models").iterdir())


@needs_cmake
def test_options_reach_the_package_and_the_header(command: Path, tmp_path: Path) -> None:
    """The names and sizes that an application compiles with; a changed input makes them anew."""
    shutil.copy(DIGITS / "digits.tflite", tmp_path / "my digits-v2.0.tflite")
    (tmp_path / "names.txt").write_text("".join(f"n{i}\n" for i in range(10)))
    (tmp_path / "app.c").write_text(
        '#include "ranvier_my_digits_v2_0.h"\n'
        '_Static_assert(RANVIER_MY_DIGITS_V2_0_EXTERNAL_COUNT == 0, "");\n'
        "unsigned char arena[RANVIER_MY_DIGITS_V2_0_ARENA_BYTES];\n"
        "unsigned int bytes = sizeof(ranvier_my_digits_v2_0);\n"
        "const void *model = ranvier_my_digits_v2_0;\n"
    )
    arguments = "INPUT resident LABELS names.txt VERSION 3.2.1"
    source = project(
        tmp_path,
        INCLUDE,
        "add_library(app STATIC app.c)",
        f'ranvier_add_model(app "my digits-v2.0.tflite" {arguments})',
    )
    configure(source, tmp_path / "build", command).check()
    build(tmp_path / "build").check()
    made = tmp_path / "build" / "ranvier-models" / "ranvier_my_digits_v2_0.rnv"
    content = ranvier.Package(made).content
    assert content.name == "my_digits-v2.0"
    assert content.version == (3, 2, 1)
    assert content.io_mode is IoMode.RESIDENT
    assert content.labels == tuple(f"n{i}" for i in range(10))

    (tmp_path / "names.txt").write_text("".join(f"m{i}\n" for i in range(10)))
    build(tmp_path / "build").check()
    assert ranvier.Package(made).labels == tuple(f"m{i}" for i in range(10))


@needs_cmake
def test_ops_follow_the_models_and_no_flag_leaks(command: Path, tmp_path: Path) -> None:
    """The op set is that of both models, also after one has changed; warnings stay the core's."""
    write_model(tmp_path / "a.tflite", "ADD")
    write_model(tmp_path / "b.tflite", "MUL")
    source = project(
        tmp_path,
        INCLUDE,
        "ranvier_model_ops(RANVIER_OPS a.tflite b.tflite)",
        SUBDIRECTORY,
        "foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS LINK_OPTIONS)",
        "  get_target_property(value ranvier_core INTERFACE_${property})",
        '  message("${property} is ${value}")',
        "endforeach()",
        "get_property(flags DIRECTORY PROPERTY COMPILE_OPTIONS)",
        'message("flags are [${flags}]")',
        'file(WRITE ${CMAKE_BINARY_DIR}/ops "${RANVIER_OPS}")',
    )
    said = configure(source, tmp_path / "build", command).check()
    for name in ("COMPILE_OPTIONS", "COMPILE_DEFINITIONS", "LINK_OPTIONS"):
        assert f"{name} is value-NOTFOUND" in said
    assert "flags are []" in said
    table = tmp_path / "build" / "ranvier" / "kernel_table.c"
    assert (tmp_path / "build" / "ops").read_text() == "ADD_S8;MUL_S8"
    assert re.findall(r'"(\w+)",', table.read_text()) == ["ADD_S8", "MUL_S8"]
    write_model(tmp_path / "b.tflite", "RELU")
    build(tmp_path / "build").check()
    assert re.findall(r'"(\w+)",', table.read_text()) == ["ADD_S8", "LUT_8"]


@needs_cmake
def test_unknown_op_is_refused(command: Path, tmp_path: Path) -> None:
    source = project(tmp_path, "set(RANVIER_OPS ADD_S8 ADD_S9)", SUBDIRECTORY)
    ended = configure(source, tmp_path / "build", command)
    assert ended.code != 0
    assert "no op is called ADD_S9" in ended.said


@needs_cmake
@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("-DRANVIER_KERNELS=dsp", "dsp and base are packings of models"),
        ("-DRANVIER_KERNELS=planes", "there are s8 (portable), mve and host"),
        ("-DRANVIER_KERNELS=", 'RANVIER_KERNELS is ""'),
        ("-DRANVIER_ISA=m33", 'RANVIER_ISA is "m33"; models are packed for generic'),
        ("-DRANVIER_OPTIMIZE=size", 'RANVIER_OPTIMIZE is "size"; give speed, balanced or memory'),
    ],
)
def test_options_that_are_none_name_the_choices(
    option: str, reason: str, command: Path, tmp_path: Path
) -> None:
    ended = configure(project(tmp_path, SUBDIRECTORY), tmp_path / "build", command, option)
    assert ended.code != 0
    assert reason in " ".join(ended.said.split())


@needs_cmake
def test_a_goal_without_a_packing_is_told_to_be_of_no_effect(command: Path, tmp_path: Path) -> None:
    note = "RANVIER_OPTIMIZE has no effect for RANVIER_ISA=generic"
    source = project(tmp_path, INCLUDE, SUBDIRECTORY)
    said = configure(source, tmp_path / "a", command, "-DRANVIER_OPTIMIZE=memory").check()
    assert said.count(note) == 1
    options = ("-DRANVIER_OPTIMIZE=memory", "-DRANVIER_ISA=dsp")
    assert note not in configure(source, tmp_path / "b", command, *options).check()


@needs_cmake
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("-DRNV_CPU=m33", "-DRANVIER_KERNELS=host"), "RANVIER_KERNELS=host is for computers"),
        (("-DRNV_CPU=m33", "-DRANVIER_KERNELS=mve"), 'a Cortex-M55 or M85, and RNV_CPU is "m33"'),
    ],
)
def test_kernels_that_a_cpu_cannot_execute(
    options: tuple[str, ...], reason: str, command: Path, tmp_path: Path
) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not installed")
    source = project(tmp_path, SUBDIRECTORY)
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"
    ended = configure(source, tmp_path / "build", command, toolchain, *options)
    assert ended.code != 0
    assert reason in " ".join(ended.said.split())


@needs_cmake
def test_another_cpu_needs_another_build_folder(command: Path, tmp_path: Path) -> None:
    if shutil.which("arm-none-eabi-gcc") is None:
        pytest.skip("arm-none-eabi-gcc is not installed")
    source, folder = project(tmp_path), tmp_path / "build"
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={TOOLCHAIN}"
    configure(source, folder, command, toolchain, "-DRNV_CPU=m33").check()
    ended = configure(source, folder, command, "-DRNV_CPU=m4")
    assert ended.code != 0
    said = " ".join(ended.said.split())
    assert 'RNV_CPU is "m4", and this build folder was made for m33' in said
    configure(source, folder, command, "-DRNV_CPU=m33").check()


def write_model(path: Path, kind: str) -> None:
    """A model of one element-wise op."""
    make = Maker(1)
    inputs = [make.input((1, 8)) for _ in range(1 if kind == "RELU" else 2)]
    output = make.op(kind, inputs, make.tensor((1, 8)))
    path.write_bytes(build_tflite(make.graph(output)))


# The C files


def compile_c(folder: Path, compiler: Sequence[str], source: str) -> Ended:
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"{compiler[0]} is not installed")
    flags = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only"]
    return run(*compiler, *flags, "-I", folder, folder / source)


@pytest.mark.parametrize("mode", list(IoMode))
def test_header_is_c_and_cpp(mode: IoMode, tmp_path: Path) -> None:
    """Names that would end a comment or clash with a header of the core do no harm."""
    data = (DIGITS / "digits.tflite").read_bytes()
    result = compile_model(data, "x", CompileOptions(input_mode=mode, name="package"))
    hostile = replace(result.content.tensors[0], name="*/ #error \\\n??/ \u00e9", scale=2.0)
    tensors = (hostile, *result.content.tensors[1:])
    content = replace(result.content, tensors=tensors)
    (tmp_path / "model.h").write_text(c_header(result.package, content))
    (tmp_path / "model.c").write_text(c_array(result.package, "package", "model.h"))
    uses = '#include "ranvier/package.h"\n#include "model.h"\n#include "model.h"\n'
    uses += "const void *all[] = {ranvier_package, &ranvier_package_bytes};\n"
    uses += (
        f"char count[RANVIER_PACKAGE_EXTERNAL_COUNT == {2 * (mode != IoMode.RESIDENT)} ? 1 : -1];\n"
    )
    uses += f"char arena[RANVIER_PACKAGE_ARENA_BYTES == {content.arena_bytes} ? 1 : -1];\n"
    uses += "float scale = 1.0f * RANVIER_PACKAGE_INPUT_0_SCALE;\n"
    (tmp_path / "uses.c").write_text(uses)
    (tmp_path / "uses.cc").write_text(uses)
    core = str(ROOT / "firmware/core/include")
    compile_c(tmp_path, ["cc", "-std=c11"], "model.c").check()
    compile_c(tmp_path, ["cc", "-std=c11", "-trigraphs", "-I", core], "uses.c").check()
    compile_c(tmp_path, ["c++", "-std=c++14", "-I", core], "uses.cc").check()
