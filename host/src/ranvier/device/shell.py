# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""A device's shell: commands with their return codes, and scripts that expect and send."""

from __future__ import annotations

import codecs
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ranvier.device.errors import NoAnswerError
from ranvier.device.transport import Link
from ranvier.errors import InputError, RanvierError

DEFAULT_PROMPT = r"[\w.-]*:~\$ ?"
_ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[78c])")
_HALF_ESCAPE = re.compile(r"\x1b(\[[0-9;?]{0,32})?$")
_CODE = re.compile(r"^\s*(-?\d+)\s*$", re.MULTILINE)
_KEPT = 1 << 16
_WRITE_S = 5.0
_WORDS = ("timeout", "send", "expect", "run")


@dataclass(frozen=True)
class Result:
    """A command's output and return code; None where the device's shell does not tell it."""

    command: str
    output: str
    code: int | None


@dataclass(frozen=True)
class Step:
    """A line of a script: ``word`` is timeout, send, expect or run."""

    line: int
    word: str
    text: str


class ScriptError(RanvierError):
    """A script came to nothing; ``code`` is that of the device's command, or 1."""

    def __init__(self, message: str, code: int, remedy: str | None = None) -> None:
        super().__init__(message, remedy)
        self.code = code


class Shell:
    """A session with a device's shell over a link. ``show`` receives what the device prints."""

    def __init__(
        self, link: Link, prompt: str = DEFAULT_PROMPT, show: Callable[[str], None] | None = None
    ) -> None:
        self._link = link
        self._prompt = _pattern(rf"(?:^|\n)(?:{prompt})$")
        self._show = show or (lambda text: None)
        self._seen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._half = ""  # of a control sequence, whose rest is still to come

    def wake(self, timeout_s: float) -> None:
        """Wait for the prompt, after an empty line."""
        self.send("")
        self._until(self._prompt, timeout_s, "its prompt")
        self._seen = ""

    def send(self, text: str) -> None:
        """Send a line."""
        if not self._link.write(text.encode() + b"\n", _WRITE_S):
            raise NoAnswerError(f"{self._link.address}: the device takes no characters")

    def expect(self, pattern: str, timeout_s: float) -> str:
        """Wait for a regular expression in what was printed; what it matched."""
        found = self._until(_pattern(pattern), timeout_s, repr(pattern))
        self._seen = self._seen[found.end() :]
        return found.group()

    def run(self, command: str, timeout_s: float) -> Result:
        """Run a command to its end, and ask for its code by the shell's ``retval``."""
        output = self._command(command, timeout_s)
        self._show(output)
        told = self._command("retval", timeout_s)
        code = _CODE.search(told)
        return Result(command, output, int(code.group(1)) if code else None)

    def _command(self, command: str, timeout_s: float) -> str:
        """What a command prints: without its echo, and without the prompt after it."""
        self._seen = ""
        self.send(command)
        found = self._until(self._prompt, timeout_s, f"the end of {command!r}")
        text = self._seen[: found.start()]
        self._seen = ""
        head, _, rest = text.partition("\n")
        echoed = head.rstrip().endswith(command.rstrip())
        text = rest if echoed else text
        return text if not text or text.endswith("\n") else text + "\n"

    def _until(self, pattern: re.Pattern[str], timeout_s: float, what: str) -> re.Match[str]:
        end = time.monotonic() + timeout_s
        while (found := pattern.search(self._seen)) is None:
            left = end - time.monotonic()
            if left <= 0:
                raise NoAnswerError(
                    f"{self._link.address}: waited {timeout_s:g} s for {what}",
                    remedy=f"the last that came: {self._seen[-200:]!r}; --timeout allows more",
                )
            self._seen = (self._seen + self._clean(self._link.read(left)))[-_KEPT:]
        return found

    def _clean(self, data: bytes) -> str:
        """Text without control sequences, with plain line ends; what came may end anywhere."""
        text = _ESCAPES.sub("", self._half + self._decoder.decode(data))
        half = _HALF_ESCAPE.search(text)
        self._half = half.group() if half else ""
        return text[: len(text) - len(self._half)].replace("\r", "")


def read_script(text: str, source: str) -> list[Step]:
    """The steps of a script; :class:`InputError` names the line that is none.

    Lines are ``send TEXT``, ``expect REGEX``, ``run COMMAND`` (its code is to be 0) and ``timeout
    SECONDS`` for those that follow; empty lines and those that begin with # are passed over.
    """
    steps = []
    for number, line in enumerate(text.splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        rest = rest.strip()
        if not word or word.startswith("#"):
            continue
        if word not in _WORDS:
            raise InputError(
                f"{source}:{number}: {word!r} is not a step of a script",
                remedy=f"a line begins with one of {', '.join(_WORDS)}",
            )
        if word == "timeout" and not re.fullmatch(r"\d+(\.\d+)?", rest):
            raise InputError(f"{source}:{number}: timeout {rest!r} is not a number of seconds")
        if word == "expect":
            _pattern(rest, f"{source}:{number}: ")
        steps.append(Step(number, word, rest))
    return steps


def play(shell: Shell, steps: Sequence[Step], timeout_s: float, source: str) -> None:
    """Go through a script; :class:`ScriptError` names the line that came to nothing."""
    for step in steps:
        where = f"{source}:{step.line}: "
        if step.word == "timeout":
            timeout_s = float(step.text)
        elif step.word == "send":
            shell.send(step.text)
        elif step.word == "expect":
            try:
                shell.expect(step.text, timeout_s)
            except NoAnswerError as error:
                raise ScriptError(f"{where}{error.message}", 1, error.remedy) from None
        else:
            try:
                code = shell.run(step.text, timeout_s).code
            except NoAnswerError as error:
                raise ScriptError(f"{where}{error.message}", 1, error.remedy) from None
            if code:
                raise ScriptError(f"{where}{step.text!r} returned {code}", exit_code(code))


def exit_code(code: int | None) -> int:
    """A device's return code as that of a process: its size, 1 where that does not fit."""
    if not code:
        return 0
    return abs(code) if abs(code) < 126 else 1


def _pattern(text: str, where: str = "") -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise InputError(
            f"{where}{text!r} is not a regular expression: {error}",
            remedy="put a \\ before each of . * + ? ( ) [ ] that means itself",
        ) from None
