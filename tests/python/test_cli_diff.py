# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier diff``: what differs between two packages or models."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import stateful
from cli_tools import DIGITS, put, ranvier
from packages import deep_model, rich, rich_model
from ranvier.package.records import EntryRecord, IoMode, PackageContent
from ranvier.package.writer import write_package


def pair(folder: Path, a: bytes, b: bytes) -> tuple[Path, Path]:
    return put(folder, "a.rnv", a), put(folder, "b.rnv", b)


def diff(folder: Path, a: PackageContent, b: PackageContent) -> dict[str, Any]:
    """The JSON document; the exit code has to agree with it."""
    answer = ranvier("diff", *pair(folder, write_package(a), write_package(b)), "--json")
    value = answer.json
    assert answer.code == (0 if value["same"] else 1)
    return value


def figures(value: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What differs of the figures."""
    return {f["what"]: (f["a"], f["b"]) for f in value["figures"] if f["a"] != f["b"]}


def test_the_same(tmp_path: Path) -> None:
    paths = pair(tmp_path, rich().package, rich().package)
    answer = ranvier("diff", *paths)
    assert answer.code == 0
    assert f"are the same: {len(rich().content.ops)} layers" in answer.out
    assert ranvier("diff", *paths, "--quiet").both == ""
    value = ranvier("diff", *paths, "--json").json
    assert (value["same"], value["layers"], figures(value)) == (True, [], {})


def test_what_no_device_notices_is_the_same(tmp_path: Path) -> None:
    content = rich().content
    value = diff(tmp_path, content, replace(content, meta={**content.meta, "compiler": "other"}))
    assert value["same"]


@pytest.mark.parametrize("changed", [1, 3, 40])
def test_weights_are_counted(changed: int, tmp_path: Path) -> None:
    content = rich().content
    number = next(i for i, op in enumerate(content.ops) if len(op.weights) > 80)
    weights = bytearray(content.ops[number].weights)
    for i in range(changed):
        weights[-1 - i] ^= 0x55
    ops = list(content.ops)
    ops[number] = replace(ops[number], weights=bytes(weights))
    value = diff(tmp_path, content, replace(content, ops=tuple(ops)))
    (layer,) = value["layers"]
    assert (layer["a"], layer["b"], layer["weights"]) == (number, number, changed)
    assert value["weights_changed"] == changed
    assert value["same_layers"] == len(content.ops) - 1
    assert figures(value) == {}
    assert value["interface_same"]


def test_constant_operands_count_as_weights(tmp_path: Path) -> None:
    content = rich().content
    number = next(i for i, t in enumerate(content.tensors) if t.data and t.bytes == 4)
    tensors = list(content.tensors)
    tensors[number] = replace(
        tensors[number], data=bytes(b ^ 1 for b in tensors[number].data or b"")
    )
    value = diff(tmp_path, content, replace(content, tensors=tuple(tensors)))
    assert value["weights_changed"] == 4
    assert len(value["layers"]) == 1


def test_another_input_mode_is_another_interface(tmp_path: Path) -> None:
    paths = pair(tmp_path, rich(IoMode.RESIDENT).package, rich(IoMode.KEPT).package)
    answer = ranvier("diff", *paths)
    assert answer.code == 1
    assert "callers of A can call B" not in answer.out
    assert (
        "input mode: another one; callers of A have to give inputs to B another way" in answer.out
    )
    value = ranvier("diff", *paths, "--json").json
    assert not value["interface_same"]
    assert value["entries"] == []


def scaled(content: PackageContent, tensor: int) -> PackageContent:
    """With another quantisation of a tensor."""
    tensors = list(content.tensors)
    old = tensors[tensor]
    tensors[tensor] = replace(old, scale=old.scale * 2, zero_point=old.zero_point + 1)
    return replace(content, tensors=tuple(tensors))


def test_quantisation_of_a_layer_and_of_an_input(tmp_path: Path) -> None:
    content = rich().content
    inner = next(t for op in content.ops for t in op.outputs if t not in content.entries[0].outputs)
    value = diff(tmp_path, content, scaled(content, inner))
    (layer,) = value["layers"]
    assert "quantised" in layer["changes"][0]
    assert value["interface_same"]
    value = diff(tmp_path, content, scaled(content, content.entries[0].inputs[1]))
    assert value["layers"] == []
    (entry,) = value["entries"]
    assert "input 1 quantised" in entry["changes"][0]
    assert not value["interface_same"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda c: replace(c, name="other"), ["name"]),
        (lambda c: replace(c, version=(9, 0, 0)), ["version"]),
        (lambda c: replace(c, security_version=4), ["security version"]),
        (lambda c: replace(c, arena_bytes=c.arena_bytes + 64), ["RAM bytes", "arena bytes"]),
    ],
)
def test_one_figure(
    change: Callable[[PackageContent], PackageContent], what: list[str], tmp_path: Path
) -> None:
    value = diff(tmp_path, rich().content, change(rich().content))
    assert sorted(figures(value)) == sorted(what)
    assert value["layers"] == []


def test_labels(tmp_path: Path) -> None:
    content = rich().content
    other = replace(content, labels=(*content.labels[:2], "new", *content.labels[3:]))
    value = diff(tmp_path, content, other)
    assert value["labels"] == [f"label 2: {content.labels[2]} -> new"]
    value = diff(tmp_path, content, replace(content, labels=()))
    assert value["labels"] == [f"{len(content.labels)} -> 0 labels"]
    answer = ranvier("diff", tmp_path / "a.rnv", tmp_path / "b.rnv")
    assert f"{len(content.labels)} -> 0 labels" in answer.out


def test_state_is_kept_by_a_swap_or_not(tmp_path: Path) -> None:
    content = stateful.content(in_place=False)
    value = diff(tmp_path, content, content)
    assert (value["same"], value["state_kept"]) == (True, True)
    assert "keeps it" in value["state"]
    state = next(i for i, t in enumerate(content.tensors) if t.name == "state")
    other = stateful.sealed_state(scaled(content, state))
    value = diff(tmp_path, content, other)
    assert not value["state_kept"]
    assert "starts with zeros" in value["state"]
    value = diff(tmp_path, content, rich().content)
    assert "drops it" in value["state"]
    assert "only B has some" in diff(tmp_path, rich().content, content)["state"]


def test_entry_points(tmp_path: Path) -> None:
    content = stateful.content()
    first, second, third = content.entries
    renamed = EntryRecord("other", third.step_first, third.step_count, third.inputs, third.outputs)
    value = diff(tmp_path, content, replace(content, entries=(first, second, renamed)))
    assert value["entries"] == [
        {"name": "clear", "changes": ["not in B"]},
        {"name": "other", "changes": ["not in A"]},
    ]


def test_layers_that_one_lacks(tmp_path: Path) -> None:
    a = put(tmp_path, "a.tflite", rich_model())
    b = put(tmp_path, "b.tflite", deep_model())
    value = ranvier("diff", a, b, "--json").json
    counts = {f["what"]: (f["a"], f["b"]) for f in value["figures"]}["layers"]
    only = [[one for one in value["layers"] if one[side] is None] for side in ("b", "a")]
    both = counts[0] - len(only[0])
    assert both == counts[1] - len(only[1])
    assert both == value["same_layers"] + len(
        [one for one in value["layers"] if None not in (one["a"], one["b"])]
    )
    assert {tuple(one["changes"]) for one in only[0]} == {("only in A",)}
    answer = ranvier("diff", a, b)
    assert answer.code == 1
    assert "only in B" in answer.out


def test_a_model_is_compiled_as_the_package_was(tmp_path: Path) -> None:
    model = DIGITS / "digits.tflite"
    package = tmp_path / "d.rnv"
    options = ["--isa", "dsp", "--input", "resident"]
    assert ranvier("compile", model, *options, "-o", package, "--name", "x").code == 0
    for order in ([model, package], [package, model]):
        answer = ranvier("diff", *order, "--json")
        assert answer.code == 0, figures(answer.json)
        assert "name" not in [f["what"] for f in answer.json["figures"]]
    answer = ranvier("diff", model, package, "--isa", "base", "--json")
    assert answer.code == 1
    assert figures(answer.json)["instruction set"] == ("base", "dsp")
    unpacked = [one for one in answer.json["layers"] if one["weights"] is None]
    assert any("packed differently" in change for one in unpacked for change in one["changes"])


def test_a_model_has_the_labels_and_names_of_the_package(tmp_path: Path) -> None:
    model = put(tmp_path, "rich.tflite", rich_model())
    labelled = put(tmp_path, "rich.rnv", rich().package)
    answer = ranvier("diff", model, labelled, "--json")
    assert answer.code == 0, answer.json
    stripped = tmp_path / "s.rnv"
    assert ranvier("compile", model, "-o", stripped, "--strip-names", "--name", "model").code == 0
    assert ranvier("diff", stripped, model).code == 0
    assert ranvier("diff", stripped, labelled).code == 1


def test_copies_of_a_model_are_the_same_whatever_their_names(tmp_path: Path) -> None:
    a, b = put(tmp_path, "a.tflite", rich_model()), put(tmp_path, "other.tflite", rich_model())
    assert ranvier("diff", a, b).code == 0


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    content = rich().content
    evil = replace(content, labels=("\x1b[31mred", *content.labels[1:]))
    answer = ranvier("diff", *pair(tmp_path, write_package(content), write_package(evil)))
    assert "\x1b[31m" not in answer.both
    assert answer.code == 1


def test_wrong_usage_and_files(tmp_path: Path) -> None:
    a, b = pair(tmp_path, rich().package, rich().package)
    assert ranvier("diff", a).code == 2
    for option in ("--isa=dsp", "--optimize=speed", "--input=kept"):
        answer = ranvier("diff", a, b, option)
        assert answer.code == 2
        assert f"for models only: {option.split('=')[0]}" in answer.both
    assert ranvier("diff", a, tmp_path / "none.rnv").code == 3
    assert ranvier("diff", a, put(tmp_path, "bad.rnv", rich().package[:-5])).code == 3
