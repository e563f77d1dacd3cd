# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""``ranvier shell`` against a shell on a pseudo terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli_tools import ranvier
from fake_shell import FakeShell
from ranvier.device.shell import Shell, exit_code, read_script
from ranvier.device.transport import open_link
from ranvier.errors import InputError

COMMAND = [sys.executable, "-c", "from ranvier.cli import main; main()"]
ANSWERS = {
    "ranvier models": ("slot 0: digits\nslot 1: none\n", 0),
    "ranvier run 9": ("no such model\n", -2),
    "quiet": ("", 0),
    "no end": ("text without a line's end", 0),
}


def test_commands_and_their_output() -> None:
    with FakeShell(ANSWERS) as device:
        answer = ranvier(
            "shell", "-p", device.address, "-c", "ranvier models", "-c", "quiet", "-c", "no end"
        )
    assert answer.out == "slot 0: digits\nslot 1: none\ntext without a line's end\n"
    assert answer.code == 0


def test_the_exit_code_is_the_command_s() -> None:
    with FakeShell(ANSWERS) as device:
        answer = ranvier(
            "shell", "-p", device.address, "-c", "quiet", "-c", "ranvier run 9", "-c", "quiet"
        )
        assert device.commands.count("quiet") == 1
    assert answer.code == 2
    assert answer.out == "no such model\n"


def test_json() -> None:
    with FakeShell(ANSWERS) as device:
        answer = ranvier("shell", "-p", device.address, "-c", "ranvier run 9", "--json")
    assert answer.code == 2
    assert answer.json["commands"] == [
        {"command": "ranvier run 9", "output": "no such model\n", "code": -2}
    ]


def test_an_unknown_command() -> None:
    with FakeShell(ANSWERS) as device:
        answer = ranvier("shell", "-p", device.address, "-c", "nothing")
    assert (answer.code, answer.out) == (8, "nothing: command not found\n")


def test_a_shell_without_retval() -> None:
    with FakeShell(ANSWERS, retval=False) as device:
        answer = ranvier("shell", "-p", device.address, "-c", "quiet")
    assert answer.code == 0
    assert "no `retval`" in answer.both


def test_control_characters_of_a_device_do_not_reach_the_terminal() -> None:
    with FakeShell({"evil": ("\x1b]0;title\x07\x1b[2Jtext\x00\n", 0)}) as device:
        answer = ranvier("shell", "-p", device.address, "-c", "evil")
    assert "\x1b" not in answer.out
    assert "\x07" not in answer.out
    assert "text" in answer.out


@pytest.mark.parametrize(("code", "process"), [(0, 0), (None, 0), (-2, 2), (125, 125), (-300, 1)])
def test_codes(code: int | None, process: int) -> None:
    assert exit_code(code) == process


def script(folder: Path, *lines: str) -> Path:
    path = folder / "steps.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_script(tmp_path: Path) -> None:
    path = script(
        tmp_path,
        "# a comment",
        "",
        "timeout 5",
        "send ranvier models",
        r"expect slot (\d): digits",
        "expect slot 1",
        r"expect ~\$",
        "run quiet",
    )
    with FakeShell(ANSWERS) as device:
        answer = ranvier("shell", "-p", device.address, "--script", path)
    assert (answer.code, answer.both) == (0, "")


def test_a_script_that_waits_in_vain(tmp_path: Path) -> None:
    path = script(tmp_path, "timeout 0.2", "send quiet", "expect never")
    with FakeShell(ANSWERS) as device:
        answer = ranvier("shell", "-p", device.address, "--script", path)
    assert answer.code == 1
    assert f"{path}:3: " in answer.both
    assert "waited 0.2 s for 'never'" in answer.both


def test_what_was_expected_is_not_expected_again(tmp_path: Path) -> None:
    path = script(tmp_path, "timeout 0.3", "send ranvier models", "expect slot 1", "expect slot 0")
    with FakeShell(ANSWERS) as device:
        assert ranvier("shell", "-p", device.address, "--script", path).code == 1


