# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Starts ``ranvier-sim``, the simulated device, and stops it."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import ranvier.native
from ranvier.errors import InputError, ToolError
from ranvier.package.format import MAGIC

NAME = "ranvier-sim"
_READY_S = 20.0
_STOP_S = 5.0
_END_S = 0.2
#: Its exit code where it cut its own power, and those where its options or files are wrong.
_POWER_CUT = 70
_WRONG = (2, 3)
#: Begins a line that tells why it does not start: address() raises it.
_REASON = f"{NAME}: "
#: Ends the reason where the flash is in use.
_IN_USE = "another simulated device has it open"
_LINE = re.compile(r"^(smp|shell): (pty|tcp) (\S+)$")


def find_simulator() -> Path:
    """The program: RANVIER_SIM, else beside the native library.

    Raises :class:`ToolError` that says how to get it.
    """
    named = os.environ.get("RANVIER_SIM")
    library = os.environ.get("RANVIER_LIBRARY")
    folders = [Path(library).parent] if library else map(Path, ranvier.native.__path__)
    for path in [Path(named)] if named else [folder / NAME for folder in folders]:
        if path.is_file() and os.access(path, os.X_OK):
            return path
    if named:
        raise ToolError(
            f"{named}: is not a program, RANVIER_SIM names it", remedy=f"name a built {NAME}"
        )
    raise ToolError(
        f"this installation has no simulated device: {NAME} is missing; it needs mbedTLS, and "
        "without it the package is built without the simulator",
        remedy="install libmbedtls-dev and build ranvier again, or name the program with "
        "RANVIER_SIM",
    )


def check_flash(path: str) -> None:
    """Raise where a flash file is to be made of what plainly is something else."""
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{path}: is a directory", remedy="name a file for the flash")
    if file.exists() and not file.is_file():
        raise InputError(f"{path}: is not a regular file", remedy="name a file for the flash")
    try:
        with open(file, "rb") as opened:
            start = opened.read(8)
    except OSError:
        return  # it is made, or the simulator says why not
    if start[:4] == MAGIC.to_bytes(4, "little") or start[4:] == b"TFL3":
        raise InputError(
            f"{path}: is a package or model, not a simulated device's flash",
            remedy="name another file: --sim=FLASH",
        )


class Simulator:
    """A running simulated device; a context manager that stops it.

    ``options`` are those of ``ranvier-sim``. ``text`` receives the lines that it prints besides the
    addresses. Addresses are as :func:`ranvier.device.transport.open_link` takes them.
    """

    def __init__(
        self, options: Sequence[str], text: Callable[[str], None] = lambda line: None
    ) -> None:
        self._text = text
        self._addresses: dict[str, str] = {}
        self._news = threading.Condition()
        self._ended = False
        program = find_simulator()
        try:
            self._process = subprocess.Popen(
                [program, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                start_new_session=True,  # a Ctrl-C is for the command, which then stops it
            )
        except OSError as error:
            raise ToolError(f"{program}: does not start: {error.strerror}") from None
        self._said: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Simulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def address(self, of: str = "smp") -> str:
        """Where it takes requests ("smp") or commands ("shell"), as soon as it says so."""
        with self._news:
            self._news.wait_for(lambda: of in self._addresses or self._ended, _READY_S)
            found = self._addresses.get(of)
            if found is not None:
                return found
            said = "\n".join(self._said[-10:])
        ended = self.ended()
        if ended is not None and self._process.returncode == _POWER_CUT:
            raise ended
        self.stop()
        if self._process.returncode in _WRONG and self._said:
            reason = self._said[-1].removeprefix(_REASON)
            is_in_use = reason.endswith(_IN_USE)
            other = "stop it, or use the --port that it prints"
            remedy = other if is_in_use else "ranvier sim --help"
            raise InputError(f"the simulated device: {reason}", remedy)
        raise ToolError(
            f"the simulated device did not come up: it told no address for {of}"
            + (f":\n{said}" if said else ""),
            remedy="start it by itself to see why: ranvier sim",
        )

    def ended(self) -> ToolError | None:
        """Why it ended by itself; None while it runs."""
        try:
            code = self._process.wait(_STOP_S if self._ended else _END_S)
        except subprocess.TimeoutExpired:
            return None
        if code == _POWER_CUT:
            return ToolError(
                "the power of the simulated device was cut",
                remedy="start it again on the same flash: ranvier ota resume goes on with an "
                "upload",
            )
        return ToolError(
            f"the simulated device ended, with code {code}",
            remedy="start it by itself: ranvier sim",
        )

    def wait(self) -> int:
        """Wait until it ends by itself; its exit code."""
        return self._process.wait()

    def stop(self) -> None:
        """End it, as if its power were cut."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._reader.join(_STOP_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._take(line.rstrip("\r\n"))
        with self._news:
            self._ended = True
            self._news.notify_all()

    def _take(self, line: str) -> None:
        found = _LINE.match(line)
        if found is None:
            self._said.append(line)
            if self._addresses or not line.startswith(_REASON):
                self._text(line)
            return
        of, kind, where = found.groups()
        with self._news:
            self._addresses[of] = where if kind == "pty" else f"tcp:127.0.0.1:{where}"
            self._news.notify_all()
