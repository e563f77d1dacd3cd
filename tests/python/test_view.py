# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier view``: the page, runs, the command; the server and a browser have their own files."""

from __future__ import annotations

import io
import re
import signal
import subprocess
import sys
import threading
import wave
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from http.client import HTTPConnection
from itertools import groupby
from pathlib import Path
from queue import Queue
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

import stateful
from cli_tools import DIGITS, ROOT, put, ranvier, rich_files, unsupported_model
from packages import rich
from page_rules import words
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.pipeline.options import pipeline_of
from ranvier.compiler.report import analyze_package
from ranvier.errors import InputError
from ranvier.model import Package
from ranvier.package.writer import write_package
from ranvier.profile import profile_host
from ranvier.report.analyze_page import Analysis
from ranvier.results import Detection
from ranvier.testing.validate import random_inputs
from ranvier.view.outcome import outcome_html
from ranvier.view.page import Recorded, view_html
from ranvier.view.request import parse_request
from ranvier.view.runs import Heard, Inferred, Listened
from ranvier.view.server import Server
from viewing import (
    HOSTILE,
    KEYWORDS,
    SHAPES,
    Reply,
    ask,
    digits,
    hostile,
    keywords,
    keywords_without_smoothing,
    run,
    serving,
    shapes,
    viewed,
)

# The page


PACKAGES: dict[str, Callable[[], bytes]] = {
    "digits": digits,
    "keywords": keywords,
    "shapes": shapes,
    "rich": lambda: rich().package,
    "stateful": lambda: write_package(stateful.content(in_place=False)),
    "hostile": hostile,
}


@pytest.mark.parametrize("name", list(PACKAGES))
def test_pages_are_well_formed_and_load_only_what_is_served(name: str) -> None:
    with serving(viewed(PACKAGES[name]())) as server:
        text = ask(server).body.decode()
        root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
        loaded = [e.get("src") or e.get("href") for e in root.iter() if e.tag in ("script", "link")]
        assert loaded == ["style.css", "view.js"]
        for path in loaded:
            assert ask(server, path).status == 200
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(set(ids)) == len(ids)
    for element in root.iter():
        assert element.tag not in ("img", "iframe", "object", "embed", "style")
        assert not [n for n in element.attrib if n.startswith("on")]
        named = (element.get("aria-labelledby") or element.get("aria-describedby") or "").split()
        assert set(named) <= set(ids)
    assert [words(a) for a in root.iterfind(".//nav/a")] == ["Model", "Memory", "Run", "Timeline"]
    for anchor in root.iterfind(".//nav/a"):
        assert (anchor.get("href") or "")[1:] in ids
    assert all(label.get("for") in ids for label in root.iter("label") if label.get("for"))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)


def test_every_layer_and_every_edge_is_drawn() -> None:
    package = Package(digits())
    with serving(viewed(digits())) as server:
        root = ET.fromstring(ask(server).body.decode().removeprefix("<!DOCTYPE html>\n"))
    (graph,) = (svg for svg in root.iter("svg") if svg.get("class") == "flow")
    told = [t.text or "" for t in graph.iter("title")]
    assert len([t for t in told if t.startswith("layer ")]) == len(package.content.ops)
    # A chain: an edge into each layer, and one to the output.
    edges = [p for p in graph.iter("path") if p.get("class") == "edge"]
    assert len(edges) == len(package.content.ops) + 1
    assert "int8[1x14x14x16]" in [t.text for t in graph.iter("text")]


def test_scripts_build_no_markup_from_text() -> None:
    text = (ROOT / "host/src/ranvier/view/static/view.js").read_text(encoding="utf-8")
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function", text
    )
    assert not re.search(r"https?:|//[a-z]", re.sub(r"^\s*// .*$", "", text, flags=re.MULTILINE))


def timeline_of(package: Package, recorded: Recorded | None) -> ET.Element:
    """The part of the page for a trace."""
    report = analyze_package(package.content, len(package.data))
    text = view_html(Analysis("x", package.content, report), package, recorded)
    root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    return next(e for e in root.iter("div") if e.get("id") == "timeline")


