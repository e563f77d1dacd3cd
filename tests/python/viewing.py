# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Packages to look at, and a client for the server of ``ranvier view``."""

from __future__ import annotations

import base64
import json
import socket
import threading
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from cli_tools import DIGITS, ROOT
from packages import rich
from ranvier.cli.view import _samples, _values
from ranvier.compiler.driver import CompileOptions, compile_model
from ranvier.compiler.pipeline.options import pipeline_of, read_pipeline
from ranvier.compiler.report import analyze_package
from ranvier.model import Package
from ranvier.package.writer import write_package
from ranvier.report.analyze_page import Analysis
from ranvier.view.outcome import outcome_html
from ranvier.view.page import page_files
from ranvier.view.request import parse_request
from ranvier.view.runs import Loaders, Runner
from ranvier.view.server import Server

KEYWORDS, SHAPES = ROOT / "models" / "keywords", ROOT / "models" / "shapes"
HOSTILE = "</title><script>window.hacked = 1</script><img src=x onerror=alert(1)>&\"'\x1b\u202e"


@cache
def digits() -> bytes:
    model = (DIGITS / "digits.tflite").read_bytes()
    options = CompileOptions(labels=tuple("0123456789"))
    return compile_model(model, "digits.tflite", options).package


@cache
def compiled(folder: Path, pipeline: str) -> bytes:
    """A model of the repository with its sample's pipeline and its labels."""
    (model,) = folder.glob("*.tflite")
    labels = tuple((folder / "labels.txt").read_text(encoding="utf-8").split())
    stages = read_pipeline((ROOT / "samples" / pipeline).read_bytes(), pipeline)
    options = CompileOptions(labels=labels, pipeline=stages)
    return compile_model(model.read_bytes(), model.name, options).package


def keywords() -> bytes:
    return compiled(KEYWORDS, "keyword_spotting/keywords.toml")


@cache
def keywords_without_smoothing(*post: str) -> bytes:
    """The keywords with their front end and other stages; without any, each inference is scores."""
    labels = tuple((KEYWORDS / "labels.txt").read_text(encoding="utf-8").split())
    stages = pipeline_of(("audio:sample_rate=16000,hop_ms=20,window_ms=30",), post)
    options = CompileOptions(labels=labels, pipeline=stages)
    model = (KEYWORDS / "keywords.tflite").read_bytes()
    return compile_model(model, "keywords.tflite", options).package


def shapes() -> bytes:
    return compiled(SHAPES, "vision/shapes.toml")


def hostile() -> bytes:
    """A package with names and labels as nobody wants them."""
    content = rich().content
    tensors = tuple(replace(t, name=f"{HOSTILE}{i}") for i, t in enumerate(content.tensors))
    return write_package(replace(content, tensors=tensors, labels=(HOSTILE,)))


@contextmanager
def serving(server: Server) -> Iterator[Server]:
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def viewed(data: bytes, name: str = "model.rnv") -> Server:
    """What the command serves of a package."""
    package = Package(data, name)
    report = analyze_package(package.content, len(data))
    runner = Runner(package, Loaders(_values, _samples))
    files = page_files(Analysis(name, package.content, report), package, None)

    def run(body: bytes) -> str:
        return outcome_html(runner.run(parse_request(body)), report, package.labels)

    return Server(0, files, {"run": run})


class Reply:
    """An answer of the server."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def error(self) -> dict[str, Any]:
        """The error, in the form that all commands print with --json."""
        value = json.loads(self.body)
        assert value["schema"] == "ranvier.error/1"
        assert self.headers["Content-Type"] == "application/json"
        error: dict[str, Any] = value["error"]
        assert list(error) == ["type", "message", "remedy"]
        return error

    @property
    def html(self) -> ET.Element:
        """The part of a page, which is well-formed."""
        assert self.status == 200, self.body
        return ET.fromstring(f"<div>{self.body.decode()}</div>")


def ask(
    server: Server,
    path: str | None = None,
    method: str = "GET",
    body: bytes | None = None,
    **headers: str,
) -> Reply:
    """A request; ``path`` is after the secret, or whole where it begins with a slash."""
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    path = path or ""
    whole = path if path.startswith("/") else f"/{server.token}/{path}"
    try:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, whole, body, names)
        answer = connection.getresponse()
        return Reply(answer.status, dict(answer.getheaders()), answer.read())
    finally:
        connection.close()


def raw(server: Server, data: bytes) -> bytes:
    """What comes back for bytes that no client would send."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as link:
        link.sendall(data)
        link.shutdown(socket.SHUT_WR)
        found = b""
        while part := link.recv(1 << 16):
            found += part
    return found


def run(server: Server, kind: str, *files: tuple[str, bytes], **more: Any) -> Reply:
    sent = [{"name": n, "data": base64.b64encode(d).decode()} for n, d in files]
    body = json.dumps({"kind": kind, "files": sent, **more}).encode()
    return ask(server, "run", "POST", body)
