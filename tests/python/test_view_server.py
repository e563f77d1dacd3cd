# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The server of ``ranvier view``: what it answers, and all that it refuses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ranvier.view.server import MOST_BYTES, File, Server
from viewing import ask, raw, serving


@pytest.fixture
def plain() -> Iterator[Server]:
    files = {"": File("text/html", b"page"), "style.css": File("text/css", b"style")}

    def shout(body: bytes) -> str:
        return body.decode().upper()

    with serving(Server(0, files, {"run": shout})) as server:
        yield server


def test_known_paths_are_answered(plain: Server) -> None:
    assert plain.server_address[0] == "127.0.0.1"
    assert (ask(plain).body, ask(plain).headers["Content-Type"]) == (b"page", "text/html")
    assert ask(plain, "style.css?x=1").body == b"style"
    assert ask(plain, "run", "POST", b"abc").body == b"ABC"
    host = f"localhost:{plain.server_port}"
    assert ask(plain, Host=host).body == b"page"
    assert ask(plain, "run", "POST", b"x", Host=host, Origin=f"http://{host}").body == b"X"
    assert plain.url == f"http://127.0.0.1:{plain.server_port}/{plain.token}/"


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 403),
        ("/style.css", 403),
        ("//style.css", 403),
        ("/wrong/", 403),
        ("/wrong/style.css", 403),
        ("/%C3%A9/", 403),
        ("other", 404),
        ("static/view.js", 404),
        ("../style.css", 404),
        ("style.css/", 404),
        ("/etc/passwd", 403),
        ("../../../../etc/passwd", 404),
        ("..%2f..%2f..%2fetc/passwd", 404),
        ("run", 405),
    ],
)
def test_other_paths_are_refused(plain: Server, path: str, status: int) -> None:
    answer = ask(plain, path)
    assert answer.status == status
    assert answer.error["message"]


def test_the_secret_is_another_one_each_time() -> None:
    with Server(0, {}, {}) as one, Server(0, {}, {}) as other:
        assert one.token != other.token
        assert min(len(one.token), len(other.token)) >= 20


def test_a_part_of_the_secret_is_not_enough(plain: Server) -> None:
    assert ask(plain, f"/{plain.token[:-1]}/").status == 403
    assert ask(plain, f"/{plain.token}x/").status == 403
    assert ask(plain, f"/{plain.token}").status == 403


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost", "evil.example:{}", ""])
def test_other_hosts_are_refused(plain: Server, host: str) -> None:
    """A name that was made to point here does not help, not even with the secret."""
    name = host.format(plain.server_port)
    for answer in (ask(plain, Host=name), ask(plain, "run", "POST", b"x", Host=name)):
        assert answer.status == 403
        assert "host" in answer.error["message"]


def test_two_hosts_and_none_are_refused(plain: Server) -> None:
    path = f"/{plain.token}/".encode()
    right = b"Host: 127.0.0.1:%d\r\n" % plain.server_port
    assert b" 200 " in raw(plain, b"GET %s HTTP/1.1\r\n%s\r\n" % (path, right))[:20]
    for hosts in (right + right, b"", right + b"Host: evil.example\r\n"):
        assert b" 403 " in raw(plain, b"GET %s HTTP/1.1\r\n%s\r\n" % (path, hosts))[:20]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{}"])
def test_other_origins_are_refused(plain: Server, origin: str) -> None:
    answer = ask(plain, "run", "POST", b"x", Origin=origin.format(plain.server_port))
    assert answer.status == 403
    assert "site" in answer.error["message"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "HEAD"])
def test_other_methods_are_refused(plain: Server, method: str) -> None:
    answer = ask(plain, "", method)
    assert answer.status == 501
    assert answer.body == b"" if method == "HEAD" else answer.error
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_files_take_no_post(plain: Server) -> None:
    assert ask(plain, "style.css", "POST", b"x").status == 404
    assert ask(plain, "", "POST", b"x").status == 404


def post(server: Server, more: bytes, body: bytes = b"") -> bytes:
    """The answer to a hand-written POST."""
    head = f"POST /{server.token}/run HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
    return raw(server, head.encode() + more + b"\r\n" + body)


def test_bodies_have_a_length_within_the_limit(plain: Server) -> None:
    assert b" 200 " in post(plain, b"Content-Length: 3\r\n", b"abc")[:20]
    assert b" 411 " in post(plain, b"", b"abc")[:20]
    chunked = b"Transfer-Encoding: chunked\r\n"
    assert b" 411 " in post(plain, chunked, b"3\r\nabc\r\n0\r\n\r\n")[:20]
    assert b" 411 " in post(plain, chunked + b"Content-Length: 3\r\n", b"abc")[:20]
    for length in (b"-1", b"x", b"", b"1e3", b"+3", b"\xb2"):
        assert b" 400 " in post(plain, b"Content-Length: " + length + b"\r\n", b"abc")[:20], length
    for large in (MOST_BYTES + 1, 10**12, 10**40):
        answer = post(plain, b"Content-Length: %d\r\n" % large, b"abc")
        assert b" 413 " in answer[:20]
        assert b"Connection: close" in answer
    assert b"ended early" in post(plain, b"Content-Length: 9\r\n", b"abc")


def test_requests_that_are_none(plain: Server) -> None:
    assert b"ranvier.error/1" in raw(plain, b"nonsense and more of it here\r\n\r\n")
    assert b"414" in raw(plain, b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n")
    assert b"431" in raw(plain, b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n")
    assert ask(plain).body == b"page"


def test_every_answer_has_the_strict_headers(plain: Server) -> None:
    for answer in (ask(plain), ask(plain, "no"), ask(plain, "/"), ask(plain, "run", "POST", b"x")):
        rules = dict(
            rule.split(" ", 1) for rule in answer.headers["Content-Security-Policy"].split("; ")
        )
        assert rules.pop("default-src") == "'none'"
        assert rules.pop("style-src-attr") == "'unsafe-inline'"  # the bars' widths
        assert rules.pop("img-src") == "data:"
        assert {rules[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
        assert {rules[name] for name in ("base-uri", "form-action", "frame-ancestors")} == {
            "'none'"
        }
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert "Python" not in answer.headers["Server"]
