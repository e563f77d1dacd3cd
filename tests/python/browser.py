# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests, driven through the pipes of its DevTools protocol."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_SECONDS = 120.0


def chromium() -> str | None:
    """Where the browser is; None where there is none."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page; ``problems`` are what its console and its scripts complained of."""

    def __init__(self, reader: int, writer: int) -> None:
        self._reader, self._writer = reader, writer
        self._rest = b""
        self._count = 0
        self._session: str | None = None
        self.problems: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and wait for its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._writer, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                result: dict[str, Any] = answer["result"]
                return result

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reader], [], [], _SECONDS)
            data = os.read(self._reader, 1 << 16) if ready else b""
            assert data, "the browser says nothing"
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        params = message.get("params", {})
        if message.get("method") == "Log.entryAdded":
            self.problems.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(json.dumps(params["exceptionDetails"]))
        return message

    def open(self, url: str) -> None:
        """Go to a page and wait until its scripts have run."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script: str) -> None:
        """Until an expression is true."""
        end = time.monotonic() + _SECONDS
        while not self.ask(script):
            assert time.monotonic() < end, f"never: {script}"
            time.sleep(0.05)

    def choose(self, selector: str, *files: Path) -> None:
        """Choose files in a field, as a user does."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def point(self, selector: str) -> None:
        """Move the pointer onto the middle of an element."""
        x, y = self.ask(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            "return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        """Have a screen of this size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 640,
        )

    def dark(self, dark: bool) -> None:
        """Prefer dark colours, or light ones."""
        value = "dark" if dark else "light"
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": value}],
        )

    def picture(self, whole: bool = False) -> bytes:
        """The page as PNG: what the screen shows, or all of it."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        return base64.b64decode(shot["data"])


def _pipe() -> tuple[int, int]:
    """A pipe, whose ends are none of the descriptors of which programs know."""
    ends = os.pipe()
    reader, writer = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return reader, writer


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile in ``folder``; it ends with the block."""
    program = chromium()
    assert program is not None
    to_child, writer = _pipe()
    reader, from_child = _pipe()
    # The protocol is spoken through the file descriptors 3 and 4.
    start = (
        "import os, sys\n"
        f"os.dup2({to_child}, 3)\nos.dup2({from_child}, 4)\n"
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    command = [
        *(sys.executable, "-c", start),
        *(program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        *("--disable-dev-shm-usage", "--disable-extensions", "--hide-scrollbars"),
        *("--disable-background-networking", "--disable-component-update"),
        *("--remote-debugging-pipe", f"--user-data-dir={folder}"),
    ]
    process = subprocess.Popen(
        command,
        pass_fds=(to_child, from_child),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    os.close(to_child)
    os.close(from_child)
    try:
        page = Browser(reader, writer)
        yield page
    finally:
        os.close(writer)
        os.close(reader)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