def test_a_trace_has_the_names_of_its_package_only() -> None:
    package, other = Package(digits()), Package(rich().package)
    recorded = Recorded("a/b.log", profile_host(package, random_inputs(package, 1, 0), 3))
    for shown, named in ((package, True), (other, False)):
        told = words(timeline_of(shown, recorded))
        assert "b.log: times of this host, not of a device" in told
        assert "3 jobs" in told or "of 3 jobs" in told
        assert ("Steps of digits" in told) == named
        assert ("CONV_2D_S8" in told) == named
        assert ("Steps have no names" in told) != named
    assert "ranvier prof dump" in words(timeline_of(package, None))


# What is asked for


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"kind": "other"}',
        b'{"kind": ["files"]}',
        b'{"kind": "files", "files": 1}',
        b'{"kind": "files", "files": ["x"]}',
        b'{"kind": "files", "files": [{"name": "x"}]}',
        b'{"kind": "files", "files": [{"name": 1, "data": ""}]}',
        b'{"kind": "files", "files": [{"name": "x", "data": "%%%%"}]}',
        b'{"kind": "files", "files": [{"name": "x", "data": "A"}]}',
        b'{"kind": "files", "files": [{"name": "x", "data": "\xc3\xa9"}]}',
        b'{"kind": "random", "seed": -1}',
        b'{"kind": "random", "seed": 4294967296}',
        b'{"kind": "random", "seed": 0.5}',
        b'{"kind": "random", "seed": true}',
        b'{"kind": "random", "seed": null}',
        b'{"kind": "random", "seed": 1e999}',
        b'{"kind": "random", "every": 0}',
        b'{"kind": "random", "scale": NaN}',
        b'{"kind": "random", "scale": "1"}',
        b'{"kind": "random", "offset": 1' + b"0" * 400 + b"}",
        b"[" * 100_000,
    ],
    ids=range(24),
)
def test_requests_that_make_no_sense(body: bytes) -> None:
    with pytest.raises(InputError) as caught:
        parse_request(body)
    assert caught.value.remedy


# Runs


def raws(answer: Reply) -> dict[str, int]:
    """The raw value of every label of the table of scores."""
    (found,) = (t for t in answer.html.iter("table") if "value" in words(t.find("thead")))
    rows = [[words(cell) for cell in row] for row in found.iterfind("tbody/tr")]
    return {row[0]: int(row[2]) for row in rows}


@pytest.mark.parametrize("digit", [0, 7])
def test_a_picture_gives_what_the_command_gives(digit: int, tmp_path: Path) -> None:
    path = DIGITS / "examples" / f"{digit}.png"
    package = put(tmp_path, "digits.rnv", digits())
    (expected,) = ranvier("run", package, "-i", path, "--json").json["outputs"]
    with serving(viewed(digits())) as server:
        answer = run(server, "files", (path.name, path.read_bytes()))
    assert raws(answer) == dict(zip("0123456789", expected["quantised"], strict=True))
    first = next(answer.html.iter("tbody"))
    assert words(first.find("tr/th")) == str(digit) == expected["label"]
    image = next(answer.html.iter("image")).get("href") or ""
    assert image.startswith("data:image/png;base64,")
    told = words(answer.html)
    assert f"Of {path.name}." in told
    assert "Time of each layer on this host" in told
    assert "Not a device's time" in told


def test_random_input_depends_on_the_seed_only() -> None:
    with serving(viewed(digits())) as server:
        images = [
            next(run(server, "random", seed=seed).html.iter("image")).get("href")
            for seed in (1, 1, 2)
        ]
    assert images[0] == images[1] != images[2]


def test_the_self_test_and_what_it_ran() -> None:
    package = Package(digits())
    golden = package.content.golden
    assert golden is not None
    with serving(viewed(digits())) as server:
        answer = run(server, "selftest")
    assert "passed" in words(answer.html)
    expected = np.frombuffer(golden.outputs, np.int8).tolist()
    assert [raws(answer)[str(i)] for i in range(10)] == expected


def test_a_self_test_that_fails() -> None:
    content = Package(digits()).content
    assert content.golden is not None
    wrong = bytes([content.golden.outputs[0] ^ 1]) + content.golden.outputs[1:]
    data = write_package(replace(content, golden=replace(content.golden, outputs=wrong)))
    with serving(viewed(data)) as server:
        assert "failed" in words(run(server, "selftest").html)


def test_a_package_without_self_test() -> None:
    data = write_package(replace(Package(digits()).content, golden=None))
    with serving(viewed(data)) as server:
        answer = run(server, "selftest")
    assert answer.status == 400
    assert "no self-test" in answer.error["message"]


