# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier view`` in a headless Chromium: what a user sees and does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browser import Browser, browser, chromium
from cli_tools import DIGITS
from ranvier.model import Package
from ranvier.package.writer import write_package
from ranvier.view.server import Server
from viewing import HOSTILE, KEYWORDS, digits, hostile, keywords, serving, viewed

pytestmark = pytest.mark.skipif(
    chromium() is None, reason="no chromium here (Debian: apt install chromium)"
)

TABS = ("model", "memory", "run", "timeline")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture
def page(started: Browser) -> Browser:
    """A page of usual size; what earlier tests complained of is forgotten."""
    started.problems.clear()
    started.resize(1100, 800)
    started.dark(False)
    return started


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(viewed(digits(), "digits.rnv")) as found:
        yield found


def click(page: Browser, selector: str) -> None:
    page.ask(f"document.querySelector({selector!r}).click()")


def run(page: Browser, kind: str) -> None:
    """Press a button and wait for the answer."""
    click(page, f"button[value={kind}]")
    page.wait("!document.querySelector('#run-form button').disabled")


def visible(page: Browser) -> list[str]:
    """The parts that are shown."""
    found: list[str] = page.ask(
        "[...document.querySelectorAll('.panel')].filter(p => p.offsetHeight > 0).map(p => p.id)"
    )
    return found


def text(page: Browser, selector: str) -> str:
    found: str = page.ask(f"document.querySelector({selector!r}).innerText")
    return found


def test_a_picture_from_choice_to_answer(page: Browser, server: Server) -> None:
    page.open(server.url)
    assert page.ask("document.title") == "digits - ranvier view"
    click(page, "#tab-run")
    assert visible(page) == ["run"]
    page.choose("#file0", DIGITS / "examples" / "7.png")
    run(page, "files")
    assert text(page, "#status") == "done"
    assert text(page, "#result tbody th") == "7"
    drawn = "document.querySelector('svg.picture image')"
    assert page.ask(f"{drawn}.getBoundingClientRect().width") > 100
    assert page.ask(f"document.createElement('img').decode.call(Object.assign(new Image(), "
                    f"{{src: {drawn}.href.baseVal}})).then(() => 'seen')") == "seen"  # fmt: skip
    assert page.problems == []


def test_an_error_and_what_to_try(page: Browser, server: Server, tmp_path: Path) -> None:
    bad = tmp_path / "x.raw"
    bad.write_bytes(bytes(783))
    page.open(f"{server.url}#run")
    run(page, "random")
    assert text(page, "#result h2") == "Result"
    page.choose("#file0", bad)
    run(page, "files")
    told = text(page, "#error")
    assert "783 bytes" in told
    assert "try: " in told
    assert page.ask("document.querySelector('#result').childNodes.length") == 0
    run(page, "selftest")
    assert not page.ask("document.querySelector('#error').offsetHeight")
    assert "passed" in text(page, "#result")


def test_a_file_that_is_dropped_is_run(page: Browser, server: Server) -> None:
    page.open(f"{server.url}#run")
    page.ask(
        "(() => { const data = new DataTransfer(); data.items.add(new File("
        "[new Uint8Array(784)], 'black.raw')); document.querySelector('#drop').dispatchEvent("
        "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); })()"
    )
    page.wait("document.querySelector('#status').textContent === 'done'")
    assert "black.raw" in text(page, "#result")


def test_tabs_by_keys_and_by_address(page: Browser, server: Server) -> None:
    page.open(server.url)
    assert visible(page) == ["model"]
    page.ask("document.querySelector('#tab-model').focus()")
    for expected in (*TABS[1:], "model"):
        page.press("ArrowRight")
        assert visible(page) == [expected]
        assert page.ask("document.activeElement.id") == f"tab-{expected}"
    page.press("End")
    assert visible(page) == ["timeline"]
    page.ask("history.back()")
    page.wait("location.hash !== '#timeline'")
    assert visible(page) == ["model"]
    page.open("about:blank#other")
    page.open(f"{server.url}#memory")
    assert visible(page) == ["memory"]
    chosen = "[...document.querySelectorAll('[role=tab][aria-selected=true]')].map(t => t.id)"
    assert page.ask(chosen) == ["tab-memory"]


def test_charts_tell_what_is_pointed_at(page: Browser, server: Server) -> None:
    page.open(f"{server.url}#memory")
    place = "#memory section:nth-of-type(2)"
    page.point(f"{place} g .block.c2")  # layer 2 is the only one of this colour that is large
    assert "CONV_2D" in text(page, f"{place} .readout")
    assert "arena, bytes" in text(page, f"{place} .readout")
    page.ask(f"document.querySelector('{place} .scroll').focus()")
    page.press("ArrowRight")
    after = text(page, f"{place} .readout")
    page.press("ArrowLeft")
    assert after != text(page, f"{place} .readout")
    assert page.ask("document.querySelectorAll('#memory .chosen').length") == 1


def test_sound(page: Browser) -> None:
    with serving(viewed(keywords())) as server:
        page.open(f"{server.url}#run")
        page.choose("#file0", KEYWORDS / "examples" / "stream.wav")
        run(page, "files")
        assert text(page, "#status") == "done"
        assert page.ask("document.querySelector('#result .wave').getBBox().height") > 10
        assert page.ask("document.querySelectorAll('#result svg .limit').length") >= 2
        assert page.problems == []


def test_names_do_nothing(page: Browser, tmp_path: Path) -> None:
    """Neither those of tensors and labels, nor those of files."""
    package = Package(hostile())
    file = tmp_path / (HOSTILE.replace("/", "|").replace("\x1b", "") + ".npy")
    file.write_bytes(b"x")
    with serving(viewed(hostile(), HOSTILE)) as server:
        page.open(f"{server.url}#run")
        run(page, "random")
        for number in range(len(package.inputs)):
            page.choose(f"#file{number}", file)
        run(page, "files")
        assert "window.hacked" in text(page, "#error")
        for tab in TABS:
            click(page, f"#tab-{tab}")
        assert page.ask("window.hacked") is None
        assert page.ask("document.querySelectorAll('img, body script').length") == 0
    with serving(viewed(write_package(replace(Package(digits()).content, labels=(HOSTILE,) * 10)))) as other:  # noqa: E501  # fmt: skip
        page.open(f"{other.url}#run")
        run(page, "random")
        assert "window.hacked" in text(page, "#result tbody th")
        assert page.ask("window.hacked") is None


def test_the_policy_stops_scripts_and_requests_elsewhere(page: Browser, server: Server) -> None:
    page.open(server.url)
    page.ask(
        "document.head.append(Object.assign(document.createElement('script'), "
        "{textContent: 'window.hacked = 1'}))"
    )
    assert page.ask("window.hacked") is None
    with serving(viewed(digits())) as other:
        failed = f"fetch({other.url!r}, {{mode: 'no-cors'}}).then(() => 'sent', () => 'stopped')"
        assert page.ask(failed) == "stopped"
    assert any("Content Security Policy" in problem for problem in page.problems)


@pytest.mark.parametrize("width", [320, 390, 1400])
def test_every_width(page: Browser, server: Server, width: int) -> None:
    """Nothing sticks out of the page; what is wider scrolls in itself."""
    page.resize(width, 800)
    page.open(f"{server.url}#run")
    run(page, "random")
    for tab in TABS:
        click(page, f"#tab-{tab}")
        assert page.ask("document.documentElement.scrollWidth") <= width, tab


def test_light_and_dark(page: Browser, server: Server) -> None:
    page.open(server.url)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.ask(ground)
    page.dark(True)
    assert page.ask(ground) != light
