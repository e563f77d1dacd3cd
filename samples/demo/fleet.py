# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""The second half of `make demo`: models of a device that is in the field are updated.

The device is simulated: it is the core with its store, in a process of its own, behind a serial
line (a pseudo terminal) and with its flash in a file. What is printed after a `$` is a command that
was executed so, and below it what it printed, shortened.
"""

from __future__ import annotations

import hashlib
import io
import os
import statistics
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ranvier
from ranvier.cli import main
from ranvier.device import jobs
from ranvier.device.client import Client
from ranvier.device.simulator import Simulator, find_simulator
from ranvier.errors import ToolError
from ranvier.model import encode
from ranvier.package import format as fmt

ROOT = Path(__file__).resolve().parents[2]
DIGITS = ROOT / "models" / "digits"
FRAMES = 60
CUT = 16
"""The operation of its flash in which the device loses its power."""
BAUD = 460800
LAYOUT = """\
sector_bytes = 4096
unit_bytes = 16
[[model]]
name = "digits"
slot_bytes = 32768
"""


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n== {text}\n", flush=True)


def brief(line: str) -> bool:
    """What is shown of a command's output where nothing else is said."""
    progress = line.startswith(("write ", "verify", "test", "erase"))
    return bool(line) and (not progress or "100 %" in line)


@dataclass(frozen=True)
class Demo:
    """Where its files are."""

    folder: Path

    def path(self, name: str) -> str:
        """A file, as it is named on a command line at the root of the checkout."""
        path = self.folder / name
        return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)

    def ranvier(
        self, *arguments: object, code: int = 0, show: Callable[[str], bool] = brief
    ) -> None:
        """Print a command, execute it, and print what it prints."""
        words = [str(argument) for argument in arguments]
        print(f"$ ranvier {' '.join(words)}", flush=True)
        said = io.StringIO()
        with redirect_stdout(said), redirect_stderr(said):
            ended = _executed(words)
        for line in said.getvalue().splitlines():
            if show(line) or ended != code:
                print(f"    {line}")
        print(flush=True)
        if ended != code:
            raise SystemExit(f"this was to end with exit code {code}, not {ended}")

    def compile(self, name: str, *options: str, labels: str = "") -> None:
        """Compile the digits' model as another version."""
        model = (DIGITS / "digits.tflite").relative_to(ROOT)
        words = labels or (DIGITS / "labels.txt").relative_to(ROOT)
        self.ranvier(
            *("compile", model, "-o", self.path(name), "--labels", words, *options),
            show=lambda line: line.startswith(("RAM", "flash", "wrote")),
        )

    @contextmanager
    def device(self, *options: str) -> Iterator[Simulator]:
        """A simulated device that runs in the background."""
        own = ["--flash", self.path("device.flash"), "--layout", self.path("layout.toml")]
        own += ["--keys", self.path("public.pem"), "--trial-boots", "2", "--baud", str(BAUD)]
        print(f"$ ranvier sim {' '.join([*own, '--pty', *options])} &", flush=True)
        with Simulator(["--pty", *own, *options], lambda line: print(f"    {line}")) as device:
            print(f"    smp: pty {device.address()}\n", flush=True)
            yield device


def _executed(words: list[str]) -> int:
    """The exit code of the command."""
    try:
        main(words, prog_name="ranvier")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def digits(demo: Demo, port: str, name: str) -> int:
    """Run frames on the device and on this machine; how many of them the device reads right."""
    seven = (DIGITS / "examples" / "7.png").relative_to(ROOT)
    demo.ranvier("run", demo.path(name), "-i", seven, "--device", port)
    model = ranvier.Model(demo.folder / name)
    heldout = np.load(DIGITS / "heldout.npz")
    step = len(heldout["labels"]) // FRAMES
    frames, truth = heldout["frames"][::step][:FRAMES], heldout["labels"][::step][:FRAMES]
    (given,), labels = model.package.inputs, model.package.labels
    right = same = 0
    times = []
    with Client(port) as client:
        info = client.info()
        for frame, label in zip(frames, truth, strict=True):
            values = (frame.astype(np.float32) / 255).reshape(28, 28, 1)
            ran = jobs.run(client, info, "digits", 0, encode(given, values))
            (local,) = model.run(values)
            same += ran.data == local.tobytes()
            right += labels[int(np.frombuffer(ran.data, np.int8).argmax())] == str(label)
            times.append(ran.us)
    print(
        f"the same for {FRAMES} digits that training never saw: {right} read right on the device;\n"
        f"its outputs are those of this machine, byte for byte, {same} times of {FRAMES}; "
        f"{statistics.median(times):,.0f} us each\n",
        flush=True,
    )
    return right