def wav(samples: int, rate: int = 16000, channels: int = 1) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(2 * channels * samples))
    return buffer.getvalue()


def npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


BAD_FRAMES = {
    "short.raw": bytes(783),
    "empty.raw": b"",
    "large.png": (SHAPES / "examples" / "scene0.png").read_bytes(),
    "cut.png": (DIGITS / "examples" / "7.png").read_bytes()[:100],
    "not.png": b"nothing of the kind",
    "shape.npy": npy(np.zeros((28, 27))),
    "nan.npy": npy(np.full((28, 28), np.nan)),
    "text.npy": b"\x93NUMPY",
    "complex.npy": npy(np.zeros((28, 28), complex)),
    f"{HOSTILE}.png": b"x",
}
BAD_SOUNDS = {
    "rate.wav": wav(8000, 8000),
    "stereo.wav": wav(16000, channels=2),
    "empty.wav": wav(0),
    "cut.wav": wav(16000)[:-100],
    "not.wav": b"nothing of the kind",
    "odd.raw": bytes(321),
    "empty.raw": b"",
}


@pytest.mark.parametrize("name", [*BAD_FRAMES, *BAD_SOUNDS])
def test_bad_files_give_the_commands_errors(name: str, tmp_path: Path) -> None:
    sound = name in BAD_SOUNDS and name not in BAD_FRAMES
    data = (BAD_SOUNDS if sound else BAD_FRAMES)[name]
    bytes_ = keywords() if sound else digits()
    with serving(viewed(bytes_)) as server:
        answer = run(server, "files", (name, data))
        assert run(server, "random").status == 200  # and it goes on
    assert answer.status == 400
    ending = name.rpartition(".")[2]
    file = put(tmp_path, f"x.{ending}", data)
    expected = ranvier("run", put(tmp_path, "p.rnv", bytes_), "-i", file, "--json")
    assert expected.code == 3
    error = expected.json["error"]
    assert answer.error["type"] == error["type"]
    expected_message = error["message"].replace(str(file), name)
    place = r"0x[0-9a-f]+"  # of an object, in Pillow's own words
    assert re.sub(place, "", answer.error["message"]) == re.sub(place, "", expected_message)


def test_the_number_of_files_is_the_number_of_inputs() -> None:
    frame = (DIGITS / "examples" / "7.png").read_bytes()
    with serving(viewed(digits())) as server:
        for count in (0, 2):
            answer = run(server, "files", *[("7.png", frame)] * count)
            assert answer.status == 400
            assert f"{count} files" in answer.error["message"]
    with serving(viewed(keywords())) as server:
        answer = run(server, "files")
        assert answer.status == 400
        assert "0 files" in answer.error["message"]


@pytest.mark.parametrize("name", ["scene0.png", "camera0.png"])
def test_frames_for_the_stage_image(name: str, tmp_path: Path) -> None:
    """Objects, or the refusal of a picture of another size, are the command's."""
    path = SHAPES / "examples" / name
    package = put(tmp_path, "shapes.rnv", shapes())
    expected = ranvier("run", package, "-i", path, "--json")
    with serving(viewed(shapes())) as server:
        answer = run(server, "files", (name, path.read_bytes()))
    if expected.code:
        assert answer.error["message"] == expected.json["error"]["message"].replace(str(path), name)
        return
    objects = expected.json["objects"]
    labels = [(t.text or "") for t in answer.html.iter("text") if t.get("class") == "plate"]
    assert sorted(labels) == sorted(f"{o['label']} {o['score']:.2f}" for o in objects)


def test_boxes_are_where_the_objects_are() -> None:
    package = Package(digits())
    report = analyze_package(package.content, len(digits()))
    objects = (
        Detection(1, HOSTILE, 0.75, (5, 10, 15, 30)),
        Detection(0, "ball", 0.5, (0, 0, 20, 40)),
    )
    found = Inferred("x", np.zeros((20, 40, 3), np.uint8), (20, 40), (), objects, ())
    root = ET.fromstring(f"<div>{outcome_html(found, report, ())}</div>")
    (picture,) = root.iter("svg")
    assert picture.get("viewBox") == "0 0 480 240"  # 12 times as large
    sides = [
        tuple(float(r.get(n) or -1) for n in ("x", "y", "width", "height"))
        for r in picture.iter("rect")
        if "outline" in (r.get("class") or "")
    ]
    assert sides == [(0, 0, 480, 240), (120, 60, 240, 120)]
    rows = [[words(cell) for cell in row] for row in root.iterfind(".//tbody/tr")]
    assert [row[2] for row in rows[:2]] == ["5, 10, 15, 30", "0, 0, 20, 40"]
    assert "window.hacked" in rows[0][0]