def test_a_script_s_command_that_fails(tmp_path: Path) -> None:
    path = script(tmp_path, "run ranvier run 9", "run quiet")
    with FakeShell(ANSWERS) as device:
        answer = ranvier("shell", "-p", device.address, "--script", path)
        assert "quiet" not in device.commands
    assert answer.code == 2
    assert "'ranvier run 9' returned -2" in answer.both


@pytest.mark.parametrize(
    ("line", "message"),
    [("press enter", "'press' is not a step"), ("timeout soon", "not a number"), ("expect (", "(")],
)
def test_a_script_with_a_wrong_line(line: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_script(f"send a\n{line}\n", "s.txt")
    assert caught.value.message.startswith("s.txt:2: ")
    assert message in caught.value.message


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7])
def test_text_in_pieces_of_any_size(size: int) -> None:
    """A control sequence, a letter of two bytes and a line's end may come in two reads."""
    text = "\x1b[1;31mgr\u00fc\u00dfe\x1b[m\r\n\x1b[1;32muart:~$ \x1b[m".encode()
    shell = Shell(Pieces(text, size))
    assert shell.expect(r"(?s).*\$ ", 1) == "gr\u00fc\u00dfe\nuart:~$ "


@pytest.mark.parametrize("size", [1, 3, 11])
def test_the_prompt_in_pieces(size: int) -> None:
    prompt = b"\r\n\x1b[1;32muart:~$ \x1b[m"
    shell = Shell(Pieces(b"ls\r\na b" + prompt, size))
    assert shell._command("ls", 1) == "a b\n"


class Pieces:
    """A link that gives a text in pieces, then nothing."""

    address, framed, most_bytes = "here", True, None

    def __init__(self, text: bytes, size: int) -> None:
        self.left = [text[at : at + size] for at in range(0, len(text), size)]

    def read(self, timeout_s: float) -> bytes:
        return self.left.pop(0) if self.left else b""

    def write(self, data: bytes, timeout_s: float) -> bool:
        return True

    def seconds(self, count: int) -> float:
        return 0.0

    def close(self) -> None:
        pass


def test_a_device_that_does_not_answer() -> None:
    with FakeShell(ANSWERS) as device:
        device.silent = True
        answer = ranvier("shell", "-p", device.address, "-c", "quiet", "--timeout", "0.2")
    assert answer.code == 3
    assert "waited 0.2 s for its prompt" in answer.both


def test_log_lines_before_the_prompt() -> None:
    with FakeShell(ANSWERS, noise=b"[00:01] <inf> late\r\n") as device:
        link = open_link(device.address)
        shell = Shell(link)
        shell.wake(5)
        result = shell.run("ranvier run 9", 5)
        link.close()
    assert result.code == -2
    assert result.output == "no such model\n[00:01] <inf> late\n"


def test_commands_from_standard_input() -> None:
    with FakeShell(ANSWERS) as device:
        done = subprocess.run(
            [*COMMAND, "shell", "-p", device.address],
            input="ranvier models\n\nranvier run 9\nquiet\n",
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert device.commands == ["ranvier models", "retval", "ranvier run 9", "retval"]
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout == "slot 0: digits\nslot 1: none\nno such model\n"


def test_a_terminal() -> None:
    """Keys go to the device as they are typed, what it prints comes back, Ctrl-] ends it."""
    master, slave = pty.openpty()
    with FakeShell(ANSWERS) as device:
        process = subprocess.Popen(
            [*COMMAND, "shell", "-p", device.address],
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        seen = wait_for(master, b"Ctrl-] leaves")
        time.sleep(0.2)
        os.write(master, b"ranvier models\n")
        seen = wait_for(master, b"slot 1: none")
        os.write(master, b"\x1d")
        assert process.wait(20) == 0
    os.close(master)
    assert b"slot 0: digits\r\n" in seen


def wait_for(descriptor: int, text: bytes) -> bytes:
    seen = b""
    while text not in seen:
        seen += os.read(descriptor, 1024)
    return seen
