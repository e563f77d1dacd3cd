# SPDX-FileCopyrightText: 2026 The Ranvier authors
# SPDX-License-Identifier: Apache-2.0
"""Independent oracles: interpreters that share no code with Ranvier, behind one protocol.

The interpreters run in a process of their own, because they end their process (``abort()``,
without a word) on some models and print the reason for a failure to standard error only. Here
both become a :class:`~ranvier.errors.ToolError` that carries what was printed. One process serves
all oracles of a kind; a run never sees the state of an earlier one.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

from numpy.typing import NDArray

from ranvier.errors import ToolError
from ranvier.testing._optional import pip_install

Array: TypeAlias = NDArray[Any]

# Started by path, so that the process loads nothing of Ranvier, and its folder is not searched.
_WORKER = Path(__file__).with_name("oracle_worker.py")
_START = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"


class Oracle(Protocol):
    """Runs one model; every failure is a ToolError."""

    name: ClassVar[str]
    """What messages call the oracle."""

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """Outputs for one inference; inputs need exactly the model's shapes and types."""
        ...

    def tensors(self, inputs: Sequence[Array]) -> dict[int, Array]:
        """The value of every op's outputs, by tensor index of the model's first subgraph."""
        ...


class _Worker:
    """The process that runs one kind of interpreter; restarted after it has died."""

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the worker)
        atexit.register(self.stop)

    def ask(self, model: bytes, inputs: list[Array], tensors: bool) -> Any:
        """Run one request; ToolError with what the interpreter printed where it fails."""
        with self._lock:
            process = self._started()
            self._printed.seek(0)
            self._printed.truncate()
            try:
                ok, value = _exchange(process, (model, inputs, tensors))
            except (EOFError, OSError) as error:
                self._process = None
                raise self._failure(_ending(process.wait())) from error
            except BaseException:  # interrupted: its answer would be taken for the next one's
                self._process = None
                process.kill()
                raise
            if not ok:
                raise self._failure(value)
            return value

    def stop(self) -> None:
        """End the process, if it runs."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START, str(_WORKER), self._engine],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
        return self._process

    def _failure(self, reason: str) -> ToolError:
        self._printed.seek(0)
        printed = self._printed.read().decode(errors="replace").strip()
        text = f"{self._engine} failed: {reason}"
        return ToolError(f"{text}\n{printed}" if printed else text)


def _exchange(process: subprocess.Popen[bytes], request: tuple[Any, ...]) -> tuple[bool, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump(request, process.stdin)
    process.stdin.flush()
    answer: tuple[bool, Any] = pickle.load(process.stdout)
    return answer


def _ending(code: int) -> str:
    """How a process that ended with ``code`` is described."""
    if code >= 0:
        return f"its process ended with exit code {code}"
    return f"its process was ended by {signal.Signals(-code).name}"


# By process, because a child made by fork() must not talk to its parent's workers.
_workers: dict[tuple[int, str], _Worker] = {}


def _worker(engine: str) -> _Worker:
    key = (os.getpid(), engine)
    if key not in _workers:
        _workers[key] = _Worker(engine)
    return _workers[key]


class _ProcessOracle:
    """What both oracles share: a model, and the process that runs it."""

    name: ClassVar[str]
    _module: ClassVar[str]
    _package: ClassVar[str]

    def __init__(self, model: bytes) -> None:
        if find_spec(self._module) is None:
            raise ToolError(
                f"the reference interpreter {self.name} is not installed",
                pip_install(self._package),
            )
        self._model = bytes(model)

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """See :meth:`Oracle.run`."""
        outputs: list[Array] = _worker(self.name).ask(self._model, list(inputs), tensors=False)
        return outputs

    def tensors(self, inputs: Sequence[Array]) -> dict[int, Array]:
        """See :meth:`Oracle.tensors`."""
        values: dict[int, Array] = _worker(self.name).ask(self._model, list(inputs), tensors=True)
        return values


class TfliteMicroOracle(_ProcessOracle):
    """TensorFlow Lite Micro's interpreter and reference kernels (PyPI ``tflite-micro``)."""

    name = "tflite-micro"
    _module = "tflite_micro"
    _package = "tflite-micro"


class LitertOracle(_ProcessOracle):
    """LiteRT's interpreter with its reference kernels (PyPI ``ai-edge-litert``)."""

    name = "litert"
    _module = "ai_edge_litert"
    _package = "ai-edge-litert"