def test_keywords_are_heard_as_the_command_hears_them(tmp_path: Path) -> None:
    path = KEYWORDS / "examples" / "stream.wav"
    package = put(tmp_path, "kw.rnv", keywords())
    answer = ranvier("run", package, "-i", path)
    assert answer.code == 0
    # A line for each event: seconds, label, score.
    lines = re.findall(r"^ *(\d+\.\d\d) +(\w+) +(\d\.\d{4})$", answer.out, re.MULTILINE)
    assert len(lines) >= 2
    with serving(viewed(keywords())) as server:
        found = run(server, "files", (path.name, path.read_bytes())).html
    (heard,) = (t for t in found.iter("table") if "recognised" in words(t.find("caption")))
    rows = [tuple(words(cell) for cell in row) for row in heard.iterfind("tbody/tr")]
    assert rows == lines
    waves = [p for p in found.iter("path") if p.get("class") == "wave"]
    assert len(waves) == 1


def test_inferences_that_agree_are_one_line(tmp_path: Path) -> None:
    """Without smoothing every inference says something."""
    path = KEYWORDS / "examples" / "stream.wav"
    data = keywords_without_smoothing()
    package = put(tmp_path, "kw.rnv", data)
    command = ("run", package, "-i", path, "--every", 5)
    rows = re.findall(r"^ *(\d+\.\d\d) +(\w+) +(\d\.\d{4})$", ranvier(*command).out, re.MULTILINE)
    assert len(rows) == 99
    groups = [list(group) for _, group in groupby(rows, key=lambda row: row[1])]
    expected = [
        (
            f"{float(group[0][0]) - 0.1:.2f} to {group[-1][0]}",
            group[0][1],
            max(score for _, _, score in group),
        )
        for group in groups
    ]
    with serving(viewed(data)) as server:
        found = run(server, "files", (path.name, path.read_bytes()), every=5).html
    (heard,) = (t for t in found.iter("table") if "recognised" in words(t.find("caption")))
    assert [tuple(words(cell) for cell in row) for row in heard.iterfind("tbody/tr")] == expected
    assert 5 < len(expected) < 99


def test_a_class_without_score_has_none(tmp_path: Path) -> None:
    """The stage argmax says which class it is, not how sure that is."""
    path = KEYWORDS / "examples" / "down.wav"
    data = keywords_without_smoothing("argmax")
    command = ("run", put(tmp_path, "kw.rnv", data), "-i", path, "--json")
    expected = [row["label"] for row in ranvier(*command).json["found"]]
    with serving(viewed(data)) as server:
        found = run(server, "files", (path.name, path.read_bytes())).html
    (heard,) = (t for t in found.iter("table") if "recognised" in words(t.find("caption")))
    rows = [[words(cell) for cell in row] for row in heard.iterfind("tbody/tr")]
    assert [label for label, _ in groupby(expected)] == [row[1] for row in rows]
    assert {row[2] for row in rows} == {"-"}
    titles = [words(title) for title in found.iter("title")]
    assert any(title.startswith("down") for title in titles)
    assert not any("score" in title for title in titles)


def test_a_class_that_was_counted_is_named() -> None:
    options = CompileOptions(labels=tuple("abcdefghij"), pipeline=pipeline_of((), ("argmax",)))
    model = (DIGITS / "digits.tflite").read_bytes()
    package = compile_model(model, "digits.tflite", options).package
    path = DIGITS / "examples" / "7.png"
    with serving(viewed(package)) as server:
        told = words(run(server, "files", (path.name, path.read_bytes())).html)
    assert "7: h" in told