def tampered(package: bytes) -> bytes:
    """A package with one weight changed, its checksums made right again: all but the signature."""
    head = bytearray(package[: -fmt.TRAILER_BYTES])
    head[len(head) // 2] ^= 1
    trailer = bytearray(package[-fmt.TRAILER_BYTES :])
    trailer[:32] = hashlib.sha256(head).digest()
    data = bytes(head) + bytes(trailer[:-4])
    return data + struct.pack("<I", zlib.crc32(data))


def packages(demo: Demo) -> None:
    """A key, and three versions that are signed with it."""
    title("Updates in the field: a key, and two versions of the digits' model signed with it")
    demo.ranvier("keys", "new", demo.path("key.pem"))
    demo.ranvier(
        *("keys", "public", demo.path("key.pem"), "--pem", demo.path("public.pem")),
        show=lambda line: line.startswith("wrote"),
    )
    sign = ("--sign", demo.path("key.pem"), "--version")
    demo.compile("v1.rnv", *sign, "1.0.0", "--security-version", "1")
    options = ("--isa", "dsp", "--optimize", "memory")
    demo.compile("v2.rnv", *sign, "2.0.0", "--security-version", "2", *options)
    print("The second is for a Cortex-M with the DSP extension, and runs row by row in less RAM:\n")
    rows = ("version", "security", "RAM", "flash", "instruction set", "steps")
    both = (demo.path("v1.rnv"), demo.path("v2.rnv"))
    demo.ranvier("diff", *both, code=1, show=lambda line: line.startswith(rows))


def first(demo: Demo, port: str) -> None:
    """Version 1."""
    title("Version 1 to an empty device; it is kept by confirm")
    demo.ranvier("ota", "push", demo.path("v1.rnv"), "--port", port)
    digits(demo, port, "v1.rnv")
    demo.ranvier("ota", "confirm", "--port", port)


def interrupted(demo: Demo) -> None:
    """Version 2, while which the power goes."""
    title("Version 2, and the power goes in the middle of it")
    with demo.device("--cut", str(CUT)) as device:
        demo.ranvier(
            *("ota", "push", demo.path("v2.rnv"), "--plain"),
            *("--port", device.address(), "--wait", "0"),
            code=3,
            show=lambda line: bool(line),
        )
        device.ended()
    title("The power is back: version 1 runs. The upload goes on where it was")
    with demo.device() as device:
        port = device.address()
        demo.ranvier("ota", "list", "--port", port)
        demo.ranvier("ota", "resume", demo.path("v2.rnv"), "--plain", "--port", port)
        demo.ranvier("ota", "list", "--port", port)
        digits(demo, port, "v2.rnv")
        demo.ranvier("ota", "confirm", "--port", port)
        demo.ranvier("ota", "reset", "--port", port)
        unconfirmed(demo, port)
        refused(demo, port)


def unconfirmed(demo: Demo, port: str) -> None:
    """A version that is wrong, although it is signed."""
    title("Version 3 has its labels in the wrong order: a mistake that no signature finds")
    words = (DIGITS / "labels.txt").read_text().split()
    (demo.folder / "wrong.txt").write_text("\n".join(reversed(words)) + "\n")
    sign = ("--sign", demo.path("key.pem"), "--version", "3.0.0", "--security-version", "3")
    demo.compile("v3.rnv", *sign, labels=demo.path("wrong.txt"))
    demo.ranvier("ota", "push", demo.path("v3.rnv"), "--port", port)
    digits(demo, port, "v3.rnv")
    print("Nobody confirms that. After two starts the device goes back to version 2 by itself:\n")
    demo.ranvier("ota", "reset", "--port", port)
    demo.ranvier("ota", "reset", "--port", port)


def refused(demo: Demo, port: str) -> None:
    """Packages that come to nothing."""
    title("What is not taken: damaged, unsigned, tampered with, too old")
    good = (demo.folder / "v3.rnv").read_bytes()
    half = len(good) // 2
    (demo.folder / "damaged.rnv").write_bytes(
        good[:half] + bytes((good[half] ^ 1,)) + good[half + 1 :]
    )
    (demo.folder / "tampered.rnv").write_bytes(tampered(good))
    demo.ranvier("ota", "push", demo.path("damaged.rnv"), "--port", port, code=3)
    demo.compile("unsigned.rnv", "--version", "3.1.0", "--security-version", "3")
    demo.ranvier("ota", "push", demo.path("unsigned.rnv"), "--port", port, code=3)
    demo.ranvier("ota", "push", demo.path("tampered.rnv"), "--port", port, code=3)
    demo.ranvier("ota", "push", demo.path("v1.rnv"), "--port", port, code=3)
    demo.ranvier("ota", "list", "--port", port)
    demo.ranvier("ota", "selftest", "digits", "--port", port)


def fleet(folder: Path) -> None:
    """Show it all; the files are made in ``folder``."""
    try:
        find_simulator()
    except ToolError as error:
        title("Updates in the field are not shown")
        print(f"{error.message}\ntry: {error.remedy}")
        return
    os.chdir(ROOT)
    os.environ["NO_COLOR"] = "1"
    demo = Demo(folder)
    for name in ("key.pem", "public.pem", "device.flash"):
        (folder / name).unlink(missing_ok=True)
    (folder / "layout.toml").write_text(LAYOUT)
    packages(demo)
    with demo.device() as device:
        first(demo, device.address())
    interrupted(demo)


if __name__ == "__main__":
    target = ROOT / "build" / "demo"
    target.mkdir(parents=True, exist_ok=True)
    fleet(target)
