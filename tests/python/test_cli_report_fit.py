# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier analyze --ram --flash``: does it fit, who is to blame, what would help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli_tools import DIGITS, put, ranvier
from page_rules import page_of, table
from random_models import Maker
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.report.smaller import smaller_input
from ranvier.testing.tflite_builder import build_tflite

MODEL = DIGITS / "digits.tflite"


def report(*options: object) -> dict[str, Any]:
    return ranvier("analyze", MODEL, *options, "--json").json


def test_exactly_enough_is_enough_and_a_byte_less_is_not() -> None:
    value = report()
    ram, flash = value["ram_bytes"], value["flash_bytes"]
    assert ranvier("analyze", MODEL, "--ram", ram, "--flash", flash).code == 0
    assert report("--ram", ram, "--flash", flash)["fit"]["fits"] is True
    for options in (["--ram", ram - 1], ["--flash", flash - 1], ["--ram", 0, "--flash", flash]):
        answer = ranvier("analyze", MODEL, *options)
        assert answer.code == 1
        assert "too many" in answer.out
        assert ranvier("analyze", MODEL, *options, "--quiet").both == ""


def test_units() -> None:
    ram = report()["ram_bytes"]
    for text, limit in (("11K", 11 << 10), ("11k", 11 << 10), ("11KiB", 11 << 10), ("1M", 1 << 20)):
        value = report("--ram", text)["fit"]
        assert value["ram_limit"] == limit
        assert value["fits"] == (ram <= limit)


def test_the_layer_at_the_peak_is_named() -> None:
    answer = ranvier("analyze", MODEL, "--ram", "5K", "--flash", "10K")
    value = report("--ram", "5K", "--flash", "10K")
    peak = value["layers"][value["fit"]["peak_layer"]]
    arenas = [layer["activation_bytes"] + layer["scratch_bytes"] for layer in value["layers"]]
    assert arenas[peak["step"]] == max(arenas)
    assert f"most RAM: layer {peak['step']} {peak['kind']} ({peak['op']})" in answer.out
    weights = [layer["weight_bytes"] for layer in value["layers"]]
    assert weights[value["fit"]["largest_layer"]] == max(weights)
    assert f"most flash: layer {value['fit']['largest_layer']} " in answer.out


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--isa", "dsp"],
        ["--isa", "dsp", "--optimize", "speed", "--keep-constant-channels"],
        ["--max-step-macs", "20000"],
    ],
)
def test_what_helps_is_what_compiling_so_gives(given: list[str], tmp_path: Path) -> None:
    before = report(*given)
    limits = ["--ram", before["ram_bytes"] * 2 // 3, "--flash", before["flash_bytes"] - 500]
    fit = report(*given, *limits)["fit"]
    assert fit["alternatives"]
    for other in fit["alternatives"]:
        if other["retrain"]:
            continue
        options = [*given]
        for option in ("--keep-constant-channels", "--max-step-macs"):
            if f"without {option}" in other["options"]:
                at = options.index(option)
                del options[at : at + (2 if option == "--max-step-macs" else 1)]
        words = [w for w in other["options"].split() if w not in ("without", *given[-2:])]
        words = [w for w in words if w not in ("--keep-constant-channels", "--max-step-macs")]
        made = ranvier("compile", MODEL, *options, *words, "-o", tmp_path / "o.rnv", "--json").json
        for figure in ("ram_bytes", "flash_bytes", "predicted"):
            assert made[figure] == other[figure], other["options"]
        within = made["ram_bytes"] <= limits[1] and made["flash_bytes"] <= limits[3]
        assert other["fits"] == within
        assert (
            made["ram_bytes"] < before["ram_bytes"] or made["flash_bytes"] < before["flash_bytes"]
        )


def test_those_that_fit_come_first() -> None:
    fits = [other["fits"] for other in report("--ram", "7K")["fit"]["alternatives"]]
    trained = [other["retrain"] for other in report("--ram", "7K")["fit"]["alternatives"]]
    assert True in fits
    kept = [fit for fit, anew in zip(fits, trained, strict=True) if not anew]
    assert kept == sorted(kept, reverse=True)


def test_a_package_is_judged_but_cannot_be_compiled_anew(tmp_path: Path) -> None:
    package = tmp_path / "d.rnv"
    assert ranvier("compile", MODEL, "-o", package).code == 0
    answer = ranvier("analyze", package, "--ram", "5K")
    assert answer.code == 1
    assert "give the .tflite model" in answer.out
    assert ranvier("analyze", package, "--ram", "5K", "--json").json["fit"]["alternatives"] == []


def test_the_page_has_the_answer(tmp_path: Path) -> None:
    page = tmp_path / "p.html"
    answer = ranvier("analyze", MODEL, "--ram", "5K", "--html", page, "--json")
    assert answer.code == 1
    rows = table(
        page_of(page.read_text(encoding="utf-8")), "Options that help, each measured by compiling"
    )
    assert [row[0] for row in rows] == [o["options"] for o in answer.json["fit"]["alternatives"]]
    assert "It does not fit." in page.read_text(encoding="utf-8")


def image_model(height: int, width: int, *, dense: bool = False) -> bytes:
    """Convolutions, a residual sum and a pool over everything; or one that needs its size."""
    make = Maker(11)
    x = make.input((1, height, width, 3))
    y = make.conv(x, 8, activation="RELU")
    z = make.binary("ADD", make.depthwise(y), y)
    if not dense:
        attrs = {"padding": "VALID", "fused_activation_function": "NONE"}
        attrs |= {"stride_h": 1, "stride_w": 1}
        attrs |= {"filter_height": z.shape[1], "filter_width": z.shape[2]}
        z = make.op("AVERAGE_POOL_2D", [z], make.tensor((1, 1, 1, 8), z.quant), attrs, 2)
    flat = make.reshape(z, (1, z.elements))
    return build_tflite(make.graph(make.fully_connected(flat, 4)))


def test_a_smaller_image_is_what_a_model_for_it_is() -> None:
    made = smaller_input(image_model(48, 64), "m", 50)
    assert made is not None
    data, size = made
    assert size == (24, 32)
    keep = CompileOptions(name="m", strip_names=True, drop_constant_channels=False)
    found = compile_model(data, "m", keep)
    expected = compile_model(image_model(24, 32), "m", keep)
    assert found.content.tensors[0].shape == (1, 24, 32, 3)
    assert found.report.arena_bytes == expected.report.arena_bytes
    assert found.report.macs == expected.report.macs
    assert [t.shape for t in found.content.tensors] == [t.shape for t in expected.content.tensors]


def test_images_that_cannot_be_smaller() -> None:
    assert smaller_input(image_model(48, 64, dense=True), "m", 50) is None
    assert smaller_input(image_model(12, 64), "m", 50) is None
    make = Maker(1)
    vector = make.input((1, 40))
    assert smaller_input(build_tflite(make.graph(make.fully_connected(vector, 4))), "m", 50) is None


def test_a_smaller_image_is_offered_where_no_option_suffices(tmp_path: Path) -> None:
    model = put(tmp_path, "image.tflite", image_model(48, 64))
    answer = ranvier("analyze", model, "--ram", "16K", "--json")
    offered = [o for o in answer.json["fit"]["alternatives"] if o["retrain"]]
    assert [o["options"].split(",")[0] for o in offered if o["fits"]] == ["an input of 24x32"]
    expected = compile_model(
        image_model(24, 32), "image.tflite", CompileOptions(isa="dsp", optimize="memory")
    )
    assert expected.report.ram_bytes < 16 << 10