def test_events_stand_where_they_were_heard() -> None:
    package = Package(digits())
    report = analyze_package(package.content, len(digits()))
    heard = (Heard(3000, 4000, "yes", 0, 0.9, True), Heard(4000, 6000, HOSTILE, 1, 0.8, False))
    sound = np.zeros(8000, np.int16)
    run_ = Listened("x", sound, 8000, 1000, 8, 0.1, heard, ())
    root = ET.fromstring(f"<div>{outcome_html(run_, report, ())}</div>")
    (line,) = (e for e in root.iter("line") if e.get("class") == "limit")
    assert float(line.get("x1") or 0) == pytest.approx(66 + 880 * 4000 / 8000, abs=0.01)
    band = [r for r in root.iter("rect") if (r.get("class") or "") == "block c1"]
    assert float(band[0].get("x") or 0) == pytest.approx(66 + 880 / 2, abs=0.01)
    assert float(band[0].get("width") or 0) == pytest.approx(880 / 4, abs=0.01)


def test_short_sound_is_a_result_without_inference() -> None:
    with serving(viewed(keywords())) as server:
        told = words(run(server, "files", ("x.wav", wav(100))).html)
    assert "in 0 inferences" in told
    assert "Nothing was recognised." in told


@pytest.mark.parametrize("name", list(PACKAGES))
def test_random_runs_of_all_packages(name: str) -> None:
    with serving(viewed(PACKAGES[name]())) as server:
        told = words(run(server, "random", seed=3).html)
    assert "Time of each layer on this host" in told


# The command


def test_wrong_usage_and_bad_files(tmp_path: Path) -> None:
    model, package = rich_files(tmp_path)
    assert ranvier("view").code == 2
    wrong = ranvier("view", package, "--isa", "dsp", "--input", "kept", "--no-browser")
    assert wrong.code == 2
    assert "is a package; for models only: --input, --isa" in wrong.both
    assert ranvier("view", package, "--port", 70000).code == 2
    assert ranvier("view", tmp_path / "none.rnv", "--no-browser").code == 3
    assert ranvier("view", put(tmp_path, "x.rnv", b"RNVM"), "--no-browser").code == 3
    assert ranvier("view", model, "--trace", package, "--no-browser").code == 3
    unsupported = put(tmp_path, "u.tflite", unsupported_model())
    answer = ranvier("view", unsupported, "--no-browser")
    assert answer.code == 1
    assert "cannot be executed" in answer.out


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    _, package = rich_files(tmp_path)
    with Server(0, {}, {}) as server:
        answer = ranvier("view", package, "--port", server.server_port, "--no-browser", "--json")
    assert answer.code == 3
    assert str(server.server_port) in answer.json["error"]["message"]


@pytest.mark.parametrize("as_json", [False, True])
def test_it_prints_the_address_and_ends_with_ctrl_c(as_json: bool, tmp_path: Path) -> None:
    """Of a model, with a pipeline: it is compiled."""
    command = [
        *(sys.executable, "-c", "from ranvier.cli import main; main()", "view"),
        *(str(DIGITS / "digits.tflite"), "--isa", "dsp", "--post", "top_k:k=2", "--no-browser"),
        *(["--json"] if as_json else []),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background of a shell have it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert process.stdout is not None
        line = ""
        while "http://" not in line:
            line = process.stdout.readline()
            assert line, process.communicate()
        (url,) = re.findall(r"http://[^\"\s]+", line)
        parts = urlsplit(url)
        connection = HTTPConnection("127.0.0.1", parts.port or 0, timeout=20)
        connection.request("GET", parts.path)
        page = connection.getresponse().read().decode()
        assert "TOP_K" in page
        assert "dsp kernels" in page
        assert "What each goal would cost" in page
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize("wanted", [True, False])
def test_it_opens_a_browser_unless_told_not_to(
    wanted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: Queue[str] = Queue()
    monkeypatch.setattr("webbrowser.open", opened.put)
    serve_forever = Server.serve_forever

    def interrupted(server: Server) -> None:
        """Serve for a moment, as if Ctrl-C came then."""
        thread = threading.Thread(target=serve_forever, args=(server, 0.01), daemon=True)
        thread.start()
        if wanted:
            opened.put(opened.get(timeout=20))
        server.shutdown()
        thread.join()
        raise KeyboardInterrupt

    monkeypatch.setattr(Server, "serve_forever", interrupted)
    _, package = rich_files(tmp_path)
    answer = ranvier("view", package, *([] if wanted else ["--no-browser"]))
    assert answer.code == 0
    assert opened.qsize() == int(wanted)
    if wanted:
        assert opened.get() in answer.out


def test_the_picture_in_the_docs_is_small() -> None:
    assert (ROOT / "docs" / "images" / "view.png").stat().st_size < 200_000
