# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A web server for one page on this machine, which nobody else can talk to.

It listens on the loopback address. Every path begins with a secret, so that neither other users nor
other sites in the browser can ask for anything, and requests for another host's name are refused,
so that no name that is made to point here (DNS rebinding) helps.
"""

from __future__ import annotations

import hmac
import json
import secrets
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from ranvier._version import __version__
from ranvier.errors import InputError, RanvierError

ADDRESS = "127.0.0.1"
MOST_BYTES = 64 << 20
"""Larger requests are refused."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_JSON = "application/json"


@dataclass(frozen=True)
class File:
    """What a path gives: a type (MIME) and bytes."""

    kind: str
    data: bytes


Action = Callable[[bytes], str]
"""Answers the body of a request with HTML; raises RanvierError for what cannot be done."""


class Server(ThreadingHTTPServer):
    """Gives ``files`` to GET and asks ``actions`` at POST, by paths after the secret.

    Raises :class:`InputError` where the port cannot be used; 0 is any that is free.
    """

    daemon_threads = True

    def __init__(self, port: int, files: Mapping[str, File], actions: Mapping[str, Action]) -> None:
        self.files = dict(files)
        self.actions = dict(actions)
        self.token = secrets.token_urlsafe(16)
        try:
            super().__init__((ADDRESS, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"port {port} cannot be used: {reason}", "leave --port out: a free one is taken"
            ) from None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{ADDRESS}:{self.server_port}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Browsers may go away whenever they like; anything else is told."""
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Refusal(Exception):
    """What a request is refused with."""

    def __init__(self, status: HTTPStatus, message: str, remedy: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.remedy = status, message, remedy


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version = f"ranvier/{__version__}"
    sys_version = ""
    timeout = 30
    """Seconds that a browser may take to say what it wants."""

    def do_GET(self) -> None:
        """Give a file."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Do something."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the terminal is the user's."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the base class refuses: the same form as all other errors."""
        status = HTTPStatus(code)
        self._refuse(_Refusal(status, message or status.phrase))

    def _answer(self, what: Callable[[], tuple[str, bytes]]) -> None:
        try:
            self._check_host()
            kind, data = what()
        except _Refusal as refusal:
            self._refuse(refusal)
        except RanvierError as error:
            self._send(HTTPStatus.BAD_REQUEST, _JSON, _error(error))
        else:
            self._send(HTTPStatus.OK, kind, data)

    def _refuse(self, refusal: _Refusal) -> None:
        """Answer with an error and hang up: what is left of the request is not read."""
        self.close_connection = True
        error = RanvierError(refusal.message, refusal.remedy)
        self._send(refusal.status, _JSON, _error(error))

    def _check_host(self) -> None:
        port = self.server.server_port
        hosts = self.headers.get_all("Host", [])
        if hosts not in ([f"{ADDRESS}:{port}"], [f"localhost:{port}"]):
            raise _Refusal(HTTPStatus.FORBIDDEN, "another host was asked for", self._where())

    def _name(self) -> str:
        """The path after the secret."""
        parts = urlsplit(self.path).path.split("/", 2)
        known = len(parts) == 3 and hmac.compare_digest(
            parts[1].encode(), self.server.token.encode()
        )
        if not known:
            raise _Refusal(HTTPStatus.FORBIDDEN, "the address lacks the secret", self._where())
        return parts[2]

    @staticmethod
    def _where() -> str:
        return "open the address that ranvier view printed"

    def _get(self) -> tuple[str, bytes]:
        name = self._name()
        file = self.server.files.get(name)
        if file is None:
            if name in self.server.actions:
                raise _Refusal(HTTPStatus.METHOD_NOT_ALLOWED, f"{name} takes POST only")
            raise _Refusal(HTTPStatus.NOT_FOUND, "there is no such page", self._where())
        return file.kind, file.data

    def _post(self) -> tuple[str, bytes]:
        name = self._name()
        action = self.server.actions.get(name)
        if action is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, "nothing can be done there", self._where())
        origin = self.headers.get("Origin")
        if origin is not None and origin != f"http://{self.headers['Host']}":
            raise _Refusal(HTTPStatus.FORBIDDEN, "another site asked", self._where())
        return "text/html; charset=utf-8", action(self._body()).encode()

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length")
        if length is None or "Transfer-Encoding" in self.headers:
            raise _Refusal(HTTPStatus.LENGTH_REQUIRED, "the request does not say how long it is")
        if not (length.isascii() and length.isdigit()):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the request's length is no number")
        if len(length) > 12 or int(length) > MOST_BYTES:
            raise _Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the files are larger than {MOST_BYTES * 3 // 4 >> 20} MiB",
                "use ranvier run for large files",
            )
        data = self.rfile.read(int(length))
        if len(data) != int(length):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the request ended early")
        return data

    def _send(self, status: HTTPStatus, kind: str, data: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


def _error(error: RanvierError) -> bytes:
    """An error as the command prints it with --json."""
    value = {"type": type(error).__name__, "message": error.message, "remedy": error.remedy}
    if type(error) is RanvierError:
        value["type"] = "RequestError"
    return json.dumps({"schema": "ranvier.error/1", "error": value}).encode()
